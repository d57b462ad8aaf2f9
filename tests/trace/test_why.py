"""Why everything is there: a page for every node of every run, in plain words that are true for the model at hand."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import txviz
from tests.models.checkpoints.reference import path
from tests.nets.architectures import ALL
from tests.nets.test_architectures import traced
from tests.trace.test_site import RUNS
from txviz import Trace, ops
from txviz.models import find
from txviz.trace import Run, why
from txviz.trace.outline import Node, outline
from txviz.trace.why import Page, explain, explained, keys

MORE: list[tuple[str, str, dict[str, Any]]] = [
    ("sentence-guide", "The cat sat.", {"pooling": "cls"}),
    ("digits", find("digits").example, {"target": "3", "optimizer": "sgd"}),
    ("writer", "anna", {"target": "and then"}),
    ("translator", "I love you", {"strategy": "beam", "cache": True, "max_steps": 2}),
    ("translator", " ".join(["very"] * 30), {"strategy": "sample", "temperature": 2, "max_steps": 12}),
]
SHIPPED = {f"{name} {options or source[:20]}": (name, source, options) for name, source, options in (*RUNS, *MORE)}
FEWEST_WORDS, MOST_WORDS = 40, 150


@cache
def run(which: str) -> Trace:
    """A run of a shipped model, or of an architecture of the tests."""
    if which in ALL:
        return traced(*ALL[which])
    name, source, options = SHIPPED[which]
    return txviz.trace(name, source, **options)


@cache
def translation() -> Trace:
    return txviz.trace("translator", "I love you very much")


every_run = pytest.mark.parametrize("which", [*SHIPPED, *ALL])


def pieces(page: Page) -> Iterator[str]:
    """Everything that is to be read, in the order of the page."""
    yield from (page.text, *page.reasons, *page.here)
    if page.at_large:
        yield page.at_large


@every_run
def test_every_node_has_a_page(which: str) -> None:
    written = explained()
    for node in run(which).outline:
        assert any(key in written for key in keys(node)), node
        assert node.why.reasons, node


@every_run
def test_pages_are_short_plain_sentences(which: str) -> None:
    for node in run(which).outline:
        found = list(pieces(node.why))
        words = sum(len(piece.split()) for piece in found)
        assert FEWEST_WORDS <= words <= MOST_WORDS, (node, words)
        for piece in found:
            check(piece)


def check(piece: str) -> None:
    piece = re.sub("“[^”]*”", "“…”", piece)  # what is quoted may be anything
    assert piece.endswith("."), piece
    assert piece == " ".join(piece.split()), piece
    assert re.match(r"[A-Z0-9“‘(\[√]|(?:[ekpn]|e\^score|d_[kv]|<[A-Z]+>|[a-z]+ ·) ?", piece), piece
    assert not re.search(r"[{}*`]|\bNone\b|\bnan\b|&\w+;|</|\.\.| [,.;]", piece), piece
    assert piece.count("“") == piece.count("”"), piece
    assert piece.count("(") == piece.count(")"), piece
    assert not re.search(r"(?<![\d.×/] )\b1 (tokens|layers|heads|numbers|scores|keys|queries|time steps)\b", piece), (
        piece
    )


def topic(node: Node) -> tuple[str, ...]:
    """What a page is about; two nodes of one topic may have the same."""
    site = node.first.site
    if node.level == "step" and site.pass_ in ("backward", "update"):
        return site.pass_, site.role or "", site.owner.name
    if node.level == "step":
        return "step", site.leaf.rstrip("_123")
    inner = {"part": site.part, "layer": site.part, "block": site.block}.get(node.level)
    return node.level, site.pass_ if site.pass_ != "loss" else "forward", inner or ""


def test_what_has_nothing_in_common_has_no_page_in_common() -> None:
    topics: dict[str, set[tuple[str, ...]]] = {}
    for which in [*SHIPPED, *ALL]:
        for node in run(which).outline:
            topics.setdefault(node.why.text, set()).add(topic(node))
    assert [(text, found) for text, found in topics.items() if len(found) > 1] == []


def test_no_page_for_what_no_net_makes() -> None:
    written, used = explained(), set()
    for which in [*SHIPPED, *ALL]:
        for node in run(which).outline:
            used.add(next(key for key in keys(node) if key in written))
    also = {
        *(("attention", leaf) for leaf in ("keys", "values")),  # every kind of attention shares these pages
        *(("cross_attention", leaf) for leaf in ("keys", "values")),
        ("self_attention", "causal"),
    }
    assert set(written) - used - also == set()


OWN_WORDS = (
    *(f"{role}{ending}" for role in ("query", "key", "value") for ending in ("", "_projection")),
    *("scores", "weights", "context"),
)


@pytest.mark.parametrize("leaf", OWN_WORDS)
def test_each_kind_of_attention_has_its_own_words(leaf: str) -> None:
    trace = txviz.trace("translator", "I love you", max_steps=2)
    blocks = ("encoder.0.attention", "time.2.decoder.0.self_attention", "time.2.decoder.0.cross_attention")
    plain, masked, cross = (trace.outline.find(f"{block}.{leaf}") for block in blocks)
    assert len({node.why.text for node in (plain, masked, cross)}) == 3
    assert len({node.first.text for node in (plain, masked, cross)}) == 3
    assert "source" in str(cross.why)
    assert "source" in cross.first.text
    assert "target" in str(cross.why)
    assert re.search(r"so far|before|later", str(masked.why))
    assert re.search(r"so far|before", masked.first.text)
    assert "source" not in str(plain.why)


def test_what_the_decoder_reads() -> None:
    writing, training = translation(), txviz.trace("translator", "I love you", target="ti amo")
    first, later = (writing.outline.find(f"time.{time}.decoder.tokens") for time in (1, 3))
    assert first.first.text.startswith("What has been written so far")
    assert first.why.text.startswith("What has been written so far")
    assert "Time step 1 reads “<SOS>”." in first.why.here
    assert "Time step 3 reads “<SOS> ti amo”." in later.why.here
    target = training.outline.find("decoder.tokens")
    assert target.first.text == "The right answer, shifted right by one, so that it starts with <SOS>."
    assert target.first.labels[0] == ("<SOS>", "ti", "amo")
    assert "teacher forcing" in str(target.why)
    assert "one time step" in str(target.why)


def test_what_the_encoder_gives() -> None:
    trace = translation()
    for name in ("encoder", "encoder.norm"):
        assert "computed once" in str(trace.outline.find(name).why)
        assert f"{len(trace['tokens'].value)} tokens" in str(trace.outline.find(name).why)
    assert "The target asks, the source answers" in trace.outline.find("time.1.decoder.0.cross_attention").why.text
    assert "computed once" not in str(txviz.trace("sentence", "a cat").outline.find("encoder").why)


def numbers(pattern: str, node: Node) -> tuple[int, ...] | None:
    """The numbers in the one place of the page that reads like this."""
    found = [match.groups() for match in re.finditer(pattern, str(node.why))]
    assert len(found) <= 1
    return tuple(int(each.replace(",", "")) for each in found[0]) if found else None


@every_run
def test_heads_and_sizes_of_attention_are_those_of_the_run(which: str) -> None:
    trace = run(which)
    told = 0
    for node in trace.outline:
        site = node.first.site
        if not (site.block and site.block.endswith("attention")) or site.pass_ != "forward":
            continue
        query = trace.get(site._replace(leaf="query").name)
        weights = trace[site._replace(leaf="weights").name].value
        split = numbers(r"(\d+) heads of (\d+) numbers each, (\d+) × (\d+) = (\d+);", node)
        if split:
            assert query is not None
            heads, _, d_k = query.value.shape
            assert split == (heads, d_k, heads, d_k, heads * d_k)
            told += 1
        scores = numbers(
            r"Scores in each head: ([\d,]+) (?:of the target )?× ([\d,]+) (?:of the source )?= ([\d,]+)", node
        )
        if scores:
            assert scores == (*weights.shape[1:], weights[0].size)
        scaled = re.search(r"d_k is (\d+), so every score is divided by √(\d+) [=≈] ([\d.]+);", str(node.why))
        if scaled:
            assert query is not None
            assert int(scaled[1]) == int(scaled[2]) == query.value.shape[-1]
            assert float(scaled[3]) == pytest.approx(sqrt(query.value.shape[-1]), rel=0.005)
    several = any(step.site.leaf == "query" and len(step.value) > 1 for step in trace)
    assert (told > 0) == several


def test_the_numbers_of_two_models() -> None:
    digits, translator = txviz.trace("digits", find("digits").example).outline, translation().outline
    heads = "4 heads of {0} numbers each, 4 × {0} = {1}; in the paper 8 heads of 64, 8 × 64 = 512."
    assert heads.format(4, 16) in digits.find("encoder.0.attention").why.here
    assert heads.format(16, 64) in translator.find("encoder.0.attention").why.here
    assert heads.format(16, 64) in translator.find("time.1.decoder.1.cross_attention").why.here
    assert "√4 = 2;" in str(digits.find("encoder.0.attention.scaled").why)
    assert "√16 = 4;" in str(translator.find("encoder.0.attention.scaled").why)
    assert "√64 = 8;" in str(translator.find("embed.scaled").why)
    assert "16 → 76 → 16" in str(digits.find("encoder.0.ffn").why)
    assert "64 → 128 → 64" in str(translator.find("encoder.0.ffn").why)
    assert "9 patches of 2×2 pixels, 4 numbers each." in digits.find("patches").why.here
    assert "patch E, which has neighbours on all sides" in str(digits.find("encoder.1.attention.scores").why)
    assert "4 pixels become 16 numbers" in str(digits.find("embed.projection").why)
    assert "A table of 1,185 rows with 64 numbers each" in str(translator.find("embed.tokens").why)
    assert "10 classes" in str(digits.find("head").why)
    assert "all 1,185 entries of the vocabulary" in str(translator.find("time.1.head").why)
    assert "the second of 2 layers" in str(translator.find("time.1.decoder.1").why)


@every_run
def test_learned_numbers_are_counted(which: str) -> None:
    trace = run(which)
    for node in trace.outline:
        told = numbers(r"([\d,]+) learned numbers?", node) if node.level in ("part", "layer", "block") else None
        if told:
            read = {source for step in node.steps for source in step.inputs} & trace.parameters.keys()
            assert told[0] == sum(trace.parameters[name].size for name in read)


def test_where_the_norms_stand() -> None:
    post, pre = run("encoder-decoder"), run("encoder-decoder, pre-norm, tied, learned")
    for trace, said in ((post, "(post-norm)"), (pre, "(pre-norm)")):
        for name in ("encoder.0", "encoder.1.norm_2", "decoder.0", "decoder.1.norm_3"):
            assert said in str(trace.outline.find(name).why)
    guide = txviz.trace("sentence-guide", "cat").outline.find("encoder.0.norm_2").why
    assert "one sum and one norm only" in str(guide)
    assert "-norm)" not in str(guide)


def test_what_each_sum_adds() -> None:
    trace = translation()
    added = {1: "self-attention", 2: "cross-attention", 3: "the feed-forward network"}
    for number, block in added.items():
        page = trace.outline.find(f"time.1.decoder.0.residual_{number}").why
        assert page.text.startswith(f"What {block} found is added")
    writer = txviz.trace("writer", "anna", max_steps=1).outline.find("time.1.decoder.0.residual_2")
    assert writer.why.text.startswith("What the feed-forward network found is added")


@pytest.mark.parametrize(("name", "node"), [("llama", "time.1.embed"), ("t5", "embed"), ("t5", "time.1.decoder.embed")])
def test_a_model_whose_layers_know_places_is_not_said_to_have_none(name: str, node: str) -> None:
    trace = txviz.trace(path(name), "The cat sat.", max_steps=1)
    page = str(trace.outline.find(node).why)
    assert "Order is no part of it: each layer" in page
    assert "plus a vector" not in page
    assert "plus position" not in page
    assert f"Here: {'1 token' if 'decoder' in node else f'{len(trace[0].value)} tokens'}, " in page
    assert not any("Positions are left out" in str(each.why) for each in trace.outline)


def test_each_time_step_says_what_it_reads_and_writes() -> None:
    trace = translation()
    for time in range(1, 5):
        words = " ".join(trace[f"time.{time}.decoder.tokens"].labels[0])
        chosen = trace[f"time.{time}.choice.token"].chosen
        page = trace.outline.find(f"time.{time}").why
        assert page.here[0] == f"Time step {time} reads “{words}” and writes “{chosen}”."
    assert "It took 4 time steps." in trace.outline.find("time").why.here


def test_how_tokens_are_chosen() -> None:
    greedy, beam, sampled = (
        str(txviz.trace("translator", "I love you", max_steps=2, **options).outline.find("time").why)
        for options in ({}, {"strategy": "beam", "beam_width": 3}, {"strategy": "sample"})
    )
    assert "(greedy)" in greedy
    assert "A beam kept up to 3 sentences" in beam
    assert "was sampled by chance" in sampled
    assert ("(greedy)" in beam, "(greedy)" in sampled, "A beam" in greedy) == (False, False, False)


def test_a_training_step_tells_its_loss() -> None:
    trace = txviz.trace("digits", find("digits").examples[4], target="4")
    before, after = (float(trace[name].value) for name in ("loss.mean", "after.loss"))
    for name in ("", "update", "after", "after.loss"):
        found = re.search(r"[Tt]he loss goes from ([\d.]+) to ([\d.]+)\.", str(trace.outline.find(name).why))
        assert found, name
        assert [float(each) for each in found.groups()] == pytest.approx([before, after], rel=1e-5)
    sizes = {name: value.size for name, value in trace.parameters.items()}
    assert f"{sum(sizes.values()):,} numbers are changed." in trace.outline.find("update").why.here
    head = sum(size for name, size in sizes.items() if name.startswith("head."))
    assert f"{head} numbers are changed here." in trace.outline.find("update.head").why.here
    assert "training" not in str(txviz.trace("digits", find("digits").examples[4]).outline.why)


def test_gradients_say_what_they_are_about() -> None:
    trace = txviz.trace("digits", find("digits").examples[4], target="4").outline
    assert "“encoder 1 · attention”" in trace.find("backward.encoder.1.attention").why.text
    assert "“encoder 1”" in trace.find("backward.encoder.1").why.text
    assert "“encoder”" in trace.find("backward.encoder").why.text
    assert "learned numbers “head · weight”" in trace.find("backward.head.weight").why.text
    share = trace.find("backward.encoder.0.residual_1.from.encoder.0.residual_2").why.text
    assert "“encoder 0 · residual 1”" in share
    assert "“encoder 0 · residual 2”" in share


@pytest.mark.parametrize("model", ["sentence-guide", "vit-guide-2x2", "masked-attention-guide"])
def test_a_step_that_was_put_in_by_hand_keeps_its_page(model: str) -> None:
    example = find(model).example
    for step in txviz.trace(model, example):
        if step.op == "given":
            continue
        changed = txviz.trace(model, example, overrides={step.name: lambda value: value})
        for node in changed.outline:
            assert node.why.reasons


def test_a_node_that_nobody_explained_says_what_it_does() -> None:
    run = Run({})
    with run.at(part="strange", layer=0):
        x = run.given("x", np.ones((2, 3)), axes="token feature")
        run(ops.softmax, "{odd}", x, axes="token feature")
    tree = outline(run.steps, "mine")
    for node in tree:
        assert node.why.text.endswith(".")
    assert tree.find("strange.0.{odd}").why.text == ops.softmax.about
    assert tree.find("strange").why.text == "A part of this model: 2 steps."


def test_a_strange_net_may_use_our_names() -> None:
    """Its steps have other axes than ours; then a page says nothing about sizes."""
    run = Run({})
    with run.at(part="encoder", layer=0, block="attention"):
        x = run.given("query", np.ones((2, 3)), axes="row column")
        run(ops.softmax, "weights", x, axes="row column")
    for node in outline(run.steps, "mine"):
        assert node.why.text
        assert not re.search("heads of|scores in each", str(node.why))


def test_a_new_net_can_explain_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(why, "_PAGES", dict(explained()))
    explain("strange_part", {"": Page("Why not.", here=("It has {d_k} numbers.", "It is {learned}."))})
    run = Run({})
    with run.at(part="strange_part"):
        run.given("x", np.ones(3), axes="feature")
    assert outline(run.steps, "mine").find("strange_part").why == Page("Why not.")
    explain("strange_part", {"": Page("It has {no_such_fact}.")})
    with pytest.raises(ValueError, match="no_such_fact"):
        _ = outline(run.steps, "mine").find("strange_part").why


def test_a_trace_from_a_file_has_the_same_pages(tmp_path: Path) -> None:
    trace = txviz.trace("writer", "anna", max_steps=2)
    trace.save(tmp_path / "anna.safetensors")
    loaded = txviz.load(tmp_path / "anna.safetensors")
    assert [node.why for node in loaded.outline] == [node.why for node in trace.outline]


def test_pages_are_read_only_when_somebody_asks() -> None:
    code = """
import sys, txviz
trace = txviz.trace("sentence-guide", "The cat sat.")
texts = [step.text for step in trace], [node.title for node in trace.outline]
print("txviz.nets.why" in sys.modules, bool(trace.outline.why), "txviz.nets.why" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True", "True"]
