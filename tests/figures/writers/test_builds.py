"""Slides that build up on click and turn into one another, read back as XML, by python-pptx and by LibreOffice."""

from __future__ import annotations

import subprocess
from copy import deepcopy
from functools import cache
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from pptx import Presentation

import txviz
from tests.figures.kinds import all_of
from tests.figures.writers.ooxml import faults
from tests.figures.writers.tools import needs
from txviz.errors import TxvizError
from txviz.figures.export import Export, content
from txviz.figures.marks import Group, Text
from txviz.figures.naming import cell_name
from txviz.figures.presets import PRESETS, SLIDE
from txviz.figures.writers.slides import cell_to_explain, step_slide
from txviz.models import find
from txviz.trace import Step, Trace

A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
P159 = "{http://schemas.microsoft.com/office/powerpoint/2015/09/main}"
MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"

pytestmark = pytest.mark.usefixtures("qapp")

TALKS = [("sentence-guide", "*"), ("vit-guide-2x2", "*"), ("digits", "encoder.0.*"), ("translator", "encoder.0.*")]


@cache
def traced(model: str) -> Trace:
    return txviz.trace(model, find(model).example)


@cache
def deck(model: str, glob: str) -> tuple[list[Step], Any]:
    """The steps, and their slides after the cover."""
    steps = traced(model).find(glob)
    _, *slides = talk(model, steps)
    return steps, slides


def talk(model: str, steps: list[Step], **how: Any) -> Any:
    return list(Presentation(BytesIO(content(Export(traced(model), steps, "pptx", SLIDE, **how)))).slides)


def clicks(slide: Any) -> list[list[str]]:
    """The names of the shapes that come with each click."""
    names = {shape.shape_id: shape.name for shape in slide.shapes}
    return [
        [names[int(target.get("spid"))] for each in click.iter(P + "set") for target in each.iter(P + "spTgt")]
        for click in slide._element.iterfind(
            f"{P}timing/{P}tnLst/{P}par/{P}cTn/{P}childTnLst/{P}seq/{P}cTn/{P}childTnLst/{P}par"
        )
    ]


def shape(slide: Any, name: str) -> Any:
    (found,) = [each for each in slide.shapes if each.name == name]
    return found


@pytest.mark.parametrize(("model", "glob"), TALKS)
def test_a_step_builds_up_operands_then_what_a_cell_reads_then_the_cell_then_all(model: str, glob: str) -> None:
    for step, slide in zip(*deck(model, glob), strict=True):
        shown = clicks(slide)
        if not step.sources:
            assert shown == [], step.name
            continue
        reads, cell, result = shown
        assert (reads, cell) == (["reads"], ["cell", "worked"]), step.name
        tensors = [each.name for each in slide.shapes if each.name.startswith("!!")]
        assert result == [name for name in tensors if name.partition(".head-")[0] == f"!!{step.name}"]
        assert len(tensors) > len(result), f"{step.name}: its operands are there from the start"


@pytest.mark.parametrize(("model", "glob"), TALKS)
def test_the_parts_of_a_slide_are_in_the_order_of_the_format_and_nothing_is_there_twice(model: str, glob: str) -> None:
    for step, slide in zip(*deck(model, glob), strict=True):
        root = slide._element
        names = [each.tag for each in root]
        assert names == [P + "cSld", P + "clrMapOvr", MC + "AlternateContent", P + "timing"][: len(names)], step.name
        drawn = {each for other in root.iter(MC + "Fallback") for each in other.iter(P + "cNvPr")}
        ids = [each.get("id") for each in root.iter(P + "cNvPr") if each not in drawn]
        assert len(ids) == len(set(ids)), step.name
        moments = [int(each.get("id")) for each in root.iter(P + "cTn")]
        assert moments == list(range(1, len(moments) + 1)), step.name
        targets = {each.get("spid") for each in root.iter(P + "spTgt")}
        assert targets <= {str(each.shape_id) for each in slide.shapes if each.shape_type == 6}, step.name
        kept = [each.name for each in slide.shapes if each.name.startswith("!!")]
        assert len(kept) == len(set(kept)), step.name


@pytest.mark.parametrize("model", txviz.models())
def test_slides_are_as_the_format_wants_them(model: str) -> None:
    trace = traced(model)
    levels = [node for node in trace.outline if node.children and node.level in ("run", "layer", "block")]
    wanted = Export(trace, [*levels[:4], *trace.key_steps], "pptx", SLIDE)
    for number, slide in enumerate(Presentation(BytesIO(content(wanted))).slides):
        assert list(faults(slide._element)) == [], number


def test_what_is_not_as_the_format_wants_it_is_found() -> None:
    _, slides = deck("sentence-guide", "*")
    broken = deepcopy(slides[-1]._element)
    timing, colours = broken.find(P + "timing"), broken.find(P + "clrMapOvr")
    colours.addprevious(timing)
    del broken.find(f".//{P}spTgt").attrib["spid"]
    broken.find(f".//{P}set").append(broken.makeelement(P + "sp"))
    assert list(faults(broken)) == [
        "p:sld has p:clrMapOvr too late",
        "p:sld has mc:AlternateContent too late",
        "p:set has a p:sp",
        "p:spTgt has no spid",
    ]


def test_what_lights_up_is_the_row_and_the_column_and_what_comes_is_the_cell_and_its_line() -> None:
    steps, slides = deck("sentence-guide", "*")
    (slide,) = [s for step, s in zip(steps, slides, strict=True) if step.name == "encoder.0.attention.scores"]
    assert cell_to_explain(traced("sentence-guide")["encoder.0.attention.scores"]) == (0, 2, 2)
    query, key = (_cells(shape(slide, f"!!encoder.0.attention.{name}.head-0")) for name in ("query", "key"))
    scores = _cells(shape(slide, "!!encoder.0.attention.scores.head-0"))
    row, column = shape(slide, "reads").shapes
    assert _edges(row) == _around([query[2, j] for j in range(3)])
    assert _edges(column) == _around([key[i, 2] for i in range(3)])
    frame, number = shape(slide, "cell").shapes
    assert _edges(frame) == _edges(scores[2, 2])
    assert frame.fill.fore_color.rgb == scores[2, 2].fill.fore_color.rgb
    assert number.text_frame.text == scores[2, 2].text_frame.text == "0.98"
    (line,) = shape(slide, "worked").shapes
    assert line.text_frame.text == "scores[head 0, cat, cat] = 0.8×0.8 + 0.3×0.3 + (−0.5)×(−0.5) = 0.98"


def _cells(group: Any) -> dict[tuple[int, int], Any]:
    named = (each for each in group.shapes if each.name.startswith("cell "))
    found = ((tuple(map(int, each.name.removeprefix("cell ").split(","))), each) for each in named)
    return {(row, column): each for (row, column), each in found}


def _edges(shape: Any) -> tuple[int, int, int, int]:
    return shape.left, shape.top, shape.left + shape.width, shape.top + shape.height


def _around(shapes: list[Any]) -> tuple[int, int, int, int]:
    left, top, right, bottom = zip(*map(_edges, shapes), strict=True)
    return min(left), min(top), max(right), max(bottom)


@pytest.mark.parametrize(("model", "glob"), TALKS)
def test_every_slide_turns_into_the_next_and_fades_where_that_is_not_known(model: str, glob: str) -> None:
    steps = traced(model).find(glob)
    cover, *slides = talk(model, steps)
    assert not list(cover._element.iter(P + "transition"))
    for slide in slides:
        choice, fallback = slide._element.find(MC + "AlternateContent")
        assert choice.get("Requires") == "p159"
        assert "p159" in choice.nsmap
        (morph,) = choice.iter(P159 + "morph")
        assert morph.get("option") == "byObject"
        assert [each.tag for each in fallback.iter()] == [MC + "Fallback", P + "transition", P + "fade"]


def test_what_a_step_made_moves_to_where_the_next_one_reads_it() -> None:
    steps, slides = deck("sentence-guide", "*")
    moved = 0
    for (step, slide), (after, following) in pairwise(zip(steps, slides, strict=True)):
        if step in after.sources and step.value.ndim == 2:
            here, there = shape(slide, f"!!{step.name}"), shape(following, f"!!{step.name}")
            assert [each.name for each in here.shapes if "cell" in each.name] == [
                each.name for each in there.shapes if "cell" in each.name
            ]
            assert _edges(here) != _edges(there)
            assert here.name not in {name for click in clicks(following) for name in click}
            moved += 1
    assert moved >= 3


def test_nothing_moves_if_one_does_not_want_it() -> None:
    steps = traced("sentence-guide").find("encoder.0.*")
    for slide in talk("sentence-guide", steps, builds=False):
        assert not [each for each in slide._element.iter() if each.tag in (P + "timing", P + "transition")]
        assert not [each.name for each in slide.shapes if each.name.startswith("!!") or each.name == "worked"]


def test_a_slide_alone_builds_up_around_a_cell_that_was_chosen() -> None:
    step = traced("sentence-guide")["encoder.0.attention.scores"]
    (plain,) = talk("sentence-guide", [step])
    assert clicks(plain) == []
    (slide,) = talk("sentence-guide", [step], cell=(0, 2, 4))
    assert clicks(slide)[:2] == [["reads"], ["cell", "worked"]]
    assert "= 0.01" in shape(slide, "worked").shapes[0].text_frame.text
    assert not list(slide._element.iter(P + "transition")), "there is no slide before it"


def test_a_talk_needs_no_cover() -> None:
    steps = traced("sentence-guide").find("encoder.0.*")
    first, second, *_ = talk("sentence-guide", steps, cover=False)
    assert first.shapes.title.text_frame.text == f"{steps[0].heading} ({steps[0].title})"
    assert not list(first._element.iter(P + "transition"))
    assert list(second._element.iter(P + "transition"))


@pytest.mark.parametrize("model", ["sentence-guide", "digits", "translator"])
def test_arithmetic_says_what_it_comes_to(model: str) -> None:
    trace = traced(model)
    wanted = Export(trace, list(trace), "pptx", SLIDE)
    for step in (step for step in trace if step.sources):
        index = cell_to_explain(step)
        assert index is not None
        (worked,) = [mark for mark in step_slide(step, wanted).figure.marks if getattr(mark, "name", "") == "worked"]
        assert isinstance(worked, Group)
        lines = [text.text for text in all_of(Text, worked.marks)]
        said, _, _ = " ".join(lines).partition("  ·  ")  # and which patch it is in
        comes_to = step.explain(index).text.partition(", where ")[0].split(" ")[-1]
        assert said.startswith(cell_name(step, index)), step.name
        assert said.partition(", where ")[0].endswith(comes_to), step.name


@needs("loimpress", "libreoffice-impress")
def test_libreoffice_reads_the_clicks_and_prints_what_comes_last(tmp_path: Path) -> None:
    steps = traced("sentence-guide").find("encoder.0.attention.*")
    wanted = Export(traced("sentence-guide"), steps, "pptx", SLIDE, cover=False)
    (tmp_path / "talk.pptx").write_bytes(content(wanted))
    profile = f"-env:UserInstallation=file://{tmp_path}/profile"
    command = ["soffice", profile, "--headless", "--convert-to", "fodp", "--outdir", str(tmp_path), "talk.pptx"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, timeout=300)
    pages = (tmp_path / "talk.fodp").read_text().split("<draw:page ")[1:]
    assert [page.count('"on-click"') for page in pages] == [3 * bool(step.sources) for step in steps]
    assert ['smil:type="fade"' in page for page in pages] == [bool(step.sources) for step in steps]
    assert all("scores[head 0, cat, cat] =" in page for page in pages if "attention · scores<" in page)


@pytest.mark.parametrize("model", ["vit-guide-2x2", "digits", "translator", "writer"])
def test_all_of_a_deck_of_key_steps_can_be_read_from_the_back_of_the_room(model: str) -> None:
    """14 pt as it is in the file: with the line of arithmetic below, the bar of colours and the letters of patches."""
    steps = list(traced(model).key_steps)
    _, *slides = talk(model, steps)
    for step, slide in zip(steps, slides, strict=True):
        sized = [each for each in slide._element.iter(A + "rPr") if each.get("sz")]
        assert sized
        assert min(int(each.get("sz")) for each in sized) >= 1400, step.name


def test_a_page_that_is_too_small_is_refused() -> None:
    """Rather than a slide with squashed tensors; one that has room for them is not."""
    steps = list(traced("sentence-guide").key_steps)
    with pytest.raises(TxvizError, match=r"a page of 8\.4 × 4\.2 cm .* is too small for embed\.sum; .* would do"):
        content(Export(traced("sentence-guide"), steps, "pptx", PRESETS["column"]))
    assert content(Export(traced("sentence-guide"), steps, "pptx", PRESETS["text-width"]))


def test_the_cover_of_a_comparison_names_both_runs() -> None:
    a, b = txviz.trace("sentence-guide", "The cat sat."), txviz.trace("sentence-guide", "The dog sat.")
    made = content(Export(b, list(b.key_steps[:2]), "pptx", SLIDE, other=a))
    said = [shape.text_frame.text for shape in Presentation(BytesIO(made)).slides[0].shapes if shape.has_text_frame]
    assert said[1].splitlines() == ["A: “The cat sat.”", "B: “The dog sat.”"]
