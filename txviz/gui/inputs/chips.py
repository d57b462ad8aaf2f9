"""The tokens of a sentence as a flowing row of chips: each token, and its number below."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPointF, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QHelpEvent, QPainter, QPaintEvent, QPen, QPolygonF, QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QSizePolicy, QToolTip, QWidget

from txviz.figures.theme import Theme
from txviz.gui.guard import guarded
from txviz.gui.plain import tip
from txviz.models.model import Token

_GAP, _PADDING, _RADIUS = 4, 6, 4
_TALLEST = 160
"""Pixels that the chips may take before they scroll."""


class Chips(QWidget):
    """Draws the tokens. An unknown one has another colour, a broken outline and a wave under its word."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._tokens: tuple[Token, ...] = ()
        self.setAccessibleName("Tokens")
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def show_tokens(self, tokens: Sequence[Token]) -> None:
        self._tokens = tuple(tokens)
        self.setAccessibleDescription("; ".join(map(_description, tokens)))
        self.setMinimumHeight(self.heightForWidth(self.width()))
        self.update()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def chip_rect(self, index: int) -> QRect:
        """Where a token is drawn."""
        return self._places(self.width())[index]

    def _number_font(self) -> QFont:
        font = QFont(self.font())
        font.setPointSizeF(max(7.0, font.pointSizeF() * 0.8))
        return font

    def _places(self, width: int) -> list[QRect]:
        """A place for each chip, from left to right, in as many lines as it takes."""
        words, numbers = QFontMetrics(self.font()), QFontMetrics(self._number_font())
        numbered = any(token.number is not None for token in self._tokens)
        height = words.height() + (numbers.height() if numbered else 0) + 6
        places, x, y = [], 0, 0
        for token in self._tokens:
            number = "" if token.number is None else str(token.number)
            inside = max(words.horizontalAdvance(token.text), numbers.horizontalAdvance(number))
            wide = min(width, max(inside + 2 * _PADDING, 22))
            if x and x + wide > width:
                x, y = 0, y + height + _GAP
            places.append(QRect(x, y, wide, height))
            x += wide + _GAP
        return places

    def _draw(self, painter: QPainter, token: Token, place: QRect) -> None:
        theme = self._theme
        ink = QColor(theme.text if token.known else theme.bad)
        outline = QPen(QColor(theme.line) if token.known else ink, 1)
        outline.setStyle(Qt.PenStyle.SolidLine if token.known else Qt.PenStyle.DashLine)
        painter.setPen(outline)
        painter.setBrush(QColor(theme.panel))
        painter.drawRoundedRect(place.adjusted(0, 0, -1, -1), _RADIUS, _RADIUS)
        metrics = QFontMetrics(self.font())
        line = QRect(place.left(), place.top() + 2, place.width(), metrics.height())
        word = metrics.elidedText(token.text, Qt.TextElideMode.ElideRight, place.width() - 2 * _PADDING + 2)
        painter.setFont(self.font())
        painter.setPen(ink)
        painter.drawText(line, Qt.AlignmentFlag.AlignCenter, word)
        if not token.known:
            half = min(metrics.horizontalAdvance(word), place.width() - 2 * _PADDING) / 2
            painter.drawPolyline(_wave(line.center().x() - half, line.center().x() + half, line.bottom() - 1.5))
        if token.number is not None:
            painter.setFont(self._number_font())
            painter.setPen(QColor(theme.muted))
            below = QRect(place.left(), line.bottom() + 1, place.width(), place.bottom() - line.bottom() - 2)
            painter.drawText(below, Qt.AlignmentFlag.AlignCenter, str(token.number))

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            places = self._places(self.width())
            under = [i for i, place in enumerate(places) if place.contains(event.pos())]
            QToolTip.showText(event.globalPos(), tip(_description(self._tokens[under[0]])) if under else "", self)
            return True
        return super().event(event)

    def heightForWidth(self, width: int) -> int:
        places = self._places(width)
        return places[-1].bottom() + 1 if places else 0

    def sizeHint(self) -> QSize:
        return QSize(220, self.heightForWidth(220))

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.setMinimumHeight(self.heightForWidth(event.size().width()))
        super().resizeEvent(event)

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.translate(0.5, 0.5)
            for token, place in zip(self._tokens, self._places(self.width()), strict=True):
                if place.intersects(event.rect()):
                    self._draw(painter, token, place)


class ChipArea(QScrollArea):
    """The chips, as tall as they need to be; many lines of them scroll."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.chips = Chips(theme)
        self.setWidget(self.chips)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.viewport().setAutoFillBackground(False)
        self.chips.setAutoFillBackground(False)

    def show_tokens(self, tokens: Sequence[Token]) -> None:
        self.chips.show_tokens(tokens)
        self._fit()

    def _fit(self) -> None:
        """As tall as the chips; a scroll bar takes some of their width."""
        wanted = self.chips.heightForWidth(self.width())
        self.setFixedHeight(min(wanted, _TALLEST))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()


def _description(token: Token) -> str:
    """A token in words, for the pointer and for a screen reader."""
    number = "" if token.number is None else f", number {token.number}"
    if token.known:
        return f"“{token.text}”{number}"
    near = f"; nearest: {', '.join(token.nearest)}" if token.nearest else ""
    return f"“{token.text}”{number}, is not in the vocabulary{near}"


def _wave(left: float, right: float, y: float) -> QPolygonF:
    count = max(2, round((right - left) / 2.5))
    return QPolygonF(
        [QPointF(left + (right - left) * i / count, y + (1.2 if i % 2 else -1.2)) for i in range(count + 1)]
    )
