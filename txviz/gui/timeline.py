"""The timeline: where in the computation we are, and ways to move on."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QColor, QFocusEvent, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QSizePolicy, QToolButton, QToolTip, QWidget

from txviz.figures.theme import Theme, stage_colour
from txviz.gui.guard import guarded
from txviz.gui.plain import plain_label, tip
from txviz.gui.session import Session
from txviz.trace import cursor

SPEEDS = {"0.5 steps/s": 2000, "1 step/s": 1000, "2 steps/s": 500, "5 steps/s": 200, "20 steps/s": 50}
DEFAULT_SPEED = "1 step/s"


class Scrubber(QWidget):
    """All steps in a row, coloured by stage; drag or click to move."""

    step_requested = Signal(int)

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._theme = theme
        self._stages = cursor.stages(session.trace.steps)
        self._drawn_for: tuple[int, str] | None = None
        self._drawn: list[tuple[float, float, QColor]] = []
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setMouseTracking(True)
        self.setMinimumWidth(80)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Timeline")
        session.trace_changed.connect(self._new_trace)
        session.step_changed.connect(self._new_step)
        self._new_step()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(400, 30)

    def position_at(self, x: float) -> int:
        """Which step is drawn at this distance from the left."""
        return max(0, min(int(x / self.width() * len(self._session.trace)), len(self._session.trace) - 1))

    def hint(self, position: int) -> str:
        """A sentence about a step, for the pointer."""
        step = self._session.trace[position]
        return f"{position + 1}. {step.title}: {step.text}"

    def _new_trace(self) -> None:
        self._stages = cursor.stages(self._session.trace.steps)
        self._drawn_for = None
        self.update()

    def _new_step(self) -> None:
        step = self._session.step
        self.setAccessibleDescription(f"Step {self._session.position + 1} of {len(self._session.trace)}: {step.title}")
        self.update()

    def _bars(self) -> list[tuple[float, float, QColor]]:
        """Where each stage begins, how wide it is and its colour; kept until something of that changes."""
        key = (self.width(), self._theme.name)
        if key != self._drawn_for:
            gap = 1.0 if len(self._stages) < self.width() / 6 else 0.0
            ends = [(site, self._left(start), self._left(start + size)) for site, start, size in self._stages]
            self._drawn_for = key
            self._drawn = [
                (left, max(right - left - gap, 1), QColor(stage_colour(self._theme, site)))
                for site, left, right in ends
            ]
        return self._drawn

    def _left(self, position: float) -> float:
        return position / len(self._session.trace) * self.width()

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            middle = self.height() / 2
            for left, width, colour in self._bars():
                painter.fillRect(QRectF(left, middle - 5, width, 10), colour)
            here = self._left(self._session.position + 0.5)
            painter.setPen(QColor(self._theme.panel))
            painter.setBrush(QColor(self._theme.text))
            painter.drawRoundedRect(QRectF(here - 3.5, middle - 11, 7, 22), 3, 3)
            if self.hasFocus():
                painter.setPen(QColor(self._theme.accent))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRect(QRectF(0.5, 0.5, self.width() - 1, self.height() - 1))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.step_requested.emit(self.position_at(event.position().x()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self.step_requested.emit(self.position_at(event.position().x()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        count, key = len(self._session.trace), Qt.Key
        page = max(1, count // 20)
        jumps = {key.Key_PageUp: -page, key.Key_PageDown: page, key.Key_Home: -count, key.Key_End: count}
        jump = (jumps | {key.Key_Left: -1, key.Key_Right: 1}).get(key(event.key()))
        if jump is None:
            event.ignore()
        else:
            self.step_requested.emit(self._session.position + jump)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), tip(self.hint(self.position_at(event.pos().x()))), self)
            return True
        return super().event(event)


class Timeline(QWidget):
    """Buttons, scrubber and count. ``actions`` are the window's own for first, previous, play, next and last."""

    def __init__(self, session: Session, theme: Theme, actions: list[QAction], parent: QWidget | None = None) -> None:
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
        self.count = plain_label()
        self.count.setAccessibleName("Step")
        self._play = actions[2]
        layout = QHBoxLayout(self)
        layout.setContentsMargins(10, 4, 12, 6)
        for action in actions:
            button = QToolButton(autoRaise=True)
            button.setDefaultAction(action)
            button.setIconSize(QSize(20, 20))
            layout.addWidget(button)
        layout.addWidget(self.speed)
        layout.addWidget(self.scrubber, 1)
        layout.addWidget(self.count)
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
        if on and self._session.position == len(self._session.trace) - 1:
            self._session.go_to(0)
        self._timer.start(SPEEDS[self.speed.currentText()]) if on else self._timer.stop()
        self._play.setChecked(on)

    def _tick(self) -> None:
        self._session.move(1)
        if self._session.position == len(self._session.trace) - 1:
            self.play(False)

    def _new_step(self) -> None:
        total = len(self._session.trace)
        self.count.setText(f"step {self._session.position + 1:,} of {total:,}")
        widest = self.count.fontMetrics().horizontalAdvance(f"step {total:,} of {total:,}")
        self.count.setMinimumWidth(widest + 4)
