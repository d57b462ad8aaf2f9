"""TikZ, compiled by pdfLaTeX and read back by poppler; those tests are skipped where there is no pdflatex."""

from __future__ import annotations

import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from tests.figures import shipped
from tests.figures.writers import drawn, tools
from txviz.cli import main
from txviz.figures.marks import Figure, Heat, Shape, Text
from txviz.figures.metadata import Metadata
from txviz.figures.writers.tex import escaped
from txviz.figures.writers.tikz import MOST_CELLS, tikz
from txviz.trace import Trace

needs_latex = tools.needs("pdflatex", "texlive-latex-base texlive-pictures texlive-fonts-recommended")

PAPER = r"""\documentclass[twocolumn]{article}
\usepackage{mathptmx,amsmath,amssymb,tikz}
\begin{document}
%s
\end{document}
"""


def compiled(folder: Path, source: str) -> bytes:
    """As pdfLaTeX makes it of a file, without one complaint that would stop it."""
    made = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", source], cwd=folder, capture_output=True, check=False
    )
    assert made.returncode == 0, made.stdout.decode(errors="replace")[-1500:]
    return (folder / Path(source).with_suffix(".pdf").name).read_bytes()


def words(figure: Figure) -> list[str]:
    marks = list(figure.flat())
    found = [mark.text for mark in marks if isinstance(mark, Text)]
    return found + [text for mark in marks if isinstance(mark, Heat) for text in mark.texts]


def numbers(text: str) -> list[str]:
    return sorted(re.findall(r"\d+\.\d+", text))


def page_size(file: bytes) -> tuple[float, float]:
    told = subprocess.run(["pdfinfo", "-"], input=file, stdout=subprocess.PIPE, check=True).stdout.decode()
    found = re.search(r"Page size: +([\d.]+) x ([\d.]+)", told)
    assert found
    assert re.search(r"Pages: +1\n", told)
    return float(found[1]), float(found[2])


def test_colours_are_defined_once_and_braces_match(example: Trace) -> None:
    for figure in drawn.some(example):
        text = tikz(figure)
        defined = re.findall(r"\\definecolor\{(txviz[0-9A-F]{6})\}", text)
        assert len(defined) == len(set(defined))
        assert set(re.findall(r"txviz[0-9A-F]{6}\b", text)) == set(defined)
        plain = re.sub(r"\\[{}]", "", text)
        assert plain.count("{") == plain.count("}")
        assert text == tikz(figure)


def test_every_text_and_formula_is_there() -> None:
    figure = drawn.scores()
    text = tikz(figure)
    for each in filter(str.strip, words(figure)):
        assert f"{escaped(each)}}}}};" in text
    (formula,) = [mark.latex for mark in figure.flat() if isinstance(mark, Shape) and mark.latex]
    assert rf"$\displaystyle {formula}$" in text


def _code(figure: Figure) -> str:
    """Without its comments."""
    return "\n".join(line for line in tikz(figure).splitlines() if not line.startswith("%"))


def test_what_is_written_is_plain_ascii_but_for_letters_that_only_newer_engines_have() -> None:
    for figure in (drawn.scores(), drawn.masked(), drawn.strange()):
        assert re.sub(r"\\txvizsign\{([0-9A-F]{4,6})\}\{.?\}", r"\1", _code(figure)).isascii()
    assert escaped("ﬁ") == r"\txvizsign{FB01}{ﬁ}"
    assert escaped("−1.5 × 10⁻³ → naïve 50 %") == r"$-$1.5 $\times$ 10$^{-}$$^{3}$ $\to$ na\"{\i}ve 50 \%"
    assert "y=-0.75bp" in tikz(drawn.scores()), "down is down"


def test_a_grid_with_very_many_cells_is_drawn_coarser() -> None:
    columns = 4 * MOST_CELLS // 100
    heat = Heat(0, 0, 1, 1, 100, columns, bytes([200, 100, 50]) * 100 * columns)
    written = tikz(Figure(columns, 100, "#ffffff", (heat,)))
    lines = [line for line in written.splitlines() if line.startswith("\\txvizcell")]
    assert MOST_CELLS * 0.9 < len(lines) <= MOST_CELLS
    assert {line[10:18] for line in lines} == {"{C86432}"}


@needs_latex
@tools.needs("pdftotext", "poppler-utils")
def test_it_compiles_on_its_own_and_looks_the_same_size(tmp_path: Path) -> None:
    for name, figure in {"scores": drawn.scores(), "masked": drawn.masked(), "marks": drawn.every_mark()}.items():
        (tmp_path / f"{name}.tikz").write_text(tikz(figure, Metadata("50 % of {it}", "two\nlines")), encoding="utf-8")
        made = compiled(tmp_path, f"{name}.tikz")
        assert page_size(made) == pytest.approx((figure.width * 0.75, figure.height * 0.75), abs=0.1)
        assert numbers(tools.pdftotext(made)) == numbers(" ".join(words(figure)))


@needs_latex
@tools.needs("pdftoppm", "poppler-utils")
def test_cells_have_their_colours_where_they_stand(tmp_path: Path) -> None:
    figure = drawn.masked()
    (tmp_path / "x.tikz").write_text(tikz(figure), encoding="utf-8")
    image = tools.pdftoppm(compiled(tmp_path, "x.tikz"))
    heats = [mark for mark in figure.flat() if isinstance(mark, Heat) and mark.rows > 1]
    for heat in heats:
        for cell in set(range(heat.rows * heat.columns)) - set(heat.hatched):
            row, column = divmod(cell, heat.columns)
            x, y = heat.x + (column + 0.1) * heat.cell_width, heat.y + (row + 0.1) * heat.cell_height
            wanted = tuple(heat.colours[3 * cell : 3 * cell + 3])
            assert image[round(2 * y), round(2 * x)] == pytest.approx(wanted, abs=3)


@needs_latex
@tools.needs("pdffonts", "poppler-utils")
def test_in_a_paper_it_has_the_paper_s_fonts(tmp_path: Path) -> None:
    for name in ("a", "b"):
        arguments = ["export", "sentence-guide", "The cat sat.", "--steps", "*.weights", "--preset", "column"]
        assert main([*arguments, "--format", "tikz", "-o", str(tmp_path / f"{name}.tex")]) == 0
    (tmp_path / "paper.tex").write_text(PAPER % "\\input{a.tex}\\par\\input{b.tex}", encoding="utf-8")
    made = compiled(tmp_path, "paper.tex")
    fonts = subprocess.run(["pdffonts", "-"], input=made, stdout=subprocess.PIPE, check=True).stdout.decode()
    assert "NimbusRomNo9L" in fonts, "Times, as the paper has it"
    assert "Plex" not in fonts
    assert tools.pdftotext(made).count("[CLS]") == 2 * 4, "rows and columns of scores and weights"


@needs_latex
@tools.needs("pdftotext", "poppler-utils")
def test_strange_words_are_escaped(tmp_path: Path) -> None:
    strange = [*drawn.STRANGE, "naïve Škoda l’été", "½ ŷ ᵀ"]
    marks = (Text(10, 30 + 30 * k, text, 12, "#000000") for k, text in enumerate(strange))
    figure = Figure(900, 400, "#ffffff", tuple(marks))
    (tmp_path / "x.tikz").write_text(tikz(figure), encoding="utf-8")
    read = tools.pdftotext(compiled(tmp_path, "x.tikz"))
    assert "<b>&" in read
    assert "U+4F60" in read, "what pdfLaTeX has no letter for is shown as its number"
    assert "]]>" in read
    assert "Donaudampfschi" in read


@needs_latex
def test_every_formula_of_every_kind_of_run_compiles(tmp_path: Path) -> None:
    runs = [shipped.trace(kind) for kind in shipped.KINDS]
    formulas = sorted({step.formula for run in runs for step in run})
    assert len(formulas) > 200
    body = "\n\n".join(rf"$\displaystyle {formula}$" for formula in formulas)
    (tmp_path / "all.tex").write_text(PAPER % body, encoding="utf-8")
    compiled(tmp_path, "all.tex")


@needs_latex
@pytest.mark.parametrize("view", ["map", "attention-block"])
def test_levels_compile(tmp_path: Path, view: str) -> None:
    path = tmp_path / "level.tikz"
    what = ["--steps", "encoder.0.*"] if view != "map" else []
    assert main(["export", "translator", "I love you", "--view", view, *what, "-o", str(path)]) == 0
    compiled(tmp_path, "level.tikz")


def test_a_figure_of_another_size_has_another_page() -> None:
    figure = drawn.scores()
    assert "paperwidth=720bp" in tikz(figure)
    assert "paperwidth=75bp" in tikz(replace(figure, width=100))
