"""A softmax opened up: one row of scores on its way to probabilities, at any temperature."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from txviz import ops
from txviz.analysis.ranking import first_places
from txviz.figures.marks import Figure
from txviz.figures.naming import asked, quoted
from txviz.figures.numerals import decimal
from txviz.figures.place import full_place
from txviz.figures.scene import Scene
from txviz.figures.style import Style
from txviz.figures.views import nearest
from txviz.figures.views.bars import Bars, Column, Table, rows_that_fit
from txviz.figures.views.page import Page
from txviz.ops import Array, Index
from txviz.ops.arithmetic import number
from txviz.trace import Step, Trace
from txviz.trace.standing import Standing

MOST = nearest.MANY
"""This many entries are shown, where there is room for them."""


class Row(NamedTuple):
    """One row of a softmax at one temperature, made by the same operation as the step itself."""

    labels: tuple[str, ...]
    scores: Array
    parts: dict[str, Array]
    temperature: float
    most: int
    """Of more entries than this, the most probable are shown."""

    only: tuple[int, ...] | None = None
    """Those that somebody looked for, in place of the most probable."""

    @property
    def order(self) -> Array:
        """The entries that are shown: all in their order, or the most probable first."""
        if self.only is not None:
            return np.array(self.only[: self.most], dtype=int)
        count = len(self.scores)
        if count <= self.most:
            return np.arange(count)
        return first_places(self.parts["probabilities"], self.most)

    @property
    def note(self) -> str:
        """How it is made, in words."""
        if self.temperature == 1:
            return "Each score less the largest, exponentiated, and divided by the sum."
        return f"What if the scores were divided by {self.temperature:.2f}? Ticks: what the model computed."

    def table(self, recorded: Array) -> Table:
        """``recorded``: the row as the model computed it, to compare with."""
        order, changed = self.order, self.temperature != 1
        scores, shifted, exponentials, p = (
            part[order]
            for part in (self.scores, self.parts["shifted"], self.parts["exponentials"], self.parts["probabilities"])
        )
        hidden, total = len(self.scores) - len(order), float(self.parts["sum"][0])
        more = decimal(max(0.0, total - float(exponentials.sum())), 3) if hidden else ""
        rest = decimal(max(0.0, 1 - float(p.sum())), 3) if hidden else ""
        columns: tuple[Column, ...] = (
            Column("x÷T" if changed else "x", scores, *_ends(scores), 2, decimal(self.maximum, 2)),
            Column("x−max", shifted, *_ends(shifted), 2),
            Column("exp", exponentials, 0.0, 1.0, 3, decimal(total, 2 if total >= 10 else 3), more),
            Column(
                "p",
                p,
                0.0,
                1.0,
                3,
                "1" if self.parts["probabilities"].any() else "0",
                rest,
                recorded[order] if changed else None,
            ),
        )
        if self.only is not None:  # ranks need the room of a column that follows from the first
            columns = columns[:1] + columns[2:]
        return Table(tuple(map(self._label, order.tolist())), columns, hidden, "max, sum")

    def _label(self, entry: int) -> str:
        """With its rank, where it was looked for."""
        if self.only is None:
            return self.labels[entry]
        p = self.parts["probabilities"]
        return f"{int((p > p[entry]).sum()) + 1:,}. {self.labels[entry]}"

    @property
    def maximum(self) -> float:
        return float(self.parts["maximum"][0])


def row_of(
    softmax: Step, at: Index, temperature: float = 1.0, most: int = MOST, only: tuple[int, ...] | None = None
) -> Row:
    """The row at this index of all axes but the last."""
    scores = softmax.operands[0][at]
    cooled = scores if temperature == 1 else scores / temperature
    return Row(softmax.labels[-1], cooled, ops.softmax.parts(cooled), temperature, most, only)


def in_words(found: Standing, count: int) -> str:
    """Where a word stands: “cat”: rank 17 of 50,257, p = 0.0012, score −3.21."""
    rank = f"rank {found.rank:,} of {count:,}"
    return f"{quoted(found.label)}: {rank}, p = {number(found.probability)}, score {number(found.score)}."


def heading(softmax: Step, place: Index) -> str:
    """The step, and the head where there are several."""
    where = softmax.title
    if place and softmax.value.shape[-3] > 1:
        where += f" · {softmax.axes[-3]} {softmax.labels[-3][place[-1]]}"
    return where


def _ends(values: Array) -> tuple[float, float]:
    finite = values[np.isfinite(values)]
    return float(finite.min(initial=0.0)), float(finite.max(initial=0.0))


def softmax(
    trace: Trace,
    step: Step,
    place: Index = (),
    width: float = 900,
    height: float = 520,
    style: Style | None = None,
    *,
    row: int | None = None,
    temperature: float = 1.0,
    entry: int | None = None,
    only: tuple[int, ...] | None = None,
) -> Figure | None:
    """A row of the softmax that is nearest to the step; the masked word's or the last where none is chosen.

    None where there is no softmax yet.

    ``entry`` is brought out, and ``only`` these are shown, with their ranks.
    """
    found = next(iter(nearest.softmax(trace, step)), None)
    if found is None:
        return None
    page = Page(width, height, style)
    place = full_place(place, found.value.shape[:-2])
    at = (*place, asked(found.labels[-2]) if row is None else row) if found.value.ndim > 1 else ()
    title = heading(found, place)
    page.title(f"{title} · {quoted(found.labels[-2][at[-1]])}" if at else title)
    shown = row_of(found, at, temperature, only=only)
    page.caption(shown.note)
    shown = shown._replace(most=min(MOST, rows_that_fit(page.left.height, page.style.size)))
    order = shown.order.tolist()
    bars = Bars(shown.table(found.value[at]), page.left, page.style)
    page.add("softmax", bars.marks(order.index(entry) if entry in order else None))
    return page.figure()


def draw(scene: Scene) -> Figure | None:
    return softmax(scene.trace, scene.step, scene.place, *scene.page)
