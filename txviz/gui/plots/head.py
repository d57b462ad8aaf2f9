"""One head shown large: a canvas for each way to draw it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from PySide6.QtCore import Signal
from PySide6.QtGui import QMouseEvent, QResizeEvent

from txviz.figures.marks import Mark
from txviz.figures.theme import Theme
from txviz.figures.views.drawing import Drawing
from txviz.figures.views.heads import NOTHING, Head, Pair
from txviz.figures.views.lines import Lines
from txviz.figures.views.matrix import Matrix
from txviz.figures.views.picture import Picture
from txviz.gui.plots.canvas import PointedCanvas


class HeadDrawing(Protocol):
    """A head as marks, which knows the query and the key at a point."""

    def pair_at(self, x: float, y: float) -> tuple[int, int] | None: ...

    def marks(self, pair: Pair) -> list[Mark]: ...


class HeadView(PointedCanvas):
    """A way to show a head. Subclasses make its drawing."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.head: Head | None = None
        self.pair = NOTHING
        self._drawn: HeadDrawing | None = None

    def show_head(self, head: Head, theme: Theme) -> None:
        self.head, self.theme, self.pair, self._under = head, theme, NOTHING, None
        self.refresh()

    def show_pair(self, pair: Pair) -> None:
        """Marks a cell, the row of a query, or the column of a key."""
        if pair != self.pair:
            self.pair = pair
            self.update()

    def make(self, head: Head) -> HeadDrawing | None:
        """The drawing at the widget's size, where there is something to draw."""
        raise NotImplementedError

    def refresh(self) -> None:
        self._drawn = None
        self.update()

    def marks(self) -> Sequence[Mark]:
        drawing = self.drawing
        return () if drawing is None else drawing.marks(self.pair)

    @property
    def drawing(self) -> HeadDrawing | None:
        """What is drawn, at the widget's size."""
        if self._drawn is None and self.head is not None:
            self._drawn = self.make(self.head)
        return self._drawn

    def thing_at(self, x: float, y: float) -> tuple[int, int] | None:
        """The query and the key."""
        return None if self.drawing is None else self.drawing.pair_at(x, y)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.refresh()


class MatrixView(HeadView):
    def __init__(self) -> None:
        super().__init__("Attention matrix: queries down, keys across")

    def make(self, head: Head) -> Matrix:
        return Matrix(head, self.area, self.style_shown)


class LinesView(HeadView):
    def __init__(self) -> None:
        super().__init__("Attention lines: from each query, left, to the keys it looks at, right")

    def make(self, head: Head) -> Lines:
        return Lines(head, self.area, self.style_shown)


class PictureView(HeadView):
    """A click makes a patch the query; until then it is [CLS], or the first."""

    query_chosen = Signal(int)

    def __init__(self) -> None:
        super().__init__("Attention of one query on the image; click a patch to make it the query")
        self.query = 0
        self.image: Drawing | None = None

    def show_drawing(self, drawing: Drawing | None) -> None:
        self.image = drawing
        self.refresh()

    def show_head(self, head: Head, theme: Theme) -> None:
        self.query = self.query if self.query < len(head.queries) else 0
        super().show_head(head, theme)

    def show_pair(self, pair: Pair) -> None:
        if pair[0] is not None and pair[0] != self.query:
            self.query = pair[0]
            self.refresh()
        super().show_pair(pair)

    def make(self, head: Head) -> Picture | None:
        style = replace(self.style_shown, numbers=True)  # of the one row that is shown
        return None if self.image is None else Picture(head, self.image, self.query, self.area, style)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        drawing, at = self.drawing, event.position()
        query = drawing.query_at(at.x(), at.y()) if isinstance(drawing, Picture) else None
        if query is not None:
            self.query_chosen.emit(query)
