"""The embedding on one page: words, numbers and rows of the table, or patches of an image; and their positions."""

from __future__ import annotations

import numpy as np
import pytest

import txviz
from tests.figures import shipped
from tests.figures.levels.checks import all_marks, arrows, drawn, heats_of, words
from tests.figures.levels.test_all_pictures import untrained
from tests.models.checkpoints.reference import path
from tests.nets.architectures import image as vit
from txviz import Trace
from txviz.figures.colour_scale import Span
from txviz.figures.levels.embedding import EmbeddingSteps
from txviz.figures.levels.patch_grid import PatchGrid
from txviz.figures.levels.picture import Picture
from txviz.figures.marks import Group, Heat, Text
from txviz.figures.theme import LIGHT, colours, greys, largest
from txviz.trace import Run
from txviz.trace.outline import Node


def embedding(kind: str, name: str = "embed") -> tuple[Trace, Node]:
    trace = shipped.trace(kind)
    return trace, trace.outline.find(name)


def group(picture: Picture, name: str) -> list[Text | Heat]:
    found = [mark for mark in picture.figure.marks if isinstance(mark, Group) and mark.name == name]
    return [mark for mark in all_marks(found) if isinstance(mark, Text | Heat)]


@pytest.mark.parametrize(
    ("kind", "name", "formula"),
    [
        ("sentence-guide", "embed", "x = E[t] + P"),
        ("translator", "time.2.decoder.embed", r"x = \sqrt{64} \, E[t] + P"),
        ("digits", "embed", r"x = X \, E + b_E + P"),
        ("vit-guide-2x2", "embed", r"x = \left[\, e_{\mathrm{cls}} \,;\, X \, E \,\right] + P"),
    ],
)
def test_the_formula_is_that_of_the_steps(kind: str, name: str, formula: str) -> None:
    assert EmbeddingSteps(embedding(kind, name)[1]).formula == formula


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("sentence-guide", "embed"),
        ("translator", "embed"),
        ("translator", "time.3.decoder.embed"),
        ("sentence", "second.embed"),
    ],
)
def test_each_word_stands_beside_its_number_and_its_vector(kind: str, name: str) -> None:
    trace, node = embedding(kind, name)
    picture = drawn(trace, node)
    lookup = node.steps[0]
    ids = lookup.sources[0]
    (rows,) = heats_of(picture, lookup.name)
    middles = [rows.y + (i + 0.5) * rows.cell_height for i in range(rows.rows)]
    named = [mark for mark in group(picture, ids.name) if isinstance(mark, Text)]
    numbered = [mark for mark in group(picture, f"numbers of {ids.name}") if isinstance(mark, Text)]
    assert [mark.text for mark in named] == list(trace[ids.name].labels[-1])
    assert [mark.text for mark in numbered] == [str(i) for i in ids.value]
    for marks in (named, numbered):
        assert np.allclose([mark.y for mark in marks], middles, atol=picture.figure.height * 0.01)


def test_the_rows_of_the_table_are_those_that_are_picked() -> None:
    trace, node = embedding("translator")
    picture, table = drawn(trace, node), trace.parameters["embed.tokens.table"]
    picked = sorted(set(trace["tokens"].value.tolist()))
    drawn_rows = heats_of(picture, "embed.tokens.table")
    assert [heat.colours for heat in drawn_rows] == [
        colours(LIGHT, table[i : i + 1], Span.around_0(largest(table))).tobytes() for i in picked
    ]
    tops = [heat.y for heat in drawn_rows]
    assert tops == sorted(tops), "a larger number is further down"
    ways = [arrow for arrow in arrows(picture) if arrow.source == "embed.tokens.table"]
    assert len(ways) == len(trace["tokens"].value)
    for i, way in zip(trace["tokens"].value.tolist(), ways, strict=True):
        row = drawn_rows[picked.index(i)]
        assert way.points[0][1] == pytest.approx(row.y + row.height / 2)


def test_vectors_plus_positions_are_the_sum() -> None:
    trace, node = embedding("vit-guide-2x2")
    picture = drawn(trace, node)
    shown = {name: heats_of(picture, f"embed.{name}")[0] for name in ("projection", "tokens", "positions", "sum")}
    for name, heat in shown.items():
        numbers = [float(text.replace("−", "-")) for text in heat.texts]
        assert np.allclose(numbers, trace[f"embed.{name}"].value.ravel(), atol=0.0051)
    assert shown["tokens"].y == shown["positions"].y == shown["sum"].y
    assert shown["projection"].y == pytest.approx(shown["tokens"].y + shown["tokens"].cell_height), "below [CLS]"
    said = words(picture)
    assert {"+", "=", "global", "row 0, col 0", "row 2, col 2"} <= set(said)


def test_the_image_is_shown_patch_by_patch() -> None:
    trace, node = embedding("digits")
    picture = drawn(trace, node)
    image, patches = trace["image"].value, heats_of(picture, "image")
    assert len(patches) == 9
    for place, heat in enumerate(patches):
        down, across = divmod(place, 3)
        pixels = image[2 * down : 2 * down + 2, 2 * across : 2 * across + 2]
        assert heat.colours == greys(pixels).tobytes()
        assert [float(text) for text in heat.texts] == pixels.ravel().tolist()
    letters = [mark.text for mark in group(picture, "letters") if isinstance(mark, Text)]
    assert letters[:4] == ["A", "(0, 0)", "B", "(0, 1)"]
    (flat,) = heats_of(picture, "patches")
    assert flat.colours == greys(trace["patches"].value).tobytes()
    spots = [spot for spot in picture.spots if spot.node == "image" and spot.panel]
    assert [spot.hint for spot in spots[:2]] == [
        "patch A, row 0, column 0, top left: pixels (0, 0) to (1, 1)",
        "patch B, row 0, column 1, top centre: pixels (0, 2) to (1, 3)",
    ]
    panel = spots[5].panel
    assert panel is not None
    assert panel.cell_at(panel.x + 1, panel.y + 1) == (2, 4)


def test_how_many_patches_and_how_many_numbers() -> None:
    trace, node = embedding("vit-guide-3x2")
    grid = PatchGrid(trace["embed.projection"], trace["all_patches"])
    assert r"\frac{6 \cdot 6}{3 \cdot 2} = 6" in grid.formula
    assert r"3 \cdot 2 \cdot 1 = 6" in grid.formula
    assert any("the first 3 are used" in text for text in words(drawn(trace, node)))


def test_later_steps_are_pale_and_the_current_is_lit() -> None:
    for kind, name in (("translator", "embed"), ("vit-guide-2x2", "embed"), ("a cache", "time.2.embed")):
        trace, node = embedding(kind, name)
        for now, current in enumerate(node.steps):
            picture = drawn(trace, node, current=current)
            assert [len(heats_of(picture, step.name)) for step in node.steps] == [
                int(i <= now) for i in range(len(node.steps))
            ]
            assert any(isinstance(mark, Group) and mark.name == "current" for mark in picture.figure.marks)


def test_before_the_input_is_read_nothing_of_it_is_shown() -> None:
    trace, node = embedding("digits")
    picture = drawn(trace, node, current=trace["image"])
    assert heats_of(picture, "image")
    assert not heats_of(picture, "patches")


def test_what_a_decoder_reads_is_shifted_right() -> None:
    trace, node = embedding("translator", "time.3.decoder.embed")
    assert any("shifted right by <SOS>" in text for text in words(drawn(trace, node)))
    assert not any("shifted" in text for text in words(drawn(*embedding("translator"))))


def test_positions_say_where_they_begin() -> None:
    trace, node = embedding("a cache", "time.2.embed")
    assert str(trace["time.2.embed.positions"].params["at"][0]) in words(drawn(trace, node))


def test_positions_by_row_and_column_stand_there_by_their_names() -> None:
    trace = untrained("vit, learned 2D")
    node = trace.outline.find("embed")
    assert {"rows", "columns", "grid"} <= set(words(drawn(trace, node)))


def test_a_large_image_stays_in_one_piece() -> None:
    parameters, forward = vit(image=(48, 48), patch=(4, 4), colours=3)
    run = Run(parameters)
    forward(run)
    trace = Trace(run.steps, {}, "")
    picture = drawn(trace, trace.outline.find("embed"))
    (heat,) = heats_of(picture, "image")
    assert (heat.rows, heat.columns) == (48, 48)
    assert heat.colours == np.rint(trace["image"].value * 255).astype(np.uint8).tobytes()


@pytest.mark.parametrize(
    ("name", "node", "said"),
    [
        ("t5", "embed", "the scores get a number for each distance, learned."),
        ("t5", "time.1.decoder.embed", "the scores get a number for each distance, learned."),
        ("llama", "time.1.embed", "queries and keys are turned, the further on in the text the more."),
    ],
)
def test_positions_that_each_layer_has_for_itself_are_not_missing(name: str, node: str, said: str) -> None:
    """Order matters to these models, though the embedding knows nothing of it."""
    trace = txviz.trace(path(name), "The cat sat", max_steps=1)
    told = " ".join(words(drawn(trace, trace.outline.find(node))))
    assert f"No positions are added here: in every layer {said}" in told
    assert "in any order" not in told
