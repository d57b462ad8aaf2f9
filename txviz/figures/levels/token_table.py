"""Words, their numbers, and the rows of the table that these numbers pick."""

from __future__ import annotations

from dataclasses import dataclass

from txviz.figures import fonts
from txviz.figures.label_places import label_places, label_size
from txviz.figures.levels.board import Board, Plate
from txviz.figures.levels.cells import learned_row
from txviz.figures.marks import Arrow, Box, Line, Mark, Text
from txviz.figures.naming import counted, quoted
from txviz.figures.theme import mixed
from txviz.figures.views.page import MIDDLE, Area
from txviz.trace import Parameter, Step

TABLE, WAY, NUMBER = 10.0, 4.0, 3.4
"""The widths of the table, of the way to it, and of a number."""

WORD = 8.0
"""The most that a word takes. All these by the size of the text."""

ROW = 1.15
"""How high a row with a word is at least, by the size of the word."""

THINNEST = 0.4
"""A row of the table that is picked is at least this high, by the size of the text."""

MOST_WAYS = 40
"""With more tokens the lines to the table would hide each other."""


@dataclass(frozen=True, eq=False)
class TokenTable:
    step: Step
    """The rows of the table, one for each token."""

    @property
    def ids(self) -> Step | None:
        first = self.step.sources[0] if self.step.op == "lookup" else None
        return first if isinstance(first, Step) else None

    @property
    def table(self) -> Parameter | None:
        return next((source for source in self.step.sources if isinstance(source, Parameter)), None)

    @property
    def formula(self) -> str:
        if self.table is None:
            return ""
        rows, width = self.table.value.shape
        return rf"E:\ {rows} \times {width}"

    @property
    def sentence(self) -> str:
        if self.table is None:
            return ""
        rows, width = self.table.value.shape
        size = f"{rows:,} rows of {counted(width, 'number')}"
        return f"{self._begins()}Each word has a number, its id, which picks a row of the table: {size}."

    def _begins(self) -> str:
        """What a decoder reads is its own output, one place later."""
        first = self.ids.labels[-1][0] if self.ids is not None else ""
        if self.step.site.part != "decoder" or quoted(first) != first:
            return ""
        return f"What has been written so far, shifted right by {first}: each row is to say the next word. "

    def places(self, positions: Step) -> tuple[str, ...]:
        """The number of each position."""
        start = positions.params.get("start", 0)
        at = positions.params.get("at", [start, 0])
        first = at if isinstance(at, int) else at[0]
        return tuple(str(first + i) for i in range(positions.value.shape[-2]))

    def width(self, board: Board) -> float:
        return self._words(board) + (NUMBER + WAY + TABLE) * board.size if self.ids is not None else 0.0

    def gap(self, board: Board) -> float:
        """Between the table and its rows."""
        return WAY * board.size if self.ids is not None else 0.0

    def draw(self, board: Board, room: Area, first: Plate) -> None:
        """Words and numbers in the rows of the first vectors; the table as high as the page."""
        ids, table = self.ids, self.table
        if ids is None or table is None:
            return
        pitch = first.area.height / max(len(ids.value), 1)
        size = board.size
        words, numbers = self._words(board), NUMBER * size
        frame = Area(room.right - TABLE * size, room.y + 2 * size, TABLE * size, room.height - 4.2 * size)
        self._names(board, ids, Area(room.x, first.area.y, words, first.area.height), pitch)
        self._numbers(board, ids, Area(room.x + words, first.area.y, numbers, first.area.height), pitch)
        board.spot(ids, Area(room.x, first.area.y, words + numbers, first.area.height))
        self._table(board, table, frame)
        self._ways(board, ids, table, frame, room.x + words + numbers, first, pitch)

    def _words(self, board: Board) -> float:
        labels = self.ids.labels[-1] if self.ids is not None else ()
        widest = max((fonts.width(label, board.size * 1.1) for label in labels), default=0.0)
        return min(widest, WORD * board.size) + board.size * 1.4

    def _names(self, board: Board, ids: Step, area: Area, pitch: float) -> None:
        size, marks = self._letters(board, pitch), list[Mark]()
        high = min(pitch * 0.86, size * 2.2)
        for i in self._shown(ids, board, pitch):
            y = area.y + (i + 0.5) * pitch
            label = fonts.elided(ids.labels[-1][i], size * 1.1, area.width - size)
            fill = mixed(board.theme.accent, board.theme.panel, 0.1)
            marks.append(Box(area.x, y - high / 2, area.width, high, fill, board.theme.line, radius=size * 0.4))
            marks.append(Text(area.centre[0], y + size * 1.1 * MIDDLE, label, size * 1.1, board.theme.text, "middle"))
        board.add(ids.name, *marks)
        board.write(area.centre[0], area.bottom + board.size * 1.6, "word", board.theme.muted, "middle")

    def _numbers(self, board: Board, ids: Step, area: Area, pitch: float) -> None:
        size = self._letters(board, pitch)
        marks = [
            Text(
                area.right - size * 0.4,
                area.y + (i + 0.5) * pitch + size * MIDDLE,
                str(ids.value[i]),
                size,
                board.theme.muted,
                "end",
            )
            for i in self._shown(ids, board, pitch)
        ]
        board.add(f"numbers of {ids.name}", *(marks if board.computed(ids) else ()))
        board.write(area.right - size * 0.4, area.bottom + board.size * 1.6, "id", board.theme.muted, "end")

    def _letters(self, board: Board, pitch: float) -> float:
        """The size of words and numbers: smaller where there are many, so that none need be left out."""
        return label_size(board.size, pitch / ROW)

    def _shown(self, ids: Step, board: Board, pitch: float) -> list[int]:
        return label_places(len(ids.value), pitch, self._letters(board, pitch) * ROW - 1e-6)

    def _table(self, board: Board, table: Parameter, frame: Area) -> None:
        """Its frame; only the rows that are picked are drawn."""
        fill = mixed(board.theme.muted, board.theme.panel, 0.08)
        board.add(table.name, Box(*frame, fill, board.theme.line), *self._rows(board, table, frame))
        rows, width = table.value.shape
        board.caption(
            table, frame.x, frame.bottom + board.size * 1.6, frame.width + board.size, "table", f"{rows:,}×{width}"
        )

    def _tops(self, board: Board, frame: Area) -> dict[int, float]:
        """Where each row that is picked is: by its number, but never on the row above."""
        assert self.ids is not None
        assert self.table is not None
        high = self._thickness(board, frame)
        tops: dict[int, float] = {}
        free = frame.y
        picked = sorted(set(self.ids.value.tolist()))
        for n, i in enumerate(picked):
            last = frame.bottom - high * (len(picked) - n)
            tops[i] = min(max(frame.y + i / len(self.table.value) * frame.height, free), last)
            free = tops[i] + high
        return tops

    def _thickness(self, board: Board, frame: Area) -> float:
        assert self.table is not None
        assert self.ids is not None
        count = len(set(self.ids.value.tolist()))
        return max(frame.height / len(self.table.value), min(board.size * THINNEST, frame.height / count))

    def _rows(self, board: Board, table: Parameter, frame: Area) -> list[Mark]:
        high = self._thickness(board, frame)
        return [
            learned_row(table, i, Area(frame.x, y, frame.width, high), board.style)
            for i, y in self._tops(board, frame).items()
        ]

    def _ways(
        self, board: Board, ids: Step, table: Parameter, frame: Area, left: float, first: Plate, pitch: float
    ) -> None:
        """From each number to its row, and from the row to the token's vector."""
        if len(ids.value) > MOST_WAYS:
            return
        tops, half, ink = self._tops(board, frame), self._thickness(board, frame) / 2, board.ink(self.step)
        for i, n in enumerate(ids.value.tolist()):
            y, level = first.area.y + (i + 0.5) * pitch, tops[n] + half
            board.add("ways", Line(left, y, frame.x, level, ink, board.size * 0.07))
            way = Arrow(
                ((frame.right, level), (first.area.x, y)),
                ink,
                board.size * 0.07,
                board.size * 0.45,
                table.name,
                self.step.name,
            )
            board.add(f"{self.step.name} reads {table.name}", way)
