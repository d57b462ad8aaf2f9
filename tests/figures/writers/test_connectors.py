"""Arrows of maps and blocks as connectors: they go where the arrow goes, and hold on to what it joins."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from itertools import chain
from typing import Any

import pytest
from pptx import Presentation

import txviz
from tests.figures import shipped
from tests.figures.levels.test_map import deep
from tests.figures.writers.test_pptx import MC, drawn, page, read
from txviz.figures.export import Export, content
from txviz.figures.marks import Arrow, Box, Figure, Group, Mark
from txviz.figures.presets import SLIDE
from txviz.figures.writers.connectors import Point, connector, corners, side_at
from txviz.figures.writers.glyphs import Frame
from txviz.figures.writers.pptx import Slide, pptx
from txviz.figures.writers.slides import level_slide
from txviz.trace import Trace

A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
PIXEL = 9525
TOP, LEFT = 76, 20
"""Where a figure of 1240 pixels begins on the slide."""

pytestmark = pytest.mark.usefixtures("qapp")

ACROSS: list[list[Point]] = [
    [(10, 10), (90, 10)],
    [(10, 10), (90, 60)],
    [(10, 10), (10, 60), (90, 60)],
    [(10, 10), (90, 10), (90, 60)],
    [(10, 10), (30, 10), (30, 60), (90, 60)],
    [(10, 10), (10, 40), (90, 40), (90, 60)],
    [(10, 10), (120, 10), (120, 60), (90, 60)],
    [(10, 30), (30, 30), (30, 5), (90, 5), (90, 60)],
    [(10, 30), (10, 5), (50, 5), (50, 80), (90, 80)],
    [(10, 30), (30, 30), (30, 5), (70, 5), (70, 80), (90, 80)],
]
WAYS = [[(x * sx, y * sy) for x, y in way] for way in ACROSS for sx in (1, -1) for sy in (1, -1)]


def path_of(shape: Any) -> list[Point]:
    """Through which points, in pixels of the slide, a connector goes: as the format's own definition has it."""
    (frame,) = shape.iter(A + "xfrm")
    (geometry,) = shape.iter(A + "prstGeom")
    (off,), (ext,) = frame.iter(A + "off"), frame.iter(A + "ext")
    x, y, w, h = (int(n) / PIXEL for n in (off.get("x"), off.get("y"), ext.get("cx"), ext.get("cy")))
    adjust = [int(each.get("fmla").removeprefix("val ")) / 100_000 for each in geometry.iter(A + "gd")]
    found = []
    for px, py in unturned(geometry.get("prst"), adjust):
        px, py = px * w - w / 2, py * h - h / 2
        px, py = -px if frame.get("flipH") == "1" else px, -py if frame.get("flipV") == "1" else py
        if frame.get("rot") is not None:
            assert frame.get("rot") == "5400000"
            px, py = -py, px
        found.append((x + w / 2 + px, y + h / 2 + py))
    return found


def unturned(kind: str, adjust: list[float]) -> list[Point]:
    """presetShapeDefinitions.xml, with the width and the height as 1."""
    if kind == "straightConnector1":
        return [(0, 0), (1, 1)]
    if kind == "bentConnector2":
        return [(0, 0), (1, 0), (1, 1)]
    if kind == "bentConnector3":
        return [(0, 0), (adjust[0], 0), (adjust[0], 1), (1, 1)]
    if kind == "bentConnector4":
        return [(0, 0), (adjust[0], 0), (adjust[0], adjust[1]), (1, adjust[1]), (1, 1)]
    assert kind == "bentConnector5"
    x1, y2, x3 = adjust
    return [(0, 0), (x1, 0), (x1, y2), (x3, y2), (x3, 1), (1, 1)]


def on_slide(points: list[Point]) -> list[Point]:
    return [(LEFT + x, TOP + y) for x, y in points]


def close(a: list[Point], b: list[Point], by: float = 0.02) -> bool:
    return len(a) == len(b) and all(abs(p - q) < by for p, q in zip(chain(*a), chain(*b), strict=True))


@pytest.mark.parametrize("way", WAYS)
def test_a_connector_goes_through_the_points_of_the_arrow(way: list[Point]) -> None:
    """From the middle of a box's side to that of another."""
    boxes = [Group("a", (_box_behind(way),)), Group("b", (_box_behind(way[::-1]),))]
    (slide,) = read([page(Arrow(tuple(way), "#112233", 2, 10, "a", "b"), *boxes)]).slides
    (shape,) = slide.shapes._spTree.iter(P + "cxnSp")
    assert close(path_of(shape), on_slide(way))
    assert set(ends(shape)) == {"stCxn", "endCxn"}
    (end,) = shape.iter(A + "tailEnd")
    assert (end.get("type"), end.get("len")) == ("triangle", "med")


@pytest.mark.parametrize(("width", "head"), [(1.0, 5.0), (1.0, 8.0), (0.3, 8.0), (3.0, 14.0), (5.0, 10.0), (2.0, 12.0)])
def test_heads_are_about_as_large_as_they_were_drawn(width: float, head: float) -> None:
    """Office draws those of a thin line as if it were 2 points wide, which is 8/3 pixels: they covered words."""
    (slide,) = read([page(Arrow(((10, 10), (90, 10)), "#112233", width, head))]).slides
    (shape,) = slide.shapes._spTree.iter(P + "cxnSp")
    (line,), (end,) = shape.iter(A + "ln"), shape.iter(A + "tailEnd")
    times = {"sm": 2, "med": 3, "lg": 5}[end.get("len")]
    assert end.get("w") == end.get("len")
    assert times * max(int(line.get("w")) / PIXEL, 8 / 3) == pytest.approx(head, rel=0.35)


def _box_behind(way: list[Point]) -> Box:
    """A box that the way leaves in the middle of a side."""
    (x, y), (x2, y2) = way[:2]
    dx, dy = (0, 0 if y2 == y else 1 if y2 > y else -1) if x2 == x else (1 if x2 > x else -1, 0)
    return Box(x - 4 * dx - 4, y - 4 * dy - 4, 8, 8, stroke="#000000")


@pytest.mark.parametrize("way", [way for way in WAYS if len(way) > 2])
def test_a_bent_arrow_that_holds_on_to_nothing_is_a_drawn_line(way: list[Point]) -> None:
    """LibreOffice finds a way of its own for a bent connector with a loose end; a drawn line is the same everywhere."""
    boxes = [Group("a", (_box_behind(way),))]
    (slide,) = read([page(Arrow(tuple(way), "#112233", 2, 10, "a", "b"), *boxes)]).slides
    assert not list(slide.shapes._spTree.iter(P + "cxnSp"))
    (shape,) = (each for each in slide.shapes if each.name == "a → b")
    assert close(points_of(shape), way)


def points_of(shape: Any) -> list[Point]:
    """Of a drawn line, where the figure has them."""
    x, y = shape.left / PIXEL - LEFT, shape.top / PIXEL - TOP
    return [(x + int(p.get("x")) / 100, y + int(p.get("y")) / 100) for p in shape._element.iter(A + "pt")]


def test_points_on_the_way_are_no_corners() -> None:
    assert corners([(0, 0), (0, 0), (5, 0), (9, 0), (9, 4), (9, 8)]) == [(0, 0), (9, 0), (9, 8)]
    assert connector([(0, 0), (5, 0), (9, 0)]) == connector([(0, 0), (9, 0)])


@pytest.mark.parametrize(
    "way",
    [
        [(10, 60), (10, 10), (90, 10), (90, 60)],
        [(10, 10), (50, 30), (90, 10)],
        [(0, 0), (10, 0), (10, 10), (20, 10), (20, 20), (30, 20), (30, 30)],
    ],
)
def test_what_no_connector_is_bent_like_is_a_drawn_line_with_the_same_points(way: list[Point]) -> None:
    (slide,) = read([page(Arrow(tuple(way), "#112233", 2, 10, "a", "b"))]).slides
    assert not list(slide.shapes._spTree.iter(P + "cxnSp"))
    shape = slide.shapes[1]
    assert shape.name == "a → b"
    assert (shape.left, shape.top) == tuple(
        round((at + min(p[k] for p in way)) * PIXEL) for k, at in enumerate((LEFT, TOP))
    )
    left, top = min(x for x, _ in way), min(y for _, y in way)
    found = [(int(p.get("x")) / 100, int(p.get("y")) / 100) for p in shape._element.iter(A + "pt")]
    assert close(found, [(x - left, y - top) for x, y in way])
    assert len(list(shape._element.iter(A + "tailEnd"))) == 1


def test_ends_hold_on_to_the_middles_of_sides() -> None:
    boxes = {"a": Box(100, 100, 80, 40, stroke="#000000"), "b": Box(300, 200, 80, 40, stroke="#000000", radius=8)}
    arrows = [
        Arrow(((180, 120), (240, 120), (240, 220), (300, 220)), "#000000", 1, 6, "a", "b"),
        Arrow(((140, 140), (140, 220), (300, 220)), "#000000", 1, 6, "a", "b"),
        Arrow(((180, 130), (300, 130)), "#000000", 1, 6, "a", "b"),
        Arrow(((0, 120), (100, 120)), "#000000", 1, 0, "", "a"),
    ]
    marks: list[Mark] = [*arrows, *(Group(name, (box,)) for name, box in boxes.items())]
    (slide,) = read([page(*marks)]).slides
    ids = {group.name: group.shapes[0].shape_id for group in slide.shapes if group.shape_type == 6}
    held = [ends(shape) for shape in slide.shapes._spTree.iter(P + "cxnSp")]
    a, b = ids["a"], ids["b"]
    assert held == [
        {"stCxn": (a, 3), "endCxn": (b, 1)},
        {"stCxn": (a, 2), "endCxn": (b, 1)},
        {},
        {"endCxn": (a, 1)},
    ]


def ends(shape: Any) -> dict[str, tuple[int, int]]:
    return {
        name: (int(end.get("id")), int(end.get("idx"))) for name in ("stCxn", "endCxn") for end in shape.iter(A + name)
    }


def of_levels(trace: Trace) -> list[Slide]:
    nodes = [node for node in trace.outline if node.level in ("run", "block")]
    return [level_slide(node, Export(trace, [node], "pptx", SLIDE)) for node in nodes[:6]]


def all_arrows(marks: Iterator[Mark] | tuple[Mark, ...]) -> Iterator[Arrow]:
    for mark in marks:
        if isinstance(mark, Arrow):
            yield mark
        elif isinstance(mark, Group):
            yield from all_arrows(mark.marks)


@pytest.mark.parametrize("kind", ["sentence-guide", "digits", "translator", "a training step of digits"])
def test_every_arrow_of_a_picture_is_a_connector_or_a_line_that_goes_the_same_way(kind: str) -> None:
    made = of_levels(shipped.trace(kind))
    talk = Presentation(BytesIO(pptx(made, drawn)))
    for wanted, slide in zip(made, talk.slides, strict=True):
        scale = min(1240 / wanted.figure.width, 620 / wanted.figure.height)
        left = LEFT + (1240 - wanted.figure.width * scale) / 2
        arrows = list(all_arrows(wanted.figure.marks))
        wanted_connectors = [arrow for arrow in arrows if is_connector(arrow, wanted.figure)]
        shapes = [each for each in slide.shapes._spTree.iter(P + "cxnSp") if not is_line(each)]
        assert len(wanted_connectors) > 0.8 * len(arrows)
        for arrow, shape in zip(wanted_connectors, shapes, strict=True):
            path = [(left + x * scale, TOP + y * scale) for x, y in corners(arrow.points)]
            assert close(path_of(shape), path, by=0.5), wanted.title
        check_ids(slide)


def is_connector(arrow: Arrow, figure: Figure) -> bool:
    """Straight, or from the middle of a side of one box to that of another."""
    straight = len(corners(arrow.points)) == 2
    holds = all(_held(figure, name, arrow.points[i]) for name, i in ((arrow.source, 0), (arrow.target, -1)))
    return connector(arrow.points) is not None and (straight or holds)


def _held(figure: Figure, name: str, point: Point) -> bool:
    boxes = [m for g in figure.marks if isinstance(g, Group) and g.name == name for m in g.marks if isinstance(m, Box)]
    return any(side_at(Frame(b.x, b.y, b.x + b.width, b.y + b.height), point) is not None for b in boxes)


def is_line(shape: Any) -> bool:
    return str(next(shape.iter(A + "prstGeom")).get("prst")) == "line"


def check_ids(slide: Any) -> None:
    """Each is its own, and what a connector holds on to is a box inside of a group."""
    tree = slide.shapes._spTree
    drawn = {each for other in tree.iter(MC + "Fallback") for each in other.iter(P + "cNvPr")}
    ids = [int(each.get("id")) for each in tree.iter(P + "cNvPr") if each not in drawn]
    assert len(set(ids)) == len(ids)
    grouped = {int(each.get("id")) for group in tree.iter(P + "grpSp") for each in group.iter(P + "cNvPr")}
    for shape in tree.iter(P + "cxnSp"):
        assert {held for held, _ in ends(shape).values()} <= grouped


def test_the_map_of_twelve_layers_holds_together() -> None:
    trace = deep(12, "pre", "translation")
    (slide,) = Presentation(BytesIO(content(Export(trace, [trace.outline], "pptx", SLIDE)))).slides
    shapes = [each for each in slide.shapes._spTree.iter(P + "cxnSp") if not is_line(each)]
    assert sum(len(ends(shape)) for shape in shapes) > len(shapes) / 2
    check_ids(slide)


def test_the_notes_of_a_level_are_why_it_is_there() -> None:
    trace = shipped.trace("sentence-guide")
    block, network = (trace.outline.find(f"encoder.0.{name}") for name in ("attention", "ffn"))
    file = content(Export(trace, [trace.outline, block, network], "pptx", SLIDE))
    talk = Presentation(BytesIO(file))
    assert [slide.shapes.title.text_frame.text for slide in talk.slides] == [
        "Guide: a sentence as a vector",
        "Guide: a sentence as a vector",
        "encoder · layer 0 · attention",
        "encoder · layer 0 · feed-forward",
    ]
    for node, slide in zip((trace.outline, block, network), list(talk.slides)[1:], strict=True):
        assert slide.notes_slide.notes_text_frame.text.splitlines() == str(node.why).splitlines()
    assert content(Export(trace, [trace.outline, block, network], "pptx", SLIDE)) == file
    assert isinstance(txviz.figure(block).marks, Figure)
