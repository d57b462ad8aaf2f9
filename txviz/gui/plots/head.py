"""One head's attention weights, and what every view of them shares."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QEvent, QPointF, Signal
from PySide6.QtGui import QMouseEvent

from txviz.figures.theme import Theme
from txviz.gui.plots.canvas import Canvas, percent
from txviz.ops import Array

Pair = tuple[int | None, int | None]
"""A query and a key; None where any is meant."""

NOTHING: Pair = (None, None)


class Head(NamedTuple):
    weights: Array  # (queries,keys)
    queries: tuple[str, ...]
    keys: tuple[str, ...]
    limit: float
    """The largest weight of all heads: the end of the colour scale."""

    def sentence(self, pair: Pair) -> str:
        """The pair in words: “cat” → “sat”: 37 %."""
        query, key = pair
        if query is None and key is None:
            return f"Colours: 0 to {percent(self.limit)}. Point at a cell."
        if query is not None and key is not None:
            return f"“{self.queries[query]}” → “{self.keys[key]}”: {percent(self.weights[query, key])}"
        if query is not None:
            best = int(self.weights[query].argmax())
            share = percent(self.weights[query, best])
            return f"“{self.queries[query]}” looks most at “{self.keys[best]}”: {share}"
        return self._looked_at(key or 0)

    def _looked_at(self, key: int) -> str:
        best = int(self.weights[:, key].argmax())
        share = percent(self.weights[best, key])
        return f"“{self.keys[key]}” is looked at most by “{self.queries[best]}”: {share}"


class HeadView(Canvas):
    """A way to show a head. Subclasses draw it, and say which query and key a point of it belongs to."""

    pointed = Signal(object)
    """The (query, key) under the pointer, or None."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.head: Head | None = None
        self.pair = NOTHING
        self._under: tuple[int, int] | None = None

    def show_head(self, head: Head, theme: Theme) -> None:
        self.head, self.theme, self.pair, self._under = head, theme, NOTHING, None
        self.update()

    def show_pair(self, pair: Pair) -> None:
        """Marks a cell, the row of a query, or the column of a key."""
        self.pair = pair
        self.update()

    def pair_at(self, point: QPointF) -> tuple[int, int] | None:
        """The query and the key at this point of the widget."""
        raise NotImplementedError

    def _point(self, pair: tuple[int, int] | None) -> None:
        """Tells where the pointer is, once for each place."""
        if pair != self._under:
            self._under = pair
            self.pointed.emit(pair)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._point(self.pair_at(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        self._point(None)
