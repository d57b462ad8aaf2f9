"""Images in three colours are drawn as pictures; each of their pixels is still a number that can be explained."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

import txviz
from tests.models.checkpoints.reference import path, source
from txviz import ops
from txviz.figures import fonts
from txviz.figures.marks import Heat, Line, Text
from txviz.figures.patches import find_drawing, place_of_pixel
from txviz.figures.place import leading, leading_axes
from txviz.figures.selection import Target, selections
from txviz.figures.stage import Panel, Stage, stage
from txviz.figures.style import Style
from txviz.ops import Array
from txviz.trace import Run, Trace

IMAGES = ("photograph", "image", "standardised")


@cache
def trace() -> Trace:
    return txviz.trace(path("vit"), source("vit"), dtype="float64")


def shown(name: str, colour: int = 0, style: Style | None = None) -> Stage:
    return stage(trace()[name], (colour,), 1280, 800, style, drawing=find_drawing(trace()))


def output(made: Stage) -> Panel:
    return next(panel for panel in made.panels if panel.grid.output)


def painted(made: Stage, panel: Panel) -> Array:  # -> (rows,columns,3)
    heat = next(m for m in made.figure.flat() if isinstance(m, Heat) and (m.x, m.y) == (panel.x, panel.y))
    assert not heat.texts
    return np.frombuffer(heat.colours, np.uint8).reshape(heat.rows, heat.columns, 3)


def test_a_photograph_has_its_own_colours() -> None:
    made = shown("photograph")
    assert np.array_equal(painted(made, output(made)), trace()["photograph"].value)
    scaled = shown("image")
    assert np.array_equal(painted(scaled, output(scaled)), trace()["photograph"].value)


def test_standardised_colours_go_from_black_to_white() -> None:
    made, value = shown("standardised"), trace()["standardised"].value
    seen = painted(made, output(made)).astype(float)
    assert (seen.min(), seen.max()) == (0, 255)
    assert np.corrcoef(seen.ravel(), value.ravel())[0, 1] > 0.9999


def test_patches_lie_where_they_were_cut_out() -> None:
    made = shown("patches")
    read, cut = made.panels
    assert np.array_equal(painted(made, cut), painted(made, read))
    assert cut.cell_width == cut.cell_height


@pytest.mark.parametrize("name", [*IMAGES, "patches"])
@pytest.mark.parametrize("colour", [0, 1, 2])
def test_each_pixel_stands_for_a_number_of_the_chosen_colour(name: str, colour: int) -> None:
    step, panel = trace()[name], output(shown(name, colour))
    found = {panel.grid.index(row, column) for row, column in np.ndindex(12, 12)}
    assert len(found) == 144
    for row, column in np.ndindex(12, 12):
        index = panel.grid.index(row, column)
        assert panel.grid.find(index) == (row, column)
        assert panel.grid.values[row, column] == step.value[index] == pytest.approx(step.explain(index).result, 1e-12)
        assert (index[-1] if name in IMAGES else index[-1] % 3) == colour


def test_a_cell_lights_up_the_pixel_that_it_was_made_from() -> None:
    made = shown("patches", 1)
    read, cut = made.panels
    index = cut.cell_at(cut.x + 5.5 * cut.cell_width, cut.y + 9.5 * cut.cell_height)
    assert index is not None
    boxes = made.outlines(index, trace()["patches"].explain(index))
    assert [(round(box.x), round(box.y)) for box in boxes if not isinstance(box, Text | Line)] == [  # type: ignore[union-attr]
        (round(panel.x + 5 * panel.cell_width), round(panel.y + 9 * panel.cell_height)) for panel in (read, cut)
    ]
    assert place_of_pixel(trace(), trace()["patches"], index).startswith("patch H, row 2, column 1")


def test_the_patches_have_names_and_stand_apart() -> None:
    made = shown("patches")
    cut = output(made)
    inside = [m for m in made.figure.flat() if isinstance(m, Text) and cut.x < m.x < cut.right and cut.y < m.y]
    assert [mark.text for mark in inside] == list("ABCDEFGHI")
    gaps = [m for m in made.figure.flat() if isinstance(m, Line) and m.colour == made.style.theme.panel]
    assert len(gaps) == 4
    bare = shown("patches", style=Style(labels=False))
    assert not [m for m in bare.figure.flat() if isinstance(m, Text) and m.text in tuple("ABCDEFGHI")]


def test_a_picture_has_no_scale_and_is_not_cropped() -> None:
    figure = txviz.figure(trace()["photograph"]).marks
    heats = [mark for mark in figure.flat() if isinstance(mark, Heat)]
    assert [(heat.rows, heat.columns) for heat in heats] == [(12, 12)]  # and no bar


def test_one_chooses_from_three_colours() -> None:
    for name in (*IMAGES, "patches"):
        assert (leading(trace()[name]), leading_axes(trace()[name])) == ((3,), ("colour",))


def test_patches_that_are_projected_are_rows_with_thumbnails() -> None:
    made = shown("embed.projection")
    assert made.panels[0].grid.values.shape == (9, 48)
    pixels = trace()["photograph"].value.astype(np.uint8)
    small = [m for m in made.figure.flat() if isinstance(m, Heat) and (m.rows, m.columns) == (4, 4)]
    assert small[0].colours == pixels[:4, :4].tobytes()


def test_a_pixel_is_a_cell_and_no_row_of_numbers() -> None:
    panel, step = output(shown("photograph", 2)), trace()["photograph"]
    found = selections(Target(step, panel.grid, panel.grid.index(3, 4)))
    assert [each.kind for each in found] == ["cell", "all"]


@pytest.mark.parametrize("ending", ["png", "svg", "pdf", "html", "pptx", "tex"])
def test_every_format_takes_pictures(ending: str, tmp_path: Path) -> None:
    figure = txviz.figure(trace()["patches"])
    written = tmp_path / f"patches.{ending}"
    figure.save(written)
    assert written.stat().st_size > 1000


def test_two_photographs_are_compared() -> None:
    """Each has its own colours; what differs has those of a scale, around 0."""
    pixels = trace()["photograph"].value.astype(np.uint8)
    other = pixels.copy()
    other[3:6, 3:6] = 0
    figure = txviz.figure(trace()["photograph"], txviz.trace(path("vit"), other, dtype="float64")["photograph"]).marks
    heats = [mark for mark in figure.flat() if isinstance(mark, Heat) and (mark.rows, mark.columns) == (12, 12)]
    a, b, change = (np.frombuffer(heat.colours, np.uint8).reshape(12, 12, 3) for heat in heats)
    assert np.array_equal(a, pixels)
    assert np.array_equal(b, other)
    assert (change[:3] == change[0, 0]).all()
    assert (change[3:6, 3:6] != change[0, 0]).any()


@pytest.mark.parametrize("name", [*IMAGES, "patches"])
def test_every_image_is_compared(name: str) -> None:
    other = txviz.trace(path("vit"), 255 - trace()["photograph"].value.astype(np.uint8), dtype="float64")
    assert txviz.figure(trace()[name], other[name]).marks.marks


def test_attention_lies_on_the_photograph_in_greys() -> None:
    """In colour, nobody could tell a red ball from what is looked at."""
    weights = trace()["encoder.0.attention.weights"]
    none = txviz.trace(path("vit"), source("vit"), edits=["encoder.0.attention.weights=0"])
    figure = txviz.figure(none[weights.name], view="image").marks
    heat = next(mark for mark in figure.flat() if isinstance(mark, Heat) and (mark.rows, mark.columns) == (12, 12))
    seen = np.frombuffer(heat.colours, np.uint8).reshape(12, 12, 3)
    assert (seen == seen[..., :1]).all()
    bright = trace()["photograph"].value @ [0.2126, 0.7152, 0.0722]
    assert np.abs(seen[..., 0] - bright).max() <= 1


def test_the_largest_weight_of_a_query_has_the_strongest_colour_on_the_photograph() -> None:
    weights = trace()["encoder.1.attention.weights"]
    figure = txviz.figure(weights, view="image").marks
    heat = next(mark for mark in figure.flat() if isinstance(mark, Heat) and (mark.rows, mark.columns) == (12, 12))
    seen = np.frombuffer(heat.colours, np.uint8).reshape(3, 4, 3, 4, 3).astype(float)
    warm = (seen[..., 0] - seen[..., 2]).mean(axis=(1, 3))  # orange, against greys
    assert int(warm.argmax()) == int(weights.value[0, 0, 1:].argmax())


def test_of_a_thousand_classes_the_likeliest_are_shown() -> None:
    run = Run({})
    names = tuple(f"class {i}, which has a long name" for i in range(1000))
    logits = run.given("logits", np.arange(1000.0) / 100, axes="class", labels={"class": names})
    likely = run(ops.softmax, "probabilities", logits, axes="class")
    chosen = run(ops.argmax, "prediction", likely, axes="")
    rows, answer = stage(chosen).panels
    assert rows.grid.row_labels[:3] == names[:-4:-1]
    assert len(rows.grid.row_labels) == 16
    (label,) = [mark for mark in answer.column_labels if isinstance(mark, Text)]
    assert label.text.startswith("class 999")
    assert label.x - fonts.width(label.text, label.size) / 2 > rows.right
