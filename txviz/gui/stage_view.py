"""The stage: paints a step's figure, lights up cells, zooms and pans."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QEvent, QPoint, QPointF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPixmap,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QWidget

from txviz.figures.area import Area
from txviz.figures.decimals import block_decimals
from txviz.figures.marks import Figure, Mark
from txviz.figures.naming import cell_name
from txviz.figures.painter import paint
from txviz.figures.stage import Stage, pictures, stage
from txviz.figures.style import Style
from txviz.figures.theme import Theme
from txviz.gui.guard import guarded
from txviz.gui.headers import covers, headers
from txviz.gui.session import Session
from txviz.gui.zooming import point_of, spot_at
from txviz.ops import Index
from txviz.ops.arithmetic import number
from txviz.trace import Step

SMALLEST_ZOOM, LARGEST_ZOOM = 0.5, 40.0
DRAG = 5
"""Pixels that the pointer may move in a click."""


class StageView(QAbstractScrollArea):
    step_requested = Signal(str)
    """A double click on a tensor asks for the step that made it."""

    pointed = Signal(str)
    """What is under the pointer, for the status bar."""

    zoom_changed = Signal(float)
    first_painted = Signal()

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._style = Style(theme=theme, growth=3.0)
        self._stage: Stage | None = None
        self._picture: QPixmap | None = None
        self._thumbnails = pictures(session.trace)
        self._pressed: QPoint | None = None
        self._dragged = False
        self._painted = False
        self.setAccessibleName("Stage")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFrameShape(QAbstractScrollArea.Shape.NoFrame)
        self.viewport().setMouseTracking(True)
        self.setMinimumSize(QSize(320, 180))
        session.trace_changed.connect(self._new_trace)
        session.step_changed.connect(self._new_step)
        session.place_changed.connect(self.refresh)
        session.cell_changed.connect(self._show_cell)
        for bar in (self.horizontalScrollBar(), self.verticalScrollBar()):
            bar.valueChanged.connect(self._forget_picture)

    @property
    def style_shown(self) -> Style:
        return self._style

    @property
    def stage(self) -> Stage:
        """The figure as it is now."""
        if self._stage is None:
            size = self.maximumViewportSize()  # without scroll bars, which must not change the figure when they come
            step, decimals = self._session.step, block_decimals(self._session.trace, self._session.step)
            self._stage = stage(
                step, self._session.place, size.width(), size.height(), self._style, self._thumbnails, decimals
            )
            self._set_bars(self._stage)
        return self._stage

    def set_style(self, style: Style) -> None:
        if style == self._style:
            return
        zoomed = style.zoom != self._style.zoom
        self._style = style
        self.refresh()
        if zoomed:
            self.zoom_changed.emit(style.zoom)

    def zoom(self, factor: float, around: QPointF | None = None) -> None:
        """Larger or smaller cells; the point ``around`` stays where it is. A factor of 0 fits the window again."""
        wanted = 1.0 if not factor else max(SMALLEST_ZOOM, min(self._style.zoom * factor, LARGEST_ZOOM))
        centre = around or QPointF(self.viewport().rect().center())
        page = centre + QPointF(self._offset())
        spot = spot_at(self.stage, page.x(), page.y())
        self.set_style(replace(self._style, zoom=wanted))
        x, y = point_of(self.stage, spot)
        self.horizontalScrollBar().setValue(round(x - centre.x()))
        self.verticalScrollBar().setValue(round(y - centre.y()))

    def figure_shown(self) -> Figure:
        """The whole figure, with the cell that is looked at."""
        figure = self.stage.figure
        return replace(figure, marks=(*figure.marks, *self._outlines()))

    def _outlines(self) -> Sequence[Mark]:
        """Around the row that is followed, the cell that is looked at, and the cells it was made from."""
        cell, explanation, token = self._session.cell, self._session.explanation, self._session.followed
        rows = () if token is None else self.stage.rows_of(token)
        return rows if cell is None or explanation is None else (*rows, *self.stage.outlines(cell, explanation))

    def refresh(self) -> None:
        self._stage = None
        self._forget_picture()
        self._describe()

    def _new_trace(self) -> None:
        self._thumbnails = pictures(self._session.trace)

    def _new_step(self) -> None:
        self.pointed.emit("")  # what the pointer was on is of the step before
        if self._style.zoom != 1:
            self._style = replace(self._style, zoom=1.0)
            self.zoom_changed.emit(1.0)
        self.refresh()

    def _forget_picture(self) -> None:
        self._picture = None
        self.viewport().update()

    def _show_cell(self) -> None:
        self._describe()
        self.viewport().update()

    def _describe(self) -> None:
        """For a screen reader: what the stage shows."""
        step, cell = self._session.step, self._session.cell
        text = f"{step.title}, {step.dimensions}"
        if cell is not None:
            text += f". {cell_name(step, cell)} is {number(float(step.value[cell]))}"
        self.setAccessibleDescription(text)

    def _set_bars(self, shown: Stage) -> None:
        """Where the figure fits without the bars they go: what they would take is only its margin."""
        size, whole = self.viewport().size(), self.maximumViewportSize()
        for bar, full, seen, most in (
            (self.horizontalScrollBar(), shown.figure.width, size.width(), whole.width()),
            (self.verticalScrollBar(), shown.figure.height, size.height(), whole.height()),
        ):
            bar.setRange(0, round(full) - seen if round(full) > most else 0)
            bar.setPageStep(seen)
            bar.setSingleStep(24)

    def _offset(self) -> QPoint:
        return QPoint(self.horizontalScrollBar().value(), self.verticalScrollBar().value())

    def _headers(self) -> Sequence[Mark]:
        """The labels that stay in sight, of a figure that is panned."""
        at, size = self._offset(), self.viewport().size()
        return headers(self.stage, Area(at.x(), at.y(), size.width(), size.height())) if at != QPoint() else ()

    def _cell_at(self, position: QPointF) -> tuple[str, bool, Index] | None:
        page = position + QPointF(self._offset())
        if any(covers(mark, page.x(), page.y()) for mark in self._headers()):
            return None
        found = self.stage.cell_at(page.x(), page.y())
        return found and (found[0].grid.name, found[0].grid.output, found[1])

    def _point_at(self, position: QPointF) -> None:
        found = self._cell_at(position)
        self._session.hover(found[2] if found and found[1] else None)
        self.pointed.emit(self._cell_text(*found) if found else "")

    def _cell_text(self, name: str, output: bool, index: Index) -> str:
        step = self._session.step
        source = step if output else next(source for source in step.sources if source.name == name)
        value = number(float(source.value[index]), 6)
        if isinstance(source, Step) and source.chosen is not None:
            value += f": {source.chosen}"
        where = cell_name(source, index) if isinstance(source, Step) else f"{name}[{', '.join(map(str, index))}]"
        hint = "" if output or not isinstance(source, Step) else "  ·  double-click to go there"
        return f"{where} = {value}{hint}"

    def move_cell(self, down: int, right: int) -> None:
        """Moves the pinned cell by keyboard, within what is shown of the result."""
        panels = [panel for panel in self.stage.panels if panel.grid.output]
        cell = self._session.cell
        found = [(panel, panel.grid.find(cell)) for panel in panels] if cell is not None else []
        panel, at = next(((panel, at) for panel, at in found if at), (panels[0], None))
        rows, columns = panel.grid.values.shape
        if not rows or not columns:
            return
        row, column = (min(max(at[0] + down, 0), rows - 1), min(max(at[1] + right, 0), columns - 1)) if at else (0, 0)
        self._session.hover(None)
        self._session.pin(panel.grid.index(row, column))
        x, y, width, height = panel.box([(row, column)])
        self._reveal(x, y, width, height)

    def _reveal(self, x: float, y: float, width: float, height: float) -> None:
        for bar, low, high in (
            (self.horizontalScrollBar(), x, x + width),
            (self.verticalScrollBar(), y, y + height),
        ):
            if low < bar.value() or high > bar.value() + bar.pageStep():
                bar.setValue(round((low + high - bar.pageStep()) / 2))

    def _drawn(self) -> QPixmap:
        """The figure without highlights, drawn once for all paints until something changes."""
        if self._picture is None:
            ratio = self.devicePixelRatioF()
            size = self.viewport().size()
            self._picture = QPixmap(size * ratio)
            self._picture.setDevicePixelRatio(ratio)
            self._picture.fill(QColor(self._style.theme.panel))
            marks = self.stage.figure.marks
            with QPainter(self._picture) as painter:
                painter.translate(-self._offset())
                paint(painter, marks)
        return self._picture

    @guarded
    def paintEvent(self, _: QPaintEvent) -> None:
        self.stage  # noqa: B018, may move the scroll bars, so it comes before the picture
        with QPainter(self.viewport()) as painter:
            painter.drawPixmap(0, 0, self._drawn())
            painter.translate(-self._offset())
            paint(painter, self._outlines())
            paint(painter, self._headers())
        if not self._painted:
            self._painted = True
            self.first_painted.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.refresh()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.DevicePixelRatioChange:
            self._forget_picture()

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
        if event.button() == Qt.MouseButton.LeftButton and self._pressed is not None and not self._dragged:
            found = self._cell_at(event.position())
            output = found[2] if found and found[1] else None
            self._session.pin(None if output == self._session.pinned else output)
        self._pressed = None

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        found = self._cell_at(event.position())
        if found and not found[1] and found[0] in self._session.names:
            self.step_requested.emit(found[0])

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._session.hover(None)
        self.pointed.emit("")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        event.ignore()  # all keys are the window's shortcuts; none scrolls by stealth
