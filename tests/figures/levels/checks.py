"""What must hold for every picture of a node: nothing overlaps or leaves the page, and every spot leads somewhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

import numpy as np

from tests.figures.views.checks import Extent, extent
from txviz import Trace
from txviz.figures import fonts
from txviz.figures.levels import LEVELS
from txviz.figures.levels.picture import NodeScene, Picture
from txviz.figures.marks import Arrow, Box, Figure, Group, Heat, Line, Mark, Shape, Text
from txviz.figures.style import Style
from txviz.figures.theme import LIGHT, Theme
from txviz.ops import Array
from txviz.trace import Step
from txviz.trace.ancestors import ancestors
from txviz.trace.outline import Node

PAGES = ((1280, 720), (960, 600), (640, 400), (3840, 2160))
SMALLEST_TEXT = 9.0
"""Pixels, on a page of 1280 × 720 or more."""

LEGIBLE = 7.5
"""The same on a smaller page."""

FILLED = 0.86
"""How much of the width and of the height of a page a picture takes at least."""


def drawn(
    trace: Trace,
    node: Node,
    page: tuple[float, float] = PAGES[0],
    theme: Theme = LIGHT,
    current: Step | None = None,
    place: tuple[int, ...] = (),
    style: Style | None = None,
    kind: str = "",
) -> Picture:
    """The picture of this kind; the node's own where nothing is said."""
    scene = NodeScene(trace, node, place, current, *page, style or Style(theme=theme))
    return LEVELS[kind or node.pictures[0]].draw(scene)


def nodes(trace: Trace, kind: str) -> list[Node]:
    """Those that have a picture of this kind."""
    return [node for node in trace.outline if kind in node.pictures]


def unlike(found: Iterable[Node]) -> list[Node]:
    """One of all nodes with the same steps in the same shapes."""
    kinds = {tuple((step.site.leaf, step.op, step.value.shape) for step in node.steps): node for node in found}
    return list(kinds.values())


def all_marks(marks: Iterable[Mark]) -> Iterator[Text | Line | Box | Heat | Shape | Arrow]:
    """Out of their groups, arrows as they are."""
    for mark in marks:
        if isinstance(mark, Group):
            yield from all_marks(mark.marks)
        else:
            yield mark


def bounds(mark: Mark) -> Extent:
    if not isinstance(mark, Shape):
        return extent(mark)
    points = [number for _, numbers in mark.outline for number in numbers]
    xs, ys = points[::2], points[1::2]
    return Extent(
        mark.x + mark.scale * min(xs),
        mark.y + mark.scale * min(ys),
        mark.x + mark.scale * max(xs),
        mark.y + mark.scale * max(ys),
    )


SOME_STEPS = ("lens", "heads", "parts", "seeing", "positions", "words")
"""Pictures that are about some of a node's steps, and need not lead to all of them."""


def check_picture(
    picture: Picture, trace: Trace, node: Node, page: tuple[float, float], what: str, kind: str = ""
) -> None:
    figure = picture.figure
    assert (figure.width, figure.height) == page, what
    _check_inside(figure, what)
    _check_apart(figure, what)
    _check_arrows(figure, what)
    _check_sizes(figure, what)
    _check_spots(picture, trace, () if kind in SOME_STEPS else node.steps, what)


def _check_inside(figure: Figure, what: str) -> None:
    extents = [bounds(mark) for mark in figure.flat()]
    for mark, (left, top, right, bottom) in zip(figure.flat(), extents, strict=True):
        inside = left >= 0 and top >= 0 and right <= figure.width and bottom <= figure.height
        assert inside, f"{what}: {mark} leaves the page"
    wide = max(right for _, _, right, _ in extents) - min(left for left, _, _, _ in extents)
    high = max(bottom for _, _, _, bottom in extents) - min(top for _, top, _, _ in extents)
    assert wide >= FILLED * figure.width, f"{what}: only {wide / figure.width:.0%} of the width is used"
    assert high >= FILLED * figure.height, f"{what}: only {high / figure.height:.0%} of the height is used"


def _check_apart(figure: Figure, what: str) -> None:
    """No text or formula on another or on a matrix, and no matrix on another."""
    marks = list(all_marks(figure.marks))
    written = [mark for mark in marks if isinstance(mark, Shape) or _says_something(mark)]
    heats = [mark for mark in marks if isinstance(mark, Heat)]
    everything = [*written, *heats]
    areas = np.array([*map(bounds, written), *(_shrunk(bounds(mark), 0.6) for mark in heats)])
    for i, k in _meeting(areas, areas):
        assert i >= k, f"{what}: {_named(everything[i])} lies on {_named(everything[k])}"


def _meeting(some: Array, others: Array) -> list[tuple[int, int]]:  # (n,4), (m,4)
    """Which of them meet which of the others, but for those at the same place of both."""
    left, top, right, bottom = some.T[..., None]
    across = (left < others[:, 2]) & (others[:, 0] < right)
    down = (top < others[:, 3]) & (others[:, 1] < bottom)
    return [(int(i), int(k)) for i, k in np.argwhere(across & down) if i != k]


def _says_something(mark: Mark) -> bool:
    return isinstance(mark, Text) and bool(mark.text.strip())


def _check_arrows(figure: Figure, what: str) -> None:
    """Arrows cross no text and no matrix: they only touch those that they join."""
    marks = list(all_marks(figure.marks))
    in_the_way = [mark for mark in marks if isinstance(mark, Text | Shape | Heat)]
    areas = np.array([_shrunk(bounds(mark), 1.0) for mark in in_the_way])
    found = [(arrow, pair) for arrow in marks if isinstance(arrow, Arrow) for pair in pairwise(arrow.points)]
    for arrow, ((x1, y1), (x2, y2)) in found:
        line = np.array([[min(x1, x2) - 0.1, min(y1, y2) - 0.1, max(x1, x2) + 0.1, max(y1, y2) + 0.1]])
        crossed = np.vstack([line, areas])  # the first is the line itself
        meeting = _meeting(line, crossed)
        assert not meeting, f"{what}: {arrow} crosses {_named(in_the_way[meeting[0][1] - 1])}"


def _check_sizes(figure: Figure, what: str) -> None:
    least = SMALLEST_TEXT if figure.width >= PAGES[0][0] else LEGIBLE
    for mark in figure.flat():
        if isinstance(mark, Heat) and mark.texts:
            assert mark.text_size >= least - 1e-9, f"{what}: the numbers of {_named(mark)} are too small"
            widest = max(fonts.width(text, mark.text_size) for text in mark.texts)
            assert widest < mark.cell_width, f"{what}: the numbers of {_named(mark)} are too wide"
        if isinstance(mark, Text):
            assert mark.size >= least, f"{what}: {mark} is too small"


def _check_spots(picture: Picture, trace: Trace, steps: Iterable[Step], what: str) -> None:
    for spot in picture.spots:
        assert trace.outline.get(spot.node) is not None, f"{what}: no node is called {spot.node}"
        area, figure = spot.area, picture.figure
        inside = area.x >= 0 and area.y >= 0 and area.right <= figure.width and area.bottom <= figure.height
        assert inside, f"{what}: the spot of {spot.node} leaves the page"
        assert min(area.width, area.height) > 0, f"{what}: the spot of {spot.node} is empty"
        assert spot.hint, f"{what}: the spot of {spot.node} says nothing"
    lacking = [step.name for step in steps if picture.spot_of(trace.outline.path_to(step.name)) is None]
    assert not lacking, f"{what}: nothing stands for {lacking}"


def _shrunk(area: Extent, by: float) -> Extent:
    return Extent(area.left + by, area.top + by, area.right - by, area.bottom - by)


def _named(mark: Mark) -> str:
    if isinstance(mark, Text):
        return f"“{mark.text}” at {bounds(mark)}"
    return f"a {type(mark).__name__} at {bounds(mark)}"


def arrows(picture: Picture) -> list[Arrow]:
    return [mark for mark in all_marks(picture.figure.marks) if isinstance(mark, Arrow)]


def heats_of(picture: Picture, name: str) -> list[Heat]:
    """The matrices that are drawn for the step of this name."""
    found = (mark for mark in picture.figure.marks if isinstance(mark, Group) and mark.name == name)
    return [mark for mark in all_marks(found) if isinstance(mark, Heat)]


def texts_of(picture: Picture, name: str) -> list[str]:
    """What is written in the group of this name."""
    found = (mark for mark in picture.figure.marks if isinstance(mark, Group) and mark.name == name)
    return [mark.text for mark in all_marks(found) if isinstance(mark, Text)]


def words(picture: Picture) -> list[str]:
    return [mark.text for mark in all_marks(picture.figure.marks) if isinstance(mark, Text)]


def check_reads(picture: Picture, trace: Trace) -> None:
    """Every arrow and sign stands for what was read; what lies between is not drawn, and of the same block. A token
    that is appended is the last of those that it goes to; what is used was read at an earlier time step."""
    groups = [mark.name for mark in picture.figure.marks if isinstance(mark, Group)]
    signs = [name.split(" reads ") for name in groups if " reads " in name]
    appended = [name.split(" appends ") for name in groups if " appends " in name]
    used = [name.split(" uses ") for name in groups if " uses " in name]
    known = {(pair[0], pair[1]) for pair in (*signs, *appended, *used)}
    joining = {(arrow.target, arrow.source) for arrow in arrows(picture) if arrow.target or arrow.source}
    assert joining <= known
    for node, source in used:
        made_from = {each.name for step in trace.outline.find(node).steps for each in ancestors(step)}
        assert source in made_from, f"{node} never used {source}"
    for tokens, token in appended:
        assert texts_of(picture, token) == [trace[tokens].labels[-1][-1]], f"{tokens} does not end with {token}"
    for made, read in signs:
        assert _reads(trace, made, read), f"{made} never read {read}"


def _reads(trace: Trace, made: str, read: str) -> bool:
    """One of the steps that are made, one of those that are read."""
    targets, sources = trace.outline.find(made).steps, trace.outline.get(read)
    if sources is None:
        return any(read in target.inputs for target in targets)
    return any(reads(target, source) for target in targets for source in sources.steps)


def reads(target: Step, source: Step) -> bool:
    """Itself, or by other steps of its block."""
    direct = [step for step in target.sources if isinstance(step, Step)]
    return source in direct or any(
        reads(step, source) for step in direct if step.site.block == target.site.block is not None
    )
