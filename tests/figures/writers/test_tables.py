"""Tables, read back: CSV and npy bit for bit, Markdown and LaTeX at the shown precision."""

from __future__ import annotations

import csv
import re
from io import BytesIO, StringIO

import numpy as np
import pytest

import txviz
from tests.figures.writers.drawn import STRANGE
from txviz.figures.writers import tables
from txviz.models import find
from txviz.ops import Array
from txviz.trace import Run, Step, Trace
from txviz.trace.step import equal_bits


def read(text: str, step: Step) -> Array:
    """The numbers of a CSV, in the shape of the step."""
    head, *lines = csv.reader(StringIO(text))
    before = max(step.value.ndim - 1, 0)
    assert all(len(line) == len(head) for line in lines)
    kind = step.value.dtype
    return np.array([[kind.type(cell) for cell in line[before:]] for line in lines], dtype=kind).reshape(
        step.value.shape
    )


def test_shipped_models(example: Trace) -> None:
    for step in example[:: max(len(example) // 40, 1)]:
        assert equal_bits(read(tables.csv(step), step), step.value), step.name
        assert equal_bits(np.load(BytesIO(tables.npy(step)), allow_pickle=False), step.value)
        assert tables.formula(step) == f"\\[ {step.formula} \\]\n"
        assert tables.csv(step) == tables.csv(step)
        assert tables.npy(step) == tables.npy(step)


def test_heads_stand_one_below_the_other() -> None:
    trace = txviz.trace("masked-attention-guide", "YOUR CAT IS A LOVELY CAT")
    step = trace["decoder.0.self_attention.masked"]
    head, first, *_ = csv.reader(StringIO(tables.csv(step)))
    assert head == ["head", "query", "YOUR", "CAT", "IS", "A", "LOVELY", "CAT"]
    assert first == ["0", "YOUR", repr(float(step.value[0, 0, 0])), *["-inf"] * 5]


@pytest.mark.parametrize("shape", [(), (1,), (3,), (2, 3), (2, 2, 3), (2, 3, 4, 5), (0,), (3, 0)])
def test_tensors_of_any_rank(shape: tuple[int, ...]) -> None:
    axes = " ".join(["batch", "head", "query", "key"][4 - len(shape) :])
    step = Run({}).given("x", np.random.default_rng(0).normal(size=shape), axes=axes)
    assert equal_bits(read(tables.csv(step), step), step.value)
    assert equal_bits(np.load(BytesIO(tables.npy(step))), step.value)
    assert tables.markdown(step)
    assert tables.latex(step)


def test_markdown() -> None:
    trace = txviz.trace("sentence-guide", "The cat sat.")
    head, rule, *rows = tables.markdown(trace["embed.sum"]).splitlines()
    assert (head, rule) == ("|  | 0 | 1 | 2 |", "| :-- | --: | --: | --: |")
    assert rows[2] == "| cat | 0.8 | 0.3 | −0.5 |"
    assert rows[0].startswith(r"| \[CLS\] |")


def test_latex() -> None:
    trace = txviz.trace("masked-attention-guide", "YOUR CAT IS A LOVELY CAT")
    lines = tables.latex(trace["decoder.0.self_attention.masked"]).splitlines()
    assert lines[1:4] == [r"\begin{tabular}{lrrrrrr}", r"\toprule", r" & YOUR & CAT & IS & A & LOVELY & CAT \\"]
    assert lines[5].startswith(r"YOUR & $-1.3168$ & $-\infty$ &")
    assert lines[-2:] == [r"\bottomrule", r"\end{tabular}"]


def test_the_head_that_is_asked_for() -> None:
    trace = txviz.trace("digits", find("digits").example)
    for name in ("encoder.0.attention.query", "encoder.0.attention.scores"):
        step = trace[name]
        written = re.findall(r"−?\d+\.\d+", tables.markdown(step, (2,)))
        numbers = [float(text.replace("−", "-")) for text in written]
        assert numbers == pytest.approx(step.value[2].ravel().tolist(), abs=1e-4)


def test_small_numbers_and_labels_that_make_trouble() -> None:
    labels = STRANGE
    step = Run({}).given("x", np.full((1, len(labels)), -1.25e-9), axes="token word", labels={"word": labels})
    latex = tables.latex(step)
    assert r"$-1.25 \times 10^{-9}$" in latex
    body = latex.split("\n", 1)[1].replace(r"\\", "")
    assert body.count("&") - body.count(r"\&") == 2 * len(labels)
    assert not re.search(r"(?<!\\)[#%]", body)
    head = tables.markdown(step).splitlines()[0]
    assert len(re.findall(r"(?<!\\)\|", head)) == len(labels) + 2
    assert r"\<b\>&amp;" in head
    assert next(csv.reader(StringIO(tables.csv(step))))[1:] == list(labels)


@pytest.mark.parametrize("word", ["=1+1", "+1", "-1", "@x"])
def test_a_word_that_looks_like_a_formula_stays_a_word(word: str) -> None:
    """A spreadsheet computes cells that begin so; what somebody typed must not run there."""
    run = Run({})
    step = run.given("values", np.zeros((1, 2)), axes="token feature", labels={"token": (word,)})
    assert f"'{word},0.0,0.0" in tables.csv(step)
