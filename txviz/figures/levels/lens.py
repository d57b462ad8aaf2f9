"""What the model would answer after each layer: a column of bars for each, and below it what each token alone says."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from txviz.analysis.lens import Reading, chooser, readings
from txviz.figures import fonts
from txviz.figures.levels.board import Board
from txviz.figures.levels.composed import composed
from txviz.figures.levels.picture import NodeScene, Picture
from txviz.figures.marks import Box, Mark, Text
from txviz.figures.naming import quoted, sees_patches
from txviz.figures.numerals import percent
from txviz.figures.theme import mixed
from txviz.figures.views.page import MIDDLE, Area
from txviz.ops import Array
from txviz.trace import Step
from txviz.trace.ancestors import ancestors

MOST = 8
"""Answers that are shown."""

ROW, TALLEST, CAPTION, GAP, WORD = 1.5, 2.6, 2.4, 2.0, 9.0
"""The height of a row at least and at most, of a caption, the room between columns, and how wide a word may be."""

TOKENS = 0.53
"""How much of the height the tokens may take."""

STRENGTH = 0.5
"""Of the colour of a certain answer."""


def draw(scene: NodeScene) -> Picture:
    answer = next(step for step in scene.node.steps if step.site.leaf == "probabilities" and step.site.part == "head")
    board, read = Board(scene), readings(answer)
    if not read:
        raise ValueError("no layers lead to its answer")
    drawing = _Drawing(board, read, answer)
    when = f" · {scene.node.title}" if scene.node.name else ""
    board.heading(f"What would it answer here?{when}", drawing.formula, colours=False)
    board.sentences(drawing.sentence)
    drawing.draw()
    return board.picture()


@dataclass(frozen=True, eq=False)
class _Drawing:
    board: Board
    read: tuple[Reading, ...]
    answer: Step

    def draw(self) -> None:
        for i, each in enumerate(self.read):
            column = self._column(i)
            target = self.answer if i == len(self.read) - 1 else each.stream
            self.board.write(column.x, column.y + self.board.size * 1.3, self._name(each), self._ink(each), size=1.05)
            self._bars(each, column)
            self._votes(each, column)
            self.board.spot(target, column, self._hint(each))
        self._words(self.names, self.board.area.y + CAPTION * self.board.size, self.pitch)
        self._words(self.tokens, self.lower, self.row)
        self._lead()

    @property
    def formula(self) -> str:
        """From a layer's vectors, once they are normed, to the answer."""
        after = ancestors(self.answer)
        return composed(self.answer, [step for step in after if step.site.part == "head"])

    @property
    def sentence(self) -> str:
        """When the answer is first the one that is given in the end."""
        best = [each.answer.labels[-1][int(each.answer.value.argmax())] for each in self.read]
        seen = [i for i, each in enumerate(self.read) if self.board.computed(each.stream)]
        told = "The last norm and the head read each layer's vectors, as if it were the last one. "
        if not seen:
            return f"{told}At this step nothing of it is computed yet; End goes to the last one."
        if len(seen) < len(self.read):
            return told
        first = next(i for i in seen if len(set(best[i:])) == 1)
        share = percent(float(self.read[-1].answer.value.max()))
        since = "From the embedding on" if first == 0 else f"From layer {first - 1} on"
        return f"{told}{since} it is {quoted(best[-1])}, in the end with {share}."

    # what there is

    @cached_property
    def order(self) -> Array:  # -> (answers,)
        """Those that are the likeliest anywhere, the likeliest in the end first."""
        most = np.max([each.answer.value for each in self.read], axis=0)
        found = np.argsort(-most, kind="stable")[:MOST]
        return np.asarray(found[np.argsort(-self.answer.value[found], kind="stable")])

    @cached_property
    def names(self) -> list[str]:
        return [self.answer.labels[-1][i] for i in self.order]

    @cached_property
    def all_tokens(self) -> tuple[str, ...]:
        return self.read[0].stream.labels[-2]

    @cached_property
    def shown(self) -> range:
        """The tokens that there is room for: the last ones, since the last one goes on."""
        count, free = len(self.all_tokens), self.board.area.height * TOKENS - CAPTION * self.board.size
        return range(max(0, count - max(1, int(free / (ROW * self.board.size)))), count)

    @cached_property
    def tokens(self) -> list[str]:
        return [self.all_tokens[i] for i in self.shown]

    @cached_property
    def chosen(self) -> int | None:
        """Which token's row is read, where it is one."""
        step = chooser(self.answer)
        return None if step is None or step.op != "select" else int(step.params["at"]) % len(self.all_tokens)

    def _name(self, each: Reading) -> str:
        layer = each.stream.site.layer
        return "after the embedding" if layer is None else f"after layer {layer}"

    def _hint(self, each: Reading) -> str:
        if not self.board.computed(each.stream):
            return f"{self._name(each)}: not computed yet"
        best = int(each.answer.value.argmax())
        return (
            f"{self._name(each)} it would be {quoted(each.answer.labels[-1][best])}, {percent(each.answer.value[best])}"
        )

    # where everything goes

    @cached_property
    def words(self) -> float:
        """The room for names at the left."""
        size = self.board.size
        return min(max(fonts.width(name, size) for name in (*self.names, *self.tokens)), WORD * size) + size * 1.6

    def _column(self, i: int) -> Area:
        area, gap, count = self.board.area, GAP * self.board.size, len(self.read)
        wide = (area.width - self.words - gap * (count - 1)) / count
        return Area(area.x + self.words + i * (wide + gap), area.y, wide, area.height)

    @cached_property
    def row(self) -> float:
        """The height of a token's row."""
        free = self.board.area.height * TOKENS - CAPTION * self.board.size
        return min(free / len(self.shown), TALLEST * self.board.size)

    @property
    def lower(self) -> float:
        """Where the tokens begin."""
        return self.board.area.bottom - self.row * len(self.shown)

    @cached_property
    def pitch(self) -> float:
        free = self.lower - 2 * CAPTION * self.board.size - self.board.area.y
        return min(free / len(self.order), TALLEST * self.board.size)

    # what is drawn there

    def _ink(self, each: Reading) -> str:
        return self.board.theme.text if self.board.computed(each.stream) else self.board.ink(each.stream)

    def _words(self, names: list[str], top: float, pitch: float) -> None:
        size, x = self.board.size, self.board.area.x + self.words - self.board.size * 0.8
        for i, name in enumerate(names):
            shown = fonts.elided(name, size, self.words - size * 1.5)
            self.board.write(x, top + (i + 0.5) * pitch + size * MIDDLE, shown, self.board.theme.muted, "end")

    def _bars(self, each: Reading, column: Area) -> None:
        board, size = self.board, self.board.size
        top = column.y + CAPTION * size
        if not board.computed(each.stream):
            board.add(
                each.stream.name, Area(column.x, top, column.width, self.pitch * len(self.order)).box(board.theme.line)
            )
            return
        room = fonts.width("> 99.99 %", size, bold=True) + size * 0.6
        best, marks = int(each.answer.value.argmax()), list[Mark]()
        for row, which in enumerate(self.order.tolist()):
            share, middle = float(each.answer.value[which]), top + (row + 0.5) * self.pitch
            thick, wide = self.pitch * 0.66, (column.width - room) * share
            strong = which == best
            fill = mixed(
                board.theme.accent if strong else board.theme.stages[0], board.theme.panel, 0.75 if strong else 0.35
            )
            marks.append(Box(column.x, middle - thick / 2, max(wide, 0.5), thick, fill))
            said, ink = percent(share), board.theme.text if strong else board.theme.muted
            marks.append(Text(column.x + wide + size * 0.4, middle + size * MIDDLE, said, size, ink, bold=strong))
        board.add(each.stream.name, *marks)

    def _votes(self, each: Reading, column: Area) -> None:
        """What each token alone would say, the surer the stronger."""
        board, size, colours = self.board, self.board.size, self.board.theme
        if not board.computed(each.stream):
            area = Area(column.x, self.lower, column.width, self.row * len(self.shown))
            board.add(f"tokens of {each.stream.name}", area.box(colours.line))
            return
        marks: list[Mark] = []
        for row, token in enumerate(self.shown):
            shares = each.tokens[token]
            best = int(shares.argmax())
            y, high = self.lower + row * self.row, self.row
            fill = mixed(colours.accent, colours.panel, STRENGTH * float(shares[best]))
            frame = colours.highlight if token == self.chosen else None
            marks.append(Box(column.x, y + 1, column.width, high - 2, fill, frame, size * 0.16, size * 0.3))
            share = percent(float(shares[best]))
            room = column.width - fonts.width(share, size) - size * 1.6
            word = fonts.elided(self.answer.labels[-1][best], size, room)
            base = y + high / 2 + size * MIDDLE
            marks.append(Text(column.x + size * 0.5, base, word, size, colours.text, bold=token == self.chosen))
            marks.append(Text(column.right - size * 0.5, base, share, size, colours.text, "end"))
        board.add(f"tokens of {each.stream.name}", *marks)

    def _lead(self) -> None:
        """What the lower rows are."""
        size, patches = self.board.size, sees_patches(self.read[0].stream)
        hidden = len(self.all_tokens) - len(self.shown)
        kind = "patch" if patches else "token"
        said = f"What each {kind}'s own vector would say" + (f" (the last {len(self.shown)})" if hidden else "")
        if self.chosen is not None:
            said += ": the marked row is the one that is read"
        else:
            said += ": their vectors are averaged, and the mean is read"
        self.board.write(self.board.area.x, self.lower - size * 0.7, said, self.board.theme.text)
