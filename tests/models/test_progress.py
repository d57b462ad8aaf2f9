"""How far a run is, told at each of its steps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import txviz
from tests.models.checkpoints.reference import path
from txviz.models.progress import Teller, layers_of


def told(model: str, text: str, **options: Any) -> list[tuple[str, float | None]]:
    teller, found = Teller(model, options), list[tuple[str, float | None]]()

    def watch(step: object) -> None:
        progress = teller.progress(step, len(found) + 1)
        found.append((progress.text, progress.share))

    txviz.trace(model, text, watch=watch, **options)
    return found


def test_layers_are_counted_by_part() -> None:
    assert layers_of("translator") == {"encoder": 2, "decoder": 2}
    assert layers_of(path("bert-masked")) == {"encoder": 2}
    assert layers_of("masked-attention-guide") == {}


def test_an_encoder_tells_its_layers() -> None:
    found = told(path("bert-masked"), "The cat [MASK].")
    assert found[0] == ("1 step", None)
    shares = [share for _, share in found if share is not None]
    assert sorted(set(shares)) == [0.5, 1.0] == list(dict.fromkeys(shares))
    assert next(text for text, share in found if share == 0.5).startswith("Layer 1 of 2 · ")
    assert found[-1][0] == f"Head · {len(found)} steps"


def test_two_texts_are_two_halves() -> None:
    found = told(path("minilm"), "the cat | the dog")
    shares = [share for _, share in found if share is not None]
    assert list(dict.fromkeys(shares)) == [0.25, 0.5, 0.75, 1.0]
    assert any(text.startswith("Second text, layer 1 of 2") for text, _ in found)


def test_what_is_written_is_told_token_by_token() -> None:
    found = told("translator", "The house is big", max_steps=3)
    assert any(text.startswith("Encoder layer 2 of 2 · ") for text, _ in found)
    assert any(text.startswith("Token 2 of at most 3, decoder layer 1 of 2 · ") for text, _ in found)
    shares = [share for _, share in found if share is not None]
    assert shares == sorted(shares), "the bar never goes back"
    assert shares[-1] == 1


@pytest.mark.parametrize("name", ["translator", path("gpt2")])
def test_before_the_first_step_files_are_read(name: str) -> None:
    said = Teller(name, {}).progress(None, 0)
    assert said.share is None
    assert said.text.startswith("Reading ")


def test_what_goes_on_after_a_file_that_is_no_model_is_counted(tmp_path: Path) -> None:
    file = tmp_path / "vocabulary.json"
    file.write_text("{}")
    step = txviz.trace("translator", "The house is big")["encoder.0.attention.scores"]
    for model in (str(file), str(tmp_path / "nothing.safetensors")):
        assert Teller(model, {}).progress(step, 3) == ("Encoder · 3 steps", None)
