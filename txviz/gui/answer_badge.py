"""What the model says, always in sight: a sentence that grows, the likeliest classes, a cosine, a vector."""

from __future__ import annotations

from bisect import bisect

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent, QTextCharFormat, QTextLayout, QTextOption
from PySide6.QtWidgets import QAbstractButton, QSizePolicy

from txviz.figures.answer import Answer, answers
from txviz.figures.numerals import percent
from txviz.figures.theme import Theme, mixed
from txviz.gui.guard import guarded
from txviz.gui.plain import tip
from txviz.gui.session import Session

_PADDING, _LOW = 8, 3
"""Around the words, and how far the last line may reach below them, in pixels."""

_FAINT = 0.55
"""How strong it is drawn what is not computed yet at the step that is shown."""


class AnswerBadge(QAbstractButton):
    """What is yet to come at the step that is shown is faint. A click goes to the step that the answer comes from."""

    step_requested = Signal(str)

    def __init__(self, session: Session, theme: Theme) -> None:
        super().__init__()
        self._session, self._theme = session, theme
        self._answers = answers(session.trace)
        self.answer = self._answers(session.position)
        self.setAccessibleName("Answer of the model")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self.clicked.connect(self._request_step)
        session.trace_changed.connect(self._new_trace)
        session.step_changed.connect(self._show)
        session.numbers_changed.connect(self._new_numbers)
        session.compared.changed.connect(self._new_other)
        self.other: Answer | None = None
        """What the run says that this one is compared with."""
        self._new_other()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def _request_step(self) -> None:
        self.step_requested.emit(self.answer.step)

    def _new_trace(self) -> None:
        self._answers = answers(self._session.trace)

    def _new_numbers(self) -> None:
        self._new_trace()
        self._show()

    def _new_other(self) -> None:
        kept = self._session.compared.trace
        self.other = answers(kept)(len(kept) - 1) if kept is not None else None
        self.setAccessibleDescription("")
        self._show()

    def _show(self) -> None:
        before, self.answer = self.answer, self._answers(self._session.position)
        if self.answer != before or not self.accessibleDescription():
            said = self.answer.text if self.other is None else f"A: {self.other.text}; B: {self.answer.text}"
            self.setAccessibleDescription(said)
            self.setToolTip(tip(f"{said}. A click goes to the step that it comes from."))
            self.update()

    def _font(self, scale: float, *, bold: bool = False) -> QFont:
        font = QFont(self.font())
        font.setPointSizeF(font.pointSizeF() * scale)
        font.setWeight(QFont.Weight.DemiBold if bold else QFont.Weight.Normal)
        return font

    def _ink(self, *, known: bool) -> QColor:
        return QColor(self._theme.text if known else mixed(self._theme.text, self._theme.panel, _FAINT))

    def _draw_words(self, painter: QPainter, room: QRect) -> None:
        """A caption, and below it the words on as many lines as there is room for."""
        small = self._font(0.8)
        height = QFontMetrics(small).height()
        painter.setFont(small)
        painter.setPen(QColor(self._theme.muted))
        caption = QFontMetrics(small).elidedText(self.answer.caption, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(QRect(room.left(), room.top(), room.width(), height), Qt.AlignmentFlag.AlignLeft, caption)
        below = room.adjusted(0, height, 0, 0)
        large = self._font(1.25, bold=True)
        one_line = QFontMetrics(large).horizontalAdvance(self.answer.said + self.answer.coming) <= below.width()
        self._draw_text(painter, below, large if one_line else self._font(1.0, bold=True))

    def _draw_text(self, painter: QPainter, room: QRect, font: QFont) -> None:
        metrics = QFontMetrics(font)
        lines = max(1, (room.height() + _LOW) // metrics.height())
        wide = room.width() if lines == 1 else round(room.width() * (lines - 0.15))  # some is lost where lines break
        said, coming = self._fitted(metrics, wide)
        layout = QTextLayout(said + coming, font)
        layout.setTextOption(QTextOption(Qt.AlignmentFlag.AlignLeft))
        layout.setFormats([_colour(0, len(said), self._ink(known=True)),
                           _colour(len(said), len(coming), self._ink(known=False))])  # fmt: skip
        layout.beginLayout()
        y = 0.0
        for _ in range(lines):
            line = layout.createLine()
            if not line.isValid():
                break
            line.setLineWidth(room.width())
            line.setPosition(QPointF(0, y))
            y += metrics.height()
        layout.endLayout()
        layout.draw(painter, QPointF(room.left(), room.top() + max(0.0, (room.height() - y) / 2)))

    def _fitted(self, metrics: QFontMetrics, room: int) -> tuple[str, str]:
        """Of a sentence the end of what is said is seen, of the name of a class its beginning."""
        said, coming = self.answer.said, self.answer.coming
        if not self.answer.bars:
            return fitted(said, coming, metrics, room)
        shown = metrics.elidedText(said + coming, Qt.TextElideMode.ElideRight, room)
        return (shown, "") if said else ("", shown)

    def _draw_bars(self, painter: QPainter, room: QRect) -> None:
        font, known = self._font(0.85), bool(self.answer.said)
        metrics, count = QFontMetrics(font), len(self.answer.bars)
        painter.setFont(font)
        high = room.height() / count
        name = min(max(metrics.horizontalAdvance(bar.label) for bar in self.answer.bars), room.width() // 2) + 2
        number = max(metrics.horizontalAdvance(percent(bar.share)) for bar in self.answer.bars)
        left, width = room.left() + name + 6, max(0, room.width() - name - number - 12)
        colour = QColor(self._theme.accent if known else mixed(self._theme.accent, self._theme.panel, _FAINT))
        middle = Qt.AlignmentFlag.AlignVCenter
        for i, (label, share) in enumerate(self.answer.bars):
            line = QRectF(room.left(), room.top() + i * high, room.width(), high)
            painter.setPen(self._ink(known=known))
            shown = metrics.elidedText(label, Qt.TextElideMode.ElideRight, name)
            painter.drawText(line, Qt.AlignmentFlag.AlignLeft | middle, shown)
            painter.drawText(line, Qt.AlignmentFlag.AlignRight | middle, percent(share))
            painter.fillRect(QRectF(left, line.top() + 3, max(1.0, width * share), high - 6), colour)

    def _draw_both(self, painter: QPainter, room: QRect, other: Answer) -> None:
        """A line for A, and one for B."""
        font, high = self._font(1.0, bold=True), room.height() // 2
        metrics = QFontMetrics(font)
        painter.setFont(font)
        name = metrics.horizontalAdvance("B") + 8
        for place, (side, answer) in enumerate((("A", other), ("B", self.answer))):
            line = QRect(room.left(), room.top() + place * high, room.width(), high)
            painter.setPen(QColor(self._theme.accent))
            painter.drawText(line, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, side)
            painter.setPen(self._ink(known=bool(answer.said) or not answer.coming))
            text = metrics.elidedText(answer.short, Qt.TextElideMode.ElideRight, line.width() - name)
            middle = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
            painter.drawText(line.adjusted(name, 0, 0, 0), middle, text)

    def sizeHint(self) -> QSize:
        return QSize(self.fontMetrics().averageCharWidth() * 36, self.fontMetrics().height() * 3)

    def minimumSizeHint(self) -> QSize:
        return QSize(self.fontMetrics().averageCharWidth() * 18, self.fontMetrics().height() * 2 + _PADDING)

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QColor(self._theme.accent if self.hasFocus() or self.underMouse() else self._theme.line))
            painter.setBrush(QColor(self._theme.panel))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
            inside = self.rect().adjusted(_PADDING, 3, -_PADDING, -3)
            if self.other is not None:
                self._draw_both(painter, inside, self.other)
                return
            if self.answer.bars:
                words = inside.width() * 2 // 5
                self._draw_bars(painter, inside.adjusted(words, 0, 0, 0))
                inside = QRect(inside.left(), inside.top(), words - _PADDING, inside.height())
            self._draw_words(painter, inside)


def fitted(said: str, coming: str, metrics: QFontMetrics, room: int) -> tuple[str, str]:
    """Both in so much room: the end of what is said is seen, and the beginning of what is coming."""
    words = [0, *(blank + 1 for blank, sign in enumerate(said[:-1]) if sign == " ")]

    def from_word(start: int) -> str:
        return f"… {said[start:]}" if start else said

    def fits(start: int) -> bool:
        shown = from_word(start)
        return metrics.horizontalAdvance(shown + coming) <= room or metrics.horizontalAdvance(shown) <= room * 2 // 3

    shown = from_word(words[min(bisect(words, False, key=fits), len(words) - 1)])
    left = room - metrics.horizontalAdvance(shown)
    return shown, metrics.elidedText(coming, Qt.TextElideMode.ElideRight, max(0, left)) if coming else ""


def _colour(start: int, length: int, colour: QColor) -> QTextLayout.FormatRange:
    found = QTextLayout.FormatRange()
    found.start, found.length = start, length
    look = QTextCharFormat()
    look.setForeground(colour)
    found.format = look
    return found
