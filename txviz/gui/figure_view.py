"""Paints a figure that fills the view, or is larger and has scroll bars: zoomed and panned by wheel and pointer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPixmap, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QAbstractScrollArea, QWidget

from txviz.figures.marks import Figure, Mark
from txviz.figures.painter import paint
from txviz.figures.style import Style
from txviz.gui.guard import guarded

DRAG = 5
"""Pixels that the pointer may move in a click."""

SMALLEST_ZOOM = 0.5


class FigureView(QAbstractScrollArea):
    """Its two kinds, for steps and for levels, say what the figure is, what lies over it and what a point of it is."""

    pointed = Signal(str)
    """What is under the pointer, for the status bar."""

    zoom_changed = Signal(float)
    first_painted = Signal()
    largest_zoom: float

    def __init__(self, style: Style, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._style = style
        self._drawn: QPixmap | None = None
        self._pressed: QPoint | None = None
        self._dragged = self._painted = False
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFrameShape(QAbstractScrollArea.Shape.NoFrame)
        self.viewport().setMouseTracking(True)
        for bar in (self.horizontalScrollBar(), self.verticalScrollBar()):
            bar.valueChanged.connect(self.repaint_all)

    # --- what each kind of view says ---

    def figure(self) -> Figure:
        """As it is now, laid out for ``maximumViewportSize()``: scroll bars must not change it when they come."""
        raise NotImplementedError

    def over(self) -> Sequence[Mark]:
        """What is painted over the figure, and changes more often than it does."""
        return ()

    def refresh(self) -> None:
        """Lays the figure out anew."""
        raise NotImplementedError

    def follow(self, page: QPointF) -> Callable[[], QPointF]:
        """Tells, when the figure has another size, where the thing is that is at ``page`` now."""
        raise NotImplementedError

    def point_at(self, page: QPointF) -> None:
        raise NotImplementedError

    def click_at(self, page: QPointF) -> None:
        raise NotImplementedError

    # --- style and zoom ---

    @property
    def style_shown(self) -> Style:
        return self._style

    def set_style(self, style: Style) -> None:
        if style == self._style:
            return
        zoomed = style.zoom != self._style.zoom
        self._style = style
        self.refresh()
        if zoomed:
            self.zoom_changed.emit(style.zoom)

    def fit(self) -> None:
        """The whole figure again, for something new."""
        self.set_style(replace(self._style, zoom=1.0))

    def zoom(self, factor: float, around: QPointF | None = None) -> None:
        """Larger or smaller; the point ``around`` stays where it is. A factor of 0 fits the window again."""
        wanted = 1.0 if not factor else max(SMALLEST_ZOOM, min(self._style.zoom * factor, self.largest_zoom))
        centre = around or QPointF(self.viewport().rect().center())
        now = self.follow(centre + QPointF(self.offset))
        self.set_style(replace(self._style, zoom=wanted))
        self.figure()  # sets the range of the scroll bars
        self._scroll_to(now() - centre)

    # --- scroll bars ---

    @property
    def offset(self) -> QPoint:
        """The point of the figure that is at the top left."""
        return QPoint(self.horizontalScrollBar().value(), self.verticalScrollBar().value())

    def set_bars(self, figure: Figure) -> None:
        """Where the figure fits they go, since what they would take is only its margin."""
        size, whole = self.viewport().size(), self.maximumViewportSize()
        for bar, full, seen, most in (
            (self.horizontalScrollBar(), figure.width, size.width(), whole.width()),
            (self.verticalScrollBar(), figure.height, size.height(), whole.height()),
        ):
            bar.setRange(0, round(full) - seen if round(full) > most else 0)
            bar.setPageStep(seen)
            bar.setSingleStep(24)

    def _scroll_to(self, point: QPointF) -> None:
        self.horizontalScrollBar().setValue(round(point.x()))
        self.verticalScrollBar().setValue(round(point.y()))

    def reveal(self, x: float, y: float, width: float, height: float) -> None:
        """Scrolls to a part of the figure that is not in sight."""
        for bar, low, high in (
            (self.horizontalScrollBar(), x, x + width),
            (self.verticalScrollBar(), y, y + height),
        ):
            if low < bar.value() or high > bar.value() + bar.pageStep():
                bar.setValue(round((low + high - bar.pageStep()) / 2))

    # --- painting ---

    def figure_shown(self) -> Figure:
        """The whole figure, with what lies over it."""
        figure = self.figure()
        return replace(figure, marks=(*figure.marks, *self.over()))

    def repaint_all(self) -> None:
        self._drawn = None
        self.viewport().update()

    def _pixmap(self, figure: Figure) -> QPixmap:
        """The figure without what lies over it, drawn once for all paints until something changes: also the screen,
        for one with smaller pixels."""
        ratio = self.devicePixelRatioF()
        if self._drawn is None or self._drawn.devicePixelRatio() != ratio:
            self._drawn = QPixmap(self.viewport().size() * ratio)
            self._drawn.setDevicePixelRatio(ratio)
            self._drawn.fill(QColor(self._style.theme.panel))
            with QPainter(self._drawn) as painter:
                painter.translate(-self.offset)
                paint(painter, figure.marks)
        return self._drawn

    @guarded
    def paintEvent(self, _: QPaintEvent) -> None:
        figure = self.figure()  # may move the scroll bars, so it comes before the pixmap
        with QPainter(self.viewport()) as painter:
            painter.drawPixmap(0, 0, self._pixmap(figure))
            painter.translate(-self.offset)
            paint(painter, self.over())
        if not self._painted:
            self._painted = True
            self.first_painted.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.refresh()

    # --- wheel, pointer and keys ---

    def wheelEvent(self, event: QWheelEvent) -> None:
        turned = event.angleDelta().y()
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier and turned:
            self.zoom(1.2 ** (turned / 120), event.position())
            event.accept()
        else:
            super().wheelEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        if event.button() in (Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton):
            self._pressed, self._dragged = event.position().toPoint(), False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._pressed is None:
            self.point_at(event.position() + QPointF(self.offset))
            return
        moved = event.position().toPoint() - self._pressed
        if self._dragged or moved.manhattanLength() > DRAG:
            self._dragged = True
            self._pressed = event.position().toPoint()
            self._scroll_to(QPointF(self.offset - moved))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        clicked = event.button() == Qt.MouseButton.LeftButton and self._pressed is not None and not self._dragged
        self._pressed = None
        if clicked:
            self.click_at(event.position() + QPointF(self.offset))

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.pointed.emit("")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        event.ignore()  # all keys are the window's shortcuts; none scrolls by stealth
