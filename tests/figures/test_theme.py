from __future__ import annotations

import numpy as np
import pytest

import txviz
from txviz.figures.colour_scale import Span
from txviz.figures.patches import find_drawing
from txviz.figures.theme import DARK, LIGHT, PAPER, Theme, colours, greys, is_dark, rgb
from txviz.models import find
from txviz.ops import Array


def luminance(painted: Array) -> Array:  # (...,3) -> (...)
    return np.asarray((painted / 255.0) ** 2.2 @ np.array([0.2126, 0.7152, 0.0722]))


def test_paper_can_be_told_apart_in_grey() -> None:
    """0 is white; larger numbers are darker on both sides, and the dark half is that of what is above 0."""
    painted = luminance(colours(PAPER, np.linspace(-1, 1, 201), Span(-1, 1)))
    below, above = painted[:101], painted[100:]
    assert painted[100] == painted.max() == 1
    assert (np.diff(below) >= 0).all()
    assert (np.diff(above) <= 0).all()
    assert below.min() > above[50]


@pytest.mark.parametrize("theme", [LIGHT, DARK, PAPER], ids=lambda theme: theme.name)
@pytest.mark.parametrize("ends", [Span(-1, 3), Span(0, 2), Span(-2, 0), Span(0.5, 2), Span(-3, -1)])
def test_beyond_the_ends_the_colours_stay(theme: Theme, ends: Span) -> None:
    """And 0, or the end that is nearest to it, has the colour of 0."""
    low, high, under, over, zero = colours(theme, np.array([*ends, ends.low - 9, ends.high + 9, ends.zero]), ends)
    assert (under == low).all()
    assert (over == high).all()
    assert tuple(zero) == rgb(theme.scale[3])
    farthest = high if ends.high - ends.zero > ends.zero - ends.low else low
    assert tuple(farthest) in {rgb(theme.scale[0]), rgb(theme.scale[-1])}


def test_equal_sizes_on_both_sides_are_equally_strong_however_far_the_ends_are() -> None:
    painted = colours(LIGHT, np.array([-1.0, 1.0]), Span(-1, 4))
    assert (painted == colours(LIGHT, np.array([-1.0, 1.0]), Span(-4, 4))).all()


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_colours_diverge_around_0(theme: Theme) -> None:
    below, zero, above = colours(theme, np.array([-2.0, 0.0, 2.0]), Span.around_0(1.0)).tolist()
    assert tuple(below) == rgb(theme.scale[0])
    assert tuple(zero) == rgb(theme.scale[3])
    assert tuple(above) == rgb(theme.scale[-1])


@pytest.mark.parametrize("theme", [LIGHT, DARK, PAPER], ids=lambda theme: theme.name)
def test_text_stands_out(theme: Theme) -> None:
    """At least 4.5 to 1 for words, and 3 to 1 for numbers on any cell."""

    def contrast(a: float, b: float) -> float:
        return (max(a, b) + 0.05) / (min(a, b) + 0.05)

    light = {name: float(luminance(np.array(rgb(getattr(theme, name))))) for name in ("text", "muted", "panel")}
    assert contrast(light["text"], light["panel"]) >= 4.5
    assert contrast(light["muted"], light["panel"]) >= 4.5
    cells = colours(theme, np.linspace(-1, 1, 41), Span.around_0(1.0))
    for cell, dark in zip(luminance(cells), is_dark(cells), strict=True):
        assert contrast(float(cell), 1.0 if dark else 0.008) >= 3


@pytest.mark.parametrize("model", ["vit-guide-2x2", "digits"])
def test_a_pixel_that_is_no_number_is_drawn_without_a_warning(model: str) -> None:
    """It is as dark as 0, and its text says what it is."""
    assert greys(np.array([np.nan, 0, 1, np.inf, -np.inf]))[:, 0].tolist() == [0, 0, 255, 255, 0]
    drawing = find_drawing(txviz.trace(model, find(model).example, edits=["image[0,0]=nan"]))
    assert drawing is not None
    assert not drawing.colours[0, 0].any()
