"""Shows the picture of a node above the steps: the map, a block, a layer. A click goes to what it shows."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPixmap, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QAbstractScrollArea, QWidget

from txviz.figures.levels import LEVELS, kinds
from txviz.figures.levels.map_page import laid_out
from txviz.figures.levels.picture import NodeScene, Picture, Spot
from txviz.figures.marks import Figure
from txviz.figures.naming import cell_name
from txviz.figures.painter import paint
from txviz.figures.style import Style
from txviz.figures.theme import Theme
from txviz.gui.guard import guarded
from txviz.gui.session import Session
from txviz.ops.arithmetic import number

DRAG = 5
"""Pixels that the pointer may move in a click."""

SMALLEST_ZOOM, LARGEST_ZOOM = 0.5, 8.0


class PictureView(QAbstractScrollArea):
    node_requested = Signal(str)
    pointed = Signal(str)
    """What is under the pointer, for the status bar."""

    zoom_changed = Signal(float)
    first_painted = Signal()

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._style = Style(theme=theme, growth=1.5)
        self._shown: Picture | None = None
        self._drawn: QPixmap | None = None
        self._unfolded: frozenset[str] | None = None
        self._pressed: QPoint | None = None
        self._dragged = self._painted = False
        self.setAccessibleName("Picture")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFrameShape(QAbstractScrollArea.Shape.NoFrame)
        self.viewport().setMouseTracking(True)
        session.trace_changed.connect(self._new_trace)
        for changed in (session.step_changed, session.place_changed):
            changed.connect(self._refresh_if_shown)
        session.node_changed.connect(self._new_node)
        for bar in (self.horizontalScrollBar(), self.verticalScrollBar()):
            bar.valueChanged.connect(self._repaint)

    @property
    def style_shown(self) -> Style:
        return self._style

    def set_style(self, style: Style) -> None:
        zoomed = style.zoom != self._style.zoom
        self._style = style
        self.refresh()
        if zoomed:
            self.zoom_changed.emit(style.zoom)

    @property
    def picture(self) -> Picture:
        """What is shown now."""
        if self._shown is None:
            session, size, zoom = self._session, self.viewport().size(), self._style.zoom
            node = session.node
            width, height = size.width() * zoom, size.height() * zoom
            style = replace(self._style, zoom=1.0, size=self._style.size * zoom)
            scene = NodeScene(
                session.trace, node, session.shown_place, session.step, width, height, style, self._unfolded
            )
            self._shown = LEVELS[kinds(node)[0]].draw(scene)
            self._set_bars(self._shown.figure)
        return self._shown

    @property
    def unfolded(self) -> frozenset[str] | None:
        """The boxes of a map that were opened by hand; None where nobody has touched any."""
        return self._unfolded

    def figure_shown(self) -> Figure:
        return self.picture.figure

    def zoom(self, factor: float, around: QPointF | None = None) -> None:
        """Larger or smaller; the point ``around`` stays where it is. A factor of 0 fits the window again."""
        before = self._style.zoom
        wanted = 1.0 if not factor else max(SMALLEST_ZOOM, min(before * factor, LARGEST_ZOOM))
        centre = around or QPointF(self.viewport().rect().center())
        page = centre + QPointF(self._offset())
        self.set_style(replace(self._style, zoom=wanted))
        self.picture  # noqa: B018, sets the range of the scroll bars
        moved = page * (wanted / before) - centre
        self.horizontalScrollBar().setValue(round(moved.x()))
        self.verticalScrollBar().setValue(round(moved.y()))

    def fold(self, name: str) -> None:
        """Shows what is inside a box of the map, or hides it again."""
        self._unfolded = self.picture.unfolded ^ {name}
        self.refresh()

    def refresh(self) -> None:
        self._shown = None
        self._repaint()
        if not self._session.shows_step:
            self.setAccessibleDescription(f"{self._session.node.title}, at {self._session.step.title}")

    def _refresh_if_shown(self) -> None:
        if self.isVisible() or not self._session.shows_step:
            self.refresh()

    def _new_trace(self) -> None:
        laid_out.cache_clear()  # the old trace may be large
        known = {node.name for node in self._session.trace.outline}
        if self._unfolded is not None and not self._unfolded <= known:
            self._unfolded = None

    def _new_node(self) -> None:
        if self._style.zoom != 1:
            self._style = replace(self._style, zoom=1.0)
            self.zoom_changed.emit(1.0)
        self.refresh()

    def _repaint(self) -> None:
        self._drawn = None
        self.viewport().update()

    def _set_bars(self, figure: Figure) -> None:
        size = self.viewport().size()
        for bar, full, seen in (
            (self.horizontalScrollBar(), figure.width, size.width()),
            (self.verticalScrollBar(), figure.height, size.height()),
        ):
            bar.setRange(0, max(0, round(full) - seen))
            bar.setPageStep(seen)
            bar.setSingleStep(24)

    def _offset(self) -> QPoint:
        return QPoint(self.horizontalScrollBar().value(), self.verticalScrollBar().value())

    def _spot_at(self, position: QPointF) -> Spot | None:
        page = position + QPointF(self._offset())
        return self.picture.spot_at(page.x(), page.y())

    def _point_at(self, position: QPointF) -> None:
        spot = self._spot_at(position)
        self.viewport().setCursor(Qt.CursorShape.PointingHandCursor if spot else Qt.CursorShape.ArrowCursor)
        self.pointed.emit(self._said(spot, position) if spot else "")

    def _said(self, spot: Spot, position: QPointF) -> str:
        """The cell under the pointer where there is one, else what the spot stands for."""
        page = position + QPointF(self._offset())
        index = spot.panel.cell_at(page.x(), page.y()) if spot.panel else None
        step = self._session.trace.get(spot.panel.grid.name) if spot.panel else None
        if index is None or step is None:
            return spot.hint
        return f"{cell_name(step, index)} = {number(float(step.value[index]), 6)}"

    @guarded
    def paintEvent(self, _: QPaintEvent) -> None:
        if self._session.shows_step:
            return
        figure = self.picture.figure  # may move the scroll bars, so it comes before the picture
        if self._drawn is None:
            ratio, size = self.devicePixelRatioF(), self.viewport().size()
            self._drawn = QPixmap(size * ratio)
            self._drawn.setDevicePixelRatio(ratio)
            self._drawn.fill(QColor(self._style.theme.panel))
            with QPainter(self._drawn) as painter:
                painter.translate(-self._offset())
                paint(painter, figure.marks)
        with QPainter(self.viewport()) as painter:
            painter.drawPixmap(0, 0, self._drawn)
        if not self._painted:
            self._painted = True
            self.first_painted.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.refresh()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.DevicePixelRatioChange:
            self._repaint()

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
            self._point_at(event.position())
            return
        moved = event.position().toPoint() - self._pressed
        if self._dragged or moved.manhattanLength() > DRAG:
            self._dragged = True
            self._pressed = event.position().toPoint()
            self.horizontalScrollBar().setValue(self.horizontalScrollBar().value() - moved.x())
            self.verticalScrollBar().setValue(self.verticalScrollBar().value() - moved.y())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        clicked = event.button() == Qt.MouseButton.LeftButton and self._pressed is not None and not self._dragged
        self._pressed = None
        spot = self._spot_at(event.position()) if clicked else None
        if spot is not None and spot.fold:
            self.fold(spot.node)
        elif spot is not None:
            self.node_requested.emit(spot.node)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.pointed.emit("")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        event.ignore()  # all keys are the window's shortcuts
