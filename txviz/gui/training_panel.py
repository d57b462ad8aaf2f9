"""Training in front of an audience: a model learns, and what the window shows changes as it does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import (
    QComboBox,
    QDockWidget,
    QFileDialog,
    QFormLayout,
    QGridLayout,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from txviz.figures.numerals import percent
from txviz.figures.theme import Theme
from txviz.gui.keys import leave_keys
from txviz.gui.learning import Learning
from txviz.gui.numbers import NumberBox
from txviz.gui.plain import plain_label
from txviz.gui.plots import charts
from txviz.models import find
from txviz.models.options import CHOICE_LABELS
from txviz.models.registry import SHIPPED, lend
from txviz.models.trained import TrainedModel
from txviz.ops.arithmetic import number
from txviz.training.lesson import MEASURES, Plan
from txviz.training.worker import Measured, Told

STARTS = {"from chance": False, "from the weights that ship": True}
OPTIMISERS = {CHOICE_LABELS.get(name, name.capitalize()): name for name in ("adam", "sgd")}
WIDEST = "0.05"
"""A number beside a curve: both curves begin at the same place, so that their steps stand below each other."""

EMPTY = 1.15
"""How high a chart without points is: the 1 near the top is not cut off."""

FIRST = 10
"""Before so many steps nobody can say how quick it is, and a chart has room for them from the beginning."""

JUMPS = {"One step": 1, "×10": 10, "×100": 100}


class Curve(QWidget):
    """One number over the steps, with its last value in words."""

    def __init__(self, name: str, colour: int, theme: Theme) -> None:
        super().__init__()
        self.name, self.points, self._steps = name, list[tuple[float, float]](), FIRST
        self.label, self.chart = plain_label(name), charts.chart(name)
        self._colour, self._line = colour, self.chart.plot()
        self.set_theme(theme)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.label)
        column.addWidget(self.chart, 1)
        self.clear()

    def set_theme(self, theme: Theme) -> None:
        charts.apply_theme(self.chart, theme)
        charts.set_left_width(self.chart, WIDEST)
        self._line.setPen(charts.pen(theme.stages[self._colour], 2))

    def add(self, step: int, value: float, said: str) -> None:
        self.points.append((step, value))
        self.label.setText(f"{self.name}: {said}")
        across, up = zip(*self.points, strict=True)
        self._line.setData(across, up)
        self.reach(step)

    def reach(self, step: int) -> None:
        """The chart has room up to this step."""
        self._steps = max(step, self._steps)
        top = max((value for _, value in self.points), default=0.0) * 1.05 or EMPTY
        charts.set_ranges(self.chart, (0, self._steps), (0, top))

    def clear(self) -> None:
        self.points.clear()
        self.label.setText(self.name)
        self._line.setData([], [])
        self._steps = FIRST
        self.reach(0)


class TrainingPanel(QWidget):
    """The model that learns goes by its own name as long as the panel is open: drawing and typing are read by it."""

    begun = Signal(str)
    """With the name of the model that is to learn."""

    learnt = Signal()
    """The model that goes by the name has other weights now."""

    ended = Signal()
    """The name is the shipped model's again."""

    paused = Signal(int)
    """It is hidden, and has begun; with the steps that it has made."""

    before_set = Signal()
    """What is shown now is to be remembered as "before"."""

    before_compared = Signal()
    """ "Before" is to be seen beside what it has become."""

    before_shown = Signal(bool)
    """Whether "before" is to be seen, or what it has become."""

    opened = Signal(object)
    """The folder of a model that was kept."""

    def __init__(self, model: str, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.learning = Learning(self)
        self._lent = self._seen = ""
        self._running = self._remembered = self._resting = False
        self._until = 0
        self.last: Told | None = None
        """How it went when it last told."""

        self._build(model if model in MEASURES else next(iter(MEASURES)), theme)
        self.learning.told.connect(self._show)
        self.learning.measured.connect(self._show_measured)
        self.learning.kept.connect(self._show_kept)
        self.learning.failed.connect(self._show_failed)
        self._show_buttons()
        leave_keys(self)

    def set_theme(self, theme: Theme) -> None:
        for curve in (self.loss, self.right):
            curve.set_theme(theme)

    # --- widgets ---

    def _build(self, model: str, theme: Theme) -> None:
        self.models = _choice([SHIPPED[name].title for name in MEASURES], "Model")
        self.models.setCurrentText(SHIPPED[model].title)
        self.starts = _choice([*STARTS], "Start")
        self.seed = QSpinBox(minimum=0, maximum=2**31 - 1)
        self.rate = NumberBox(0.000001, 10, step=0.001, decimals=6)
        self.optimiser = _choice([*OPTIMISERS], "Optimiser")
        for name, field in (("Seed", self.seed), ("Learning rate", self.rate)):
            field.setAccessibleName(name)
        form = QFormLayout()
        for name, widget in (
            ("Model", self.models),
            ("Start", self.starts),
            ("Seed", self.seed),
            ("Learning rate", self.rate),
            ("Optimiser", self.optimiser),
        ):
            form.addRow(name, widget)
        self.loss, self.right = Curve("Loss", 1, theme), Curve(MEASURES[model].capitalize(), 0, theme)
        self.said = plain_label("It has not begun yet.")
        self.said.setWordWrap(True)
        layout = QVBoxLayout(self)
        layout.addLayout(form)
        layout.addLayout(self._buttons())
        layout.addWidget(self.said)
        layout.addWidget(self.loss, 1)
        layout.addWidget(self.right, 1)
        self.models.currentTextChanged.connect(self._choose_model)
        self._show_rate()

    def _buttons(self) -> QGridLayout:
        self.run = QPushButton("Train")
        self.run.clicked.connect(self._toggle)
        self.jumps = {text: QPushButton(text) for text in JUMPS}
        for text, button in self.jumps.items():
            button.clicked.connect(lambda _=False, steps=JUMPS[text]: self._go(steps))
        self.again, self.keep = QPushButton("Begin again"), QPushButton("Keep as a model…")
        self.again.clicked.connect(self._begin_again)
        self.keep.clicked.connect(self._ask_keep)
        grid = QGridLayout()
        grid.addWidget(self.run, 0, 0, 1, 3)
        grid.addWidget(self.again, 0, 3, 1, 3)
        for i, button in enumerate(self.jumps.values()):
            grid.addWidget(button, 1, 2 * i, 1, 2)
        self.set_before, self.before = QPushButton("Remember as “before”"), QPushButton("Show “before”")
        self.before.setCheckable(True)
        self.set_before.clicked.connect(self._set_before)
        self.before.toggled.connect(lambda on: self.before_shown.emit(on))
        self.beside = QPushButton("“Before” beside now")
        self.beside.clicked.connect(self._compare)
        grid.addWidget(self.set_before, 2, 0, 1, 6)
        grid.addWidget(self.before, 3, 0, 1, 3)
        grid.addWidget(self.beside, 3, 3, 1, 3)
        grid.addWidget(self.keep, 4, 0, 1, 6)
        return grid

    def show_now(self) -> None:
        """ "Before" is no longer looked at."""
        self.before.blockSignals(True)
        self.before.setChecked(False)
        self.before.blockSignals(False)

    def _compare(self) -> None:
        self.before.setChecked(False)
        self.before_compared.emit()

    def _set_before(self) -> None:
        self.before.setChecked(False)
        self._remembered = True
        self._show_before_buttons()
        self.before_set.emit()

    # --- what is chosen ---

    def see(self, model: str) -> None:
        """The model that the window shows; none where it is a run from a file."""
        self._seen = model
        self._show_before_buttons()

    def choose(self, model: str) -> None:
        """To be trained, where none has begun."""
        if model in MEASURES and not self.learning.begun:
            self.models.setCurrentText(SHIPPED[model].title)

    @property
    def model(self) -> str:
        return next(name for name in MEASURES if SHIPPED[name].title == self.models.currentText())

    @property
    def plan(self) -> Plan:
        optimiser: Any = OPTIMISERS[self.optimiser.currentText()]
        return Plan(self.model, STARTS[self.starts.currentText()], self.seed.value(), self.rate.value(), optimiser)

    def _choose_model(self) -> None:
        self._begin_again()
        self.right.name = MEASURES[self.model].capitalize()
        self.right.clear()
        self._show_rate()

    def _show_rate(self) -> None:
        self.rate.setValue(_shipped(self.model).recipe.rate)

    # --- running ---

    def _toggle(self) -> None:
        if self._running:
            self._pause()
        else:
            self._go(self._steps_left)

    def _pause(self) -> None:
        self.learning.pause()
        self._running = False
        self._show_buttons()

    @property
    def _steps_left(self) -> int:
        return max(1, _shipped(self.model).recipe.steps - (self.last.step if self.last else 0))

    def _go(self, steps: int) -> None:
        if not self.learning.begun:
            self.said.setText("Getting the data ready…")
            self.begun.emit(self.model)
            self.learning.begin(self.plan)
        self.learning.go(steps)
        self._until = (self.last.step if self.last else 0) + steps
        self._running, self._resting = True, False
        self._show_buttons()

    def _begin_again(self) -> None:
        self.learning.end()
        self._running = self._resting = False
        self.last = None
        for curve in (self.loss, self.right):
            curve.clear()
        self.said.setText("It has not begun yet.")
        self.before.setChecked(False)
        self._remembered = False
        self._give_back()
        self._show_buttons()

    def _show_buttons(self) -> None:
        self.run.setText("Pause" if self._running else "Train")
        for widget in (self.models, self.starts, self.seed, self.rate, self.optimiser):
            widget.setEnabled(not self.learning.begun)
        for button in self.jumps.values():
            button.setEnabled(not self._running)
        self.again.setEnabled(self.learning.begun)
        self.keep.setEnabled(self.last is not None and not self._running)
        self._show_before_buttons()

    def _show_before_buttons(self) -> None:
        """ "Before" and now are of one model: with another one shown there would be nothing to compare."""
        here = self._seen == self.model
        self.set_before.setEnabled(here and self.last is not None)
        for button in (self.before, self.beside):
            button.setEnabled(here and self._remembered)
        other = "" if here else f"Only while the model in training is shown: {self.models.currentText()}"
        self.set_before.setToolTip(other)
        self.before.setToolTip(other)
        self.beside.setToolTip(other or "Compares the run that was remembered with what it becomes")

    # --- what comes back ---

    def _show(self, told: Told) -> None:
        self.last = told
        if told.loss == told.loss:  # not before the first step
            self.loss.add(told.step, told.loss, number(told.loss, 3))
            self.right.reach(told.step)
        if self._running and told.step >= self._until:
            self._running = False
        self.said.setText(self._how_it_goes(told))
        self._show_buttons()
        state = f"in training, step {told.step:,}"
        self._lent = self.model
        lend(self._lent, _shipped(self.model).with_parameters(told.parameters, state))
        self.learnt.emit()
        if self._resting and told.waits:
            self._resting = False
            self.paused.emit(told.step)

    def _how_it_goes(self, told: Told) -> str:
        every = _shipped(self.model).recipe.steps
        said = f"Step {told.step:,} of {every:,}"
        if not told.step:
            return f"{said}: nothing is learnt yet."
        if told.step < FIRST:
            return f"{said}."
        speed = (told.step - 1) / max(told.seconds, 1e-9)
        left = max(0, every - told.step) / speed
        return f"{said} · {speed:.0f} steps a second · {_time(left)} left at this speed"

    def _show_measured(self, measured: Measured) -> None:
        self.right.add(measured.step, measured.right, percent(measured.right))

    def _show_kept(self, folder: Path) -> None:
        self.said.setText(f"Kept in {folder}; it opens like any other model.")
        self.opened.emit(folder)

    def _show_failed(self, sentence: str) -> None:
        self._running = False
        self.said.setText(f"{sentence[0].upper()}{sentence[1:]}.")
        self._show_buttons()

    def _ask_keep(self) -> None:
        folder, _ = QFileDialog.getSaveFileName(self, "Keep the model in a new folder", f"my-{self.model}")
        if folder:
            self.learning.keep(Path(folder))

    # --- its end ---

    def rest(self) -> None:
        """Nobody sees it any more: it learns nothing further, and keeps what it has learnt."""
        if self.last is None:
            self._begin_again()
            return
        if self._running:
            self._pause()
            self._resting = True
        else:
            self.paused.emit(self.last.step)

    def _give_back(self) -> None:
        if self._lent:
            lend(self._lent, None)
            self._lent = ""
            self.ended.emit()

    def stop(self) -> None:
        self.learning.end()
        self._give_back()


class TrainingDock(QDockWidget):
    """Beside the plots. Closing it only hides it: hours may have been learnt, and it is one click."""

    def __init__(self, panel: TrainingPanel, parent: QWidget) -> None:
        super().__init__("Train", parent)
        self.setObjectName("Train")
        self.panel = panel
        self.setWidget(panel)

    def closeEvent(self, event: QCloseEvent) -> None:
        self.panel.rest()
        super().closeEvent(event)


def _shipped(name: str) -> TrainedModel:
    model = find(name)
    assert isinstance(model, TrainedModel)
    return model


def _choice(texts: list[str], name: str) -> QComboBox:
    box = QComboBox()
    box.addItems(texts)
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    box.setMinimumContentsLength(8)  # a long title must not take room from the picture
    box.setAccessibleName(name)
    return box


def _time(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"
