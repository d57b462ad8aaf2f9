"""What the window shows, read from its texts and pixels, and whether its parts agree.

The one place that knows where in the window a thing is to be seen: who moves it changes the reading of it here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from PySide6.QtCore import QModelIndex, QRect, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPalette, QPixmap
from PySide6.QtWidgets import QTreeView, QWidget

from txviz.errors import TxvizError
from txviz.figures.painter import paint
from txviz.figures.place import leading, leading_axes
from txviz.figures.sentences import sentences
from txviz.figures.stage import pictures, stage
from txviz.figures.theme import greys
from txviz.gui.inputs.drawing_editor import DrawingEditor
from txviz.gui.stage_bar import PlaceSlider
from txviz.gui.window import Window
from txviz.models import find
from txviz.models.images import read_image
from txviz.models.request import Request, compute
from txviz.ops import Array, Index
from txviz.trace import Step, Trace

KNOB = 3
"""Pixels by which the middle of the timeline's knob may be off: it has round corners."""


SHADE = 20
"""Levels, of 256, by which a colour may differ and is still taken for the same."""


@dataclass
class Checker:
    """Computes again what the input panel shows; the last result is kept, since most bursts change no input."""

    known: dict[str, Trace | None] = field(default_factory=dict)

    def disagreements(self, window: Window) -> list[str]:
        """A sentence for each part that shows something else than the input panel and the title say."""
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
    name, position, count = title(window)
    if run.get(name) is not run[position - 1] or count != len(run):
        yield f"the title says {name} ({position}/{count}); what is in the panel has {len(run)} steps"
        return
    step, place = run[name], shown_place(window, run[name])
    if counted(window) != (position, count):
        yield f"the title says {position} of {count}, the timeline {counted(window)}"
    wanted = (position - 0.5) / count * window.timeline.scrubber.width()
    if knob(window) and abs(knob(window) - wanted) > KNOB:
        yield f"the timeline's knob is painted at {knob(window)}, and step {position} of {count} is at {wanted:.1f}"
    if marked_steps(window) not in ([], [step.site.labels]) and not _begins_with(window, step):
        yield f"the list marks {marked_steps(window)}, the title says {name}"
    if step_in_list(window, step) and not marked_steps(window):
        yield f"the list shows {name}, and marks nothing"
    painted, wanted_pixels = stage_pixels(window), stage_expected(window, run, step, place)
    if painted.shape != wanted_pixels.shape or (painted != wanted_pixels).any():
        yield f"the stage does not show {name} {place}: it differs in {_where(painted, wanted_pixels)}"
    said = " ".join(sentences(step, place))
    if _plain(said) not in _plain(window.explanation.toPlainText()):
        yield f"below the stage is not said of {name}: {said}"


def _against_panel(window: Window, asked: Request, run: Trace) -> Iterator[str]:
    model, said = answer(window)
    step = run.output_step
    wanted = str(run.output) if step is None else f"{step.title}, {'×'.join(map(str, step.value.shape))}"
    if (model, said) != (run.about["model"], wanted):
        yield f"the answer reads {model} → {said}; the panel holds {asked}, which gives {run.about['model']} → {wanted}"
    painted = board_pixels(window)
    if painted is not None:
        drawn = greys(read_image(asked.source, find(asked.model).takes.size))[..., 0]
        if (painted != drawn)[painted >= 0].any():
            yield f"the board is painted as {painted.tolist()}, and is taken for {drawn.tolist()}"


def title(window: Window) -> tuple[str, int, int]:
    """The step's name, its place and how many there are."""
    found = re.fullmatch(r"txviz — (\S+) \((\d+)/(\d+)\)", window.windowTitle())
    assert found, window.windowTitle()
    return found[1], int(found[2]), int(found[3])


def panel(window: Window) -> Request:
    """What the fields of the input panel say."""
    return window.input.request()


def answer(window: Window) -> tuple[str, str]:
    """The model that is named beside what it says, and what it says."""
    from txviz.gui.toolbar import Toolbar

    (bar,) = window.findChildren(Toolbar)
    model, _, said = bar.output.text().partition("  →  ")
    return model, said


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
    above_the_bars = pixels(scrubber)[scrubber.height() // 2 - 8]
    at = np.flatnonzero((above_the_bars == _rgb(QColor(window.theme.text))).all(axis=1))
    return float(at.mean() + 0.5) if len(at) else -1.0


def marked_steps(window: Window) -> list[tuple[str, ...]]:
    """The rows of the list that are painted as marked, each with the branches that it is in."""
    tree = window.steps.tree
    image = pixels(tree.viewport())
    return [_path(index) for index, place in _rows(tree) if _is_marked(tree, image, place)]


def step_in_list(window: Window, step: Step) -> bool:
    """Whether the whole of its row is to be seen."""
    tree = window.steps.tree
    inside = tree.viewport().rect()
    return any(_path(index) == step.site.labels and inside.contains(place) for index, place in _rows(tree))


def shown_place(window: Window, step: Step) -> Index:
    """Which head and so on is shown, by the texts beside the sliders."""
    sliders = [slider for slider in window.stage_bar.findChildren(PlaceSlider) if slider.isVisible()]
    said = dict(slider.label.text().rsplit(" ", 1) for slider in sliders)
    axes = zip(leading_axes(step), leading(step), strict=True)
    return tuple(int(said[axis]) if size > 1 else 0 for axis, size in axes)


def stage_pixels(window: Window) -> Array:  # -> (height,width,3)
    return pixels(window.stage.viewport())


def stage_expected(window: Window, run: Trace, step: Step, place: Index) -> Array:  # -> (height,width,3)
    """The picture of a step as the stage would have to paint it now, made from the run alone."""
    view, style = window.stage, window.stage.style_shown
    size = view.viewport().size()
    drawn = stage(step, place, size.width(), size.height(), style, pictures(run))
    cell = window.session.cell
    outlines = () if cell is None else drawn.outlines(cell, step.explain(cell))
    page = QPixmap(size * view.devicePixelRatioF())
    page.setDevicePixelRatio(view.devicePixelRatioF())
    page.fill(QColor(style.theme.panel))
    with QPainter(page) as painter:
        painter.translate(-view.horizontalScrollBar().value(), -view.verticalScrollBar().value())
        paint(painter, drawn.figure.marks)
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


def _begins_with(window: Window, step: Step) -> bool:
    """Whether the one row that is marked is a branch, and the step is the first in it."""
    (path, *more) = marked_steps(window)
    names = [labels for labels in (other.site.labels for other in window.session.trace) if labels[: len(path)] == path]
    return not more and step.site.labels in names[:1]


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
