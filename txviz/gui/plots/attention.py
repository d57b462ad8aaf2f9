"""Attention: all heads small, one large, as a matrix, as lines between tokens, or on the image."""

from __future__ import annotations

import numpy as np
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QStackedWidget, QVBoxLayout

from txviz.figures.marks import Figure
from txviz.figures.place import full_place
from txviz.figures.style import Style
from txviz.figures.theme import Theme
from txviz.figures.views import nearest
from txviz.figures.views.attention import Mode, attention, head_of, heading, shown_step
from txviz.figures.views.drawing import find_drawing
from txviz.figures.views.heads import AXES, NOTHING, Head, Pair, pair_of
from txviz.gui.plots.controls import caption, stack, toggle
from txviz.gui.plots.head import HeadView, LinesView, MatrixView, PictureView
from txviz.gui.plots.plot import Plot
from txviz.gui.plots.strip import HeadStrip
from txviz.ops import Array, Index
from txviz.trace import Step, Trace

MODES: tuple[Mode, ...] = ("matrix", "lines", "picture")
MATRIX, LINES, PICTURE = range(3)
ROOMY = 260
"""From this height on there is room for the small heads as well."""


class Attention(Plot):
    title = "Attention"
    comes = "with the first attention weights; on an image, with the first scores."

    def __init__(self) -> None:
        super().__init__()
        self.heading, self.reading = caption("What is shown"), caption("The weight under the pointer")
        self.strip, self.matrix, self.lines, self.picture = HeadStrip(), MatrixView(), LinesView(), PictureView()
        self._step: Step | None = None
        self._weights: Step | None = None
        """What is shown: weights, or on the image scores."""
        self._whole = False
        """Whether all of it was shown: a fault on the way leaves it to the next time."""
        self._wanted = MATRIX
        """The mode that was chosen; where there are no weights yet, only the image can be shown."""
        self._trace: Trace | None = None
        self._theme: Theme | None = None
        self._place: Index = ()
        self._build()
        self.strip.chosen.connect(self._choose_head)
        self.picture.query_chosen.connect(lambda query: self._mark((query, None)))
        for view in self._views:
            view.pointed.connect(self._point)

    @classmethod
    def steps(cls, trace: Trace, step: Step) -> tuple[Step, ...]:
        return nearest.weights(trace, step) or nearest.on_image(trace, step)

    @property
    def head(self) -> Head | None:
        """What is shown large."""
        return self.matrix.head

    def show_step(self, trace: Trace, step: Step, place: Index, theme: Theme) -> None:
        if trace is not self._trace:
            self._show_drawing(trace)
        self._trace, self._step = trace, step
        keeps = "head" not in step.axes  # a step without heads says nothing about which one is looked at
        self._show_attention(trace, step, self._place if keeps else place, theme)

    def forget(self) -> None:
        self._trace = self._step = self._weights = None

    def show_cell(self, index: Index | None) -> None:
        if self._step is not None and self._weights is not None:
            self._mark(pair_of(self._step, index, self._weights))

    def figure(self, width: float, height: float, style: Style) -> Figure | None:
        if self._trace is None or self._step is None:
            return None
        mode, pair, query = MODES[self._stack.currentIndex()], self.matrix.pair, self.picture.query
        return attention(self._trace, self._step, self._place, width, height, style, mode=mode, pair=pair, query=query)

    def show_mode(self, mode: int) -> None:
        """MATRIX, LINES or PICTURE."""
        self._wanted = mode
        self._turn_to(mode)
        if self._trace is not None and self._step is not None and self._theme is not None:
            self._show_attention(self._trace, self._step, self._place, self._theme)

    def _turn_to(self, mode: int) -> None:
        self.buttons.button(mode).setChecked(True)
        self._stack.setCurrentIndex(mode)

    def _show_attention(self, trace: Trace, step: Step, place: Index, theme: Theme) -> None:
        """In the mode that was chosen, or in one that there is something for."""
        known = bool(nearest.weights(trace, step))
        for mode in (MATRIX, LINES):
            self.buttons.button(mode).setEnabled(known)
        self._turn_to(self._mode(known))
        weights = shown_step(trace, step, MODES[self._stack.currentIndex()])
        if weights is None:
            return
        fresh = not self._whole or weights is not self._weights or theme is not self._theme
        self._weights, self._theme, self._whole = weights, theme, False
        if fresh:
            self._show_extras()
            limit = head_of(weights, full_place(place, weights.value.shape[:-2])).limit
            self.strip.show_heads(self._heads(weights, place), weights.labels[-3], limit, theme)
        if fresh or full_place(place, weights.value.shape[:-2]) != self._place:
            self._show_place(place)
        else:
            self._mark(NOTHING)
            for view in self._views:
                view.let_go()
        self._whole = True

    def _mode(self, known: bool) -> int:
        """The mode that was chosen, unless it needs weights before they are known, or an image where there is none."""
        if not known:
            return PICTURE
        return MATRIX if self._wanted == PICTURE and self.picture.image is None else self._wanted

    @property
    def _views(self) -> tuple[HeadView, ...]:
        return self.matrix, self.lines, self.picture

    def _build(self) -> None:
        self.buttons = QButtonGroup(self)
        bar = QHBoxLayout()
        bar.setSpacing(2)
        for mode, text in enumerate(("Matrix", "Lines", "On the image")):
            button = toggle(text, f"Show attention: {text.lower()}")
            self.buttons.addButton(button, mode)
            bar.addWidget(button)
        bar.addStretch()
        self.buttons.idClicked.connect(self.show_mode)
        self._stack = QStackedWidget()
        for view in self._views:
            self._stack.addWidget(view)
        card = QVBoxLayout()
        card.setSpacing(0)
        card.addWidget(self.strip)
        card.addWidget(self._stack, 1)
        stack(self, self.heading, bar, card, self.reading, grows=2)
        self.show_mode(MATRIX)

    def _show_extras(self) -> None:
        """A single head needs no choice; in little room the large head has all of it."""
        roomy = self.height() >= ROOMY
        self.heading.setVisible(roomy)
        self.strip.setVisible(roomy and self._weights is not None and self._weights.value.shape[-3] > 1)

    def _show_drawing(self, trace: Trace) -> None:
        drawing = find_drawing(trace)
        self.picture.show_drawing(drawing)
        self.buttons.button(PICTURE).setVisible(drawing is not None)

    def _heads(self, weights: Step, place: Index) -> Array:  # -> (heads,queries,keys)
        return np.asarray(weights.value[full_place(place, weights.value.shape[:-2])[:-1]])

    def _show_place(self, place: Index) -> None:
        if self._weights is None or self._theme is None:
            return
        weights = self._weights
        self._place = full_place(place, weights.value.shape[:-2])
        head = head_of(weights, self._place)
        for view in self._views:
            view.show_head(head, self._theme)
        self.strip.show_current(self._place[-1])
        self.heading.setText(heading(weights, self._place))
        self._mark(NOTHING)

    def _mark(self, pair: Pair) -> None:
        for view in self._views:
            view.show_pair(pair)
        if self.head is not None:
            on_image = self._stack.currentIndex() == PICTURE and pair == NOTHING
            self.reading.setText(self.head.sentence((self.picture.query, None) if on_image else pair))

    def _point(self, pair: tuple[int, int] | None) -> None:
        """Shows the pair at once, and asks for its cell where the step has one."""
        self._mark(NOTHING if pair is None else pair)
        if self._shares_cells:
            self.cell_requested.emit(None if pair is None else (*self._place, *pair))

    @property
    def _shares_cells(self) -> bool:
        """Whether the step that is open has a cell for each of the weights."""
        step, weights = self._step, self._weights
        if step is None or weights is None or step.axes[-3:] != AXES:
            return False
        return step.site._replace(leaf=weights.site.leaf) == weights.site

    def _choose_head(self, head: int) -> None:
        place = (*self._place[:-1], head)
        if self._step is not None and "head" not in self._step.axes:
            self._show_place(place)
        self.place_requested.emit(place)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.strip.give_room(self.height() / 10)
        self._show_extras()
