"""The pictures of words and positions: distances, waves and neighbours are those of the numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import txviz
from tests.figures.levels.checks import all_marks, drawn, words
from txviz import Trace
from txviz.analysis.words import table
from txviz.figures.levels.picture import Picture
from txviz.figures.levels.positions import alikeness
from txviz.figures.marks import Box, Group, Heat
from txviz.models import find
from txviz.models.trained import TrainedModel


def traced(model: str, text: str | None = None) -> Trace:
    return txviz.trace(model, text or find(model).example)


def groups(picture: Picture, name: str) -> list[Group]:
    return [mark for mark in picture.figure.marks if isinstance(mark, Group) and mark.name == name]


def cosine(a: np.ndarray, b: np.ndarray) -> float:
    return float(sum(x * y for x, y in zip(a, b, strict=True)) / (sum(x * x for x in a) * sum(y * y for y in b)) ** 0.5)


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({}, "These numbers are learned"),
        ({"positions": "sinusoidal"}, "waves that nobody had to learn"),
        ({"positions": "2d"}, "waves that nobody had to learn"),
        ({"edits": ["embed.positions=0"]}, "put in here by hand"),
    ],
)
def test_where_positions_come_from_is_said(how: dict[str, Any], said: str) -> None:
    trace = txviz.trace("vit-guide-2x2", find("vit-guide-2x2").example, **how)
    assert said in " ".join(words(drawn(trace, trace.outline.find("embed"), kind="positions")))


def test_positions_are_compared_by_their_cosines() -> None:
    trace = traced("digits")
    picture = drawn(trace, trace.outline.find("embed"), kind="positions")
    value = trace["embed.positions"].value
    wanted = [[cosine(a, b) for b in value] for a in value]
    assert alikeness(value) == pytest.approx(np.array(wanted), abs=1e-12)
    (group,) = groups(picture, "alike")
    (heat,) = (mark for mark in all_marks([group]) if isinstance(mark, Heat))
    shown = [float(text.replace("−", "-")) for text in heat.texts]
    assert shown == pytest.approx([x for row in wanted for x in row], abs=0.0051)
    (around,) = groups(picture, "around E")
    (small,) = (mark for mark in all_marks([around]) if isinstance(mark, Heat))
    assert [float(text.replace("−", "-")) for text in small.texts] == pytest.approx(wanted[4], abs=0.0051)


def test_each_dot_lies_on_its_wave() -> None:
    trace = traced("translator", "The house is big")
    picture = drawn(trace, trace.outline.find("embed"), kind="positions")
    value = trace["embed.positions"].value
    waves = [
        mark for mark in picture.figure.marks if isinstance(mark, Group) and mark.name.startswith("wave of feature")
    ]
    assert len(waves) == 5
    for wave in waves:
        feature = int(wave.name.rpartition(" ")[2])
        dots = [mark for mark in wave.marks if isinstance(mark, Box)]
        heights = np.array([dot.y for dot in dots])
        spread = np.ptp(value[:, feature])
        assert (heights.max() - heights) / np.ptp(heights) == pytest.approx(
            (value[:, feature] - value[:, feature].min()) / spread, abs=1e-9
        )
    assert any("once in 6.3 tokens" in text for text in words(picture))


@pytest.mark.parametrize("model", ["sentence", "translator", "writer"])
def test_neighbours_are_the_nearest_rows_of_the_table(model: str) -> None:
    trace = traced(model)
    node = next(node for node in trace.outline if "words" in node.pictures)
    looked_up = next(step for step in node.steps if step.op == "lookup")
    found = table(trace, looked_up)
    assert found is not None
    own = find(model)
    assert isinstance(own, TrainedModel)
    assert found.words == own.vocabulary.words
    number = next(n for n in looked_up.sources[0].value.tolist() if found.is_word(n))
    every = {
        other: cosine(found.vectors[number], row)
        for other, row in enumerate(found.vectors)
        if other != number and found.is_word(other)
    }
    nearest = sorted(every, key=lambda other: -every[other])[:3]
    assert found.nearest(number, 3) == nearest
    picture = drawn(trace, node, kind="words")
    hint = f"cos(“{found.words[number]}”, “{found.words[nearest[0]]}”) = "
    worked = next(spot.hint for spot in picture.spots if spot.hint.startswith(hint))
    product, _, rest = worked.removeprefix(hint).partition(" / (")
    lengths, _, result = rest.partition(") ≈ ")
    first, second = (float(part) for part in lengths.split(" × "))
    assert float(product) / (first * second) == pytest.approx(float(result), abs=0.003)
    assert float(result) == pytest.approx(every[nearest[0]], abs=0.0006)


def test_a_trace_without_its_words_has_numbers() -> None:
    trace = traced("sentence", "the cat sleeps")
    nameless = Trace(trace.steps, {"model": "sentence"}, trace.steps[-1])
    found = table(nameless, nameless["embed.tokens"])
    assert found is not None
    numbers = trace["tokens"].value.tolist()
    assert [found.words[number] for number in numbers] == ["the", "cat", "sleeps"]
    other = next(number for number in range(len(found.words)) if number not in numbers)
    assert found.words[other] == f"number {other}"


def test_a_guide_without_a_vocabulary_says_the_words_that_it_read() -> None:
    trace = txviz.trace("sentence-guide", "The cat sat.")
    said = words(drawn(trace, trace.outline.find("embed"), kind="words"))
    assert {"The", "cat", "sat"} <= set(said)
    assert not [text for text in said if text.startswith("number")]
