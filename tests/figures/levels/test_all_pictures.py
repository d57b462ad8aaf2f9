"""Every picture of every node of every kind of run: nothing overlaps, all that is named is there."""

from __future__ import annotations

import pytest

from tests.figures import shipped
from tests.figures.levels.checks import PAGES, check_picture, check_reads, drawn, nodes, unlike
from tests.nets.architectures import ALL, TOKENS, WORDS, block, given_tokens, lively
from txviz import Trace, ops
from txviz.figures.levels import LEVELS
from txviz.figures.theme import DARK, LIGHT
from txviz.nets import stacks
from txviz.nets.embedding import embed
from txviz.nets.parameters import Shapes
from txviz.trace import Run, pictures

PICTURES = tuple(name for name in LEVELS if name != "map")


def test_every_picture_has_both_its_rows() -> None:
    """One says how it is drawn, and one which nodes have it."""
    assert set(PICTURES) ^ set(pictures.PICTURES) == set()


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


def unlike_all_others(one_row: bool) -> Trace:
    """A learned question chooses which tokens count, and a layer of gates adds nothing up."""
    shapes: Shapes = {
        "embed.tokens.table": (len(WORDS), 8),
        "embed.positions.table": (10, 8),
        **stacks.stack_shapes(block(), 2, "encoder"),
        "gates.0.gate.opening.weight": (8, 8),
        "verdict.question.weight": (1, 8),
        **stacks.head_shapes(8, 2),
    }
    run = Run(lively(shapes))
    x = stacks.encoder(run, embed(run, given_tokens(run, "tokens", TOKENS), "learned"), block(), 2)
    with run.at(part="gates", layer=0, block="gate"):
        opening = run(ops.linear, "opening", x, run.parameter("opening.weight"), axes="token feature")
        x = run(ops.multiply, "passed", x, opening, axes="token feature")
    with run.at(part="verdict"):
        fits = run(ops.matmul, "fits", run.parameter("question.weight"), x, transpose=True, axes="question token")
        shares = run(ops.softmax, "shares", fits, axes="question token")
        vector = run(ops.matmul, "vector", shares, x, axes="question feature")
        vector = run(ops.select, "row", vector, at=0, axes="feature") if one_row else vector
    stacks.probabilities(run, stacks.logits(run, vector, f"{'' if one_row else 'question '}class", ("yes", "no")))
    return Trace(run.steps, {"model": "unlike"}, run.steps[-1])


@pytest.mark.parametrize("one_row", [True, False])
def test_what_a_net_unlike_all_others_can_not_show_is_not_offered(one_row: bool) -> None:
    """Its tokens can't be read without each other, and a layer that adds nothing up has no sums to show."""
    trace = unlike_all_others(one_row)
    assert "lens" not in trace.outline.pictures
    assert trace.outline.find("gates.0").pictures == ("map",)
    assert trace.outline.find("encoder.0").pictures == ("layer", "map")
    for node in unlike(trace.outline):
        for picture in node.pictures if node.children else ():
            made = drawn(trace, node, kind=picture)
            if picture != "map":
                check_picture(made, trace, node, PAGES[0], f"{node.name} {picture}", picture)
