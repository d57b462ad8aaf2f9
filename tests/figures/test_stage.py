"""The stage as data: what stands where, and that every number and colour on it is the trace's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import txviz
from txviz import ops
from txviz.figures import fonts, theme
from txviz.figures.colour_scale import Span
from txviz.figures.marks import Box, Group, Heat, Shape, Text
from txviz.figures.patches import find_drawing
from txviz.figures.place import leading
from txviz.figures.stage import Panel, Stage, stage
from txviz.figures.style import Style
from txviz.figures.tensors import EXCERPT, grids
from txviz.models import find
from txviz.ops import Array
from txviz.ops.arithmetic import number
from txviz.trace import Run, Step, Trace

PAGES = ((640, 440), (1200, 640), (420, 300))


def shown(trace: Trace, name: str, place: tuple[int, ...] = (), **style: Any) -> Stage:
    return stage(trace[name], place, 900, 560, Style(**style), find_drawing(trace))


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
        figure = stage(step, (), *page, Style(growth=1.5), find_drawing(trace))
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
        figure = stage(step, (), 900, 560, Style(growth=1.5), find_drawing(trace))
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
        figure = stage(step, place, 900, 560, Style(), find_drawing(trace))
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


def test_cells_are_found_alike_one_by_one_and_all_at_once(trace: Trace) -> None:
    for step in trace:
        sources = {each.name: each.value for each in (*step.sources, step)}
        for grid in (grid for some in grids(step, ()) for grid in some):
            assert grid.indices == [grid.index(*place) for place in np.ndindex(*grid.values.shape)]
            every = list(np.ndindex(*sources[grid.name].shape))[:2000]
            assert grid.find_all(every) == [place for place in map(grid.find, every) if place is not None]


def test_colours_are_those_of_the_numbers() -> None:
    trace = txviz.trace("sentence-guide", "The cat sat.")
    figure = shown(trace, "encoder.0.attention.scores", theme=theme.DARK)
    panel, heat = figure.panels[-1], heats(figure)[-1]
    expected = theme.colours(theme.DARK, panel.grid.values, Span.around_0(np.abs(panel.grid.values).max()))
    assert heat.colours == expected.tobytes()


def test_numbers_in_cells_are_the_trace_at_the_shown_precision(trace: Trace) -> None:
    for step in trace:
        figure = stage(step, (), 900, 560, Style(), find_drawing(trace))
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
        for heat in heats(stage(step, (), 900, 560, Style(growth=1.5), find_drawing(trace))):
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


def test_shapes_are_said_as_they_are_drawn(trace: Trace) -> None:
    """keyᵀ, which has three rows of five numbers on the page, is 3×5 and not 5×3."""
    for step in trace:
        for grid in (grid for some in grids(step, ()) for grid in some if grid.rank > 1):
            rows, columns = grid.values.shape
            assert f"{rows}×{columns}" in grid.shape or " of " in grid.shape, (step.name, grid.caption)


def test_a_transposed_matrix_names_its_axes_as_they_are_drawn() -> None:
    figure = shown(txviz.trace("sentence-guide", "The cat sat."), "encoder.0.attention.scores")
    assert [panel.grid.shape for panel in figure.panels] == [
        "5×3 · query × feature", "3×5 · feature × key", "5×5 · query × key"
    ]  # fmt: skip


def test_the_vectors_of_two_sentences_are_told_apart() -> None:
    trace = txviz.trace("sentence", "the cat sleeps | the dog sleeps", target="0.5")
    expected = {
        "similarity.cosine": ["first unit", "second unit", "cosine"],
        "first.pool.unit": ["mean", "unit"],
        "backward.first.pool.unit": ["∇ cosine", "second unit", "∇ unit"],
    }
    for name, captions in expected.items():
        assert [panel.grid.caption for panel in stage(trace[name]).panels] == captions


@pytest.mark.parametrize(
    ("model", "step", "word"),
    [
        ("vit-guide-2x2", "head.prediction", "bird"),
        ("translator", "time.1.choice.token", "ti"),
        ("translator", "time.1.choice.probability", "ti"),
    ],
)
def test_a_choice_shows_its_word_above_its_number(model: str, step: str, word: str) -> None:
    figure = shown(txviz.trace(model, find(model).example), step)
    chosen = next(panel for panel in figure.panels if panel.grid.counts)
    words = [mark for mark in figure.figure.flat() if isinstance(mark, Text) and mark.text == word]
    over = [mark for mark in words if chosen.x <= mark.x <= chosen.x + chosen.cell_width and mark.y < chosen.y]
    assert len(over) == 1


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


def legend(figure: Stage) -> tuple[list[str], Heat]:
    """What is said at the ends of the colour bar, and the bar."""
    (bar,) = (mark for mark in figure.figure.marks if isinstance(mark, Group) and mark.name == "colours")
    (colours,) = (mark for mark in bar.marks if isinstance(mark, Heat))
    below = [mark for mark in bar.marks if isinstance(mark, Text) and mark.y > colours.y]
    return [mark.text for mark in below if mark.y == below[0].y], colours


@pytest.mark.parametrize("colours", [theme.LIGHT, theme.DARK, theme.PAPER], ids=lambda theme: theme.name)
@pytest.mark.parametrize(
    ("step", "ends"),
    [("weights", ["0", "1"]), ("table", ["0", "0.278"]), ("scores", ["−2.33", "0"])],
)
def test_the_colour_bar_has_the_colours_that_are_used(colours: theme.Theme, step: str, ends: list[str]) -> None:
    """From 0 on where nothing is negative, up to 0 where nothing is positive; −∞ is hatched and no colour."""
    trace = txviz.trace("masked-attention-guide", "YOUR CAT IS A LOVELY CAT")
    figure = shown(trace, f"decoder.0.self_attention.{step}", theme=colours)
    said, bar = legend(figure)
    assert said == ends
    values, painted = figure.panels[-1].grid.values.ravel(), heats(figure)[-1].colours
    for end, colour in ((0, bar.colours[:3]), (-1, bar.colours[-3:])):
        cells = [i for i, value in enumerate(values.tolist()) if number(value, 3) == said[end]]
        assert all(painted[3 * i : 3 * i + 3] == colour for i in cells)
        assert cells or (step, said[end]) in {("table", "0"), ("scores", "0")}


def test_where_all_is_0_there_is_no_colour_bar() -> None:
    figure = shown(txviz.trace("masked-attention-guide", "YOUR CAT"), "decoder.0.self_attention.causal")
    (bar,) = (mark for mark in figure.figure.marks if isinstance(mark, Group) and mark.name == "colours")
    assert bar.marks == ()


def test_a_shared_scale_has_the_colours_of_all_that_share_it() -> None:
    trace = txviz.trace("sentence-guide", "The cat sat.")
    assert legend(shown(trace, "encoder.0.attention.context"))[0][0].startswith("−")
    assert legend(shown(trace, "encoder.0.attention.weights"))[0][0] == "0"
    assert legend(shown(trace, "encoder.0.attention.weights", scale="shared"))[0][:2] == ["−0.98", "0"]


def test_scales() -> None:
    trace = txviz.trace("sentence-guide", "The cat sat.")
    step = trace["embed.sum"]
    every = [source.value for source in step.sources] + [step.value]
    largest = max(float(np.abs(value).max()) for value in every)
    shared = heats(stage(step, style=Style(scale="shared")))
    for heat, value in zip(shared, every, strict=True):
        assert heat.colours == theme.colours(theme.LIGHT, value, Span.around_0(largest)).tobytes()
    fixed = heats(stage(step, style=Style(scale=Span(-2.0, 2.0))))
    assert fixed[0].colours == theme.colours(theme.LIGHT, every[0], Span.around_0(2.0)).tobytes()


def test_another_head_has_the_same_scale() -> None:
    trace = txviz.trace("digits", find("digits").example)
    step = trace["encoder.0.attention.scores"]
    for head in range(4):
        heat = heats(stage(step, (head,)))[-1]
        assert (
            heat.colours
            == theme.colours(theme.LIGHT, step.value[head], Span.around_0(np.abs(step.value).max())).tobytes()
        )


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
    drawing = find_drawing(trace)
    assert drawing is not None
    found = drawing.thumbnails
    assert list(found) == list("ABCDEFGHI")
    assert all(
        np.array_equal(found[label].reshape(-1, 3), theme.greys(row))
        for label, row in zip(found, trace["patches"].value, strict=True)
    )
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
    assert (
        heats(figure)[-1].colours
        == theme.colours(theme.LIGHT, step.value[11], Span.around_0(step.value.max())).tobytes()
    )


@pytest.mark.parametrize("shape", [(), (1,), (3,), (1, 1), (2, 3), (2, 2, 3), (2, 3, 4, 5), (0,), (3, 0)])
def test_tensors_of_any_rank(shape: tuple[int, ...]) -> None:
    axes = " ".join(["batch", "head", "query", "key"][4 - len(shape) :])
    step = Run({}).given("x", np.arange(np.prod(shape), dtype=float).reshape(shape), axes=axes)
    for place in np.ndindex(*shape[:-2]):
        figure = stage(step, place)
        (panel,) = figure.panels
        expected = np.atleast_2d(step.value[place]) if place else np.atleast_2d(step.value)
        assert np.array_equal(panel.grid.values, expected.reshape(panel.grid.values.shape))


def test_pixels_are_grey_wherever_they_have_been_moved() -> None:
    """The image, its patches, and those of them that a guide keeps."""
    trace = txviz.trace("vit-guide-3x2", find("vit-guide-3x2").example)
    for name in ("image", "all_patches", "patches"):
        drawn = next(heat for heat in heats(stage(trace[name])) if heat.rows * heat.columns == trace[name].value.size)
        painted = np.frombuffer(drawn.colours, np.uint8).reshape(-1, 3)
        assert (painted[:, :1] == painted).all(), name


@pytest.mark.parametrize("page", [(900, 520), (1280, 720)])
@pytest.mark.parametrize("count", [512, 1000, 1024])
def test_a_thousand_tokens_are_all_there_and_on_the_page(count: int, page: tuple[int, int]) -> None:
    run, rng = Run({}), np.random.default_rng(0)
    words = tuple(f"word{i}" for i in range(count))
    labels = {"query": words, "key": words}
    scores = run.given("scores", rng.normal(size=(2, count, count)), axes="head query key", labels=labels)
    drawn = stage(run(ops.softmax, "weights", scores, axes="head query key"), (1,), *page)
    assert [panel.grid.values.shape for panel in drawn.panels] == [(count, count)] * 2
    assert [drawn.figure.width, drawn.figure.height] == list(page)
    assert all(panel.bottom <= page[1] for panel in drawn.panels)
