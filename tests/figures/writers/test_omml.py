"""Formulas as Office writes them: nothing that LaTeX says is lost on the way, for every formula that is shown."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from tests.figures import shipped
from txviz.figures.writers.omml import SPACES, omml

M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"


def read(latex: str) -> ElementTree.Element:
    return ElementTree.fromstring(f"<m:oMath {SPACES}>{omml(latex)}</m:oMath>")


@pytest.mark.parametrize(
    ("latex", "kind", "parts"),
    [
        (r"\frac{a}{b}", "f", {"num": "a", "den": "b"}),
        ("x_i", "sSub", {"e": "x", "sub": "i"}),
        ("x^2", "sSup", {"e": "x", "sup": "2"}),
        ("x_i^2", "sSubSup", {"e": "x", "sub": "i", "sup": "2"}),
        (r"\sqrt{d}", "rad", {"deg": "", "e": "d"}),
        (r"\overline{ab}", "bar", {"e": "ab"}),
    ],
)
def test_what_is_built(latex: str, kind: str, parts: dict[str, str]) -> None:
    (made,) = read(latex)
    assert made.tag == M + kind
    assert {part.tag.removeprefix(M): "".join(part.itertext()) for part in made if not part.tag.endswith("Pr")} == parts


def test_accents_brackets_and_cases() -> None:
    (accent,) = read(r"\hat{x}")
    assert [each.get(M + "val") for each in accent.iter(M + "chr")] == ["\u0302"]
    (bracket,) = read(r"\left(a + b\right)")
    assert bracket.tag == M + "d"
    assert [each.get(M + "val") for name in ("begChr", "endChr") for each in bracket.iter(M + name)] == ["(", ")"]
    (cases,) = read(r"\begin{cases}a & b \\ c & d\end{cases}")
    assert [each.get(M + "val") for name in ("begChr", "endChr") for each in cases.iter(M + name)] == ["{", ""]
    assert [["".join(cell.itertext()) for cell in row] for row in cases.iter(M + "mr")] == [["a", "b"], ["c", "d"]]
    assert [each.get(M + "val") for each in cases.iter(M + "count")] == ["2"]


def test_words_are_upright_and_one_run() -> None:
    run, letter = read(r"\mathrm{softmax} x")
    assert ("".join(run.itertext()), "".join(letter.itertext())) == ("softmax", "x")
    assert run.find(f"{M}rPr/{M}sty") is not None
    assert letter.find(f"{M}rPr") is None
    assert omml("x", "<a:rPr/>") == '<m:r><a:rPr/><m:t xml:space="preserve">x</m:t></m:r>'


@pytest.mark.parametrize("kind", shipped.KINDS)
def test_every_formula_keeps_every_letter(kind: str) -> None:
    """What MathML has as text, this has; signs of brackets and accents are attributes."""
    from latex2mathml.converter import convert

    for latex in {step.formula for step in shipped.trace(kind) if step.formula}:
        there = "".join(ElementTree.fromstring(convert(latex)).itertext())
        made = read(latex)
        attributes = "".join(e.get(M + "val", "") for name in ("chr", "begChr", "endChr") for e in made.iter(M + name))
        kept = "".join(made.itertext()) + attributes + "^~―¯" * len(latex)
        assert all(kept.count(letter) >= there.count(letter) for letter in set(there) if not letter.isspace()), latex
