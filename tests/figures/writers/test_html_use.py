"""The HTML page as a class uses it: links to a step and a cell, covered results, frames, paper, and by keys alone."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.figures.shipped import trace as shipped
from tests.figures.writers.chromium import CTRL, Browser
from tests.figures.writers.pages import at_step, cell_centre, drawn, odd_trace, whole
from tests.figures.writers.tools import needs, pdftotext
from txviz.figures.export import Export, content
from txviz.figures.views import VIEWS
from txviz.figures.writers.html import PAGE
from txviz.ops import Index
from txviz.ops.arithmetic import number

SCORES, WEIGHTS, BLOCK = "encoder.0.attention.scores", "encoder.0.attention.weights", "encoder.0.attention"
AXE = Path("build/axe-core/package/axe.min.js")
HASH = "location.hash"
TEXTS = "[...document.querySelectorAll('#figure text')].map((text) => text.textContent)"
COVERED = "[...document.querySelectorAll('#figure .covers text')].length"


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    odd = odd_trace()
    texts = {"guide": whole("sentence-guide"), "digits": whole("digits")}
    texts["odd"] = content(Export(odd, list(odd), "html", PAGE)).decode()
    for name, text in texts.items():
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    return {name: folder / f"{name}.html" for name in texts}


@pytest.fixture(autouse=True)
def _usual_window(request: pytest.FixtureRequest) -> Iterator[None]:
    yield
    if "browser" in request.fixturenames:
        browser: Browser = request.getfixturevalue("browser")
        browser.resize(1280, 800)
        complaints, browser.complaints = browser.complaints, []
        assert complaints == []


def at_address(browser: Browser, address: str) -> None:
    browser.wait(f"{HASH} === {json.dumps(address)}")


# --- addresses ---


def test_the_address_follows_and_the_browser_goes_back(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["guide"], f"#{SCORES}")
    browser.press("ArrowRight")
    at_address(browser, f"#{WEIGHTS}")
    browser.press("ArrowRight", CTRL)
    at_address(browser, f"#{WEIGHTS}/0,0,0")
    browser.press("ArrowRight")
    at_address(browser, f"#{BLOCK}.context")
    browser.evaluate("history.back()")
    at_step(browser, WEIGHTS)
    at_address(browser, f"#{WEIGHTS}/0,0,0")
    browser.wait("document.querySelector('#cell').textContent.startsWith('weights[')")
    browser.evaluate("history.back()")
    at_step(browser, SCORES)
    browser.evaluate("history.forward()")
    at_step(browser, WEIGHTS)


def test_an_address_leads_to_a_head_a_cell_and_a_plot(browser: Browser, pages: dict[str, Path]) -> None:
    step = shipped("digits")[WEIGHTS]
    browser.open(pages["digits"], f"#{WEIGHTS}/2,3,7")
    assert step.explain((2, 3, 7)).text in browser.text("#cell")
    browser.open(pages["digits"], f"#{WEIGHTS}/3")
    assert browser.text("#places span") == "head 3"
    browser.open(pages["digits"], f"#{WEIGHTS}:lines/1")
    assert browser.text("#views [aria-pressed=true]") == "Lines"
    assert "encoder 0 · attention · head 1" in browser.evaluate(TEXTS)
    assert browser.evaluate(HASH) == f"#{WEIGHTS}:lines/1"


@pytest.mark.parametrize(
    ("asked", "shown", "notice"),
    [
        ("#nowhere", "map", "There is no “nowhere” on this page; here is its beginning."),
        ("#%E0%A4%A", "map", "There is no “%E0%A4%A” on this page; here is its beginning."),
        ("#<img src=x onerror=alert(1)>", "map", "There is no “<img src=x onerror=alert(1)>” on this page"),
        (f"#{WEIGHTS}/9,9,9", WEIGHTS, f"{WEIGHTS} has no cell 9,9,9 on this page."),
        (f"#{WEIGHTS}/0,0,9", WEIGHTS, f"{WEIGHTS} has no cell 0,0,9 on this page."),
        (f"#{WEIGHTS}/cat", WEIGHTS, f"{WEIGHTS} has no cell cat on this page."),
        (f"#{WEIGHTS}:spectrum", WEIGHTS, f"{WEIGHTS} has no picture called “spectrum” on this page."),
    ],
)
def test_an_address_that_leads_nowhere_is_told(
    browser: Browser, pages: dict[str, Path], asked: str, shown: str, notice: str
) -> None:
    browser.open(pages["digits"], asked)
    at_step(browser, shown)
    browser.wait("!document.querySelector('#notice').hidden")
    assert browser.text("#notice").startswith(notice)
    at_address(browser, f"#{shown}")
    browser.press("ArrowRight")
    browser.wait("document.querySelector('#notice').hidden")


# --- levels and plots ---


def test_out_in_and_the_map_as_in_the_window(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["digits"], f"#{WEIGHTS}")
    for name in (BLOCK, "encoder.0", "encoder", "map"):
        browser.press("Backspace")
        at_step(browser, name)
    for name in ("encoder", "encoder.0", BLOCK, WEIGHTS):
        browser.press("Enter")
        at_step(browser, name)
    browser.press("m")
    at_step(browser, "map")
    browser.press("m")
    at_step(browser, WEIGHTS)


def test_every_plot_of_a_step_and_every_picture_of_a_level_is_there(browser: Browser, pages: dict[str, Path]) -> None:
    trace = shipped("digits")
    expected = [
        view.name for view in VIEWS.values() if view.plot and trace[WEIGHTS] in view.steps(trace, trace[WEIGHTS])
    ]
    expected.remove("tokens") if "tokens" in expected else None
    browser.open(pages["digits"], f"#{WEIGHTS}")
    seen: list[str] = []
    for _ in expected:
        browser.press("v")
        browser.wait(f"!{json.dumps(seen)}.includes({HASH}) && {HASH}.includes(':')")
        seen.append(browser.evaluate(HASH))
        assert browser.evaluate("document.querySelectorAll('#figure svg *').length") > 10
    assert seen == [f"#{WEIGHTS}:{name}" for name in expected]
    browser.press("v")
    at_address(browser, f"#{WEIGHTS}")
    browser.open(pages["digits"], "#map")
    names = browser.evaluate("[...document.querySelectorAll('#views button')].map((button) => button.textContent)")
    assert names == ["Map", "Layer by layer", "All heads", "On the image", "Cost", "Who brought it"]


def test_a_click_on_a_picture_beside_the_first_goes_there(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["digits"], f"#{BLOCK}:map")
    box = f"document.querySelector('a.spot[href=\"#{SCORES}\"] rect').getBoundingClientRect()"
    x, y = browser.evaluate(f"(({{right, top}}) => [right - 3, top + 3])({box})")
    browser.click(x, y)
    at_step(browser, SCORES)


# --- covered ---


def test_results_are_covered_until_a_click_reveals_one(browser: Browser, pages: dict[str, Path]) -> None:
    trace = shipped("digits")
    step, shown = trace[WEIGHTS], drawn(trace, trace[WEIGHTS], (0,))
    browser.open(pages["digits"], f"#{WEIGHTS}")
    open_texts, told = browser.evaluate(TEXTS), browser.text("#told")
    browser.press("c")
    browser.wait(f"{COVERED} === {step.value[0].size}")
    assert browser.text("#told") == step.text != told, "a remark would give it away"
    browser.point(*cell_centre(browser, shown, (0, 2, 4)))
    assert browser.text("#cell").endswith(" ?")
    assert number(float(step.value[0, 2, 4])) not in browser.text("#cell").split(" = ")[-1]
    browser.click(*cell_centre(browser, shown, (0, 2, 4)))
    browser.wait(f"{COVERED} === {step.value[0].size - 1}")
    assert step.explain((0, 2, 4)).text in browser.text("#cell")
    browser.press("c")
    browser.wait(f"{COVERED} === 0")
    assert browser.evaluate(TEXTS) == open_texts
    assert browser.text("#told") == told


def test_the_cover_hides_colours_and_numbers(browser: Browser, pages: dict[str, Path]) -> None:
    trace = shipped("digits")
    shown = drawn(trace, trace[WEIGHTS], (0,))
    browser.open(pages["digits"], f"?cover#{WEIGHTS}")
    for index in ((0, 0, 0), (0, 8, 8)):
        x, y = cell_centre(browser, shown, index)
        top = browser.evaluate(f"document.elementFromPoint({x + 6}, {y + 6}).parentNode.getAttribute('class')")
        assert top == "covers"


@pytest.mark.parametrize("guess", ["right", "wrong", "nonsense"])
def test_a_guess_is_typed_where_the_pointer_is_and_judged(browser: Browser, pages: dict[str, Path], guess: str) -> None:
    trace = shipped("digits")
    step, index = trace[WEIGHTS], (0, 2, 4)
    value = float(step.value[index])
    typed = {"right": f"{value:.2f}", "wrong": f"{value + 0.2:.2f}", "nonsense": "1.2.3"}[guess]
    browser.open(pages["digits"], f"?cover#{WEIGHTS}")
    browser.point(*cell_centre(browser, drawn(trace, step, (0,)), index))
    browser.press(typed[0])
    browser.wait("document.activeElement.id === 'guess'")
    browser.call("Input.insertText", text=typed[1:])
    browser.press("Enter")
    browser.wait("document.querySelector('#verdict').textContent")
    said = browser.text("#verdict")
    if guess == "nonsense":
        assert said == "“1.2.3” is no number; write one such as 0.35."
        assert browser.text("#cell").split(" pinned")[0].endswith(" ?")
        return
    off = f"{abs(float(typed) - value):.3g}"
    assert said == (
        f"You said {typed}: right."
        if guess == "right"
        else f"You said {typed}; it is {number(value, 6)}, so you are off by {off}."
    )
    assert step.explain(index).text in browser.text("#cell")


def test_keys_alone_reveal_a_cell(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["guide"], f"?cover#{SCORES}")
    step = shipped("sentence-guide")[SCORES]
    browser.press("ArrowRight", CTRL)
    assert browser.text("#cell").split(" pinned")[0].endswith("?")
    browser.press("Enter")
    assert step.explain((0, 0, 0)).text in browser.text("#cell")


# --- inside another page ---

HOST = """<!DOCTYPE html><title>host</title><body style="margin:0">
<iframe title="txviz" style="width:{width}px;height:{height}px;border:0" src="{page}"></iframe>
<script>window.heard = []; addEventListener("message", (event) => heard.push(JSON.parse(event.data)));</script>"""
FIGURE = "document.querySelector('#figure svg')"


def open_in_frame(browser: Browser, page: Path, where: str, size: tuple[int, int]) -> None:
    host = page.with_name("host.html")
    host.write_text(HOST.format(page=f"{page.name}{where}", width=size[0], height=size[1]))
    browser.call("Page.navigate", url="about:blank")
    browser.call("Page.navigate", url=host.as_uri())
    browser.wait("document.readyState === 'complete' && !!window.heard")


def test_keys_beyond_the_end_are_the_hosts(browser: Browser, pages: dict[str, Path]) -> None:
    names = [step.name for step in shipped("sentence-guide")]
    open_in_frame(browser, pages["guide"], f"?bare#{names[-2]}", (900, 500))
    browser.click(450, 15)
    for key in ("ArrowRight", "ArrowRight", "q"):
        browser.press(key)
    browser.wait("heard.length === 2")
    heard = browser.evaluate("heard")
    assert [(each["source"], each["key"]) for each in heard] == [("txviz", "ArrowRight"), ("txviz", "q")]
    assert heard[0]["method"] == "triggerKey", "which is what reveal.js listens to"
    assert heard[0]["args"] == [39]
    browser.press("PageUp")
    browser.press("PageDown")
    browser.press("PageDown")
    browser.wait("heard.length === 3")
    assert browser.evaluate("heard[2].key") == "PageDown"


@pytest.mark.parametrize("size", [(1200, 500), (400, 600), (640, 360)])
def test_bare_it_fills_its_frame_with_the_figure_alone(
    browser: Browser, pages: dict[str, Path], size: tuple[int, int]
) -> None:
    browser.resize(*size)
    browser.open(pages["digits"], f"?bare#{WEIGHTS}")
    for part in ("header button", "nav", "footer", "#views", "#words"):
        assert not browser.evaluate(f"document.querySelector('{part}').checkVisibility()"), part
    box = browser.evaluate(f"(({{right, bottom}}) => [right, bottom])({FIGURE}.getBoundingClientRect())")
    assert box == pytest.approx(size, abs=1)
    assert browser.evaluate("document.documentElement.scrollHeight") <= size[1]
    browser.press("ArrowRight", CTRL)
    browser.wait("document.querySelector('#words').checkVisibility()")
    assert browser.evaluate("document.documentElement.scrollHeight") <= size[1]
    assert browser.evaluate(f"{FIGURE}.getBoundingClientRect().height") > size[1] / 2


# --- on paper ---


def printed(browser: Browser) -> list[str]:
    """The text of each page, with the backgrounds off, as browsers have it."""
    made = browser.call("Page.printToPDF", preferCSSPageSize=True, printBackground=False)
    *found, rest = pdftotext(b64decode(made["data"])).split("\f")
    assert not rest
    return found


PARTED = """(() => {
  const told = document.querySelector("#told").firstChild, top = (n) => {
    const range = document.createRange();
    range.setStart(told, n); range.setEnd(told, n + 1);
    return range.getBoundingClientRect().top;
  };
  return [...told.data.matchAll(/%/g)].map(({index}) => top(index) !== top(index - 2));
})()"""
"""Of each % in the words, whether it is on another line than its number."""


def test_a_number_and_its_percent_sign_are_on_one_line(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["digits"], f"#{WEIGHTS}/1")
    for width in range(520, 1000, 80):
        browser.resize(width, 800)
        parted = browser.evaluate(PARTED)
        assert parted
        assert not any(parted)


@needs("pdftotext", "poppler-utils")
@pytest.mark.parametrize("where", ["#map", f"#{WEIGHTS}/2,1,3", f"?theme=dark#{WEIGHTS}:softmax/1", "?bare#map"])
def test_what_is_shown_prints_on_one_page(browser: Browser, pages: dict[str, Path], where: str) -> None:
    browser.open(pages["digits"], where)
    (text,) = printed(browser)
    assert "".join(browser.text("#told").split()) in "".join(text.split())
    assert browser.evaluate("document.querySelectorAll('#sheets section').length") == 0
    if "2,1,3" in where:
        worked = shipped("digits")[WEIGHTS].explain((2, 1, 3)).text
        assert "".join(worked.split()) in "".join(text.split())


@needs("pdftotext", "poppler-utils")
def test_all_steps_print_one_on_each_page_with_words_and_arithmetic(browser: Browser, pages: dict[str, Path]) -> None:
    trace = shipped("sentence-guide")
    browser.open(pages["guide"], f"#{SCORES}")
    browser.evaluate("window.print = () => { window.sheets = document.querySelector('#sheets').innerHTML; }; 1")
    browser.press("p")
    browser.evaluate("document.querySelector('#print [value=all]').click()")
    browser.wait("window.sheets")
    browser.evaluate("document.querySelector('#sheets').innerHTML = window.sheets; 1")
    found = ["".join(text.split()) for text in printed(browser)]
    titles = browser.evaluate("JSON.parse(document.querySelector('#index').textContent).names")
    assert len(found) == len(titles)
    for name, text in zip(titles, found, strict=True):
        if name in trace:
            assert "".join(trace[name].text.split()) in text, name
            first: Index = (0,) * trace[name].value.ndim
            assert "".join(trace[name].explain(first).text.split()) in text, name
    assert browser.evaluate("document.body.dataset.shown") == SCORES


# --- for everybody ---


def violations(browser: Browser) -> Any:
    browser.evaluate(AXE.read_text(encoding="utf-8") + ";1")
    found = "axe.run().then(({violations}) => violations.map(({id, nodes}) => [id, ...nodes.map(({html}) => html)]))"
    return browser.evaluate(found)


@pytest.mark.skipif(
    not AXE.exists(),
    reason="needs axe-core: mkdir -p build/axe-core, npm pack axe-core, tar xzf axe-core-*.tgz -C build/axe-core",
)
@pytest.mark.parametrize("query", ["", "?theme=dark", "?bare&theme=dark", "?cover"])
@pytest.mark.parametrize("kind", ["guide", "digits"])
def test_axe_finds_nothing(browser: Browser, pages: dict[str, Path], kind: str, query: str) -> None:
    for where in ("#nowhere", f"#{WEIGHTS}/0,1,1", f"#{WEIGHTS}:lines"):
        browser.open(pages[kind], query + where)
        assert violations(browser) == [], where
    browser.press("?")
    assert violations(browser) == [], "the keys"


def test_whoever_has_keys_alone_sees_where_they_are(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["guide"], f"?cover#{SCORES}/0,1,1")
    reached: dict[int, str] = {}
    while True:
        browser.press("Tab")
        place, name, outlined = browser.evaluate(
            "((it, {outlineStyle, outlineWidth}) => [[...document.querySelectorAll('*')].indexOf(it), it.id,"
            " outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2])"
            "(document.activeElement, getComputedStyle(document.activeElement))"
        )
        if place in reached or browser.evaluate("document.activeElement === document.body"):
            break
        assert outlined, name
        reached[place] = name
    wanted = {"cover-button", "print-button", "keys-button", "theme-button", "figure", "guess", "scrubber"}
    assert wanted <= set(reached.values())


def test_odd_words_stay_words_wherever_they_are_shown(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["odd"], "?cover#weights/1,0,3")
    browser.press("Enter")
    browser.press("v")
    browser.wait(f"{HASH}.includes(':')")
    browser.call("Page.printToPDF")
    assert browser.evaluate("document.querySelectorAll('img, b').length") == 0
    assert [address.partition("?")[0] for address in browser.requests] == [pages["odd"].as_uri()]
