"""The stage as data: what stands where, and that every number and colour on it is the trace's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import txviz
from txviz.figures import fonts, theme
from txviz.figures.marks import Box, Heat, Shape, Text
from txviz.figures.place import leading
from txviz.figures.stage import Panel, Stage, pictures, stage
from txviz.figures.style import Style
from txviz.figures.tensors import EXCERPT
from txviz.models import find
from txviz.ops import Array
from txviz.trace import Run, Step, Trace

PAGES = ((640, 440), (1200, 640), (420, 300))


def shown(trace: Trace, name: str, place: tuple[int, ...] = (), **style: Any) -> Stage:
    return stage(trace[name], place, 900, 560, Style(**style), pictures(trace))


def heats(figure: Stage) -> list[Heat]:
    """The grids' cells, in the order of the panels; thumbnails and the colour bar are heats, too."""
    places = {(panel.x, panel.y) for panel in figure.panels}
    return [mark for mark in figure.figure.flat() if isinstance(mark, Heat) and (mark.x, mark.y) in places]


def tensor(figure: Stage, panel: Panel) -> Array:
    step = figure.step
    sources = {source.name: source.value for source in step.sources}
    return step.value if panel.grid.output else sources[panel.grid.name]


def extent(text: Text) -> tuple[float, float]:
    """Left and right end of an upright text."""
    width = fonts.width(text.text, text.size, bold=text.bold)
    share = {"start": 0.0, "middle": 0.5, "end": 1.0}[text.anchor]
    return text.x - share * width, text.x + (1 - share) * width


@pytest.fixture(scope="module", params=txviz.models())
def trace(request: pytest.FixtureRequest) -> Trace:
    return txviz.trace(request.param, find(request.param).example)


@pytest.mark.parametrize("page", PAGES)
def test_every_step_fits_its_page_and_nothing_overlaps(trace: Trace, page: tuple[int, int]) -> None:
    for step in trace:
        figure = stage(step, (), *page, Style(growth=1.5), pictures(trace))
        boxes = [
            (panel.x, panel.y, panel.x + heat.width, panel.y + heat.height)
            for panel, heat in zip(figure.panels, heats(figure), strict=True)
        ]
        for left, top, right, bottom in boxes:
            assert left >= 0, step.name
            assert top >= 0, step.name
            assert right <= figure.figure.width, step.name
            assert bottom <= figure.figure.height, step.name
        for i, a in enumerate(boxes):
            for b in boxes[:i]:
                apart = a[0] >= b[2] or b[0] >= a[2] or a[1] >= b[3] or b[1] >= a[3]
                assert apart, f"two grids of {step.name} overlap"
        if page != PAGES[-1]:
            assert figure.figure.width == page[0], f"{step.name} needs a wider page"
            assert figure.figure.height == page[1], f"{step.name} needs a higher page"


def test_labels_do_not_touch(trace: Trace) -> None:
    """Texts on one line: the next begins after the last has ended."""
    for step in trace:
        figure = stage(step, (), 900, 560, Style(growth=1.5), pictures(trace))
        lines: dict[float, list[tuple[float, float, str]]] = {}
        for mark in figure.figure.flat():
            if isinstance(mark, Text) and not mark.turn:
                lines.setdefault(round(mark.y, 3), []).append((*extent(mark), mark.text))
        for line in lines.values():
            for (_, end, before), (start, _, after) in zip(sorted(line), sorted(line)[1:], strict=False):
                assert start >= end - 1, f"“{before}” and “{after}” touch in {step.name}"


def test_every_cell_of_a_grid_is_a_cell_of_its_tensor(trace: Trace) -> None:
    for step in trace:
        place = tuple(n - 1 for n in leading(step))
        figure = stage(step, place, 900, 560, Style(), pictures(trace))
        for panel in figure.panels:
            value = tensor(figure, panel)
            rows, columns = panel.grid.values.shape
            for row, column in {(0, 0), (rows - 1, columns - 1), (rows // 2, columns // 2)}:
                index = panel.grid.index(row, column)
                assert np.array_equal(value[index], panel.grid.values[row, column], equal_nan=True), step.name
                assert panel.grid.find(index) == (row, column)
                x, y, width, height = panel.box([(row, column)])
                found = figure.cell_at(x + width / 2, y + height / 2)
                assert found == (panel, index), step.name


def test_colours_are_those_of_the_numbers() -> None:
    trace = txviz.trace("sentence-guide", "The cat sat.")
    figure = shown(trace, "encoder.0.attention.scores", theme=theme.DARK)
    panel, heat = figure.panels[-1], heats(figure)[-1]
    expected = theme.colours(theme.DARK, panel.grid.values, np.abs(panel.grid.values).max())
    assert heat.colours == expected.tobytes()


def test_numbers_in_cells_are_the_trace_at_the_shown_precision(trace: Trace) -> None:
    for step in trace:
        figure = stage(step, (), 900, 560, Style(), pictures(trace))
        for panel, heat in zip(figure.panels, heats(figure), strict=True):
            for text, value in zip(heat.texts, panel.grid.values.ravel().tolist(), strict=False):
                if text in ("−∞", "∞", "NaN"):
                    assert not np.isfinite(value)
                    continue
                assert "-" not in text
                number = float(text.replace("−", "-"))
                decimals = len(text.partition(".")[2].partition("e")[0])
                power = int(f"{value:e}".partition("e")[2]) if "e" in text else 0
                unit = 10.0 ** (power - decimals)
                assert abs(number - value) <= 0.5001 * unit, f"{step.name}: {text} for {value}"


def test_numbers_fit_their_cells(trace: Trace) -> None:
    for step in trace:
        for heat in heats(stage(step, (), 900, 560, Style(growth=1.5), pictures(trace))):
            if heat.texts:
                widest = max(fonts.width(text, heat.text_size) for text in heat.texts)
                assert widest < heat.cell_width
                assert heat.text_size <= heat.cell_height


def test_a_small_step_shows_all_its_numbers() -> None:
    trace = txviz.trace("sentence-guide", "The cat sat.")
    for step in trace:
        assert all(heat.texts for heat in heats(stage(step, (), 900, 560))), step.name


def test_the_formula_order() -> None:
    """query × keyᵀ = scores, from left to right."""
    figure = shown(txviz.trace("sentence-guide", "The cat sat."), "encoder.0.attention.scores")
    assert [panel.grid.caption for panel in figure.panels] == ["query", "keyᵀ", "scores"]
    signs = [mark.text for mark in figure.figure.flat() if isinstance(mark, Text) and mark.text in "×=+→"]
    assert signs == ["×", "="]
    assert any(isinstance(mark, Shape) for mark in figure.figure.flat())


def test_the_cells_that_a_cell_was_made_from_are_outlined() -> None:
    trace = txviz.trace("sentence-guide", "The cat sat.")
    figure = shown(trace, "encoder.0.attention.scores")
    step = figure.step
    outlines = figure.outlines((0, 2, 4), step.explain((0, 2, 4)))
    query, key, scores = figure.panels
    expected = [query.box([(2, 0), (2, 2)]), key.box([(0, 4), (2, 4)]), scores.box([(2, 4)])]
    assert [(box.x, box.y, box.width, box.height) for box in outlines if isinstance(box, Box)] == expected


def test_minus_infinity_is_hatched_and_zero_is_not() -> None:
    trace = txviz.trace("masked-attention-guide", "YOUR CAT IS A LOVELY CAT")
    step = trace.find("*.masked")[0]
    heat = heats(stage(step))[-1]
    assert list(heat.hatched) == np.flatnonzero(np.isinf(step.value)).tolist()
    assert len(heat.hatched) == 15


def test_scales() -> None:
    trace = txviz.trace("sentence-guide", "The cat sat.")
    step = trace["embed.sum"]
    every = [source.value for source in step.sources] + [step.value]
    largest = max(float(np.abs(value).max()) for value in every)
    shared = heats(stage(step, style=Style(scale="shared")))
    for heat, value in zip(shared, every, strict=True):
        assert heat.colours == theme.colours(theme.LIGHT, value, largest).tobytes()
    fixed = heats(stage(step, style=Style(scale=2.0)))
    assert fixed[0].colours == theme.colours(theme.LIGHT, every[0], 2.0).tobytes()


def test_another_head_has_the_same_scale() -> None:
    trace = txviz.trace("digits", find("digits").example)
    step = trace["encoder.0.attention.scores"]
    for head in range(4):
        heat = heats(stage(step, (head,)))[-1]
        assert heat.colours == theme.colours(theme.LIGHT, step.value[head], np.abs(step.value).max()).tobytes()


def test_what_is_not_wanted_is_left_out() -> None:
    trace = txviz.trace("sentence-guide", "The cat sat.")
    bare = stage(trace["embed.sum"], style=Style(title=False, formula=False, numbers=False, labels=False))
    assert not any(heat.texts for heat in heats(bare))
    assert not any(isinstance(mark, Shape) for mark in bare.figure.flat())
    texts = {mark.text for mark in bare.figure.flat() if isinstance(mark, Text)}
    assert not texts & {"cat", "embed · sum", "2"}
    assert {"tokens", "positions", "sum"} <= texts


def test_zoom_makes_room_for_numbers() -> None:
    trace = txviz.trace("translator", "The house is big")
    step = trace["encoder.0.norm_1"]
    assert not heats(stage(step, (), 640, 440))[-1].texts
    large = stage(step, (), 640, 440, Style(zoom=8))
    assert heats(large)[-1].texts
    assert large.figure.width > 640


def test_a_long_vocabulary_shows_the_likeliest_words() -> None:
    trace = txviz.trace("translator", "The house is big")
    step = trace["time.2.head.probabilities"]
    panel = stage(step).panels[-1]
    order = np.argsort(-step.value, kind="stable")[:EXCERPT]
    assert panel.grid.row_labels == tuple(step.labels[0][i] for i in order)
    assert panel.grid.values.ravel().tolist() == step.value[order].tolist()


def test_a_lookup_shows_the_rows_that_were_looked_up() -> None:
    trace = txviz.trace("translator", "The house is big")
    ids, table, _ = stage(trace["embed.tokens"]).panels
    assert set(table.grid.row_ids.tolist()) == set(trace["tokens"].value.tolist())
    assert set(table.grid.row_labels) == set(trace["tokens"].labels[0])
    assert ids.grid.values.shape == (len(trace["tokens"].value), 1)


def test_heads_stand_side_by_side_where_they_are_split() -> None:
    trace = txviz.trace("digits", find("digits").example)
    panels = [panel for panel in stage(trace["encoder.0.attention.query"]).panels if panel.grid.output]
    assert [panel.grid.place for panel in panels] == [(0,), (1,), (2,), (3,)]


def test_patches_have_their_pixels_beside_them() -> None:
    trace = txviz.trace("digits", find("digits").example)
    image = trace["image"].value
    found = pictures(trace)
    assert len(found) == 9
    assert np.array_equal(next(iter(found.values())), image[:2, :2])
    small = [mark for mark in shown(trace, "embed.sum").figure.flat() if isinstance(mark, Heat) and mark.rows == 2]
    assert small[0].colours == theme.greys(image[:2, :2]).tobytes()


def weights(heads: int, tokens: int) -> Step:
    rng = np.random.default_rng(0)
    run = Run({})
    from txviz import ops

    scores = run.given("scores", rng.normal(size=(heads, tokens, tokens)), axes="head query key")
    return run(ops.softmax, "weights", scores, axes="head query key")


def test_a_large_tensor_is_a_few_marks() -> None:
    step = weights(12, 197)
    figure = stage(step, (11,), 900, 560)
    assert len(list(figure.figure.flat())) < 150
    assert heats(figure)[-1].colours == theme.colours(theme.LIGHT, step.value[11], step.value.max()).tobytes()


@pytest.mark.parametrize("shape", [(), (1,), (3,), (1, 1), (2, 3), (2, 2, 3), (2, 3, 4, 5), (0,), (3, 0)])
def test_tensors_of_any_rank(shape: tuple[int, ...]) -> None:
    axes = " ".join(["batch", "head", "query", "key"][4 - len(shape) :])
    step = Run({}).given("x", np.arange(np.prod(shape), dtype=float).reshape(shape), axes=axes)
    for place in np.ndindex(*shape[:-2]):
        figure = stage(step, place)
        (panel,) = figure.panels
        expected = np.atleast_2d(step.value[place]) if place else np.atleast_2d(step.value)
        assert np.array_equal(panel.grid.values, expected.reshape(panel.grid.values.shape))
