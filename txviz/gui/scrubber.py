"""All steps in a row: coloured by part, labelled by layer and time step, marked where a guide prints them wrong."""

from __future__ import annotations

from math import ceil
from typing import NamedTuple

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFont,
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from txviz.figures.prints import prints
from txviz.figures.theme import Theme, stage_colour
from txviz.gui.changes import in_words
from txviz.gui.guard import guarded
from txviz.gui.plain import tip
from txviz.gui.session import Session
from txviz.trace import cursor
from txviz.trace.cursor import Stage

_MARKS, _BAR, _GAP = 11, 9, 5
"""Heights of the row of marks and of the bar, and the least space between two labels, in pixels."""

_LOWEST = 3
"""Height of the lowest tick."""

_EVERY = (1, 2, 5, 10, 20, 50, 100)
"""Which time steps have a label where there are many: every second, every fifth, …"""


class Label(NamedTuple):
    """A text below the bar, and the segment that begins there."""

    text: str
    left: float
    width: float
    segment: Stage


class Scrubber(QWidget):
    """Drag or click to move."""

    step_requested = Signal(int)

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._theme = session, theme
        self._drawn_for: object = None
        self._bars: list[tuple[QRectF, QColor]] = []
        self._labels: list[Label] = []
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setMouseTracking(True)
        self.setMinimumWidth(80)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Timeline")
        session.trace_changed.connect(self._new_trace)
        session.step_changed.connect(self._new_step)
        session.changes.changed.connect(self.update)
        self._new_trace()
        self._new_step()

    @property
    def labels(self) -> list[Label]:
        """As they are painted now."""
        self._lay_out()
        return self._labels

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(400, _MARKS + _BAR + ceil(QFontMetricsF(self._font()).height()) + 2)

    def position_at(self, x: float) -> int:
        """Which step is drawn at this distance from the left."""
        return max(0, min(int(x / self.width() * len(self._session.trace)), len(self._session.trace) - 1))

    def mark_rect(self, position: int) -> QRectF:
        """Where the mark of a step is drawn that a guide prints wrong."""
        return QRectF(self._left(position + 0.5) - 4, 1, 8, 8)

    def hint(self, position: int) -> str:
        """What the pointer is told: the segment, the step, and what a guide prints wrong there."""
        step, segment = self._session.trace[position], self._segment_at(position)
        last = segment.start + segment.size
        steps = f"step {last:,}" if segment.size == 1 else f"steps {segment.start + 1:,} to {last:,}"
        lines = [f"{segment.title}: {steps}", f"{position + 1:,}. {step.title}: {step.text}"]
        share = self._session.changes.of(step.name)
        lines += [in_words(share).capitalize()] if share else []
        return "\n".join([*lines, *(f"{each.mark} {each.text}" for each in prints(step) if not each.agrees)])

    def _new_trace(self) -> None:
        steps = self._session.trace.steps
        self._stages, self._segments = cursor.stages(steps), cursor.segments(steps)
        self._wrong = [i for i, step in enumerate(steps) if not all(entry.agrees for entry in step.printed)]
        self._drawn_for = None
        self.update()

    def _new_step(self) -> None:
        step = self._session.step
        self.setAccessibleDescription(f"Step {self._session.position + 1} of {len(self._session.trace)}: {step.title}")
        self.update()

    def _segment_at(self, position: int) -> Stage:
        return next(segment for segment in self._segments if position < segment.start + segment.size)

    def _left(self, position: float) -> float:
        return position / len(self._session.trace) * self.width()

    def _font(self, *, bold: bool = False) -> QFont:
        font = QFont(self.font())
        font.setPointSizeF(font.pointSizeF() * 0.85)
        font.setWeight(QFont.Weight.DemiBold if bold else QFont.Weight.Normal)
        return font

    def _lay_out(self) -> None:
        """Bars and labels; kept until something changes that they depend on."""
        key = (self.width(), self._theme.name, self.font().key())
        if key == self._drawn_for:
            return
        gap = 1.0 if len(self._stages) < self.width() / 6 else 0.0
        self._bars = []
        for site, start, size in self._stages:
            left, right = self._left(start), self._left(start + size)
            if not gap and self._bars and left < self._bars[-1][0].left() + 1:
                continue  # a wide beam has thousands, and a pixel shows one
            colour = QColor(stage_colour(self._theme, site))
            self._bars.append((QRectF(left, _MARKS, max(right - left - gap, 1), _BAR), colour))
        self._drawn_for, self._labels = key, self._made_labels()

    def _made_labels(self) -> list[Label]:
        """Each in its segment; of time steps that are too narrow only some have one, which may go on over others."""
        metrics = QFontMetricsF(self._font(bold=True))
        form, every = self._form_of_times(metrics)
        found: list[Label] = []
        for segment in self._segments:
            site, left = segment.site, self._left(segment.start)
            if site.time is None:
                text = self._text_of(segment, metrics)
            else:
                text = form.format(site.time) if site.time % every == 0 else ""
            width = metrics.horizontalAdvance(text)
            free = not found or left >= found[-1].left + found[-1].width + _GAP
            if text and free and left + width <= self.width():
                found.append(Label(text, left, width, segment))
        return found

    def _text_of(self, segment: Stage, metrics: QFontMetricsF) -> str:
        """Its title or the end of that, as far as there is room; the first of many narrow layers names them all."""
        site = segment.site
        alike = [each for each in self._segments if each.site._replace(layer=None) == site._replace(layer=None)]
        one, all_of_them = self._left(segment.size), self._left(sum(each.size for each in alike))
        forms = [(segment.title, one), *((label, one) for label in site.labels[-1:])]
        if len(alike) > 1 and segment == alike[0]:
            forms += [(label, all_of_them) for label in site._replace(layer=None).labels[-1:]]
        return next((text for text, room in forms if metrics.horizontalAdvance(text) + _GAP <= room), "")

    def _form_of_times(self, metrics: QFontMetricsF) -> tuple[str, int]:
        """How all time steps are called here, and which of them: every first, second, fifth, …"""
        times = [segment for segment in self._segments if segment.site.time is not None]
        room = min((self._left(segment.size) for segment in times), default=0.0)
        for form in ("time {}", "t{}"):
            if metrics.horizontalAdvance(form.format(len(times))) + _GAP <= room:
                return form, 1
        wide = metrics.horizontalAdvance(f"t{len(times)}") + _GAP
        return "t{}", next((every for every in _EVERY if wide <= every * room), _EVERY[-1])

    def _draw_labels(self, painter: QPainter) -> None:
        here, top = self._segment_at(self._session.position), _MARKS + _BAR
        looks = {True: (self._font(bold=True), self._theme.text), False: (self._font(), self._theme.muted)}
        for text, left, width, segment in self._labels:
            font, ink = looks[segment is here]
            painter.setFont(font)
            painter.setPen(QColor(ink))
            place = QRectF(left, top, width + 2, self.height() - top)
            painter.drawText(place, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)

    def _draw_marks(self, painter: QPainter) -> None:
        """A cross over each step that a guide prints wrong."""
        painter.setPen(QPen(QColor(self._theme.bad), 2))
        for position in self._wrong:
            place = self.mark_rect(position).adjusted(1, 1, -1, -1)
            painter.drawLine(place.topLeft(), place.bottomRight())
            painter.drawLine(place.topRight(), place.bottomLeft())

    def _change_at(self, position: int) -> float:
        """How much a step changed; a mark has its full height from 100 % on."""
        return min(self._session.changes.of(self._session.names[position]), 1.0)

    def tick_rect(self, position: int) -> QRectF:
        """Where the tick of a step that changed is drawn: the higher, the more."""
        high = _LOWEST + (_MARKS - _LOWEST) * self._change_at(position) ** 0.5
        return QRectF(self._left(position + 0.5) - 1, _MARKS - high, 2, high)

    def _draw_ticks(self, painter: QPainter) -> None:
        """On each step that is not as it is without edits; one that was edited has a foot."""
        changes, names = self._session.changes, self._session.names
        for position in (i for i, name in enumerate(names if changes else ()) if changes.of(name)):
            tick = self.tick_rect(position)
            painter.fillRect(tick, QColor(self._theme.text))
            if changes.is_edited(names[position]):
                painter.fillRect(tick.adjusted(-2, tick.height() - 2, 2, 0), QColor(self._theme.text))

    def _draw_handle(self, painter: QPainter) -> None:
        here = self._left(self._session.position + 0.5)
        painter.setPen(QColor(self._theme.window))
        painter.setBrush(QColor(self._theme.text))
        painter.drawRoundedRect(QRectF(here - 3.5, _MARKS - 4, 7, _BAR + 8), 3, 3)

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        self._lay_out()
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            for place, colour in self._bars:
                painter.fillRect(place, colour)
            self._draw_labels(painter)
            self._draw_ticks(painter)
            self._draw_handle(painter)
            self._draw_marks(painter)
            if self.hasFocus():
                painter.setPen(QColor(self._theme.accent))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5))

    def _ask(self, spot: QPointF) -> None:
        self.step_requested.emit(self.position_at(spot.x()))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._ask(event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._ask(event.position())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        count, key = len(self._session.trace), Qt.Key
        jumps = {key.Key_Home: -count, key.Key_End: count, key.Key_Left: -1, key.Key_Right: 1}
        jump = jumps.get(key(event.key()))
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
