"""Above the stage: which head is shown, what the colours mean, how large the cells are."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QAction, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSlider, QToolButton, QWidget

from txviz.figures.colour_scale import Scale, Span
from txviz.figures.place import leading_axes, leading_labels
from txviz.gui.elided_choice import ElidedChoice
from txviz.gui.keys import leave_keys
from txviz.gui.numbers import NumberBox
from txviz.gui.picture_buttons import PictureButtons
from txviz.gui.plain import plain_label, tip, without_keys
from txviz.gui.session import Session
from txviz.gui.stage_area import StageArea

NARROWEST = 320
"""Pixels with which all controls have a place."""

TIGHT = 460
"""With less, a slider has no name beside it; its tip has."""

WORDS, COMPARE, BRIEFLY = " Drag out", "Compare", "A|B"
SCALES = {"automatic": "auto", "shared by all": "shared", "each tensor": "each", "fixed": "fixed"}


class PlaceSlider(QWidget):
    """Which place of one axis is shown: "head 2" and a slider."""

    def __init__(self) -> None:
        super().__init__()
        self.label, self.slider = plain_label(), QSlider(Qt.Orientation.Horizontal)
        self.slider.setPageStep(1)
        self.slider.setMinimumWidth(40)
        self.slider.setMaximumWidth(110)
        self.label.setBuddy(self.slider)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 16, 0)
        row.addWidget(self.label)
        row.addWidget(self.slider)
        self.keep_room(True)

    def keep_room(self, on: bool) -> None:
        """Also while it is hidden, so that the window is not laid out anew at every other step."""
        kept = self.sizePolicy()
        kept.setRetainSizeWhenHidden(on)
        self.setSizePolicy(kept)

    def show_axis(self, name: str, labels: Sequence[str], place: int) -> None:
        self.slider.blockSignals(True)
        self.slider.setRange(0, len(labels) - 1)
        self.slider.setValue(place)
        self.slider.blockSignals(False)
        if self.slider.accessibleName() != name:
            self.slider.setAccessibleName(name)
            self.slider.setObjectName(name)
            self.slider.setToolTip(tip(f"Which {name} is shown (↑ and ↓)"))
            widest = max(("000", *labels), key=self.label.fontMetrics().horizontalAdvance)
            self.label.setFixedWidth(self.label.fontMetrics().horizontalAdvance(f"{name} {widest}"))
        self.label.setText(without_keys(f"{name} {labels[place]}"))
        self.setVisible(len(labels) > 1)

    def show_no_axis(self) -> None:
        """Whoever drags it just then finds nothing to choose."""
        self.slider.blockSignals(True)
        self.slider.setRange(0, 0)
        self.slider.blockSignals(False)
        self.hide()


class DragHandle(QToolButton):
    """Pulled out of the window, it brings the figure into another program."""

    drag_requested = Signal()

    def __init__(self) -> None:
        super().__init__(autoRaise=True)
        self.show_text(True)
        self.setAccessibleName("Drag the figure into another program")
        self.setToolTip("Drag this into a slide or a document; Ctrl+C does the same by keyboard")
        self.setCursor(Qt.CursorShape.OpenHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def show_text(self, on: bool) -> None:
        self.setText(f"⠿{WORDS}" if on else "⠿")

    @property
    def with_text(self) -> int:
        """How wide it is with its words."""
        missing = 0 if self.text().endswith(WORDS) else self.fontMetrics().horizontalAdvance(WORDS)
        return self.sizeHint().width() + missing

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton and not self.rect().contains(event.position().toPoint()):
            self.setDown(False)
            self.drag_requested.emit()


class CompareButton(QToolButton):
    """Keeps the run as A, or ends that; the arrow at its side has comparisons that are ready made."""

    def __init__(self, action: QAction) -> None:
        super().__init__(autoRaise=True)
        self._action = action
        self.setDefaultAction(action)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.MenuButtonPopup)
        self.setAccessibleName("Compare runs")
        self.show_text(True)

    def show_text(self, on: bool) -> None:
        self._action.setIconText(COMPARE if on else BRIEFLY)

    @property
    def with_text(self) -> int:
        """How wide it is with its words."""
        missing = self.fontMetrics().horizontalAdvance(COMPARE) - self.fontMetrics().horizontalAdvance(self.text())
        return self.sizeHint().width() + max(0, missing)


class StageBar(QWidget):
    def __init__(self, session: Session, area: StageArea, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._area = session, area
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(20, 6, 12, 2)
        self._sliders: list[PlaceSlider] = []
        self._compare: CompareButton | None = None
        self.scale = ElidedChoice()
        self.scale.addItems(list(SCALES))
        self.scale.setAccessibleName("Colour scale")
        self.scale.setToolTip(
            "Where the colours end. Automatic: one scale for what is added, copied or compared, for all else its own"
        )
        self.limit = NumberBox(0.01, 1e6, step=0.5)
        self.limit.setValue(1.0)
        self.limit.setAccessibleName("End of the fixed colour scale")
        self.limit.setToolTip("Colours reach their end here")
        self.limit.setVisible(False)
        self.zoom = QToolButton(autoRaise=True)
        self.zoom.setAccessibleName("Zoom")
        self.zoom.setToolTip("Fit the window again (Ctrl+0); zoom with Ctrl+wheel")
        self.zoom.clicked.connect(lambda: area.zoom(0))
        self._label = plain_label("Colours:")
        self._label.setBuddy(self.scale)
        self._add_slider()
        self.pictures = PictureButtons(session)
        self._row.addWidget(self.pictures)
        self._row.addStretch(1)
        self.handle = DragHandle()
        for widget in (self._label, self.scale, self.limit, self.zoom, self.handle):
            self._row.addWidget(widget)
        self.scale.currentTextChanged.connect(self._set_scale)
        self.limit.valueChanged.connect(self._set_scale)
        area.zoom_changed.connect(self._show_zoom)
        for changed in (session.step_changed, session.node_changed):
            changed.connect(self._show_places)
            changed.connect(self._fit_words)
        session.place_changed.connect(self._show_places)
        self._show_zoom(1.0)
        self._show_places()

    def set_scale(self, scale: Scale) -> None:
        if isinstance(scale, Span):
            self.limit.setValue(scale.limit)
        name = next((name for name, value in SCALES.items() if value == scale), "fixed")
        self.scale.setCurrentText(name)

    @property
    def chosen_scale(self) -> Scale:
        kind = SCALES[self.scale.currentText()]
        return Span.around_0(self.limit.value()) if kind == "fixed" else kind

    def _set_scale(self) -> None:
        self.limit.setVisible(SCALES[self.scale.currentText()] == "fixed")
        self._area.set_scale(self.chosen_scale)
        self._fit_words()

    def _show_zoom(self, zoom: float) -> None:
        self.zoom.setText(f"{zoom:.0%}")

    def _show_places(self) -> None:
        """A slider for each axis before the last two that has more than one place; the last axis comes first."""
        step, place = self._session.headed_step, self._session.shown_place
        found = list(zip(leading_axes(step), leading_labels(step), place, strict=True))[::-1]
        while len(self._sliders) < len(found):
            self._add_slider()
        for slider, axis in zip(self._sliders, found, strict=False):
            slider.show_axis(*axis)
        for slider in self._sliders[len(found) :]:
            slider.show_no_axis()

    def _add_slider(self) -> None:
        back = len(self._sliders) + 1
        slider = PlaceSlider()
        slider.slider.valueChanged.connect(lambda value: self._choose(back, value))
        self._row.insertWidget(len(self._sliders), slider)
        leave_keys(slider)
        self._sliders.append(slider)

    def add_compare(self, button: CompareButton) -> None:
        """At the end, before what is added later."""
        leave_keys(button)
        self._compare = button
        self._row.addWidget(button)

    def add_toggle(self, action: QAction, about: str) -> None:
        """A button at the end that shows or hides something beside the stage."""
        button = QToolButton(autoRaise=True)
        button.setDefaultAction(action)
        action.setToolTip(about)
        self._row.addWidget(button)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where it is narrow, what can be told without words is."""
        super().resizeEvent(event)
        self._fit_words()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit_words()

    def _fit_words(self) -> None:
        """The pictures keep their words longest: they are what is chosen here."""
        roomy = self._width_needed(words=True) <= self.width()
        for show in (self._label.setVisible, self.zoom.setVisible, self.handle.show_text):
            show(roomy)
        if self._compare is not None:
            self._compare.show_text(roomy)
        for slider in self._sliders:
            slider.keep_room(roomy)
            slider.label.setVisible(self.width() >= TIGHT)
        self.pictures.show_briefly(self._width_needed(words=False) > self.width())
        self._row.activate()

    def _width_needed(self, *, words: bool) -> int:
        """By all controls with all words, or by those that stay, with the words of the pictures alone."""
        widgets = (item.widget() for i in range(self._row.count()) if (item := self._row.itemAt(i)))
        widths = [self._width_of(each, words) for each in widgets if each is not None and self._has_room(each, words)]
        edges = self._row.contentsMargins()
        return sum(widths) + len(widths) * self._row.spacing() + edges.left() + edges.right()

    def _has_room(self, widget: QWidget, words: bool) -> bool:
        """Whether it is shown, or would be."""
        if widget in (self._label, self.zoom):
            return words
        return not widget.isHidden() or (words and isinstance(widget, PlaceSlider))

    def _width_of(self, widget: QWidget, words: bool) -> int:
        if isinstance(widget, PictureButtons) or (words and isinstance(widget, DragHandle | CompareButton)):
            return widget.with_text
        return widget.sizeHint().width()

    def minimumSizeHint(self) -> QSize:
        return QSize(NARROWEST, super().minimumSizeHint().height())

    def _choose(self, back: int, value: int) -> None:
        place = list(self._session.shown_place)
        place[-back] = value
        self._session.choose_place(tuple(place))
