"""Comparisons that lectures need, ready made: two runs, and where to look at them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from txviz.models.registry import find
from txviz.models.request import Request, compute
from txviz.models.tracing import trace_with
from txviz.models.trained import TrainedModel
from txviz.nets.parameters import initialise
from txviz.trace import Step, Trace

CAT, SOFA = "The cat lies on the sofa", "The sofa lies on the cat"
WITHOUT_POSITIONS = ("first.embed.positions=0", "second.embed.positions=0")


class Comparison(NamedTuple):
    title: str
    about: str
    a: Request
    b: Request
    node: str
    """Where to look first: a step, a block, or the whole run."""

    picture: str = ""
    """Which of its pictures, where it has several."""

    untrained: bool = False
    """Whether A has the numbers that its training began with."""

    table: bool = False
    """Whether the table of both is shown first."""


def comparisons() -> dict[str, Comparison]:
    """By a word for each."""
    return {
        "order": _order(),
        "order-without-positions": _order_without_positions(),
        "training": _training(),
        "beam": _beam(),
        "text-and-vision": _text_and_vision(),
    }


def _order() -> Comparison:
    return Comparison(
        "Word order: the cat on the sofa, the sofa on the cat",
        "Each is held against “The cat lies on the sofa”: positions tell the two apart.",
        Request("sentence", f"{CAT} | {CAT}"),
        Request("sentence", f"{SOFA} | {CAT}"),
        "first.embed.sum",
    )


def _order_without_positions() -> Comparison:
    ordered = _order()
    return Comparison(
        "The same without positions",
        "Without positions the rows are the same in another order, and the mean of them is the same.",
        replace(ordered.a, edits=WITHOUT_POSITIONS),
        replace(ordered.b, edits=WITHOUT_POSITIONS),
        ordered.node,
    )


def _training() -> Comparison:
    digit = Request("digits", find("digits").example)
    return Comparison(
        "Training: before and after",
        "The same drawing, read with the numbers that training began with, and with those it came to.",
        digit,
        digit,
        "head",
        untrained=True,
    )


def _beam() -> Comparison:
    greedy = Request("translator", _where_greedy_loses())
    return Comparison(
        "Decoding: greedy and with a beam",
        "Greedy takes the likeliest token each time; a beam keeps several sentences, and finds a likelier one.",
        greedy,
        replace(greedy, options={"strategy": "beam", "length_penalty": 0.6}),
        "time",
        "decoding",
    )


def _text_and_vision() -> Comparison:
    sentence, drawing = (Request(name, find(name).example) for name in ("sentence-guide", "vit-guide-2x2"))
    return Comparison(
        "A sentence beside a drawing",
        "The same block twice; only what comes before and after it differs.",
        sentence,
        drawing,
        "",
        "map",
        table=True,
    )


def _where_greedy_loses() -> str:
    model = find("translator")
    found = zip(model.captions, model.examples, strict=True)
    return next((text for caption, text in found if "greedy" in caption), model.example)


def run_both(comparison: Comparison, watch: Callable[[Step], object] | None = None) -> tuple[Trace, Trace]:
    """A and B."""
    a = _untrained(comparison.a, watch) if comparison.untrained else compute(comparison.a, watch)
    return a, compute(comparison.b, watch)


def _untrained(request: Request, watch: Callable[[Step], object] | None) -> Trace:
    model = find(request.model)
    assert isinstance(model, TrainedModel)
    start = initialise(model.shapes(model.config), seed=model.recipe.seed)
    before = model.with_parameters(start, "before training")
    return trace_with(request.model, request.source, request.options, watch=watch, instead=before)
