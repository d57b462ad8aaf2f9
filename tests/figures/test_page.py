"""How a step lies on its page: the heading never moves, the grids fill the rest, and numbers keep their look."""

from __future__ import annotations

import numpy as np
import pytest

import txviz
from tests.figures.shipped import trace as shipped
from txviz.figures import fonts
from txviz.figures.decimals import block_decimals
from txviz.figures.heading import heading
from txviz.figures.marks import Figure, Group, Heat, Mark, Shape, Text
from txviz.figures.patches import find_drawing
from txviz.figures.presets import SCREEN, SLIDE
from txviz.figures.stage import Stage, stage
from txviz.figures.style import MARGIN, Style
from txviz.models import find
from txviz.trace import Run, Step, Trace

SCREENS = {"small": (640, 430), "full HD": (1180, 690), "4K": (2700, 1500)}


def shown(trace: Trace, step: Step, page: tuple[float, float], style: Style | None = None) -> Stage:
    style = style or Style(growth=3.0)
    return stage(step, (), *page, style, find_drawing(trace), block_decimals(trace, step))


def named(figure: Figure, name: str) -> tuple[Mark, ...]:
    return next(mark.marks for mark in figure.marks if isinstance(mark, Group) and mark.name == name)


def body(figure: Figure) -> Figure:
    """What stands below the heading."""
    kept = [mark for mark in figure.marks if not (isinstance(mark, Group) and mark.name in ("heading", "colours"))]
    return Figure(figure.width, figure.height, figure.background, tuple(kept))


def extent(figure: Figure) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of all cells and upright texts."""
    boxes: list[tuple[float, float, float, float]] = []
    for mark in figure.flat():
        if isinstance(mark, Heat):
            boxes.append((mark.x, mark.y, mark.x + mark.width, mark.y + mark.height))
        elif isinstance(mark, Text) and not mark.turn:
            wide = fonts.width(mark.text, mark.size, bold=mark.bold)
            start = mark.x - {"start": 0.0, "middle": 0.5, "end": 1.0}[mark.anchor] * wide
            boxes.append((start, mark.y - 0.8 * mark.size, start + wide, mark.y))
    left, top, right, bottom = zip(*boxes, strict=True)
    return min(left), min(top), max(right), max(bottom)


@pytest.fixture(scope="module", params=txviz.models())
def trace(request: pytest.FixtureRequest) -> Trace:
    return txviz.trace(request.param, find(request.param).example)


def some(trace: Trace) -> list[Step]:
    """Of a decoding, one time step: the others are alike."""
    return [step for step in trace if step.site.time in (None, 2) and step.site.sentence != "second"]


@pytest.mark.parametrize("page", [SCREENS["small"], SCREENS["4K"], (SLIDE.width, SLIDE.height)])
def test_title_and_formula_keep_their_place_and_size(trace: Trace, page: tuple[float, float]) -> None:
    """A formula that is too tall or too wide becomes smaller, on the same line."""
    places, sizes, lines, scales = set(), set(), set(), []
    for step in some(trace):
        title, *formula = heading(step.title, step.formula, *page, Style(growth=3.0)).marks
        assert isinstance(title, Text)
        places.add((title.x, title.y))
        sizes.add(title.size)
        for mark in formula:
            assert isinstance(mark, Shape)
            lines.add((mark.x, mark.y))
            scales.append(mark.scale)
    assert len(places) == len(sizes) == len(lines) == 1
    assert np.median(scales) == max(scales), "most have the same size, and none is larger"


@pytest.mark.parametrize("kind", ["translator", "a beam", "a training step of digits"])
def test_the_heading_stays_above_the_grids_and_beside_the_colours(kind: str) -> None:
    trace, (width, height), style = shipped(kind), SCREENS["small"], Style(growth=3.0)
    for step in trace:
        made = heading(step.title, step.formula, width, height, style)
        for mark in made.marks:
            if isinstance(mark, Text):
                assert mark.x + fonts.width(mark.text, mark.size, bold=True) <= width - MARGIN + 0.1, step.name
            else:
                assert isinstance(mark, Shape)
                across = [n for _, numbers in mark.outline for n in numbers[::2]]
                down = [n for _, numbers in mark.outline for n in numbers[1::2]]
                assert mark.x + max(across) * mark.scale < made.bar[0], step.name
                assert mark.y + max(down) * mark.scale < made.bottom, step.name


@pytest.mark.parametrize("page", SCREENS.values(), ids=SCREENS)
def test_the_grids_stand_in_the_middle_and_fill_the_page(trace: Trace, page: tuple[float, float]) -> None:
    """They fill it across or down, unless the text has become as large as it may."""
    for step in some(trace):
        figure = body(shown(trace, step, page).figure)
        head = heading(step.title, step.formula, *page, Style(growth=3.0))
        left, top, right, bottom = extent(figure)
        size = max(mark.size for mark in figure.flat() if isinstance(mark, Text))
        assert abs(left + right - page[0]) < 4 * size, f"{step.name} is off the middle"
        assert right <= page[0], f"{step.name} goes beyond the page"
        assert bottom <= page[1] - MARGIN / 2, f"{step.name} goes beyond the page"
        assert top >= head.bottom, f"{step.name} runs into the heading"
        assert abs((top - head.bottom) - (page[1] - MARGIN - bottom)) < 4 * size, f"{step.name} is too high or too low"
        title = next(mark for mark in head.marks if isinstance(mark, Text))
        numbers = max(mark.text_size for mark in figure.flat() if isinstance(mark, Heat))
        filled = right - left > 0.78 * page[0] or bottom - top > 0.75 * (page[1] - MARGIN - head.bottom)
        assert filled or numbers >= 0.8 * title.size, f"{step.name} leaves the page empty"


def test_numbers_keep_their_decimals_within_a_block(trace: Trace) -> None:
    """In every step of a block, and at every time step, the results that are not whole have as many decimals."""
    found: dict[object, set[int]] = {}
    for step in trace:
        if step.site.time not in (None, 1, 3):
            continue
        figure = shown(trace, step, SCREENS["4K"])
        site = step.site
        for panel in figure.panels:
            places = {(mark.x, mark.y): mark for mark in figure.figure.flat() if isinstance(mark, Heat)}
            heat = places[panel.x, panel.y]
            decimals = {len(text.partition(".")[2]) for text in heat.texts if "." in text}
            if panel.grid.output and decimals:
                found.setdefault((site.sentence, site.part, site.layer, site.block), set()).update(decimals)
    assert found
    assert all(len(decimals) == 1 for decimals in found.values()), found


def test_small_numbers_have_more_decimals_and_very_small_ones_a_power_of_ten() -> None:
    run = Run({})
    for name, values, text in (
        ("plain", [1 / 3, -2.0], "0.33"),
        ("small", [1 / 300, 0.0], "0.003"),
        ("tiny", [1 / 3e5, 0.0], "3.3e−6"),
        ("whole", [3.0, -2.0], "3"),
        ("large", [12345.678, 1.0], "12346"),
    ):
        step = run.given(name, np.array(values), axes="feature")
        heat = next(mark for mark in body(stage(step).figure).flat() if isinstance(mark, Heat))
        assert heat.texts[0].startswith(text), name


def test_the_exported_page_is_the_windows_stage() -> None:
    trace = txviz.trace("sentence-guide", "The cat sat.")
    step = trace["encoder.0.attention.weights"]
    exported = txviz.figure(step, preset="screen").marks
    assert exported == shown(trace, step, (SCREEN.width, SCREEN.height), SCREEN.style).figure
