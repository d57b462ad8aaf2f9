"""SVG and PDF for other machines and other programs: without the fonts, without a background, with a table of pages."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import txviz
from tests.figures.writers import drawn, tools
from tests.figures.writers.chromium import PROGRAM, Browser
from txviz.cli import main
from txviz.errors import TxvizError
from txviz.figures import fonts
from txviz.figures.export import Export, content, export
from txviz.figures.marks import Figure, Text
from txviz.figures.presets import PAPER_COLUMN, SCREEN, SLIDE
from txviz.figures.theme import DARK
from txviz.figures.writers.outlines import outlined
from txviz.figures.writers.png import png
from txviz.figures.writers.svg import svg
from txviz.trace import Trace

SVG = "{http://www.w3.org/2000/svg}"
NO_FONTS = "<fontconfig><dir>{}</dir><cachedir>{}</cachedir></fontconfig>"


@pytest.fixture(scope="module")
def trace() -> Trace:
    return txviz.trace("sentence-guide", "The cat sat.")


def scores(trace: Trace) -> Export:
    return Export(trace, [trace["encoder.0.attention.scores"]], "svg", SCREEN, cell=(0, 2, 4), caption="<Below> & more")


def test_a_drawing_has_a_title_and_a_description(trace: Trace) -> None:
    root = ElementTree.fromstring(content(scores(trace)))
    title, description = root[0], root[1]
    assert (title.tag, description.tag) == (f"{SVG}title", f"{SVG}desc")
    assert title.text == "Attention scores: who fits whom (encoder 0 · attention · scores)"
    said = str(description.text).splitlines()
    assert said[0].startswith("How well each query (row) fits each key (column)")
    assert said[1:] == ["scores[head 0, cat, .] = 0.8×0.1 + 0.3×0.1 + (−0.5)×0.2 = 0.01", "<Below> & more"]
    assert root.get("role") == "img"


def test_without_a_background_there_is_none(trace: Trace) -> None:
    wanted = replace(scores(trace), cell=None, caption="")
    filled, clear = (ElementTree.fromstring(content(replace(wanted, transparent=t))) for t in (False, True))
    of_the_page = [rect for rect in filled.iter(f"{SVG}rect") if rect.get("width") == "960"]
    assert len(of_the_page) == 1
    assert not [rect for rect in clear.iter(f"{SVG}rect") if rect.get("width") == "960"]
    assert len(list(clear.iter())) == len(list(filled.iter())) - 1


@tools.needs("rsvg-convert", "librsvg2-bin")
@pytest.mark.parametrize("make", [drawn.scores, drawn.masked, drawn.every_mark])
def test_outlines_look_the_same_where_there_is_no_font_at_all(make: Callable[[], Figure], tmp_path: Path) -> None:
    figure = make()
    document = svg(outlined(figure))
    assert "<text" not in document
    (tmp_path / "empty").mkdir()
    settings = tmp_path / "fonts.conf"
    settings.write_text(NO_FONTS.format(tmp_path / "empty", tmp_path / "cache"))
    drawn_there = subprocess.run(
        ["rsvg-convert", "--zoom", "2"],
        input=document.encode(),
        capture_output=True,
        check=True,
        env={"FONTCONFIG_FILE": str(settings)},
    ).stdout
    assert tools.difference(tools.pixels(drawn_there), tools.pixels(png(figure))) < tools.TOLERANCE


def test_outlines_are_chosen_on_the_command_line(tmp_path: Path) -> None:
    asked = ["export", "sentence-guide", "The cat sat.", "--steps", "*.scores", "--text"]
    for text in ("text", "outlines"):
        assert main([*asked, text, "-o", str(tmp_path / f"{text}.svg")]) == 0
    assert "<text" in (tmp_path / "text.svg").read_text()
    assert "<text" not in (tmp_path / "outlines.svg").read_text()


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    found = Browser(tmp_path_factory.mktemp("browser"))
    yield found
    found.close()


@pytest.mark.skipif(PROGRAM is None, reason="needs chromium")
def test_texts_are_as_wide_as_they_should_be_in_any_font(browser: Browser, tmp_path: Path) -> None:
    """In a monospaced one, which is far wider, no word is longer than in ours."""
    words = ("Attention scores: who fits whom", "5×3 · query × feature", "[CLS]", "−0.98", "naïve “cafés” – 100 %")
    marks = tuple(Text(20, 40 * i + 30, word, 16, "#000000") for i, word in enumerate(words))
    document = svg(Figure(600, 300, "#ffffff", marks))
    document = re.sub(r'font-family="[^"]*"', 'font-family="monospace"', document)
    (tmp_path / "a.svg").write_text(document, encoding="utf-8")
    browser.call("Page.navigate", url=(tmp_path / "a.svg").as_uri())
    browser.wait("document.querySelectorAll('text').length == 5")
    wide = browser.evaluate("[...document.querySelectorAll('text')].map((t) => t.getBBox().width)")
    assert wide == pytest.approx([fonts.width(word, 16) for word in words], abs=1.0)


@pytest.mark.skipif(PROGRAM is None, reason="needs chromium")
def test_a_page_has_the_caption_and_opens_at_the_cell(trace: Trace, browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_bytes(content(replace(scores(trace), format="html", provenance=True)))
    browser.open(path)
    assert browser.text("#caption") == "<Below> & more"
    assert browser.text("#provenance").startswith("21 of 21 steps replayed")
    browser.wait("document.querySelector('#cell').textContent.includes('pinned')")
    assert "scores[head 0, cat, .] = 0.8×0.1 + 0.3×0.1 + (−0.5)×0.2 = 0.01" in browser.text("#cell")
    path.write_bytes(content(Export(trace, [trace["pool.mean"]], "html", SCREEN)))
    browser.open(path)
    hidden = "['caption', 'provenance'].map((name) => document.getElementById(name).hidden)"
    assert browser.evaluate(hidden) == [True, True]


def test_what_is_measured_is_in_the_fonts() -> None:
    """A letter that is missing is drawn as a box, and all boxes are the same."""
    from txviz.figures.writers.svg import _MEASURED

    letters = [chr(n) for n in range(0x20, 0x3000) if _MEASURED.fullmatch(chr(n) * 2) and not chr(n).isspace()]
    for kind in ("regular", "bold", "mono"):
        missing = _drawn("\uffff", kind)
        found = [letter for letter in letters if letter != "\xad" and np.array_equal(_drawn(letter, kind), missing)]
        assert found == []


def _drawn(letter: str, kind: str) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    return np.array(fonts._face(kind).getmask(letter), np.uint8)


# PDF


def outline_of(path: Path) -> list[tuple[int, str]]:
    """The bookmarks as poppler reads them."""
    read = subprocess.run(["pdftohtml", "-xml", "-stdout", "-i", str(path)], capture_output=True, check=True).stdout
    root = ElementTree.fromstring(re.sub(rb"<!DOCTYPE[^>]*>", b"", read))
    return [(int(item.get("page", 0)), str(item.text)) for item in root.iter("item")]


def info_of(path: Path) -> dict[str, str]:
    read = subprocess.run(["pdfinfo", str(path)], capture_output=True, check=True).stdout.decode()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in read.splitlines())}


@tools.needs("pdftohtml", "poppler-utils")
def test_a_document_has_a_title_bookmarks_and_its_command(trace: Trace, tmp_path: Path) -> None:
    path = tmp_path / "all.pdf"
    export(Export(trace, list(trace), "pdf", SLIDE), path)
    found = outline_of(path)
    assert [page for page, _ in found] == list(range(1, 22))
    assert found[10][1] == "Attention scores: who fits whom (encoder 0 · attention · scores)"
    said = info_of(path)
    assert said["Title"] == "Guide: a sentence as a vector"
    assert said["Subject"] == "txviz export sentence-guide 'The cat sat.' -o sentence-guide.pdf"
    assert said["Pages"] == "21"


@tools.needs("pdftohtml", "poppler-utils")
def test_one_page_has_no_bookmarks(trace: Trace, tmp_path: Path) -> None:
    path = tmp_path / "one.pdf"
    export(replace(scores(trace), format="pdf"), path)
    assert outline_of(path) == []
    assert info_of(path)["Title"] == "Attention scores: who fits whom (encoder 0 · attention · scores)"


def test_the_table_of_a_file_with_bookmarks_is_right(trace: Trace) -> None:
    """Each entry points to its object, in the table that was added and in the one before."""
    file = content(Export(trace, list(trace)[:5], "pdf", PAPER_COLUMN))
    assert file == content(Export(trace, list(trace)[:5], "pdf", PAPER_COLUMN))
    tables = [int(place) for place in re.findall(rb"startxref\s+(\d+)", file)]
    assert int(re.findall(rb"/Size \d+ /Prev (\d+)", file)[-1]) == tables[0]
    for table in tables:
        assert file[table:].startswith(b"xref")
    sections = re.findall(rb"(\d+) 1\n(\d{10}) 00000 n ", file[tables[1] :])
    assert len(sections) == 8  # what it says, its catalogue, and five pages in one list
    for number, place in sections:
        assert file[int(place) :].startswith(number + b" 0 obj\n")


@tools.needs("pdftotext", "poppler-utils")
def test_a_file_for_each_step(trace: Trace, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["export", "sentence-guide", "The cat sat.", "--steps", "embed.*", "--format", "pdf", "--separate"]
    assert main([*asked, "-o", str(tmp_path / "pages")]) == 0
    files = sorted((tmp_path / "pages").iterdir())
    assert [path.name for path in files] == ["002-embed.tokens.pdf", "003-embed.positions.pdf", "004-embed.sum.pdf"]
    assert "Positions: where each token stands" in tools.pdftotext(files[1].read_bytes())
    assert main([*asked[:-2], "html", "--separate", "-o", str(tmp_path / "a.html")]) == 2
    assert "html has all figures in one file; pdf can have one for each" in capsys.readouterr().err


def test_text_of_another_kind_is_refused(trace: Trace) -> None:
    with pytest.raises(TxvizError, match="it can be text or outlines"):
        export(replace(scores(trace), text="shapes"), Path("a.svg"))


@tools.needs("pdftoppm", "poppler-utils")
def test_a_page_without_a_background(trace: Trace) -> None:
    dark = Export(trace, [trace["pool.mean"]], "pdf", SCREEN.themed(DARK))
    filled, clear = (tools.pdftoppm(content(replace(dark, transparent=t)))[0, 0] for t in (False, True))
    assert clear.tolist() == [255, 255, 255]
    assert filled.tolist() != [255, 255, 255]
