"""Attention as marks: the colours, lines and heat are those of the weights."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.figures.views.checks import PAGES, check_page, group, texts
from txviz import Trace, ops
from txviz.figures.colour_scale import Span
from txviz.figures.marks import Heat, Line
from txviz.figures.numerals import percent
from txviz.figures.presets import THEMES
from txviz.figures.scene import Scene
from txviz.figures.style import Style
from txviz.figures.theme import DARK, LIGHT, Theme, colours, greys, largest, mixed, rgb
from txviz.figures.views import VIEWS, nearest
from txviz.figures.views.attention import Mode, attention, head_of
from txviz.figures.views.drawing import HEAT, find_drawing
from txviz.figures.views.lines import MOST_LINES, Lines
from txviz.figures.views.matrix import Matrix
from txviz.figures.views.page import Area
from txviz.figures.views.picture import Picture
from txviz.figures.views.strip import Strip
from txviz.ops.arithmetic import number
from txviz.trace import Run, Step

WEIGHTS = "encoder.1.attention.weights"
CROSS = "time.3.decoder.1.cross_attention.weights"
AREA = Area(10, 20, 500, 400)


def all_weights(trace: Trace) -> list[Step]:
    return [step for step in trace if nearest.weights(trace, step) == (step,)]


def large() -> Trace:
    """Attention as large as a real image model's: 12 heads, 197 tokens."""
    run, tokens = Run({}), ("[CLS]", *(f"patch {i}" for i in range(196)))
    scores = np.random.default_rng(0).normal(size=(12, 197, 197))
    labels = {"query": tokens, "key": tokens}
    with run.at(part="encoder", layer=0, block="attention"):
        scaled = run.given("scaled", scores, axes="head query key", labels=labels)
        run(ops.softmax, "weights", scaled, axes="head query key")
    return Trace(run.steps, {}, "")


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("mode", ["matrix", "lines", "picture"])
def test_every_attention_step_fits_its_page(trace: Trace, mode: Mode, page: tuple[int, int]) -> None:
    for step in all_weights(trace):
        figure = attention(trace, step, (0,), *page, Style(growth=1.5), mode=mode)
        check_page(figure, page, f"{step.name} as {mode}")


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("mode", ["matrix", "lines"])
def test_a_large_model_fits_its_page(mode: Mode, page: tuple[int, int]) -> None:
    trace = large()
    figure = attention(trace, trace[-1], (7,), *page, mode=mode)
    assert figure is not None
    check_page(figure, page, mode)
    assert len(list(figure.flat())) < 600


def test_small_heads_have_no_more_cells_than_can_be_seen() -> None:
    weights = np.zeros((12, 1000, 1000), np.float32)
    weights[3, :500] = 1
    strip = Strip(weights, tuple(map(str, range(12))), 1.0, AREA, Style())
    heats = [mark for mark in strip.marks(0) if isinstance(mark, Heat)]
    for head, heat in enumerate(heats):
        assert (heat.x, heat.y, heat.width, heat.height) == pytest.approx(strip.box(head))
        assert 2 * heat.width <= heat.columns < 4 * heat.width, "two dots for a pixel, and not five"
        seen = np.frombuffer(heat.colours, np.uint8).reshape(heat.rows, heat.columns, 3)
        upper, lower = (colours(Style().theme, np.array([x]), Span.around_0(1.0)) for x in (float(head == 3), 0.0))
        assert (seen[: heat.rows // 2 - 1] == upper).all()
        assert (seen[heat.rows // 2 + 1 :] == lower).all()


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_the_matrix_has_the_colours_of_the_weights(digits: Trace, theme: Theme) -> None:
    figure = attention(digits, digits[WEIGHTS], (2,), style=Style(theme=theme))
    weights = digits[WEIGHTS].value
    (heat,) = [mark for mark in group(figure, "attention") if isinstance(mark, Heat)]
    assert heat.colours == colours(theme, weights[2], Span.around_0(largest(weights))).tobytes()
    small = [mark for mark in group(figure, "heads") if isinstance(mark, Heat)]
    assert [mark.colours for mark in small] == [
        colours(theme, head, Span.around_0(largest(weights))).tobytes() for head in weights
    ]


def test_numbers_in_cells_are_the_weights(cat: Trace) -> None:
    step = cat["encoder.0.attention.weights"]
    (heat,) = [mark for mark in group(attention(cat, step), "attention") if isinstance(mark, Heat)]
    assert np.allclose([float(text) for text in heat.texts], step.value.ravel(), atol=5.001e-5)
    bare = attention(cat, step, style=Style(numbers=False))
    assert not any(mark.texts for mark in group(bare, "attention") if isinstance(mark, Heat))


def test_what_is_not_wanted_is_left_out(digits: Trace) -> None:
    figure = attention(digits, digits[WEIGHTS], (2,), style=Style(labels=False, title=False))
    assert not {"query", "key", "A", "[CLS]", "encoder 1 · attention · head 2"} & {mark.text for mark in texts(figure)}


def test_every_cell_of_the_matrix_is_found_at_its_place(translator: Trace) -> None:
    matrix = Matrix(head_of(translator[CROSS], (1,)), AREA, Style())
    for query in range(3):
        for key in range(8):
            assert matrix.pair_at(*matrix.box((query, key)).centre) == (query, key)
    assert matrix.pair_at(AREA.x, AREA.y) is None


def test_lines_are_as_wide_as_the_weights(masked: Trace) -> None:
    head = head_of(masked["decoder.0.self_attention.weights"], (0,))
    drawing = Lines(head, AREA, Style())
    assert set(drawing.lines()) == {(q, k) for q in range(6) for k in range(q + 1)}
    lines = [mark for mark in drawing.marks() if isinstance(mark, Line)]
    widest = max(line.width for line in lines)
    for line, (query, key) in zip(lines, drawing.lines(), strict=True):
        assert line.y1 == drawing.heights(6)[query]
        assert line.y2 == drawing.heights(6)[key]
        assert line.width == pytest.approx(max(0.6, widest * head.weights[query, key] / head.limit))
    assert [line.width for line in lines] == sorted(line.width for line in lines), "the strongest lies on top"


def test_the_lines_of_a_query_stay_strong_and_lie_on_top(digits: Trace) -> None:
    drawing = Lines(head_of(digits[WEIGHTS], (2,)), AREA, Style())
    assert [query for query, _ in drawing.lines((4, None))][-10:] == [4] * 10
    assert len(list(drawing.lines((4, None)))) == len(set(drawing.lines((4, None)))) == 100


def test_of_many_lines_the_strongest_are_drawn() -> None:
    trace = large()
    drawing = Lines(head_of(trace[-1], (0,)), AREA, Style())
    drawn = list(drawing.lines())
    weights = trace[-1].value[0]
    assert len(drawn) == MOST_LINES
    assert min(weights[pair] for pair in drawn) == np.sort(weights.ravel())[-MOST_LINES]


def test_heat_on_the_image_is_the_weight_of_each_patch(digits: Trace) -> None:
    drawing = find_drawing(digits)
    assert drawing is not None
    head = head_of(digits[WEIGHTS], (2,))
    picture = Picture(head, drawing, 0, AREA, Style())
    (heat,) = [mark for mark in picture.marks() if isinstance(mark, Heat)]
    shown = np.frombuffer(heat.colours, np.uint8).reshape(6, 6, 3)
    own = greys(digits["image"].value)
    for key, label in enumerate(head.keys[1:], start=1):
        down, over = divmod(drawing.places[label], 3)
        patch = np.s_[2 * down : 2 * down + 2, 2 * over : 2 * over + 2]
        share = HEAT * head.weights[0, key] / head.weights[0].max()
        expected = own[patch] * (1 - share) + np.array(rgb(LIGHT.stages[1])) * share
        assert np.abs(shown[patch] - expected).max() <= 0.5
        assert picture.pair_at(*picture.box(key).centre) == (0, key)
        assert picture.query_at(*picture.box(key).centre) == key


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("leaf", ["scores", "scaled"])
def test_scores_on_the_image_are_blue_below_0_and_orange_above(digits: Trace, leaf: str, theme: Theme) -> None:
    step, query = digits[f"encoder.0.attention.{leaf}"], 4
    page = 900, 600
    figure = attention(digits, step, (2,), *page, Style(theme=theme), mode="picture", query=query)
    check_page(figure, page, step.name)
    (heat,) = [mark for mark in group(figure, "attention") if isinstance(mark, Heat)]
    shown = np.frombuffer(heat.colours, np.uint8).reshape(6, 6, 3)
    own, row = greys(digits["image"].value), step.value[2, query]
    for key, label in enumerate(step.labels[-1][1:], start=1):
        down, over = divmod(ord(label) - ord("A"), 3)
        share = HEAT * row[key] / np.abs(row).max()
        colour = np.array(rgb(theme.stages[0 if share < 0 else 1]))
        pixels = np.s_[2 * down : 2 * down + 2, 2 * over : 2 * over + 2]
        assert np.abs(shown[pixels] - (own[pixels] * (1 - abs(share)) + colour * abs(share))).max() <= 0.5
        first = 12 * down + 2 * over
        assert (heat.texts[first], heat.texts[first + 6]) == (label, number(float(row[key]), 3))
    assert (row < 0).any()
    assert (row > 0).any()
    words = {mark.text for mark in texts(figure)}
    assert f"encoder 0 · attention · {leaf} · head 2" in words
    best = step.labels[-1][row.argmax()]
    highest = f"“D” scores highest with “{best}”: {number(float(row.max()), 3)} (orange is above 0, blue below)"
    assert highest in words


def test_a_masked_score_has_no_colour_and_is_written_as_it_is(digits: Trace) -> None:
    scores = digits["encoder.0.attention.scores"]
    masked = replace(scores, value=np.where(np.arange(10) == 3, -np.inf, scores.value))
    drawing = find_drawing(digits)
    assert drawing is not None
    picture = Picture(head_of(masked, (0,)), drawing, 0, AREA, Style())
    (heat,) = [mark for mark in picture.marks() if isinstance(mark, Heat)]
    assert picture.opacity(3) == 0
    assert heat.texts[4 + 6] == "−∞"


def test_weights_on_the_image_have_letters_and_percent_where_there_is_room(digits: Trace) -> None:
    drawing, head = find_drawing(digits), head_of(digits[WEIGHTS], (2,))
    assert drawing is not None
    for area, room in ((AREA, True), (Area(0, 0, 120, 100), False)):
        picture = Picture(head, drawing, 3, area, Style())
        (heat,) = [mark for mark in picture.marks() if isinstance(mark, Heat)]
        written = {text for text in heat.texts if text}
        wanted = {*head.keys[1:], *(percent(share) for share in head.weights[3, 1:])}
        assert written == (wanted if room else set())
    bare = Picture(head, drawing, 3, AREA, Style(numbers=False, labels=False))
    assert not any(any(mark.texts) for mark in bare.marks() if isinstance(mark, Heat))


def test_a_cell_chooses_the_row_on_the_image(digits: Trace) -> None:
    step = digits["encoder.1.attention.scaled"]
    scene = Scene(digits, step, (1,), (1, 6, 2), 900, 600, Style())
    (heat,) = [mark for mark in group(VIEWS["image"].draw(scene), "attention") if isinstance(mark, Heat)]
    assert heat.texts[6] == number(float(step.value[1, 6, 1]), 3)


def test_the_small_heads_are_found_at_their_places(digits: Trace) -> None:
    weights = digits[WEIGHTS]
    for across in (1, 2, 6):
        strip = Strip(weights.value, weights.labels[0], 1.0, AREA, Style(), across=across)
        assert [strip.head_at(*strip.box(head).centre) for head in range(4)] == [0, 1, 2, 3]
        assert strip.box(3).bottom < AREA.y + strip.height


def test_the_caption_is_true(cat: Trace, digits: Trace) -> None:
    words = {mark.text for mark in texts(attention(cat, cat["encoder.0.attention.weights"]))}
    assert "How much each query, on the left, looks at each key, above: every row sums to 1." in words
    pair = attention(digits, digits[WEIGHTS], (2,), pair=(4, 7))
    assert f"“D” → “G”: {percent(digits[WEIGHTS].value[2, 4, 7])}" in {mark.text for mark in texts(pair)}


def test_before_the_first_weights_there_is_no_such_figure(digits: Trace) -> None:
    assert attention(digits, digits["encoder.0.attention.scaled"]) is None


def test_mixed_colours() -> None:
    assert mixed("#000000", "#ffffff", 2) == "#000000"
    assert mixed("#000000", "#ffffff", -1) == "#ffffff"
