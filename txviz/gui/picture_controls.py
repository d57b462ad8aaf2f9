"""Options of the model at the picture that they change: sliders that are computed with while they are dragged.

They are those of the input panel, and are changed through it: panel, undo and what is remembered agree.
"""

from __future__ import annotations

from math import log10
from typing import Any, NamedTuple

from PySide6.QtCore import QSignalBlocker, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSlider, QWidget

from txviz.figures.levels import LEVELS
from txviz.gui.inputs.fields import ChoiceField
from txviz.gui.inputs.panel import InputPanel
from txviz.gui.keys import leave_keys
from txviz.gui.plain import plain_label, tip, without_keys
from txviz.gui.session import Session
from txviz.models.options import Choice, Option, about, matters

REST = 300
"""Milliseconds after which a slider that has not moved is taken to rest."""

ROOMY, NARROWEST = 620, 320
"""Pixels with which there is room for whole names, and with which all controls have a place."""

PER_DECADE = 100
"""Places of a logarithmic slider for each factor of 10."""


class Scale(NamedTuple):
    """From the places of a slider to the values of an option."""

    short: str
    """What the option is called where there is little room."""

    lowest: float
    highest: float
    step: float = 0.0
    """Between two places; 0 where each place is the same factor away from the one before."""

    words: tuple[tuple[float, str], ...] = ()
    """What a value is called that is more than a number."""

    def value(self, place: int) -> float:
        """
        >>> SCALES["temperature"].value(0), SCALES["temperature"].value(-100), SCALES["top_p"].value(90)
        (1.0, 0.1, 0.9)
        """
        return round(place * self.step, 9) if self.step else float(f"{10 ** (place / PER_DECADE):.3g}")

    def place(self, value: float) -> int:
        """The nearest; one of the ends where the value is outside."""
        inside = min(max(value, self.lowest), self.highest)
        return round(inside / self.step if self.step else log10(inside) * PER_DECADE)

    def text(self, value: float) -> str:
        return dict(self.words).get(value, f"{value:.3g}")


SCALES = {
    "temperature": Scale("T", 0.1, 10),
    "top_k": Scale("k", 0, 50, 1, words=((0, "all"),)),
    "top_p": Scale("p", 0.05, 1, 0.01),
    "beam_width": Scale("B", 1, 12, 1),
    "length_penalty": Scale("α", 0, 3, 0.1),
}
"""The part of an option's range that is worth trying out. The input panel has all of it."""


class SliderControl(QWidget):
    """An option's name, a slider, and the number."""

    edited = Signal()

    def __init__(self, name: str) -> None:
        super().__init__()
        self.scale = SCALES[name]
        self._value = 0.0
        self._whole = self.scale.step == 1
        self._label = about(name).label
        self.name, self.slider, self.number = plain_label(), QSlider(Qt.Orientation.Horizontal), plain_label()
        self.slider.setRange(self.scale.place(self.scale.lowest), self.scale.place(self.scale.highest))
        self.slider.setPageStep(max(1, (self.slider.maximum() - self.slider.minimum()) // 10))
        self.slider.setMinimumWidth(40)
        self.slider.setMaximumWidth(150)
        self.number.setFixedWidth(self.number.fontMetrics().horizontalAdvance("0.000"))
        self.slider.setAccessibleName(self._label)
        self.show_name(True)
        self._arrange()
        self.slider.valueChanged.connect(self._moved)

    def show_name(self, whole: bool) -> None:
        self.name.setText(without_keys(self._label if whole else self.scale.short))

    def _arrange(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(5)
        row.addWidget(self.name)
        row.addWidget(self.slider, 1)
        row.addWidget(self.number)

    def chosen(self) -> float:
        return int(self._value) if self._whole else self._value

    def show_choice(self, value: float) -> None:
        self._value = value
        self.number.setText(self.scale.text(value))
        with QSignalBlocker(self.slider):
            self.slider.setValue(self.scale.place(value))

    def _moved(self, place: int) -> None:
        self.show_choice(self.scale.value(place))
        self.edited.emit()


class DrawAgain(QPushButton):
    """The next seed, and so other random numbers."""

    edited = Signal()

    def __init__(self) -> None:
        super().__init__("Draw again")
        self._seed = 0
        self.clicked.connect(self._next)

    def chosen(self) -> int:
        return self._seed

    def show_choice(self, value: int) -> None:
        self._seed = value

    def _next(self) -> None:
        self._seed = (self._seed + 1) % 2**32
        self.edited.emit()


Control = ChoiceField | SliderControl | DrawAgain


def control_of(name: str, option: Option) -> Control:
    if isinstance(option, Choice):
        return ChoiceField(option)
    return DrawAgain() if name == "seed" else SliderControl(name)


class PictureControls(QWidget):
    """Below the bar of the stage, where a picture has options of its own; of these, those that matter."""

    def __init__(self, session: Session, panel: InputPanel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._panel = session, panel
        self._names: tuple[str, ...] = ()
        self._page = panel.page
        self.controls: dict[str, Control] = {}
        """By the name of the option."""
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(20, 0, 12, 2)
        self._row.setSpacing(14)
        self._row.addStretch()
        self._resting = QTimer(self, singleShot=True, interval=REST)
        self._resting.timeout.connect(self._rest)
        for changed in (session.node_changed, session.step_changed, panel.options_shown):
            changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        chosen = self._chosen()
        names = tuple(name for name in self._wanted() if name in chosen and matters(name, chosen))
        self.setVisible(bool(names))
        if not names:
            return  # and those that are there are kept, since one often comes back
        if self._panel.page is not self._page:
            self._fill(())
            self._page = self._panel.page
        if names != self._names:
            self._fill(names)
        for name, control in self.controls.items():
            control.show_choice(chosen[name])

    def _wanted(self) -> tuple[str, ...]:
        """The options that the picture names, if the panel shows the model that made it."""
        session, model = self._session, self._panel.request().model
        if session.shows_step or session.trace.about.get("model") != model:
            return ()
        return LEVELS[session.picture].options

    def _chosen(self) -> dict[str, Any]:
        return {name: field.chosen() for name, field in self._panel.page.form.fields.items()}

    def _fill(self, names: tuple[str, ...]) -> None:
        """Those that stay are the same as before: one of them may be held by the pointer."""
        for name in [name for name in self.controls if name not in names]:
            gone = self.controls.pop(name)
            gone.hide()
            gone.deleteLater()
        for place, name in enumerate(names):
            if name not in self.controls:
                self._row.insertWidget(place, self._make(name))
        self._names = names

    def _make(self, name: str) -> Control:
        control, words = control_of(name, self._panel.page.model.options[name]), about(name)
        control.setObjectName(name)
        control.setToolTip(tip(f"{words.text[0].upper()}{words.text[1:]}"))
        control.setAccessibleName(without_keys(words.label if not isinstance(control, DrawAgain) else control.text()))
        control.edited.connect(lambda: self._choose(name, control))
        if isinstance(control, SliderControl):
            control.slider.sliderPressed.connect(self._session.end_burst)
            control.show_name(self.width() >= ROOMY)
        leave_keys(control)
        self.controls[name] = control
        return control

    def _choose(self, name: str, control: Control) -> None:
        """While a slider moves, what is not in the picture follows later."""
        if isinstance(control, SliderControl):
            self._session.sliding = True
            self._resting.start()
        self._panel.page.form.choose(name, control.chosen())

    def _rest(self) -> None:
        self._session.sliding = False

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        for control in self.controls.values():
            if isinstance(control, SliderControl):
                control.show_name(event.size().width() >= ROOMY)

    def minimumSizeHint(self) -> QSize:
        return QSize(NARROWEST, super().minimumSizeHint().height())
