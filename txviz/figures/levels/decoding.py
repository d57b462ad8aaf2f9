"""Decoding as a board: a column for each time step, from the tokens so far to the next one, which joins them.

The encoder's output stands at the side and goes into every column; below is where each new token looked.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from txviz.figures import fonts
from txviz.figures.levels.alignment import Alignment
from txviz.figures.levels.beside import GAP, BesideList
from txviz.figures.levels.board import ARROW, Board
from txviz.figures.levels.composed import composed
from txviz.figures.levels.decoding_column import ColumnDrawing, Rows
from txviz.figures.levels.decoding_steps import Column, DecodingSteps
from txviz.figures.levels.labels import row_label_width
from txviz.figures.levels.picture import NodeScene, Picture, Spot
from txviz.figures.marks import Arrow, Box, Text
from txviz.figures.naming import counted
from txviz.figures.style import MARGIN
from txviz.figures.tensors import result_at
from txviz.figures.views.page import LINE, MIDDLE, Area, wrapped
from txviz.trace import Step
from txviz.trace.symbols import symbol

NARROWEST, WIDEST, GUTTER, NARROW = 12.0, 24.0, 1.9, 1.9
"""A column that can be read is so wide; between two of them; and one that shows its token alone."""

MEMORY, WORD = 6.0, 6.0
"""The encoder's output, and the words beside it."""

HIGH = 36.0
"""A page so high has room for a sentence more. All by the size of the text."""

SAMPLED = r"{} = \mathrm{{softmax}}\left( \mathrm{{top}}_p \left( \mathrm{{top}}_k ({} / T) \right) \right)"
"""With the options' letters in place of their numbers."""

BELOW = 0.3
"""The share of the height that the attention below may take."""


def draw(scene: NodeScene) -> Picture:
    steps, board = DecodingSteps(scene.trace, scene.node), Board(scene)
    first = steps.columns[0]
    board.heading("Decoding: one token after the other", *_formulas(first), low=True)
    board.offer(Spot(Area(MARGIN, MARGIN, scene.width / 2, board.size), scene.node.name, _hint(steps)))
    drawing = _Drawing(board, steps, board.area)
    board.sentences(_sentences(board, steps, drawing))
    _Drawing(board, steps, board.area).draw()
    return board.picture()


def _formulas(column: Column) -> list[str]:
    """The same whatever the temperature is: a formula takes long to be set, and a slider moves fast."""
    token = column.choice.get("token")
    if token is not None and "chance" in column.choice:
        return [SAMPLED.format(symbol(column.likely.site), symbol(column.head["last"].site))]
    formulas = [composed(column.likely, (column.likely,))]
    return [*formulas, token.formula] if token is not None and token.op == "argmax" else formulas


def _hint(steps: DecodingSteps) -> str:
    return f"decoding, {counted(len(steps.node.children), 'time step')}"


def _sentences(board: Board, steps: DecodingSteps, drawing: _Drawing) -> str:
    """What is not seen; on a page that is high enough, what is seen, too."""
    said = []
    if board.area.height > HIGH * board.size:
        said.append(
            "Each column is a pass of the decoder over all tokens so far; the last position says what comes next."
        )
        if steps.columns[0].chance is not None:
            said.append(
                "A random number u picks the token into whose share it falls; grey is what it was before sampling."
            )
    if steps.beam:
        said.append("Of the beam, only the path of the winner is shown.")
    last = steps.columns[-1].time
    if steps.ended:
        said.append(f"Time step {last} writes <EOS>, and that is the end.")
    else:
        said.append(f"It stops after time step {last} without <EOS>: the maximum was reached.")
    narrow = len(drawing.shown) - len(drawing.wide)
    if narrow:
        alone = "shows its token" if narrow == 1 else "show their token"
        said.append(f"For want of room, {counted(narrow, 'time step')} {alone} alone.")
    if drawing.left_out:
        said.append(f"{drawing.left_out} more are left out.")
    return " ".join(said)


@dataclass(frozen=True, eq=False)
class _Drawing:
    board: Board
    steps: DecodingSteps
    area: Area

    def draw(self) -> None:
        rows, drawings = self.rows, dict[int, ColumnDrawing]()
        for i, area in self.places.items():
            column = self.steps.columns[i]
            self.board.node_spot(column.at, area)
            if i in self.wide:
                drawings[i] = ColumnDrawing(self.board, column, area, rows)
                drawings[i].draw()
            else:
                self._narrow(column, area)
        for i, drawing in drawings.items():
            if i + 1 in drawings:
                self._append(drawing, drawings[i + 1])
        if self.steps.memory is not None:
            self._memory(self.steps.memory, list(drawings.values()))
        self.alignment.draw()
        if self.board.scene.beside is not None:
            wide = BesideList.width(self.board, self.area.width) - GAP * self.unit
            area = self.alignment.area
            place = Area(self.area.right - wide, area.y, wide, area.height)
            BesideList(self.board, self.board.scene.beside, place).draw()

    # where everything goes

    @property
    def unit(self) -> float:
        return self.board.size

    @cached_property
    def current(self) -> int:
        """The column that the reader is at; the first before decoding and in a file."""
        step = self.board.scene.current
        time = step.site.time if step is not None else None
        return max(0, min((time or 1) - 1, len(self.steps.columns) - 1))

    @cached_property
    def top(self) -> Area:
        """Of the columns and of the encoder's output."""
        return self.area._replace(height=self.area.height - self.alignment.area.height - self.unit * 1.2)

    @cached_property
    def side(self) -> float:
        """The width of the encoder's output with its words, and of the way to the columns."""
        return 0.0 if self.steps.memory is None else self._words + (MEMORY + 2.2) * self.unit

    @property
    def _words(self) -> float:
        memory = self.steps.memory
        assert memory is not None
        return row_label_width(self.board.style, memory.labels[-2], WORD * self.unit)

    @cached_property
    def _counts(self) -> tuple[int, int]:
        """How many columns are wide, and how many are narrow."""
        count, room = len(self.steps.columns), self.area.width - self.side + GUTTER * self.unit
        wide, narrow = (NARROWEST + GUTTER) * self.unit, NARROW * self.unit
        fits = [n for n in range(1, count + 1) if n * wide + (count - n) * narrow <= room]
        if fits:
            return fits[-1], count - fits[-1]
        return 1, max(0, min(count - 1, int((room - wide) / narrow)))

    @cached_property
    def wide(self) -> range:
        """Which columns can be read: those around the current one."""
        count = self._counts[0]
        start = max(0, min(self.current - count // 2, len(self.steps.columns) - count))
        return range(start, start + count)

    @cached_property
    def shown(self) -> range:
        """The wide ones and the narrow ones beside them."""
        wide, narrow = self._counts
        before = max(min(self.wide.start, narrow // 2), narrow - (len(self.steps.columns) - self.wide.stop))
        return range(self.wide.start - before, self.wide.start - before + wide + narrow)

    @property
    def left_out(self) -> int:
        return len(self.steps.columns) - len(self.shown)

    @cached_property
    def places(self) -> dict[int, Area]:
        size, x = self.unit, self.area.x + self.side
        wide, narrow = self._counts
        gutters = wide if narrow else wide - 1
        free = self.area.right - x - narrow * NARROW * size - gutters * GUTTER * size
        across = min(free / wide, WIDEST * size)
        found = {}
        for i in self.shown:
            width = across if i in self.wide else (NARROW - 0.4) * size
            found[i] = Area(x, self.top.y, width, self.top.height)
            x += width + (GUTTER if i in self.wide else 0.4) * size
        return found

    @cached_property
    def rows(self) -> Rows:
        width = self.places[self.wide.start].width
        return Rows.fitting(self.top, width, self.unit, [self.steps.columns[i] for i in self.wide])

    @cached_property
    def alignment(self) -> Alignment:
        page = self.area._replace(width=self.area.width - BesideList.width(self.board, self.area.width))
        most = self.area.height * BELOW
        return Alignment.below(
            self.board, self.steps, page, self.current, min(BesideList.height(self.board), most), most
        )

    # what is drawn there

    def _narrow(self, column: Column, area: Area) -> None:
        """The time step and its token, turned; below the way from the encoder, where there is one."""
        board, size = self.board, self.unit
        top = area.y if self.steps.memory is None else self.rows.vectors
        place = area._replace(y=top, height=area.bottom - top)
        ink = board.tinted(board.theme.text, column.decided)
        forced = " (forced)" if column.forced else ""
        text = fonts.elided(f"{column.time}: {column.word}{forced}", size, place.height - size)
        board.add(
            column.at.name,
            Box(*place, stroke=board.tinted(board.theme.line, column.decided), radius=size * 0.3),
            Text(place.centre[0] + size * MIDDLE, place.y + size * 0.5, text, size, ink, "end", turn=90),
        )

    def _append(self, before: ColumnDrawing, after: ColumnDrawing) -> None:
        """From the token that was chosen to the tokens of the next time step."""
        size, step = self.unit, after.column.read
        (x, y), between = (before.area.right, before.chosen.centre[1]), before.area.right + GUTTER * size * 0.5
        level = after.chips.bottom - size * 1.2
        points = ((x, y), (between, y), (between, level), (after.chips.x, level))
        colour = self.board.tinted(self.board.theme.accent, step)
        line = Arrow(points, colour, size * 0.16, size * ARROW, before.chosen_name, step.name)
        self.board.add(f"{step.name} appends {before.chosen_name}", line)

    def _memory(self, memory: Step, columns: list[ColumnDrawing]) -> None:
        """The encoder's output with its words, and a way from it into every column."""
        board, size, rows = self.board, self.unit, self.rows
        words = self._words
        top = rows.vectors - size * 0.2
        high = min(self.top.bottom - top - size * 3.4, memory.value.shape[-2] * size * 2.4)
        area = Area(self.area.x + words, top, MEMORY * size, high)
        board.plate(memory, result_at(memory, ()), area, rows=words, apart=True)
        board.caption(memory, self.area.x, rows.chips + size * 1.2, self.side - size * 2, "encoder's output")
        said = wrapped("computed once, used again", size, self.side - size * 1.6)
        for i, line in enumerate(said[:3]):
            board.write(self.area.x, area.bottom + size * (1.4 + i * LINE), line, board.ink(memory))
        way = rows.way + size * 0.75
        start = area.x + area.width / 2
        for column in columns:
            x = column.area.x + size * 2
            points = ((start, area.y - size * 0.1), (start, way), (x, way), (x, column.vectors.y - size * 0.1))
            reads = any(
                memory in step.sources for step in column.column.at.steps
            )  # if not, it has kept keys and values
            board.join(memory, column.column.at, *points, verb="reads" if reads else "uses")
