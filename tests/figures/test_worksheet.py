"""Worksheets: what is blank, what is given, and the answers, against the trace; the file is read by poppler."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.figures import shipped
from txviz.errors import TxvizError
from txviz.figures.export import Export, export
from txviz.figures.marks import Box, Figure, Heat, Text
from txviz.figures.worksheet import A4, GAP, worksheet
from txviz.trace import Trace

ATTENTION = "encoder.0.attention."


@pytest.fixture(scope="module")
def trace() -> Trace:
    return shipped.trace("sentence-guide")


def pages(trace: Trace, depth: str, *names: str) -> list[Figure]:
    return list(worksheet(Export(trace, [trace[ATTENTION + name] for name in names], "pdf", worksheet=depth)))


def texts(page: Figure) -> list[str]:
    return [mark.text for mark in page.flat() if isinstance(mark, Text)]


def grids(page: Figure) -> list[Heat]:
    """From left to right, without the bar of colours."""
    return sorted((m for m in page.flat() if isinstance(m, Heat) and m.rows > 1), key=lambda mark: mark.x)


def empty(cells: Heat) -> list[int]:
    return [cell for cell, text in enumerate(cells.texts) if not text]


def test_some_cells_are_blank_and_their_arithmetic_has_gaps(trace: Trace) -> None:
    question, answer = pages(trace, "cells", "scores")
    step = trace[f"{ATTENTION}scores"]
    query, key, scores = grids(question)
    assert not empty(query)
    assert not empty(key)
    blank = empty(scores)
    assert len(blank) == 6
    assert all(scores.colours[3 * cell : 3 * cell + 3] == b"\xff\xff\xff" for cell in blank), "no colour tells it"
    gaps = [text for text in texts(question) if f"= {GAP}" in text]
    assert len(gaps) == 6
    assert gaps[0].endswith(f"= {GAP}×{GAP} + {GAP}×{GAP} + {GAP}×{GAP} = {GAP}")
    assert not empty(grids(answer)[2])
    for cell in blank:
        index = (0, *divmod(cell, 5))
        assert any(text.endswith(f" = {step.explain(index).text}") for text in texts(answer)), index
    framed = [mark for mark in answer.flat() if isinstance(mark, Box) and abs(mark.width - scores.cell_width) < 1e-6]
    assert len(framed) == 6


def test_how_many_terms_are_left_out_is_no_question() -> None:
    trace = shipped.trace("translator")
    step = trace["time.1.decoder.0.cross_attention.scores"]
    question, _ = worksheet(Export(trace, [step], "pdf", worksheet="cells"))
    said = " ".join(texts(question))
    assert "… 9 more terms …" in said
    assert f"… {GAP} more terms" not in said
    assert f"{GAP}×{GAP} + … 9 more" in said


@pytest.mark.parametrize(("kind", "leaf"), [("translator", "encoder.0.norm_1"), ("digits", "encoder.0.ffn.output")])
def test_nobody_is_asked_what_the_page_does_not_tell(kind: str, leaf: str) -> None:
    """The sum of 64 numbers can't be made from the 16 that have room."""
    trace = shipped.trace(kind)
    with pytest.raises(TxvizError, match="none of these steps fits on a worksheet"):
        next(worksheet(Export(trace, [trace[leaf]], "pdf", worksheet="cells")))


def test_all_that_a_task_needs_is_on_its_page() -> None:
    """Above all where a slide would be cropped."""
    trace = shipped.trace("vit-guide-2x2")
    made = list(worksheet(Export(trace, [trace["encoder.0.attention.scores"]], "pdf", worksheet="result")))
    assert [(cells.rows, cells.columns) for cells in grids(made[0]) if cells.texts] == [(10, 4), (10, 10), (4, 10)]


def test_whole_results(trace: Trace) -> None:
    first, second, *answers = pages(trace, "result", "scores", "weights")
    assert [len(empty(cells)) for cells in grids(first)] == [0, 0, 25]
    assert [len(empty(cells)) for cells in grids(second)] == [0, 25], "what it reads is given"
    assert [len(empty(cells)) for page in answers for cells in grids(page)] == [0] * 5
    assert not [text for text in texts(first) if f"= {GAP}" in text]


def test_of_a_block_only_inputs_and_weights_are_given(trace: Trace) -> None:
    node = trace.outline.find("encoder.0.attention")
    made = list(worksheet(Export(trace, [node], "pdf", worksheet="block")))
    first, *_ = made
    given, weight, result = grids(first)
    assert (len(empty(given)), len(empty(weight)), len(empty(result))) == (0, 0, 15)
    scores = next(page for page in made if any(text.endswith("attention · scores") for text in texts(page)))
    assert [len(empty(cells)) for cells in grids(scores)] == [15, 15, 25]
    titles = [text for page in made for text in texts(page) if " · attention · " in text]
    assert not [title for title in titles if title.endswith("· merged")], "nobody learns from copying"


def test_the_same_each_time_and_another_for_another_step(trace: Trace) -> None:
    once, again = (pages(trace, "cells", "scores", "weights") for _ in range(2))
    assert once == again
    assert empty(grids(once[0])[-1]) != empty(grids(once[1])[-1])


@pytest.mark.parametrize("depth", ["cells", "result", "block"])
@pytest.mark.parametrize("kind", ["vit-guide-2x2", "digits", "translator", "a training step of digits"])
def test_nothing_leaves_the_page(kind: str, depth: str) -> None:
    run = shipped.trace(kind)
    for page in worksheet(Export(run, list(run)[::9], "pdf", worksheet=depth)):
        assert (page.width, page.height) == A4
        for mark in page.flat():
            if isinstance(mark, Heat | Box):
                assert 0 <= mark.x <= mark.x + mark.width <= A4[0] + 1
                assert 0 <= mark.y <= mark.y + mark.height <= A4[1] + 1
            elif isinstance(mark, Text):
                assert 0 <= mark.y <= A4[1]


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"worksheet": "cells", "format": "png"}, "a worksheet is made as pdf, not as png"),
        ({"worksheet": "easy"}, 'no worksheet is called "easy"; there are cells, result, block'),
        ({"worksheet": "cells", "shown": ["tokens"]}, "none of these steps fits on a worksheet with its numbers"),
    ],
)
def test_what_is_wrong_is_said(trace: Trace, how: dict[str, Any], said: str, tmp_path: Path) -> None:
    shown = [trace[name] for name in how.pop("shown", [f"{ATTENTION}scores"])]
    with pytest.raises(TxvizError, match=said):
        export(Export(trace, shown, **{"format": "pdf", **how}), tmp_path / "x")
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not shutil.which("pdftotext"), reason="needs pdftotext (apt-get install poppler-utils)")
def test_another_program_reads_it(trace: Trace, tmp_path: Path) -> None:
    path = tmp_path / "cat.pdf"
    export(Export(trace, [trace[f"{ATTENTION}scores"]], "pdf", worksheet="result"), path)
    read = subprocess.run(["pdftotext", "-layout", path, "-"], capture_output=True, text=True, check=True).stdout
    question, answer, *_ = read.split("\f")
    printed = f"{trace[f'{ATTENTION}scores'].value[0, 2, 2]:.2f}"
    assert printed == "0.98"
    assert printed not in question
    assert answer.count(printed) > 1
