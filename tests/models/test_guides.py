"""The guides' worked examples against their independent recomputation in tests/reference/worked-examples.json."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import txviz
from txviz.models import find

REFERENCE: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "reference/worked-examples.json").read_text("utf-8")
)
MODELS = {"sentence": "sentence-guide", "vit-3x2": "vit-guide-3x2", "vit-2x2": "vit-guide-2x2"}
CHECKS = [(MODELS[key], check) for key in MODELS for check in REFERENCE[key]["checks"]]


def example(model: str, **options: Any) -> txviz.Trace:
    return txviz.trace(model, find(model).example, **options)


def finding(model: str, where: str) -> txviz.Printed:
    (found,) = [entry.printed for entry in txviz.audit() if (entry.model, entry.printed.where) == (model, where)]
    return found


def test_the_audit_is_the_whole_table_in_its_order() -> None:
    found = {(entry.model, entry.printed.where) for entry in txviz.audit()}
    assert found == {(model, check["where"]) for model, check in CHECKS}
    assert len(txviz.audit()) == 23
    assert sum(not entry.printed.agrees for entry in txviz.audit()) == 13


@pytest.mark.parametrize(("model", "check"), CHECKS, ids=[f"{model}: {check['where']}" for model, check in CHECKS])
def test_every_printed_result(model: str, check: dict[str, Any]) -> None:
    found = finding(model, check["where"])
    assert found.printed == check["printed"]
    assert found.agrees == check["agrees"]
    np.testing.assert_allclose(found.computed, check["from_printed"], atol=1e-6)


FROM_THE_GUIDE = ("layer norm mean, variance, std", "logits from the given final CLS", "class probabilities")
"""Here the reference, too, starts from numbers that the guide makes up."""

SCRATCH = [(model, check) for model, check in CHECKS if check["where"] not in FROM_THE_GUIDE]


@pytest.mark.parametrize(("model", "check"), SCRATCH, ids=[f"{model}: {check['where']}" for model, check in SCRATCH])
def test_every_result_from_scratch(model: str, check: dict[str, Any]) -> None:
    """The trace itself, with nothing of what the guide prints put in."""
    trace = example(model)
    (step,) = [step for step in trace if any(entry.where == check["where"] for entry in step.printed)]
    (entry,) = [entry for entry in step.printed if entry.where == check["where"]]
    np.testing.assert_allclose(step.value[entry.at], check["from_scratch"], atol=1e-6)


def test_what_the_reference_says_besides() -> None:
    cat = example("sentence-guide")["encoder.0.attention.context"]
    np.testing.assert_allclose(cat.value[0, 2], REFERENCE["sentence"]["new_cat_from_scratch"], atol=1e-6)
    patch_b = example("vit-guide-3x2")["encoder.0.attention.context"]
    np.testing.assert_allclose(patch_b.value[0, 2], REFERENCE["vit-3x2"]["new_B_from_scratch"], atol=1e-6)
    masked = example("masked-attention-guide")["decoder.0.self_attention.weights"]
    np.testing.assert_allclose(masked.value[0], REFERENCE["masked-attention"]["masked_from_scratch"], atol=1e-6)


def test_with_the_guides_final_cls_it_is_a_bird() -> None:
    trace = example("vit-guide-2x2", overrides={"pool.cls": [2.3, -1.1, 3.2, 1.4]})
    np.testing.assert_allclose(trace["head.logits"].value, [1.82, -0.24, 3.19])
    assert trace["head.probabilities"].value[2] == pytest.approx(0.777, abs=5e-4)
    assert trace["head.probabilities"].labels == (("cat", "dog", "bird"),)
    assert trace.output == "bird"


def test_prints_belong_to_the_guides_own_input_only() -> None:
    assert example("sentence-guide")["encoder.0.attention.weights"].printed
    other = txviz.trace("sentence-guide", "The dog sat.")
    assert not any(step.printed for step in other)


def test_a_word_outside_the_table_gets_a_vector_of_its_own_and_the_trace_says_so() -> None:
    one = txviz.trace("sentence-guide", "The dog sat on the Dog")
    two = txviz.trace("sentence-guide", "a dog")
    assert np.array_equal(one["embed.tokens"].value[2], two["embed.tokens"].value[2])
    assert np.array_equal(one["embed.tokens"].value[2], one["embed.tokens"].value[6])
    np.testing.assert_array_equal(one["embed.tokens"].value[1], [0.2, -0.1, 0.5])
    np.testing.assert_array_equal(one["embed.tokens"].value[5], [0.2, -0.1, 0.5])  # "the" is "The"
    assert "“dog”, “on”" in one["embed.tokens"].text
    assert "The guide has 5 positions" in one["embed.positions"].text
    assert "made from the word" not in example("sentence-guide")["embed.tokens"].text


def test_pooling() -> None:
    last = "encoder.0.norm_2"
    mean, cls = example("sentence-guide"), example("sentence-guide", pooling="cls")
    assert not isinstance(mean.output, str)
    np.testing.assert_allclose(mean.output, mean[last].value.mean(axis=0))
    np.testing.assert_array_equal(cls.output, cls[last].value[0])


def test_the_first_words_of_the_masked_guide_are_enough() -> None:
    short = txviz.trace("masked-attention-guide", "Your cat is")
    long = example("masked-attention-guide")
    name = "decoder.0.self_attention.weights"
    np.testing.assert_allclose(short[name].value, long[name].value[:, :3, :3], atol=1e-12)


def test_images_come_as_text_arrays_and_files(tmp_path: Path) -> None:
    from PIL import Image

    levels = np.arange(36, dtype=np.uint8).reshape(6, 6) * 7
    Image.fromarray(levels).save(tmp_path / "grey.png")
    Image.fromarray(levels).convert("RGB").save(tmp_path / "rgb.png")
    text = "\n".join(" ".join(f"{x / 255!r}" for x in row) for row in levels.tolist())
    sources = [
        levels / 255,
        (levels / 255).tolist(),
        str(tmp_path / "grey.png"),
        tmp_path / "rgb.png",
        text,
        json.dumps((levels / 255).tolist()),
    ]
    for source in sources:
        np.testing.assert_array_equal(txviz.trace("vit-guide-2x2", source)["image"].value, levels / 255)


@pytest.mark.parametrize(
    ("model", "text", "expected"),
    [
        ("masked-attention-guide", "YOUR CAT IS A LOVELY CAT", [0, 1, 2, 3, 4, 1]),
        ("sentence-guide", "The cat, the zebra, the zebra.", [0, 1, 2, 5, 1, 6, 5, 1, 6, 4]),
    ],
)
def test_a_word_has_one_number_in_the_vocabulary_wherever_it_stands(model: str, text: str, expected: list[int]) -> None:
    assert txviz.trace(model, text)["tokens"].value.tolist() == expected
