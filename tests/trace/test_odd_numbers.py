"""NaN, infinite and denormal numbers are shown as such, and the first step that has one is named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

import txviz
from tests.models.checkpoints.reference import ALL, path, source
from tests.models.checkpoints.test_folders import copied
from txviz.cli import main
from txviz.figures.export import Export, content
from txviz.models import find
from txviz.trace.odd_numbers import not_finite

pytestmark = pytest.mark.usefixtures("qapp")  # figures are painted
QUERY, SCORES = "encoder.0.attention.query", "encoder.0.attention.scores"


def found(**edits: Any) -> list[str]:
    trace = txviz.trace("sentence-guide", "The cat sat.", **edits)
    first = not_finite(trace)
    finite = [odd for odd in trace.odd_numbers if odd.kind != "a denormal number"]
    assert first == (finite[0] if finite else None)
    return [str(odd) for odd in trace.odd_numbers]


RUNS: list[tuple[str, dict[str, Any]]] = [
    *((name, {}) for name in txviz.models()),
    ("translator", {"strategy": "beam"}),
    ("writer", {"strategy": "sample", "top_k": 5, "top_p": 0.9}),
    ("digits", {"target": "3"}),
    *((path(name), {}) for name in ALL),
]


@pytest.mark.parametrize(("model", "options"), RUNS, ids=lambda each: str(each)[-30:])
def test_a_run_that_is_well_has_none_but_what_a_mask_makes(model: str, options: dict[str, Any]) -> None:
    name = Path(model).name
    trace = txviz.trace(model, source(name) if name in ALL else find(model).example, **options)
    assert not_finite(trace) is None
    assert [odd for odd in trace.odd_numbers if odd.kind != "a denormal number"] == []


@pytest.mark.parametrize(("typed", "kind"), [("nan", "NaN"), ("inf", "∞"), ("-inf", "−∞"), ("1e999", "∞")])
def test_what_is_put_in_by_hand_is_named_where_it_appears_first(typed: str, kind: str) -> None:
    said = found(edits=[f"{QUERY}[0,1,2]={typed}"])
    assert said[0] == f"{kind} appears first in {QUERY} at [0, 1, 2] (1 of 15)"


def test_what_is_too_large_for_float32_is_infinite_without_a_warning() -> None:
    trace = txviz.trace(path("minilm"), "the cat", edits=["encoder.0.norm_2[0,0]=1e308"])
    assert str(trace.odd_numbers[0]).startswith("∞ appears first in encoder.0.norm_2 at [0, 0] (1 of ")


def test_a_mask_that_somebody_changed_by_hand_is_named() -> None:
    """Elsewhere it hides on purpose."""
    masked = "decoder.0.self_attention.masked"
    trace = txviz.trace(
        "masked-attention-guide", find("masked-attention-guide").example, edits=[f"{masked}[0,2,0]=-inf"]
    )
    assert [(odd.kind, odd.step) for odd in trace.odd_numbers] == [("−∞", masked)]


@pytest.mark.parametrize("edit", ["causal[0,1]=0", "masked[0,0,1]=0", "masked[0,1,0]*=2", "masked=untouched"])
def test_what_a_mask_hides_is_no_news_where_an_edit_did_not_put_it(edit: str) -> None:
    """Of a mask that was edited, the other cells hide on purpose as before."""
    guide = "masked-attention-guide"
    trace = txviz.trace(guide, find(guide).example, edits=[f"decoder.0.self_attention.{edit}"])
    assert [str(odd) for odd in trace.odd_numbers] == []


def test_only_the_cells_that_an_edit_put_in_are_counted() -> None:
    guide, masked = "masked-attention-guide", "decoder.0.self_attention.masked"
    trace = txviz.trace(guide, find(guide).example, edits=[f"{masked}[0,2,0]=-inf"])
    assert str(trace.odd_numbers[0]) == f"−∞ appears first in {masked} at [0, 2, 0] (1 of 36)"


def test_of_several_the_first_of_each_kind_in_the_order_of_the_steps() -> None:
    said = found(edits=["embed.sum[0,0]=inf", f"{SCORES}[0,0,0]=nan"])
    assert said[0].startswith("∞ appears first in embed.sum at [0, 0]")
    assert [line.split()[0] for line in said].count("NaN") == 1


def test_denormal_numbers() -> None:
    assert (
        found(edits=["embed.sum[0,0]=1e-310"])[0] == "a denormal number appears first in embed.sum at [0, 0] (1 of 15)"
    )


def test_an_override() -> None:
    weights = np.full((1, 5, 5), np.nan)
    assert found(overrides={"encoder.0.attention.weights": weights})[0].startswith(
        "NaN appears first in encoder.0.attention.weights at [0, 0, 0] (25 of 25)"
    )


def test_weights_that_have_it_are_named(tmp_path: Path) -> None:
    folder = copied("minilm", tmp_path)
    tensors = load_file(folder / "model.safetensors")
    tensors["encoder.layer.1.output.dense.bias"][3] = np.nan
    save_file(tensors, folder / "model.safetensors")
    trace = txviz.trace(str(folder), "the cat")
    assert str(trace.odd_numbers[0]) == (
        "NaN appears first in encoder.1.ffn.output at [0, 3] (4 of 64); the weights encoder.1.ffn.output.bias have it"
    )


def test_the_command_line_names_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = f"NaN appears first in {QUERY} at [0, 1, 2] (1 of 15)"
    run = ["sentence-guide", "The cat sat.", "--set", f"{QUERY}[0,1,2]=nan"]
    assert main(["show", *run]) == 0
    shown = capsys.readouterr().out
    assert said in shown.splitlines()
    assert " NaN" in shown
    assert main(["trace", *run, "-o", str(tmp_path / "run.safetensors")]) == 0
    assert said in capsys.readouterr().out
    assert main(["show", str(tmp_path / "run.safetensors")]) == 0
    assert said in capsys.readouterr().out.splitlines()


@pytest.mark.parametrize(
    ("ending", "words"),
    [
        ("svg", ("NaN", "∞", "−∞")),
        ("csv", (",nan,inf,-inf,",)),
        ("md", ("| NaN | ∞ | −∞ |",)),
        ("tex", (r"& NaN & $\infty$ & $-\infty$ &",)),
    ],
)
def test_files_show_them_as_such(ending: str, words: tuple[str, ...]) -> None:
    edits = [f"{SCORES}[0,0,{i}]={typed}" for i, typed in enumerate(("nan", "inf", "-inf"))]
    trace = txviz.trace("sentence-guide", "The cat sat.", edits=edits)
    text = content(Export(trace, [trace[SCORES]], ending)).decode()
    assert [word for word in words if word not in text] == []
