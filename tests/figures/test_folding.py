"""Long rows of token numbers, on lines as a text is."""

from __future__ import annotations

import numpy as np
import pytest

from txviz.figures.marks import Box, Heat, Text
from txviz.figures.presets import PAPER_COLUMN, SCREEN, SLIDE, Preset
from txviz.figures.stage import Stage, stage
from txviz.figures.style import MARGIN
from txviz.trace import Run, Step

COUNTS = (30, 64, 128, 512, 1024, 5000)


def tokens(count: int) -> Step:
    """Words of one to eleven letters; the first has the largest number."""
    run = Run({})
    words = tuple("abcdefghijk"[: 1 + i % 11] for i in range(count))
    return run.given("tokens", np.arange(30_000, 30_000 - count, -1), axes="token", labels={"token": words})


def drawn(count: int, preset: Preset = SCREEN, cell: int | None = None) -> Stage:
    chosen = None if cell is None else (cell,)
    return stage(tokens(count), (), preset.width, preset.height, preset.style, cell=chosen)


def shown(page: Stage) -> list[int]:
    """The places of the tokens that are drawn, in the order of reading."""
    panels = sorted(page.panels, key=lambda panel: (panel.y, panel.x))
    return [i for panel in panels for (i,) in panel.grid.indices]


@pytest.mark.parametrize("preset", [SCREEN, SLIDE, PAPER_COLUMN], ids=lambda preset: preset.name)
@pytest.mark.parametrize("count", COUNTS)
def test_every_number_can_be_read_below_its_word_and_nothing_leaves_the_page(count: int, preset: Preset) -> None:
    page = drawn(count, preset)
    step, least = page.step, 0.66 * preset.style.size
    texts = [mark for mark in page.figure.flat() if isinstance(mark, Text)]
    heats = [mark for mark in page.figure.flat() if isinstance(mark, Heat)]
    for panel, heat in zip(page.panels, heats, strict=True):
        assert list(heat.texts) == [str(step.value[index]) for index in panel.grid.indices]
        assert heat.text_size >= least
        assert MARGIN - 1 <= panel.x < panel.right <= preset.width - MARGIN + 1
        assert panel.bottom <= preset.height
        if len(heat.texts) > 1 and panel.grid.values.shape[0] == 1:
            above = [text for text in texts if panel.y - 2 * text.size < text.y < panel.y and text.x > panel.x]
            words = [text.text for text in sorted(above, key=lambda text: text.x) if text.anchor == "middle"]
            told = [step.labels[0][i] for (i,) in panel.grid.indices]
            assert all(full.startswith(word.rstrip("…")) for word, full in zip(words, told, strict=True))


@pytest.mark.parametrize("count", COUNTS)
def test_tokens_stand_in_their_order_from_the_first_to_the_last(count: int) -> None:
    found = shown(drawn(count))
    assert found == sorted(found)
    assert (found[0], found[-1]) == (0, count - 1)


def test_all_of_128_tokens_are_on_a_screen() -> None:
    assert shown(drawn(128)) == list(range(128))


def test_a_few_stand_as_they_always_did() -> None:
    """In a row, or upright where they can be read so."""
    assert [panel.grid.values.shape for panel in drawn(10).panels] == [(1, 10)]
    assert [panel.grid.values.shape for panel in drawn(20).panels] == [(20, 1)]


def test_what_is_left_out_is_counted() -> None:
    page = drawn(1024)
    texts = [mark.text for mark in page.figure.flat() if isinstance(mark, Text)]
    found = shown(page)
    assert f"{len(found)} of 1,024 · token" in texts
    assert f"… {1024 - len(found)} more …" in texts


@pytest.mark.parametrize("cell", [0, 100, 700, 1020])
@pytest.mark.parametrize("preset", [SCREEN, SLIDE], ids=lambda preset: preset.name)
def test_the_chosen_token_is_there_with_its_outline(cell: int, preset: Preset) -> None:
    page = drawn(1024, preset, cell)
    assert page.shows((cell,))
    assert all(panel.bottom <= preset.height - MARGIN + 1 for panel in page.panels)
    (outline,) = page.outlines((cell,), page.step.explain((cell,)))
    assert isinstance(outline, Box)
    found = page.cell_at(outline.x + 1, outline.y + 1)
    assert found is not None
    assert found[1] == (cell,)


def test_choosing_a_token_that_is_there_moves_nothing() -> None:
    assert [panel.y for panel in drawn(1024).panels] == [panel.y for panel in drawn(1024, cell=100).panels]
