"""The timeline: where in the computation we are, and ways to move on."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QEvent, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QToolButton, QWidget

from txviz.figures.theme import Theme
from txviz.gui.scrubber import Scrubber
from txviz.gui.session import Session
from txviz.trace import cursor

SPEEDS = {"0.5 steps/s": 2000, "1 step/s": 1000, "2 steps/s": 500, "5 steps/s": 200, "20 steps/s": 50}
DEFAULT_SPEED = "1 step/s"
BUTTONS = ("first", "previous", "play", "next", "last")


class Count(QLabel):
    """``step 3 of 21``, in the room of the longest: else the window is laid out anew at each step."""

    def __init__(self) -> None:
        super().__init__(textFormat=Qt.TextFormat.PlainText)
        self._total = 0
        self.setAccessibleName("Step")

    def show_step(self, number: int, total: int) -> None:
        if total != self._total:
            self._total = total
            self._fit()
        self.setText(f"step {number:,} of {total:,}")

    def _fit(self) -> None:
        letters = self.fontMetrics()
        self.setFixedSize(letters.horizontalAdvance(f"step {self._total:,} of {self._total:,}") + 4, letters.height())

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit()


class Timeline(QWidget):
    """Buttons, scrubber and count. The buttons are of the window's own actions."""

    message = Signal(str)
    """Why nothing moves."""

    def __init__(
        self, session: Session, theme: Theme, actions: Mapping[str, QAction], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._tick)
        self.scrubber = Scrubber(session, theme)
        self.scrubber.step_requested.connect(session.go_to)
        self.speed = QComboBox()
        self.speed.addItems(list(SPEEDS))
        self.speed.setCurrentText(DEFAULT_SPEED)
        self.speed.setAccessibleName("Speed of playing")
        self.speed.setToolTip("How fast to play")
        self.speed.currentTextChanged.connect(lambda text: self._timer.setInterval(SPEEDS[text]))
        self.count = Count()
        self._play, self._key_steps = actions["play"], actions["key_steps"]
        self._arrange(actions)
        session.trace_changed.connect(self._new_step)
        session.step_changed.connect(self._new_step)
        self._new_step()

    @property
    def playing(self) -> bool:
        return self._timer.isActive()

    def play(self, on: bool) -> None:
        """From the start again when the end is already reached."""
        if on == self.playing:
            return
        if on and self._next(1) == self._session.position:
            self._session.go_to(0)
        self._timer.start(SPEEDS[self.speed.currentText()]) if on else self._timer.stop()
        self._play.setChecked(on)

    def step(self, by: int) -> None:
        """One step on or back, or to the next key step where only those are wanted."""
        self._session.go_to(self._next(by))

    def step_time(self, by: int) -> None:
        """To the same step at another time step, or in the other of two sentences."""
        here = self._session.position
        wanted = cursor.elsewhere(self._session.trace.steps, here, by)
        if wanted == here:
            self.message.emit(f"There is no {'later' if by > 0 else 'earlier'} time step.")
        self._session.go_to(wanted)

    def _next(self, by: int) -> int:
        here, trace = self._session.position, self._session.trace
        if self._key_steps.isChecked() and trace.key_steps:
            return cursor.next_key(trace, here, by)
        return max(0, min(here + by, len(trace) - 1))

    def _tick(self) -> None:
        self.step(1)
        if self._next(1) == self._session.position:
            self.play(False)

    def _new_step(self) -> None:
        self.count.show_step(self._session.position + 1, len(self._session.trace))

    def _arrange(self, actions: Mapping[str, QAction]) -> None:
        self._row = layout = QHBoxLayout(self)
        layout.setContentsMargins(10, 2, 12, 4)
        for name in BUTTONS:
            layout.addWidget(_button(actions[name]))
        layout.addWidget(self.speed)
        self._key_steps.setIconText("Key steps")
        self._key_steps.setToolTip("Step and play through the key steps only: those that tell the story (K)")
        key_steps = _button(self._key_steps)
        key_steps.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        layout.addWidget(key_steps)
        layout.addWidget(self.scrubber, 1)
        layout.addWidget(self.count)

    def add(self, button: QToolButton) -> None:
        """At its end, before the count."""
        self._row.insertWidget(self._row.count() - 1, button)


def _button(action: QAction) -> QToolButton:
    button = QToolButton(autoRaise=True)
    button.setDefaultAction(action)
    button.setIconSize(QSize(20, 20))
    return button
