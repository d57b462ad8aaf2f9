"""A figure in a notebook: what it is told to show, read as HTML and measured in a browser."""

from __future__ import annotations

from base64 import b64decode
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

import txviz
from tests.figures.writers.chromium import PROGRAM, Browser


class Images(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[dict[str, str | None]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag == "img"
        self.found.append(dict(attrs))


def image(text: str) -> dict[str, str]:
    (found,) = Images(text).found
    return {name: value or "" for name, value in found.items()}


def test_it_is_an_image_with_words_for_who_can_not_see_it() -> None:
    trace = txviz.trace("sentence-guide", "The cat sat.")
    step = trace["encoder.0.attention.scores"]
    shown = image(txviz.figure(step, cell=(0, 2, 4), title='<b>"me"</b>')._repr_html_())
    assert shown["alt"].startswith('<b>"me"</b>. ')
    assert step.text in shown["alt"]
    assert step.explain((0, 2, 4)).text in shown["alt"]
    drawn = ElementTree.fromstring(b64decode(shown["src"].partition(",")[2]))
    assert "cat" in {text.text for text in drawn.iter("{http://www.w3.org/2000/svg}text")}
    assert "into one vector" in image(txviz.figure(trace)._repr_html_())["alt"], "a map says what it is for, too"


@pytest.mark.skipif(PROGRAM is None, reason="needs chromium")
def test_it_is_as_wide_as_its_cell(tmp_path: Path) -> None:
    drawn = txviz.figure(txviz.trace("sentence-guide", "The cat sat."))._repr_html_()
    page = tmp_path / "page.html"
    page.write_text(f'<div id="cell" style="width: 500px">{drawn}</div>', encoding="utf-8")
    browser = Browser(tmp_path / "chromium")
    try:
        browser.call("Page.navigate", url=page.as_uri())
        browser.wait("document.images.length && document.images[0].complete")
        size = "[document.images[0].clientWidth, document.images[0].clientHeight]"
        assert browser.evaluate(size) == [500, round(500 * 720 / 1280)]
        browser.evaluate("document.getElementById('cell').style.width = '1800px'")
        assert browser.evaluate(size) == [1280, 720], "no larger than it is"
    finally:
        browser.close()
