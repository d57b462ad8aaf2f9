from __future__ import annotations

import numpy as np
import pytest

from txviz.figures.theme import DARK, LIGHT, PAPER, Theme, colours, is_dark, rgb
from txviz.ops import Array


def luminance(painted: Array) -> Array:  # (...,3) -> (...)
    return np.asarray((painted / 255.0) ** 2.2 @ np.array([0.2126, 0.7152, 0.0722]))


def test_paper_can_be_told_apart_in_grey() -> None:
    assert (np.diff(luminance(colours(PAPER, np.linspace(-1, 1, 101), 1.0))) >= 0).all()
    assert (np.diff(luminance(colours(PAPER, np.linspace(0, 1, 101), 1.0))) <= 0).all()


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_colours_diverge_around_0(theme: Theme) -> None:
    below, zero, above = colours(theme, np.array([-2.0, 0.0, 2.0]), 1.0).tolist()
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
    cells = colours(theme, np.linspace(-1, 1, 41), 1.0)
    for cell, dark in zip(luminance(cells), is_dark(cells), strict=True):
        assert contrast(float(cell), 1.0 if dark else 0.008) >= 3
