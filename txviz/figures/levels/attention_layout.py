"""Where everything goes in the picture of an attention block.

Matrices that are multiplied stand at the left of the product and above it, so that a row and a column of them meet in
the cell that they make. From left to right the rows are those of the queries:

    x      Kᵀ              mask               V
    Q    scores → scaled → masked → weights   context
    all heads, small                          merged → output
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

from txviz.figures.grid import Grid
from txviz.figures.levels.attention_steps import AttentionSteps
from txviz.figures.levels.board import Board
from txviz.figures.levels.cells import numbers_width
from txviz.figures.levels.labels import column_label_height, row_label_width
from txviz.figures.levels.titles import near_name, short_name
from txviz.figures.levels.verbs import verb
from txviz.figures.levels.widths import Wish, share, spread
from txviz.figures.tensors import result_at
from txviz.figures.views.page import Area
from txviz.ops import Index
from txviz.trace import Step

ABOVE, BELOW, GAP, BUS = 1.6, 2.0, 2.8, 1.8
"""The heights of a caption above and below a matrix, of the room between the bands, and of the line to the values."""

ROW, LARGEST_ROW, LONELY_ROW, COLUMN = 2.2, 4.0, 16.0, 5.4
"""How high a row should be and may be, also where nothing stands above it, and how wide a column may be."""

UPPER_ROW, LARGEST_UPPER_ROW = 1.7, 2.6
"""The same for the rows of matrices in the upper band."""

LABELS, KEY_LABELS = 6.5, 4.5
"""The most that the labels of rows take of the width, and those of columns of the height."""

HEAD, MORE_HEAD = 9.0, 5.0
"""The height of the small heads, and by how much they may be higher. All these by the size of the text."""

HEAD_SHARE, KEY_SHARE = 0.24, 0.12
"""The most that the small heads and the labels of keys take of the height, where it is short."""

SHORT = ".1f"
"""How scores are written where there is little room."""


class Bands(NamedTuple):
    """The heights of the matrices above, of those in the row, and of the small heads."""

    above: float
    row: float
    below: float


@dataclass(frozen=True, eq=False)
class AttentionLayout:
    board: Board
    steps: AttentionSteps
    place: Index
    """Of the head that is large."""

    _grids: dict[str, Grid] = field(default_factory=dict)

    @cached_property
    def row(self) -> list[Step]:
        """The steps that stand side by side, in the middle."""
        steps = self.steps
        after = (steps.context, *(() if self.many else (steps.merged, steps.output)))
        return [step for step in (steps.query, *steps.chain, *after) if step]

    @property
    def many(self) -> bool:
        """Whether there are heads to show together."""
        return self.steps.heads > 1

    @cached_property
    def origins(self) -> list[Step]:
        """What the block read, from the top down: what answers, and what asks."""
        if self.steps.query is None:
            return []
        found = (self.steps.answering if self.steps.crosses else None, self.steps.asking)
        return [step for step in found if step is not None]

    def at(self, step: Step) -> Area:
        """Where a step of the row is."""
        i = self.row.index(step)
        return Area(self._lefts[i], self.top, self._widths[i], self.bands.row)

    def over(self, step: Step, rows: int) -> Area:
        """Where a matrix of so many rows is above a step of the row."""
        place, size = self.at(step), self.board.size
        most = LARGEST_UPPER_ROW if rows * UPPER_ROW * size < self.bands.above else UPPER_ROW
        high = min(self.bands.above, rows * most * size)
        return Area(place.x, place.y - GAP * size - high, place.width, high)

    @property
    def below(self) -> Area:
        """Where the small heads are, and what becomes of them."""
        area = self.board.area
        top = self.top + self.bands.row + (BELOW + GAP) * self.board.size
        return Area(area.x, top, area.width, self.bands.below)

    @property
    def top(self) -> float:
        """Of the row."""
        return self.board.area.y + self._head(self.key_labels) + self.bands.above

    def gap(self, step: Step) -> float:
        """Before a step of the row."""
        return self._gaps[self.row.index(step)]

    def grid(self, step: Step) -> Grid:
        """The matrix of a step that is shown large."""
        found = self._whole(step)
        return replace(found, form=SHORT) if step.name in self._shortened else found

    def _whole(self, step: Step) -> Grid:
        """The same with as many decimals as the step has elsewhere."""
        if step.name not in self._grids:
            self._grids[step.name] = result_at(step, self.place)
        return self._grids[step.name]

    @cached_property
    def _shortened(self) -> frozenset[str]:
        """The scores have one decimal where more would leave some of them without any numbers, and they can do with
        one: all of them, since they are to be compared."""
        scores = [step for step in self.steps.chain if step is not self.steps.weights]
        wishes = [self._wish(step, self._whole(step)) for step in self.row]
        wanted = sum(
            max(w.least, w.numbers) if s in self.steps.chain else w.least for s, w in zip(self.row, wishes, strict=True)
        )
        if wanted <= self._free or not all(_can_be_short(self._whole(step)) for step in scores):
            return frozenset()
        return frozenset(step.name for step in scores)

    @property
    def _free(self) -> float:
        """The width that the matrices of the row share."""
        return self.board.area.width - sum(self._gaps)

    def operand(self, reader: Step, step: Step) -> Grid:
        """What a product of the row was multiplied with, as it is multiplied."""
        return _turned(self.grid(step)) if reader.params.get("transpose") else self.grid(step)

    def head(self, head: int) -> Grid:
        """The weights of one of the heads."""
        weights, place = self.steps.weights, (*self.place[:-1], head)
        return replace(self.grid(weights), values=weights.value[place], place=place)

    def called(self, step: Step) -> str:
        """What another part of the model gives is called so; all else by its name inside its block."""
        here = self.steps.weights.site
        if step is self.steps.answering and self.steps.crosses and step.site.part != here.part:
            return f"{step.site.part}'s output"
        return near_name(step, here) if step in self.origins else short_name(step)

    def learned(self, step: Step) -> str:
        """How queries, keys or values were made from what was read, in LaTeX; those of an earlier time are kept."""
        made = self.steps.projection(step)
        return verb(made) if made else r"\mathrm{kept}"

    @cached_property
    def labels(self) -> float:
        """The room for the labels of rows, at the left."""
        shown = [self._whole(step).row_labels for step in (self.row[0], *self.origins)]
        return max(row_label_width(self.board.style, labels, self.board.size * LABELS) for labels in shown)

    @cached_property
    def key_labels(self) -> float:
        """The room for the labels of keys, above the scores."""
        names, wide = self.grid(self.steps.weights).column_labels, self._widths[self.row.index(self.steps.weights)]
        return column_label_height(self.board.style, names, wide, self._most_key_labels)

    @cached_property
    def bands(self) -> Bands:
        return self._bands(self.key_labels)

    def _bands(self, key_labels: float) -> Bands:
        """As high as their rows should be; what is left over makes them higher, what is missing lower."""
        size, queries = self.board.size, self.steps.weights.value.shape[-2]
        feet = BELOW * size + ((GAP + BELOW) * size if self.many else 0.0)
        free = self.board.area.height - self._head(key_labels) - feet
        below = min(free * HEAD_SHARE, size * HEAD) if self.many else 0.0
        wanted_above, wanted_row = self._highest * UPPER_ROW * size, queries * ROW * size
        row = min(wanted_row, max((free - below) * 0.5, free - below - wanted_above), free - below - self._masks * size)
        above = min(wanted_above, free - below - row)
        below += min(free - below - row - above, MORE_HEAD * size) if self.many else 0.0
        row = max(row, min(free - below - above, queries * (LARGEST_ROW if self._highest else LONELY_ROW) * size))
        above = max(above, min(free - below - row, self._highest * LARGEST_UPPER_ROW * size))
        return Bands(above, row, below)

    def _head(self, key_labels: float) -> float:
        """From the top of the page to the matrices above the row, and from those to the row."""
        size = self.board.size
        bus = BUS if self.steps.value is not None and self.origins else 0.0
        return key_labels + ((ABOVE + GAP + bus) * size if self._highest else 0.0)

    @cached_property
    def _highest(self) -> int:
        """How many rows the highest matrix above the row has."""
        steps = self.steps
        rows = [steps.key.value.shape[-1]] if steps.key else []
        added = (each for several in steps.added.values() for each in several)
        return max([*rows, *(step.value.shape[-2] for step in (steps.value, *added) if step)], default=0)

    @property
    def _masks(self) -> float:
        """What masks need at least, one above the other, by the size of the text."""
        most = max(map(len, self.steps.added.values()), default=0)
        return most * (ABOVE + 0.8) - ABOVE if most else 0.0

    @cached_property
    def _gaps(self) -> list[float]:
        size, board, steps = self.board.size, self.board, self.steps
        gaps = [self.labels]
        for step in self.row[1:]:
            gap = max(size * GAP, board.formula_width(verb(step)) + size)
            if step is steps.scores and steps.key is not None:
                gap = max(gap, board.formula_width(self.learned(steps.key)) + size * 2)
            if step is steps.context and steps.value is not None:
                names = self._whole(steps.value).row_labels
                gap = max(gap, row_label_width(board.style, names, size * LABELS) + size * 0.6)
            gaps.append(gap)
        return gaps

    @cached_property
    def _widths(self) -> list[float]:
        return share([self._wish(step, self.grid(step)) for step in self.row], self._free)

    @cached_property
    def _lefts(self) -> list[float]:
        return spread(self.board.area.x, self._gaps, self._widths, self.board.area.width)

    def _wish(self, step: Step, grid: Grid) -> Wish:
        """Captions fit, those of the matrices above, too; there is no need for the width of numbers in low rows."""
        size, board = self.board.size, self.board
        captions = (board.caption_width(each, self.called(each)) for each in (step, *self._above(step)))
        least = max(size * 7, *captions) + (size if step is self.steps.context else 0.0)
        most = grid.values.shape[1] * COLUMN * size
        numbers = numbers_width(board.style, grid, self._lowest_row)
        return Wish(least, numbers, most, self._rank(step))

    @cached_property
    def _lowest_row(self) -> float:
        """How high a row of the scores is at least: where the labels of keys take as much as they may."""
        return self._bands(self._most_key_labels).row / len(self._whole(self.steps.weights).row_ids)

    @property
    def _most_key_labels(self) -> float:
        return min(self.board.size * KEY_LABELS, self.board.area.height * KEY_SHARE)

    def _above(self, step: Step) -> list[Step]:
        """What stands above a step of the row."""
        steps = self.steps
        found = [steps.key] if step is steps.scores else [steps.value] if step is steps.context else []
        found += self.origins if step is steps.query else steps.added.get(step.name, ())
        return [each for each in found if each is not None]

    def _rank(self, step: Step) -> int:
        """Weights are to be read first, then scores, then what was done to them; of features the pattern will do."""
        chain = self.steps.chain
        if step not in chain:
            return len(chain)
        return 0 if step is self.steps.weights else 1 if step is chain[0] else len(chain) - chain.index(step)


def _can_be_short(grid: Grid) -> bool:
    """Whether its largest numbers say enough with one decimal."""
    return grid.form == ".2f" and grid.extent.limit >= 1


def _turned(grid: Grid) -> Grid:
    """Rows for columns."""
    return replace(
        grid,
        values=grid.values.T,
        row_labels=grid.column_labels,
        column_labels=grid.row_labels,
        row_ids=grid.column_ids,
        column_ids=grid.row_ids,
        turned=True,
    )
