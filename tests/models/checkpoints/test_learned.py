"""What is called learned was learned: the stored tensors, each once, and no fixed waves."""

from __future__ import annotations

import json
import re
from pathlib import Path
from shutil import copytree

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

import txviz
from tests.figures.levels.checks import drawn, words
from tests.models.checkpoints.reference import ALL, path, source
from txviz import Trace
from txviz.analysis.cost import counted
from txviz.figures.numerals import short_count
from txviz.ops import Array
from txviz.trace.why import why

UNREAD = ("position_ids", "pooler.dense", "embeddings.position_embeddings")
"""Of minilm and mpnet nobody reads the pooler; of RoBERTa's positions the first row is that of padding."""


def stored(folder: str) -> dict[str, Array]:
    return {name: each for file in Path(folder).glob("*.safetensors") for name, each in load_file(file).items()}


def traced(name: str) -> Trace:
    return txviz.trace(path(name), source(name))


@pytest.mark.parametrize("name", ALL)
def test_as_many_parameters_are_counted_as_the_file_has(name: str) -> None:
    tensors = stored(path(name))
    least = sum(each.size for key, each in tensors.items() if not any(part in key for part in UNREAD))
    assert least <= counted(traced(name)).parameters <= sum(each.size for each in tensors.values())
    if name in ("marian", "t5", "flan-t5", "llama", "gpt2", "vit"):
        assert counted(traced(name)).parameters == sum(each.size for each in tensors.values())


@pytest.mark.parametrize("where", ["embed", "time.1.decoder.embed"])
def test_marians_waves_are_fixed_and_said_to_be_so(where: str) -> None:
    trace = traced("marian")
    step = trace[f"{where}.positions"]
    assert (step.op, step.sources) == ("sinusoid", ())
    assert "nobody learned them" in step.operation.about
    block = trace.outline.find(where)
    assert "waves that nobody had to learn" in " ".join(words(drawn(trace, block, kind="positions")))
    assert "Positions (waves of sines and cosines)" in " ".join(words(drawn(trace, block, kind="embedding")))
    told = str(why(trace.outline.find(step.name)))
    assert "waves" in told
    assert "fixed" in told
    assert "They are learned" not in told + str(why(block))


def test_the_slowest_of_marians_waves_is_told_as_it_is() -> None:
    """The sines are the first half of the features: the slowest is the last of them."""
    trace = traced("marian")
    said = " ".join(words(drawn(trace, trace.outline.find("embed"), kind="positions")))
    width = trace["embed.positions"].value.shape[-1]
    turn = 2 * np.pi * 10_000 ** ((width - 2) / width)
    assert f"The slowest wave begins again after {short_count(turn)} tokens." in said
    shown = [int(feature) for feature in re.findall(r"feature (\d+): once in", said)]
    assert shown == sorted(shown)
    assert 0 < max(shown) < width // 2
    slow = trace["embed.positions"].value[:, max(shown)]
    assert slow == pytest.approx(np.sin(np.arange(len(slow)) / 10_000 ** (2 * max(shown) / width)), abs=1e-6)


def with_waves(folder: Path, waves: bool) -> str:
    """DistilBERT whose configuration says that its table has waves."""
    copytree(path("distilbert-masked"), folder)
    config = json.loads((folder / "config.json").read_text("utf-8"))
    (folder / "config.json").write_text(json.dumps({**config, "sinusoidal_pos_embds": True}), "utf-8")
    tensors = stored(str(folder))
    table = tensors["distilbert.embeddings.position_embeddings.weight"]
    if waves:
        places, features = np.arange(table.shape[0])[:, None], np.arange(table.shape[1])
        angles = places / np.power(10000, 2 * (features // 2) / table.shape[1])
        table[:] = np.where(features % 2, np.cos(angles), np.sin(angles))
    save_file(tensors, folder / "model.safetensors")
    return str(folder)


def test_a_stored_table_of_waves_is_fixed(tmp_path: Path) -> None:
    folder = with_waves(tmp_path / "waves", waves=True)
    trace = txviz.trace(folder, source("distilbert-masked"), dtype="float64")
    assert trace["embed.positions"].op == "sinusoid"
    table = stored(folder)["distilbert.embeddings.position_embeddings.weight"]
    assert (trace["embed.positions"].value == table[: len(trace["tokens"].value)]).all(), "the very numbers"
    assert counted(trace).parameters == sum(each.size for each in stored(folder).values()) - table.size
    assert trace.verify() == []


def test_a_table_that_is_only_said_to_be_waves_is_read(tmp_path: Path) -> None:
    """As of a model that began with the positions of another one."""
    said = txviz.trace(with_waves(tmp_path / "said", waves=False), source("distilbert-masked"))
    assert said["embed.positions"].op == "select"
    assert (said["head.logits"].value == traced("distilbert-masked")["head.logits"].value).all()
