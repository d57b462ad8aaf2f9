"""What the window shows, read from its texts and pixels, and whether its parts agree.

The one place that knows where in the window a thing is to be seen: who moves it changes the reading of it here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from PySide6.QtCore import QModelIndex, QRect, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPalette, QPixmap
from PySide6.QtWidgets import QTreeView, QWidget

from txviz.errors import TxvizError
from txviz.figures.answer import answers
from txviz.figures.decimals import block_decimals
from txviz.figures.levels import LEVELS
from txviz.figures.levels.picture import NodeScene
from txviz.figures.marks import Mark
from txviz.figures.painter import paint
from txviz.figures.place import full_place, leading, leading_axes
from txviz.figures.sentences import sentences
from txviz.figures.stage import pictures, stage
from txviz.figures.theme import greys
from txviz.gui.inputs.drawing_editor import DrawingEditor
from txviz.gui.picture_view import PictureView
from txviz.gui.stage_bar import PlaceSlider
from txviz.gui.stage_view import StageView
from txviz.gui.window import Window
from txviz.models import find
from txviz.models.images import read_image
from txviz.models.request import Request, compute
from txviz.ops import Array, Index
from txviz.trace import Step, Trace
from txviz.trace.outline import Node

ABOVE_THE_BARS = 9
"""A line of the timeline that the knob reaches, and no bar."""

KNOB = 3
"""Pixels by which the middle of the timeline's knob may be off: it has round corners."""


START = "txviz — start"

SHADE = 20
"""Levels, of 256, by which a colour may differ and is still taken for the same."""


@dataclass
class Checker:
    """Computes again what the input panel shows; the last result is kept, since most bursts change no input."""

    known: dict[str, Trace | None] = field(default_factory=dict)

    def disagreements(self, window: Window) -> list[str]:
        """A sentence for each part that shows something else than the input panel and the title say."""
        if window.windowTitle() == START:
            return []  # the start page lies over all of it
        asked = panel(window)
        run = self._run(asked)
        if run is None:  # an input that is refused: all but the panel still shows the run before
            shown = window.session.request
            run = window.session.trace if shown is None else self._run(shown)
            assert run is not None
        return [*_against_title(window, run), *_against_panel(window, asked, run)]

    def _run(self, request: Request) -> Trace | None:
        key = repr(request)
        if key not in self.known:
            try:
                self.known = {key: compute(request)}
            except TxvizError:
                return None
        return self.known[key]


def _against_title(window: Window, run: Trace) -> Iterator[str]:
    level, name, position, count = title(window)
    if run.get(name) is not run[position - 1] or count != len(run):
        yield f"the title says {name} ({position}/{count}); what is in the panel has {len(run)} steps"
        return
    step = run[name]
    node = run.outline.get("" if level == "map" else level or name)
    if node is None or step.name not in {each.name for each in node.steps}:
        yield f"the title says {level}, and {name}, which is not in it"
        return
    place = shown_place(window, next((each for each in (step, *node.steps) if leading(each)), step))
    if counted(window) != (position, count):
        yield f"the title says {position} of {count}, the timeline {counted(window)}"
    wanted = (position - 0.5) / count * window.timeline.scrubber.width()
    if knob(window) and abs(knob(window) - wanted) > KNOB:
        yield f"the timeline's knob is painted at {knob(window)}, and step {position} of {count} is at {wanted:.1f}"
    path = tuple(each.title if each.name else f"{each.title}: map" for each in run.outline.path_to(node.name))
    if marked_nodes(window) not in ([], [path]):
        yield f"the list marks {marked_nodes(window)}, the title says {level} {name}"
    if node_in_list(window, path) and not marked_nodes(window):
        yield f"the list shows {path}, and marks nothing"
    painted, wanted_pixels = picture_pixels(window), picture_expected(window, run, node, step, place)
    if painted.shape != wanted_pixels.shape or (painted != wanted_pixels).any():
        yield f"the picture is not that of {level} {name} {place}: it differs in {_where(painted, wanted_pixels)}"
    said = step.what if node.children else " ".join(sentences(step, full_place(place, leading(step))))
    if _plain(said) not in _plain(window.explanation.toPlainText()):
        yield f"below the stage is not said of {name}: {said}"


def _against_panel(window: Window, asked: Request, run: Trace) -> Iterator[str]:
    wanted = answers(run)(title(window)[2] - 1).text
    if answer(window) != wanted:
        yield f"the answer reads {answer(window)}; the panel holds {asked}, which gives {wanted}"
    painted = board_pixels(window)
    if painted is not None:
        drawn = greys(read_image(asked.source, find(asked.model).takes.size))[..., 0]
        if (painted != drawn)[painted >= 0].any():
            yield f"the board is painted as {painted.tolist()}, and is taken for {drawn.tolist()}"


def title(window: Window) -> tuple[str, str, int, int]:
    """The level that is shown above the step, if any, the step's name, its place and how many there are."""
    found = re.fullmatch(r"txviz — (?:(\S+) · )?(\S+) \((\d+)/(\d+)\)", window.windowTitle())
    assert found, window.windowTitle()
    return found[1] or "", found[2], int(found[3]), int(found[4])


def panel(window: Window) -> Request:
    """What the fields of the input panel say."""
    return window.input.request()


def answer(window: Window) -> str:
    """What the badge says."""
    return window.badge.accessibleDescription()


def counted(window: Window) -> tuple[int, int]:
    """``step 3 of 21`` beside the timeline."""
    found = re.fullmatch(r"step ([\d,]+) of ([\d,]+)", window.timeline.count.text())
    assert found, window.timeline.count.text()
    return int(found[1].replace(",", "")), int(found[2].replace(",", ""))


def knob(window: Window) -> float:
    """Where the middle of the timeline's knob is painted; 0 where the timeline is not to be seen."""
    scrubber = window.timeline.scrubber
    if scrubber.visibleRegion().isEmpty():
        return 0.0
    above_the_bars = pixels(scrubber)[ABOVE_THE_BARS]
    at = np.flatnonzero((above_the_bars == _rgb(QColor(window.theme.text))).all(axis=1))
    return float(at.mean() + 0.5) if len(at) else -1.0


def marked_nodes(window: Window) -> list[tuple[str, ...]]:
    """The rows of the list that are painted as marked, each with the branches that it is in."""
    tree = window.steps.tree
    image = pixels(tree.viewport())
    return [_path(index) for index, place in _rows(tree) if _is_marked(tree, image, place)]


def node_in_list(window: Window, path: tuple[str, ...]) -> bool:
    """Whether the whole of its row is to be seen."""
    tree = window.steps.tree
    inside = tree.viewport().rect()
    return any(_path(index) == path and inside.contains(place) for index, place in _rows(tree))


def shown_place(window: Window, step: Step) -> Index:
    """Which head and so on is shown, by the texts beside the sliders."""
    sliders = [slider for slider in window.stage_bar.findChildren(PlaceSlider) if slider.isVisible()]
    said = dict(slider.label.text().rsplit(" ", 1) for slider in sliders)
    axes = zip(leading_axes(step), leading(step), strict=True)
    return tuple(int(said[axis]) if size > 1 else 0 for axis, size in axes)


def picture_pixels(window: Window) -> Array:  # -> (height,width,3)
    view = window.area.currentWidget()
    assert isinstance(view, StageView | PictureView)
    return pixels(view.viewport())


def picture_expected(window: Window, run: Trace, node: Node, step: Step, place: Index) -> Array:
    """The picture of a step or of a level as it would have to be painted now, made from the run alone."""
    if node.children:
        return _painted(window.area.picture, *_level(window, run, node, step, place))
    return _painted(window.area.stage, *_step(window, run, step, place))


def _step(window: Window, run: Trace, step: Step, place: Index) -> tuple[Sequence[Mark], Sequence[Mark]]:
    style, size = window.stage.style_shown, window.stage.viewport().size()
    decimals = block_decimals(run, step)
    drawn = stage(step, place, size.width(), size.height(), style, pictures(run), decimals)
    cell = window.session.cell
    return drawn.figure.marks, () if cell is None else drawn.outlines(cell, step.explain(cell))


def _level(window: Window, run: Trace, node: Node, step: Step, place: Index) -> tuple[Sequence[Mark], Sequence[Mark]]:
    view = window.area.picture
    size, zoom = view.viewport().size(), view.style_shown.zoom
    style = replace(view.style_shown, zoom=1.0, size=view.style_shown.size * zoom)
    page = size.width() * zoom, size.height() * zoom
    scene = NodeScene(run, node, place, step, *page, style, view.unfolded)
    return LEVELS[node.pictures[0]].draw(scene).figure.marks, ()


def _painted(view: StageView | PictureView, marks: Sequence[Mark], outlines: Sequence[Mark]) -> Array:
    style, size = view.style_shown, view.viewport().size()
    page = QPixmap(size * view.devicePixelRatioF())
    page.setDevicePixelRatio(view.devicePixelRatioF())
    page.fill(QColor(style.theme.panel))
    with QPainter(page) as painter:
        painter.translate(-view.horizontalScrollBar().value(), -view.verticalScrollBar().value())
        paint(painter, marks)
        paint(painter, outlines)
    return _rgb_pixels(page.toImage())


def board_pixels(window: Window) -> Array | None:  # -> (rows,columns)
    """The greys that the drawing board is painted with, from 0 to 255; −1 where a number is being typed."""
    editor = window.input.page.editor
    if not isinstance(editor, DrawingEditor) or not editor.board.isVisible():
        return None
    board, image = editor.board, pixels(editor.board)
    rows, columns = board.pixels.shape
    corners = [[board.cell_rect(row, column).topLeft() for column in range(columns)] for row in range(rows)]
    found = np.array([[image[corner.y() + 5, corner.x() + 5, 0] for corner in line] for line in corners], dtype=int)
    if "typing" in board.accessibleDescription():
        row, column = map(int, re.findall(r"\d+", board.accessibleDescription())[:2])
        found[row - 1, column - 1] = -1
    return found


def pixels(widget: QWidget) -> Array:  # -> (height,width,3)
    """A widget as it is painted."""
    return _rgb_pixels(widget.grab().toImage())


def _rgb_pixels(image: QImage) -> Array:  # -> (height,width,3)
    image = image.convertToFormat(QImage.Format.Format_RGB888)
    lines = np.frombuffer(image.constBits(), dtype=np.uint8).reshape(image.height(), image.bytesPerLine())
    return lines[:, : 3 * image.width()].reshape(image.height(), image.width(), 3).copy()


def _rows(tree: QTreeView) -> Iterator[tuple[QModelIndex, QRect]]:
    """The rows that are in view, with where they are."""
    if tree.visibleRegion().isEmpty():
        return
    index = tree.indexAt(QRect(0, 0, 1, 1).topLeft())
    while index.isValid() and tree.visualRect(index).top() < tree.viewport().height():
        yield index, tree.visualRect(index)
        index = tree.indexBelow(index)


def _is_marked(tree: QTreeView, image: Array, place: QRect) -> bool:
    """Whether most of a line of the row has about the colour of a selection (under the pointer it is a shade off)."""
    seen = place.intersected(tree.viewport().rect())
    if seen.height() < 3:
        return False
    groups = (QPalette.ColorGroup.Active, QPalette.ColorGroup.Inactive)
    colours = [_rgb(tree.palette().color(group, QPalette.ColorRole.Highlight)) for group in groups]
    line = image[seen.top() + 2, seen.left() : seen.right() + 1].astype(int)
    return any((abs(line - colour) < SHADE).all(axis=1).mean() > 0.5 for colour in colours)


def _rgb(colour: QColor) -> tuple[int, int, int]:
    return colour.red(), colour.green(), colour.blue()


def _path(index: QModelIndex) -> tuple[str, ...]:
    labels: list[str] = []
    while index.isValid():
        labels.insert(0, str(index.data(Qt.ItemDataRole.DisplayRole)))
        index = index.parent()
    return tuple(labels)


def _where(a: Array, b: Array) -> str:
    if a.shape != b.shape:
        return f"size, {a.shape} and {b.shape}"
    rows, columns = np.nonzero((a != b).any(axis=2))
    return f"{len(rows)} pixels between {columns.min()}, {rows.min()} and {columns.max()}, {rows.max()}"


def _plain(text: str) -> str:
    return " ".join(text.split())
