"""Shows the picture of a node above the steps: the map, a block, a layer. A click goes to what it shows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from PySide6.QtCore import QEvent, QPointF, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPaintEvent
from PySide6.QtWidgets import QWidget

from txviz.figures.area import Area
from txviz.figures.followed import Token
from txviz.figures.levels import LEVELS
from txviz.figures.levels.picture import NodeScene, Picture, Spot
from txviz.figures.marks import Box, Figure, Mark
from txviz.figures.naming import cell_name
from txviz.figures.pair import Pair
from txviz.figures.place import is_cell
from txviz.figures.style import Style
from txviz.figures.theme import Theme
from txviz.gui.changes import LARGEST, radius
from txviz.gui.chosen_spot import Asked, find_spot, next_spot
from txviz.gui.figure_view import FigureView
from txviz.gui.session import Session
from txviz.gui.soon import Soon
from txviz.ops import Index
from txviz.ops.arithmetic import number
from txviz.trace import Step

LEAST = QSize(560, 360)
"""The smallest page that a block is drawn on; a smaller view shows a part of it. A map folds its boxes instead."""


class PictureView(FigureView):
    node_requested = Signal(str)
    part_requested = Signal(str, object)
    """A step, and a head or a cell of it."""
    edit_requested = Signal(str)
    """To be made, or taken back where it is made already."""
    run_requested = Signal(int)
    """One of those beside this run."""
    has_keys_by_click = True
    largest_zoom = 8.0

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(Style(theme=theme, growth=1.5), parent)
        self._session = session
        self._shown: Picture | None = None
        self._unfolded: frozenset[str] | None = None
        self.asked: Asked | None = None
        """What the spot asks for that the keys have chosen."""

        self._token: Token | None = None
        self._pointer: QPointF | None = None
        """Where it is on the view, though it may rest there."""

        self._again = Soon(self, self._tell_again)
        self.setAccessibleName("Picture")
        session.trace_changed.connect(self._new_trace)
        for changed in (session.step_changed, session.place_changed, session.beside_changed, session.compared.changed):
            changed.connect(self._refresh_if_shown)
        session.cell_changed.connect(self._follow_token)
        session.node_changed.connect(self._new_node)
        session.changes.changed.connect(self.viewport().update)

    @property
    def picture(self) -> Picture:
        """What is shown now."""
        if self._shown is None:
            session, style = self._session, replace(self._style, zoom=1.0, size=self._style.size * self._style.zoom)
            view, pair, page = LEVELS[session.picture], session.compared.pair, self._page()
            place, beside = session.shown_place, session.beside if view.compares and pair is None else None
            scene = NodeScene(session.trace, session.node, place, session.step, *page, style, self._unfolded)
            self._token = session.followed
            scene = scene._replace(beside=beside, token=self._token)
            self._shown = view.draw(scene) if pair is None else self._pair(scene, pair)
            self.set_bars(self._shown.figure)
        return self._shown

    def _page(self) -> tuple[float, float]:
        """Its width and height."""
        session, size, zoom = self._session, self.maximumViewportSize(), self._style.zoom
        if session.compared.pair is not None:
            from txviz.figures.levels.pair import pair_page

            wide, high = pair_page(size.width(), size.height(), session.picture, session.compared.sides)
            return wide * zoom, high * zoom
        least = QSize() if session.picture == "map" else LEAST
        return max(size.width(), least.width()) * zoom, max(size.height(), least.height()) * zoom

    def _pair(self, scene: NodeScene, pair: Pair) -> Picture:
        from txviz.figures.levels.pair import draw_pair  # few compare

        return draw_pair(scene, pair, self._session.picture, self._session.compared.sides)

    def figure(self) -> Figure:
        return self.picture.figure

    def over(self) -> Sequence[Mark]:
        """A frame round the spot that the keys have chosen; on the map, a dot at each box that edits have changed:
        the larger, the more. Of two runs it is told how they differ, and not what each was made of."""
        changes, colours = self._session.changes, self._style.theme
        chosen = self.chosen
        if chosen is not None:
            return [Box(*chosen.area.grown(1), stroke=colours.highlight, stroke_width=2.5, radius=3)]
        if not changes or self._session.picture != "map" or self._session.compared.pair is not None:
            return ()
        boxes = {spot.node: spot.area for spot in reversed(self.picture.spots) if spot.node and not spot.fold}
        found = ((area, changes.of(node), changes.is_edited(node)) for node, area in boxes.items())
        return [mark for area, share, edited in found if share for mark in _dot(area, share, edited, colours)]

    @property
    def unfolded(self) -> frozenset[str] | None:
        """The boxes of a map that were opened by hand; None where nobody has touched any."""
        return self._unfolded

    def fold(self, name: str) -> None:
        """Shows what is inside a box of the map, or hides it again."""
        self._unfolded = self.picture.unfolded ^ {name}
        self.refresh()

    def refresh(self) -> None:
        self._shown = None
        self.repaint_all()
        if not self._session.shows_step:
            self.setAccessibleDescription(f"{self._session.node.title}, at {self._session.step.title}")
            if self._pointer is not None or self.asked is not None:
                self._again.start()

    def follow(self, page: QPointF) -> Callable[[], QPointF]:
        before = self._style.zoom
        return lambda: page * (self._style.zoom / before)

    def _refresh_if_shown(self) -> None:
        if self.isVisible() or not self._session.shows_step:
            self.refresh()

    def forget_maps(self) -> None:
        """What was laid out keeps its trace, which may be large."""
        from txviz.figures.levels.map_page import laid_out  # the window is there before anybody asks for a map

        laid_out.cache_clear()

    def _new_trace(self) -> None:
        self.forget_maps()
        outline = self._session.trace.outline
        if self._unfolded is not None and any(outline.get(name) is None for name in self._unfolded):
            self._unfolded = None

    def _follow_token(self) -> None:
        """Another one, or none, is followed."""
        if self._session.followed != self._token:
            self._refresh_if_shown()

    def _new_node(self) -> None:
        self.let_go()
        self.fit()
        self.refresh()

    # --- by keyboard ---

    @property
    def chosen(self) -> Spot | None:
        """The spot that the keys have chosen."""
        return find_spot(self.picture.spots, self.asked)

    def move_chosen(self, down: int, right: int) -> None:
        """To the next candidate, word or head in this direction, where there are any."""
        spot = next_spot(self.picture.spots, self.asked, down, right)
        if spot is not None:
            self.asked = spot.asks
            self._tell_chosen(_by_key(spot))
            self.reveal(*spot.area)

    def let_go(self) -> None:
        if self.asked is not None:
            self.asked = None
            self._tell_chosen("")

    def take_chosen(self) -> None:
        if self.chosen is not None:
            self._take(self.chosen)

    def _tell_chosen(self, said: str) -> None:
        self.pointed.emit(said)
        self.setAccessibleDescription(said)
        self.viewport().update()

    def _tell_again(self) -> None:
        """What was chosen, or is under a pointer that rests: something else may be there now, or have other numbers."""
        if self._session.shows_step:
            return
        if self.chosen is not None:
            self._tell_chosen(_by_key(self.chosen))
        elif self._pointer is not None:
            self.point_at(self._pointer + QPointF(self.offset))
        else:
            self._tell_chosen("")

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if not self._session.shows_step:  # by now a step may be shown, though a button is still held here
            self._pointer = event.position()
            super().mouseMoveEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        self._pointer = None
        super().leaveEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._session.shows_step:
            self._pressed = None
        else:
            super().mouseReleaseEvent(event)

    def point_at(self, page: QPointF) -> None:
        spot = self.picture.spot_at(page.x(), page.y())
        self.viewport().setCursor(Qt.CursorShape.PointingHandCursor if spot else Qt.CursorShape.ArrowCursor)
        self.pointed.emit(self._said(spot, page) if spot else "")

    def _said(self, spot: Spot, page: QPointF) -> str:
        """The cell under the pointer where there is one, else what the spot stands for."""
        index = spot.panel.cell_at(page.x(), page.y()) if spot.panel else None
        step = self._session.trace.get(spot.panel.grid.name) if spot.panel else None
        if index is None or step is None or not is_cell(step, index):
            return spot.hint
        return f"{cell_name(step, index)} = {self._numbers(step, index)}"

    def _numbers(self, step: Step, index: Index) -> str:
        """The number of a cell; where runs are compared, that of A, of B, and their difference."""
        pair, own = self._session.compared.pair, float(step.value[index])
        a = pair.twin(step) if pair is not None else None
        if a is None or a.value.shape != step.value.shape:
            return number(own, 6)
        before = float(a.value[index])
        return f"{number(before, 6)} in A, {number(own, 6)} in B, B − A = {number(own - before, 6)}"

    def click_at(self, page: QPointF) -> None:
        spot = self.picture.spot_at(page.x(), page.y())
        if spot is not None:
            self._take(spot)

    def _take(self, spot: Spot) -> None:
        if spot.fold:
            self.fold(spot.node)
        elif spot.edit:
            self.edit_requested.emit(spot.edit)
        elif spot.run is not None:
            self.run_requested.emit(spot.run)
        elif spot.at:
            self.part_requested.emit(spot.node, spot.at)
        else:
            self.node_requested.emit(spot.node)

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self._session.shows_step:
            super().paintEvent(event)


def _by_key(spot: Spot) -> str:
    return spot.hint.replace("a click", "Enter")


def _dot(area: Area, share: float, edited: bool, theme: Theme) -> list[Mark]:
    """On the upper right corner of a box, where no text is; with a ring around it where something was edited."""
    size, x, y = radius(share), area.right, area.y
    marks: list[Mark] = [_disc(x, y, LARGEST + 2, theme.panel, theme.text if edited else None)]
    return [*marks, _disc(x, y, size, theme.text)]


def _disc(x: float, y: float, radius: float, fill: str, stroke: str | None = None) -> Box:
    return Box(x - radius, y - radius, 2 * radius, 2 * radius, fill=fill, stroke=stroke, radius=radius)
