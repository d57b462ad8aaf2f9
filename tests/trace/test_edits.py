"""Changes by hand, as text: what they change, and what is said of those that can't be made."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import txviz
from txviz import TxvizError

CAT = "The cat sat."
WEIGHTS = "encoder.0.attention.weights"
LOVE = "I love you very much"


def test_all_numbers_of_a_step() -> None:
    trace = txviz.trace("sentence-guide", CAT, edits=["pool.mean=1,-2,3e-1"])
    np.testing.assert_array_equal(trace.output, [1, -2, 0.3])
    assert trace["pool.mean"].op == "given"
    assert trace.about["edits"] == ["pool.mean=1,-2,3e-1"]
    assert "edits" not in txviz.trace("sentence-guide", CAT).about


def test_one_head_and_one_cell_and_what_follows() -> None:
    before = txviz.trace("translator", LOVE)
    trace = txviz.trace("translator", LOVE, edits=[f"{WEIGHTS}[1]=0", f"{WEIGHTS}[2, 0]=-inf", f"{WEIGHTS}[2,0,3]=7"])
    wanted = before[WEIGHTS].value.copy()
    wanted[1], wanted[2, 0], wanted[2, 0, 3] = 0, -np.inf, 7
    np.testing.assert_array_equal(trace[WEIGHTS].value, wanted)
    assert before.diff(trace)[0].name == WEIGHTS
    assert trace.verify() == []


@pytest.mark.parametrize("token", ["ama", "84"])
def test_a_token_that_is_forced(token: str) -> None:
    """As a word or as its number; the run goes on from there, and its probability is the model's own."""
    before = txviz.trace("translator", LOVE)
    number = before["time.2.head.probabilities"].labels[-1].index("ama")
    text = f"time.2.choice.token={number if token.isdigit() else token}"
    trace = txviz.trace("translator", LOVE, edits=[text])
    assert trace["time.2.choice.token"].chosen == "ama"
    assert trace["time.3.decoder.tokens"].labels[-1] == ("<SOS>", "ti", "ama")
    assert trace["time.2.choice.probability"].value == before["time.2.head.probabilities"].value[number]
    assert str(trace.output).startswith("ti ama")


def test_a_file_says_that_it_was_edited(tmp_path: Path) -> None:
    trace = txviz.trace("translator", LOVE, edits=["time.2.choice.token=ama"])
    trace.save(tmp_path / "forced.safetensors")
    again = txviz.load(tmp_path / "forced.safetensors")
    assert again.about["edits"] == ["time.2.choice.token=ama"]
    assert again.output == trace.output
    assert again.verify() == []


def test_a_token_that_could_not_be_drawn_can_be_kept_in_a_file(tmp_path: Path) -> None:
    """Its logarithm is −∞, which JSON does not have."""
    trace = txviz.trace("translator", LOVE, strategy="sample", top_k=2, edits=["time.2.choice.token=casa"])
    assert trace.about["log_probability"] is None
    trace.save(tmp_path / "forced.safetensors")
    assert txviz.load(tmp_path / "forced.safetensors")["time.2.choice.probability"].value == 0


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        ("foo", r'^the edit is "foo"; it must be STEP=VALUES or STEP\[INDEX\]=VALUES, such as'),
        ("=1", "^the edit is"),
        (f"{WEIGHTS}[1=0", "^the edit is"),
        ("encoder.0.atention.weights=1", r'^no step is called .* did you mean "encoder\.0\.attention\.weights"\?$'),
        (f"{WEIGHTS}[9]=0", "place 9 of axis 0 is not there; it can be 0 to 3$"),
        (f"{WEIGHTS}[0,-1]=0", "place -1 of axis 1 is not there; it can be 0 to 7$"),
        (f"{WEIGHTS}[0,0,0,0]=0", "4 places for 4×8×8; give 3 at most$"),
        (f"{WEIGHTS}[a]=0", r"\[a\] must be whole numbers with commas, such as \[1,0\]$"),
        (f"{WEIGHTS}[]=0", r"\[\] must be whole numbers"),
        (f"{WEIGHTS}[1,0]=0,1", "2 values for 8 cells; give 1 or 8$"),
        (f"{WEIGHTS}=", '"" is no number$'),
        (f"{WEIGHTS}=x", '"x" is no number$'),
        (f"{WEIGHTS}=nan", "every cell must be a number or −∞$"),
        (f"{WEIGHTS}=1e999", "every cell must be a number or −∞$"),
        ("time.2.choice.token=9999", "it must be a whole number from 0 to 1184, or a word$"),
        ("time.2.choice.token=amoo", '"amoo" is no word that can be chosen; did you mean "amo"'),
        ("time.2.choice.token=-1", '"-1" is no word that can be chosen$'),
        ("tokens[0]=-1", "it must be a whole number from 0 on$"),
        ("tokens[0]=1.5", "it must be a whole number from 0 on$"),
        ("tokens[0]=-inf", "it must be a whole number from 0 on$"),
        ("tokens[0]=5000", "token numbers go from 0 to 1184"),
    ],
)
def test_what_can_not_be_made_is_one_sentence(edit: str, message: str) -> None:
    with pytest.raises(TxvizError, match=message):
        txviz.trace("translator", LOVE, edits=[edit])


def test_a_run_that_can_not_go_on_is_one_sentence() -> None:
    """A beam to which nothing is left: all its totals are no numbers."""
    edits = [f"time.2.beam.0.decoder.0.self_attention.{leaf}" for leaf in ("key=1e308", "weights=-1e308")]
    with pytest.raises(TxvizError, match=r"^the run can't go on from what was changed by hand"):
        txviz.trace("writer", "the keys on the table", strategy="beam", beam_width=2, max_steps=3, edits=edits)


@pytest.mark.parametrize(
    "edit", ["head.probabilities=1e308", "head.probabilities=0", "head.logits=-inf", "head.last=0"]
)
def test_a_board_of_odd_numbers_is_drawn(edit: str) -> None:
    trace = txviz.trace("translator", LOVE, max_steps=3, edits=[f"time.2.{edit}"])
    txviz.figure(trace.outline.find("time")).marks  # noqa: B018, it is drawn when it is asked for
