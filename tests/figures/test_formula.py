"""Formulas in mathematical type: every formula that ships can be typeset, and lies inside its box."""

from __future__ import annotations

import re
from typing import Any

import pytest

import txviz
from tests.figures.shipped import KINDS, trace
from tests.models.checkpoints.reference import ALL, path, source
from txviz.figures.formula import SIZE, Formula, typeset
from txviz.models import find


def glyphs(formula: Formula) -> int:
    """How many closed contours the outline has."""
    return sum(kind == "M" for kind, _ in formula.outline)


def check(latex: str) -> None:
    formula = typeset(latex)
    assert formula.width > 0
    assert formula.ascent > 0
    assert formula.descent >= -SIZE / 2
    assert 0 < formula.ascent + formula.descent < 5 * SIZE
    assert formula.outline[0][0] == "M"
    assert formula.outline[-1] == ("Z", ())
    for kind, points in formula.outline:
        assert len(points) == {"M": 2, "L": 2, "Q": 4, "C": 6, "Z": 0}[kind]
        assert all(-1e-6 <= x <= formula.width + 1e-6 for x in points[::2])
        assert all(-formula.ascent - 1e-6 <= y <= formula.descent + 1e-6 for y in points[1::2])


@pytest.mark.parametrize("kind", KINDS)
def test_every_formula_that_ships(kind: str) -> None:
    for latex in {step.formula for step in trace(kind)}:
        check(latex)


@pytest.mark.parametrize("name", ALL)
def test_every_formula_of_checkpoints(name: str) -> None:
    """Their queries may have an index already."""
    for latex in {step.formula for step in txviz.trace(path(name), source(name))}:
        check(latex)


@pytest.mark.parametrize("name", ["digits", "translator", "writer", "sentence"])
def test_every_example_has_formulas(name: str) -> None:
    """Longer sentences have other indices, and nothing else that is new."""
    for example in find(name).examples[:3]:
        options: dict[str, Any] = {"max_steps": 2} if name in ("translator", "writer") else {}
        for latex in {step.formula for step in txviz.trace(name, example, **options)}:
            check(latex)


@pytest.mark.parametrize("kind", KINDS)
def test_formulas_read_well(kind: str) -> None:
    for step in trace(kind):
        left, _, right = step.formula.partition(" = ")
        assert left.count("{") == left.count("}")
        assert step.formula.count("{") == step.formula.count("}")
        assert left != right, f"{step.name} says nothing: {step.formula}"
        assert (right == "") == (step.op == "given")
        bare = re.sub(r"\\(mathrm|begin|end)\{[^}]*\}|\\[a-zA-Z]+", "", step.formula)
        assert not re.search(r"[A-Za-z]{3}", bare), f"a word in italics: {step.formula}"


def test_a_fraction_has_a_bar() -> None:
    fraction, plain = typeset(r"\frac{a}{b}"), typeset("a b")
    assert glyphs(fraction) == glyphs(plain) + 1
    assert fraction.ascent + fraction.descent > plain.ascent + plain.descent


def test_longer_formulas_have_more_in_them() -> None:
    assert glyphs(typeset("Q K V")) > glyphs(typeset("Q K"))
    assert typeset("Q K V").width > typeset("Q K").width


def test_accents_and_indices_reach_further() -> None:
    assert typeset(r"\hat{S}").ascent > typeset("S").ascent
    assert typeset("S_j").descent > typeset("S").descent


def test_the_baseline() -> None:
    """A capital stands on it; a tail hangs below."""
    assert typeset("H").descent == pytest.approx(0, abs=0.3)
    assert typeset("p").descent > SIZE / 10


@pytest.mark.parametrize(
    ("kind", "name", "formula"),
    [
        ("sentence-guide", "tokens", "t"),
        ("sentence-guide", "embed.positions", r"P = P_{\mathrm{table}}[0 \ldots 4]"),
        ("sentence-guide", "encoder.0.residual_2", "r_2 = x + F"),
        ("digits", "encoder.1.residual_1", "r_1 = r_2^{(0)} + O"),
        ("translator", "time.1.head.last", r"z_{\mathrm{last}} = z[T - 1]"),
        ("translator", "time.1.choice.probability", r"\Pr(\hat{y}) = p_{\hat{y}}"),
        ("translator", "embed.scaled", r"\hat{e} = \sqrt{64} \, e"),
        (
            "translator",
            "time.1.decoder.0.cross_attention.key_projection",
            r"\bar{K} = y^{\mathrm{enc}} \, W_K + b_K",
        ),
        (
            "masked-attention-guide",
            "decoder.0.self_attention.causal",
            r"M_{ij} = \begin{cases}0 & j \le i \\ -\infty & j > i\end{cases}",
        ),
        ("sentence", "similarity.cosine", r"s = \hat{c}^{\mathrm{1st}} \cdot \hat{c}^{\mathrm{2nd}}"),
        (
            "a training step of digits",
            "backward.encoder.1.residual_1",
            r"\nabla r_1 = \nabla r_1^{\leftarrow r_2} + \nabla r_1^{\leftarrow y_2}",
        ),
        (
            "a training step of digits",
            "update.head.bias",
            r"b_{\mathrm{head}}' = b_{\mathrm{head}} - "
            r"5 \cdot 10^{-5} \, \left(\frac{m / 0.1}{\sqrt{v / 0.01} + 10^{-8}} + 0.03 \, b_{\mathrm{head}}\right)",
        ),
    ],
)
def test_how_some_are_written(kind: str, name: str, formula: str) -> None:
    assert trace(kind)[name].formula == formula
