"""What plots show: the nearest of their kind, and never what is yet to be computed. Over all steps of all models."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.figures.shipped import KINDS
from tests.figures.shipped import trace as shipped
from txviz import Step, Trace
from txviz.figures.views import VIEWS, anything, nearest
from txviz.trace.site import Site


@pytest.mark.parametrize("kind", KINDS)
def test_no_picture_shows_what_is_yet_to_be_computed(kind: str) -> None:
    trace = shipped(kind)
    places = {step.name: place for place, step in enumerate(trace)}
    for step in trace:
        for view in VIEWS.values():
            shown = view.steps(trace, step)
            assert all(places[each.name] <= places[step.name] for each in shown), f"{view.name} of {step.name}"
            assert all(trace[each.name] is each for each in shown)


@pytest.mark.parametrize("kind", KINDS)
def test_a_step_that_is_of_the_kind_is_shown_itself(kind: str) -> None:
    for step in (trace := shipped(kind)):
        if step.op == "softmax":
            assert nearest.softmax(trace, step) == (step,)
            assert step.axes[-1] != "key" or nearest.weights(trace, step) == (step,)


@pytest.mark.parametrize("kind", KINDS)
def test_there_is_a_plot_as_soon_as_there_are_numbers(kind: str) -> None:
    """Only the first numbers of tokens, or labels, have none."""
    trace = shipped(kind)
    without = [step for step in trace if not anything(trace, step)]
    assert without == [step for step in list(trace)[: len(without)] if step.value.dtype.kind != "f"]


def shown(find: Callable[[Trace, Step], tuple[Step, ...]], trace: Trace, name: str) -> list[str]:
    return [step.name for step in find(trace, trace[name])]


def test_attention_is_of_the_nearest_block_that_is_computed() -> None:
    trace = shipped("translator")
    expected = {
        "encoder.0.attention.scaled": None,
        "encoder.0.attention.context": "encoder.0.attention.weights",
        "encoder.0.ffn.hidden": "encoder.0.attention.weights",
        "encoder.1.attention.scores": "encoder.0.attention.weights",
        "time.1.decoder.tokens": "encoder.1.attention.weights",
        "time.2.decoder.0.self_attention.query": "time.1.decoder.0.self_attention.weights",
        "time.2.decoder.0.ffn.hidden": "time.2.decoder.0.cross_attention.weights",
        "time.2.choice.token": "time.2.decoder.1.cross_attention.weights",
    }
    for name, weights in expected.items():
        assert shown(nearest.weights, trace, name) == ([weights] if weights else []), name


def test_attention_before_a_mask_has_not_been_masked() -> None:
    """The weights of a block come after its mask, so that none are shown before."""
    trace = shipped("masked-attention-guide")
    for leaf in ("scores", "causal", "masked"):
        assert shown(nearest.weights, trace, f"decoder.0.self_attention.{leaf}") == []
    assert shown(nearest.weights, trace, "decoder.0.self_attention.weights")


def test_a_gradient_shows_the_weights_of_its_block() -> None:
    trace = shipped("a training step of digits")
    assert shown(nearest.weights, trace, "backward.encoder.0.attention.scores") == ["encoder.0.attention.weights"]


def test_a_softmax_is_shown_from_where_it_is_computed_on() -> None:
    trace = shipped("digits")
    assert shown(nearest.softmax, trace, "encoder.0.attention.scaled") == []
    assert shown(nearest.softmax, trace, "encoder.1.attention.scores") == ["encoder.0.attention.weights"]
    assert shown(nearest.softmax, trace, "head.logits") == ["encoder.1.attention.weights"]
    assert shown(nearest.softmax, trace, "head.prediction") == ["head.probabilities"]


def test_tokens_are_shown_as_far_as_they_have_come() -> None:
    trace = shipped("translator")
    encoder = ["embed.sum", "encoder.0.residual_2", "encoder.1.residual_2", "encoder.norm"]
    assert shown(nearest.stream, trace, "embed.positions") == []
    assert shown(nearest.stream, trace, "encoder.0.ffn.hidden") == encoder[:1]
    assert shown(nearest.stream, trace, "encoder.1.attention.weights") == encoder[:2]
    assert shown(nearest.stream, trace, "time.1.decoder.tokens") == encoder
    second = ["time.2.decoder.embed.sum", "time.2.decoder.0.residual_3"]
    assert shown(nearest.stream, trace, "time.2.decoder.tokens")[0] == "time.1.decoder.embed.sum"
    assert shown(nearest.stream, trace, "time.2.decoder.0.ffn.hidden") == second[:1]
    assert shown(nearest.stream, trace, "time.2.decoder.1.ffn.hidden") == second
    assert len(shown(nearest.stream, trace, "time.2.choice.token")) == 4


def test_the_streams_of_two_sentences() -> None:
    pair = shipped("sentence")
    assert shown(nearest.stream, pair, "second.tokens")[0] == "first.embed.sum", "nothing else is there yet"
    assert shown(nearest.stream, pair, "second.embed.sum") == ["second.embed.sum"]
    assert shown(nearest.stream, pair, "similarity.cosine")[0] == "second.embed.sum"
    assert shown(nearest.stream, pair, "first.pool.mean")[0] == "first.embed.sum"


@pytest.mark.parametrize("kind", KINDS)
def test_the_nearest_is_the_best_of_all_that_are_computed(kind: str) -> None:
    """Against looking at each of them: the block counts more than the time step, that more than the beam."""
    trace = shipped(kind)
    softmaxes = [(place, step) for place, step in enumerate(trace) if step.op == "softmax"]
    for now, step in enumerate(trace):
        here = step.site.owner

        def alike(found: tuple[int, Step], here: Site = here) -> tuple[object, ...]:
            place, site = found[0], found[1].site
            fields = ("part", "layer", "block")
            same = [getattr(site, field) == getattr(here, field) for field in fields]
            blocks = [all(same[: i + 1]) for i in range(len(fields))]
            return site.sentence == here.sentence, *blocks, site.time == here.time, site.beam == here.beam, place

        past = [found for found in softmaxes if found[0] <= now]
        assert nearest.softmax(trace, step) == ((max(past, key=alike)[1],) if past else ())
