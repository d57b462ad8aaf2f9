"""The same text in two models: which layers go together, attention by word, and what is said where nothing does."""

from __future__ import annotations

import json
import shutil
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

import txviz
from tests.figures.levels import checks
from tests.figures.levels.test_pair import check, draw
from tests.models.checkpoints.reference import path
from txviz.analysis.same_words import merged, stretches
from txviz.cli import main
from txviz.figures.by_word import by_word
from txviz.figures.comparison import compared_stage
from txviz.figures.levels import kinds
from txviz.figures.levels.stage_table import table, verdict
from txviz.figures.numerals import percent
from txviz.figures.pair import Pair, Sides, remarks
from txviz.models import find

TEXT = "The cat sat on the mat."
ONE: dict[str, Any] = {"max_steps": 1}


@cache
def writers() -> Pair:
    return Pair(txviz.trace(path("gpt2"), TEXT, **ONE), txviz.trace(path("llama"), TEXT, **ONE))


@cache
def and_toy() -> Pair:
    return Pair(txviz.trace(path("minilm"), "the cat sleeps"), txviz.trace("sentence", "the cat sleeps"))


@pytest.fixture(scope="module")
def deep(tmp_path_factory: pytest.TempPathFactory) -> Pair:
    """MiniLM with its two layers, and with five: the first of them once more."""
    folder = tmp_path_factory.mktemp("deep") / "minilm-5"
    shutil.copytree(path("minilm"), folder)
    weights = load_file(folder / "model.safetensors")
    more = {name.replace("layer.0.", f"layer.{i}."): value for name, value in weights.items() for i in (2, 3, 4)
            if "layer.0." in name}  # fmt: skip
    save_file({**weights, **more}, folder / "model.safetensors", metadata={"format": "pt"})
    config = json.loads((folder / "config.json").read_text("utf-8"))
    (folder / "config.json").write_text(json.dumps(config | {"num_hidden_layers": 5}), "utf-8")
    return Pair(txviz.trace(path("minilm"), TEXT), txviz.trace(str(folder), TEXT))


def test_layers_go_together_by_depth(deep: Pair) -> None:
    found = [deep.of_a(deep.b[f"encoder.{i}.attention.weights"]).name for i in range(5)]
    assert found == [f"encoder.{i}.attention.weights" for i in (0, 0, 0, 1, 1)]
    last = deep.b.outline.find("encoder.4")
    assert deep.node_of_a(last, None).name == "encoder.1"
    assert deep.node_of_a(deep.b.outline.find("encoder.4.attention"), None).name == "encoder.1.attention"
    said = remarks(deep.of_a(deep.b["encoder.4.norm_2"]), deep.b["encoder.4.norm_2"])
    assert said[0] == "Layer 4 of B stands beside layer 1 of A, which is as deep in its model."
    assert "The encoder of A has 2 layers, that of B 5: layers go together by depth." in verdict(deep)


def test_tokens_that_are_the_same_are_subtracted_at_the_same_depth(deep: Pair) -> None:
    step = deep.b["encoder.4.attention.weights"]
    made = compared_stage(deep, step, (1,))
    wanted = step.value[1] - deep.a["encoder.1.attention.weights"].value[1]
    (difference,) = [panel.grid for panel in made.panels if panel.grid.caption == "B − A"]
    assert np.array_equal(difference.values, wanted)


def test_the_same_model_twice_goes_together_by_name() -> None:
    both = Pair(txviz.trace(path("minilm"), TEXT), txviz.trace(path("minilm"), "a dog"))
    assert both.of_a(both.b["encoder.1.norm_2"]).name == "encoder.1.norm_2"
    assert not both.has_table


@pytest.mark.parametrize("both", [writers, and_toy])
def test_attention_with_other_tokens_is_by_word(both: Any) -> None:
    pair = both()
    for step in (step for step in pair.b if step.site.leaf == "weights" and step.value.ndim == 3):
        twin = pair.of_a(step)
        made = by_word(twin, step)
        assert made is not None
        found = stretches(twin.labels[-1], step.labels[-1])
        wanted = merged(step.value, [each.b for each in found], [each.b for each in found])
        assert np.array_equal(made.b, wanted)
        figure = compared_stage(pair, step).figure
        said = " ".join(mark.text for mark in figure.flat() if hasattr(mark, "text"))
        assert "B − A by word" in said
        assert "weights to the pieces of a word are added" in said


def test_by_word_all_heads_count() -> None:
    """How much goes to the same words: of each word's weights, over all heads, what both have."""
    pair = and_toy()
    made = by_word(pair.of_a(pair.b["encoder.0.attention.weights"]), pair.b["encoder.0.attention.weights"])
    assert made is not None
    made = made._replace(a=made.a.astype("float64"), b=made.b.astype("float64"))  # whatever the processor rounds
    both = [0.0] * len(made.queries)
    for i, j in product(range(len(made.queries)), range(len(made.keys))):
        shares = [sum(head[i, j] for head in each) / sum(map(sum, each[:, i])) for each in (made.a, made.b)]
        both[i] += min(shares)
    assert made.shared == pytest.approx(sum(both) / len(both), abs=1e-12)


def test_two_texts_are_not_compared_by_word() -> None:
    a, b = txviz.trace(path("gpt2"), TEXT, **ONE), txviz.trace(path("llama"), "The cat sat down.", **ONE)
    name = "time.1.decoder.0.self_attention.weights"
    assert by_word(a[name], b[name]) is None


def test_the_cells_that_can_be_pointed_at_are_those_of_the_steps() -> None:
    pair = writers()
    step = pair.b["time.1.decoder.0.self_attention.weights"]
    made = compared_stage(pair, step)
    assert [panel.grid.caption for panel in made.panels] == ["B", "A"]


def test_stage_by_stage() -> None:
    pair = writers()
    assert pair.has_table
    rows = {row.name: [cell.said for cell in row.cells] for row in table(pair)}
    assert rows["Layers"] == ["2 layers in the decoder, d = 16"] * 2
    assert rows["Positions"][1].startswith("rotary")
    assert "itself and those before it" in rows["Attention"][0]
    assert rows["Embedding"][0] != rows["Embedding"][1]
    for page in checks.PAGES[:3]:
        check(draw(pair, sides="table", page=page), pair, f"stage by stage {page}")


def test_a_likelihood_of_almost_1_is_not_said_to_be_100_percent() -> None:
    drawing = txviz.trace("digits", find("digits").example)
    share = float(drawing["head.probabilities"].value.max())
    assert 0.995 < share < 1
    (row,) = [row for row in table(Pair(writers().a, drawing)) if row.name == "Answer"]
    assert row.cells[1].said.endswith(f", {percent(share)}")


def test_positions_and_the_embedding_are_those_of_the_family() -> None:
    """Distances of T5 are positions, and layer 0 of BERT reads three tables, added and normalised."""
    pair = Pair(txviz.trace(path("t5"), TEXT, **ONE), txviz.trace(path("bert-masked"), TEXT))
    rows = {row.name: row.cells for row in table(pair)}
    relative = "relative: in every layer the scores get a number for each distance, learned"
    assert rows["Positions"][0].said == relative
    assert rows["Read by layer 0"][0].said.endswith("the embedding by itself")
    assert rows["Read by layer 0"][1].said.endswith("the sum of all 3, normalised")
    assert rows["Read by layer 0"][1].step is pair.b["embed.norm"]
    assert verdict(pair).startswith("B has no decoder.")
    both = Pair(txviz.trace(path("mpnet"), TEXT), pair.b)
    assert table(both)[3].cells[0].said.endswith(f"a row of numbers for each; and {relative}")


def test_defaults_that_only_one_of_them_has_say_nothing() -> None:
    written = txviz.trace(path("gpt2"), TEXT, **ONE)
    assert Pair(txviz.trace(path("minilm"), TEXT), written).told == ("minilm", "gpt2, max steps 1")
    two = txviz.trace(path("llama"), TEXT, max_steps=2)
    assert Pair(written, two).told == ("gpt2, max steps 1", "llama, max steps 2")


def test_where_nothing_corresponds_it_says_so() -> None:
    pair = Pair(txviz.trace(path("minilm"), TEXT), txviz.trace(path("gpt2"), TEXT, **ONE))
    assert verdict(pair).startswith("A has an encoder and B has a decoder: their layers do not correspond")
    assert " ".join(checks.words(draw(pair, sides="table"))).count("do not correspond") == 1


def test_every_level_of_two_models(deep: Pair) -> None:
    """Nothing fails, whatever is beside what; where A has no such level, the nearest is shown and said."""
    every: tuple[Sides, ...] = ("all", "a", "b", "difference")
    for pair, sides in product((writers(), and_toy(), deep), every):
        for node in checks.unlike(node for node in pair.b.outline if node.children):
            for kind in kinds(node)[:2]:
                picture = draw(pair, node.name, kind, sides)
                assert picture.figure.marks


@pytest.mark.parametrize(("a", "b"), [("gpt2", "llama"), ("minilm", "bert-masked"), ("minilm", "sentence")])
def test_on_the_command_line(a: str, b: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    other = b if b == "sentence" else path(b)
    more = ["--option", "max_steps=1"] if a == "gpt2" else []
    assert main(["compare", path(a), "the cat sleeps", "--model2", other, *more]) == 0
    said = capsys.readouterr().out
    assert "Layers\n" in said
    assert "goes to the same words" in said
    assert main(["compare", path(a), "the cat sleeps", "--model2", other, "--json", *more]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [row["name"] for row in told["stages"]][-1] == "Answer"
    target = tmp_path / "both.svg"
    assert (
        main(["compare", path(a), "the cat sleeps", "--model2", other, "--sides", "table", "-o", str(target), *more])
        == 0
    )
    assert "stage by stage" in target.read_text("utf-8")
