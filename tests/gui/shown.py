"""What the window shows, read from its texts and pixels, and whether its parts agree.

The one place that knows where in the window a thing is to be seen: who moves it changes the reading of it here.

What is in the input panel is computed again, and what the title names is looked up in that run. From these two alone
come the texts and pictures that the rest of the window is held against.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypeVar

import numpy as np
from PySide6.QtCore import QCoreApplication, QModelIndex, QPoint, QRect, Qt
from PySide6.QtGui import QImage, QPalette
from PySide6.QtWidgets import QTreeView, QWidget

from txviz.errors import TxvizError
from txviz.figures.levels import LEVELS
from txviz.figures.place import leading_axes, leading_labels
from txviz.figures.sentences import sentences
from txviz.figures.theme import greys
from txviz.gui.answer_badge import AnswerBadge
from txviz.gui.editable_stage import EditableStage
from txviz.gui.inputs.drawing_editor import DrawingEditor
from txviz.gui.picture_view import PictureView
from txviz.gui.plots import PLOTS
from txviz.gui.scrubber import Scrubber
from txviz.gui.session import Session
from txviz.gui.stage_area import StageArea
from txviz.gui.stage_bar import PlaceSlider
from txviz.gui.window import Window
from txviz.models import find
from txviz.models.images import read_image
from txviz.models.model import Model
from txviz.models.request import Request, compute
from txviz.ops import Array, Index
from txviz.trace import Step, Trace
from txviz.trace.outline import Node

SHADE = 20
"""Levels, of 256, by which a colour may differ and is still taken for the same."""

ROUNDING = 16
"""Of 255: so much the edges of large letters differ (13 was seen) by what else Qt has painted with them before. A mark,
a number or a frame that should not be there differs by more."""

FRAME = 4
"""Pixels at the edge of a widget that has the focus or the pointer: they tell of that alone."""

RING = 4
"""The same of a cell of the drawing board, round the cursor."""

Texts = list[str]
V = TypeVar("V", EditableStage, PictureView)


class Checker:
    """Keeps the run of the last input, since few events change it."""

    def __init__(self) -> None:
        self._known: tuple[tuple[str, Model], Trace] | None = None

    def disagreements(self, window: Window) -> Texts:
        """A sentence for each part that shows something else than input panel and title say; none where all agree."""
        if window.overlays.start_page is not None:
            return []  # it lies over all of it
        asked = panel(window)
        shown = window.session
        run = shown.trace if shown.request is None else self._run(asked)  # from a file, or with weights that are gone
        if run is None:  # an input that is refused: all but the panel still shows the run before
            assert shown.request is not None
            run = self._run(shown.request)
            assert run is not None
        name, node, position, count = title(window)
        if count != len(run) or run.get(name) is not run[position - 1]:
            held = f"the panel holds {asked}, whose run has {len(run)} steps; {window.session.request} was shown last"
            return [f"the title reads {window.windowTitle()}; {held}"]
        twin = Session(run, asked)
        twin.deleteLater()  # in this thread: the garbage collector may run in another
        compared = window.session.compared  # what A is can't be typed again
        twin.compared.show(compared.sides)
        twin.compared.keep(compared.trace, compared.request)
        twin.changes.follow(window.session.changes)
        twin.go_to(position - 1)
        while twin.node.name != node and twin.node is not twin.path[0]:
            twin.go_out()
        return [wrong for check in _CHECKS for wrong in check(window, twin)]

    def _run(self, request: Request) -> Trace | None:
        try:
            asked = repr(request), find(request.model)  # another one while it is trained
            if self._known is None or self._known[0] != asked:
                self._known = asked, compute(request)
        except TxvizError:
            return None
        return self._known[1]


# --- what is read ---


def title(window: Window) -> tuple[str, str, int, int]:
    """The step's name, the name of the level that is shown, the step's place, and how many steps there are."""
    found = re.fullmatch(r"txviz — (?:(\S+) · )?(\S+) \((\d+)/(\d+)\)", window.windowTitle())
    assert found, window.windowTitle()
    level = found[2] if found[1] is None else "" if found[1] in window.session.trace.outline.pictures else found[1]
    return found[2], level, int(found[3]), int(found[4])


def panel(window: Window) -> Request:
    """What the fields of the input panel hold."""
    return window.input.request()


def counted(window: Window) -> str:
    """``step 3 of 21``, beside the timeline."""
    return window.timeline.count.text()


def picture(window: Window) -> str:
    """The kind that the pressed button above the picture names, or the list; nothing where there are neither."""
    pictures = window.stage_bar.pictures
    pressed = [title for title, button in pictures.buttons.items() if button.isChecked()]
    pressed = [pictures.list.currentText()] if pictures.list.count() else pressed
    return next((kind for kind, view in LEVELS.items() if pressed == [view.title]), "")


def words(window: Window) -> str:
    """Below the picture."""
    return _plain(window.explanation.toPlainText())


def marked_rows(window: Window) -> list[tuple[str, ...]]:
    """The rows of the list that are painted as marked, each after the rows that it is inside of."""
    tree = window.steps.tree
    rows = list(_rows(tree))
    if not rows:
        return []  # to grab what is hidden would lay out the window as if it were shown
    image = pixels(tree.viewport())
    return [_path(index) for index, place in rows if _is_marked(tree, image, place)]


def rows_in_view(window: Window) -> list[tuple[str, ...]]:
    """The rows of the list that can be seen whole."""
    tree = window.steps.tree
    inside = tree.viewport().rect()
    return [_path(index) for index, place in _rows(tree) if inside.contains(place)]


def shown_place(window: Window, step: Step) -> Index:
    """Which head and so on of a step is shown, by the texts beside the sliders."""
    sliders = [slider for slider in window.stage_bar.findChildren(PlaceSlider) if not slider.isHidden()]
    said = dict(slider.label.text().rsplit(" ", 1) for slider in sliders)
    axes = zip(leading_axes(step), leading_labels(step), strict=True)
    return tuple(labels.index(said[axis]) if len(labels) > 1 else 0 for axis, labels in axes)


def board_greys(window: Window) -> Array | None:  # -> (rows,columns)
    """What the drawing board is painted with, from 0 to 255; −1 where a number is being typed."""
    editor = window.input.page.editor
    if not isinstance(editor, DrawingEditor) or not editor.board.isVisible():
        return None
    board, image = editor.board, pixels(editor.board)[..., 0]
    found = np.zeros(board.pixels.shape, dtype=int)
    for row, column in np.ndindex(found.shape):
        cell = painted_at(board, board.cell_rect(row, column).adjusted(RING, RING, -RING, -RING))
        inside = image[cell.top() : cell.bottom(), cell.left() : cell.right()]
        found[row, column] = np.bincount(inside.ravel()).argmax()  # most of it is not the number that it is written on
    if "typing" in board.accessibleDescription():
        row, column = map(int, re.findall(r"\d+", board.accessibleDescription())[:2])
        found[row - 1, column - 1] = -1
    return found


def pixels(widget: QWidget) -> Array:  # -> (height,width,3)
    """A widget as it is painted."""
    return _rgb_of(widget.grab().toImage())


def painted_at(widget: QWidget, place: QRect) -> QRect:
    """A place of a widget among its pixels, of which there are more on some screens."""
    ratio = widget.devicePixelRatioF()
    corners = [
        QPoint(round(x * ratio), round(y * ratio))
        for x, y in (place.topLeft().toTuple(), place.bottomRight().toTuple())
    ]
    return QRect(*corners)


# --- what it is held against ---


def _check_count(window: Window, twin: Session) -> Iterator[str]:
    wanted = f"step {twin.position + 1:,} of {len(twin.trace):,}"
    if counted(window) != wanted:
        yield f"beside the timeline is {counted(window)}, the title says {wanted}"


def _check_timeline(window: Window, twin: Session) -> Iterator[str]:
    """The handle, the parts and their labels."""
    yield from _compare("timeline", window.timeline.scrubber, Scrubber(twin, window.theme))


def _check_answer(window: Window, twin: Session) -> Iterator[str]:
    yield from _compare("answer", window.badge, AnswerBadge(twin, window.theme))


def _check_list(window: Window, twin: Session) -> Iterator[str]:
    marked, wanted = marked_rows(window), _labels(twin.trace.outline.path_to(twin.node.name))
    if marked not in ([], [wanted]):
        yield f"the list marks {marked}, the title says {wanted}"
    elif not marked and wanted in rows_in_view(window):
        yield f"the list shows {wanted} without a mark"


def _check_picture(window: Window, twin: Session) -> Iterator[str]:
    """Of the step, or of the level above it."""
    twin.choose_place(shown_place(window, twin.headed_step))
    for pinned in ("_pins", "_followed", "_columns", "_cell"):  # what was clicked and pointed at is said nowhere else
        setattr(twin, pinned, getattr(window.session, pinned))
    presentation = window.overlays.presentation
    areas = {"picture": window.area} | ({} if presentation is None else {"presented picture": presentation.area})
    for what, area in areas.items():
        wanted = _stage(window, area, twin) if twin.shows_step else _level(window, area, twin)
        painted = pixels(area.shown.viewport())
        yield from _differences(what, painted, wanted, f"{twin.node.name or 'map'}, {twin.shown_place}")


def _check_words(window: Window, twin: Session) -> Iterator[str]:
    step = twin.step
    if twin.shows_step:
        said = " ".join(sentences(step, shown_place(window, step)))
    else:
        said = f"{len(twin.node.steps):,} steps; open is step {twin.node.steps.index(step) + 1:,}, {step.title}"
    if _plain(said) not in words(window):
        yield f"of {twin.node.name} is not said: {said}"


def _check_rows(window: Window, twin: Session) -> Iterator[str]:
    """What the list names is there."""
    there = {_labels(twin.trace.outline.path_to(step.name)) for step in twin.trace}
    there |= {path[:end] for path in there for end in range(1, len(path))}
    for row in rows_in_view(window):
        if row not in there:
            yield f"the list has {row}, which the run has not"


def _check_buttons(window: Window, twin: Session) -> Iterator[str]:
    """How many edits and options there are."""
    page, request = window.input.page, panel(window)
    listed, made = len(page.edits.listed), len(request.edits)
    wanted = {
        page.edits: f"Edits · {made}" + (f" of {listed}" if listed != made else "") if listed else "",
        page.options: f"Options · {len(request.options)}" if request.options else "Options",
    }
    for button, text in wanted.items():
        if button.isVisible() and button.text() != text:
            yield f"a button says {button.text()}, and it is {text or 'nothing'}"
    if page.isVisible() and bool(listed) != page.edits.isVisible():
        yield f"{listed} edits are listed, and their button is {'' if page.edits.isVisible() else 'not '}there"


def _check_controls(window: Window, twin: Session) -> Iterator[str]:
    """Above the picture: they are the options of the panel."""
    fields = window.input.page.form.fields
    for name, control in window.controls.controls.items():
        if control.isVisible() and control.chosen() != fields[name].chosen():
            yield f"above the picture {name} is {control.chosen()}, in the panel {fields[name].chosen()}"


def _check_comparison(window: Window, twin: Session) -> Iterator[str]:
    """Which runs the bar names, and which side of them it says is shown."""
    bar, compared = window.comparing.bar, twin.compared
    if bar.isHidden() != (compared.trace is None) or window.actions_by_key["compare"].isChecked() == bar.isHidden():
        yield f"the bar of a comparison is {'hidden' if bar.isHidden() else 'there'}, and A is {compared.request}"
    elif compared.pair is not None:
        told, pressed = compared.pair.told, [sides for sides, button in bar.buttons.items() if button.isChecked()]
        if bar.told.text() != f"A: {told[0]}  ·  B: {told[1]}" or pressed != [compared.sides]:
            yield f"the bar says {bar.told.text()}, {pressed}, of {told}, {compared.sides}"


def _check_plots(window: Window, twin: Session) -> Iterator[str]:
    """The tabs that can be chosen."""
    if window.plots is None or not window.plots.isVisible():
        return
    tabs = window.plots.tabs
    offered = [tabs.tabText(i) for i in range(tabs.count()) if tabs.isTabEnabled(i)]
    wanted = [kind.title for kind in PLOTS if kind.steps(twin.trace, twin.step)]
    if offered != wanted:
        yield f"the plots that can be chosen are {offered}, and there are {wanted}"


def _check_board(window: Window, twin: Session) -> Iterator[str]:
    painted, request = board_greys(window), panel(window)
    if painted is None:
        return
    drawn = greys(read_image(request.source, find(request.model).takes.size))[..., 0]
    if (painted != drawn)[painted >= 0].any():
        yield f"the board is painted as {painted.tolist()}, and is taken for {drawn.tolist()}"


_CHECKS = (
    _check_count, _check_timeline, _check_answer, _check_list, _check_rows, _check_buttons, _check_controls,
    _check_comparison, _check_plots, _check_picture, _check_words, _check_board,
)  # fmt: skip


def _compare(what: str, shown: QWidget, twin: QWidget) -> Iterator[str]:
    """Against a widget that has seen nothing but what the panel and the title say."""
    if not shown.visibleRegion().isEmpty():
        twin.setScreen(shown.screen())
        twin.resize(shown.size())
        frame = round(FRAME * shown.devicePixelRatioF())
        edge = slice(frame, -frame)
        yield from _differences(what, pixels(shown)[edge, edge], pixels(twin)[edge, edge], twin.accessibleDescription())


def _differences(what: str, painted: Array, wanted: Array, of: str) -> Iterator[str]:
    if painted.shape != wanted.shape:
        yield f"the {what} is as large as {painted.shape}, and that of {of} {wanted.shape}"
    elif (differs := (np.abs(painted.astype(int) - wanted) > ROUNDING).any(axis=2)).any():
        rows, columns = np.nonzero(differs)
        place = f"between {columns.min()}, {rows.min()} and {columns.max()}, {rows.max()}"
        yield f"the {what} differs from that of {of} in {len(rows)} pixels {place}"


def _stage(window: Window, area: StageArea, twin: Session) -> Array:  # -> (height,width,3)
    view = _like(EditableStage(twin, window.theme), area.stage)
    view.choose_operand(area.stage.operand)
    return _scrolled(view, area.stage)


def _level(window: Window, area: StageArea, twin: Session) -> Array:  # -> (height,width,3)
    shown, sides = area.picture, twin.compared.sides
    twin.choose_picture(picture(window) or twin.picture)
    twin.compared.show(sides)  # which a choice leads away from, where it is the table of two models
    view = _like(PictureView(twin, window.theme), shown)
    twin.show_beside(window.session.beside)
    for name in view.picture.unfolded ^ shown.picture.unfolded:
        view.fold(name)
    view.asked = shown.asked  # what the keys have chosen is said nowhere else
    return _scrolled(view, shown)


def _like(view: V, shown: V) -> V:
    """As large, with the same style, and laid out as if it were on the screen: scroll bars take some of the room."""
    view.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
    view.setScreen(shown.screen())
    view.move(shown.screen().geometry().topLeft())
    view.resize(shown.size())
    view.set_style(shown.style_shown)
    view.show()
    return view


def _scrolled(view: EditableStage | PictureView, shown: EditableStage | PictureView) -> Array:  # -> (height,width,3)
    view.grab()  # by now it knows how far it can be scrolled,
    QCoreApplication.sendPostedEvents(view)  # and makes room for its scroll bars
    view.grab()
    for bar, other in (
        (view.horizontalScrollBar(), shown.horizontalScrollBar()),
        (view.verticalScrollBar(), shown.verticalScrollBar()),
    ):
        bar.setValue(other.value())
    seen = pixels(view.viewport())
    view.deleteLater()  # its own timers hold it
    return seen


def _rgb_of(image: QImage) -> Array:  # -> (height,width,3)
    image = image.convertToFormat(QImage.Format.Format_RGB888)
    lines = np.frombuffer(image.constBits(), dtype=np.uint8).reshape(image.height(), image.bytesPerLine())
    return lines[:, : 3 * image.width()].reshape(image.height(), image.width(), 3).copy()


def _rows(tree: QTreeView) -> Iterator[tuple[QModelIndex, QRect]]:
    """Those of which a part is in view, with where they are."""
    if tree.visibleRegion().isEmpty():
        return
    index = tree.indexAt(QPoint(0, 0))
    while index.isValid() and tree.visualRect(index).top() < tree.viewport().height():
        yield index, tree.visualRect(index)
        index = tree.indexBelow(index)


def _is_marked(tree: QTreeView, image: Array, place: QRect) -> bool:
    """Whether most of a line of the row has about the colour of a selection (under the pointer it is a shade off)."""
    seen = painted_at(tree, place.intersected(tree.viewport().rect()))
    if seen.height() < 3:
        return False
    groups = (QPalette.ColorGroup.Active, QPalette.ColorGroup.Inactive)
    colours = [tree.palette().color(group, QPalette.ColorRole.Highlight) for group in groups]
    line = image[seen.top() + 2, seen.left() : seen.right() + 1].astype(int)
    return any(
        (abs(line - (colour.red(), colour.green(), colour.blue())) < SHADE).all(axis=1).mean() > 0.5
        for colour in colours
    )


def _path(index: QModelIndex) -> tuple[str, ...]:
    labels: list[str] = []
    while index.isValid():
        labels.insert(0, str(index.data(Qt.ItemDataRole.DisplayRole)))
        index = index.parent()
    return tuple(labels)


def _labels(path: tuple[Node, ...]) -> tuple[str, ...]:
    """How the list calls nodes."""
    return f"map · {path[0].title}", *(node.title for node in path[1:])


def _plain(text: str) -> str:
    return " ".join(text.split())
