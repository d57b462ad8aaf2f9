"""Sentences of unequal length side by side: padding costs nothing and teaches nothing."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import txviz
from txviz.data.translation import Pair
from txviz.models import find
from txviz.models.translator import Translator
from txviz.models.vocabulary import END, START
from txviz.models.writer import Writer
from txviz.ops import Array
from txviz.trace import Run, Step
from txviz.trace.backward import backward
from txviz.training.batches import padded
from txviz.training.translator import TranslatorCourse, batch_of, encode_pair
from txviz.training.writer import WriterCourse

SMOOTHING = 0.1


@cache
def translator() -> TranslatorCourse:
    model = find("translator")
    assert isinstance(model, Translator)
    return TranslatorCourse(model, "translator")


@cache
def writer() -> WriterCourse:
    model = find("writer")
    assert isinstance(model, Writer)
    return WriterCourse(model, "writer")


def loss_of(course: TranslatorCourse | WriterCourse, batch: Any) -> tuple[Step, Array, Run]:
    """The loss of a batch, that of each position, and the run."""
    run = Run(course.model.parameters)
    loss = course.loss(run, course.model.config, batch, SMOOTHING)
    return loss, next(step.value for step in run.steps if step.name == "loss.positions"), run


def encoded(english: str, italian: str) -> tuple[Array, Array, Array]:
    return encode_pair(translator().model.vocabulary, Pair(english, "it", italian))


def sentences(course: TranslatorCourse | WriterCourse) -> st.SearchStrategy[Array]:
    """Of one to seven words, none of which is padding."""
    ids = st.integers(1, len(course.model.vocabulary.words) - 1)
    return st.lists(ids, min_size=1, max_size=7).map(np.array)


def pairs() -> st.SearchStrategy[tuple[Array, Array, Array]]:
    """A source, a target that begins with <SOS>, and its labels."""
    start, end = translator().model.vocabulary.encode([START, END])
    words = sentences(translator())
    return st.tuples(words, words).map(lambda both: (both[0], np.array([start, *both[1]]), np.array([*both[1], end])))


@settings(max_examples=20)
@given(st.data())
def test_a_translators_batch_costs_what_its_sentences_cost_alone(data: st.DataObject) -> None:
    some = data.draw(st.lists(pairs(), min_size=2, max_size=2))
    together, positions, _ = loss_of(translator(), batch_of(some))
    sizes = [len(pair[2]) for pair in some]
    alone = [loss_of(translator(), batch_of([pair]))[0] for pair in some]
    assert float(together.value) == pytest.approx(np.average([float(each.value) for each in alone], weights=sizes))
    for i, pair in enumerate(some):
        own = loss_of(translator(), batch_of([pair]))[1][0]
        np.testing.assert_allclose(positions[i, : sizes[i]], own, atol=1e-10)
        assert not positions[i, sizes[i] :].any(), "padding costs nothing"


@settings(max_examples=20)
@given(st.data())
def test_a_writers_batch_costs_what_its_texts_cost_alone(data: st.DataObject) -> None:
    start, end = writer().model.vocabulary.encode([START, END])
    texts = [np.array([start, *data.draw(sentences(writer())), end]) for _ in range(2)]
    together, _, _ = loss_of(writer(), padded(texts))
    alone = [float(loss_of(writer(), padded([text]))[0].value) for text in texts]
    assert float(together.value) == pytest.approx(np.average(alone, weights=[len(text) - 1 for text in texts]))


def test_a_batch_teaches_what_its_sentences_teach_alone() -> None:
    """The gradients, too, are the mean over all positions."""
    some = [encoded("i love you very much", "ti amo molto"), encoded("the cat sleeps", "il gatto dorme qui oggi")]
    together, *alone = (_gradients(batch_of(rows)) for rows in (some, some[:1], some[1:]))
    sizes = np.array([len(pair[2]) for pair in some])
    for name, gradient in together.items():
        mean = sum(share * each[name] for share, each in zip(sizes / sizes.sum(), alone, strict=True))
        np.testing.assert_allclose(gradient, mean, atol=1e-10, err_msg=name)


def test_the_loss_that_is_shown_is_the_loss_that_is_trained() -> None:
    model = translator().model
    shown = txviz.trace("translator", "I love you very much", target="ti amo molto")["loss.mean"]
    batch = batch_of([encoded("i love you very much", "ti amo molto")])
    assert model.recipe.smoothing == SMOOTHING
    assert float(shown.value) == pytest.approx(float(loss_of(translator(), batch)[0].value), abs=1e-12)


def _gradients(batch: Any) -> dict[str, Array]:
    loss, _, run = loss_of(translator(), batch)
    return {name: step.value for name, step in backward(run, run.steps, loss).items()}
