"""Folders as people have them: other names, older files, halves, and what is shown of the tokens."""

from __future__ import annotations

import json
import shutil
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

import txviz
from tests.models.checkpoints.reference import ALL, FOLDER, expected, path, source, told
from txviz.cli import main
from txviz.models import find
from txviz.models.checkpoints.config import Config
from txviz.models.checkpoints.llama import frequencies
from txviz.ops import Array


def copied(name: str, to: Path) -> Path:
    return Path(shutil.copytree(FOLDER / name, to / name))


def same_logits(folder: Path, name: str) -> None:
    step = "time.1.head.logits" if name == "gpt2" else "head.logits"
    found = txviz.trace(str(folder), source(name), dtype="float64")[step].value
    np.testing.assert_allclose(found, expected(name)["float64/logits"], rtol=0, atol=1e-10)


def test_the_names_of_the_first_berts(tmp_path: Path) -> None:
    made = copied("bert-masked", tmp_path)
    tensors = load_file(made / "model.safetensors")
    old = {"LayerNorm.weight": "LayerNorm.gamma", "LayerNorm.bias": "LayerNorm.beta"}
    renamed = {}
    for name, value in tensors.items():
        ending = next((each for each in old if name.endswith(each)), "")
        renamed[name.removesuffix(ending) + old[ending] if ending else name] = value
    assert len(renamed.keys() - tensors.keys()) == 12
    save_file(renamed, made / "model.safetensors")
    same_logits(made, "bert-masked")


def test_names_without_the_model_before_them(tmp_path: Path) -> None:
    made = copied("gpt2", tmp_path)
    tensors = load_file(made / "model.safetensors")
    bare = {name.removeprefix("transformer."): value for name, value in tensors.items()}
    assert bare.keys() != tensors.keys()
    save_file(bare, made / "model.safetensors")
    same_logits(made, "gpt2")


@pytest.mark.parametrize("name", ["bert-masked", "gpt2", "roberta-masked", "t5"])
def test_the_files_of_tokenizers_before_tokenizer_json(name: str, tmp_path: Path) -> None:
    made = copied(name, tmp_path)
    (made / "tokenizer.json").unlink()
    model: Any = find(str(made))
    for text, ids in told(name)["tokens"].items():
        assert model.pieces.encode(text).ids == ids, text


def test_a_bare_bert_has_its_pooler_or_the_first_token(tmp_path: Path) -> None:
    made, bare = copied("minilm", tmp_path / "with"), copied("minilm", tmp_path / "without")
    tensors, first = load_file(made / "model.safetensors"), expected("minilm")["float64/hidden.2"][0]
    weight, bias = (tensors[f"pooler.dense.{kind}"].astype(float) for kind in ("weight", "bias"))
    save_file({name: each for name, each in tensors.items() if "pooler" not in name}, bare / "model.safetensors")
    for folder, wanted in ((made, np.tanh(weight @ first + bias)), (bare, first)):
        (folder / "modules.json").unlink()
        last = txviz.trace(str(folder), source("minilm"), dtype="float64")[-1]
        assert last.site.leaf == ("activation" if folder is made else "cls")
        np.testing.assert_allclose(last.value, wanted, rtol=0, atol=1e-10)


def test_a_head_as_newer_files_describe_it(tmp_path: Path) -> None:
    """Version 1.1 of T5, saved by a newer transformers: it says only that the output is not scaled."""
    made = copied("flan-t5", tmp_path)
    described = json.loads((made / "config.json").read_text("utf-8"))
    described |= {"tie_word_embeddings": True, "scale_decoder_outputs": False}
    (made / "config.json").write_text(json.dumps(described), "utf-8")
    one, other = (txviz.trace(str(folder), "the cat", max_steps=1) for folder in (made, FOLDER / "flan-t5"))
    np.testing.assert_array_equal(one["time.1.head.logits"].value, other["time.1.head.logits"].value)
    assert "head.scaled" not in {step.site.name for step in one}


def test_padding_that_a_tokenizer_asks_for_is_not_added(tmp_path: Path) -> None:
    made = copied("minilm", tmp_path)
    content = json.loads((made / "tokenizer.json").read_text("utf-8"))
    content["padding"] = {
        "strategy": {"Fixed": 30},
        "direction": "Right",
        "pad_to_multiple_of": None,
        "pad_id": 0,
        "pad_type_id": 0,
        "pad_token": "[PAD]",
    }
    (made / "tokenizer.json").write_text(json.dumps(content), "utf-8")
    assert txviz.trace(str(made), "the cat")["tokens"].labels[0] == ("[CLS]", "the", "cat", "[SEP]")


@pytest.mark.parametrize(("kind", "most"), [("F16", 2e-3), ("BF16", 2e-2)])
def test_halves_are_read_as_float32(kind: str, most: float, tmp_path: Path) -> None:
    made = copied("minilm", tmp_path)
    write(made / "model.safetensors", kind, load_file(made / "model.safetensors"))
    value = txviz.trace(str(made), source("minilm"))["pool.unit"].value
    assert value.dtype == np.float32
    off = np.abs(value - expected("minilm")["float64/vector"]).max()
    assert 0 < off < most


def write(file: Path, kind: str, tensors: dict[str, Array]) -> None:
    header, data = {}, b""
    for name, value in tensors.items():
        halves = value.astype("<f2") if kind == "F16" else (value.view(np.uint32) >> 16).astype("<u2")
        place = [len(data), len(data) + halves.nbytes]
        header[name] = {"dtype": kind, "shape": list(value.shape), "data_offsets": place}
        data += halves.tobytes()
    described = json.dumps(header).encode()
    file.write_bytes(struct.pack("<Q", len(described)) + described + data)


@pytest.mark.parametrize("name", ALL)
def test_weights_stay_where_they_are(name: str) -> None:
    """No copy is made of a table or of a matrix: it is a view of the file, which is mapped into memory."""
    model: Any = find(path(name))
    copies = {"embed.projection.weight", "embed.positions.table", "decoder.embed.positions.table"}
    for ours, value in model.parameters.items():
        assert value.dtype == np.float32
        if ours not in copies:
            assert is_mapped(value), ours


def is_mapped(value: Any) -> bool:
    while value is not None and not isinstance(value, np.memmap):
        value = getattr(value, "base", None)
    return value is not None


@pytest.mark.parametrize("name", ALL)
def test_float32_stays_float32(name: str) -> None:
    options: dict[str, Any] = {"max_steps": 2} if "strategy" in find(path(name)).options else {}
    trace = txviz.trace(path(name), source(name), **options)
    assert {step.value.dtype.name for step in trace} <= {"float32", "int64"}
    assert trace.about["dtype"] == "float32"


@pytest.mark.parametrize("name", ALL)
def test_a_trace_is_saved_and_read_again(name: str, tmp_path: Path) -> None:
    options: dict[str, Any] = {"max_steps": 2, "strategy": "beam"} if "strategy" in find(path(name)).options else {}
    trace = txviz.trace(path(name), source(name), **options)
    trace.save(tmp_path / "run.safetensors")
    again = txviz.load(tmp_path / "run.safetensors")
    assert again.verify() == []
    assert len(again) == len(trace)
    assert str(again.output) == str(trace.output)


def test_a_replay_up_to_rounding_does_not_blame_another_machine(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A weight that was changed is in the trace's own file, where it lies otherwise than in the checkpoint."""
    saved, half = str(tmp_path / "run.safetensors"), "encoder.0.attention.query.weight*=0.5"
    assert main(["trace", path("bert-masked"), "The cat [MASK].", "--set", half, "-o", saved]) == 0
    assert main(["verify", saved]) == 0
    assert "up to rounding: sums had another order, " in (said := capsys.readouterr().out)
    assert f"or as the weights lay in a checkpoint; edited: {half}" in said


def test_pieces_are_shown_legibly() -> None:
    words = find(path("gpt2")).tokens(" the café 日", {})
    assert [token.text for token in words][:2] == ["·the", "·ca"]
    assert all(token.text.isprintable() for token in words)
    assert [token.text for token in find(path("llama")).tokens("日", {})] == ["<s>", "·", "<0xE6>", "<0x97>", "<0xA5>"]


def test_a_masked_word_is_filled_in() -> None:
    trace = txviz.trace(path("bert-masked"), "the cat [MASK] on the mat")
    likely, place = trace["head.probabilities"], trace["tokens"].labels[0].index("[MASK]")
    best = likely.labels[1][int(likely.value[place].argmax())]
    assert trace.output == f"the cat {best} on the mat".replace(" ##", "")


def test_llama_3_slows_down_the_slow_ones() -> None:
    wanted = told("llama")["llama3"]
    config = Config(Path(), "config.json", {"rope_parameters": wanted["rope_parameters"]})
    np.testing.assert_allclose(frequencies(config, wanted["width"]), wanted["frequencies"], rtol=1e-5)
    older = {**wanted["rope_parameters"]}
    theta = older.pop("rope_theta")
    config = Config(Path(), "config.json", {"rope_scaling": older, "rope_theta": theta})
    np.testing.assert_allclose(frequencies(config, wanted["width"]), wanted["frequencies"], rtol=1e-5)


def test_what_is_said_about_a_checkpoint() -> None:
    model = find(path("minilm"))
    assert model.title == "minilm"
    assert model.summary == "BERT, 2 layers of 4 heads, d = 16: a vector for a text, or the cosine of two"
    assert model.example == "The cat sat on the mat."


@pytest.mark.parametrize("name", ["vit", "deit"])
def test_the_example_is_a_photograph_that_ships(name: str) -> None:
    model = find(path(name))
    photograph = Path(model.example)
    assert photograph.suffix == ".jpg"
    assert photograph.stat().st_size <= 60_000
    assert model.captions == (photograph.name,)
    pixels = txviz.trace(path(name), model.example)["photograph"].value
    assert len(np.unique(pixels)) > 50, "no drawing of a few colours"
