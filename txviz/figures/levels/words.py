"""The words of a sentence among those that the model takes for alike: as a map, and with their cosines."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from txviz.analysis.words import Table, table
from txviz.figures import fonts
from txviz.figures.levels.board import Board
from txviz.figures.levels.picture import NodeScene, Picture
from txviz.figures.marks import Box, Mark, Text
from txviz.figures.naming import quoted
from txviz.figures.numerals import decimal, percent
from txviz.figures.theme import mixed
from txviz.figures.views.page import MIDDLE, Area
from txviz.figures.views.plane import Plane, principal_plane
from txviz.ops import Array
from txviz.trace import Step

NEAREST, MAPPED = 5, 4
"""Neighbours that are listed, and that are on the map, of each word."""

MOST_WORDS = 30
"""Of a sentence, with their neighbours, are on the map."""

MAP, GAP, CAPTION = 0.52, 3.0, 2.2
"""How much of the width the map takes; the room beside it and the height of a caption, by the size of the text."""

FORMULA = r"\cos(a, b) = \frac{a \cdot b}{|a| \, |b|}"


def draw(scene: NodeScene) -> Picture:
    step = next(step for step in scene.node.steps if step.op == "lookup" and step.site.leaf == "tokens")
    found, board = table(scene.trace, step), Board(scene)
    if found is None:
        raise ValueError("no table of words is looked up in")
    board.heading("Which words are alike?", FORMULA, colours=False)
    sheet = _Sheet(board, step, found)
    board.sentences(sheet.sentence)
    sheet.draw()
    return board.picture()


@dataclass(frozen=True, eq=False)
class _Sheet:
    board: Board
    step: Step
    table: Table

    @cached_property
    def words(self) -> list[int]:
        """Those of the sentence, each once; of a long text the first, since a map of all could not be read."""
        numbers = dict.fromkeys(self.step.sources[0].value.ravel().tolist())
        return ([number for number in numbers if self.table.is_word(number)] or list(numbers))[:MOST_WORDS]

    @cached_property
    def listed(self) -> list[int]:
        """Those whose neighbours there is room to list."""
        size = self.board.size
        rows = max(1, int((self.board.area.height - CAPTION * size) / (size * 3.2)))
        return self.words[:rows]

    @cached_property
    def near(self) -> dict[int, list[int]]:
        return self.table.nearest_of(self.words, NEAREST)

    @property
    def sentence(self) -> str:
        """With the longest word as an example: “cat” and “sleeps” tell more than “the”."""
        told = (
            "Each word is a row of the table; words that say the same point the same way. So do some by chance: the "
            "rest of a word's meaning is made in the layers."
        )
        found = [word for word in self.words if self.near[word]]
        if not found:
            return told
        first = max(found, key=lambda word: (len(self.table.words[word]), self._cosine(word, self.near[word][0])))
        best, last = self.near[first][0], self.near[first][-1]
        return (
            f"{told} {self._said(first)} is nearer to {self._said(best)} ({decimal(self._cosine(first, best), 2)}) "
            f"than to {self._said(last)} ({decimal(self._cosine(first, last), 2)})."
        )

    def _said(self, word: int) -> str:
        return quoted(self.table.words[word])

    def _cosine(self, a: int, b: int) -> float:
        return self.table.cosine(a, b)

    def draw(self) -> None:
        area, gap = self.board.area, GAP * self.board.size
        left = area._replace(width=area.width * MAP)
        right = area._replace(x=left.right + gap, width=area.right - left.right - gap)
        if not self.board.computed(self.step):
            self.board.add("later", area.box(self.board.theme.line))
            self.board.spot(self.step, area)
            return
        self._map(left)
        self._list(right)
        self.board.spot(self.step, left)

    # the map

    @cached_property
    def mapped(self) -> list[int]:
        """The sentence's words and some neighbours of each."""
        near = (other for word in self.words for other in self.near[word][:MAPPED])
        return list(dict.fromkeys([*self.words, *near]))

    @cached_property
    def plane(self) -> Plane:
        rows: Array = self.table.vectors[self.mapped].astype(float)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return principal_plane(rows / np.where(lengths == 0, 1, lengths))

    def _map(self, area: Area) -> None:
        board, size, colours = self.board, self.board.size, self.board.theme
        share = percent(sum(self.plane.shares))
        first = f", the first {MOST_WORDS} words" if len(self.words) == MOST_WORDS else ""
        board.write(
            area.x, area.y + size * 1.3, f"the plane in which they differ most ({share} of all){first}", colours.muted
        )
        area = area._replace(y=area.y + CAPTION * size, height=area.height - CAPTION * size)
        inner = area.grown(-size * 2.2)
        places = self.plane.places
        low, high = places.min(axis=0), places.max(axis=0)
        wide = np.where(high - low == 0, 1.0, high - low)
        marks: list[Mark] = [area.box(colours.line)]
        dots = [
            (word, inner.x + across * inner.width, inner.bottom - up * inner.height)
            for word, (across, up) in zip(self.mapped, ((places - low) / wide).tolist(), strict=True)
        ]
        taken = [Area(x, y, 0, 0).grown(size * 0.3) for _, x, y in dots]
        for word, x, y in dots:
            own = word in self.words
            radius, fill = size * (0.42 if own else 0.28), colours.accent if own else colours.muted
            marks.append(Box(x - radius, y - radius, 2 * radius, 2 * radius, fill, radius=radius))
            label = self._label(word, x, y, area, taken, bold=own)
            marks += [label] if label else []
            hint = f"{self._said(word)}: nearest is {self._nearest(word)}"
            board.place(self.step, Area(x - size, y - size, 2 * size, 2 * size), hint)
        board.add("map", *marks)

    def _nearest(self, word: int) -> str:
        best = self.table.nearest_of(self.mapped, 1)[word]
        return f"{self._said(best[0])}, cosine {decimal(self._cosine(word, best[0]), 3)}" if best else "none"

    def _label(self, word: int, x: float, y: float, area: Area, taken: list[Area], *, bold: bool) -> Text | None:
        """Beside its dot, where no other label is: right, left, above or below."""
        size = self.board.size
        text = self.table.words[word]
        wide, high = fonts.width(text, size, bold=bold), size * 1.15
        for left, top in (
            (x + size * 0.6, y - high / 2),
            (x - size * 0.6 - wide, y - high / 2),
            (x - wide / 2, y - size * 0.7 - high),
            (x - wide / 2, y + size * 0.7),
        ):
            room = Area(left, top, wide, high)
            if _inside(room, area) and not any(_meet(room, other) for other in taken):
                taken.append(room)
                ink = self.board.theme.text if bold else self.board.theme.muted
                return Text(left, top + high / 2 + size * MIDDLE, text, size, ink, bold=bold)
        return None

    # the list

    def _list(self, area: Area) -> None:
        """For each word its nearest, with their cosines as bars."""
        board, size, colours = self.board, self.board.size, self.board.theme
        hidden = len(self.words) - len(self.listed)
        more = f" (the first {len(self.listed)} words)" if hidden else ""
        board.write(area.x, area.y + size * 1.3, f"nearest in the table, by their cosines{more}", colours.muted)
        pitch = min((area.height - CAPTION * size) / len(self.listed), size * 6)
        names = max(fonts.width(self.table.words[word], size * 1.05, bold=True) for word in self.listed) + size
        for i, word in enumerate(self.listed):
            row = Area(area.x, area.y + CAPTION * size + i * pitch, area.width, pitch)
            text = Text(
                row.x, row.centre[1] + size * MIDDLE, self.table.words[word], size * 1.05, colours.text, bold=True
            )
            board.add("words", text)
            self._neighbours(word, row._replace(x=row.x + names, width=row.width - names))

    def _neighbours(self, word: int, row: Area) -> None:
        board, size, colours = self.board, self.board.size, self.board.theme
        count = max(1, min(NEAREST, int(row.width / (size * 6.2)), len(self.near[word])))
        wide = row.width / count
        marks: list[Mark] = []
        for j, other in enumerate(self.near[word][:count]):
            cosine = self._cosine(word, other)
            box = Area(row.x + j * wide, row.centre[1] - size * 1.35, wide - size * 0.5, size * 2.7)
            bar = mixed(colours.accent if cosine > 0 else colours.stages[1], colours.panel, 0.28)
            marks.append(Box(box.x, box.y, max(box.width * abs(cosine), 0.5), box.height, bar, radius=size * 0.2))
            marks.append(box.box(colours.line))
            shown = fonts.elided(self.table.words[other], size, box.width - size * 0.6)
            marks.append(Text(box.x + size * 0.3, box.y + size * 1.15, shown, size, colours.text))
            marks.append(Text(box.x + size * 0.3, box.y + size * 2.3, decimal(cosine, 2), size, colours.muted))
            board.place(self.step, box, self._worked(word, other))
        board.add(f"near {self.table.words[word]}", *marks)

    def _worked(self, a: int, b: int) -> str:
        """The cosine, worked out."""
        first, second = self.table.vectors[a].astype(float), self.table.vectors[b].astype(float)
        lengths = [decimal(float(np.linalg.norm(each)), 3) for each in (first, second)]
        result = decimal(self._cosine(a, b), 3)
        product = decimal(float(first @ second), 3)
        return f"cos({self._said(a)}, {self._said(b)}) = {product} / ({lengths[0]} × {lengths[1]}) ≈ {result}"


def _inside(room: Area, area: Area) -> bool:
    return room.x >= area.x and room.y >= area.y and room.right <= area.right and room.bottom <= area.bottom


def _meet(a: Area, b: Area) -> bool:
    return a.x < b.right and b.x < a.right and a.y < b.bottom and b.y < a.bottom
