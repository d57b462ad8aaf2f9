"""How the window shares its room: the picture comes first, and the panels fold where there is too little.

Every panel remembers how large somebody wanted it, so that a window that was small for a while is as before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QMainWindow, QSplitter, QVBoxLayout, QWidget

from txviz.gui.dock import Dock, place_docks
from txviz.gui.soon import Soon

PICTURE = 560
"""Pixels that the picture has before a panel gets more than it needs."""

WANTED = {"Steps": 270, "Plots": 340}
NEEDED = {"Steps": 180, "Plots": 260}
BARS = ("Input", "Timeline")
"""What stands above and below, as high as it has to be."""

FOLDS = "Plots"
"""What makes room for the picture in a narrow window."""

WORDS, BOARD = 150, 330
"""How high the words below the picture are, and the board above the list of steps."""

LEAST_PICTURE, LEAST_STEPS = 340, 120
"""What stays for the picture above the words, and for the list below the board."""

FRAME = 40
"""Pixels of a screen's height that a window's title may take."""

_SIDES = (Qt.DockWidgetArea.LeftDockWidgetArea, Qt.DockWidgetArea.RightDockWidgetArea)


def first_size(screen: QSize) -> QSize:
    """Of a window that nobody has resized: it fits the screen with its title."""
    return QSize(min(1280, screen.width()), min(800, screen.height() - FRAME))


class Folding(QWidget):
    """What may have no room at all."""

    def minimumSizeHint(self) -> QSize:
        return QSize(0, 0)


def stacked(*parts: QWidget) -> QWidget:
    """Parts below each other without gaps; the last has the room that is left."""
    holder = QWidget()
    column = QVBoxLayout(holder)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    for part in parts:
        column.addWidget(part, 1 if part is parts[-1] else 0)
    return holder


def make_centre(bars: Sequence[QWidget], picture: QWidget, words: QWidget) -> KeptSplitter:
    """The picture below its bars, and the words directly below it."""
    return KeptSplitter((stacked(*bars, picture), words), kept=1, wanted=WORDS, rest=LEAST_PICTURE)


def make_left(board: QWidget, steps: QWidget) -> KeptSplitter:
    """The list of steps, and above it the board of a model that reads images."""
    return KeptSplitter((board, steps), kept=0, wanted=BOARD, rest=LEAST_STEPS)


def widths(window: int, wanted: Mapping[str, int], *, plots: bool) -> dict[str, int]:
    """How wide the panels at the sides are in a window of this width, with the plots or without.

    >>> widths(1280, WANTED, plots=True), widths(1000, WANTED, plots=True), widths(640, WANTED, plots=False)
    ({'Steps': 270, 'Plots': 340}, {'Steps': 180, 'Plots': 260}, {'Steps': 180, 'Plots': 0})
    """
    room = window - PICTURE
    taken = NEEDED["Plots"] if plots else 0
    steps = max(NEEDED["Steps"], min(wanted["Steps"], room - taken))
    return {"Steps": steps, "Plots": max(taken, min(wanted["Plots"], room - steps)) if plots else 0}


class Arrangement(QObject):
    """Keeps the docks at the sides as wide as they are wanted, as far as there is room."""

    def __init__(self, window: QMainWindow, docks: dict[str, Dock], splitters: Sequence[KeptSplitter]) -> None:
        super().__init__(window)
        self._window, self._docks, self._splitters = window, docks, splitters
        self.wanted = dict(WANTED)
        self.folded: set[str] = set()
        """What was folded for want of room or of plots, and comes back with them."""
        self._roomy = True
        self._empty: bool | None = None
        self._pressed: dict[str, int] = {}
        self._released, self._asked = Soon(self, lambda: self._learn()), Soon(self, lambda: self._fit_bars())
        window.installEventFilter(self)
        for name in BARS:
            docks[name].widget().installEventFilter(self)

    def fit(self) -> None:
        """After the window got another size."""
        roomy = self._window.width() >= PICTURE + sum(NEEDED.values())
        if roomy != self._roomy:
            self._roomy = roomy
            self._refold()
        found = widths(self._window.width(), self.wanted, plots=not self._docks[FOLDS].isHidden())
        sides = [name for name in found if self._stands_aside(name)]
        self._window.resizeDocks(
            [self._docks[name] for name in sides], [found[name] for name in sides], Qt.Orientation.Horizontal
        )
        self._fit_bars()

    def _fit_bars(self) -> None:
        """Qt makes them higher by itself when what is in them asks for it, and never lower."""
        wanted = {name: self._docks[name].minimumSizeHint().height() for name in BARS}
        if any(self._docks[name].height() != height for name, height in wanted.items()):
            bars = [self._docks[name] for name in BARS]
            self._window.resizeDocks(bars, list(wanted.values()), Qt.Orientation.Vertical)

    def reset(self) -> None:
        """All as it was before anybody has moved anything."""
        for dock in self._docks.values():
            self._window.removeDockWidget(dock)
        place_docks(self._window, self._docks)
        self.wanted = dict(WANTED)
        self.folded.clear()
        self._roomy = True
        self._refold()
        self.fit()
        for splitter in self._splitters:
            splitter.reset()

    def show_plots(self, there: bool) -> None:
        """Whether the step has plots: while it has none, the picture has their room."""
        if self._empty is not (not there):
            self._empty = not there
            self._refold()
            self.fit()
            layout = self._window.layout()
            assert layout is not None
            layout.activate()  # at once, so that the picture is not painted in the old size first

    def _refold(self) -> None:
        self._unfold() if self._roomy and not self._empty else self._fold()

    def _fold(self) -> None:
        dock = self._docks[FOLDS]
        if not dock.isHidden() and not dock.isFloating():
            self.folded.add(FOLDS)
            dock.hide()

    def _unfold(self) -> None:
        for name in self.folded:
            self._docks[name].show()
        self.folded.clear()

    def _stands_aside(self, name: str) -> bool:
        dock = self._docks[name]
        return not dock.isHidden() and not dock.isFloating() and self._window.dockWidgetArea(dock) in _SIDES

    def _learn(self) -> None:
        """Somebody has pulled at the edge of a panel."""
        for name, before in self._pressed.items():
            now = self._docks[name].width()
            if now != before and self._stands_aside(name):
                self.wanted[name] = now

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.MouseButtonPress and watched is self._window:
            self._pressed = {name: self._docks[name].width() for name in WANTED}
        elif event.type() == QEvent.Type.MouseButtonRelease:
            self._released.start()
        elif event.type() == QEvent.Type.LayoutRequest and watched is not self._window:
            self._asked.start()
        return False


class KeptSplitter(QSplitter):
    """Two parts, one above the other: one keeps the height that is wanted for it, and the other has the rest."""

    def __init__(self, parts: Sequence[QWidget], kept: int, wanted: int, rest: int) -> None:
        """``rest`` is the least that is left for the other part."""
        super().__init__(Qt.Orientation.Vertical, childrenCollapsible=False)
        self._kept, self._rest, self._first = kept, rest, wanted
        self.wanted, self.scale = wanted, 1.0
        """What is wanted at the usual size of text, and how much larger the text is."""
        for part in parts:
            self.addWidget(part)
        self.splitterMoved.connect(self._learn)

    def fit(self) -> None:
        high = self.height() - self.handleWidth()
        larger = min(round(self.wanted * self.scale), max(self.wanted, high * 3 // 10))
        kept = max(0, min(larger, high - self._rest))
        self.setSizes([kept, high - kept] if self._kept == 0 else [high - kept, kept])

    def reset(self) -> None:
        self.wanted = self._first
        self.fit()

    def _learn(self) -> None:
        self.wanted = self.sizes()[self._kept]

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()
