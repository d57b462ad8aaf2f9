"""The tokens of a sentence as a row of chips: each token, and its number beside it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPointF, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QHelpEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from txviz.figures.painter import legible
from txviz.figures.theme import Theme
from txviz.gui.guard import guarded
from txviz.gui.plain import tip
from txviz.models.model import Token

_GAP, _PADDING, _RADIUS, _NARROWEST = 4, 5, 4, 20
_MOST_TOLD = 20
"""Tokens that are not seen, of which the pointer is told."""


class Chips(QWidget):
    """Draws the tokens. An unknown one has another colour, a broken outline and a wave under its word.

    All on one line: where there is no room for the last ones, a chip says how many they are.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.tokens: tuple[Token, ...] = ()
        self.setAccessibleName("Tokens")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def show_tokens(self, tokens: Sequence[Token]) -> None:
        if tuple(tokens) == self.tokens:
            return
        self.tokens = tuple(tokens)
        self.setAccessibleDescription("; ".join(map(_description, tokens)))
        self.update()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def chip_rect(self, index: int) -> QRect:
        """Where a token is drawn; nowhere where there is no room for it."""
        places = self._places()
        return places[index] if index < len(places) else QRect()

    @property
    def left_out(self) -> int:
        """How many tokens there is no room for."""
        return len(self.tokens) - len(self._places())

    def _number_font(self) -> QFont:
        font = QFont(self.font())
        font.setPointSizeF(max(7.0, font.pointSizeF() * 0.8))
        return font

    def _number_width(self, token: Token) -> int:
        if token.number is None:
            return 0
        return QFontMetrics(self._number_font()).horizontalAdvance(str(token.number)) + _GAP

    def _places(self) -> list[QRect]:
        """A place for each chip, from left to right, as far as there is room."""
        words = self.fontMetrics()
        most = max(_NARROWEST, self.width() // 2)
        wide = (min(most, words.horizontalAdvance(legible(token.text))) for token in self.tokens)
        beside = (self._number_width(token) + 2 * _PADDING for token in self.tokens)
        widths = [max(_NARROWEST, word + rest) for word, rest in zip(wide, beside, strict=True)]
        room = self.width() + _GAP
        if sum(widths) + _GAP * len(widths) > room:
            room -= words.horizontalAdvance(f"+{len(widths)}") + 2 * _PADDING + _GAP
        places, x = [], 0
        for width in widths:
            if x + width + _GAP > room:
                break
            places.append(QRect(x, 0, width, self.height()))
            x += width + _GAP
        return places

    def _rest(self, places: Sequence[QRect]) -> QRect:
        """Where the number of those stands that are left out."""
        left = places[-1].right() + 1 + _GAP if places else 0
        return QRect(left, 0, self.width() - left, self.height())

    def _draw(self, painter: QPainter, token: Token, place: QRect) -> None:
        theme = self._theme
        ink = QColor(theme.text if token.known else theme.bad)
        outline = QPen(QColor(theme.line) if token.known else ink, 1)
        outline.setStyle(Qt.PenStyle.SolidLine if token.known else Qt.PenStyle.DashLine)
        painter.setPen(outline)
        painter.setBrush(QColor(theme.panel))
        painter.drawRoundedRect(place.adjusted(0, 0, -1, -1), _RADIUS, _RADIUS)
        metrics, beside = self.fontMetrics(), self._number_width(token)
        line = place.adjusted(_PADDING, 0, -_PADDING - beside, -1)
        word = metrics.elidedText(legible(token.text), Qt.TextElideMode.ElideRight, line.width() + 2)
        painter.setFont(self.font())
        painter.setPen(ink)
        painter.drawText(line, Qt.AlignmentFlag.AlignCenter, word)
        if not token.known:
            half = min(metrics.horizontalAdvance(word), line.width()) / 2
            painter.drawPolyline(_wave(line.center().x() - half, line.center().x() + half, line.bottom() - 2.5))
        if token.number is not None:
            painter.setFont(self._number_font())
            painter.setPen(QColor(theme.muted))
            after = QRect(line.right() + 1, place.top(), beside, place.height())
            painter.drawText(after, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, str(token.number))

    def _told(self, spot: QPointF) -> str:
        """What the pointer is told there."""
        places = self._places()
        for token, place in zip(self.tokens, places, strict=False):
            if place.contains(spot.toPoint()):
                return _description(token)
        hidden = self.tokens[len(places) :]
        if not hidden or not self._rest(places).contains(spot.toPoint()):
            return ""
        more = f"; and {len(hidden) - _MOST_TOLD} more" if len(hidden) > _MOST_TOLD else ""
        return "; ".join(map(_description, hidden[:_MOST_TOLD])) + more

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), tip(self._told(QPointF(event.pos()))), self)
            return True
        return super().event(event)

    def sizeHint(self) -> QSize:
        return QSize(220, self.fontMetrics().height() + 6)

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        places = self._places()
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.translate(0.5, 0.5)
            for token, place in zip(self.tokens, places, strict=False):
                self._draw(painter, token, place)
            hidden = self.tokens[len(places) :]
            if hidden:
                known = all(token.known for token in hidden)
                painter.setPen(QColor(self._theme.muted if known else self._theme.bad))
                painter.setFont(self.font())
                middle = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
                painter.drawText(self._rest(places), middle, f"+{len(hidden)}")


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
