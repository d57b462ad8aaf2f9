"""Above the stage: which head is shown, what the colours mean, how large the cells are."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QDoubleSpinBox, QHBoxLayout, QLabel, QSlider, QToolButton, QWidget

from txviz.figures.tensors import leading, leading_axes
from txviz.gui.session import Session
from txviz.gui.stage import StageView

SCALES = {"each tensor": "tensor", "shared by all": "shared", "fixed": "fixed"}


class StageBar(QWidget):
    def __init__(self, session: Session, view: StageView, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._view = session, view
        self._axes = QWidget()
        self._sliders: list[QSlider] = []
        self._shown: tuple[object, ...] = ()
        self.scale = QComboBox()
        self.scale.addItems(list(SCALES))
        self.scale.setAccessibleName("Colour scale")
        self.scale.setToolTip("Where the colours end: at the largest number of each tensor, of all of them, or fixed")
        self.limit = QDoubleSpinBox(minimum=0.01, maximum=1e6, value=1.0, singleStep=0.5, decimals=2)
        self.limit.setAccessibleName("End of the fixed colour scale")
        self.limit.setToolTip("Colours reach their end here")
        self.limit.setVisible(False)
        self.zoom = QToolButton(autoRaise=True)
        self.zoom.setAccessibleName("Zoom")
        self.zoom.setToolTip("Fit the window again (Ctrl+0); zoom with Ctrl+wheel")
        self.zoom.clicked.connect(lambda: view.zoom(0))
        self._row = layout = QHBoxLayout(self)
        layout.setContentsMargins(20, 6, 12, 2)
        layout.addWidget(self._axes)
        layout.addStretch(1)
        label = QLabel("Colours:")
        label.setBuddy(self.scale)
        for widget in (label, self.scale, self.limit, self.zoom):
            layout.addWidget(widget)
        self.scale.currentTextChanged.connect(self._set_scale)
        self.limit.valueChanged.connect(self._set_scale)
        view.zoom_changed.connect(self._show_zoom)
        session.step_changed.connect(self._show_places)
        session.place_changed.connect(self._show_places)
        self._show_zoom(1.0)
        self._show_places()

    def set_scale(self, scale: str | float) -> None:
        """As it was saved: "tensor", "shared" or a number."""
        if isinstance(scale, int | float):
            self.limit.setValue(scale)
        name = next((name for name, value in SCALES.items() if value == scale), "fixed")
        self.scale.setCurrentText(name)

    @property
    def chosen_scale(self) -> str | float:
        kind = SCALES[self.scale.currentText()]
        return self.limit.value() if kind == "fixed" else kind

    def _set_scale(self) -> None:
        self.limit.setVisible(SCALES[self.scale.currentText()] == "fixed")
        self._view.set_style(replace(self._view.style_shown, scale=self.chosen_scale))

    def _show_zoom(self, zoom: float) -> None:
        self.zoom.setText(f"{zoom:.0%}")

    def _show_places(self) -> None:
        """A slider for each axis before the last two that has more than one place."""
        step, place = self._session.step, self._session.place
        sizes, axes = leading(step), leading_axes(step)
        if (sizes, axes) != self._shown:
            self._shown = (sizes, axes)
            self._rebuild(sizes, axes)
        for axis, slider in enumerate(self._sliders):
            slider.blockSignals(True)
            slider.setValue(place[axis])
            slider.blockSignals(False)
            self._labels[axis].setText(f"{axes[axis]} {place[axis]}")

    def _rebuild(self, sizes: tuple[int, ...], axes: tuple[str, ...]) -> None:
        fresh = QWidget()
        row = QHBoxLayout(fresh)
        row.setContentsMargins(0, 0, 0, 0)
        self._sliders, self._labels = [], []
        for axis, (size, name) in enumerate(zip(sizes, axes, strict=True)):
            label, slider = QLabel(), QSlider(Qt.Orientation.Horizontal)
            slider.setRange(0, size - 1)
            slider.setPageStep(1)
            slider.setObjectName(name)
            slider.setAccessibleName(name)
            slider.setToolTip(f"Which {name} is shown (↑ and ↓)")
            slider.setFixedWidth(min(20 * size + 30, 160))
            slider.valueChanged.connect(lambda value, axis=axis: self._choose(axis, value))
            label.setMinimumWidth(label.fontMetrics().horizontalAdvance(f"{name} {size}"))
            label.setBuddy(slider)
            for widget in (label, slider):
                widget.setVisible(size > 1)
                row.addWidget(widget)
            self._sliders.append(slider)
            self._labels.append(label)
        self._row.replaceWidget(self._axes, fresh)
        self._axes.deleteLater()
        self._axes = fresh

    def _choose(self, axis: int, value: int) -> None:
        place = list(self._session.place)
        place[axis] = value
        self._session.choose_place(tuple(place))
