"""One time step of decoding, from the top down: the tokens so far, what the decoder makes of them, the likeliest next
tokens as bars, the draw, and the token that is chosen."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from txviz.figures import fonts
from txviz.figures.levels.board import Board
from txviz.figures.levels.cells import learned_grid
from txviz.figures.levels.decoding_steps import Column
from txviz.figures.levels.picture import Spot
from txviz.figures.marks import Box, Colour, Line, Mark, Text
from txviz.figures.naming import quoted
from txviz.figures.numerals import decimal, percent
from txviz.figures.theme import mixed
from txviz.figures.views.page import MIDDLE, Area, bar_length
from txviz.trace import Step

TITLE, CHIP, WAY, VECTORS, READ, REST, DRAWN = 1.7, 1.9, 1.2, 2.2, 1.6, 1.45, 1.9
"""Heights by the size of the text: of the title, of a line of chips, of the way from the encoder, of the decoder's
vectors, of the arrow from their last row, of the line for all other tokens, and of the draw."""

PITCH, LARGEST_PITCH, MOST, FEWEST = 1.4, 2.6, 8, 2
"""Of a bar, by the size of the text; and how many there are."""

STRENGTH, GREY = 0.5, 0.28
"""Of the colours of a bar, and of what it was before sampling changed it."""

CUT = "cut off"
SEEN = 0.004
"""A share of the draw that is seen as a piece of its own."""


class Rows(NamedTuple):
    """Where the parts of all columns stand, from the top down."""

    chips: float
    lines: int
    """Of chips."""

    way: float
    vectors: float
    bars: float
    bar_count: int
    """Of bars."""

    pitch: float
    drawn: float | None
    """The draw, where tokens are drawn."""

    words: float
    numbers: float
    """The room for them beside the bars, which have the same scale in all columns."""

    @classmethod
    def fitting(cls, area: Area, width: float, size: float, columns: Sequence[Column]) -> Rows:
        """In columns of this width."""
        draws = any(column.chance is not None for column in columns)
        lines = 2 if max(len(column.chips) for column in columns) > 2 and area.height > 32 * size else 1
        fixed = TITLE + CHIP * lines + 0.4 + WAY + VECTORS + READ + REST + (DRAWN if draws else 0.0)
        free = area.height - fixed * size
        count = max(FEWEST, min(MOST, int(free / (PITCH * size)), len(columns[0].words)))
        pitch = min(free / count, LARGEST_PITCH * size)
        chips = area.y + TITLE * size
        way = chips + (CHIP * lines + 0.4) * size
        vectors = way + WAY * size
        bars = vectors + (VECTORS + READ) * size
        drawn = bars + count * pitch + REST * size
        shown = [(column, token) for column in columns for token in column.candidates(count)]
        words = max(fonts.width(column.words[token], size, bold=True) for column, token in shown)
        numbers = max(fonts.width(said(column, token), size) for column, token in shown)
        room = min(words, width * 0.4), numbers
        return cls(chips, lines, way, vectors, bars, count, pitch, drawn if draws else None, *room)


def said(column: Column, token: int) -> str:
    """The number beside a bar."""
    return CUT if is_cut(column, token) else percent(float(column.likely.value[token]))


def is_cut(column: Column, token: int) -> bool:
    """Whether sampling has left no chance to it."""
    return bool(column.cuts) and column.likely.value[token] == 0


@dataclass(frozen=True, eq=False)
class ColumnDrawing:
    board: Board
    column: Column
    area: Area
    rows: Rows

    def draw(self) -> None:
        self._title()
        self._chips()
        self._vectors()
        self._bars()
        if self.rows.drawn is not None and self.column.chance is not None:
            self._draw(self.column.chance)

    @property
    def size(self) -> float:
        return self.board.size

    def _tint(self, colour: Colour, step: Step) -> Colour:
        return self.board.tinted(colour, step)

    @cached_property
    def chips(self) -> Area:
        high = (CHIP * self.rows.lines + 0.4) * self.size
        return Area(self.area.x, self.rows.chips, self.area.width, high)

    @cached_property
    def vectors(self) -> Area:
        return Area(self.area.x, self.rows.vectors, self.area.width, VECTORS * self.size)

    @cached_property
    def chosen(self) -> Area:
        """The bar of the token that is chosen."""
        return self._bar_area(self.shown.index(self.column.token))

    @property
    def chosen_name(self) -> str:
        """Of the group that it is drawn in."""
        return f"token of {self.column.at.name}"

    def _bar_area(self, row: int) -> Area:
        return Area(self.area.x, self.rows.bars + row * self.rows.pitch, self.area.width, self.rows.pitch)

    # from the top down

    def _title(self) -> None:
        board, size, column = self.board, self.size, self.column
        ink = self._tint(board.theme.text, column.read)
        text = f"time step {column.time}"
        forced = "forced" if column.forced else ""
        room = self.area.width - (fonts.width(forced, size) + size * 1.6 if forced else 0.0)
        shown = text if fonts.width(text, size, bold=True) <= room else f"t = {column.time}"
        marks: list[Mark] = [Text(self.area.x, self.area.y + size * 1.1, shown, size, ink, bold=True)]
        if forced:
            wide = fonts.width(forced, size) + size * 0.9
            tag = Area(self.area.right - wide, self.area.y, wide, size * 1.5)
            ink = board.theme.highlight
            marks.append(Box(*tag, stroke=ink, stroke_width=size * 0.12, radius=size * 0.4))
            marks.append(Text(tag.centre[0], tag.y + size * 1.1, forced, size, ink, "middle"))
        board.add(f"title of {column.at.name}", *marks)

    def _chips(self) -> None:
        """The tokens so far, the newest framed; where there is no room for the first ones, how many they are."""
        board, size, step = self.board, self.size, self.column.read
        ink, line = self._tint(board.theme.text, step), self._tint(board.theme.line, step)
        fill = mixed(self._tint(board.theme.accent, step), board.theme.panel, 0.1)
        marks: list[Mark] = [Box(*self.chips, stroke=line, radius=size * 0.5)]
        for place, word, newest in self._flow():
            frame = self._tint(board.theme.accent, step) if newest else line
            counts = word.startswith("+") and not newest
            marks.append(Box(*place, None if counts else fill, None if counts else frame, radius=size * 0.4))
            shown = fonts.elided(word, size, place.width - size * 0.4)
            colour = self._tint(board.theme.muted, step) if counts else ink
            marks.append(Text(place.centre[0], place.y + size * 1.12, shown, size, colour, "middle"))
        board.add(step.name, *marks)
        board.spot(step, self.chips, f"the decoder's input so far: {' '.join(self.column.chips)}")

    def _flow(self) -> list[tuple[Area, str, bool]]:
        """As many of the last chips as fit; a chip before them counts the others."""
        words, room = self.column.chips, self.chips.grown(-self.size * 0.3)

        def but(hidden: int) -> list[str]:
            return [*([f"+{hidden}"] if hidden else []), *words[hidden:]]

        def fits(hidden: int) -> bool:
            return len({place.y for place in self._lines(but(hidden), room)}) <= self.rows.lines

        hidden = 0 if fits(0) else min(bisect(range(len(words)), False, 1, key=fits), len(words) - 1)
        shown = but(hidden)
        places, last = self._lines(shown, room), len(shown) - 1
        return [(place, word, i == last) for i, (place, word) in enumerate(zip(places, shown, strict=True))]

    def _lines(self, words: Sequence[str], room: Area) -> list[Area]:
        size, x, y, places = self.size, room.x, room.y, list[Area]()
        for word in words:
            wide = min(fonts.width(word, size) + size * 0.8, room.width)
            if x + wide > room.right + 0.01 and x > room.x:
                x, y = room.x, y + CHIP * size
            places.append(Area(x, y, wide, size * 1.6))
            x += wide + size * 0.25
        return places

    def _vectors(self) -> None:
        """What the decoder makes of its input, the row that is read framed."""
        board, size, step = self.board, self.size, self.column.vectors
        board.plate(step, learned_grid(step), self.vectors)
        high = self.vectors.height / len(step.value)
        row = self.vectors._replace(y=self.vectors.bottom - high, height=high)
        board.add(f"last position of {step.name}", row.box(self._tint(board.theme.accent, step), size * 0.18))
        x = self.area.x + size
        start, end = self.vectors.bottom + size * 0.2, self.rows.bars - size * 0.3
        head = board.scene.trace.outline.path_to(self.column.likely.name)[-2]
        board.join(step, head, (x, start), (x, end))
        for words in ("softmax of the last position", "softmax, last position", "softmax"):
            if fonts.width(words, size) <= self.area.width - size * 2:
                board.write(x + size * 0.7, end - size * 0.35, words, self._tint(board.theme.muted, self.column.likely))
                break

    def _bars(self) -> None:
        board, step = self.board, self.column.likely
        area = Area(self.area.x, self.rows.bars, self.area.width, self.rows.bar_count * self.rows.pitch)
        board.spot(step, area)
        self._frame(self.chosen)
        for row, token in enumerate(self.shown):
            place = self._bar_area(row)
            board.add(f"{step.name}: {self.column.words[token]}", *self._bar(token, place))
            board.offer(self._asks(token, place))
        if "token" in self.column.choice:
            wide = self.rows.numbers + self.size * 0.6
            number = self.chosen._replace(x=self.chosen.right - wide, width=wide)
            board.spot(self.column.choice["token"], number, f"{quoted(self.column.word)} is written")
        hidden = len(self.column.words) - len(self.shown)
        if hidden:
            rest = max(0.0, 1.0 - float(self.column.before[self.shown].sum()))
            y = area.bottom + self.size * 1.15
            board.write(area.right, y, self._fitting(f"{hidden:,} more: {percent(rest)}"), board.ink(step), "end")

    def _fitting(self, text: str) -> str:
        return fonts.elided(text, self.size, self.area.width)

    @cached_property
    def shown(self) -> list[int]:
        return self.column.candidates(self.rows.bar_count)

    def _bar(self, token: int, place: Area) -> list[Mark]:
        """A word, its probability as a bar and as a number; behind it in grey what it was before sampling changed it.
        The chosen one is framed and bold."""
        board, size, step = self.board, self.size, self.column.likely
        mine, cut = token == self.column.token, is_cut(self.column, token)
        colours, middle = board.theme, place.centre[1]
        ink = self._tint(colours.muted if cut else colours.text, step)
        start = place.x + self.rows.words + size * 0.7
        scale = max(place.right - self.rows.numbers - size * 0.7 - start, 1.0)
        thick = min(place.height * 0.66, size * 1.4)
        marks: list[Mark] = []
        if self.column.cuts:
            grey = mixed(self._tint(colours.muted, step), colours.panel, GREY)
            long = max(bar_length(scale, float(self.column.before[token])), 0.5)
            marks.append(Box(start, middle - thick / 2, long, thick, grey))
        if not cut:
            full = mixed(self._tint(colours.stages[1], step), colours.panel, STRENGTH)
            high = thick * (0.56 if self.column.cuts else 1.0)
            long = max(bar_length(scale, float(step.value[token])), 0.5)
            marks.append(Box(start, middle - high / 2, long, high, full))
        y = middle + size * MIDDLE
        if not mine:
            word = fonts.elided(self.column.words[token], size, self.rows.words)
            marks.append(Text(place.x + size * 0.35, y, word, size, ink))
        return [*marks, Text(place.right - size * 0.3, y, said(self.column, token), size, ink, "end")]

    def _frame(self, place: Area) -> None:
        """Of the chosen one, and its word."""
        size, column = self.size, self.column
        frame = self._tint(self.board.theme.accent, column.decided)
        box = Box(
            *place.grown(-size * 0.06), mixed(frame, self.board.theme.panel, 0.12), frame, size * 0.14, size * 0.3
        )
        word = fonts.elided(column.word, size, self.rows.words, bold=True)
        ink = self._tint(self.board.theme.text, column.likely)
        text = Text(place.x + size * 0.35, place.centre[1] + size * MIDDLE, word, size, ink, bold=True)
        self.board.add(self.chosen_name, box, text)

    def _asks(self, token: int, place: Area) -> Spot:
        """A click on another candidate forces it, and one on a forced one takes that back."""
        column, word = self.column, quoted(self.column.words[token])
        hint = f"{word}: {percent(float(column.likely.value[token]))}"
        if column.cuts:
            hint += f", before sampling {percent(float(column.before[token]))}"
        mine = token == column.token
        if is_cut(column, token):
            hint += f" · {CUT}"
        if "token" not in column.choice or (mine and not column.forced):
            return Spot(place, column.likely.name, f"{hint} · chosen" if mine else hint)
        what = "is forced; a click lets the model choose again" if mine else "a click forces this token"
        return Spot(place, column.likely.name, f"{hint} · {what}", edit=f"{column.choice['token'].name}={token}")

    def _draw(self, chance: Step) -> None:
        """The shares of all tokens in the order of the vocabulary, and the random number as a point on them."""
        board, size, column, drawn = self.board, self.size, self.column, float(chance.value)
        assert self.rows.drawn is not None
        text, ink = f"u = {decimal(drawn, 2)}", self._tint(board.theme.text, chance)
        left = fonts.width("u = 0.00", size) + size * 0.6
        bar = Area(self.area.x + left, self.rows.drawn + size * 0.2, self.area.width - left, size * 1.0)
        x, dot = bar.x + drawn * bar.width, size * 0.5
        board.add(
            chance.name,
            Text(self.area.x, bar.centre[1] + size * MIDDLE, text, size, ink),
            Box(*bar, stroke=self._tint(board.theme.line, chance)),
            *self._shares(bar, chance),
            Line(x, bar.y - size * 0.15, x, bar.bottom + size * 0.3, ink, size * 0.14),
            Box(x - dot / 2, bar.bottom + size * 0.1, dot, dot, ink, radius=dot / 2),
        )
        hint = f"the random number {decimal(drawn, 4)} falls into the share of {quoted(column.word)}"
        board.spot(chance, Area(self.area.x, bar.y, self.area.width, size * 1.6), hint)

    def _shares(self, bar: Area, chance: Step) -> list[Mark]:
        """One beside the other; that of the chosen token is darker and framed."""
        board, column, marks = self.board, self.column, list[Mark]()
        shares = column.likely.value / column.likely.value.sum()
        ends = np.cumsum(shares)
        other, mine = self._tint(board.theme.stages[1], chance), self._tint(board.theme.accent, chance)
        for n, token in enumerate(np.flatnonzero(shares >= SEEN).tolist()):
            wide, right = float(shares[token]) * bar.width, bar.x + float(ends[token]) * bar.width
            fill = mixed(other, board.theme.panel, 0.25 + 0.25 * (n % 2))
            if token == column.token:
                marks.append(Box(right - wide, bar.y, wide, bar.height, mixed(mine, board.theme.panel, 0.6), mine))
            else:
                marks.append(Box(right - wide, bar.y, wide, bar.height, fill))
        return marks
