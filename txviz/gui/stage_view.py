"""The stage: paints a step's figure and lights up cells. What changes them is in ``editable_stage``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from PySide6.QtCore import QEvent, QPoint, QPointF, QSize, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QWidget

from txviz.figures.area import Area
from txviz.figures.change_marks import changed_corners, edited_frames
from txviz.figures.decimals import block_decimals
from txviz.figures.foot import WORKED, foot
from txviz.figures.grid import Grid
from txviz.figures.marks import Figure, Mark
from txviz.figures.naming import cell_name
from txviz.figures.patches import find_drawing, place_of_pixel
from txviz.figures.place import is_cell
from txviz.figures.stage import Panel, Stage, stage
from txviz.figures.style import Style
from txviz.figures.theme import Theme
from txviz.gui.figure_view import FigureView
from txviz.gui.headers import covers, headers
from txviz.gui.session import Session
from txviz.gui.zooming import point_of, spot_at
from txviz.ops import Index
from txviz.ops.arithmetic import number
from txviz.trace import Step
from txviz.trace.step import Parameter

DOUBLE_CLICK = "double-click to go there"


class StageView(FigureView):
    step_requested = Signal(str)
    """A double click on a tensor asks for the step that made it."""

    has_keys_by_click = True
    largest_zoom = 40.0

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(Style(theme=theme, growth=3.0), parent)
        self._session = session
        self._stage: Stage | None = None
        self._has_more = False
        """Than without the pinned cell, of an axis of which only some is shown."""

        self._figure: Figure | None = None
        self._shown = session.step.name
        self._pinned = session.pinned
        self.setAccessibleName("Stage")
        self.setMinimumSize(QSize(320, 180))
        session.step_changed.connect(self._new_step)
        session.place_changed.connect(self._new_place)
        session.compared.changed.connect(self.refresh)
        session.numbers_changed.connect(self.refresh)
        session.cell_changed.connect(self._show_cell)
        session.changes.changed.connect(self.refresh)

    @property
    def stage(self) -> Stage:
        """The figure as it is now; of a long axis it has the pinned cell, too."""
        if self._stage is None:
            cell = self._session.pinned
            self._stage = self._made(None)
            self._has_more = cell is not None and not self._stage.shows(cell)
            if self._has_more:
                self._stage = self._made(cell)
            self.set_bars(self._stage.figure)
        return self._stage

    def _made(self, cell: Index | None) -> Stage:
        size = self.maximumViewportSize()
        trace, step, place = self._session.trace, self._session.step, self._session.place
        pair, page = self._session.compared.pair, (size.width(), size.height(), self._style)
        if pair is None:
            return stage(step, place, *page, find_drawing(trace), block_decimals(trace, step), cell=cell)
        from txviz.figures.comparison import compared_stage  # few compare

        return compared_stage(pair, step, place, *page, self._session.compared.sides)

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
        if output or name == step.name:
            return step
        return next(source for source in (*step.sources, *self.stage.step.sources) if source.name == name)

    def over(self) -> Sequence[Mark]:
        return (*self._outlines(), *self._headers())

    def figure_shown(self) -> Figure:
        """With the arithmetic of the cell below. The labels that stay in sight are only for what is scrolled."""
        figure = self.figure()
        below = foot({WORKED: self._session.arithmetic}, figure.width, figure.height, self.stage.style)
        return below.below(replace(figure, marks=(*figure.marks, *self._outlines())))

    def follow(self, page: QPointF) -> Callable[[], QPointF]:
        spot = spot_at(self.stage, page.x(), page.y())
        return lambda: QPointF(*point_of(self.stage, spot))

    def _outlines(self) -> Sequence[Mark]:
        """Around the row that is followed, the cell that is looked at, and the cells it was made from."""
        cell, explanation, token = self._session.cell, self._session.explanation, self._session.followed
        rows = () if token is None else self.stage.rows_of(token)
        if cell is not None and self.stage.step is not self._session.step:  # A by itself
            explanation = self.stage.step.explain(cell) if is_cell(self.stage.step, cell) else None
        if cell is None or explanation is None:
            return rows
        return (*rows, *self.stage.outlines(cell, explanation))

    def refresh(self) -> None:
        self._stage = self._figure = None
        self.repaint_all()
        self._describe()

    def _new_step(self) -> None:
        """The same step with other numbers stays as large as it is."""
        self._figure = self._stage = None
        self.pointed.emit("")  # what the pointer was on is of the step, or of the run, before
        if self._session.step.name != self._shown:
            self._shown = self._session.step.name
            self.fit()
        self.refresh()

    def _new_place(self) -> None:
        self.pointed.emit("")
        self.refresh()

    def _show_cell(self) -> None:
        pinned = self._session.pinned
        if pinned != self._pinned and (self._has_more or (pinned is not None and not self.stage.shows(pinned))):
            self.refresh()
        self._pinned = pinned
        self._describe()
        self.viewport().update()

    def _describe(self) -> None:
        """For a screen reader: what the stage shows."""
        step, cell = self._session.step, self._session.cell
        text = f"{step.title}, {step.dimensions}"
        if cell is not None:
            text += f". {cell_name(step, cell)} is {number(float(step.value[cell]))}"
        self.setAccessibleDescription(text)

    def _headers(self) -> Sequence[Mark]:
        """The labels that stay in sight, of a figure that is panned."""
        at, size = self.offset, self.viewport().size()
        return headers(self.stage, Area(at.x(), at.y(), size.width(), size.height())) if at != QPoint() else ()

    def _cell_at(self, page: QPointF) -> tuple[Grid, Index] | None:
        if any(covers(mark, page.x(), page.y()) for mark in self._headers()):
            return None
        found = self.stage.cell_at(page.x(), page.y())
        return found and (found[0].grid, found[1])

    def point_at(self, page: QPointF) -> None:
        found = self._cell_at(page)
        known = found and found[0].output and is_cell(self._session.step, found[1])
        self._session.hover(found[1] if found and known else None)
        self.pointed.emit(self._cell_text(self._side_of(*found), found[0].output, found[1]) if found else "")

    def _cell_text(self, source: Step | Parameter, output: bool, index: Index) -> str:
        value = number(float(source.value[index]), 6)
        if isinstance(source, Step) and source.chosen is not None:
            value += f": {source.chosen}"
        where = cell_name(source, index) if isinstance(source, Step) else f"{source.name}[{', '.join(map(str, index))}]"
        patch = place_of_pixel(self._session.trace, source, index) if isinstance(source, Step) else ""
        hint = "" if output or not isinstance(source, Step) else DOUBLE_CLICK
        return "  ·  ".join(filter(None, (f"{where} = {value}", patch, hint)))

    def _side_of(self, grid: Grid, index: Index) -> Step | Parameter:
        """What the cell is a number of: of two runs beside each other, A has a grid of its own."""
        pair, shown = self._session.compared.pair, self.stage.step
        if pair is not None and (grid.caption == "A" or (grid.output and not is_cell(shown, index))):
            return pair.of_a(self._session.step)
        if grid.output or grid.name == shown.name:
            return shown
        return next(source for source in shown.sources if source.name == grid.name)

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
        cell = panel.grid.index(row, column)
        self._session.pin(cell if is_cell(self._session.step, cell) else None)  # of A by itself, it may be none of B
        x, y, width, height = panel.box([(row, column)])
        self.reveal(x, y, width, height)

    def click_at(self, page: QPointF) -> None:
        found = self._cell_at(page)
        output = found[1] if found and found[0].output and is_cell(self._session.step, found[1]) else None
        self._session.pin(None if output == self._session.pinned else output)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        found = self._cell_at(event.position() + QPointF(self.offset))
        if found and not found[0].output and found[0].name in self._session.names:
            self.step_requested.emit(found[0].name)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._session.hover(None)
