"""All steps and levels of checkpoints can be drawn, and what is taken apart adds up."""

from __future__ import annotations

from typing import Any

import pytest

import txviz
from tests.models.checkpoints.reference import ALL, IMAGES, TRANSLATORS, WRITERS, path, source
from txviz.analysis.lens import readings
from txviz.analysis.parts import score


def options(name: str) -> dict[str, Any]:
    return {"max_steps": 2, "strategy": "beam", "beam_width": 2} if name in (*WRITERS, *TRANSLATORS) else {}


@pytest.mark.parametrize("name", ALL)
def test_every_picture_of_every_level(name: str) -> None:
    for node in txviz.trace(path(name), source(name), **options(name)).outline:
        for view in node.pictures if node.children else ():
            assert txviz.figure(node, view=view).marks.marks


BLOCKS = {"gpt2": 6, **dict.fromkeys(("llama", "qwen2", "qwen3", "mistral", "gemma", "phi3"), 5), "t5": 7, "flan-t5": 7}
"""The embedding (and positions), and two blocks a layer, or three."""


@pytest.mark.parametrize("name", BLOCKS)
def test_the_parts_of_a_score_are_the_score(name: str) -> None:
    """Through RMS norms, rotary positions, shared values and a scaled output, too."""
    trace = txviz.trace(path(name), source(name), max_steps=1, dtype="float64")
    answer = trace["time.1.head.probabilities"]
    taken = score(answer, 5)
    assert taken is not None
    assert len(taken.parts) == BLOCKS[name]
    together = sum(float(part.shares.sum()) for part in taken.parts) + taken.biases
    assert together == pytest.approx(float(trace["time.1.head.last"].value[5]), abs=1e-9)


@pytest.mark.parametrize("name", ["bert-classifier", *IMAGES, *WRITERS, *TRANSLATORS])
def test_the_last_reading_of_the_lens_is_the_answer(name: str) -> None:
    one: dict[str, Any] = {"max_steps": 1} if name in (*WRITERS, *TRANSLATORS) else {}
    trace = txviz.trace(path(name), source(name), dtype="float64", **one)
    answer = trace["time.1.head.probabilities" if one else "head.probabilities"]
    found = readings(answer)
    assert len(found) == 3
    assert found[-1].own == pytest.approx(answer.value)
