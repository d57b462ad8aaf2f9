"""What a newcomer sees first: cards, each with a real picture of what it opens, and the recent files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QEvent, QObject, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QEnterEvent, QKeyEvent, QPainter, QPaintEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QGridLayout,
    QHBoxLayout,
    QScrollArea,
    QSizePolicy,
    QStyle,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from txviz.errors import TxvizError
from txviz.figures import fonts
from txviz.figures.levels import LEVELS
from txviz.figures.levels.picture import NodeScene
from txviz.figures.marks import Figure, Text
from txviz.figures.painter import paint
from txviz.figures.scene import Scene
from txviz.figures.style import Style
from txviz.figures.theme import Theme, mixed
from txviz.figures.views import VIEWS
from txviz.figures.views.page import wrapped
from txviz.files import is_folder
from txviz.gui.background import Background, Watch
from txviz.gui.guard import guarded
from txviz.gui.plain import plain_label, tip, without_keys
from txviz.models import find
from txviz.models.folders import folder_title
from txviz.models.request import Request, compute
from txviz.trace import Trace

PICTURE = QSize(460, 250)
"""On which the picture of a card is drawn, before it is made to fit."""

CARD = QSize(250, 236)
OPEN_FOLDER = "Open a model folder…"
ABOUT_FOLDERS = "BERT, GPT-2, ViT, Marian, … in Hugging Face's format; or drop it on the window (Ctrl+Shift+O)"
MOST_RECENT = 5


class Card(NamedTuple):
    title: str
    text: str
    """What one will see."""

    model: str
    picture: str
    """A view of a step, or a picture of a level."""

    of: str
    """The step or the node that it is of."""

    source: str = ""
    """The input; without one, the model's own example."""

    @property
    def request(self) -> Request:
        return Request(self.model, self.source or find(self.model).example)


CARDS = (
    Card(
        "Translate a sentence",
        "English to Italian and French, word by word: who looks at whom.",
        "translator",
        "attention",
        "time.4.decoder.1.cross_attention.weights",
        "The house is big",
    ),
    Card(
        "Draw a digit",
        "A vision transformer reads your drawing while you draw.",
        "digits",
        "image",
        "encoder.1.attention.weights",
    ),
    Card(
        "Compare two sentences",
        "Two sentences become two arrows; their angle says how alike they are.",
        "sentence",
        "tokens",
        "first.encoder.norm",
    ),
    Card("Go on with a story", "A writer guesses the next word, again and again.", "writer", "head", "time.3.head"),
    Card(
        "The guides, recomputed",
        "Four worked examples by hand; 13 of 23 printed results are wrong.",
        "sentence-guide",
        "stage",
        "encoder.0.attention.scores",
    ),
)


def drawn(card: Card, trace: Trace, style: Style) -> Figure:
    """The picture of a card: real numbers of a real run."""
    width, height = float(PICTURE.width()), float(PICTURE.height())
    if card.picture in VIEWS:
        return VIEWS[card.picture].draw(Scene(trace, trace[card.of], (), None, width, height, style))
    return (
        LEVELS[card.picture].draw(NodeScene(trace, trace.outline.find(card.of), (), None, width, height, style)).figure
    )


class CardButton(QAbstractButton):
    """A picture, a title and what one will see."""

    def __init__(self, card: Card, theme: Theme) -> None:
        super().__init__()
        self.card, self._theme = card, theme
        self.figure: Figure | None = None
        self.setText(without_keys(card.title))
        self.setAccessibleName(card.title)
        self.setAccessibleDescription(card.text)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setMinimumSize(CARD)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def show_figure(self, figure: Figure) -> None:
        self.figure = figure
        self.update()

    def sizeHint(self) -> QSize:
        return CARD

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """The arrows are the page's: it knows where the cards stand."""
        if event.key() == Qt.Key.Key_Space:
            super().keyPressEvent(event)
        else:
            event.ignore()

    def enterEvent(self, event: QEnterEvent) -> None:
        """Pointer and keys choose the same card: one is lit, and Enter opens it."""
        super().enterEvent(event)
        self.setFocus(Qt.FocusReason.MouseFocusReason)

    @guarded
    def paintEvent(self, _: QPaintEvent) -> None:
        theme, size = self._theme, max(self.fontMetrics().height() * 0.8, 12.0)
        lit = self.hasFocus()
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QColor(theme.accent if lit else theme.line))
            painter.setBrush(QColor(mixed(theme.accent, theme.panel, 0.05) if lit else theme.panel))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 8, 8)
            room = QRectF(10, 10, self.width() - 20, self.height() - size * 5.9)
            if self.figure is not None:
                _paint_fitting(painter, self.figure, room)
            paint(painter, self._words(room.bottom() + size * 1.5, size))

    def _words(self, y: float, size: float) -> list[Text]:
        theme, room = self._theme, self.width() - 24.0
        lines = wrapped(self.card.text, size, room)[:2]
        return [
            Text(12, y, fonts.elided(self.card.title, size * 1.15, room), size * 1.15, theme.text, bold=True),
            *(Text(12, y + size * (1.5 + 1.3 * i), line, size, theme.muted) for i, line in enumerate(lines)),
        ]


def _paint_fitting(painter: QPainter, figure: Figure, room: QRectF) -> None:
    scale = min(room.width() / figure.width, room.height() / figure.height)
    painter.save()
    painter.translate(
        room.x() + (room.width() - figure.width * scale) / 2, room.y() + (room.height() - figure.height * scale) / 2
    )
    painter.scale(scale, scale)
    paint(painter, figure.marks)
    painter.restore()


class StartPage(QScrollArea):
    """Lies over the whole window until something is chosen; Esc leaves it."""

    requested = Signal(object)
    """A Request."""

    open_requested = Signal(object)
    """A Path."""

    folder_requested = Signal()
    """A model folder is to be chosen."""

    left = Signal()

    def __init__(self, theme: Theme, recent: Sequence[str], over: QWidget) -> None:
        super().__init__(over)
        self._over, self._theme = over, theme
        self.background = Background(self)
        self.background.finished.connect(self._drawn)
        self.cards = [CardButton(card, theme) for card in CARDS]
        self.setWidgetResizable(True)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setAccessibleName("Start page")
        self.setWidget(self._arranged(recent))
        self.setStyleSheet(f"StartPage, StartPage > QWidget > QWidget {{ background: {theme.window}; }}")
        for card in self.cards:
            card.clicked.connect(partial(self._choose, card.card))
        over.installEventFilter(self)
        self.setGeometry(over.rect())
        self._stopped = False
        self._draw(0)

    def _arranged(self, recent: Sequence[str]) -> QWidget:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(40, 28, 40, 28)
        column.setSpacing(14)
        heading = plain_label("Step through a transformer")
        heading.setStyleSheet("font-size: 20pt; font-weight: 600")
        column.addWidget(heading, 0)
        heading.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        told = plain_label("Every number is computed from your own words and drawings. What do you want to see?")
        told.setWordWrap(True)
        told.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        column.addWidget(told)
        self._grid = QGridLayout()
        self._grid.setSpacing(16)
        self._entries: list[QWidget] = [*self.cards, self._own(recent)]
        column.addLayout(self._grid, 1)
        return page

    @property
    def across(self) -> int:
        """How many cards stand side by side."""
        return max(1, min(3, (self.width() - 64) // (CARD.width() + 16)))

    def _lay_out(self) -> None:
        for i, entry in enumerate(self._entries):
            self._grid.addWidget(entry, *divmod(i, self.across))

    def _own(self, recent: Sequence[str]) -> QWidget:
        """Models of one's own, and the models and traces that were open last."""
        box = QWidget()
        column = QVBoxLayout(box)
        column.addWidget(plain_label("Your own model"))
        column.addLayout(
            _line(OPEN_FOLDER, ABOUT_FOLDERS, self.folder_requested.emit, QStyle.StandardPixmap.SP_DirOpenIcon)
        )
        if recent:
            column.addWidget(plain_label("Recent"))
        for path in recent[:MOST_RECENT]:
            folder = is_folder(Path(path))
            kind = QStyle.StandardPixmap.SP_DirIcon if folder else QStyle.StandardPixmap.SP_FileIcon
            column.addLayout(
                _line(folder_title(path) if folder else Path(path).name, path, partial(self._open, Path(path)), kind)
            )
        column.addStretch(1)
        return box

    def _draw(self, number: int) -> None:
        """One picture after the other, while the cards can already be clicked."""
        if number < len(CARDS) and not self._stopped:
            card, style = CARDS[number], Style(theme=self._theme, size=11)
            self.background.submit(partial(_made, number, card, style))

    def _drawn(self, made: tuple[int, Figure | None]) -> None:
        number, figure = made
        if figure is not None:
            self.cards[number].show_figure(figure)
        self._draw(number + 1)

    def _choose(self, card: Card) -> None:
        self.requested.emit(card.request)
        self.leave()

    def _open(self, path: Path) -> None:
        self.open_requested.emit(path)
        self.leave()

    def leave(self) -> None:
        self.stop()
        self.hide()
        self.left.emit()

    def stop(self) -> None:
        """No more pictures."""
        self._stopped = True
        self.background.cancel()
        self.background.wait()

    def event(self, event: QEvent) -> bool:
        """While the page lies over the window, the window's own keys rest."""
        if event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """The arrows go from card to card."""
        ways = {Qt.Key.Key_Right: 1, Qt.Key.Key_Left: -1, Qt.Key.Key_Down: self.across, Qt.Key.Key_Up: -self.across}
        here = next((i for i, card in enumerate(self.cards) if card.hasFocus()), None)
        if event.key() == Qt.Key.Key_Escape:
            self.leave()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and here is not None:
            self.cards[here].click()
        elif Qt.Key(event.key()) in ways:
            wanted = (here or 0) + ways[Qt.Key(event.key())]
            self.cards[max(0, min(wanted, len(self.cards) - 1))].setFocus()
        else:
            super().keyPressEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.cards[0].setFocus()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._over and event.type() == QEvent.Type.Resize:
            self.setGeometry(self._over.rect())
        return False


def _line(text: str, about: str, call: Callable[[], None], kind: QStyle.StandardPixmap) -> QHBoxLayout:
    """A button as wide as its text."""
    button = QToolButton(autoRaise=True)
    button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
    button.setIcon(button.style().standardIcon(kind))
    button.setText(without_keys(text))
    button.setToolTip(tip(about))
    button.clicked.connect(lambda: call())
    row = QHBoxLayout()
    row.addWidget(button)
    row.addStretch(1)
    return row


def _made(number: int, card: Card, style: Style, watch: Watch) -> tuple[int, Figure | None]:
    """A damaged model has a card without a picture; choosing it says what is wrong."""
    try:
        return number, drawn(card, compute(card.request, watch), style)
    except TxvizError:
        return number, None
