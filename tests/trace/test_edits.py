"""Changes by hand, as text: what they change, and what is said of those that can't be made."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import txviz
from txviz import Step, TxvizError
from txviz.models import find
from txviz.models.request import Request, compute, compute_what_applies
from txviz.ops import Array
from txviz.trace.edits import EditError

CAT = "The cat sat."
WEIGHTS = "encoder.0.attention.weights"
LOVE = "I love you very much"
BLOCK = "encoder.0.attention"
SEVEN = find("digits").example


def test_all_numbers_of_a_step() -> None:
    trace = txviz.trace("sentence-guide", CAT, edits=["pool.mean=1,-2,3e-1"])
    np.testing.assert_array_equal(trace.output, [1, -2, 0.3])
    assert trace["pool.mean"].op == "mean_pool"
    assert trace["pool.mean"].edited == ((),)
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


@pytest.mark.parametrize(
    ("name", "edit", "wanted"),
    [
        ("weights", "weights[:,2]=0", lambda run: _put(run["weights"].value, (slice(None), 2), 0)),
        ("weights", "weights[1,:,2]=0.5", lambda run: _put(run["weights"].value, (1, slice(None), 2), 0.5)),
        ("weights", "weights[2]*=0.5", lambda run: _put(run["weights"].value, 2, run["weights"].value[2] * 0.5)),
        ("weights", "weights*=-1", lambda run: -run["weights"].value),
        ("weights", "weights=uniform", lambda run: run["weights"].value * 0 + 0.125),
        ("weights", "weights[3]=@1", lambda run: _put(run["weights"].value, 3, run["scaled"].value[3])),
        ("scaled", "scaled=@1", lambda run: run["scores"].value),
        ("weights", "weights=@scores", lambda run: run["scores"].value),
        ("value", "value=@query", lambda run: run["query"].value),
    ],
)
def test_all_that_can_happen_to_a_step(name: str, edit: str, wanted: Callable[[dict[str, Step]], Array]) -> None:
    before = txviz.trace("translator", LOVE)
    steps = {step.site.leaf: step for step in before.find("encoder.0.attention.*")}
    text = edit.replace("@", f"@{BLOCK}." if edit[-1].isalpha() else "@")
    changed = txviz.trace("translator", LOVE, edits=[f"{BLOCK}.{text}"])
    np.testing.assert_array_equal(changed[f"{BLOCK}.{name}"].value, wanted(steps))
    assert changed.verify() == []


def test_a_glob_changes_all_steps_of_such_a_name() -> None:
    trace = txviz.trace("translator", LOVE, edits=["time.*.decoder.*.self_attention.masked=@1"])
    steps = trace.find("time.*.decoder.*.self_attention.masked")
    assert len(steps) == 2 * int(str(trace[-1].site.time))
    for step in steps:
        assert step.edited == ((),)
        np.testing.assert_array_equal(step.value, step.operands[0])


def test_uniform_leaves_out_what_is_masked() -> None:
    trace = txviz.trace("writer", "the keys", edits=["time.1.decoder.0.self_attention.weights=uniform"], max_steps=1)
    weights = trace["time.1.decoder.0.self_attention.weights"].value
    np.testing.assert_array_equal(weights[0], np.tri(len(weights[0])) / np.arange(1, len(weights[0]) + 1)[:, None])


def test_an_edited_step_keeps_what_it_is() -> None:
    """All but the value of its cells: operation, operands and formula, and the arithmetic of those that are left."""
    before = txviz.trace("translator", LOVE)[WEIGHTS]
    trace = txviz.trace("translator", LOVE, edits=[f"{WEIGHTS}[1,0]=0.5"])
    step = trace[WEIGHTS]
    assert (step.op, step.inputs, step.formula, step.labels) == (
        before.op,
        before.inputs,
        before.formula,
        before.labels,
    )
    assert step.edited == ((1, 0),)
    assert np.argwhere(step.edited_cells).tolist() == [[1, 0, key] for key in range(8)]
    assert step.text.endswith("Some of its cells were put in by hand, in place of the computed ones.")
    assert step.explain((1, 1, 0)) == before.explain((1, 1, 0))
    cell = step.explain((1, 0, 3))
    assert cell.text.startswith("0.5, put in by hand in place of 0.")
    assert (cell.result, cell.reads) == (0.5, {})
    assert not trace["encoder.0.attention.context"].edited


def test_a_parameter_is_changed_and_known_as_changed(tmp_path: Path) -> None:
    name = "encoder.0.attention.query.weight"
    before = txviz.trace("translator", LOVE)
    trace = txviz.trace("translator", LOVE, edits=[f"{name}[:,2]=0", "encoder.0.attention.*.bias*=2"])
    np.testing.assert_array_equal(trace.parameters[name], _put(before.parameters[name], (slice(None), 2), 0))
    assert before.diff(trace)[0].name == "encoder.0.attention.query_projection"
    assert trace["encoder.0.attention.query_projection"].edited == ()
    assert trace.verify() == []
    trace.save(tmp_path / "edited.safetensors")
    for each in (trace, txviz.load(tmp_path / "edited.safetensors")):
        edited = {parameter.name: parameter.edited for parameter in each.learned.values() if parameter.edited}
        biases = {f"encoder.0.attention.{leaf}.bias": ((),) for leaf in ("query", "key", "value", "output")}
        assert edited == {name: ((None, 2),), **biases}
        assert each.learned[name].edited_cells.sum() == len(before.parameters[name])
    np.testing.assert_array_equal(txviz.trace("translator", LOVE)[-1].value, before[-1].value)


def test_a_step_is_frozen_to_the_run_without_edits() -> None:
    """Also where something before it was changed, and though another edit changes it first."""
    edits = ["image=0.7", "encoder.0.residual_2*=2", "encoder.0.residual_2=untouched", "encoder.0.norm_1[3]=untouched"]
    before, trace = txviz.trace("digits", SEVEN), txviz.trace("digits", SEVEN, edits=edits)
    np.testing.assert_array_equal(trace[-1].value, before[-1].value)
    same = (trace["encoder.0.norm_1"].value == before["encoder.0.norm_1"].value).all(axis=-1)
    assert np.flatnonzero(same).tolist() == [3]
    assert trace.verify() == []


def test_what_the_guide_says_of_cls_makes_its_logits() -> None:
    trace = txviz.trace("vit-guide-2x2", find("vit-guide-2x2").example, edits=["pool.cls=guide"])
    np.testing.assert_allclose(trace["head.logits"].value, [1.82, -0.24, 3.19])
    assert round(float(trace["head.probabilities"].value[2]), 3) == 0.777
    assert trace.output == "bird"


def test_what_a_guide_prints_for_a_row() -> None:
    edit = f"{WEIGHTS}=guide"
    trace = txviz.trace("sentence-guide", CAT, edits=[edit])
    printed, before = trace[WEIGHTS].printed[0], txviz.trace("sentence-guide", CAT)[WEIGHTS].value
    np.testing.assert_array_equal(trace[WEIGHTS].value, _put(before, printed.at, printed.printed))
    assert trace[WEIGHTS].edited == ((0, 2),)


def _put(value: Array, place: Any, numbers: Any) -> Array:
    changed = value.copy()
    changed[place] = numbers
    return changed


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
        ("foo", r'^the edit is "foo"; it must be NAME=VALUES, NAME\[PLACE\]=VALUES or NAME\*=FACTOR, such as'),
        ("=1", "^the edit is"),
        (f"{WEIGHTS}[1=0", "^the edit is"),
        (
            "encoder.0.atention.weights=1",
            r'^no step or parameter is called .* did you mean "encoder\.0\.attention\.weights"\?$',
        ),
        (f"{WEIGHTS}[9]=0", "place 9 of axis 0 is not there; it can be 0 to 3$"),
        (f"{WEIGHTS}[0,-1]=0", "place -1 of axis 1 is not there; it can be 0 to 7$"),
        (f"{WEIGHTS}[0,0,0,0]=0", "4 places for 4×8×8; give 3 at most$"),
        (f"{WEIGHTS}[a]=0", r"\[a\] must be whole numbers with commas, and : for all of an axis, such as \[1,0\] or"),
        (f"{WEIGHTS}[]=0", r"\[\] must be whole numbers"),
        (f"{WEIGHTS}[1,0]=0,1", "2 values for 8 cells; give 1 or 8$"),
        (f"{WEIGHTS}=", '"" is no number$'),
        (f"{WEIGHTS}=x", '"x" is no number; untouched, guide, uniform, @1 and @NAME can stand here, too$'),
        ("tokens[0]=nan", "it must be a whole number from 0 on$"),
        ("tokens[0]=inf", "it must be a whole number from 0 on$"),
        ("time.2.choice.token=9999", "it must be a whole number from 0 to 1184, or a word$"),
        ("time.2.choice.token=amoo", '"amoo" is no word that can be chosen; did you mean "amo"'),
        ("time.2.choice.token=-1", '"-1" is no word that can be chosen$'),
        ("tokens[0]=-1", "it must be a whole number from 0 on$"),
        ("tokens[0]=1.5", "it must be a whole number from 0 on$"),
        ("tokens[0]=-inf", "it must be a whole number from 0 on$"),
        ("tokens[0]=5000", "token numbers go from 0 to 1184"),
        ("tokens[0]*=2", "these are whole numbers that stand for something; they can be set but not multiplied$"),
        (f"{WEIGHTS}[::2]=0", r"\[::2\] must be whole numbers with commas, and : for all of an axis"),
        (f"{WEIGHTS}[:,9]=0", "place 9 of axis 1 is not there; it can be 0 to 7$"),
        (f"{WEIGHTS}[:,:,:,:]=0", "4 places for 4×8×8; give 3 at most$"),
        (f"{WEIGHTS}[:,2]=1,2", "2 values for 32 cells; give 1 or 32$"),
        (f"{WEIGHTS}*=x", '"x" is no number'),
        (f"{WEIGHTS}*=", '"" is no number'),
        (f"{WEIGHTS}*=nan", "every cell must be a number or −∞ afterwards$"),
        (f"{WEIGHTS}*=1e400", "every cell must be a number or −∞ afterwards$"),
        ("time.*.self_attention.masked*=0", "every cell must be a number or −∞ afterwards$"),
        ("time.*.self_attention.masks=0", r"^no step or parameter is called .* did you mean"),
        ("encoder.0.attention.query.wait=0", r'did you mean "encoder\.0\.attention\.query\.weight"\?$'),
        ("encoder.norm=uniform", "uniform is for weights after a softmax, and encoder.norm is none$"),
        ("encoder.0.attention.query.weight=uniform", "uniform is for weights after a softmax"),
        ("encoder.0.residual_1=@3", r"encoder\.0\.residual_1 reads .*; @1 to @2 can stand here$"),
        ("encoder.0.attention.query.weight=@1", r"query\.weight reads nothing$"),
        (f"{WEIGHTS}=@0", "; @1 can stand here$"),
        ("embed.tokens=@1", "@1 has 8 and embed.tokens 8×64; they must be of the same shape and kind$"),
        ("encoder.0.norm_1=@encoder.1.norm_1", "no step before it and no parameter is called"),
        ("encoder.0.norm_2=@encoder.0.nrm_1", 'did you mean "encoder.0.norm_1"'),
        (f"{WEIGHTS}=@encoder.0.norm_1", "they must be of the same shape and kind$"),
        (f"{WEIGHTS}=@", '"@" is no number'),
        (f"{WEIGHTS}=guide", "the guide prints nothing here for this input$"),
    ],
)
def test_what_can_not_be_made_is_one_sentence(edit: str, message: str) -> None:
    with pytest.raises(TxvizError, match=message):
        txviz.trace("translator", LOVE, edits=[edit])


def test_edits_after_which_a_run_can_not_go_on_are_left_out_when_the_input_changes() -> None:
    """No word can be chosen: what says so names the edits, so that the window can take them back."""
    edits = ("time.1.beam.0.head.probabilities=0",)
    request = Request("translator", LOVE, {"strategy": "beam", "max_steps": 2}, edits)
    with pytest.raises(
        EditError, match=r"^the run can't go on from what was changed by hand \(.*nothing is left to choose"
    ) as found:
        compute(request)
    assert found.value.edits == edits
    assert compute_what_applies(request)[1].edits == ()


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


def test_only_what_the_guide_prints_of_a_place_is_taken() -> None:
    """It prints row 2 of the weights; of column 1 that is one cell."""
    trace = txviz.trace("sentence-guide", CAT, edits=[f"{WEIGHTS}[:,:,1]=guide"])
    printed, before = trace[WEIGHTS].printed[0], txviz.trace("sentence-guide", CAT)[WEIGHTS].value
    np.testing.assert_array_equal(trace[WEIGHTS].value, _put(before, (0, 2, 1), printed.printed[1]))
    assert trace[WEIGHTS].edited == ((0, 2, 1),)
    with pytest.raises(TxvizError, match=r"the guide prints nothing here for this input$"):
        txviz.trace("sentence-guide", CAT, edits=[f"{WEIGHTS}[0,1]=guide"])
