"""Colours tell the truth: over all steps of all models, what is added, copied or compared has one scale."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest

import txviz
from tests.figures.shipped import KINDS
from tests.figures.shipped import trace as shipped
from txviz.cli import main
from txviz.errors import TxvizError
from txviz.figures.colour_scale import Span, extent, read_scale
from txviz.figures.grid import Grid
from txviz.figures.looks import RESULT, look
from txviz.figures.marks import Group, Heat, Text
from txviz.figures.presets import PAPER_COLUMN, SCREEN
from txviz.figures.stage import Stage, stage
from txviz.figures.stage_cells import drawn_cells
from txviz.figures.style import Style
from txviz.ops import Array
from txviz.trace import Step


@cache
def steps(kind: str) -> tuple[Step, ...]:
    """The first two of each operation and number of operands: a training step of the translator has 700."""
    found: dict[tuple[str, int], list[Step]] = {}
    for step in shipped(kind):
        found.setdefault((step.op, len(step.sources)), []).append(step)
    return tuple(step for alike in found.values() for step in alike[:2])


def coloured(made: Stage) -> list[tuple[Grid, Array, Array]]:
    """Of each tensor that has colours: its numbers and the colour of each."""
    found = [(result.panel.grid, result.cells) for result in drawn_cells(made, made.figure)]
    return [
        (grid, grid.values.ravel(), np.frombuffer(cells.colours, np.uint8).reshape(-1, 3))
        for grid, cells in found
        if not (grid.counts or grid.picture)
    ]


def together(made: Stage, grid: Grid) -> bool:
    """Whether the operation has it share its colours, told from its row of knowledge."""
    step = made.step
    places = [RESULT] if grid.output else [i for i, each in enumerate(step.sources) if each.name == grid.name]
    return any(place in look(step).together for place in places)


def colour_of(number: float, values: Array, painted: Array) -> tuple[int, ...]:
    return tuple(painted[int(np.flatnonzero(values == number)[0])].tolist())


def legend(made: Stage) -> tuple[list[Text], list[Text], list[Text], Heat | None]:
    """The words above the colour bar, at its ends and under them, and the bar."""
    (group,) = (mark for mark in made.figure.marks if isinstance(mark, Group) and mark.name == "colours")
    bar = next((mark for mark in group.marks if isinstance(mark, Heat)), None)
    texts = [mark for mark in group.marks if isinstance(mark, Text)]
    if bar is None:
        return [], [], [], None
    ends = min((text.y for text in texts if text.y > bar.y), default=0.0)
    above, at, under = ([t for t in texts if test(t.y)] for test in (lambda y: y < bar.y, ends.__eq__, ends.__lt__))
    return above, at, under, bar


@pytest.mark.parametrize("kind", KINDS)
def test_what_shares_a_scale_has_one_colour_for_one_number(kind: str) -> None:
    """Where no number is in both, the one that is larger is as strong or stronger."""
    for step in steps(kind):
        made = stage(step)
        sharing = [found for found in coloured(made) if together(made, found[0])]
        for _, values, painted in sharing[1:]:
            for number in np.intersect1d(values, sharing[0][1]).tolist():
                first = colour_of(number, *sharing[0][1:])
                assert colour_of(number, values, painted) == first, (step.name, number)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("page", [SCREEN, PAPER_COLUMN], ids=lambda page: page.name)
def test_every_bar_says_what_it_is_for(kind: str, page: txviz.figures.presets.Preset) -> None:
    """The words stand inside the page, the bar's ends are those of the colours, and it begins at 0 where all does."""
    for step in steps(kind):
        made = stage(step, (), page.width, page.height, page.style)
        above, ends, under, bar = legend(made)
        shown = [grid for grid in (panel.grid for panel in made.panels) if not grid.counts]
        if bar is None:
            assert not any(grid.extent.limit for grid in shown), step.name
            continue
        (name,) = above
        first = min((grid for grid in shown if grid.extent.limit), key=lambda grid: not grid.output)
        own = [g for g in shown if together(made, g) == together(made, first)] if together(made, first) else [first]
        assert any(each.called in name.text for each in own) or name.text == "all of these", step.name
        assert [ends[0].text == "0"] == [not any(each.extent.low < 0 for each in own)], step.name
        others = {g.name for g in shown if g.extent.limit} - {g.name for g in own}
        assert bool(under) == bool(others), step.name


def test_other_scales_are_told_in_words() -> None:
    trace = txviz.trace("sentence-guide", "The cat sat.")
    above, ends, under, _ = legend(stage(trace["encoder.0.attention.scores"]))
    assert [text.text for text in (*above, *under)] == ["scores", "query ±0.8 · key ±0.8"]
    assert [text.text for text in ends] == ["−0.98", "0", "0.98"]
    above, _, under, _ = legend(stage(trace["embed.sum"]))
    assert [text.text for text in (*above, *under)] == ["tokens, positions, sum"]
    little = [legend(stage(trace["encoder.0.ffn.output"], (), width, 300))[2][0].text for width in (900, 330, 280)]
    assert little == [
        "activation 0 to 0.314 · output weight ±0.5",
        "the others: each its own scale",
        "others: their own",
    ]


def test_a_position_is_as_pale_as_it_is_small() -> None:
    trace = txviz.trace("sentence-guide", "The cat sat.")
    (_, words, first), (_, places, second), (_, sums, third) = coloured(stage(trace["embed.sum"]))
    for number in (0.0, 0.1):
        assert colour_of(number, words, first) == colour_of(number, places, second) == colour_of(number, sums, third)
    assert colour_of(0.1, places, second) != colour_of(0.8, words, first)


def test_a_mask_takes_no_part_in_the_scale_of_what_it_hides() -> None:
    trace = txviz.trace("masked-attention-guide", "YOUR CAT IS A LOVELY CAT")
    step = trace["decoder.0.self_attention.masked"]
    end = extent(step.sources[0].value).limit
    assert legend(stage(step))[1][0].text == f"−{end:.3g}"


@pytest.mark.parametrize("scale", ["auto", "shared", "each", Span(-1, 2), Span(0, 0.1)])
@pytest.mark.parametrize("kind", KINDS)
def test_on_paper_0_is_white(kind: str, scale: str | Span) -> None:
    style = Style(theme=PAPER_COLUMN.style.theme, scale=scale)
    for step in steps(kind)[:12]:
        for _, values, painted in coloured(stage(step, style=style)):
            assert (painted[values == 0] == 255).all(), step.name


def test_fixed_ends_mark_what_lies_beyond() -> None:
    step = txviz.trace("sentence-guide", "The cat sat.")["encoder.0.attention.weights"]
    made = stage(step, style=Style(scale=Span(0.0, 0.3)))
    above, ends, _, bar = legend(made)
    assert [text.text for text in (*above, *ends)] == ["scores, weights", "≤ 0", "≥ 0.3"]
    assert bar is not None
    _, (_, weights, painted) = coloured(made)
    assert (painted[weights > 0.3] == list(bar.colours[-3:])).all()
    within = legend(stage(step, style=Style(scale=Span(-1.0, 1.0))))[1]
    assert [text.text for text in within] == ["−1", "0", "1"]


def test_scales_by_name() -> None:
    step = txviz.trace("sentence-guide", "The cat sat.")["embed.sum"]
    marks = [txviz.figure(step, scale=scale).marks for scale in ("fixed:-2,2", (-2, 2), 2)]
    assert marks[0] == marks[1] == marks[2] != txviz.figure(step).marks
    assert txviz.figure(step, scale="shared").marks == txviz.figure(step).marks, "all is added"
    (_, _, positions) = coloured(stage(step, style=Style(scale="each")))[1]
    assert positions.min() < 20, "its largest number is dark"


WRONG = {
    "tensor": "it must be auto, shared, each, or fixed:LO,HI with numbers, as in fixed:-1,1",
    "": "it must be auto",
    "fixed": "it must be auto",
    "fixed:": "it must be auto",
    "fixed:1": "it must be auto",
    "fixed:a,b": "it must be auto",
    "fixed:1,2,3": "it must be auto",
    "fixed:nan,1": "it must be auto",
    "fixed:-inf,1": "it must be auto",
    "fixed:2,1": "its first number must be below its second",
    "fixed:1,1": "its first number must be below its second",
}


@pytest.mark.parametrize("said", WRONG)
def test_a_scale_that_makes_no_sense_is_told(
    said: str, capsys: pytest.CaptureFixture[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    with pytest.raises(TxvizError, match=WRONG[said]):
        read_scale(said)
    path = tmp_path_factory.mktemp("wrong") / "x.svg"
    command = ["export", "sentence-guide", "The cat sat.", "--steps", "embed.sum", "--scale", said, "-o", str(path)]
    assert main(command) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert not path.exists()


@pytest.mark.parametrize("said", [float("nan"), 0, -1, (1, 2, 3), (2, 1), None, [None, 1], {}])
def test_a_scale_that_is_no_text_either(said: object) -> None:
    with pytest.raises(TxvizError, match="the scale is"):
        read_scale(said)


def test_the_command_line_has_scales(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Read from the colours of the file: its metadata has the command, and that differs."""
    folder = tmp_path_factory.mktemp("scales")
    command = ["export", "sentence-guide", "The cat sat.", "--steps", "embed.sum"]

    def fills(name: str, *more: str) -> tuple[str, ...]:
        assert main([*command, *more, "-o", str(folder / name)]) == 0
        return tuple(re.findall('fill="(#[0-9a-f]+)"', (folder / name).read_text()))

    plain = fills("plain.svg")
    auto, shared, each, fixed = (
        fills(f"{said}.svg", "--scale", said) for said in ("auto", "shared", "each", "fixed:-2,2")
    )
    assert plain == auto == shared
    assert len({auto, each, fixed}) == 3


def test_a_plot_of_attention_has_the_given_ends() -> None:
    step = txviz.trace("sentence-guide", "The cat sat.")["encoder.0.attention.weights"]
    marks = txviz.figure(step, view="attention", scale=(0, 0.2)).marks
    (bar,) = (mark for mark in marks.marks if isinstance(mark, Group) and mark.name == "colours")
    assert [mark.text for mark in bar.marks if isinstance(mark, Text)] == ["0", "≥ 20 %"]
    cells = next(mark for mark in marks.flat() if isinstance(mark, Heat) and mark.rows == mark.columns == 5)
    painted = np.frombuffer(cells.colours, np.uint8).reshape(5, 5, 3)
    darkest = painted.reshape(-1, 3).min(axis=0)
    assert (painted[step.value[0] >= 0.2] == darkest).all()


def test_0_stands_where_it_is() -> None:
    step = txviz.trace("sentence-guide", "The cat sat.")["embed.sum"]
    for ends, share in ((Span(-1, 1), 0.5), (Span(-1, 2), 1 / 3)):
        _, said, _, bar = legend(stage(step, style=Style(scale=ends)))
        assert bar is not None
        (zero,) = (text for text in said if text.text == "0")
        assert (zero.x - bar.x) / bar.width == pytest.approx(share)
