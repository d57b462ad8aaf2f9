"""From the input to what the first layer reads, row by row: what each token or patch is, plus where it stands.

words → numbers → the rows of the table → scaled  +  positions  =  sum
image → patches, flattened → projected → [CLS] first  +  positions  =  sum
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from txviz.figures.grid import Grid
from txviz.figures.levels.board import Board, Plate
from txviz.figures.levels.cells import numbers_width
from txviz.figures.levels.composed import composed
from txviz.figures.levels.labels import row_label_width, row_labels
from txviz.figures.levels.layer_positions import positions_in_layers
from txviz.figures.levels.patch_grid import PatchGrid
from txviz.figures.levels.picture import NodeScene, Picture
from txviz.figures.levels.titles import node_title
from txviz.figures.levels.token_table import TokenTable
from txviz.figures.levels.verbs import verb
from txviz.figures.levels.widths import Wish, share, spread
from txviz.figures.tensors import result_at
from txviz.figures.views.page import Area
from txviz.trace import Parameter, Step, Trace
from txviz.trace.outline import Node
from txviz.trace.symbols import symbol

CAPTION, GAP, SIGN = 2.2, 2.8, 2.4
"""The heights of captions, and the widths of the gaps for arrows and signs."""

ROW, COLUMN, LABELS = 8.0, 8.0, 9.0
"""How high a row may be, how wide a column, and how wide the labels of positions. All these by the size of the text."""


@dataclass(frozen=True, eq=False)
class EmbeddingSteps:
    """The steps of an embedding by what they are for."""

    node: Node

    @property
    def sum(self) -> Step:
        return self.node.steps[-1]

    @cached_property
    def positions(self) -> Step | None:
        """What was added."""
        return next((step for step in self.node.steps if step.site.leaf == "positions"), None)

    @cached_property
    def vectors(self) -> tuple[Step, ...]:
        """From the first vectors to those that the positions are added to; all of them where there are no positions."""
        bare = self.positions is None and self.sum.op in ("lookup", "scale", "linear", "concat")
        last = self.sum if bare else self.sum.sources[0] if self.sum.sources else None
        found: list[Step] = []
        while isinstance(last, Step) and last in self.node.steps:
            found.insert(0, last)
            last = next((source for source in last.sources if isinstance(source, Step)), None)
        kinds = ("lookup", "scale", "linear", "concat", "given")
        return tuple(found) or tuple(step for step in self.node.steps[:-1] if step.op in kinds)[:1]

    @cached_property
    def input(self) -> Step | None:
        """The numbers of the tokens, or the flattened patches."""
        return next((source for source in self.vectors[0].sources if isinstance(source, Step)), None)

    @cached_property
    def others(self) -> tuple[Step, ...]:
        """Whatever else was computed on the way, such as positions by row and by column."""
        shown = (*self.vectors, self.positions, self.sum)
        return tuple(step for step in self.node.steps if step not in shown)

    @property
    def formula(self) -> str:
        return composed(self.sum, self.row)

    @property
    def row(self) -> tuple[Step, ...]:
        """Those that the others lead to."""
        return self.vectors if self.sum in self.vectors else (*self.vectors, self.sum)


def draw(scene: NodeScene) -> Picture:
    steps, board = EmbeddingSteps(scene.node), Board(scene)
    source = _source(scene.trace, steps)
    board.heading(node_title(scene.node), steps.formula, source.formula)
    board.sentences(f"{source.sentence} {_positions(scene.trace, steps)}".strip())
    drawing = _Drawing(board, steps, source)
    drawing.draw()
    return board.picture()


def _source(trace: Trace, steps: EmbeddingSteps) -> TokenTable | PatchGrid:
    """What stands at the left: a drawing cut into patches, or words and their table."""
    cut = next((step for step in trace if step.op == "patchify"), None)
    first = steps.vectors[0]
    return PatchGrid(first, cut) if first.op == "linear" and cut is not None else TokenTable(first)


def _positions(trace: Trace, steps: EmbeddingSteps) -> str:
    inside = positions_in_layers(trace)
    if steps.positions is None and inside is not None:
        return f"No positions are added here: {inside.said}."
    if steps.positions is None:
        return "No positions are added, so all that follows would be the same in any order."
    made = {step.op for step in (steps.positions, *steps.others)}
    kind = "waves of sines and cosines" if made & {"sinusoid", "sinusoid_2d"} else "learned"
    return f"Positions ({kind}) are added: without them all that follows would be the same in any order."


@dataclass(frozen=True, eq=False)
class _Drawing:
    board: Board
    steps: EmbeddingSteps
    source: TokenTable | PatchGrid

    def draw(self) -> None:
        """The input at the left, then the vectors, one row for each token all the way."""
        plates = {step.name: self._matrix(step) for step in self.row}
        left = Area(self.board.area.x, self.board.area.y, self._left, self.board.area.height)
        first = plates[self.row[0].name]
        self.source.draw(self.board, left, first)
        for before, after in pairwise(self.steps.vectors):
            self._lead(plates[before.name], plates[after.name])
        self._add_cls(plates)
        self._signs(plates)
        self._chips()

    @cached_property
    def row(self) -> list[Step]:
        *vectors, last = self.steps.row
        return [*vectors, *([self.steps.positions] if self.steps.positions else []), last]

    @cached_property
    def grids(self) -> dict[str, Grid]:
        return {step.name: result_at(step, ()) for step in self.row}

    @cached_property
    def count(self) -> int:
        """How many rows there are in the end."""
        return int(self.steps.sum.value.shape[-2])

    @cached_property
    def pitch(self) -> float:
        size = self.board.size
        head = CAPTION * size * (2 if self.steps.others else 1)
        return min(ROW * size, (self.board.area.height - head) / self.count)

    @property
    def _left(self) -> float:
        return self.source.width(self.board)

    @cached_property
    def gaps(self) -> list[float]:
        """Before each matrix of the row."""
        size, gaps = self.board.size, list[float]()
        for i, step in enumerate(self.row):
            if step is self.steps.positions:
                gaps.append(size * SIGN + row_label_width(self.board.style, self.source.places(step), size * LABELS))
            elif step is self.steps.sum and step not in self.steps.vectors:
                gaps.append(size * SIGN)
            else:
                label = self.board.formula_width(verb(step)) + size * 1.2
                gaps.append(max(size * GAP, label) if i else self.source.gap(self.board))
        return gaps

    @cached_property
    def widths(self) -> list[float]:
        free = self.board.area.width - self._left - sum(self.gaps)
        return share([self._wish(step) for step in self.row], free)

    def _wish(self, step: Step) -> Wish:
        size, grid = self.board.size, self.grids[step.name]
        least = max(self.board.caption_width(step), size * 6)
        return Wish(least, numbers_width(self.board.style, grid), grid.values.shape[1] * COLUMN * size)

    @cached_property
    def lefts(self) -> list[float]:
        area, left = self.board.area, self._left
        return spread(area.x + left, self.gaps, self.widths, area.width - left)

    def _at(self, step: Step) -> Area:
        """Rows end in line, so that what is put before the others, such as [CLS], stands above them."""
        i, area, high = self.row.index(step), self.board.area, step.value.shape[-2] * self.pitch
        bottom = area.y + (area.height - CAPTION * self.board.size + self.count * self.pitch) / 2
        return Area(self.lefts[i], bottom - high, self.widths[i], high)

    def _matrix(self, step: Step) -> Plate:
        board, area = self.board, self._at(step)
        grid, size = self.grids[step.name], board.size
        plate = board.plate(step, grid, area, apart=True)
        if step is self.steps.positions and board.style.labels:
            room = self.gaps[self.row.index(step)] - size * SIGN
            board.add("places", *row_labels(board.style, self.source.places(step), area, room))
        board.caption(step, area.x, area.bottom + size * 1.6, area.width + size)
        return plate

    def _lead(self, before: Plate, after: Plate) -> None:
        if before.name in after.step.inputs:
            y = before.area.centre[1]
            label = verb(after.step)
            self.board.arrow(before.step, after.step, (before.area.right, y), (after.area.x, y), label=label)

    def _add_cls(self, plates: dict[str, Plate]) -> None:
        """What is learned and put before the patches stands in its row, and above them."""
        for before, after in pairwise(self.steps.vectors):
            first = after.sources[0] if after.op == "concat" else None
            if isinstance(first, Parameter):
                below, target = plates[before.name].area, plates[after.name].area
                high = first.value.shape[-2] * self.pitch * 0.7
                y = target.y + self.pitch * first.value.shape[-2] * 0.5
                self.board.parameter(after, 0, Area(below.x, y - high / 2, below.width, high))
                self.board.feed(first, after, (below.right, y), (target.x, y))
                name, size = symbol(first.site), self.board.size
                self.board.formula(name, below.x - size * 0.5, y + size * 0.3, self.board.theme.text, "end")

    def _signs(self, plates: dict[str, Plate]) -> None:
        """vectors + positions = sum, each sign where a read is behind it."""
        last, positions, total = self.steps.vectors[-1], self.steps.positions, self.steps.sum
        if positions is not None and positions.name in total.inputs:
            left, right = plates[last.name].area, plates[positions.name].area
            y = plates[total.name].area.centre[1]
            self.board.sign("+", positions, total, left.right + self.board.size * SIGN / 2, y)
            self.board.sign("=", last, total, (right.right + plates[total.name].area.x) / 2, y)

    def _chips(self) -> None:
        """Steps that have no matrix here stand above the positions, by their names."""
        board, size, x = self.board, self.board.size, self.board.area.right
        for step in reversed(self.steps.others):
            x = board.chip(step, x, board.area.y + size * 0.9).x - size * 0.6
