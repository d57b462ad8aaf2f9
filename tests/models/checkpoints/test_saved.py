"""Saved traces of checkpoints: the weights stay in the folder, and what is opened replays bit for bit."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import load_file, save_file

import txviz
from tests.models.checkpoints.reference import ALL, FOLDER, IMAGES, path, source
from tests.trace.test_store import assert_same
from txviz import Trace, TxvizError
from txviz.cli import main
from txviz.models import find, registry

pytestmark = pytest.mark.usefixtures("qapp")  # figures are painted


def traced(folder: str, name: str, **more: Any) -> Trace:
    options: dict[str, Any] = {"max_steps": 2, "strategy": "beam"} if "strategy" in find(folder).options else {}
    return txviz.trace(folder, source(name), **options, **more)


@pytest.mark.parametrize("compact", [False, True], ids=["whole", "compact"])
@pytest.mark.parametrize("name", ALL)
def test_what_is_opened_is_what_was_saved_bit_for_bit(name: str, compact: bool, tmp_path: Path) -> None:
    trace = traced(path(name), name)
    trace.save(tmp_path / "run", compact=compact)
    again = txviz.load(tmp_path / "run")
    assert_same(trace, again)
    assert again.exact
    assert again.verify() == []
    again.save(tmp_path / "twice", compact=compact)
    assert (tmp_path / "twice").read_bytes() == (tmp_path / "run").read_bytes()


def test_no_weight_is_in_the_file_but_one_that_was_changed(tmp_path: Path) -> None:
    weight = "encoder.0.attention.query.weight"
    trace = traced(path("minilm"), "minilm", edits=[f"{weight}[0]*=2"])
    trace.save(tmp_path / "run")
    with safe_open(tmp_path / "run", framework="np") as file:
        found = set(file.keys())
    assert found == {step.name for step in trace} | {weight}
    again = txviz.load(tmp_path / "run")
    np.testing.assert_array_equal(again.parameters[weight], trace.parameters[weight])
    assert again.verify() == []


def test_labels_are_in_the_file_once(tmp_path: Path) -> None:
    """Every time step of a beam has scores for all words."""
    trace = traced(path("gpt2"), "gpt2")
    trace.save(tmp_path / "run")
    with safe_open(tmp_path / "run", framework="np") as file:
        graph = file.metadata()["graph"]
    scored = trace.find("*.head.logits")
    assert len(scored) > 1
    assert sum(row == list(scored[0].labels[-1]) for row in json.loads(graph)["labels"]) == 1


def test_another_type_of_numbers(tmp_path: Path) -> None:
    trace = traced(path("minilm"), "minilm", dtype="float64")
    trace.save(tmp_path / "run")
    again = txviz.load(tmp_path / "run")
    assert again.exact
    assert again.verify() == []
    assert again[-1].value.dtype == np.float64


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    return Path(shutil.copytree(FOLDER / "minilm", tmp_path / "models" / "minilm"))


@pytest.mark.parametrize("compact", [False, True], ids=["whole", "compact"])
def test_a_folder_that_has_moved(mine: Path, compact: bool, tmp_path: Path) -> None:
    traced(str(mine), "minilm").save(tmp_path / "run", compact=compact)
    mine.rename(mine.parent / "elsewhere")
    registry.forget()
    with pytest.raises(TxvizError, match=r"run can not be opened: (its weights stayed in|no model is called).*minilm"):
        txviz.load(tmp_path / "run")
    (mine.parent / "elsewhere").rename(tmp_path / "minilm")
    again = txviz.load(tmp_path / "run")
    assert again.about["model"] == str(tmp_path / "minilm")
    assert again.verify() == []


@pytest.mark.parametrize("compact", [False, True], ids=["whole", "compact"])
def test_a_folder_that_has_changed(mine: Path, compact: bool, tmp_path: Path) -> None:
    traced(str(mine), "minilm").save(tmp_path / "run", compact=compact)
    tensors = load_file(mine / "model.safetensors")
    name = "encoder.layer.1.output.dense.weight"
    changed = {**tensors, name: tensors[name] + np.float32(1e-6)}
    save_file(changed, mine / "model.safetensors")
    registry.forget()
    told = "has other weights now" if compact else r"encoder\.1\.ffn\.output\.weight is not now what it was then"
    with pytest.raises(TxvizError, match=told):
        txviz.load(tmp_path / "run")


@pytest.mark.parametrize("compact", [False, True], ids=["whole", "compact"])
@pytest.mark.parametrize("name", ["minilm", "vit", "llama"])
def test_the_command_line_takes_them(
    name: str, compact: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, how = str(tmp_path / "run.safetensors"), ["--compact"] if compact else []
    short = [] if name in (*IMAGES, "minilm") else ["--max-steps", "2"]
    assert main(["trace", path(name), source(name), *short, "-o", file, *how]) == 0
    assert main(["verify", file]) == 0
    assert "replay to the recorded numbers, bit for bit" in capsys.readouterr().out
    assert main(["show", file, "--step", "*.weights"]) == 0
    assert main(["export", file, "--key-steps", "--format", "pdf", "-o", str(tmp_path / "key.pdf")]) == 0
    assert (tmp_path / "key.pdf").read_bytes().startswith(b"%PDF")
    capsys.readouterr()
    assert main(["compare", file, file]) == 0
    assert "all steps are the same" in capsys.readouterr().out


@pytest.mark.parametrize("nonsense", [7, None, [], {"a": 1}, {"encoder.0.norm_1.gain": "float32 16 00000000"}])
def test_nonsense_about_the_weights(nonsense: Any, tmp_path: Path) -> None:
    from tests.trace.test_compact import described

    traced(path("minilm"), "minilm").save(tmp_path / "run")
    described(tmp_path / "run", lambda graph: graph.update(referenced=nonsense))
    with pytest.raises(TxvizError, match="can not be opened"):
        txviz.load(tmp_path / "run")
