"""A softmax as marks: the bars are as long as the operation's own parts."""

from __future__ import annotations

import numpy as np
import pytest

import txviz
from tests.figures.views.checks import PAGES, check_page, texts
from tests.models.checkpoints.reference import path
from txviz import Trace, ops
from txviz.figures.marks import Box, Line
from txviz.figures.sentences import remarks
from txviz.figures.style import Style
from txviz.figures.views.bars import Bars
from txviz.figures.views.page import Area, wrapped
from txviz.figures.views.softmax import row_of, softmax

AREA = Area(5, 7, 600, 300)


@pytest.mark.parametrize("page", PAGES)
def test_every_softmax_fits_its_page(trace: Trace, page: tuple[int, int]) -> None:
    for step in (step for step in trace if step.op == "softmax"):
        for temperature in (1.0, 3.0):
            figure = softmax(trace, step, (), *page, Style(growth=1.5), temperature=temperature)
            check_page(figure, page, step.name)


def test_bars_are_as_long_as_the_parts_of_the_operation(digits: Trace) -> None:
    step = digits["encoder.1.attention.weights"]
    parts = ops.softmax.parts(digits["encoder.1.attention.scaled"].value[2, 3])
    bars = Bars(row_of(step, (2, 3)).table(step.value[2, 3]), AREA, Style())
    full = bars.cell(0, 0).width
    for column, name, end in ((1, "shifted", -parts["shifted"].min()), (2, "exponentials", 1), (3, "probabilities", 1)):
        lengths = [bars.bar(row, column).width for row in range(10)]
        assert np.allclose(np.array(lengths) / full * end, np.abs(parts[name]))
    drawn = [mark for mark in bars.marks() if isinstance(mark, Box)]
    assert {(mark.x, mark.y, mark.width) for mark in drawn} == {
        bars.bar(row, column)[:3] for column in range(4) for row in range(10) if bars.bar(row, column).width
    }
    assert np.array_equal(bars.table.columns[3].values, step.value[2, 3])


def test_the_numbers_are_those_of_the_row(cat: Trace) -> None:
    step = cat["encoder.0.attention.weights"]
    figure = softmax(cat, step, row=2)
    words = [mark.text for mark in texts(figure)]
    assert "encoder 0 · attention · weights · “cat”" in words
    for p in step.value[0, 2]:
        assert f"{p:.3f}" in words


def test_another_temperature_has_ticks_where_the_model_was(digits: Trace) -> None:
    step = digits["head.probabilities"]
    bars = Bars(row_of(step, (), 2.0).table(step.value), AREA, Style())
    ticks = [mark for mark in bars.marks() if isinstance(mark, Line) and mark.colour == Style().theme.accent]
    cell = bars.cell(0, 3)
    assert np.allclose([(tick.x1 - cell.x) / cell.width for tick in ticks], step.value)


def test_of_many_words_as_many_as_fit_are_shown(translator: Trace) -> None:
    step = translator["time.3.head.probabilities"]
    for height in (160, 300, 900):
        figure = softmax(translator, step, (), 500, height)
        words = [mark.text for mark in texts(figure)]
        count = next(int(word.split()[1].replace(",", "")) for word in words if word.endswith(" more"))
        likeliest = [step.labels[-1][i] for i in np.argsort(-step.value, kind="stable")[: step.value.size - count]]
        assert set(likeliest) <= set(words)
        check_page(figure, (500, height), f"{height} high")


def test_text_is_broken_between_words() -> None:
    text = "Each score less the largest, exponentiated, and divided by the sum."
    lines = wrapped(text, 12, 150)
    assert len(lines) > 1
    assert " ".join(lines) == text


@pytest.mark.parametrize("room", range(40, 200, 8))
def test_a_number_and_its_percent_sign_never_part(room: int) -> None:
    lines = wrapped("Softmax makes them shares of 1, of which “ti” has most: 88 %. The rest is < 0.01 %", 12, room)
    assert not [line for line in lines if line.startswith("%")]


def test_no_softmax_no_figure(digits: Trace) -> None:
    assert softmax(digits, digits["encoder.0.attention.scaled"]) is None


def test_of_a_masked_word_its_row_is_shown_and_told() -> None:
    trace = txviz.trace(path("bert-masked"), "the [MASK] sat on the mat")
    step = trace["head.probabilities"]
    figure = softmax(trace, step)
    assert figure is not None
    assert any("[MASK]" in text.text for text in texts(figure))
    assert any(sentence.startswith("For [MASK], the model is ") for sentence in remarks(step, ()))
