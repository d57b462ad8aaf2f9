"""Below a figure: the arithmetic of the chosen cell, the caption and the provenance, and nothing on anything else."""

from __future__ import annotations

from dataclasses import replace
from math import cos, radians, sin
from pathlib import Path

import numpy as np
import pytest

import txviz
from tests.figures import shipped
from tests.figures.views.checks import extent
from txviz.cli import main
from txviz.figures import fonts
from txviz.figures.foot import MOST_LINES, foot
from txviz.figures.job import Export
from txviz.figures.marks import Box, Figure, Group, Heat, Mark, Text
from txviz.figures.presets import PAPER_COLUMN, SCREEN, SLIDE, Preset
from txviz.figures.style import MARGIN, Style
from txviz.figures.worked import shortened
from txviz.trace import Step, Trace

WORKED = "scores[head 0, cat, .] = 0.8×0.1 + 0.3×0.1 + (−0.5)×0.2 = 0.01"
FOOT = ("worked", "caption", "provenance")


@pytest.fixture(scope="module")
def trace() -> Trace:
    return txviz.trace("sentence-guide", "The cat sat.")


@pytest.fixture(scope="module")
def scores(trace: Trace) -> Step:
    return trace["encoder.0.attention.scores"]


def said(figure: Figure) -> dict[str, str]:
    """What stands below the figure, by the name of its group."""
    groups = {mark.name: mark.marks for mark in figure.marks if isinstance(mark, Group)}
    return {name: " ".join(m.text for m in groups[name] if isinstance(m, Text)) for name in FOOT if name in groups}


def test_the_arithmetic_of_the_chosen_cell(trace: Trace, scores: Step) -> None:
    wanted = Export(trace, [scores], "png", cell=(0, 2, 4))
    assert said(wanted.figure(scores)) == {"worked": WORKED}
    assert said(replace(wanted, cell=None).figure(scores)) == {}
    assert said(txviz.figure(scores, cell=(0, 2, 4)).marks) == {"worked": WORKED}


@pytest.mark.parametrize("view", ["stage", "attention"])
def test_it_is_taken_from_the_page(trace: Trace, scores: Step, view: str) -> None:
    wanted = Export(trace, [scores], "png", cell=(0, 2, 4), caption="A caption", provenance=True, view=view)
    figure = wanted.figure(trace["encoder.0.attention.weights"])
    assert (figure.width, figure.height) == (SLIDE.width, SLIDE.height)


def test_two_runs_have_a_line_each(trace: Trace) -> None:
    other = txviz.trace("sentence-guide", "The dog sat.")
    name = "encoder.0.attention.scores"
    figure = txviz.figure(trace[name], other[name], cell=(0, 2, 4)).marks
    second = "scores[head 0, dog, .] = 0.9×0.1 + 0.7×0.1 + (−0.3)×0.2 = 0.1"
    assert said(figure)["worked"] == f"A  {WORKED} B  {second}"
    assert figure.height == SLIDE.height


def test_captions_and_titles_name_the_step(trace: Trace, scores: Step) -> None:
    wanted = Export(trace, [scores], "png", caption="{number}: {title} ({name}) {other}")
    text = "11: Attention scores: who fits whom (encoder.0.attention.scores) {other}"
    assert said(wanted.figure(scores)) == {"caption": text}
    own = txviz.figure(scores, title="How {name} come about").marks
    title, *others = next(m for m in own.marks if isinstance(m, Group)).marks
    assert isinstance(title, Text)
    assert title.text == "How encoder.0.attention.scores come about"
    assert not any(isinstance(mark, Text) for mark in others)


def test_every_kind_of_picture_takes_a_title_and_a_caption(trace: Trace) -> None:
    other = txviz.trace("sentence-guide", "The dog sat.")
    block, weights = trace.outline.find("encoder.0.attention"), trace["encoder.0.attention.weights"]
    figures = [
        txviz.figure(trace, title="Mine", caption="Below").marks,
        txviz.figure(block, title="Mine", caption="Below").marks,
        txviz.figure(weights, title="Mine", caption="Below", view="lines").marks,
        txviz.figure(trace, other, title="Mine", caption="Below").marks,
        txviz.figure(weights, other[weights.name], title="Mine", caption="Below").marks,
    ]
    for figure in figures:
        bold = [mark.text for mark in figure.flat() if isinstance(mark, Text) and mark.bold]
        assert bold[0] == "Mine"
        assert said(figure)["caption"] == "Below"


def test_provenance_really_replays(trace: Trace, scores: Step) -> None:
    wanted = Export(trace, [scores], "png", provenance=True)
    about = f"Guide: a sentence as a vector · “The cat sat.” · txviz {txviz.__version__}"
    assert said(wanted.figure(scores)) == {"provenance": f"21 of 21 steps replayed · {about}"}
    wrong = [replace(step, value=step.value + 1) if step is scores else step for step in trace]
    broken = Trace(wrong, trace.about, "")
    assert said(replace(wanted, trace=broken).figure(scores))["provenance"].startswith("20 of 21 steps replayed · ")


def marked(figure: Figure) -> tuple[list[Text | Box | Heat], list[Text]]:
    """What is above the strip, and what is on it."""
    below = [text for mark in figure.marks if isinstance(mark, Group) and mark.name in FOOT for text in mark.marks]
    found = [mark for mark in below if isinstance(mark, Text)]
    above = [mark for mark in figure.flat() if isinstance(mark, Text | Box | Heat) and mark not in found]
    return above, found


def is_turned(mark: Mark) -> bool:
    return isinstance(mark, Text) and mark.turn != 0


def top_of(mark: Text | Heat) -> float:
    """Of a text that is turned, where its end is: it rises to the right."""
    if not isinstance(mark, Text) or not mark.turn:
        return extent(mark).top
    across = fonts.width(mark.text, mark.size, bold=mark.bold)
    return mark.y - sin(radians(mark.turn)) * across - cos(radians(mark.turn)) * mark.size * 0.75


def cell_of(step: Step) -> tuple[int, ...]:
    return tuple(int(i) for i in np.unravel_index(step.value.size - 1, step.value.shape))


@pytest.mark.parametrize("kind", ["vit-guide-2x2", "translator", "masked-attention-guide"])
@pytest.mark.parametrize("preset", [SLIDE, SCREEN, PAPER_COLUMN], ids=lambda preset: preset.name)
def test_nothing_lies_on_it(kind: str, preset: Preset) -> None:
    trace = shipped.trace(kind)
    for step in [*trace][:: max(1, len(trace) // 12)]:
        cell = cell_of(step)
        wanted = Export(trace, [step], "png", preset, cell=cell, caption="A caption of some words", provenance=True)
        figure = wanted.figure(step)
        above, below = marked(figure)
        top = min(extent(text).top for text in below)
        assert max(extent(mark).bottom for mark in above if not is_turned(mark)) <= top + 0.01, step.name
        for text in below:
            assert extent(text).right <= figure.width - MARGIN + 0.01
            assert extent(text).bottom <= figure.height


def test_long_sums_are_wrapped_then_shortened_in_their_middle() -> None:
    sum_ = " + ".join(f"0.{n:03}×0.{n:03}" for n in range(200)) + " = 12.34"
    made = foot({"worked": f"scores[a, b] = {sum_}"}, 680, 340, Style())
    lines = [text.text for _, text in made.lines]
    assert len(lines) == MOST_LINES
    assert lines[0].startswith("scores[a, b] = 0.000×0.000 + ")
    assert lines[-1].endswith(" = 12.34")
    assert sum("…" in line for line in lines) == 1
    terms = {*f"scores[a, b] = {sum_}".split(" "), "…"}
    assert {word for line in lines for word in line.split(" ")} <= terms, "no number is cut"
    for _, text in made.lines:
        assert fonts.width(text.text, text.size, mono=True) <= 680 - 2 * MARGIN
    assert shortened("1 + 2 = 3", 12, 500) == "1 + 2 = 3"


def test_a_page_that_is_too_low_is_longer(trace: Trace, scores: Step) -> None:
    page = replace(SLIDE, width=300.0, height=90.0)
    figure = Export(trace, [scores], "png", page, cell=(0, 2, 4), caption="Some words " * 8).figure(scores)
    _, below = marked(figure)
    assert figure.height > 90
    assert max(extent(text).bottom for text in below) <= figure.height


def test_the_command_line_says_it(tmp_path: Path) -> None:
    asked = ["export", "sentence-guide", "The cat sat.", "--steps", "*.scores", "--cell", "0,2,4"]
    asked += ["--title", "Mine", "--caption", "Below", "--provenance", "-o", str(tmp_path / "a.svg")]
    assert main(asked) == 0
    text = (tmp_path / "a.svg").read_text()
    for words in (WORKED, ">Mine<", ">Below<", "21 of 21 steps replayed"):
        assert words in text


def test_without_a_title_and_a_formula_the_bar_is_above_all_headings() -> None:
    """It stands in a row of its own, whatever else is left out."""
    for kind in ("vit-guide-2x2", "translator", "masked-attention-guide", "digits"):
        trace = shipped.trace(kind)
        for step in [*trace][:: max(1, len(trace) // 15)]:
            for preset in (SLIDE, PAPER_COLUMN):
                page = replace(preset, style=replace(preset.style, title=False, formula=False))
                figure = Export(trace, [step], "png", page).figure(step)
                bar = [m for m in figure.marks if isinstance(m, Group) and m.name == "colours"]
                low = max((extent(m).bottom for group in bar for m in group.marks), default=0)
                others = Figure(1, 1, "", tuple(m for m in figure.marks if m not in bar)).flat()
                tops = [top_of(m) for m in others if isinstance(m, Text | Heat)]
                assert min(tops) >= low - 0.01, (kind, step.name, preset.name)


@pytest.mark.parametrize("width", [1.0, 41.0, 45.0, 60.0])
@pytest.mark.parametrize("runs", [1, 2])
def test_a_page_too_narrow_for_any_arithmetic_ends(width: float, runs: int) -> None:
    text = "\n".join(["0.25 × 0.5 + 0.75 × 0.5 + 0.125 × 8 + 3 × 4 = 13.5"] * runs)
    assert len(foot({"worked": text}, width, 300, Style()).lines) <= max(MOST_LINES, 2 * runs)
