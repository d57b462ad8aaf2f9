"""PDF: its frame read here, its pages and its words by poppler."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import txviz
from tests.figures.writers import drawn, tools
from tests.figures.writers.test_svg import texts
from txviz import resources
from txviz.errors import TxvizError
from txviz.figures.marks import Figure
from txviz.figures.writers.pdf import pdf
from txviz.figures.writers.png import png
from txviz.trace import Trace


def test_pages_have_the_sizes_of_the_figures() -> None:
    file = pdf([drawn.scores(), drawn.every_mark(), drawn.large()])
    assert file.startswith(b"%PDF-")
    assert file.endswith(b"%%EOF\n")
    sizes = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", file)
    assert [tuple(map(float, size)) for size in sizes] == [(720, 450), (150, 90), (150, 135)]


def test_the_same_bytes_another_second() -> None:
    first = pdf([drawn.scores()])
    time.sleep(1.01)
    assert pdf([drawn.scores()]) == first


def test_the_same_bytes_in_another_process_and_from_another_folder(tmp_path: Path) -> None:
    """Some tries: with two or three fonts, chance would have the same order every so often."""
    script = """
import sys
import txviz
from txviz.figures.writers.pdf import pdf
trace = txviz.trace("masked-attention-guide", "YOUR CAT")
pages = [txviz.figure(step).marks for step in trace]
sys.stdout.buffer.write(pdf(pages))
"""
    package = Path(txviz.__file__).parent
    elsewhere = tmp_path / "elsewhere"
    shutil.copytree(package, elsewhere / "txviz", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(resources.path("fonts").parent, elsewhere / "resources")
    files = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONPATH": str(folder)},
            capture_output=True,
            check=True,
        ).stdout
        for folder in (package.parent, elsewhere)
        for _ in range(3)
    }
    assert len(files) == 1


def test_what_the_file_counts_is_where_it_says() -> None:
    file = pdf([drawn.scores()])
    table = int(re.findall(rb"startxref\s+(\d+)", file)[-1])
    assert file[table:].startswith(b"xref")
    places = [int(place) for place in re.findall(rb"(\d{10}) \d{5} n", file[table:])]
    assert all(re.match(rb"\d+ 0 obj", file[place:]) for place in places)


def test_fonts_are_inside() -> None:
    file = pdf([drawn.scores()])
    names = set(re.findall(rb"/FontName /\w+\+([\w-]+)", file))
    assert file.count(b"/FontFile2") == len(names) == 3, names


def test_one_figure_at_a_time_so_that_it_can_be_stopped() -> None:
    asked: list[int] = []

    def figures() -> Iterator[Figure]:
        for k in range(10):
            asked.append(k)
            if k == 3:
                raise InterruptedError
            yield drawn.every_mark()

    with pytest.raises(InterruptedError):
        pdf(figures())
    assert asked == [0, 1, 2, 3]


def test_nothing_to_write() -> None:
    with pytest.raises(TxvizError, match="no figure"):
        pdf([])


def test_words_that_make_trouble() -> None:
    assert pdf([drawn.strange()]) == pdf([drawn.strange()])


@tools.needs("pdftotext", "poppler-utils")
def test_words_and_numbers_are_text(example: Trace) -> None:
    for figure in drawn.some(example):
        found = tools.pdftotext(pdf([figure]))
        written, read = (Counter(re.sub(r"\s", "", text)) for text in ("".join(texts(figure)), found))
        assert not written - read, "some letters or digits are missing"
        words = {word for text in texts(figure) for word in text.split()}
        assert len(words - set(found.split())) <= len(words) * 0.1  # turned words come in pieces


def assert_looks_like_the_png(figure: Figure) -> None:
    assert tools.difference(tools.pdftoppm(pdf([figure])), tools.pixels(png(figure))) < tools.TOLERANCE


@tools.needs("pdftoppm", "poppler-utils")
@pytest.mark.parametrize("make", [drawn.scores, drawn.masked, drawn.large, drawn.every_mark, drawn.strange])
def test_it_looks_like_the_png(make: Callable[[], Figure]) -> None:
    assert_looks_like_the_png(make())


@tools.needs("pdftoppm", "poppler-utils")
def test_shipped_models_look_like_the_png(example: Trace) -> None:
    assert_looks_like_the_png(drawn.one(example))
