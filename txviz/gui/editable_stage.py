"""The stage with cells that can be changed: says what a click, a key or a drag asks for, and changes nothing itself."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QWidget

from txviz.figures.area import Area
from txviz.figures.marks import Mark
from txviz.figures.selection import Target
from txviz.figures.stage import Panel
from txviz.figures.theme import Theme
from txviz.gui.explanation import HOW_TO_CHANGE
from txviz.gui.figure_view import DRAG
from txviz.gui.headers import covers
from txviz.gui.session import Session
from txviz.gui.stage_view import DOUBLE_CLICK, StageView
from txviz.ops import Index
from txviz.trace import Step
from txviz.trace.step import Parameter

STARTS_A_NUMBER = set("0123456789.-−+")
"""Typed while a cell is chosen, these open the field that changes it."""


class EditableStage(StageView):
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

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        self._operand: tuple[str, Index] | None = None
        """A cell of what the step reads, that was clicked: it can be changed, too."""

        self._grip: QPointF | None = None
        """Where the pointer took hold of a cell."""

        self._dragging = False
        super().__init__(session, theme, parent)
        for changed in (session.numbers_changed, session.step_changed, session.place_changed):
            changed.connect(self._tell_operand)

    def _outlines(self) -> Sequence[Mark]:
        """And around the cell of an operand that was chosen."""
        found = None if self._operand is None else self._box_of(self.target)
        chosen = () if found is None else (found.box(self._style.theme.highlight, 2),)
        return (*super()._outlines(), *chosen)

    def refresh(self) -> None:
        """An operand that another step or run does not have is no longer chosen."""
        sources = {source.name: source.value.shape for source in self._session.step.sources}
        if self._operand is not None and not _is_inside(self._operand[1], sources.get(self._operand[0])):
            self._operand = None
        super().refresh()

    def _new_step(self) -> None:
        if self._session.step.name != self._shown:
            self._operand = None
        super()._new_step()

    def _tell_operand(self) -> None:
        """It has other numbers now."""
        if self._operand is not None:
            self.pointed.emit(self._operand_text(*self._operand))

    def _describe(self) -> None:
        super()._describe()
        if self._operand is not None:
            self.setAccessibleDescription(
                f"{self.accessibleDescription()}. Chosen: {self._operand_text(*self._operand)}"
            )

    def _operand_text(self, name: str, index: Index) -> str:
        return self._cell_text(self._source(name, False), False, index)

    def _cell_text(self, source: Step | Parameter, output: bool, index: Index) -> str:
        text = super()._cell_text(source, output, index)
        chosen = not output and (source.name, index) == self._operand
        return f"{text.removesuffix(DOUBLE_CLICK).rstrip(' ·')}  ·  {HOW_TO_CHANGE}" if chosen else text

    def point_at(self, page: QPointF) -> None:
        """The pointer says where a drag changes something."""
        super().point_at(page)
        held = self._can_be_held(page)
        self.viewport().setCursor(Qt.CursorShape.SizeVerCursor if held else Qt.CursorShape.ArrowCursor)

    def click_at(self, page: QPointF) -> None:
        target = self.target_at(page)
        own = target is not None and target.source is self._session.step
        if target is not None and own and not target.grid.output:  # of B beside A, whose result is their difference
            self._session.pin(None if target.cell == self._session.pinned else target.cell)
        else:
            super().click_at(page)
        operand = (target.source.name, target.cell) if target is not None and not own else None
        self.choose_operand(None if operand == self._operand else operand)
        self.point_at(page)

    # --- cells that can be changed ---

    @property
    def target(self) -> Target | None:
        """The cell that keys change: the one of an operand that was clicked, else the pinned one of the result."""
        step = self._session.step
        name, index = self._operand or (step.name, self._session.pinned)
        found = (each for each in self._changeable if each.grid.name == name and index is not None)
        grid = next((each.grid for each in found if index is not None and each.grid.find(index)), None)
        return None if grid is None or index is None else Target(self._source(name, grid.output), grid, index)

    @property
    def _changeable(self) -> list[Panel]:
        """The panels of the run that edits are made in; of two runs beside each other, that is B."""
        if self.stage.step is not self._session.step:
            return []
        beside = self._session.compared.pair is not None and self._session.compared.sides != "b"
        return [panel for panel in self.stage.panels if not beside or panel.grid.caption == "B"]

    def target_at(self, page: QPointF) -> Target | None:
        if any(covers(mark, page.x(), page.y()) for mark in self._headers()):
            return None
        found = ((panel.grid, panel.cell_at(page.x(), page.y())) for panel in self._changeable)
        hit = ((grid, index) for grid, index in found if index is not None)
        return next((Target(self._source(grid.name, grid.output), grid, index) for grid, index in hit), None)

    def rect_of(self, target: Target | None) -> QRect | None:
        """Where it is seen, on the viewport."""
        found = self._box_of(target)
        return None if found is None else QRectF(*found).toRect().translated(-self.offset)

    def _box_of(self, target: Target | None) -> Area | None:
        if target is None:
            return None
        same = (target.grid.name, target.grid.output)
        panels = (panel for panel in self._changeable if (panel.grid.name, panel.grid.output) == same)
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
            self.pointed.emit(self._operand_text(panel.grid.name, index))
            self.reveal(*panel.box([(row, column)]))

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

    def _can_be_held(self, page: QPointF) -> bool:
        """Whether a drag from here changes a cell: the chosen one."""
        box = self._box_of(self.target)
        return box is not None and box.contains(page.x(), page.y()) and self._cell_at(page) is not None

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
        target = self.target
        if not self._dragging and abs(up) > DRAG and target is not None:  # another run may have come meanwhile
            self._dragging = True
            self.drag_started.emit(target)
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


def _is_inside(index: Index, shape: tuple[int, ...] | None) -> bool:
    return shape is not None and len(index) == len(shape) and all(i < n for i, n in zip(index, shape, strict=True))
