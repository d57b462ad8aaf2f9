"""A feed-forward block on one page: each token on its own is widened, bent and made narrow again.

What is learned stands above what it makes, with the same columns; the rows are those of the tokens, all the way:

            W₁                             W₂
            b₁      the activation         b₂
    x  →  hidden  →   activation    →    output
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from txviz.figures.grid import Grid
from txviz.figures.levels.board import Board, Plate
from txviz.figures.levels.cells import numbers_width
from txviz.figures.levels.composed import composed
from txviz.figures.levels.curve import curve, end_below_0
from txviz.figures.levels.labels import row_label_width
from txviz.figures.levels.picture import NodeScene, Picture
from txviz.figures.levels.titles import matrix_shape, near_name, node_title
from txviz.figures.levels.verbs import verb
from txviz.figures.levels.widths import Wish, share, spread
from txviz.figures.looks import look
from txviz.figures.numerals import percent
from txviz.figures.tensors import result_at
from txviz.figures.views.page import Area
from txviz.trace import Parameter, Step
from txviz.trace.outline import Node

ABOVE, BELOW, GAP = 1.6, 2.2, 2.4
"""The heights of a caption above and below a matrix, and of the room between the bands."""

LARGEST_ROW, UPPER_ROW, COLUMN, BIAS, CURVE = 4.4, 2.6, 6.0, 1.5, 13.0
"""How high a row may be, also one of what is learned, how wide a column, and how high a bias and a curve are."""

LABELS = 7.0
"""The most that the labels of rows take. All these by the size of the text."""

UPPER = 0.5
"""How much of the height goes to what is learned, where there are many tokens."""


def draw(scene: NodeScene) -> Picture:
    board, block = Board(scene), FeedForward(scene.node)
    board.heading(node_title(scene.node), *block.formulas)
    board.sentences(block.sentence(board))
    _Drawing(board, block).draw()
    return board.picture()


@dataclass(frozen=True, eq=False)
class FeedForward:
    node: Node

    @property
    def steps(self) -> tuple[Step, ...]:
        return self.node.steps

    @cached_property
    def source(self) -> Step | None:
        """What the block reads; nothing where its first step was put in by hand."""
        return next((each for each in self.steps[0].sources if isinstance(each, Step)), None)

    @cached_property
    def bend(self) -> Step | None:
        """The activation."""
        return next((step for step in self.steps if look(step).bend), None)

    @property
    def formulas(self) -> list[str]:
        """The block as one formula, and how wide it is on the way."""
        last = self.steps[-1]
        widths = [step.value.shape[-1] for step in (self.source or self.steps[0], self.bend or last, last)]
        sizes = r" \rightarrow ".join(map(str, widths))
        named = r"d \rightarrow d_{\mathrm{ff}} \rightarrow d"
        return [composed(last, self.steps), f"{named}:\\ {sizes}"]

    def sentence(self, board: Board) -> str:
        rows, last = self.steps[-1].value.shape[-2], self.steps[-1]
        said = "Each token on its own: no row looks at another."
        if self.source is not None:
            said += f" It reads {near_name(self.source, last.site)}."
        if self.bend is not None and board.computed(self.bend):
            said += f" {bent(self.bend)}"
        return said if rows > 1 else said.replace("no row looks at another", "here there is only one")


def bent(step: Step) -> str:
    """What the activation did to these very numbers."""
    before = step.sources[0].value if step.sources else step.value
    end, bend, size = end_below_0(step), look(step).bend, f"{step.value.size:,}"
    if end == "0":
        cut = float((step.value == 0).mean())
        done = f"cuts {percent(cut)} of the {size} numbers to 0" if cut else f"lets all {size} numbers pass"
        return f"{bend} {done}."
    below = f"{percent(float((before < 0).mean()))} of the {size} numbers are below 0"
    return f"{below}, and {bend} makes them almost 0." if end else f"{below} before {bend}."


@dataclass(frozen=True, eq=False)
class _Drawing:
    board: Board
    block: FeedForward

    def draw(self) -> None:
        plates = [self._matrix(step) for step in self.row]
        for before, after in pairwise(plates):
            if before.name in after.step.inputs:
                y = before.area.centre[1]
                label = verb(after.step) if after.step.op != "add" or len(after.step.sources) > 1 else ""
                self.board.arrow(before.step, after.step, (before.area.right, y), (after.area.x, y), label=label)
        for step in self.block.steps:
            self._learned(step)
        if self.block.bend is not None:
            curve(self.board, self.block.bend, self._over(self.block.bend))

    @cached_property
    def row(self) -> list[Step]:
        return [step for step in (self.block.source, *self.block.steps) if step]

    @cached_property
    def grids(self) -> dict[str, Grid]:
        return {step.name: result_at(step, ()) for step in self.row}

    @cached_property
    def labels(self) -> float:
        return row_label_width(self.board.style, self.grids[self.row[0].name].row_labels, self.board.size * LABELS)

    @cached_property
    def gaps(self) -> list[float]:
        """Before each matrix."""
        size = self.board.size
        needed = (max(self.board.formula_width(verb(step)) + size * 1.3, size * GAP) for step in self.row[1:])
        return [self.labels, *needed]

    @cached_property
    def widths(self) -> list[float]:
        """All columns are as wide, so that what is wider is seen to be."""
        free = self.board.area.width - sum(self.gaps)
        columns = sum(self.grids[step.name].values.shape[1] for step in self.row)
        column = min(free / columns, COLUMN * self.board.size)
        return share([self._wish(step, column) for step in self.row], free)

    def _wish(self, step: Step, column: float) -> Wish:
        grid, size = self.grids[step.name], self.board.size
        caption, wide = max(self._caption(step), size * 6), grid.values.shape[1] * column
        numbers = numbers_width(self.board.style, grid, self.height / len(grid.row_ids))
        return Wish(max(caption, wide * 0.9), numbers, max(caption, wide * 1.4))

    def _caption(self, step: Step) -> float:
        learned: list[Step | Parameter] = [each for each in step.sources if isinstance(each, Parameter)]
        return max(self.board.caption_width(each) for each in [step, *learned])

    @cached_property
    def lefts(self) -> list[float]:
        return spread(self.board.area.x, self.gaps, self.widths, self.board.area.width)

    @cached_property
    def height(self) -> float:
        """Of the tokens' rows."""
        size, rows = self.board.size, int(self.row[0].value.shape[-2])
        free = self.board.area.height - (ABOVE + GAP + BELOW) * size
        return min(rows * LARGEST_ROW * size, max(free * (1 - UPPER), free - self._above * size))

    @cached_property
    def _above(self) -> float:
        """How much is wanted for what stands above the rows, by the size of the text."""
        learned = [[each.value for each in step.sources if isinstance(each, Parameter)] for step in self.block.steps]
        matrices = (sum(len(v) * UPPER_ROW if v.ndim > 1 else BIAS + ABOVE for v in values) for values in learned)
        return max(CURVE if self.block.bend is not None else 0.0, *matrices)

    def _at(self, step: Step) -> Area:
        i = self.row.index(step)
        top = self.board.area.bottom - BELOW * self.board.size - self.height
        return Area(self.lefts[i], top, self.widths[i], self.height)

    def _over(self, step: Step) -> Area:
        """The room above a matrix, below the caption of what stands there."""
        place, size = self._at(step), self.board.size
        top = self.board.area.y + ABOVE * size
        return Area(place.x, top, place.width, place.y - GAP * size - top)

    def _matrix(self, step: Step) -> Plate:
        board, area = self.board, self._at(step)
        rows = self.labels if step is self.row[0] else 0.0
        plate = board.plate(step, self.grids[step.name], area, rows=rows, apart=True)
        board.caption(step, area.x, area.bottom + board.size * 1.5, area.width + board.size)
        return plate

    def _learned(self, step: Step) -> None:
        """Weight and bias, from the top down, and how they get into the step."""
        board, size, room = self.board, self.board.size, self._over(step)
        learned = [(k, each) for k, each in enumerate(step.sources) if isinstance(each, Parameter)]
        bottom = room.bottom
        for k, each in reversed(learned):
            vector = each.value.ndim == 1
            most = bottom - room.y
            high = BIAS * size if vector else min(most, each.value.shape[0] * UPPER_ROW * size)
            area = Area(room.x, bottom - high, room.width, high)
            board.parameter(step, k, area)
            board.caption(each, area.x, area.y - size * 0.5, area.width + size, shape=matrix_shape(each))
            bottom = area.y - ABOVE * size
        if learned:
            x = room.centre[0]
            board.feed(learned[-1][1], step, (x, room.bottom), (x, self._at(step).y))
