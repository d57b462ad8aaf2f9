"""Patches on the image of the stage, and what they are called, against the trace."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.figures.shipped import trace
from txviz.figures import fonts
from txviz.figures.marks import Heat, Line, Text
from txviz.figures.patches import BORDER, Drawing, find_drawing, patch_letters, place_of_pixel
from txviz.figures.presets import SLIDE, THEMES
from txviz.figures.stage import Panel, Stage, stage
from txviz.figures.style import Style
from txviz.figures.theme import DARK_INK, LIGHT_INK, Theme, is_dark, rgb
from txviz.figures.views.page import Area
from txviz.trace import Trace

CUTS = {"vit-guide-2x2": (2, 2), "vit-guide-3x2": (3, 2), "digits": (2, 2)}
STEPS = [
    ("vit-guide-2x2", "image"),
    ("vit-guide-2x2", "patches"),
    ("vit-guide-3x2", "all_patches"),
    ("digits", "image"),
]


def drawing_of(shown: Trace) -> Drawing:
    found = find_drawing(shown)
    assert found is not None
    return found


def drawn(kind: str, name: str, style: Style | None = None, page: tuple[int, int] = (900, 560)) -> tuple[Stage, Panel]:
    """The step on a page, and where its image is."""
    shown = stage(trace(kind)[name], (), *page, style or Style(), find_drawing(trace(kind)))
    return shown, next(panel for panel in shown.panels if panel.grid.name == "image")


def borders(shown: Stage) -> list[Line]:
    return [mark for mark in shown.figure.flat() if isinstance(mark, Line) and mark.colour == BORDER]


def letters(shown: Stage, panel: Panel) -> dict[str, Text]:
    inside = Area(panel.x, panel.y, panel.right - panel.x, panel.bottom - panel.y)
    texts = (mark for mark in shown.figure.flat() if isinstance(mark, Text))
    return {mark.text: mark for mark in texts if inside.contains(mark.x, mark.y)}


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
@pytest.mark.parametrize(("kind", "name"), STEPS)
def test_borders_stand_where_the_model_cuts(kind: str, name: str, theme: Theme) -> None:
    shown, panel = drawn(kind, name, Style(theme=theme))
    high, wide = CUTS[kind]
    upright = [line.x1 for line in borders(shown) if line.x1 == line.x2]
    level = [line.y1 for line in borders(shown) if line.y1 == line.y2]
    assert upright == pytest.approx([panel.x + j * panel.cell_width for j in range(wide, 6, wide)])
    assert level == pytest.approx([panel.y + i * panel.cell_height for i in range(high, 6, high)])


@pytest.mark.parametrize(("style", "page"), [(Style(), (900, 560)), (SLIDE.style, (SLIDE.width, SLIDE.height))])
@pytest.mark.parametrize(("kind", "name"), STEPS)
def test_letters_stand_in_the_corners_of_their_patches_beside_the_numbers(
    kind: str, name: str, style: Style, page: tuple[int, int]
) -> None:
    shown, panel = drawn(kind, name, style, page)
    cut = next(step for step in trace(kind) if step.op == "patchify")
    found = letters(shown, panel)
    assert tuple(found) == cut.labels[0]
    (heat,) = [
        mark for mark in shown.figure.flat() if isinstance(mark, Heat) and (mark.x, mark.y) == (panel.x, panel.y)
    ]
    for place, (label, mark) in enumerate(found.items()):
        (pixel,) = cut.explain((place, 0)).reads["image"]
        assert panel.cell_at(mark.x, mark.y) == pixel
        number_top = panel.y + (pixel[0] + 0.5) * panel.cell_height - heat.text_size * 0.36
        assert mark.y + mark.size * 0.1 < number_top, "no letter touches a number: G and C reach below the line"
        assert mark.x + fonts.width(label, mark.size, bold=True) < panel.x + (pixel[1] + 1) * panel.cell_width


def test_where_there_is_no_room_there_are_no_letters_but_borders() -> None:
    shown, panel = drawn("digits", "patches", page=(300, 200))
    assert letters(shown, panel) == {}
    assert len(borders(shown)) == 4


def test_without_labels_there_are_no_letters() -> None:
    shown, panel = drawn("digits", "image", Style(labels=False))
    assert letters(shown, panel) == {}


def test_other_steps_and_other_models_have_no_borders() -> None:
    assert borders(stage(trace("digits")["embed.sum"], drawing=find_drawing(trace("digits")))) == []
    assert find_drawing(trace("sentence-guide")) is None


@pytest.mark.parametrize("value", np.linspace(0, 1, 11))
def test_letters_and_borders_are_seen_on_every_shade(value: float) -> None:
    drawing = replace(drawing_of(trace("digits")), pixels=np.full((6, 6), value))
    for letter in patch_letters(drawing, Area(0, 0, 600, 600), 12):
        assert letter.colour == (LIGHT_INK if is_dark(drawing.colours[0, 0]) else DARK_INK)
        assert contrast(letter.colour, drawing) >= 4
    red, _, blue = rgb(BORDER)
    assert red - blue > 100, "which no grey is"


def contrast(colour: str, drawing: Drawing) -> float:
    """As the accessibility guidelines have it."""

    def luminance(levels: tuple[int, ...]) -> float:
        linear = [
            x / 12.92 if x <= 0.03928 else ((x + 0.055) / 1.055) ** 2.4 for x in (level / 255 for level in levels)
        ]
        return float(np.dot(linear, (0.2126, 0.7152, 0.0722)))

    light, dark = sorted((luminance(rgb(colour)), luminance(tuple(drawing.colours[0, 0].tolist()))), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize(
    ("kind", "pixel", "name"),
    [
        ("vit-guide-2x2", (2, 3), "patch E, row 1, column 1, middle centre"),
        ("vit-guide-2x2", (5, 0), "patch G, row 2, column 0, bottom left"),
        ("vit-guide-3x2", (2, 5), "patch C, row 0, column 2, top right"),
        ("vit-guide-3x2", (3, 2), "patch E, row 1, column 1, bottom centre"),
    ],
)
def test_a_pixel_has_a_patch_and_a_place(kind: str, pixel: tuple[int, int], name: str) -> None:
    shown = trace(kind)
    assert place_of_pixel(shown, shown["image"], pixel) == name
    cut = next(step for step in shown if step.op == "patchify")
    index = next(cell for cell in np.ndindex(cut.value.shape) if cut.explain(cell).reads["image"] == [pixel])
    assert place_of_pixel(shown, cut, index) == name
    assert place_of_pixel(shown, shown["embed.sum"], (1, 0)) == ""


@pytest.mark.parametrize("patch", [[3, 3], [0, 2], [4, 4], [2, 1], [2]])
def test_a_file_whose_patches_are_no_cut_of_its_image_has_none(patch: list[int]) -> None:
    steps = trace("digits").steps
    odd = [replace(step, params={**step.params, "patch": patch}) if step.op == "patchify" else step for step in steps]
    assert find_drawing(Trace(odd, {}, "")) is None


def test_many_patches_have_rows_and_columns_but_no_places() -> None:
    drawing = Drawing(np.zeros((8, 8)), (2, 2), {str(i): i for i in range(16)})
    assert drawing.name("6") == "patch 6, row 1, column 2"
    assert drawing.patch_at(8, 0) is None
