"""Which head is shown: one rule for grids, plots, words and tables, and an error where a head was asked for."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import txviz
from tests.figures.shipped import trace as shipped
from txviz.cli import main
from txviz.errors import TxvizError
from txviz.figures.place import full_place
from txviz.figures.sentences import sentences
from txviz.figures.tensors import grids, result_at
from txviz.figures.writers.slides import cell_to_explain
from txviz.models import find

WEIGHTS = "encoder.0.attention.weights"
SPLIT = "encoder.0.attention.query"


def test_words_and_grids_are_about_the_same_head() -> None:
    step = shipped("digits")[WEIGHTS]
    heads = step.value.shape[0]
    (grid,) = grids(step, (heads + 5,))[1]
    assert grid.place == (heads - 1,)
    assert sentences(step, (heads + 5,)) == sentences(step, (heads - 1,)) != sentences(step, (0,))
    worked = cell_to_explain(step, (heads + 5,))
    assert worked is not None
    assert worked[0] == heads - 1


def test_tables_and_comparisons_too() -> None:
    step = shipped("digits")[SPLIT]
    assert step.op == "split_heads"
    last = step.value[-1]
    assert np.array_equal(result_at(step, (99,)).values, last)
    assert np.array_equal(result_at(step, ()).values, step.value[0])


def test_a_place_is_about_the_last_axes() -> None:
    assert full_place((2,), (3, 4)) == (0, 2)
    assert full_place((1, 2), (4,)) == (2,)
    assert full_place((-1,), (4,)) == (0,)


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ((9,), "encoder.0.attention.weights has 4 heads, counted from 0; head 9 is not one of them"),
        ((-1,), "has 4 heads, counted from 0; head -1 is not one of them"),
        ((0, 1), r"the place \(0, 1\) has 2 numbers; encoder.0.attention.weights takes 1: head"),
    ],
)
def test_a_head_that_is_asked_for_must_be_there(place: tuple[int, ...], said: str) -> None:
    with pytest.raises(TxvizError, match=said):
        txviz.figure(shipped("digits")[WEIGHTS], place=place)


def test_no_heads_at_all() -> None:
    with pytest.raises(TxvizError, match=r"head\.logits has no heads; leave the head out"):
        txviz.figure(shipped("digits")["head.logits"], place=(0,))


@pytest.mark.parametrize(
    ("steps", "head", "said"),
    [
        ("encoder.0.*", "9", "encoder.0.attention.query has 4 heads, counted from 0; head 9 is not one of them"),
        ("encoder.0.*", "-1", "head -1 is not one of them"),
        ("head.*", "2", "none of the 3 steps has heads; leave the head out"),
    ],
)
def test_on_the_command_line(
    steps: str, head: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    digits = ["export", "digits", str(find("digits").example), "--steps", steps, "-o", str(tmp_path / "x.pdf")]
    assert main([*digits, "--head", head]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "x.pdf").exists()
    assert main(["export", "digits", str(find("digits").example), "--steps", "encoder.0.*", "--head", "3",
                 "--format", "npy", "-o", str(tmp_path / "all")]) == 0  # fmt: skip


def test_a_cell_is_shown_in_its_own_head() -> None:
    step = txviz.trace("digits", find("digits").example)["encoder.1.attention.weights"]
    assert txviz.figure(step, cell=(2, 1, 3)).marks == txviz.figure(step, cell=(2, 1, 3), place=(2,)).marks
    assert txviz.figure(step, cell=(2, 1, 3)).marks != txviz.figure(step, cell=(2, 1, 3), place=(0,)).marks


def test_a_cell_of_another_head_than_the_one_asked_for(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    command = ["export", "digits", find("digits").example, "--steps", "encoder.1.attention.weights"]
    out = ["-o", str(tmp_path / "weights.svg")]
    assert main([*command, "--cell", "2,1,3", "--head", "0", *out]) == 2
    assert capsys.readouterr().err == "txviz: --cell 2,1,3 is not in head 0; leave --head out\n"
    assert main([*command, "--cell", "2,1,3", *out]) == 0
    assert "head 2" in (tmp_path / "weights.svg").read_text()
