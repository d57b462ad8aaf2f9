"""Presenting: the picture fills the screen, with a sentence and the arithmetic, large, and the way through the run."""

from __future__ import annotations

import re
from collections.abc import Iterable

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QCloseEvent,
    QColor,
    QCursor,
    QFont,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from txviz.figures import fonts
from txviz.figures.painter import load_fonts
from txviz.figures.theme import Theme, stage_colour
from txviz.figures.worked import shortened
from txviz.gui.guard import guarded
from txviz.gui.plain import plain_label
from txviz.gui.session import Session
from txviz.gui.stage_area import StageArea
from txviz.trace import cursor

SMALLEST = 32
"""Of the words, in pixels: 24 points on a usual screen."""

LINES = 26
"""So many lines of words would fill the screen from top to bottom, where that is larger."""

FORWARD = {Qt.Key.Key_PageDown, Qt.Key.Key_Right, Qt.Key.Key_Space, Qt.Key.Key_N}
BACK = {Qt.Key.Key_PageUp, Qt.Key.Key_Left, Qt.Key.Key_P}
BLACK = {Qt.Key.Key_B, Qt.Key.Key_Period}
LEAVE = {Qt.Key.Key_Escape, Qt.Key.Key_F5}

_END = re.compile(r"""(?<!\be\.g)(?<!\bi\.e)(?<!\bcf)(?<!\bvs)(?<!\b[A-Z])[.!?][”"')]?(?=\s+["“(\[<A-Z])""")
"""Of a sentence: a full stop before a capital, and not after an abbreviation or an initial."""

SHARED = (
    *("first", "last", "out", "in", "map", "next_picture", "previous_place", "next_place"),
    *("cell_up", "cell_down", "cell_left", "cell_right", "what_if", "next_side"),
)
"""The commands of the window that have the same keys here."""


class Way(QWidget):
    """The stages of the run as a thin strip, with the one that is shown standing out."""

    def __init__(self, session: Session, theme: Theme) -> None:
        super().__init__()
        self._session, self._theme = session, theme
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Where in the run")
        session.trace_changed.connect(self.update)
        session.step_changed.connect(self.update)

    def set_height(self, height: int) -> None:
        self.setFixedHeight(height)

    @property
    def boxes(self) -> list[tuple[QRectF, cursor.Stage, bool]]:
        """Where each stage is, and whether it is the one that is shown."""
        stages, at = cursor.stages(self._session.trace.steps), self._session.position
        here = [s.start <= at < s.start + s.size for s in stages]
        widths = self._widths([s.title for s in stages], here)
        gap, x, found = 3.0 if len(stages) < self.width() / 12 else 0.0, 0.0, []
        for stage, width, shown in zip(stages, widths, here, strict=True):
            found.append((QRectF(x + gap / 2, 4, width - gap, self.height() - 8), stage, shown))
            x += width
        return found

    def _widths(self, titles: list[str], here: list[bool]) -> list[float]:
        """All alike; where that is too narrow for words, the one that is shown has room for its title."""
        wide = self.width() / max(len(titles), 1)
        named = (fonts.width(title, self._text_size) + 16 for title, shown in zip(titles, here, strict=True) if shown)
        needed = min(max(named, default=0.0), self.width() / 2)
        if needed <= wide:
            return [wide] * len(titles)
        return [needed if shown else (self.width() - needed) / (len(titles) - 1) for shown in here]

    @property
    def _text_size(self) -> int:
        return max(round((self.height() - 8) * 0.62), 10)

    @guarded
    def paintEvent(self, _: QPaintEvent) -> None:
        load_fonts()
        font = QFont([fonts.SANS, fonts.SYMBOLS])
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            for box, stage, here in self.boxes:
                colour = QColor(stage_colour(self._theme, stage.site))
                colour.setAlphaF(1.0 if here else 0.35)
                painter.fillRect(box, colour)
                size = self._text_size
                if fonts.width(stage.title, size) < box.width() - 8:
                    font.setPixelSize(size)
                    painter.setFont(font)
                    painter.setPen(QColor(self._theme.panel if here else self._theme.text))
                    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, stage.title)


class Presentation(QWidget):
    """A window of its own over the whole screen; it shows the same session, so that leaving it loses nothing."""

    left = Signal()

    def __init__(self, session: Session, theme: Theme, actions: Iterable[QAction]) -> None:
        super().__init__()
        self._session, self._theme = session, theme
        self.setWindowTitle("txviz — presentation")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.area = StageArea(session, theme)
        self.way = Way(session, theme)
        self.sentence, self.arithmetic = plain_label(), plain_label()
        self.black = QWidget(self)
        self._arrange()
        self.addActions(list(actions))
        for changed in (session.step_changed, session.place_changed, session.node_changed, session.cell_changed):
            changed.connect(self._show)
        session.compared.changed.connect(self._show)
        self._show()

    def _arrange(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.way)
        column.addWidget(self.area, 1)
        for label in (self.sentence, self.arithmetic):
            label.setWordWrap(True)
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop)
            column.addWidget(label)
        self.sentence.setAccessibleName("The step in a sentence")
        self.arithmetic.setAccessibleName("The arithmetic of the cell")
        colours = self._theme
        self.setStyleSheet(f"Presentation {{ background: {colours.panel}; }} QLabel {{ color: {colours.text}; }}")
        self.black.setStyleSheet("background: #000000;")
        self.black.hide()
        self.setCursor(_pointer(colours.highlight))
        self.setFocusProxy(self.area)

    @property
    def text_size(self) -> int:
        return max(SMALLEST, round(self.height() / LINES))

    @property
    def _two_lines(self) -> int:
        """The height of most sentences; those that are shorter have it, too, so that pictures keep their size."""
        return round(self.text_size * 3.3)

    def _show(self) -> None:
        session = self._session
        said = session.step.what if session.shows_step else session.node.why.text
        self.sentence.setText(first_sentence(said))
        self.sentence.setMinimumHeight(0)  # else the last sentence's height is counted, too
        self.sentence.setFixedHeight(max(self._two_lines, self.sentence.heightForWidth(self.width())))
        arithmetic = session.arithmetic if session.shows_step else ""
        self.arithmetic.setText(self._fitting(arithmetic))
        self.arithmetic.setVisible(bool(arithmetic))

    def _fitting(self, text: str) -> str:
        """At most two lines: the middle of a long sum can be left out, its beginning and its end can't. Of two runs,
        each has one of them."""
        lines, room = text.split("\n"), (self.width() - 4 * self.text_size) * 0.94
        return "\n".join(shortened(line, self.text_size, room * 2 / len(lines)) for line in lines)

    def _resize_texts(self) -> None:
        size = self.text_size
        for label, face in ((self.sentence, fonts.SANS), (self.arithmetic, fonts.MONO)):
            font = QFont([face, fonts.SYMBOLS])
            font.setPixelSize(size)
            label.setFont(font)
            label.setContentsMargins(2 * size, 0, 2 * size, round(size * 0.5))
        self.way.set_height(max(26, round(self.height() / 26)))
        self.area.set_text_size(max(18.0, self.height() / 42))
        self._show()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if self.black.isVisible() or key in BLACK:
            self._blacken(not self.black.isVisible())
        elif key in LEAVE:
            self.close()
        elif key in FORWARD:
            self._session.move(1)
        elif key in BACK:
            self._session.move(-1)
        else:
            event.ignore()

    def _blacken(self, on: bool) -> None:
        self.black.setGeometry(self.rect())
        self.black.setVisible(on)
        self.black.raise_()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.black.setGeometry(self.rect())
        self._resize_texts()

    def closeEvent(self, event: QCloseEvent) -> None:
        self.left.emit()
        super().closeEvent(event)


def first_sentence(text: str) -> str:
    """
    >>> first_sentence("One thing. Another one."), first_sentence("One thing.")
    ('One thing.', 'One thing.')
    >>> first_sentence("Some, e.g. A. Turing, ask 1. why, 2. how. Others don't.")
    'Some, e.g. A. Turing, ask 1. why, 2. how.'
    """
    end = _END.search(text)
    return text[: end.end()] if end else text


def _pointer(colour: str) -> QCursor:
    """A ring with a dot, which can be seen from the back row."""
    size = QSize(72, 72)
    picture = QPixmap(size)
    picture.fill(Qt.GlobalColor.transparent)
    middle = QPointF(36, 36)
    with QPainter(picture) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor("#ffffff"), 9))
        painter.drawEllipse(middle, 26, 26)
        painter.setPen(QPen(QColor(colour), 5))
        painter.drawEllipse(middle, 26, 26)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colour))
        painter.drawEllipse(middle, 5, 5)
    return QCursor(picture, 36, 36)
