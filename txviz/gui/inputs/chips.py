"""The tokens of a sentence as a row of chips: each token, and its number beside it. Pieces of a word are one chip."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPointF, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QHelpEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from txviz.figures.painter import legible
from txviz.figures.theme import Theme, mixed
from txviz.gui.guard import guarded
from txviz.gui.plain import tip
from txviz.models.model import Token

_GAP, _PADDING, _RADIUS, _NARROWEST = 4, 5, 4, 20
_SHORTER = 4
"""By how much the line between two pieces of a word ends before their outline."""

_MOST_TOLD = 20
"""Tokens that are not seen, of which the pointer is told."""


class Chips(QWidget):
    """Draws the tokens. The pieces of one word share an outline, with a line between them; a special token has none,
    and another ground. An unknown one has another colour, a broken outline and a wave under its word.

    All on one line: where there is no room for the numbers, only the pointer is told them, and where there is none for
    the last tokens, a chip says how many they are.
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
        places, _ = self._layout()
        return places[index] if index < len(places) else QRect()

    @property
    def left_out(self) -> int:
        """How many tokens there is no room for."""
        return len(self.tokens) - len(self._layout()[0])

    def _number_font(self) -> QFont:
        font = QFont(self.font())
        font.setPointSizeF(max(7.0, font.pointSizeF() * 0.8))
        return font

    def _word_widths(self) -> list[int]:
        most, metrics = max(_NARROWEST, self.width() // 2), self.fontMetrics()
        wide = (min(most, metrics.horizontalAdvance(legible(token.text))) for token in self.tokens)
        return [max(_NARROWEST, width + 2 * _PADDING) for width in wide]

    def _number_widths(self) -> list[int]:
        metrics = QFontMetrics(self._number_font())
        numbers = (token.number for token in self.tokens)
        return [0 if number is None else metrics.horizontalAdvance(str(number)) + _GAP for number in numbers]

    def _layout(self) -> tuple[list[QRect], list[int]]:
        """A place for each chip, from left to right, as far as there is room; and how much of each is its number's."""
        words, numbers, room = self._word_widths(), self._number_widths(), self.width() + _GAP
        gaps = [*(0 if token.joins else _GAP for token in self.tokens[1:]), _GAP]  # none inside a word
        if sum(words) + sum(numbers) + sum(gaps[: len(words)]) > room:
            numbers = [0] * len(words)
        if sum(words) + sum(numbers) + sum(gaps[: len(words)]) > room:
            room -= self.fontMetrics().horizontalAdvance(f"+{len(words)}") + 2 * _PADDING + _GAP
        places, x = [], 0
        for word, number, gap in zip(words, numbers, gaps, strict=False):
            if x + word + number + _GAP > room:
                break
            places.append(QRect(x, 0, word + number, self.height()))
            x += word + number + gap
        return places, numbers

    def _rest(self, places: Sequence[QRect]) -> QRect:
        """Where the number of those stands that are left out."""
        left = places[-1].right() + 1 + _GAP if places else 0
        return QRect(left, 0, self.width() - left, self.height())

    def _outline(self, painter: QPainter, token: Token, place: QRect) -> None:
        """Around a token, or around all pieces of a word of which this is the first."""
        theme = self._theme
        ground = mixed(theme.muted, theme.panel, 0.16) if token.special else theme.panel
        outline = QPen(QColor(ground if token.special else theme.line), 1)
        if not token.known:
            outline = QPen(QColor(theme.bad), 1, Qt.PenStyle.DashLine)
        painter.setPen(outline)
        painter.setBrush(QColor(ground))
        painter.drawRoundedRect(place.adjusted(0, 0, -1, -1), _RADIUS, _RADIUS)

    def _draw(self, painter: QPainter, token: Token, place: QRect, beside: int) -> None:
        theme, metrics = self._theme, self.fontMetrics()
        if token.joins:
            painter.setPen(QPen(QColor(theme.line), 1))
            painter.drawLine(place.left(), place.top() + _SHORTER, place.left(), place.bottom() - _SHORTER)
        line = place.adjusted(_PADDING, 0, -_PADDING - beside, -1)
        word = metrics.elidedText(legible(token.text), Qt.TextElideMode.ElideRight, line.width() + 2)
        painter.setFont(self.font())
        painter.setPen(QColor(theme.bad if not token.known else theme.muted if token.special else theme.text))
        painter.drawText(line, Qt.AlignmentFlag.AlignCenter, word)
        if not token.known:
            half = min(metrics.horizontalAdvance(word), line.width()) / 2
            painter.drawPolyline(_wave(line.center().x() - half, line.center().x() + half, line.bottom() - 2.5))
        if beside:
            painter.setFont(self._number_font())
            painter.setPen(QColor(theme.muted))
            after = QRect(line.right() + 1, place.top(), beside, place.height())
            painter.drawText(after, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, str(token.number))

    def _told(self, spot: QPointF) -> str:
        """What the pointer is told there."""
        places, _ = self._layout()
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
        places, numbers = self._layout()
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.translate(0.5, 0.5)
            for token, whole in _words(self.tokens, places):
                self._outline(painter, token, whole)
            for token, place, beside in zip(self.tokens, places, numbers, strict=False):
                self._draw(painter, token, place, beside)
            hidden = self.tokens[len(places) :]
            if hidden:
                known = all(token.known for token in hidden)
                painter.setPen(QColor(self._theme.muted if known else self._theme.bad))
                painter.setFont(self.font())
                middle = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
                painter.drawText(self._rest(places), middle, f"+{len(hidden)}")


def _words(tokens: Sequence[Token], places: Sequence[QRect]) -> list[tuple[Token, QRect]]:
    """The first token of each word, and the place of all its pieces."""
    found: list[tuple[Token, QRect]] = []
    for token, place in zip(tokens, places, strict=False):
        if token.joins and found:
            found[-1] = found[-1][0], found[-1][1].united(place)
        else:
            found.append((token, place))
    return found


def _description(token: Token) -> str:
    """A token in words, for the pointer and for a screen reader."""
    told = [f"“{token.text}”", *([] if token.number is None else [f"number {token.number}"])]
    if token.letter:
        told.append(f"a part of “{token.letter}”")
    if token.word not in ("", token.text, token.letter):
        told.append(f"in “{token.word}”")
    if token.special:
        told.append("a special token")
    if not token.known:
        near = f"; nearest: {', '.join(token.nearest)}" if token.nearest else ""
        told.append(f"is not in the vocabulary{near}")
    return ", ".join(told)


def _wave(left: float, right: float, y: float) -> QPolygonF:
    count = max(2, round((right - left) / 2.5))
    return QPolygonF(
        [QPointF(left + (right - left) * i / count, y + (1.2 if i % 2 else -1.2)) for i in range(count + 1)]
    )
