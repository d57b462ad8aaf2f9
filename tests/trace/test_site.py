"""Where steps stand: as data, in their names and back, and as the outline of a run."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import txviz
from tests.models.checkpoints.reference import path
from tests.nets.architectures import ALL
from tests.nets.test_architectures import traced
from txviz import Trace
from txviz.errors import TxvizError
from txviz.models import find
from txviz.nets import declare_all
from txviz.trace import leaves
from txviz.trace.outline import Node
from txviz.trace.site import Site, read_name

RUNS: list[tuple[str, Any, dict[str, Any]]] = [
    *((name, find(name).example, {}) for name in txviz.models()),
    ("sentence", "the cat sleeps", {}),
    ("digits", find("digits").examples[4], {"target": "4"}),
    ("sentence", "the cat sleeps | the dog sleeps", {"target": "0.9"}),
    ("translator", "I love you", {"target": "ti amo"}),
    ("translator", "<fr> He did not help me", {"strategy": "beam", "beam_width": 3}),
    ("writer", "anna", {"strategy": "sample", "temperature": 0.5, "top_k": 3, "top_p": 0.9, "max_steps": 2}),
    ("writer", "anna", {"cache": True, "max_steps": 3}),
    (path("marian"), "The cat sat.", {"strategy": "beam", "max_steps": 2}),
]


@pytest.fixture(scope="module", params=range(len(RUNS)))
def run(request: pytest.FixtureRequest) -> Trace:
    name, source, options = RUNS[request.param]
    return txviz.trace(name, source, **options)


def test_the_name_is_how_a_site_is_written(run: Trace) -> None:
    for step in (*run, *run.learned.values()):
        assert step.name == step.site.name
        assert read_name(step.name) == step.site
        assert Site.from_json(step.site.as_json()) == step.site


@pytest.mark.parametrize("net", ALL)
def test_the_names_of_an_architecture_are_declared_and_can_be_read_back(net: str) -> None:
    """A block whose word is not known would be read as the beginning of a leaf."""
    trace = traced(*ALL[net])
    for each in (*trace, *trace.learned.values()):
        assert read_name(each.name) == each.site
        assert leaves.find(each.site), each.name


numbers = st.none() | st.integers(0, 30)


@given(st.sampled_from(["norm_1", "scores", "query.weight"]), st.sampled_from(["encoder", "embed"]), numbers, numbers)
def test_any_site_can_be_read_back(leaf: str, part: str, layer: int | None, time: int | None) -> None:
    site = Site(leaf, part, layer, time=time)
    assert read_name(site.name) == site


@given(st.text(alphabet="abtimefroma.0129_", max_size=30))
def test_any_text_can_be_read_as_a_name(text: str) -> None:
    read_name(text)


def test_fields() -> None:
    trace = txviz.trace("translator", "I love you")
    site = trace["time.2.decoder.1.cross_attention.weights"].site
    assert (site.pass_, site.time, site.part, site.layer, site.block, site.leaf) == (
        "forward", 2, "decoder", 1, "cross_attention", "weights"
    )  # fmt: skip
    assert site.beam is None
    assert site.title == "time 2 · decoder 1 · cross-attention · weights"


def test_a_leaf_may_have_a_title_of_its_own() -> None:
    assert txviz.trace("sentence-guide", "cat", pooling="cls")["pool.cls"].title == "pool · [CLS]"
    pair = txviz.trace("sentence", "the cat sleeps | the dog sleeps", target="0.9")
    assert pair["second.pool.unit"].title == "second · pool · unit vector"
    assert pair["backward.second.pool.unit"].title == "backward · second · pool · unit"


def test_owners() -> None:
    """A gradient and an update know what they are about."""
    trace = txviz.trace("digits", find("digits").examples[4], target="4")
    share = trace["backward.encoder.0.residual_1.from.encoder.0.residual_2"].site
    assert share.owner == trace["encoder.0.residual_1"].site
    assert share.reader == trace["encoder.0.residual_2"].site
    assert trace["update.head.weight.mean"].site.owner.name == "head.weight"
    assert trace["backward.loss.mean"].site.owner == trace["loss.mean"].site


def test_every_step_and_parameter_has_its_words(run: Trace) -> None:
    for step in (*run, *run.learned.values()):
        owner = step.site.owner
        assert leaves.find(owner) or owner.leaf == "", step.name


def test_no_words_for_what_no_net_makes() -> None:
    """Some of it, such as 2D positions, is in no model that ships, but in an architecture of the tests."""
    declare_all()
    traces = [txviz.trace(name, source, **options) for name, source, options in RUNS]
    traces += [traced(*net) for net in ALL.values()]
    made = {each.site.owner.leaf for trace in traces for each in (*trace, *trace.learned.values())}
    assert {leaf for _, leaf in leaves.declared()} - made == set()


def leaves_of(node: Node) -> Iterator[str]:
    if node.level == "step":
        yield node.name
    for child in node.children:
        yield from leaves_of(child)


def test_the_outline_holds_every_step_once(run: Trace) -> None:
    assert sorted(leaves_of(run.outline)) == sorted(step.name for step in run)
    assert [step.name for step in run.outline.steps] == [step.name for step in run]


def test_the_outline_names_its_nodes(run: Trace) -> None:
    names = [node.name for node in run.outline]
    assert len(names) == len(set(names))
    for node in run.outline:
        assert node.title
        assert all(step.name == node.name or step.name.startswith(node.name) for step in node.steps)
        if node.children:
            assert len(node.steps) == sum(len(child.steps) for child in node.children)


def test_every_node_is_found_by_its_name(run: Trace) -> None:
    outline = run.outline
    for node in outline:
        assert outline.find(node.name) is node
        path = outline.path_to(node.name)
        assert (path[0], path[-1]) == (outline, node)
        assert all(below in above.children for above, below in pairwise(path))
        assert node.first is node.steps[0]


def test_one_level_out_and_in() -> None:
    outline = txviz.trace("translator", "I love you", max_steps=2).outline
    path = outline.path_to("time.2.decoder.1.cross_attention.weights")
    assert [node.level for node in path] == ["run", "decoding", "time", "part", "layer", "block", "step"]
    assert [node.name for node in path][-2:] == ["time.2.decoder.1.cross_attention", path[-1].name]
    assert path[2].first.name == "time.2.decoder.tokens"
    assert outline.title_of(path[-2].name) == " · ".join(node.title for node in path[1:-1])
    assert outline.title_of("") == outline.title
    within = path[3].path_to("time.2.decoder.1.cross_attention")
    assert within == path[3:6]


def test_a_name_that_no_node_has() -> None:
    outline = txviz.trace("sentence-guide", "cat").outline
    assert outline.get("encoder.0.atention") is None
    for ask in (outline.find, outline.path_to):
        with pytest.raises(TxvizError, match=r'has no "encoder\.0\.atention"; did you mean "encoder\.0\.attention"\?'):
            ask("encoder.0.atention")


def test_an_outline_is_freed_with_its_trace() -> None:
    """At once, not when Python next looks for circles: while somebody types, runs come and go."""
    outline = txviz.trace("sentence-guide", "cat").outline
    outline.path_to("encoder.0.attention.scores")
    gone = weakref.ref(outline)
    del outline
    assert gone() is None


def test_the_levels_of_a_translation() -> None:
    outline = txviz.trace("translator", "I love you", strategy="beam", beam_width=2, max_steps=2).outline
    found = {node.name: node for node in outline}
    assert [child.name for child in outline.children] == ["tokens", "embed", "encoder", "time"]
    assert found["time"].level == "decoding"
    assert [child.name for child in found["time"].children] == ["time.1", "time.2"]
    assert found["time.2.beam.1.decoder.0.cross_attention"].level == "block"
    assert found["encoder.1"].title == "layer 1"


def test_the_passes_of_a_training_step() -> None:
    outline = txviz.trace("digits", find("digits").examples[4], target="4").outline
    assert [node.name for node in outline.children if node.level == "pass"] == ["backward", "update", "after"]


def test_the_key_steps_tell_the_story(run: Trace) -> None:
    """Every part that computes something has one, the beginning is one, and they are fewer than all."""
    keys = run.key_steps
    parts = {step.site.part for step in run if step.site.pass_ == "forward"} - {"mask", None}
    assert {step.site.part for step in keys} >= parts
    assert len(keys) < len(run)
    assert keys[0] is run[0]
