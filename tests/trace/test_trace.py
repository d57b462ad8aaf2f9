"""Reading a trace: by name, by place, by glob; explaining, verifying, comparing and overriding its steps."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

import txviz
from txviz import Step, Trace, TxvizError, ops
from txviz.figures.pair import Pair
from txviz.models import find
from txviz.trace import Run
from txviz.trace.diff import first_that_matters

SCORES = "encoder.0.attention.scores"
WEIGHTS = "encoder.0.attention.weights"


@pytest.fixture(scope="module")
def cat() -> Trace:
    return txviz.trace("sentence-guide", "The cat sat.")


def test_the_public_contract(cat: Trace) -> None:
    step = cat[SCORES]
    assert step is cat.find("*.scores")[0]
    assert cat[0].name == "tokens"
    assert [s.name for s in cat][-1] == cat[-1].name == "pool.mean"
    assert len(cat) == len(list(cat)) == 21
    assert step.axes == ("head", "query", "key")
    assert step.labels == (("0",), ("[CLS]", "The", "cat", "sat", "."), ("[CLS]", "The", "cat", "sat", "."))
    assert (step.op, step.inputs) == ("matmul", ("encoder.0.attention.query", "encoder.0.attention.key"))
    assert step.title == "encoder 0 · attention · scores"
    assert step.formula == r"S = Q \, K^{\top}"
    assert "paper divides them by √d" in step.text


def test_one_cell(cat: Trace) -> None:
    cell = cat[SCORES].explain((0, 2, 4))
    assert cell.text == "0.8×0.1 + 0.3×0.1 + (−0.5)×0.2 = 0.01"
    assert cell.result == pytest.approx(0.01)
    assert cell.reads == {
        "encoder.0.attention.query": [(0, 2, 0), (0, 2, 1), (0, 2, 2)],
        "encoder.0.attention.key": [(0, 4, 0), (0, 4, 1), (0, 4, 2)],
    }
    assert cat[SCORES].explain((-1, -3, -1)) == cell


def test_an_input_that_is_read_twice_lists_both(cat: Trace) -> None:
    squared = dataclasses.replace(cat[SCORES], sources=(cat["encoder.0.attention.query"],) * 2)
    assert squared.explain((0, 2, 4)).reads == {
        "encoder.0.attention.query": [(0, 2, 0), (0, 2, 1), (0, 2, 2), (0, 4, 0), (0, 4, 1), (0, 4, 2)]
    }


def test_arithmetic_that_is_not_defined_is_told() -> None:
    """Where NumPy goes on with what is not a number, Python's own arithmetic would stop."""
    with np.errstate(all="ignore"):
        step = txviz.trace("digits", find("digits").example, target="3")["update.head.bias"]
    square = step.sources[2]
    assert isinstance(square, Step)
    square = dataclasses.replace(square, value=-np.ones_like(square.value))
    odd = dataclasses.replace(step, sources=(*step.sources[:2], square), value=step.value * np.nan)
    cell = odd.explain((0,))
    assert cell.text == "not defined for these numbers (math domain error): not a number"
    assert list(cell.reads) == list(step.explain((0,)).reads)


@pytest.mark.parametrize("index", [(0, 5, 0), (0, 2), (0, 2, 4, 0), (1, 0, 0)])
def test_a_cell_that_is_not_there(cat: Trace, index: tuple[int, ...]) -> None:
    with pytest.raises(TxvizError, match=r"encoder\.0\.attention\.scores has shape \(1, 5, 5\), so .* is not one of"):
        cat[SCORES].explain(index)


def test_a_wrong_name_suggests_the_right_one(cat: Trace) -> None:
    with pytest.raises(TxvizError, match=r'did you mean "encoder\.0\.attention\.scores"\?'):
        cat["encoder.0.attention.score"]


def test_values_can_not_be_changed(cat: Trace) -> None:
    with pytest.raises(ValueError, match="read-only"):
        cat[SCORES].value[0, 0, 0] = 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        cat[SCORES].name = "x"  # type: ignore[misc]


def test_examples_replay(example: Trace) -> None:
    assert example.verify() == []


def test_verify_names_the_step_and_the_cell(cat: Trace) -> None:
    wrong = cat[WEIGHTS].value.copy()
    wrong[0, 2, 3] += 1e-15
    steps = [dataclasses.replace(step, value=wrong) if step.name == WEIGHTS else step for step in cat]
    (mismatch,) = Trace(steps, cat.about, "").verify()
    assert (mismatch.name, mismatch.cell) == (WEIGHTS, (0, 2, 3))
    assert "recorded as 0.2033, the replay gives 0.2033 (" in mismatch.text


def test_a_trace_from_another_machine_may_differ_in_the_last_bits(cat: Trace) -> None:
    def with_error(error: float) -> Trace:
        value = cat[SCORES].value + error
        steps = [dataclasses.replace(step, value=value) if step.name == SCORES else step for step in cat]
        return Trace(steps, cat.about, "", origin="another machine")

    assert with_error(1e-15).verify() == []
    assert with_error(1e-9).verify()[0].name == SCORES


def test_diff_says_which_cells_and_by_how_much(cat: Trace) -> None:
    assert cat.diff(txviz.trace("sentence-guide", "The cat sat.")) == []
    changed = txviz.trace("sentence-guide", "The cat sat.", overrides={SCORES: lambda s: s + np.eye(5)[2] * 0.5})
    changes = {change.name: change for change in cat.diff(changed)}
    assert "embed.sum" not in changes
    assert changes[SCORES].cells == tuple((0, row, 2) for row in range(5))
    assert all(change.count == len(change.cells) for change in changes.values())
    assert changes[SCORES].largest == pytest.approx(0.5)
    assert changes[WEIGHTS].kind == "changed"
    assert changes[WEIGHTS].where is not None


@pytest.mark.parametrize("change", [1e-3, 1e-12])
def test_diff_sees_the_smallest_change(cat: Trace, change: float) -> None:
    changed = txviz.trace("sentence-guide", "The cat sat.", overrides={SCORES: lambda s: s + np.eye(5)[2] * change})
    first = cat.diff(changed)[0]
    assert (first.name, first.cells) == (SCORES, tuple((0, row, 2) for row in range(5)))
    assert first.largest == pytest.approx(change, rel=1e-3)


def test_diff_tells_how_much_of_a_step_changed(cat: Trace) -> None:
    changes = cat.diff(txviz.trace("sentence-guide", "The cat sat.", edits=[f"{SCORES}[0,2]=0.5,-inf,0,0,0"]))
    first = changes[0]
    assert (first.name, first.share, first.largest, first.where) == (SCORES, 0.2, np.inf, (0, 2, 1))
    assert np.argwhere(first.mask).tolist() == [list(cell) for cell in first.cells]
    weights = next(change for change in changes if change.name == WEIGHTS)
    assert weights.cells == tuple((0, 2, key) for key in range(5))
    assert weights.after is not None
    assert weights.largest == np.abs(weights.after.value - cat[WEIGHTS].value).max()


def test_where_an_edit_is_felt_first(cat: Trace) -> None:
    """The first word that is another; else the first step that came out differently by itself."""
    plain = txviz.trace("translator", "I love you very much")
    for edits, wanted in (
        (["time.2.choice.token=ama"], "time.2.choice.probability"),
        (["encoder.norm=0"], "time.1.choice.token"),
        (["encoder.0.attention.query.bias[0]=9"], "encoder.0.attention.query_projection"),
    ):
        felt = first_that_matters(plain.diff(txviz.trace("translator", "I love you very much", edits=edits)))
        assert felt is not None
        assert felt.name == wanted
    assert first_that_matters(cat.diff(cat)) is None
    assert first_that_matters(cat.diff(txviz.trace("sentence-guide", "The cat sat.", edits=["pool.mean=9"]))) is None


def test_what_was_changed_by_hand(cat: Trace) -> None:
    edits = ["encoder.0.norm_2[1]=0", "encoder.0.ffn.hidden.bias[0]=1"]
    changed = txviz.trace("sentence-guide", "The cat sat.", edits=edits)
    assert list(changed.edited) == ["encoder.0.ffn.hidden.bias", "encoder.0.norm_2"]
    assert np.argwhere(changed.edited["encoder.0.norm_2"].edited_cells).tolist() == [[1, 0], [1, 1], [1, 2]]
    assert cat.edited == {}


def test_diff_of_other_shapes_and_steps(cat: Trace) -> None:
    longer = txviz.trace("sentence-guide", "The cat sat down.", pooling="cls")
    kinds = {change.name: change.kind for change in cat.diff(longer)}
    assert kinds["tokens"] == "reshaped"
    assert (kinds["pool.cls"], kinds["pool.mean"]) == ("added", "removed")


def test_an_override_is_used_from_there_on(cat: Trace) -> None:
    even = np.full((1, 5, 5), 0.2)
    trace = txviz.trace("sentence-guide", "The cat sat.", overrides={WEIGHTS: even})
    np.testing.assert_array_equal(trace[WEIGHTS].value, even)
    np.testing.assert_allclose(
        trace["encoder.0.attention.context"].value[0], cat["embed.sum"].value.mean(axis=0)[None] + np.zeros((5, 3))
    )
    assert trace[WEIGHTS].op == "given"
    assert trace[WEIGHTS].labels == cat[WEIGHTS].labels
    assert "by hand" in trace[WEIGHTS].text
    assert trace[WEIGHTS].explain((0, 1, 1)).text == "given: 0.2"
    assert trace.verify() == []


def test_an_override_does_not_touch_the_users_array() -> None:
    mine = np.full((1, 5, 5), 0.2)
    trace = txviz.trace("sentence-guide", "The cat sat.", overrides={WEIGHTS: mine})
    mine[:] = 7
    assert trace[WEIGHTS].value.max() == 0.2


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        (WEIGHTS, np.zeros((4, 4)), r"has shape \(1, 5, 5\); the override has shape \(4, 4\)"),
        (WEIGHTS, lambda w: w[0], r"has shape \(1, 5, 5\); the override has shape \(5, 5\)"),
        (WEIGHTS, [["a"]], "is not an array of numbers"),
        ("encoder.0.attention.wieghts", np.zeros((1, 5, 5)), r'did you mean "encoder\.0\.attention\.weights"\?'),
    ],
)
def test_bad_overrides(name: str, value: Any, message: str) -> None:
    with pytest.raises(TxvizError, match=message):
        txviz.trace("sentence-guide", "The cat sat.", overrides={name: value})


def test_overrides_and_dtype_are_kept() -> None:
    trace = txviz.trace("sentence-guide", "The cat sat.", overrides={WEIGHTS: lambda w: w}, dtype="float32")
    assert trace.about["overrides"] == [WEIGHTS]
    assert trace.about["dtype"] == "float32"
    assert "overrides" not in txviz.trace("sentence-guide", "The cat sat.").about


def test_an_operation_that_fails_names_its_step() -> None:
    run = Run({"encoder.0.attention.query.weight": np.zeros((4, 4))})
    x = run.given("x", np.zeros((5, 3)), axes="token feature")
    with (
        run.at(part="encoder", layer=0, block="attention"),
        pytest.raises(TxvizError, match=r"^encoder\.0\.attention\.query: linear of 5×3 and 4×4: "),
    ):
        run(ops.linear, "query", x, run.parameter("query.weight"), axes="token feature")


def test_names_of_two_steps_must_differ(cat: Trace) -> None:
    with pytest.raises(TxvizError, match="same name"):
        Trace([cat[0], cat[0]], {}, "")


def test_float32_where_asked() -> None:
    trace = txviz.trace("vit-guide-2x2", find("vit-guide-2x2").example, dtype="float32")
    assert {step.value.dtype for step in trace if step.op != "argmax"} == {np.dtype(np.float32)}
    assert trace.verify() == []


def test_how_much_a_step_changed() -> None:
    """By its largest number; of words, how many are others."""
    cat, dog = (txviz.trace("sentence-guide", f"The {word} sat.") for word in ("cat", "dog"))
    changes = {change.name: change for change in cat.diff(dog)}
    assert changes["tokens"].relative == 1 / 5
    embedded = changes["embed.tokens"]
    before, after = cat["embed.tokens"].value, dog["embed.tokens"].value
    assert embedded.relative == np.abs(after - before).max() / max(np.abs(before).max(), np.abs(after).max())
    assert all(0 < change.relative <= 2 for change in changes.values())


def test_a_change_is_as_large_in_a_comparison_as_beside_its_step() -> None:
    before = txviz.trace("sentence-guide", "The cat sat.")
    after = txviz.trace("sentence-guide", "The cat sat.", edits=["embed.sum*=-1"])
    (change,) = (each for each in before.diff(after) if each.name == "embed.sum")
    assert change.relative == Pair(before, after).change(after["embed.sum"]).size == 2
