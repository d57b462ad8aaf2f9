"""What holds for every architecture, whatever its weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.nets.architectures import ALL, SOURCE, TOKENS, WORDS, Forward, block, image, sentence, translation, writing
from tests.ops.test_laws import check_cell
from txviz import TxvizError
from txviz.nets import vit
from txviz.nets.parameters import check
from txviz.ops import Array
from txviz.trace import Run, Trace
from txviz.trace.step import equal_bits


def traced(parameters: dict[str, Array], forward: Forward, **options: Any) -> Trace:
    run = Run(parameters, **options)
    return Trace((forward(run), run.steps)[1], {}, run.steps[-1])


@pytest.mark.parametrize("name", ALL)
class TestAll:
    def test_recording_changes_nothing(self, name: str) -> None:
        parameters, forward = ALL[name]
        untraced = Run(parameters, record=False)
        result = forward(untraced)
        assert equal_bits(result.value, traced(parameters, forward)[-1].value)
        assert untraced.steps == []

    def test_every_step_replays(self, name: str) -> None:
        assert traced(*ALL[name]).verify() == []

    def test_sampled_cells_are_explained(self, name: str) -> None:
        rng = np.random.default_rng(3)
        for step in traced(*ALL[name]):
            for _ in range(3):
                index = tuple(int(rng.integers(n)) for n in step.value.shape)
                check_cell(step.operation, index, step.value, step.operands, step.params)

    def test_every_axis_has_a_name_and_its_labels(self, name: str) -> None:
        for step in traced(*ALL[name]):
            assert len(step.axes) == step.value.ndim
            assert tuple(map(len, step.labels)) == step.value.shape
            assert step.formula
            assert step.text.endswith(".")

    def test_float32_runs_in_float32(self, name: str) -> None:
        parameters, forward = ALL[name]
        small = {key: value.astype(np.float32) for key, value in parameters.items()}
        trace = traced(small, forward, dtype="float32")
        assert [step.name for step in trace if step.value.dtype == np.float64] == []
        np.testing.assert_allclose(trace[-1].value, traced(parameters, forward)[-1].value, atol=1e-4)

    def test_values_are_read_only(self, name: str) -> None:
        for step in traced(*ALL[name]):
            assert not step.value.flags.writeable


@given(st.integers(0, len(TOKENS) - 2), st.integers(0, len(WORDS) - 1), st.sampled_from(["writer", "translator"]))
def test_causal_masks_never_leak(position: int, other: int, kind: str) -> None:
    make = writing if kind == "writer" else translation
    changed = TOKENS.copy()
    changed[position + 1 :] = other
    before, after = traced(*make(TOKENS)), traced(*make(changed))
    for name in ("head.logits", "head.probabilities", "decoder.1.norm_2"):
        assert equal_bits(before[name].value[: position + 1], after[name].value[: position + 1])


def test_a_future_key_has_no_weight() -> None:
    trace = traced(*writing())
    for step in trace.find("*.masked"):
        assert np.isneginf(step.value[:, *np.triu_indices(len(TOKENS), 1)]).all()
    for step in trace.find("*.weights"):
        assert (step.value[:, *np.triu_indices(len(TOKENS), 1)] == 0).all()


def test_padding_is_never_looked_at() -> None:
    trace = traced(*translation())
    for step in [*trace.find("encoder.*.weights"), *trace.find("*.cross_attention.weights")]:
        assert (step.value[..., SOURCE == 0] == 0).all()
        np.testing.assert_allclose(step.value.sum(axis=-1), 1)


def test_a_shorter_source_is_the_same_as_a_padded_one() -> None:
    padded, short = traced(*translation()), traced(*translation(source=SOURCE[SOURCE != 0]))
    np.testing.assert_allclose(padded["head.logits"].value, short["head.logits"].value, atol=1e-12)


def test_names_follow_the_grammar() -> None:
    names = {step.name for step in traced(*translation())}
    attention = ["query", "key", "value", "scores", "scaled", "weights", "context", "merged", "output"]
    assert {f"encoder.1.attention.{part}" for part in attention} <= names
    assert {f"decoder.0.cross_attention.{part}" for part in attention} <= names
    assert {f"decoder.0.self_attention.{part}" for part in [*attention, "masked"]} <= names
    block = ["residual_1", "norm_1", "ffn.hidden", "ffn.activation", "ffn.output", "residual_2", "norm_2"]
    assert {f"encoder.0.{part}" for part in block} <= names
    assert {"tokens", "embed.tokens", "embed.positions", "embed.sum", "head.logits", "head.probabilities"} <= names
    assert {"patches", "pool.cls"} <= {step.name for step in traced(*image())}
    assert "pool.mean" in {step.name for step in traced(*sentence())}


def test_queries_and_keys_carry_their_own_words() -> None:
    weights = traced(*translation())["decoder.0.cross_attention.weights"]
    assert weights.axes == ("head", "query", "key")
    assert weights.labels[1] == tuple(WORDS[i] for i in TOKENS)
    assert weights.labels[2] == tuple(WORDS[i] for i in SOURCE)


def test_a_batch_is_the_examples_side_by_side() -> None:
    rows = np.array([[1, 3, 4, 5], [1, 8, 7, 6]])
    together = traced(*_writing_batch(rows))
    assert together["head.logits"].axes == ("batch", "token", "vocabulary")
    for i, row in enumerate(rows):
        alone = traced(*writing(row))
        np.testing.assert_allclose(together["head.logits"].value[i], alone["head.logits"].value, atol=1e-12)


def _writing_batch(rows: Array) -> tuple[dict[str, Array], Forward]:
    from txviz.nets import writer

    parameters, _ = writing()
    config = writer.Writer(block(norm="pre", activation="gelu_tanh"), layers=2, vocabulary=WORDS, longest=10)
    return parameters, lambda run: writer.forward(run, config, run.given("tokens", rows, axes="token"))


def test_two_dimensional_positions_tell_rows_and_columns_apart() -> None:
    positions = traced(*image(positions="sinusoidal_2d", pooling="mean"))["embed.positions"].value
    half = positions.shape[1] // 2
    assert equal_bits(positions[0, :half], positions[1, :half])
    assert equal_bits(positions[0, half:], positions[2, half:])
    assert not np.array_equal(positions[0], positions[1])


def test_wrong_weights_are_named() -> None:
    config = vit.ViT(block(), layers=1, image=(4, 4), patch=(2, 2), classes=("x", "y"))
    shapes = vit.shapes(config)
    good = {name: np.zeros(shape) for name, shape in shapes.items()}
    check(good, shapes)
    with pytest.raises(TxvizError, match=r"no head\.bias"):
        check({name: value for name, value in good.items() if name != "head.bias"}, shapes)
    with pytest.raises(TxvizError, match=r"head\.bias has shape \(3,\); the model needs \(2,\)"):
        check({**good, "head.bias": np.zeros(3)}, shapes)
    with pytest.raises(TxvizError, match="does not use"):
        check({**good, "extra": np.zeros(3)}, shapes)


def test_a_missing_parameter_suggests_the_nearest() -> None:
    parameters, forward = writing()
    parameters = {name.replace("ffn.hidden.weight", "ffn.hiden.weight"): value for name, value in parameters.items()}
    with pytest.raises(TxvizError, match=r'did you mean "decoder\.0\.ffn\.hiden\.weight"'):
        forward(Run(parameters))
