"""Every picture of every node of every kind of run: nothing overlaps, all that is named is there."""

from __future__ import annotations

import pytest

from tests.figures import shipped
from tests.figures.levels.checks import PAGES, check_picture, check_reads, drawn, nodes, unlike
from tests.nets.architectures import ALL
from txviz import Trace
from txviz.figures.theme import DARK, LIGHT
from txviz.trace import Run

PICTURES = (
    *("attention-block", "feed-forward", "embedding", "words", "positions", "layer", "head"),
    *("lens", "heads", "parts", "seeing", "cost", "mask", "training", "beams", "decoding"),
)


def untrained(architecture: str) -> Trace:
    parameters, forward = ALL[architecture]
    run = Run(parameters)
    forward(run)
    return Trace(run.steps, {"model": architecture}, run.steps[-1])


@pytest.mark.parametrize("picture", PICTURES)
@pytest.mark.parametrize("kind", shipped.KINDS)
def test_every_node_of_a_shipped_run(kind: str, picture: str) -> None:
    trace = shipped.trace(kind)
    for node in nodes(trace, picture):
        made = drawn(trace, node, PAGES[0], kind=picture)
        check_picture(made, trace, node, PAGES[0], f"{kind}: {node.name}", picture)
        check_reads(made, trace)


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("picture", PICTURES)
@pytest.mark.parametrize("kind", shipped.KINDS)
def test_every_kind_of_node_on_every_page(kind: str, picture: str, page: tuple[int, int]) -> None:
    trace = shipped.trace(kind)
    theme = DARK if page == PAGES[0] else LIGHT
    for node in unlike(nodes(trace, picture)):
        made = drawn(trace, node, page, theme, kind=picture)
        check_picture(made, trace, node, page, f"{kind}: {node.name} {theme.name}", picture)


@pytest.mark.parametrize("picture", PICTURES)
@pytest.mark.parametrize("architecture", ALL)
def test_every_architecture(architecture: str, picture: str) -> None:
    trace = untrained(architecture)
    for node in nodes(trace, picture):
        for page in PAGES[:3]:
            made = drawn(trace, node, page, kind=picture)
            check_picture(made, trace, node, page, f"{architecture}: {node.name}", picture)
            check_reads(made, trace)
