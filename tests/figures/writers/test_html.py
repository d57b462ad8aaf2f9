"""The HTML page: as a file, whose data are the trace's, and in a real browser, where keys and pointer work it."""

from __future__ import annotations

import json
import re
import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import txviz
from tests.figures.kinds import all_of
from tests.figures.shipped import trace as shipped
from tests.figures.writers.chromium import CTRL, SHIFT, Browser
from tests.figures.writers.pages import ODD, at_step, cell_centre, drawn, odd_trace, whole
from txviz.figures import theme
from txviz.figures.export import Export, content
from txviz.figures.levels import LEVELS, kinds
from txviz.figures.levels.picture import NodeScene
from txviz.figures.looks import shape_arithmetic
from txviz.figures.marks import Box, Heat, Line, Mark, Shape, Text
from txviz.figures.naming import cell_name
from txviz.figures.place import leading
from txviz.figures.presets import PAPER_COLUMN
from txviz.figures.prints import prints
from txviz.figures.sentences import sentences
from txviz.figures.stage import Stage
from txviz.figures.writers.html import PAGE, amount, html, parts
from txviz.figures.writers.html.columns import numbers
from txviz.ops.arithmetic import number
from txviz.trace import Run, Step, Trace
from txviz.training.translator import BEAM_EXAMPLE

SCORES = "encoder.0.attention.scores"
WEIGHTS = "encoder.0.attention.weights"
OUTLINES = """[...document.querySelectorAll(".lit rect")].map(
  (box) => ["x", "y", "width", "height"].map((side) => +box.getAttribute(side)))"""


class Reader(HTMLParser):
    """What a browser sees in the file: tags with their attributes, and the text inside scripts, style and title."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.inside: dict[str, list[str]] = {}
        self._kind = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.tags.append((tag, found))
        if tag in ("script", "style", "title"):
            self._kind = found.get("id") or found.get("class") or tag
            self.inside.setdefault(self._kind, []).append("")

    def handle_endtag(self, tag: str) -> None:
        self._kind = ""

    def handle_data(self, data: str) -> None:
        if self._kind:
            self.inside[self._kind][-1] += data

    @property
    def index(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.inside["index"][0])
        return found

    @property
    def steps(self) -> list[dict[str, Any]]:
        """With what they share in its place."""
        long = [_unpacked(packed) for packed in self.inside.get("long", [])]
        found = [_unpacked(packed) for packed in self.inside["step"]]
        for step in found:
            step["shared"] = [long[item] if isinstance(item, int) else item for item in step["shared"]]
        return found


def _unpacked(packed: str) -> Any:
    return json.loads(zlib.decompress(b64decode(packed)))


@cache
def page(kind: str) -> str:
    """The whole page of a trace; of digits, some steps."""
    trace, steps = steps_of(kind)
    return html(trace, steps)


def steps_of(kind: str) -> tuple[Trace, list[Step]]:
    if kind == "digits":
        return some_of_digits()
    trace = odd_trace() if kind == "odd" else shipped(kind)
    return trace, list(trace)


@cache
def some_of_digits() -> tuple[Trace, list[Step]]:
    """A stage with heads, the input, and the answer."""
    trace = shipped("digits")
    return trace, [step for step in trace if step.name.startswith(("image", "patches", "encoder.0.attention", "head"))]


def heat_marks(marks: list[Any]) -> Iterator[list[Any]]:
    for mark in marks:
        if mark[0] == "group":
            yield from heat_marks(mark[2])
        elif mark[0] == "heat":
            yield mark


# --- the file ---


@pytest.mark.parametrize("kind", ["sentence-guide", "digits", "odd"])
def test_nothing_in_the_page_is_fetched(kind: str) -> None:
    text = page(kind)
    reader = Reader(text)
    assert not re.search(r"https?:|@import", text)
    assert set(re.findall(r"url\([^)]*\)", text)) <= {"url(#hatch)"}
    for tag, attributes in reader.tags:
        assert tag not in ("link", "img", "iframe", "object", "embed", "base"), tag
        assert not {"src", "href", "srcset", "action", "style"} & set(attributes), (tag, attributes)
        assert not [name for name in attributes if name.startswith("on")], (tag, attributes)


def test_only_the_pages_own_script_and_style_are_let_in() -> None:
    reader = Reader(page("odd"))
    (policy,) = [attrs["content"] for tag, attrs in reader.tags if attrs.get("http-equiv") == "Content-Security-Policy"]
    hashes = [b64encode(sha256(reader.inside[kind][0].encode()).digest()).decode() for kind in ("script", "style")]
    assert policy == f"default-src 'none'; script-src 'sha256-{hashes[0]}'; style-src 'sha256-{hashes[1]}'"
    assert len(reader.inside["script"]) == len(reader.inside["style"]) == 1


def test_a_title_names_the_step_above_its_figure_and_above_its_plots() -> None:
    trace, preset = shipped("sentence-guide"), replace(PAGE, style=replace(PAGE.style, title="This is {name}"))
    page = Reader(html(trace, [trace[WEIGHTS]], preset))
    plots = [_unpacked(packed) for packed in page.inside["view"]]
    assert len(plots) == len(page.steps[0]["views"])
    for drawn_there in (*page.steps, *plots):
        assert f"This is {WEIGHTS}" in json.dumps(drawn_there)
        assert "{name}" not in json.dumps(drawn_there)


def test_the_same_trace_gives_the_same_bytes() -> None:
    trace = txviz.trace("masked-attention-guide", "YOUR CAT IS A LOVELY CAT")
    assert html(trace, list(trace)) == page("masked-attention-guide")


def test_it_comes_in_parts_for_progress() -> None:
    trace = shipped("masked-attention-guide")
    pieces = list(parts(Export(trace, list(trace), "html", PAGE)))
    assert len(pieces) == len(trace) + 2
    assert "".join(pieces) == page("masked-attention-guide")


def test_the_index_tells_of_all_steps() -> None:
    trace, index = shipped("sentence-guide"), Reader(page("sentence-guide")).index
    assert index["names"] == [step.name for step in trace]
    assert index["titles"] == [step.title for step in trace]
    assert index["input"] == "The cat sat."
    assert sum(count for _, _, count, _ in index["stages"]) == len(trace)


@pytest.mark.parametrize("kind", ["sentence-guide", "masked-attention-guide", "digits"])
def test_numbers_arithmetic_and_words_are_the_traces(kind: str) -> None:
    trace, steps = steps_of(kind)
    reader = Reader(page(kind))
    for step, found in zip(steps, reader.steps, strict=True):
        assert found["shape"] == shape_arithmetic(step)
        assert found["prints"] == [[entry.agrees, entry.text] for entry in prints(step)]
        assert found["wrong"] == ""
        assert [tuple(place["at"]) for place in found["places"]] == list(np.ndindex(*leading(step)))
        for place in found["places"]:
            assert place["words"] == " ".join(sentences(step, tuple(place["at"])))
            check_panels(drawn(trace, step, tuple(place["at"])), place, found["shared"])


def check_panels(shown: Stage, place: dict[str, Any], shared: list[Any]) -> None:
    """Every number of every panel, every arithmetic of the result, every cell that it lights up."""
    step = shown.step
    for panel, found in zip(shown.panels, place["panels"], strict=True):
        values = panel.grid.values.ravel().tolist()
        assert read_numbers(shared[found["values"]]) == [number(x, 6) for x in values]
        assert (found["cells"] is not None) == panel.grid.output
        for at, (text, blocks) in enumerate(read_cells(found["cells"] or [[], []])):
            index = panel.grid.index(*divmod(at, panel.grid.values.shape[1]))
            cell = step.explain(index)
            assert text == cell.text
            outlines = all_of(Box, shown.outlines(index, cell))
            expected = [(box.x, box.y, box.width, box.height) for box in outlines if box.stroke_width == 1.6]
            boxes = [outlined(shown, *blocks[i : i + 5]) for i in range(0, len(blocks), 5)]
            assert np.allclose(boxes, expected) if expected else not boxes


def read_numbers(written: str) -> list[str]:
    """As the page reads them: forms, which of them each has, and the digits that go into it."""
    forms, letters, digits = written.split("\n")
    each = len(digits) // max(len(letters), 1)
    found = []
    for n, letter in enumerate(letters):
        own = iter(digits[n * each : (n + 1) * each])
        found.append(re.sub("#", lambda _, own=own: next(own), forms.split("|")[ord(letter) - 256]))  # type: ignore[misc]
    return found


def read_cells(columns: list[list[Any]]) -> list[tuple[str, list[int]]]:
    """The arithmetic of each cell, and the blocks that it was made from."""
    texts = zip(*(column.split("\n") for column in columns[0]), strict=True)
    blocks = list(zip(*columns[1], strict=True)) or [()] * len(columns[0][0].split("\n") if columns[0] else ())
    pairs = zip(texts, blocks, strict=True)
    return [("".join(words), [n for n in own if n >= 0]) for words, own in pairs]


def test_numbers_come_back_as_they_were_taken_apart() -> None:
    """Of every size, sign and number of digits; and what has no digits."""
    rng = np.random.default_rng(0)
    ends = [0, -0.0, np.inf, -np.inf, np.nan, 1e-99, 9.99999e-100, 5e-324, 1e300, 999999.5, 999999.49, 99999.95, 1e6]
    close = [0.1, 0.5, 1e5, 1e-5, 9.9999995e-5, 0.99999951, -1e7, 1234567.0, 123456.5, 100000.5, -0.00012345651]
    some = [np.array(ends), np.array(close), np.exp(rng.normal(size=2000) * 30), -np.exp(rng.normal(size=2000) * 4)]
    for values in (*some, rng.normal(size=(3, 4)).astype(np.float32), np.arange(-300, 300), np.zeros(0)):
        assert read_numbers(numbers(values)) == [number(x, 6) for x in values.ravel().tolist()]


def outlined(shown: Stage, panel: int, row: int, column: int, rows: int, columns: int) -> tuple[float, ...]:
    return shown.panels[panel].box([(row, column), (row + rows - 1, column + columns - 1)])


@pytest.mark.parametrize("colours", [theme.LIGHT, theme.DARK])
@pytest.mark.parametrize("name", ["image", "patches", SCORES, "encoder.0.attention.merged", "head.probabilities"])
def test_colours_are_the_windows_in_both_themes(name: str, colours: theme.Theme) -> None:
    trace, steps = some_of_digits()
    reader = Reader(page("digits"))
    found = reader.steps[[step.name for step in steps].index(name)]
    expected = drawn(trace, trace[name], tuple(found["places"][0]["at"]), PAGE.themed(colours))
    scopes = dict(re.findall(r"(:root\S*) \{ color-scheme:(.*?) \}", reader.inside["style"][0]))
    css = scopes[":root[data-theme=dark]" if colours is theme.DARK else ":root"]
    scale = dict(re.findall(r"--c(\d+):(#\w+)", css))
    inks = dict(re.findall(r"--i(\d+):var\(--(\w+)-ink\)", css))
    heats = [mark for mark in expected.figure.flat() if isinstance(mark, Heat)]
    for mark, written in zip(heats, heat_marks(found["places"][0]["figures"][0][2]), strict=True):
        grey, shared = written[7], found["shared"]
        levels = [ord(letter) - 256 for letter in shared[written[8]]]
        painted = [bytes([level] * 3).hex() if grey else scale[str(level)][1:] for level in levels]
        assert "".join(painted) == mark.colours.hex()
        assert [tuple(area) for area in written[9]] == mark.hatched_areas
        if mark.texts:
            assert tuple(shared[written[10]]) == mark.texts
            dark = [level < reader.index["dark_greys"] if grey else inks[str(level)] == "light" for level in levels]
            assert dark == [bool(ink) for ink in mark.inks]


def test_a_preset_gives_the_size_and_the_light_theme() -> None:
    trace = shipped("masked-attention-guide")
    reader = Reader(html(trace, list(trace), PAPER_COLUMN))
    assert reader.steps[0]["places"][0]["figures"][0][:2] == [PAPER_COLUMN.width, PAPER_COLUMN.height]
    assert f"--muted:{theme.PAPER.muted}" in reader.inside["style"][0]


def test_the_file_says_which_theme_was_chosen() -> None:
    trace = shipped("masked-attention-guide")
    presets = PAGE, PAGE.themed(theme.DARK), PAGE.themed(theme.LIGHT)
    assert [html(trace, [trace[0]], preset).splitlines()[1] for preset in presets] == [
        '<html lang="en">',
        '<html lang="en" data-theme="dark">',
        '<html lang="en" data-theme="light">',
    ]


def test_odd_tokens_are_data_and_nothing_else() -> None:
    reader = Reader(page("odd"))
    assert [
        kind for kind in reader.inside if kind not in ("title", "style", "index", "font", "step", "long", "view")
    ] == ["script"]
    assert ODD[0] in reader.inside["title"][0]
    assert reader.index["output"] == ODD[0]
    (panel,) = reader.steps[0]["places"][1]["panels"]
    assert tuple(reader.steps[0]["shared"][panel["rows"]]) == (*ODD[:-1], "?")
    assert panel["opening"] == "scores[head 1, "


def test_large_results_go_without_arithmetic(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = shipped("sentence-guide")
    monkeypatch.setattr(amount, "MOST_EXPLAINED", 60)
    steps = Reader(html(trace, list(trace))).steps
    told = [all(panel["cells"] for panel in step["places"][0]["panels"] if panel["output"]) for step in steps]
    sizes = [step.value.size for step in trace]
    assert 0 < sum(told) < len(steps)
    assert max(size for size, has in zip(sizes, told, strict=True) if has) <= min(
        size for size, has in zip(sizes, told, strict=True) if not has
    )
    assert sum(size for size, has in zip(sizes, told, strict=True) if has) <= 60


def test_of_too_many_numbers_the_largest_matrices_go_without(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = shipped("sentence-guide")
    monkeypatch.setattr(amount, "MOST_NUMBERS", 100)
    panels = [panel for step in Reader(html(trace, list(trace))).steps for panel in told_panels(step)]
    told = {size for size, has in panels if has}
    assert told
    assert max(told) < min(size for size, has in panels if not has)


def told_panels(step: dict[str, Any]) -> list[tuple[int, bool]]:
    """Of each matrix: how many cells it has, and whether their numbers are in the file."""
    panels = [panel for place in step["places"] for panel in place["panels"]]
    sides = [[len(step["shared"][ids]) for ids in panel["ids"]] for panel in panels]
    return [(rows * columns, panel["values"] >= 0) for (rows, columns), panel in zip(sides, panels, strict=True)]


def test_a_matrix_without_numbers_says_so(browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(amount, "MOST_VALUES", 20)
    monkeypatch.setattr(amount, "MOST_EXPLAINED", 0)
    trace, file = shipped("sentence-guide"), tmp_path / "page.html"
    file.write_text(html(trace, [trace[SCORES]]), encoding="utf-8")
    browser.open(file)
    shown = drawn(trace, trace[SCORES], (0,))
    browser.point(*cell_centre(browser, shown, (0, 2, 4)))
    assert browser.text("#cell") == "scores[head 0, cat, .]  ·  Of so large a matrix this file has only the colours."
    browser.point(*cell_centre(browser, shown, (0, 2, 1), output=False))
    assert " = " in browser.text("#cell")
    assert "colours" not in browser.text("#cell")


def test_of_too_many_cells_some_are_drawn_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """The means of their values; which cell is pointed at, and its number, stay as they were."""
    run = Run({})
    run.given("large", np.random.default_rng(0).normal(size=(120, 150)), axes="token feature")
    trace = Trace(run.steps, {}, "large")
    sharp, coarse = (Reader(page_of(trace, most, monkeypatch)).steps[0] for most in (10**6, 10**2))
    whole, few = (list(heat_marks(step["places"][0]["figures"][0][2]))[-1] for step in (sharp, coarse))
    assert whole[5:7] == [120, 150]
    assert few[5] * few[6] < 120 * 150 / 4
    assert few[5] * few[4] == pytest.approx(whole[5] * whole[4], rel=1e-3)
    assert len(coarse["shared"][few[8]]) == few[5] * few[6]
    (told,), (told_sharp,) = (step["places"][0]["panels"] for step in (coarse, sharp))
    assert coarse["shared"][told["values"]] == sharp["shared"][told_sharp["values"]]
    assert told["cells"] == told_sharp["cells"]
    assert coarse["places"][0]["figures"][0][3] == sharp["places"][0]["figures"][0][3]


def page_of(trace: Trace, most_sharp: int, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(amount, "MOST_SHARP", most_sharp)
    return html(trace, list(trace))


def test_one_head_where_all_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = odd_trace()
    monkeypatch.setattr(amount, "MOST_SHOWN", 100)
    for wanted, kept in (((), [0]), ((1,), [1]), ((7,), [1])):
        steps = Reader(html(trace, list(trace), PAGE, wanted)).steps
        assert [[place["at"] for place in step["places"]] for step in steps] == [[kept], [kept]]


@pytest.mark.parametrize("shape", [(), (1,), (3,), (2, 3), (2, 2, 3), (2, 3, 4, 5), (0,), (3, 0)])
def test_tensors_of_any_rank(shape: tuple[int, ...]) -> None:
    axes = " ".join(["batch", "head", "query", "key"][4 - len(shape) :])
    run = Run({})
    step = run.given("x", np.arange(np.prod(shape), dtype=float).reshape(shape), axes=axes)
    (found,) = Reader(html(Trace(run.steps, {}, step), [step])).steps
    assert len(found["places"]) == np.prod(shape[:-2], dtype=int)


def test_what_many_steps_read_is_written_once() -> None:
    trace = shipped("digits")
    steps = [step for step in trace if step.name.endswith(("ffn.hidden", "ffn.activation"))]
    reader = Reader(html(trace, steps))
    assert len(set(reader.inside["long"])) == len(reader.inside["long"])
    numbers = [
        item for packed in reader.inside["step"] for item in _unpacked(packed)["shared"] if isinstance(item, int)
    ]
    assert set(numbers) == set(range(len(reader.inside["long"])))
    assert len(numbers) > len(set(numbers))


def test_a_page_of_digits_is_small() -> None:
    assert len(page("digits").encode()) < 1_500_000


# --- pictures of levels ---


BLOCK = "encoder.0.attention"


def test_a_page_of_the_whole_run_begins_with_the_map_and_has_blocks_before_their_steps() -> None:
    trace, index = shipped("sentence-guide"), Reader(whole("sentence-guide")).index
    names = index["names"]
    assert names[0] == "map"
    assert names[names.index(BLOCK) + 1] == trace.outline.find(BLOCK).first.name
    assert [name for name in names if name in trace] == [step.name for step in trace]
    pictures = [i for i, number in enumerate(index["numbers"]) if not number]
    own = [node.name for node in trace.outline if node.children and kinds(node)[0] != "map"]
    assert [index["names"][i] for i in pictures] == ["map", *own]
    assert BLOCK in own
    assert [number for number in index["numbers"] if number] == list(range(1, len(trace) + 1))
    assert sum(count for _, _, count, _ in index["stages"]) == len(names)
    assert index["stages"][0][:3] == ["map", 0, 1]
    some = content(Export(trace, trace.find("embed.*"), "html", PAGE)).decode()
    assert Reader(some).index["names"] == [step.name for step in trace.find("embed.*")]


def without_command(page: str) -> str:
    """The same page can be asked for in several ways."""
    return re.sub(r'<meta name="txviz-command"[^>]*>', "", page)


def test_a_level_brings_its_steps_and_the_map_all_of_them() -> None:
    trace = shipped("sentence-guide")
    block = trace.outline.find(BLOCK)
    alone = Reader(content(Export(trace, [block], "html", PAGE)).decode()).index["names"]
    assert alone == [BLOCK, *(step.name for step in block.steps)]
    for view in ("stage", "map"):
        page = content(Export(trace, [trace.outline], "html", PAGE, view)).decode()
        assert without_command(page) == without_command(whole("sentence-guide"))


def test_a_tree_brings_what_it_leads_to_and_not_the_thousands_of_other_steps() -> None:
    trace = txviz.trace("translator", BEAM_EXAMPLE, strategy="beam", beam_width=3)
    node = trace.outline.find("time")
    wanted = Export(trace, [node], "html", PAGE, "beams")
    written = content(wanted)
    reader = Reader(written.decode())
    names = reader.index["names"]
    assert len(written) < 3_000_000 < 8_000 * len(node.steps), "which is what a step takes"
    spots = wanted.picture(node).spots
    assert len(reader.steps[0]["places"][0]["spots"]) == len(spots), "each leads somewhere"
    heads = {spot.node for spot in spots if spot.node.endswith(".head")}
    assert len(heads) > 10
    assert all(step.name in names for head in heads for step in trace.outline.find(head).steps)
    assert [name for name in names if name in trace] == [step.name for step in trace if step.name in names]


def test_spots_lead_to_what_they_stand_for() -> None:
    trace, reader = shipped("digits"), Reader(whole("digits"))
    names = reader.index["names"]
    for count, found in zip(reader.index["numbers"], reader.steps, strict=True):
        assert ("spots" in found["places"][0]) == (count == 0)
    picture = LEVELS["map"].draw(NodeScene(trace, trace.outline, (), None, PAGE.width, PAGE.height, PAGE.style))
    expected = {
        tuple(round(side, 2) for side in spot.area): trace.outline.find(spot.node)
        for spot in picture.spots
        if not spot.fold
    }
    spots = reader.steps[0]["places"][0]["spots"]
    assert len(spots) == len([spot for spot in picture.spots if not spot.fold])
    for *sides, target, hint in spots:
        node = expected[tuple(sides)]
        assert names[target] in (node.name, node.first.name)
        assert hint
    assert BLOCK in {names[spot[4]] for spot in spots}


@pytest.mark.parametrize("colours", [theme.LIGHT, theme.DARK])
@pytest.mark.parametrize("name", ["", "embed", "encoder.0", BLOCK, "encoder.0.ffn", "head"])
def test_pictures_have_the_windows_colours_in_both_themes(name: str, colours: theme.Theme) -> None:
    trace, reader = shipped("digits"), Reader(whole("digits"))
    node = trace.outline.find(name)
    found = reader.steps[reader.index["names"].index(name or "map")]
    scopes = dict(re.findall(r"(:root\S*) \{ color-scheme:(.*?) \}", reader.inside["style"][0]))
    css = scopes[":root[data-theme=dark]" if colours is theme.DARK else ":root"]
    known = dict(re.findall(r"--([\w-]+):(#\w+)", css))
    scene = NodeScene(trace, node, (), None, PAGE.width, PAGE.height, PAGE.themed(colours).style)
    expected = list(LEVELS[kinds(node)[0]].draw(scene).figure.flat())
    written = list(flat_marks(found["places"][0]["figures"][0][2]))
    assert len(expected) == len(written)
    for mark, (kind, *rest) in zip(expected, written, strict=True):
        wanted = colours_of(mark)
        assert kind == wanted[0]
        assert {at: rest[at] and real_colour(rest[at], known, colours) for at in wanted[1]} == wanted[1], mark
        if isinstance(mark, Heat):
            levels = [ord(letter) - 256 for letter in found["shared"][rest[7]]]
            painted = [bytes([level] * 3).hex() if rest[6] else known[f"c{level}"][1:] for level in levels]
            assert "".join(painted) == mark.colours.hex()


def real_colour(written: str, known: dict[str, str], colours: theme.Theme) -> str:
    """Of a role, of what is mixed from roles ("0.3 muted panel"), or of a colour by day and by night."""
    if written[0] == "#":
        return written.split()[-1 if colours is theme.DARK else 0]
    return _mixture(iter(written.split()), known)


def _mixture(words: Iterator[str], known: dict[str, str]) -> str:
    word = next(words)
    if word in known:
        return known[word]
    return theme.mixed(_mixture(words, known), _mixture(words, known), float(word))


def colours_of(mark: Mark) -> tuple[str, dict[int, str | None]]:
    """What the page calls such a mark, and its colours by their place behind that word."""
    if isinstance(mark, Text):
        return "text", {5: mark.colour}
    if isinstance(mark, Box):
        return "box", {6: mark.fill, 7: mark.stroke, 8: mark.hatch}
    if isinstance(mark, Line):
        return "line", {5: mark.colour}
    return ("shape", {4: mark.colour}) if isinstance(mark, Shape) else ("heat", {})


def flat_marks(marks: list[Any]) -> Iterator[list[Any]]:
    for mark in marks:
        if mark[0] == "group":
            yield from flat_marks(mark[2])
        else:
            yield mark


# --- in a browser ---


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    found = {name: folder / f"{name}.html" for name in ("sentence-guide", "digits", "odd")}
    for name, path in found.items():
        path.write_text(page(name), encoding="utf-8")
    return found


def test_keys_go_from_step_to_step(browser: Browser, files: dict[str, Path]) -> None:
    browser.open(files["sentence-guide"])
    names = [step.name for step in shipped("sentence-guide")]
    at_step(browser, names[0])
    for key, modifiers, place in (
        ("ArrowRight", 0, 1),
        ("ArrowRight", SHIFT, names.index("encoder.0.attention.query_projection")),
        ("ArrowRight", 0, names.index("encoder.0.attention.query_projection") + 1),
        ("ArrowLeft", SHIFT, names.index("encoder.0.attention.query_projection")),
        ("ArrowLeft", 0, names.index("encoder.0.attention.query_projection") - 1),
        ("End", 0, len(names) - 1),
        ("ArrowRight", 0, len(names) - 1),
        ("Home", 0, 0),
    ):
        browser.press(key, modifiers)
        at_step(browser, names[place])
        assert browser.text("#count") == f"step {place + 1} of {len(names)}"
        assert browser.evaluate("document.querySelector('#scrubber').value") == str(place + 1)
        assert browser.text("nav [aria-current]") in shipped("sentence-guide")[place].title
    browser.press(" ")
    assert browser.evaluate("document.querySelector('#play').getAttribute('aria-label')") == "Stop"
    at_step(browser, names[1])
    browser.press(" ")
    assert browser.requests == [files["sentence-guide"].as_uri()]
    assert browser.complaints == []


def test_a_click_on_the_map_goes_to_the_block_and_from_there_to_the_step(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "whole.html"
    file.write_text(whole("digits"), encoding="utf-8")
    browser.open(file)
    at_step(browser, "map")
    assert browser.text("#count") == "picture"
    assert browser.text("#cell").startswith("Click on a box")
    assert not browser.evaluate("document.querySelector('#replayed').checkVisibility()")
    trace = shipped("digits")
    browser.click(*spot_corner(browser, BLOCK))
    at_step(browser, BLOCK)
    assert browser.text("#told").startswith(trace.outline.find(BLOCK).why.text)
    browser.click(*spot_corner(browser, WEIGHTS))
    at_step(browser, WEIGHTS)
    assert browser.text("#count") == f"step {trace.steps.index(trace[WEIGHTS]) + 1} of {len(trace)}"
    assert browser.evaluate("document.querySelector('#replayed').checkVisibility()")
    browser.press("m")
    at_step(browser, "map")
    assert [address.partition("#")[0] for address in browser.requests] == [file.as_uri()]
    assert browser.complaints == []


def test_the_map_is_reachable_by_keys_alone(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "whole.html"
    file.write_text(whole("sentence-guide"), encoding="utf-8")
    browser.open(file)
    browser.evaluate("document.querySelector('#figure').focus()")
    browser.press("Tab")
    focused = "document.activeElement.getAttribute('href')"
    links = browser.evaluate("[...document.querySelectorAll('a.spot')].map((link) => link.getAttribute('href'))")
    assert browser.evaluate(focused) == links[0]
    while browser.evaluate(focused) != f"#{BLOCK}":
        browser.press("Tab")
    assert browser.evaluate("document.activeElement.getAttribute('aria-label')").startswith(f"{BLOCK}: ")
    browser.press("Enter")
    at_step(browser, BLOCK)
    assert browser.complaints == []


def spot_corner(browser: Browser, name: str) -> tuple[float, float]:
    """Just inside the top right of a link: what is drawn in a box is a link of its own."""
    link = f"document.querySelector('a.spot[href=\"#{name}\"] rect').getBoundingClientRect()"
    found = browser.evaluate(f"(({{right, top}}) => [right - 3, top + 3])({link})")
    return found[0], found[1]


def test_the_pointer_shows_the_arithmetic(browser: Browser, files: dict[str, Path]) -> None:
    browser.open(files["digits"], f"#{WEIGHTS}/2")
    trace, _ = some_of_digits()
    step = trace[WEIGHTS]
    shown = drawn(trace, step, (2,))
    for index in ((2, 0, 0), (2, 3, 7), (2, 8, 8)):
        browser.point(*cell_centre(browser, shown, index))
        cell = step.explain(index)
        assert browser.text("#cell").startswith(f"{cell_name(step, index)} = {cell.text}")
        outlines = all_of(Box, shown.outlines(index, cell))
        expected = [(box.x, box.y, box.width, box.height) for box in outlines]
        assert np.allclose(browser.evaluate(OUTLINES), expected, atol=0.011)
    browser.click(*cell_centre(browser, shown, (2, 3, 7)))
    browser.point(5, 5)
    assert "pinned" in browser.text("#cell")
    assert browser.evaluate("location.hash") == f"#{WEIGHTS}/2,3,7"
    browser.press("ArrowRight", CTRL)
    assert cell_name(step, (2, 3, 8)) in browser.text("#cell")
    browser.press("Escape")
    assert browser.text("#cell").startswith("Point at")
    browser.press("ArrowDown")
    assert browser.evaluate("location.hash") == f"#{WEIGHTS}/3"
    assert [address.partition("#")[0] for address in browser.requests] == [files["digits"].as_uri()]
    assert browser.complaints == []


@pytest.mark.parametrize("name", ["image", SCORES, "encoder.0.attention.query", "head.logits"])
def test_what_is_drawn_is_what_the_window_paints(browser: Browser, files: dict[str, Path], name: str) -> None:
    browser.open(files["digits"], f"?theme=dark#{name}")
    trace, _ = some_of_digits()
    marks = list(drawn(trace, trace[name], (0,) * len(leading(trace[name])), PAGE.themed(theme.DARK)).figure.flat())
    texts = [mark.text for mark in marks if isinstance(mark, Text)]
    texts += [text for mark in marks if isinstance(mark, Heat) for text in mark.texts]
    drawn_texts = browser.evaluate("[...document.querySelectorAll('#figure text')].map((text) => text.textContent)")
    assert sorted(drawn_texts) == sorted(texts)
    heats = [mark for mark in marks if isinstance(mark, Heat)]
    colours = {bytes(mark.colours[i : i + 3]) for mark in heats for i in range(0, len(mark.colours), 3)}
    script = "[...document.querySelectorAll('.cells path')].map((path) => getComputedStyle(path).fill)"
    painted = {bytes(map(int, re.findall(r"\d+", fill))) for fill in browser.evaluate(script)}
    assert painted == colours


def test_odd_tokens_are_shown_as_they_are(browser: Browser, files: dict[str, Path]) -> None:
    browser.open(files["odd"], "#weights/1,0,3")
    step = odd_trace()["weights"]
    assert browser.text("#cell").startswith(f"{cell_name(step, (1, 0, 3))} = {step.explain((1, 0, 3)).text}")
    assert browser.text("#model") == "<odd> & “model”"
    assert browser.evaluate("document.querySelectorAll('b').length") == 0
    assert browser.complaints == []


def test_an_input_tells_its_number_and_where_it_comes_from(browser: Browser, files: dict[str, Path]) -> None:
    browser.open(files["digits"], f"#{WEIGHTS}/0,2,4")
    trace, _ = some_of_digits()
    lit = browser.evaluate(OUTLINES)
    before = trace["encoder.0.attention.scaled"]
    place = cell_centre(browser, drawn(trace, trace[WEIGHTS], (0,)), (0, 2, 3), output=False)
    browser.point(*place)
    assert browser.text("#cell").startswith(f"{cell_name(before, (0, 2, 3))} = {number(before.value[0, 2, 3], 6)}")
    assert browser.evaluate(OUTLINES) == lit
    browser.click(*place, times=2)
    at_step(browser, before.name)


def test_filter_links_and_themes(browser: Browser, files: dict[str, Path]) -> None:
    browser.open(files["sentence-guide"])
    browser.evaluate("document.querySelector('#filter').value = 'attention scores'")
    browser.evaluate("document.querySelector('#filter').dispatchEvent(new Event('input'))")
    assert browser.evaluate("[...document.querySelectorAll('nav a:not([hidden])')].map((a) => a.hash)") == [
        f"#{SCORES}"
    ]
    browser.evaluate("document.querySelector('nav a:not([hidden])').click()")
    at_step(browser, SCORES)
    backgrounds = []
    for _ in range(2):
        browser.evaluate("document.querySelector('#theme-button').click()")
        backgrounds.append(background(browser))
    assert sorted(backgrounds) == sorted([theme.LIGHT.panel, theme.DARK.panel])


@pytest.mark.parametrize(
    ("chosen", "system", "opens"),
    [
        (None, "light", theme.LIGHT),
        (None, "dark", theme.DARK),
        (theme.DARK, "light", theme.DARK),
        (theme.LIGHT, "dark", theme.LIGHT),
    ],
)
def test_it_opens_in_the_theme_that_was_chosen_or_in_the_systems(
    browser: Browser, tmp_path: Path, chosen: theme.Theme | None, system: str, opens: theme.Theme
) -> None:
    trace = shipped("masked-attention-guide")
    file = tmp_path / "page.html"
    file.write_text(html(trace, list(trace), PAGE.themed(chosen) if chosen else PAGE), encoding="utf-8")
    browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": system}])
    browser.open(file)
    assert background(browser) == opens.panel
    browser.call("Emulation.setEmulatedMedia", features=[])
    browser.evaluate("document.querySelector('#theme-button').click()")
    assert background(browser) == (theme.LIGHT if opens is theme.DARK else theme.DARK).panel


def background(browser: Browser) -> str:
    fill = browser.evaluate("getComputedStyle(document.querySelector('main')).backgroundColor")
    return "#" + bytes(map(int, re.findall(r"\d+", fill))).hex()


@pytest.mark.parametrize("size", [(360, 640), (844, 390), (1280, 800), (1920, 1080)])
def test_it_fits_screens_of_all_sizes(browser: Browser, files: dict[str, Path], size: tuple[int, int]) -> None:
    browser.resize(*size)
    browser.open(files["digits"], f"#{SCORES}/0,1,1")
    assert browser.evaluate("document.documentElement.scrollWidth") <= size[0]
    sides = "(({left, right}) => [left, right])"
    figure = browser.evaluate(f"{sides}(document.querySelector('#figure').getBoundingClientRect())")
    assert figure[0] >= 0
    assert figure[1] <= size[0]
    smallest = browser.evaluate(
        "Math.min(...[...document.querySelectorAll('#figure text')].map((text) => text.getBoundingClientRect().height))"
    )
    assert smallest > 9
