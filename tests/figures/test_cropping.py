"""Large tensors on a slide: cropped to what matters, so that all of it can be read, and what is left out is said."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import txviz
from tests.figures import shipped
from tests.figures.measure import Measured
from txviz import ops
from txviz.cli import main
from txviz.errors import TxvizError
from txviz.figures.comparison import comparison
from txviz.figures.crop import WHOLE, parse_crop
from txviz.figures.decimals import block_decimals
from txviz.figures.job import Export
from txviz.figures.marks import Figure, Heat, Text
from txviz.figures.panels import left_out
from txviz.figures.patches import find_drawing
from txviz.figures.presets import SLIDE, make_page
from txviz.figures.stage import Stage, stage
from txviz.models import find
from txviz.trace import Run, Step, Trace

FLOOR = 14.0
"""Points, on a slide that is 13.33 inches wide."""

PREFIX = "encoder.0.attention."


def slide(trace: Trace, step: Step, crop: str = "auto", cell: tuple[int, ...] | None = None) -> Stage:
    page = make_page("slide", crop=crop)
    drawing, decimals = find_drawing(trace), block_decimals(trace, step)
    return stage(step, (), page.width, page.height, page.style, drawing, decimals, cell=cell)


def made_by(shown: Stage) -> tuple[list[int], list[int]]:
    """The rows and the columns of the result that are shown."""
    grid = next(panel.grid for panel in shown.panels if panel.grid.output)
    return grid.row_ids.tolist(), grid.column_ids.tolist()


def texts(figure: Figure) -> list[str]:
    return [mark.text for mark in figure.flat() if isinstance(mark, Text)]


def numbers_of(shown: Stage) -> list[tuple[str, ...]]:
    heats = {(mark.x, mark.y): mark for mark in shown.figure.flat() if isinstance(mark, Heat)}
    return [heats[panel.x, panel.y].texts for panel in shown.panels]


@pytest.mark.parametrize("kind", ["vit-guide-2x2", "digits", "sentence", "translator", "writer"])
def test_every_key_step_can_be_read_from_the_back_of_the_room(kind: str) -> None:
    trace = shipped.trace(kind)
    keys = [step for step in trace if step.key and step.site.time in (None, 1, 3) and step.site.sentence != "second"]
    assert keys
    for step in keys:
        shown = slide(trace, step)
        measured = Measured(shown.figure)
        assert measured.smallest >= FLOOR, step.name
        assert not measured.overlaps, step.name
        assert not measured.outside, step.name
        assert all(numbers_of(shown)), f"{step.name}: not all tensors have their numbers"


def test_what_is_read_and_what_is_made_are_cut_alike() -> None:
    step = shipped.trace("translator")["encoder.0.ffn.hidden"]
    read, weight, bias, made = (panel.grid for panel in slide(shipped.trace("translator"), step).panels)
    assert made.column_ids.tolist() == weight.column_ids.tolist() == bias.column_ids.tolist()
    assert read.column_ids.tolist() == weight.row_ids.tolist()
    assert read.row_ids.tolist() == made.row_ids.tolist() == list(range(8)), "words stay, numbered features go"
    assert len(made.column_ids) < 128


def test_the_ends_the_largest_and_the_chosen_cell_stay() -> None:
    trace = shipped.trace("translator")
    step = trace["encoder.0.norm_1"]
    rows, columns = made_by(slide(trace, step))
    largest = np.unravel_index(np.abs(step.value).argmax(), step.value.shape)
    assert {0, 63, int(largest[1])} <= set(columns)
    assert {0, 7, int(largest[0])} <= set(rows)
    chosen = next(j for j in range(20, 60) if j not in columns)
    assert chosen in made_by(slide(trace, step, cell=(3, chosen)))[1]


def test_the_largest_number_stays_wherever_it_is() -> None:
    values = np.full((40, 90), 0.125)
    values[21, 57] = -9.0
    run, axes = Run({}), "row column"
    given = [run.given(name, each, axes=axes) for name, each in (("one", values), ("zero", 0 * values))]
    step = run(ops.add, "sum", *given, axes=axes)
    rows, columns = made_by(slide(Trace([step], {}, step), step))
    assert len(rows) < 40
    assert len(columns) < 90
    assert (21 in rows, 57 in columns) == (True, True)


def test_of_a_table_those_rows_are_shown_that_are_picked() -> None:
    trace = shipped.trace("translator")
    shown = slide(trace, trace["embed.tokens"], crop="3,4")
    table = next(panel.grid for panel in shown.panels if panel.grid.name.endswith("table"))
    picked = trace["tokens"].value[made_by(shown)[0]]
    assert table.row_ids.tolist() == sorted({*picked.tolist()})


def test_a_chosen_word_is_shown_though_it_is_unlikely() -> None:
    trace = shipped.trace("translator")
    step = trace["time.1.head.probabilities"]
    unlikely = int(step.value.argmin())
    assert unlikely not in made_by(slide(trace, step))[0]
    shown = slide(trace, step, cell=(unlikely,))
    assert unlikely in made_by(shown)[0]
    assert step.labels[0][unlikely] in texts(shown.figure)
    assert int(step.value.argmax()) in made_by(shown)[0]


def test_a_shown_cell_is_the_cell_of_the_tensor() -> None:
    """Positions and indices are mapped in one place, for hovering, outlines, films and worksheets alike."""
    trace = shipped.trace("translator")
    step = trace["encoder.0.norm_1"]
    shown = slide(trace, step)
    panel = next(panel for panel in shown.panels if panel.grid.output)
    texts_of_cells = numbers_of(shown)[shown.panels.index(panel)]
    rows, columns = panel.grid.values.shape
    for place in range(rows * columns):
        i, j = divmod(place, columns)
        x, y = panel.x + (j + 0.5) * panel.cell_width, panel.y + (i + 0.5) * panel.cell_height
        found = shown.cell_at(x, y)
        assert found is not None
        index = found[1]
        assert float(texts_of_cells[place].replace("−", "-")) == pytest.approx(step.value[index], abs=0.0051)
        left, top, width, height = panel.box([panel.grid.find(index) or (0, 0)])
        assert left < x < left + width
        assert top < y < top + height


def test_what_is_left_out_is_said_and_seen() -> None:
    trace = shipped.trace("translator")
    shown = slide(trace, trace["encoder.0.norm_1"])
    columns = len(made_by(shown)[1])
    assert any(f"8 × {columns} of 64" in text for text in texts(shown.figure))
    assert not any("of 64" in text for text in texts(slide(trace, trace["encoder.0.norm_1"], "none").figure))
    whole, cut = (
        sum(1 for mark in slide(trace, trace["encoder.0.norm_1"], crop).figure.flat() if _is_dot(mark))
        for crop in ("none", "auto")
    )
    assert whole == 0
    assert cut >= 3, "three dots at each gap"


def _is_dot(mark: object) -> bool:
    return getattr(mark, "radius", 0) > 0 and getattr(mark, "width", 0) == 2 * getattr(mark, "radius", 0)


def test_gaps_are_where_entries_are_missing() -> None:
    assert left_out(np.array([0, 1, 2, 61, 63]), 64) == [3, 4]
    assert left_out(np.array([1, 2, 3, 4]), 6) == [0, 4]
    assert left_out(np.array([704, 9, 12]), 1185) == [3], "the likeliest words: the others follow"
    assert left_out(np.array([3, 90, 270, 400, 801]), 1185) == [], "rows picked from a table are no crop of it"


def test_so_many_rows_and_columns() -> None:
    trace = shipped.trace("translator")
    for step in (trace[f"{PREFIX}weights"], trace["encoder.0.ffn.hidden"]):
        for panel in slide(trace, step, "3,5").panels:
            rows, columns = panel.grid.values.shape
            assert rows <= 3, step.name
            assert columns <= 5, step.name
    assert made_by(slide(trace, trace["encoder.0.norm_1"], "3,"))[1] == list(range(64))


def test_these_rows_and_columns_of_the_result() -> None:
    trace = shipped.trace("translator")
    weights, context = (slide(trace, trace[f"{PREFIX}{leaf}"], "1:3,2:6") for leaf in ("weights", "context"))
    assert made_by(weights) == made_by(context) == ([1, 2], [2, 3, 4, 5])
    read, value, _ = (panel.grid for panel in context.panels)
    assert read.row_ids.tolist() == [1, 2]
    assert read.column_ids.tolist() == value.row_ids.tolist() == list(range(8)), "all that is summed over"
    assert value.column_ids.tolist() == [2, 3, 4, 5]
    with pytest.raises(TxvizError, match=re.escape("has 8 rows, counted from 0; none of them is in 20:30")):
        slide(trace, trace[f"{PREFIX}weights"], "20:30,")


def test_a_crop_without_the_chosen_cell_is_refused() -> None:
    trace = shipped.trace("translator")
    step = trace["encoder.0.norm_1"]
    assert made_by(slide(trace, step, "2:4,38:41", (3, 40))) == ([2, 3], [38, 39, 40])
    for crop, part in (("0:2,", "0:2"), (",0:40", "0:40")):
        with pytest.raises(TxvizError, match=re.escape(f"leaves out the chosen cell (3, 40); {part} has to reach it")):
            slide(trace, step, crop, (3, 40))


@pytest.mark.parametrize("text", ["6", "a,b", "0,4", "4:2,", "1,2,3", "-1,3", "½,2", ""])
def test_a_crop_that_makes_no_sense_is_refused(text: str) -> None:
    with pytest.raises(TxvizError, match="it must be auto, none, how many rows and columns"):
        parse_crop(text)


def test_only_slides_are_cropped_by_themselves() -> None:
    assert SLIDE.style.crop.fits
    assert make_page("screen").style.crop == make_page("slide", crop="none").style.crop == WHOLE
    step = shipped.trace("translator")["encoder.0.norm_1"]
    for page, cells in (("slide", False), ("screen", True)):
        heats = [mark for mark in txviz.figure(step, preset=page).marks.flat() if isinstance(mark, Heat)]
        assert any(heat.columns == 64 for heat in heats) == cells


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["export", "translator", "I love you", "--steps", "encoder.0.norm_1"]
    said = {}
    for name, more in {"auto": [], "all": ["--no-crop"], "part": ["--crop", "0:2,0:4"]}.items():
        assert main([*asked, *more, "-o", str(tmp_path / f"{name}.svg")]) == 0
        said[name] = (tmp_path / f"{name}.svg").read_text(encoding="utf-8")
    assert "2 of 6 × 4 of 64" in said["part"]
    assert "of 64" in said["auto"]
    assert "of 64" not in said["all"]
    assert main([*asked, "--crop", "some", "-o", str(tmp_path / "x.svg")]) == 2
    assert 'the crop is "some"' in capsys.readouterr().err


def test_a_web_page_has_all_cells(tmp_path: Path) -> None:
    from txviz.figures.export import Export, content

    trace = shipped.trace("translator")
    page = content(Export(trace, [trace["encoder.0.norm_1"]], "html", SLIDE)).decode()
    assert " of 64" not in page


COMPARED = [("sentence", "the dog sleeps"), ("translator", "I love you"), ("writer", "ben lost his hat .")]
"""A model, and what it reads instead of its example."""


@pytest.mark.parametrize(("kind", "other"), COMPARED)
def test_comparisons_can_be_read_from_there_too(kind: str, other: str) -> None:
    a, b = shipped.trace(kind), txviz.trace(kind, other)
    for step in b.key_steps:
        measured = Measured(Export(b, [step], "svg", SLIDE, other=a).figure(step))
        assert measured.smallest >= FLOOR, step.name
        assert not measured.overlaps, step.name
        assert not measured.outside, step.name


def test_a_comparison_shows_the_same_cells_of_both_and_where_they_differ_most() -> None:
    a = shipped.trace("translator")
    b = txviz.trace("translator", find("translator").example, edits=["encoder.0.attention.output[:,40]*=9"])
    name = "encoder.0.residual_1"
    shown = comparison(a[name], b[name], (), SLIDE.width, SLIDE.height, SLIDE.style)
    of_b, of_a, difference = (panel.grid for panel in shown.panels)
    assert of_a.shows_as(of_b)
    assert of_a.shows_as(difference)
    assert 40 in of_a.column_ids, "the feature that differs"
    assert len(of_a.column_ids) < 64
    assert "of 64" in of_a.shape
    assert of_b.values.tolist() == b[name].value[np.ix_(of_b.row_ids, of_b.column_ids)].tolist()


def test_a_comparison_is_cropped_as_one_says() -> None:
    a, b = shipped.trace("translator"), txviz.trace("translator", "I love him very much")
    step = b["encoder.0.residual_1"]
    page = make_page("slide", crop="2:4,8:16")
    shown = comparison(a[step.name], step, (), page.width, page.height, page.style)
    assert {tuple(panel.grid.row_ids.tolist()) for panel in shown.panels} == {(2, 3)}
    assert {tuple(panel.grid.column_ids.tolist()) for panel in shown.panels} == {tuple(range(8, 16))}
