"""Pictures of levels: what is added or copied has one scale of colours there, too, and the bar tells no lie."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from tests.figures import shipped
from tests.figures.levels.checks import drawn, nodes, unlike, words
from txviz.figures.colour_scale import Span
from txviz.figures.levels.picture import Picture
from txviz.figures.looks import look
from txviz.figures.marks import Group, Text
from txviz.figures.sharing import names_together
from txviz.figures.stage_cells import heats_by_place
from txviz.figures.style import Style
from txviz.figures.theme import DARK, LIGHT, PAPER, Theme, rgb
from txviz.ops import Array

KINDS = ("sentence-guide", "vit-guide-2x2", "masked-attention-guide", "digits", "translator")
PICTURES = ("embedding", "attention-block", "feed-forward", "layer", "head", "map")


def matrices(picture: Picture) -> dict[str, tuple[Array, Array]]:
    """By the name of a step: the numbers of its first matrix, and their colours."""
    heats, found = heats_by_place(picture.figure), {}
    for spot in reversed(picture.spots):
        panel = spot.panel
        if panel is not None and not (panel.grid.counts or panel.grid.picture) and (panel.x, panel.y) in heats:
            painted = np.frombuffer(heats[panel.x, panel.y].colours, np.uint8).reshape(-1, 3)
            found[panel.grid.name] = panel.grid.values.ravel(), painted
    return found


@pytest.mark.parametrize("what", PICTURES)
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_added_or_copied_has_one_colour_for_one_number(kind: str, what: str) -> None:
    trace = shipped.trace(kind)
    for node in unlike(nodes(trace, what)):
        shown = matrices(drawn(trace, node, kind=what))
        for step in (step for step in node.steps if not look(step).rescales):
            for a, b in combinations(sorted(names_together(step) & shown.keys()), 2):
                _check_alike(shown[a], shown[b], f"{a} and {b} in {node.name}")


def _check_alike(a: tuple[Array, Array], b: tuple[Array, Array], told: str) -> None:
    for number in np.intersect1d(a[0], b[0]).tolist():
        first, second = (painted[values == number][0].tolist() for values, painted in (a, b))
        assert first == second, f"{number} in {told}"


def test_a_stream_is_paler_where_its_numbers_are_smaller() -> None:
    """In a layer with its norms first, what comes in is smaller than what goes out, and looks so."""
    trace = shipped.trace("digits")
    shown = matrices(drawn(trace, trace.outline.find("encoder.0")))
    sizes = {name: float(np.abs(trace[name].value).max()) for name in ("embed.sum", "encoder.0.residual_2")}
    assert 2 * sizes["embed.sum"] < sizes["encoder.0.residual_2"]
    darkest = {name: int(shown[name][1].min()) for name in sizes}
    assert darkest["embed.sum"] > darkest["encoder.0.residual_2"]


def legend(picture: Picture) -> list[str]:
    group = next(mark for mark in picture.figure.marks if isinstance(mark, Group) and mark.name == "colours")
    return [mark.text for mark in group.marks if isinstance(mark, Text)]


def test_the_bar_says_what_has_which_scale() -> None:
    trace = shipped.trace("sentence-guide")
    layer = legend(drawn(trace, trace.outline.find("encoder.0")))
    assert layer == ["each its own scale", "−", "0", "+", "sum, residual 2, output ±0.935 · norm 2 ±1.34"]
    digits = shipped.trace("digits")
    block = legend(drawn(digits, digits.outline.find("encoder.0.attention")))
    assert block[-1] == "what is added or copied shares a scale", "where all of them are too many"
    stream = legend(drawn(digits, digits.outline.find("encoder.0")))
    assert stream == ["sum, residual 1, output, residual 2", "−3.55", "0", "3.55"]


def test_given_ends_are_those_of_every_matrix() -> None:
    trace = shipped.trace("sentence-guide")
    picture = drawn(trace, trace.outline.find("encoder.0"), style=Style(scale=Span(0.0, 0.5)))
    assert legend(picture)[1:] == ["≤ 0", "≥ 0.5"]
    for values, painted in matrices(picture).values():
        assert (painted[values >= 0.5] == rgb(LIGHT.scale[-1])).all()
        assert (painted[values <= 0] == 255).all()


@pytest.mark.parametrize("theme", [LIGHT, DARK, PAPER], ids=lambda theme: theme.name)
@pytest.mark.parametrize("what", PICTURES)
def test_0_has_one_colour_throughout(what: str, theme: Theme) -> None:
    for kind in ("sentence-guide", "vit-guide-2x2"):
        trace = shipped.trace(kind)
        for node in nodes(trace, what):
            for name, (values, painted) in matrices(drawn(trace, node, theme=theme, kind=what)).items():
                assert (painted[values == 0] == rgb(theme.scale[3])).all(), name


def test_each_tensor_can_have_its_own() -> None:
    trace = shipped.trace("sentence-guide")
    shown = matrices(drawn(trace, trace.outline.find("encoder.0"), style=Style(scale="each")))
    for name, (values, painted) in shown.items():
        strongest = painted[np.abs(values).argmax()].tolist()
        assert tuple(strongest) in {rgb(LIGHT.scale[0]), rgb(LIGHT.scale[-1])}, name
    digits = shipped.trace("digits")
    assert "what is added or copied shares a scale" not in words(
        drawn(digits, digits.outline.find("encoder.0.attention"), style=Style(scale="each"))
    )
