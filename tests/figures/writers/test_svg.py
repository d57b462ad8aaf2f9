"""SVG, read back as XML and drawn by librsvg."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.figures.writers import drawn, tools
from txviz.figures import fonts
from txviz.figures.marks import Figure, Group, Heat, Line, Shape, Text
from txviz.figures.writers.png import png
from txviz.figures.writers.svg import MONO, SANS, svg
from txviz.trace import Trace

SVG = "{http://www.w3.org/2000/svg}"


def texts(figure: Figure) -> list[str]:
    """All that is written, in order."""
    found: list[str] = []
    for mark in figure.flat():
        found += [mark.text] if isinstance(mark, Text) else mark.texts if isinstance(mark, Heat) else []
    return found


def assert_has_what_the_figure_has(figure: Figure) -> ElementTree.Element:
    document = svg(figure)
    root = ElementTree.fromstring(document.encode())
    assert document == svg(figure)
    assert (root.get("width"), root.get("height")) == (f"{figure.width:g}", f"{figure.height:g}")
    assert [element.text for element in root.iter(f"{SVG}text")] == texts(figure)
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(ids) == len(set(ids))
    return root


def test_shipped_models(example: Trace) -> None:
    for figure in drawn.some(example):
        root = assert_has_what_the_figure_has(figure)
        groups = [mark.name for mark in figure.marks if isinstance(mark, Group)]
        assert [title.text for title in root.iter(f"{SVG}title")] == groups
        shapes = [mark for mark in figure.flat() if isinstance(mark, Shape)]
        assert len([path for path in root.iter(f"{SVG}path") if path.get("transform")]) == len(shapes)


def test_cells_are_rectangles_in_their_colours() -> None:
    figure = drawn.scores()
    root = assert_has_what_the_figure_has(figure)
    scores = next(group for group in root.iter(f"{SVG}g") if "attention.scores" in group.get("id", ""))
    heat = next(mark for mark in list(figure.flat())[::-1] if isinstance(mark, Heat))
    cells = scores.findall(f"{SVG}g[@shape-rendering='crispEdges']/{SVG}rect")
    assert "".join(cell.get("fill", "")[1:] for cell in cells) == heat.colours.hex()
    ends = [round(float(cell.get("x", "")) + float(cell.get("width", "")), 2) for cell in cells[: heat.columns]]
    assert ends[:-1] == [float(cell.get("x", "")) for cell in cells[1 : heat.columns]]


def test_many_cells_are_an_image() -> None:
    root = assert_has_what_the_figure_has(drawn.large())
    assert len(list(root.iter(f"{SVG}image"))) == 1
    assert len(list(root.iter(f"{SVG}rect"))) == 3, "the page, two hatched cells that touch, and one"


def test_hatching_is_a_pattern() -> None:
    root = assert_has_what_the_figure_has(drawn.masked())
    (pattern,) = root.iter(f"{SVG}pattern")
    used = [box for box in root.iter(f"{SVG}rect") if box.get("fill") == f"url(#{pattern.get('id')})"]
    assert len(used) == 10, "a run in each row but the last, of both tensors"
    heats = [mark for mark in drawn.masked().flat() if isinstance(mark, Heat) and mark.infinite]
    hatched = sum(len(heat.hatched) * heat.cell_width * heat.cell_height for heat in heats)
    assert sum(float(box.get("width", "")) * float(box.get("height", "")) for box in used) == pytest.approx(
        hatched, 1e-3
    )


def test_names_are_ids() -> None:
    marks = tuple(Group(name, ()) for name in ("heading", "heading", "heading-2", "a b/c", "1", "", "你好"))
    root = assert_has_what_the_figure_has(Figure(10, 10, "#ffffff", marks))
    ids = [group.get("id") for group in root.iter(f"{SVG}g")]
    assert ids == ["heading", "heading-2", "heading-2-2", "a-b-c", "group-1", "group", "group-2"]


def test_words_that_make_trouble() -> None:
    assert_has_what_the_figure_has(drawn.strange())
    control = Figure(10, 10, "#ffffff", (Text(0, 0, "a\x00b\x1b\ud800", 12, "#000000"),))
    root = ElementTree.fromstring(svg(control).encode())
    assert next(root.iter(f"{SVG}text")).text == "a\ufffdb\ufffd\ufffd"


def assert_looks_like_the_png(figure: Figure, folder: Path) -> None:
    assert tools.difference(tools.rsvg(svg(figure), folder), tools.pixels(png(figure))) < tools.TOLERANCE


@tools.needs("rsvg-convert", "librsvg2-bin")
@pytest.mark.parametrize("make", [drawn.scores, drawn.masked, drawn.large, drawn.every_mark])
def test_it_looks_like_the_png(make: Callable[[], Figure], tmp_path: Path) -> None:
    assert_looks_like_the_png(make(), tmp_path)


@tools.needs("rsvg-convert", "librsvg2-bin")
def test_shipped_models_look_like_the_png(example: Trace, tmp_path: Path) -> None:
    assert_looks_like_the_png(drawn.one(example), tmp_path)


@tools.needs("fc-match", "fontconfig")
@pytest.mark.parametrize(("families", "like"), [(SANS, "Nimbus Sans"), (MONO, "Nimbus Mono PS")])
def test_another_font_in_place_of_ours_is_no_wider(families: str, like: str) -> None:
    """Where there is one: librsvg does not keep texts as long as they are to be, and DejaVu Sans is wider by 13 %."""
    if chosen(like) != like:
        pytest.skip(f"needs {like} (apt-get install fonts-urw-base35)")
    assert chosen(families.replace("'", "")) != fonts.SYMBOLS


def chosen(families: str) -> str:
    command = ["fc-match", "--format=%{family}", families]
    return subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout


@pytest.mark.parametrize("make", [drawn.scores, drawn.masked])
def test_a_wrong_picture_would_be_seen(make: Callable[[], Figure]) -> None:
    """Words that are missing, or everything in another place, are more than the difference that is let pass."""
    figure = make()
    silent = replace(figure, marks=tuple(mark for mark in figure.flat() if not isinstance(mark, Text)))
    moved = replace(figure, marks=tuple(replace(m, x=m.x + 2) for m in figure.flat() if not isinstance(m, Line)))
    for wrong in (silent, moved):
        assert tools.difference(tools.pixels(png(wrong)), tools.pixels(png(figure))) > tools.TOLERANCE
