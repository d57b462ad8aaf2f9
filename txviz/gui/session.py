"""Where the user is looking: the one thing in the window that changes.

Traces are immutable, so this is all that views need to observe. Signals are facts that have happened; views ask for a
change by calling a method, and a call that changes nothing says nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from PySide6.QtCore import QObject, Signal

from txviz.figures.followed import Token, cell_of, row_axis, token_at
from txviz.figures.levels.picture import Beside
from txviz.figures.naming import quoted
from txviz.figures.place import full_place, is_cell, leading, leading_axes, place_of
from txviz.figures.worked import worked
from txviz.gui.changes import Changes
from txviz.gui.compared import Compared
from txviz.gui.heights import WHOLE_RUN, height_of, is_lone
from txviz.gui.history import History
from txviz.models.request import Request
from txviz.ops import Index
from txviz.trace import Cell, Step, Trace, cursor
from txviz.trace.outline import Node


class Session(QObject):
    trace_changed = Signal()
    step_changed = Signal()
    """Also after a new trace, when the step has new numbers."""

    numbers_changed = Signal()
    """Of all steps, while a cell is dragged."""

    node_changed = Signal()
    """One looks at another level (a block, the map, or the step itself), or at another picture of it."""

    place_changed = Signal()
    cell_changed = Signal()
    history_changed = Signal()
    beside_changed = Signal()

    def __init__(self, trace: Trace, request: Request | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.changes = Changes(self)
        self._trace = trace
        self._names = [step.name for step in trace]
        self._position = 0
        self.sliding = False
        """Whether a slider above the picture moves: what takes long and is not the picture follows later."""

        self._path: tuple[Node, ...] | None = None
        self._height = 0
        """How far out one looks: the height of the nodes that are shown."""

        self._before_map = 0
        self._pictures: dict[tuple[str, ...], str] = {}
        """Which kind is looked at where there are several: the same wherever there is the same choice."""

        self._place: Index = ()
        self._cell: Index | None = None
        self._pins: dict[tuple[str, Index], Index] = {}
        """The pinned cell of each step and place that has one, and no tokens: who comes back finds it."""

        self._followed: tuple[str, Index, Index] | None = None
        """The step, the place and the cell whose token is followed from step to step."""

        self._columns: dict[str, int] = {}
        """Where on each axis somebody last pinned a cell."""

        self._row: tuple[Step, Index, Token, Index | None] | None = None
        self._explained: tuple[Step, Index, Cell] | None = None
        self._beside: tuple[Beside, ...] | None = None
        self._history = History(request)
        self.compared = Compared(lambda: self._trace, self)

    @property
    def trace(self) -> Trace:
        return self._trace

    @property
    def names(self) -> Sequence[str]:
        return self._names

    @property
    def position(self) -> int:
        return self._position

    @property
    def step(self) -> Step:
        return self._trace[self._position]

    @property
    def path(self) -> tuple[Node, ...]:
        """The nodes around the step, from the run to the step itself."""
        if self._path is None or self._path[-1].first is not self.step:
            self._path = self._trace.outline.path_to(self.step.name)
        return self._path

    @property
    def node(self) -> Node:
        """What is shown: the step, or one of the nodes around it that have more than this one step to show."""
        return next(node for node in self.path if node.height <= self._height and not is_lone(node))

    @property
    def title(self) -> str:
        """Of what is shown: "encoder · layer 0 · attention"; the run is called as its model is."""
        return self.step.title if self.shows_step else self._trace.outline.title_of(self.node.name)

    @property
    def shows_step(self) -> bool:
        """Whether the step itself is shown, and no level above it."""
        return self._height == 0 or not self.node.children

    @property
    def picture(self) -> str:
        """Which picture of the node is shown."""
        return self._pictures.get(self.node.pictures, self.node.pictures[0])

    @property
    def place(self) -> Index:
        """Which matrix of a larger tensor is looked at, such as (2,) for head 2; fits the step."""
        return full_place(self._place, leading(self.step))

    @property
    def headed_step(self) -> Step:
        """The step whose heads can be chosen from: the one that is open, or any of the block that is shown that has
        several, unlike a mask. The colours of an image are for the one that is open."""
        steps = () if self.shows_step else chain((self.step,), self.node.steps)
        many = (step for step in steps if max(leading(step), default=1) > 1)
        return next((step for step in many if "colour" not in leading_axes(step)), self.step)

    @property
    def shown_place(self) -> Index:
        """The same as ``place``, for what is shown."""
        return full_place(self._place, leading(self.headed_step))

    @property
    def cell(self) -> Index | None:
        """The cell of the step's result whose arithmetic is shown: under the pointer, else the pinned one."""
        return self._cell if self._cell is not None else self.pinned

    @property
    def pinned(self) -> Index | None:
        """The cell that was pinned, or that of the token which is followed."""
        token = self.followed
        if token is None or row_axis(self.step) is None:
            cell = self._pins.get((self.step.name, self.place))
        elif self._followed is not None and self._followed[:2] == (self.step.name, self.place):
            cell = self._followed[2]
        else:
            cell = self._cell_of(token)
        return cell if cell is not None and is_cell(self.step, cell) else None

    def _cell_of(self, token: Token) -> Index | None:
        """Looked for once, however often it is asked for."""
        here = self.step, self.place, token
        if self._row is None or self._row[:3] != here:
            self._row = (*here, cell_of(self.step, token, self.place, self._columns))
        return self._row[3]

    @property
    def followed(self) -> Token | None:
        """The token whose row stays chosen, from the cell that was pinned."""
        name, _, cell = self._followed or ("", (), ())
        step = self._trace.get(name)
        return token_at(step, cell) if step is not None and is_cell(step, cell) else None

    @property
    def pin_note(self) -> str:
        """Why the cell stays on show."""
        following = f"following {quoted(self.followed.label)} · Esc lets go" if self.followed else ""
        if self._followed is None or self._followed[:2] == (self.step.name, self.place):
            return " · ".join(filter(None, ("pinned", following)))
        return following

    @property
    def explanation(self) -> Cell | None:
        """The arithmetic of the cell that is looked at; computed once, however often it is painted."""
        step, cell = self.step, self.cell
        if cell is None:
            return None
        if self._explained is None or self._explained[:2] != (step, cell):
            self._explained = (step, cell, step.explain(cell))
        return self._explained[2]

    @property
    def arithmetic(self) -> str:
        """The explanation as a line, ``scores[cat, sat] = …``, with the patch of a pixel; nothing without a cell. Where
        two runs are compared, a line for each."""
        cell, explanation = self.cell, self.explanation
        if cell is None or explanation is None:
            return ""
        return worked(self.trace, self.step, cell, self.compared.pair, explanation)

    @property
    def beside(self) -> tuple[Beside, ...] | None:
        """A line for each run of the same input, for a picture that compares them."""
        return self._beside

    def show_beside(self, runs: tuple[Beside, ...] | None) -> None:
        if runs != self._beside:
            self._beside = runs
            self.beside_changed.emit()

    @property
    def requests(self) -> Sequence[Request]:
        """All inputs that can be gone back to."""
        return self._history.requests

    @property
    def request(self) -> Request | None:
        """What the trace was computed from; None for a trace from a file."""
        return self._history.shown

    def show_trace(self, trace: Trace, request: Request | None, *, remember: bool = True) -> None:
        """Takes a new trace and stays at the step that was open, or the nearest to it, and at its level; who comes back
        to another model finds the step that was open there."""
        name, level, kind = self.step.name, self.node.name, self.picture
        self._history.leave(name)
        self._history.show(request, remember)
        if trace.about.get("model") != self._trace.about.get("model"):
            self._pins, self._followed, self._columns = {}, None, {}
            name = self._history.step or name
        self._row = self._path = None
        self._trace, self._names = trace, [step.name for step in trace]
        self._position = cursor.nearest(trace.steps, name)
        self._keep_level(level, kind)
        self._cell = self._explained = None
        self.tell_trace()

    def show_numbers(self, trace: Trace) -> bool:
        """Takes a run with the same steps while a cell is dragged: the stage shows it at once, and all else when
        ``tell_trace`` is called. Whether it has the same steps, and was taken."""
        if [step.name for step in trace] != self._names:
            return False
        self._trace, self._row, self._explained, self._path = trace, None, None, None
        self.numbers_changed.emit()
        return True

    def tell_trace(self) -> None:
        self.history_changed.emit()
        self.trace_changed.emit()
        self.step_changed.emit()

    def _keep_level(self, name: str, kind: str) -> None:
        """A node of this name may be higher in another run, and have more pictures: with a beam, there is one more
        level below decoding, and a tree."""
        if 0 < self._height < WHOLE_RUN:
            heights = [node.height for node in self.path if node.name == name and node.children]
            self._height = heights[0] if heights else self._height
            if heights and kind in self.node.pictures and kind != self.picture:
                self._pictures[self.node.pictures] = kind

    def end_burst(self) -> None:
        """The next change of the input is to be undone by itself."""
        self._history.end_burst()

    def go_to(self, step: int | str) -> None:
        """By place or by name; places outside are the nearest end."""
        wanted = cursor.nearest(self._trace.steps, step) if isinstance(step, str) else step
        position = max(0, min(wanted, len(self._trace) - 1))
        if position == self._position:
            return
        self._position, self._cell = position, None
        self.step_changed.emit()

    def show_node(self, name: str) -> None:
        """Looks at a node; goes to its first step where the one that was open is not in it."""
        node = self._trace.outline.find(name)
        if node not in self.path:
            self._height = height_of(node)
            self.go_to(self._names.index(node.first.name))
        self._look_from(height_of(node))

    def show_part(self, name: str, at: Index) -> None:
        """Looks at a step, at one of its heads, or at a cell, whose token is then followed."""
        self.show_node(name)
        cell = is_cell(self.step, at)
        self.choose_place(at[:-2] if cell else at)
        if cell:
            self.pin(at)

    def go_out(self) -> None:
        """One level out, to the node around what is shown."""
        around = [node for node in self.path[: self.path.index(self.node)] if not is_lone(node)]
        if around:
            self._look_from(height_of(around[-1]))

    def go_in(self) -> None:
        """One level in, towards the step."""
        place = self.path.index(self.node)
        if place < len(self.path) - 1:
            self._look_from(height_of(self.path[place + 1]))

    def choose_picture(self, kind: str) -> None:
        """Of the node that is shown. From the table of two models it leads to the picture of both."""
        if kind not in self.node.pictures:
            return
        if self.compared.sides == "table":
            self.compared.show("all")
        if kind != self.picture:
            self._pictures[self.node.pictures] = kind
            self.node_changed.emit()

    def next_picture(self) -> None:
        """From the last to the first again."""
        has = self.node.pictures
        self.choose_picture(has[(has.index(self.picture) + 1) % len(has)])

    def toggle_map(self) -> None:
        """To the map of the whole run, or from there back to where one was."""
        if self._height == WHOLE_RUN and self.picture != "map":
            self.choose_picture("map")
        elif self._height == WHOLE_RUN:
            self._look_from(self._before_map)
        else:
            self._before_map = self._height
            self._pictures.pop(self._trace.outline.pictures, None)
            self._look_from(WHOLE_RUN)

    def _look_from(self, height: int) -> None:
        if height == self._height:
            return
        self._height = height
        self.node_changed.emit()

    def move(self, by: int) -> None:
        self.go_to(self._position + by)

    def move_stage(self, by: int) -> None:
        """To the first step of the next stage, or of this or the one before."""
        self.go_to(cursor.next_stage(self._trace.steps, self._position, by))

    def choose_place(self, place: Index) -> None:
        sizes = leading(self.headed_step)
        if len(place) != len(sizes) or any(not 0 <= i < n for i, n in zip(place, sizes, strict=True)):
            return
        if place == self.shown_place:
            return
        self._place, self._cell = place, None
        self.place_changed.emit()

    def move_place(self, by: int) -> None:
        """To the next matrix, or the one before: over the heads of one example, then on to the next."""
        sizes = leading(self.headed_step)
        count, number = 1, 0
        for i, n in zip(self.shown_place, sizes, strict=True):
            count, number = count * n, number * n + i
        self.choose_place(place_of(max(0, min(number + by, count - 1)), sizes))

    def hover(self, cell: Index | None) -> None:
        if cell == self._cell:
            return
        before = self.cell
        self._cell = cell
        if self.cell != before:
            self.cell_changed.emit()

    def pin(self, cell: Index | None) -> None:
        """Keeps a cell's arithmetic on show when the pointer leaves it, and follows its token to the other steps; where
        it has none, it is found again by who comes back. None lets go of both."""
        if cell == self.pinned and (cell is not None or self._followed is None):
            return
        here = self.step.name, self.place
        if cell is None:
            self._pins.pop(here, None)
            self._followed, self._columns = None, {}
        elif row_axis(self.step) is None:
            self._pins[here] = cell
        else:
            self._followed = (*here, cell)
            self._columns.update(zip(self.step.axes, cell, strict=True))
        self._row = None
        self.cell_changed.emit()

    @property
    def can_undo(self) -> bool:
        return self._history.can_undo

    @property
    def can_redo(self) -> bool:
        return self._history.can_redo

    def undo(self) -> Request | None:
        """The input before the one that was last asked for, to be computed; nothing moves before its trace is shown."""
        return self._ask(-1) if self.can_undo else None

    def redo(self) -> Request | None:
        return self._ask(1) if self.can_redo else None

    def _ask(self, by: int) -> Request:
        request = self._history.ask(by)
        self.history_changed.emit()
        return request

    def stay(self) -> Request | None:
        """Nothing came of what was asked for; returns the input that is still shown, if another one was asked for."""
        shown = self._history.stay()
        if shown is not None:
            self.history_changed.emit()
        return shown
