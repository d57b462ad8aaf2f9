"""Whatever is exported of an edited run says so, in every format that has room for words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from io import BytesIO

import pytest
from pptx import Presentation

import txviz
from tests.figures.shipped import trace as shipped
from txviz import Trace
from txviz.figures.edited_foot import with_edits
from txviz.figures.export import Export, content
from txviz.figures.film.shots import film
from txviz.figures.marks import Figure, Text
from txviz.figures.style import MARGIN
from txviz.figures.views import VIEWS
from txviz.models import find

EDIT = "encoder.0.attention.weights[1]=0"
TOLD = f"edited: {EDIT}"


@pytest.fixture(scope="module")
def edited() -> Trace:
    return txviz.trace("digits", find("digits").example, edits=[EDIT])


def texts(figure: Figure) -> list[str]:
    return [mark.text for mark in figure.flat() if isinstance(mark, Text)]


def test_a_step_a_plot_and_a_level(edited: Trace) -> None:
    step, block = edited["encoder.1.attention.weights"], edited.outline.find("encoder.1.attention")
    for shown, view in ((step, "stage"), (step, "attention"), (block, "stage"), (edited.outline, "map")):
        wanted = Export(edited, [shown], "svg", view=view)
        assert TOLD in texts(wanted.figure(shown))
        other = shipped("digits")
        same = other.outline.find(shown.name)
        plain = Export(other, [same.first if view in VIEWS and not same.children else same], "svg", view=view)
        assert not any(text.startswith("edited") for text in texts(plain.figure(plain.shown[0])))


def test_it_stands_in_the_margin_and_is_cut_where_it_is_long() -> None:
    many = [f"encoder.0.attention.weights[{head},{row}]=0" for head in range(4) for row in range(4)]
    trace = txviz.trace("digits", find("digits").example, edits=many)
    wanted = Export(trace, [trace["pool.mean"]], "svg")
    figure = wanted.figure(trace["pool.mean"])
    (foot,) = [mark for mark in figure.flat() if isinstance(mark, Text) and mark.text.startswith("edited")]
    assert foot.text.endswith("…")
    assert foot.y - foot.size > figure.height - MARGIN
    assert foot.y < figure.height


def test_a_step_says_what_was_edited_in_its_run(edited: Trace) -> None:
    assert "edited: encoder.0.attention.weights[1]=0" in texts(txviz.figure(edited["pool.mean"]).marks)
    assert "edited: encoder.0.attention.weights[1]=0" in texts(txviz.figure(edited["embed.sum"]).marks), "as any export"


@pytest.mark.parametrize(
    ("ending", "read"),
    [
        ("svg", bytes.decode),
        ("md", lambda made: made.decode().replace("\\", "")),
        ("tex", bytes.decode),
        ("mmd", bytes.decode),
        ("html", bytes.decode),
        ("pptx", lambda made: " ".join(_slide_texts(made))),
    ],
)
def test_every_format_with_words(edited: Trace, ending: str, read: Callable[[bytes], str]) -> None:
    wanted = Export(edited, [edited["encoder.0.attention.weights"]], ending)
    assert TOLD in read(content(wanted))


def _slide_texts(made: bytes) -> list[str]:
    return [str(text) for slide in Presentation(BytesIO(made)).slides for text in slide._element.xpath(".//a:t/text()")]


def test_a_film(edited: Trace) -> None:
    (shot,) = film(Export(edited, [edited["encoder.0.attention.weights"]], "mp4"))
    assert TOLD in texts(shot.end)


def test_overrides_are_told_too() -> None:
    trace = txviz.trace("sentence-guide", "The cat sat.", edits=["pool.mean=0"], overrides={"embed.sum": lambda x: -x})
    assert trace.edited_text == "edited: pool.mean=0; embed.sum"
    assert shipped("sentence-guide").edited_text == ""


def test_what_a_file_says_of_its_edits_need_not_make_sense(edited: Trace) -> None:
    for nonsense in (7, "x", {"a": 1}, [1, None], [["a"]]):
        trace = Trace(edited.steps, {**edited.about, "edits": nonsense}, edited.output_step or "")
        figure = Export(trace, [trace["pool.mean"]], "svg").figure(trace["pool.mean"])
        assert trace.edited_text.startswith("edited: ")
        assert with_edits(replace(figure, marks=()), trace, Export(trace, [], "svg").preset.style).marks
