"""Pages of any size: presets for print, and what is said about a page that is too small."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

import txviz
from txviz.cli import main
from txviz.errors import TxvizError
from txviz.figures.fits import is_fit
from txviz.figures.marks import Heat, Text
from txviz.figures.presets import CM, POINT, PRESETS, make_page
from txviz.models import find
from txviz.trace import Trace

SCORES = "encoder.0.attention.scores"


@pytest.fixture(scope="module")
def cat() -> Trace:
    return txviz.trace("sentence-guide", "The cat sat.")


@pytest.mark.parametrize(("preset", "width"), [("column", 8.4), ("text-width", 17), ("poster", 60)])
def test_presets_have_their_width_in_print(preset: str, width: float, cat: Trace, tmp_path: Path) -> None:
    path = tmp_path / "page.svg"
    txviz.figure(cat[SCORES], preset=preset).save(path)
    drawn = ElementTree.parse(path).getroot()
    assert float(drawn.attrib["width"]) == pytest.approx(width * CM, abs=0.01)


@pytest.mark.parametrize("model", ["sentence-guide", "vit-guide-2x2", "digits", "translator", "writer"])
def test_every_key_step_fits_in_a_column_in_readable_type(model: str) -> None:
    trace, page = txviz.trace(model, find(model).example), PRESETS["column"]
    for step in trace.key_steps:
        figure = txviz.figure(step, preset="column").marks
        assert is_fit(figure, page), step.name
        texts = [mark.size for mark in figure.flat() if isinstance(mark, Text)]
        assert 7 * POINT <= page.style.size <= 9 * POINT
        assert min(texts) >= 6 * POINT, step.name


def too_small(step: object, **page: float) -> str:
    with pytest.raises(TxvizError) as found:
        _ = txviz.figure(step, **page).marks  # type: ignore[arg-type]
    return str(found.value)


@pytest.mark.parametrize(("width", "height"), [(5, 4), (8.4, 6), (1, 19), (30, 2)])
def test_the_size_that_is_said_does(cat: Trace, width: float, height: float) -> None:
    said = too_small(cat[SCORES], width=width * CM, height=height * CM)
    assert said.startswith(f"a page of {width:g} × {height:g} cm (")
    wide, high = map(float, re.findall(r"; ([\d.]+) × ([\d.]+) cm", said)[0])
    page = make_page("slide", width=wide * CM, height=high * CM)
    figure = txviz.figure(cat[SCORES], width=page.width, height=page.height).marks
    assert is_fit(figure, page)
    assert all(mark.cell_height >= 2 for mark in figure.flat() if isinstance(mark, Heat))


def test_what_can_be_left_out_is_said(cat: Trace) -> None:
    said = too_small(cat[SCORES], preset="column", height=6 * CM)  # type: ignore[arg-type]
    assert said.endswith("or no title and no formula")
    _ = txviz.figure(cat[SCORES], preset="column", height=6 * CM, title=False, formula=False).marks


def test_a_map_that_needs_more_than_a_column(cat: Trace, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    how = ["export", "translator", "I love you", "--level", "map", "--preset", "column", "-o", str(tmp_path / "x.svg")]
    assert main(how) == 2
    said = capsys.readouterr().err
    assert re.fullmatch(r"txviz: a page of 8.4 × 11 cm .* too small for the whole run; .* would do.*\n", said)
    assert not list(tmp_path.iterdir())


def test_a_page_whose_size_nobody_chose_grows_with_its_picture() -> None:
    trace = txviz.trace("translator", "<fr> He did not help me", strategy="beam")
    small, chosen = PRESETS["paper"], {"width": 400.0, "height": 200.0}
    figure = txviz.figure(trace, preset="paper").marks
    assert (figure.width, figure.height) >= (small.width, small.height)
    assert "too small" in too_small(trace, **chosen)


def test_a_block_in_a_column_is_refused_and_not_set_in_type_that_nobody_reads(cat: Trace) -> None:
    with pytest.raises(TxvizError, match=r"too small for encoder\.0\.attention; [\d.]+ × [\d.]+ cm .* would do"):
        _ = txviz.figure(cat.outline.find("encoder.0.attention"), preset="column").marks


TRAINING: dict[str, dict[str, str]] = {
    "a translator": {"model": "translator", "source": "I love you", "target": "ti amo"},
    "digits": {"model": "digits", "source": find("digits").example, "target": "3"},
}


@pytest.mark.parametrize("step", TRAINING)
def test_thumbnails_of_gradients_may_be_small(step: str) -> None:
    """They show a pattern; nobody counts their cells, so that a poster is large enough."""
    figure = txviz.figure(txviz.trace(**TRAINING[step]), view="training", preset="poster").marks  # type: ignore[arg-type]
    assert (figure.width, figure.height) == (PRESETS["poster"].width, PRESETS["poster"].height)


def test_a_page_that_is_too_low_for_a_training_step_is_refused() -> None:
    """The size that is said does, and nothing is said of one that is many times as high."""
    trace = txviz.trace(**TRAINING["a translator"])  # type: ignore[arg-type]
    with pytest.raises(TxvizError) as found:
        _ = txviz.figure(trace, view="training", preset="text-width").marks
    wide, high = map(float, re.findall(r"; ([\d.]+) × ([\d.]+) cm", str(found.value))[0])
    assert (wide, high) < (18, 12)
    _ = txviz.figure(trace, view="training", preset="text-width", width=wide * CM, height=high * CM).marks
