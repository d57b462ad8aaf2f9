"""The stage: paints a step's figure, lights up cells, and asks for what a key, a click or a drag changes in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QWidget

from txviz.figures.area import Area
from txviz.figures.change_marks import changed_corners, edited_frames
from txviz.figures.comparison import compared_stage
from txviz.figures.decimals import block_decimals
from txviz.figures.marks import Figure, Mark
from txviz.figures.naming import cell_name
from txviz.figures.patches import find_drawing, place_of_pixel
from txviz.figures.place import is_cell
from txviz.figures.selection import Target
from txviz.figures.stage import Panel, Stage, stage
from txviz.figures.style import Style
from txviz.figures.theme import Theme
from txviz.gui.explanation import HOW_TO_CHANGE
from txviz.gui.figure_view import DRAG, FigureView
from txviz.gui.headers import covers, headers
from txviz.gui.session import Session
from txviz.gui.zooming import point_of, spot_at
from txviz.ops import Index
from txviz.ops.arithmetic import number
from txviz.trace import Step
from txviz.trace.step import Parameter

STARTS_A_NUMBER = set("0123456789.-−+")
"""Typed while a cell is chosen, these open the field that changes it."""


class StageView(FigureView):
    step_requested = Signal(str)
    """A double click on a tensor asks for the step that made it."""

    menu_requested = Signal(object, QPoint)
    """For a Target, at a point of the screen."""

    number_typed = Signal(object, str)
    """For a Target: the field that changes it is to be opened, with this text."""

    drag_started = Signal(object)
    """Of a Target."""

    dragged = Signal(float, bool)
    """So many pixels up from where it began, and whether finely."""

    drag_ended = Signal(bool)
    """Whether it is to be kept."""

    largest_zoom = 40.0

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(Style(theme=theme, growth=3.0), parent)
        self._session = session
        self._stage: Stage | None = None
        self._figure: Figure | None = None
        self._shown = session.step.name
        self._operand: tuple[str, Index] | None = None
        """A cell of what the step reads, that was clicked: it can be changed, too."""

        self._grip: QPointF | None = None
        """Where the pointer took hold of a cell."""

        self._dragging = False
        self.setAccessibleName("Stage")
        self.setMinimumSize(QSize(320, 180))
        session.step_changed.connect(self._new_step)
        session.place_changed.connect(self.refresh)
        session.compared.changed.connect(self.refresh)
        session.numbers_changed.connect(self.refresh)
        session.cell_changed.connect(self._show_cell)
        session.changes.changed.connect(self.refresh)

    @property
    def stage(self) -> Stage:
        """The figure as it is now."""
        if self._stage is None:
            size = self.maximumViewportSize()
            trace, step, place = self._session.trace, self._session.step, self._session.place
            pair, page = self._session.compared.pair, (size.width(), size.height(), self._style)
            if pair is None:
                self._stage = stage(step, place, *page, find_drawing(trace), block_decimals(trace, step))
            else:
                self._stage = compared_stage(pair, step, place, *page, self._session.compared.sides)
            self.set_bars(self._stage.figure)
        return self._stage

    def figure(self) -> Figure:
        """With marks on what was changed by hand, and on what became of that."""
        if self._figure is None:
            figure = self.stage.figure
            marks = [mark for panel in self.stage.panels for mark in self._changes(panel)]
            self._figure = replace(figure, marks=(*figure.marks, *marks)) if marks else figure
        return self._figure

    def _changes(self, panel: Panel) -> Sequence[Mark]:
        if self._session.compared.pair is not None:  # what differs is outlined
            return ()
        source, theme = self._source(panel.grid.name, panel.grid.output), self._style.theme
        changed = self._session.changes.cells(self._session.step, source)
        corners = () if changed is None else changed_corners(panel, changed, theme)
        return (*corners, *edited_frames(panel, source, theme))

    def _source(self, name: str, output: bool) -> Step | Parameter:
        step = self._session.step
        if output:
            return step
        return next(source for source in (*step.sources, *self.stage.step.sources) if source.name == name)

    def over(self) -> Sequence[Mark]:
        return (*self._outlines(), *self._headers())

    def figure_shown(self) -> Figure:
        """The labels that stay in sight are only for what is scrolled."""
        figure = self.figure()
        return replace(figure, marks=(*figure.marks, *self._outlines()))

    def follow(self, page: QPointF) -> Callable[[], QPointF]:
        spot = spot_at(self.stage, page.x(), page.y())
        return lambda: QPointF(*point_of(self.stage, spot))

    def _outlines(self) -> Sequence[Mark]:
        """Around the row that is followed, the cell that is looked at, and the cells it was made from."""
        cell, explanation, token = self._session.cell, self._session.explanation, self._session.followed
        rows = () if token is None else self.stage.rows_of(token)
        if cell is not None and self.stage.step is not self._session.step:  # A by itself
            explanation = self.stage.step.explain(cell) if is_cell(self.stage.step, cell) else None
        chosen = () if self._operand is None else self._around_operand()
        if cell is None or explanation is None:
            return (*rows, *chosen)
        return (*rows, *self.stage.outlines(cell, explanation), *chosen)

    def _around_operand(self) -> Sequence[Mark]:
        found, colour = self._box_of(self.target), self._style.theme.highlight
        return () if found is None else (found.box(colour, 2),)

    def refresh(self) -> None:
        self._stage = self._figure = None
        self.repaint_all()
        self._describe()

    def _new_step(self) -> None:
        """The same step with other numbers stays as large as it is, and so does what was chosen in it."""
        self._figure = self._stage = None
        if self._session.step.name != self._shown:
            self._shown, self._operand = self._session.step.name, None
            self.pointed.emit("")  # what the pointer was on is of the step before
            self.fit()
        self.refresh()

    # --- cells that can be changed ---

    @property
    def target(self) -> Target | None:
        """The cell that keys change: the one of an operand that was clicked, else the pinned one of the result."""
        name, index, output = (*self._operand, False) if self._operand else ("", self._session.pinned, True)
        if index is None:
            return None
        panels = [panel for panel in self.stage.panels if panel.grid.output == output]
        found = (panel for panel in panels if (output or panel.grid.name == name) and panel.grid.find(index))
        panel = next(found, None)
        return None if panel is None else Target(self._source(name, output), panel.grid, index)

    def target_at(self, page: QPointF) -> Target | None:
        if any(covers(mark, page.x(), page.y()) for mark in self._headers()):
            return None
        found = self.stage.cell_at(page.x(), page.y())
        if found is None:
            return None
        panel, index = found
        return Target(self._source(panel.grid.name, panel.grid.output), panel.grid, index)

    def rect_of(self, target: Target | None) -> QRect | None:
        """Where it is seen, on the viewport."""
        found = self._box_of(target)
        return None if found is None else QRectF(*found).toRect().translated(-self.offset)

    def _box_of(self, target: Target | None) -> Area | None:
        if target is None:
            return None
        same = (target.grid.name, target.grid.output)
        panels = (panel for panel in self.stage.panels if (panel.grid.name, panel.grid.output) == same)
        found = ((panel, panel.grid.find(target.cell)) for panel in panels)
        return next((Area(*panel.box([at])) for panel, at in found if at is not None), None)

    @property
    def operand(self) -> tuple[str, Index] | None:
        """The name of what the step reads, and the cell of it that was chosen."""
        return self._operand

    def choose_operand(self, chosen: tuple[str, Index] | None) -> None:
        if chosen != self._operand:
            self._operand = chosen
            self._describe()
            self.viewport().update()

    def next_tensor(self) -> None:
        """To a cell of the next tensor of those that are shown, and from the last one to the result."""
        panels = {panel.grid.name: panel for panel in self.stage.panels if not panel.grid.output}
        names = ["", *panels]
        here = names.index(self._operand[0]) if self._operand and self._operand[0] in names else 0
        name = names[(here + 1) % len(names)]
        if name:
            self._choose_in(panels[name], 0, 0)
        else:
            self.choose_operand(None)
            if self._session.pinned is None:
                self.move_cell(0, 0)

    def _choose_in(self, panel: Panel, row: int, column: int) -> None:
        if panel.grid.values.size:
            index = panel.grid.index(row, column)
            self.choose_operand((panel.grid.name, index))
            self.pointed.emit(self._cell_text(panel.grid.name, False, index))
            self._reveal(*panel.box([(row, column)]))

    def move_chosen(self, down: int, right: int) -> None:
        """Moves the chosen cell by keyboard, within its tensor."""
        target = self.target
        panels = (panel for panel in self.stage.panels if target is not None and panel.grid is target.grid)
        panel = next(panels, None)
        if target is None or panel is None or panel.grid.output:
            self.move_cell(down, right)
            return
        row, column = panel.grid.find(target.cell) or (0, 0)
        rows, columns = panel.grid.values.shape
        self._choose_in(panel, min(max(row + down, 0), rows - 1), min(max(column + right, 0), columns - 1))

    def _show_cell(self) -> None:
        self._describe()
        self.viewport().update()

    def _describe(self) -> None:
        """For a screen reader: what the stage shows."""
        step, cell = self._session.step, self._session.cell
        text = f"{step.title}, {step.dimensions}"
        if self._operand is not None:
            text += f". Chosen: {self._cell_text(self._operand[0], False, self._operand[1])}"
        if cell is not None:
            text += f". {cell_name(step, cell)} is {number(float(step.value[cell]))}"
        self.setAccessibleDescription(text)

    def _headers(self) -> Sequence[Mark]:
        """The labels that stay in sight, of a figure that is panned."""
        at, size = self.offset, self.viewport().size()
        return headers(self.stage, Area(at.x(), at.y(), size.width(), size.height())) if at != QPoint() else ()

    def _cell_at(self, page: QPointF) -> tuple[str, bool, Index] | None:
        if any(covers(mark, page.x(), page.y()) for mark in self._headers()):
            return None
        found = self.stage.cell_at(page.x(), page.y())
        return found and (found[0].grid.name, found[0].grid.output, found[1])

    def point_at(self, page: QPointF) -> None:
        found = self._cell_at(page)
        known = found and found[1] and is_cell(self._session.step, found[2])
        self._session.hover(found[2] if found and known else None)
        held = self._can_be_held(page)
        self.viewport().setCursor(Qt.CursorShape.SizeVerCursor if held else Qt.CursorShape.ArrowCursor)
        self.pointed.emit(self._cell_text(*found) if found else "")

    def _can_be_held(self, page: QPointF) -> bool:
        """Whether a drag from here changes a cell: the chosen one."""
        box = self._box_of(self.target)
        return box is not None and box.contains(page.x(), page.y()) and self._cell_at(page) is not None

    def _cell_text(self, name: str, output: bool, index: Index) -> str:
        source = self._side_at(index) if output else self._source(name, output)
        value = number(float(source.value[index]), 6)
        if isinstance(source, Step) and source.chosen is not None:
            value += f": {source.chosen}"
        where = cell_name(source, index) if isinstance(source, Step) else f"{name}[{', '.join(map(str, index))}]"
        patch = place_of_pixel(self._session.trace, source, index) if isinstance(source, Step) else ""
        hint = "" if output or not isinstance(source, Step) else "double-click to go there"
        chosen = HOW_TO_CHANGE if not output and (name, index) == self._operand else ""
        return "  ·  ".join(filter(None, (f"{where} = {value}", patch, chosen or hint)))

    def _side_at(self, index: Index) -> Step:
        """The step that is shown; that of A for a cell which B does not have."""
        pair, step = self._session.compared.pair, self.stage.step
        return pair.of_a(step) if pair is not None and not is_cell(step, index) else step

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

    def click_at(self, page: QPointF) -> None:
        found = self._cell_at(page)
        output = found[2] if found and found[1] and is_cell(self._session.step, found[2]) else None
        operand = (found[0], found[2]) if found and not found[1] else None
        self._session.pin(None if output == self._session.pinned else output)
        self.choose_operand(None if operand == self._operand else operand)
        self.point_at(page)

    # --- a drag, a key, the other button ---

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        page = event.position() + QPointF(self.offset)
        left = event.button() == Qt.MouseButton.LeftButton
        self._grip = event.position() if left and self._can_be_held(page) else None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._grip is None or not event.buttons() & Qt.MouseButton.LeftButton:
            if self._dragging:  # the button was let go of where nobody has told
                self._end_drag(keep=True)
            super().mouseMoveEvent(event)
            return
        up = self._grip.y() - event.position().y()
        if not self._dragging and abs(up) > DRAG:
            self._dragging = True
            self.drag_started.emit(self.target)
        if self._dragging:
            self.dragged.emit(up, bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._grip = None
        if self._dragging:
            self._pressed = None
            self._end_drag(keep=True)
        else:
            super().mouseReleaseEvent(event)

    def _end_drag(self, *, keep: bool) -> None:
        self._grip, self._dragging = None, False
        self.drag_ended.emit(keep)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        target = self.target_at(QPointF(event.pos() + self.offset))
        if target is not None and not self._dragging:
            self.menu_requested.emit(target, event.globalPos())

    def ask_menu(self) -> None:
        """By keyboard, at the chosen cell."""
        box = self.rect_of(self.target)
        if box is not None:
            self.menu_requested.emit(self.target, self.viewport().mapToGlobal(box.bottomLeft()))

    def event(self, event: QEvent) -> bool:
        """Esc takes a drag back, and lets go of the cell of an operand; else it is the window's."""
        early = event.type() == QEvent.Type.ShortcutOverride and (self._dragging or self._operand)
        if early and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        target = self.target
        if event.key() == Qt.Key.Key_Escape and self._dragging:
            self._pressed = None
            self._end_drag(keep=False)
        elif event.key() == Qt.Key.Key_Escape and self._operand:
            self.choose_operand(None)
        elif target is not None and event.text() and event.text() in STARTS_A_NUMBER:
            self.number_typed.emit(target, event.text())
        else:
            super().keyPressEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        found = self._cell_at(event.position() + QPointF(self.offset))
        if found and not found[1] and found[0] in self._session.names:
            self.step_requested.emit(found[0])

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._session.hover(None)
