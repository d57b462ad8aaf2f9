"""Small files: what can be computed again is left out, computed again when the file is opened, and compared."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import save_file

import txviz
from tests.trace.test_store import assert_same
from txviz import TxvizError, cli, resources
from txviz.models import registry
from txviz.models.digits import Digits

RUNS: list[tuple[str, Any, dict[str, Any]]] = [
    ("sentence-guide", "The cat sat.", {}),
    ("digits", np.eye(6).tolist(), {"dtype": "float32"}),
    ("digits", np.eye(6).tolist(), {"target": "7"}),
    ("sentence", ("the cat sleeps", "the dog sleeps"), {}),
    ("translator", "I love you", {"strategy": "beam", "beam_width": 2}),
    ("writer", "anna lost her hat .", {"strategy": "sample", "seed": 3, "max_steps": 4}),
    ("translator", "I love you", {"edits": ["time.2.choice.token=ama", "encoder.0.attention.weights[1]=0"]}),
    ("vit-guide-2x2", np.eye(6).tolist(), {"edits": ["embed.projection.weight[0]*=2"]}),
    ("sentence-guide", "The cat sat.", {"overrides": {"encoder.0.attention.weights": lambda w: 0 * w + 0.2}}),
]


@pytest.mark.parametrize(("model", "source", "how"), RUNS, ids=lambda each: str(each)[:40])
def test_what_is_opened_is_what_was_saved(model: str, source: Any, how: dict[str, Any], tmp_path: Path) -> None:
    trace = txviz.trace(model, source, **how)
    trace.save(tmp_path / "whole")
    trace.save(tmp_path / "small", compact=True)
    again = txviz.load(tmp_path / "small")
    assert_same(trace, again)
    assert again.edited.keys() == trace.edited.keys()
    assert again.verify() == []
    again.save(tmp_path / "twice", compact=True)
    assert (tmp_path / "twice").read_bytes() == (tmp_path / "small").read_bytes()


def test_it_is_small(tmp_path: Path) -> None:
    trace = txviz.trace("translator", "The house is big")
    for name, compact in (("whole", False), ("small", True)):
        trace.save(tmp_path / name, compact=compact)
    assert (tmp_path / "small").stat().st_size * 20 < (tmp_path / "whole").stat().st_size


def test_a_drawing_is_in_the_file(tmp_path: Path) -> None:
    """The image that it was read from need not be there any more."""
    from PIL import Image

    Image.fromarray(np.eye(6, dtype=np.uint8) * 200).save(tmp_path / "drawing.png")
    trace = txviz.trace("digits", str(tmp_path / "drawing.png"))
    trace.save(tmp_path / "small", compact=True)
    (tmp_path / "drawing.png").unlink()
    assert_same(trace, txviz.load(tmp_path / "small"))


def test_the_command_line_writes_and_verifies_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(tmp_path / "small.safetensors")
    assert cli.main(["trace", "translator", "I love you", "--compact", "-o", path]) == 0
    assert cli.main(["verify", path]) == 0
    assert "replay to the recorded numbers, bit for bit" in capsys.readouterr().out
    assert cli.main(["show", path, "--step", "time.1.choice.token"]) == 0


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A small file of a model in a folder that may be changed."""
    shutil.copytree(resources.path("models", "digits"), tmp_path / "mine")
    trace = txviz.trace(str(tmp_path / "mine"), np.eye(6).tolist())
    trace.save(tmp_path / "small.safetensors", compact=True)
    return tmp_path / "small.safetensors"


def test_other_weights_are_told(small: Path) -> None:
    name = str(small.parent / "mine")
    learned = registry.find(name)
    assert isinstance(learned, Digits)
    other = {**learned.parameters, "head.bias": learned.parameters["head.bias"] + 1e-6}
    registry.lend(name, learned.with_parameters(other, "after learning"))
    try:
        with pytest.raises(TxvizError, match=r"saved without its weights, and .*mine has other weights now"):
            txviz.load(small)
    finally:
        registry.lend(name, None)


def test_a_model_that_is_gone_is_told(small: Path) -> None:
    shutil.rmtree(small.parent / "mine")
    registry.forget()
    with pytest.raises(TxvizError, match=r"small\.safetensors can not be opened: no model is called .*mine"):
        txviz.load(small)


def described(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """The same file with another description, and a checksum that fits."""
    with safe_open(path, framework="np") as file:
        metadata = file.metadata()
        arrays = {name: file.get_tensor(name).copy() for name in file.keys()}  # noqa: SIM118
    graph = json.loads(metadata["graph"])
    change(graph)
    text = json.dumps(graph)
    save_file(arrays, path, {**metadata, "graph": text, "sha256": sha256(text.encode()).hexdigest()})


SCORES = "encoder.0.attention.scores"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda g: g["sums"][SCORES].__setitem__(0, "00000000"), f"{SCORES} now comes out with other ones"),
        (lambda g: g["sums"].pop(SCORES), "its model now makes other steps than it made then"),
        (lambda g: g["about"].update(model="sentence"), "can not be opened"),
        (lambda g: g["about"].update(dtype="float16"), "its numbers are said to be float16"),
        (lambda g: g["about"].update(options=7), "does not say what it was computed from"),
        (lambda g: g["about"].update(overrides=["nowhere"]), "its graph can't be read"),
        (lambda g: g["sums"].update({SCORES: 7}), "its graph can't be read"),
        (lambda g: g.update(about=7), "does not say what it was computed from"),
        (lambda g: g.update(sums=7), "its graph can't be read"),
        (lambda g: g["about"].update(hypotheses=[0.5]), "what its beam considered makes no sense"),
        (lambda g: g.update(origin=7), "it does not say what was run"),
    ],
)
def test_a_description_that_is_not_true(small: Path, change: Callable[[dict[str, Any]], object], message: str) -> None:
    described(small, change)
    with pytest.raises(TxvizError, match=message) as refused:
        txviz.load(small)
    assert "\n" not in str(refused.value)


def elsewhere(graph: dict[str, Any]) -> None:
    """As if another machine had rounded otherwise."""
    graph["origin"] = "another machine"
    for name, entry in graph["sums"].items():
        entry[0] = entry[0] if name == "head.prediction" else "00000000"
        entry[1] *= 1 + 1e-12


def test_another_machine_may_round_otherwise(small: Path) -> None:
    described(small, elsewhere)
    trace = txviz.load(small)
    assert not trace.exact
    assert trace.verify() == []


@pytest.mark.parametrize("step", [SCORES, "head.prediction"])
def test_another_machine_may_not_come_to_something_else(small: Path, step: str) -> None:
    """Of numbers, how large they are is compared, and a choice must be the same."""

    def changed(graph: dict[str, Any]) -> None:
        elsewhere(graph)
        graph["sums"][step] = ["00000000", graph["sums"][step][1] * 1.001]

    described(small, changed)
    with pytest.raises(TxvizError, match=f"{step} now comes out with other ones"):
        txviz.load(small)
