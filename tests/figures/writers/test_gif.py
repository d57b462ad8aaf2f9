"""GIF, read back by Pillow, frame by frame."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import pytest
from PIL import Image, ImageSequence

import txviz
from tests.figures.writers import drawn, tools
from txviz.errors import TxvizError
from txviz.figures.export import Export
from txviz.figures.marks import Figure
from txviz.figures.presets import PAPER_COLUMN, SCREEN
from txviz.figures.theme import DARK, LIGHT, PAPER, Theme, rgb
from txviz.figures.writers.gif import gif
from txviz.figures.writers.png import png
from txviz.models import find
from txviz.ops import Array

STEPS = ("embed.sum", "encoder.0.attention.weights")


def frames(file: bytes) -> list[Array]:
    return [np.asarray(frame.convert("RGB")) for frame in ImageSequence.Iterator(Image.open(BytesIO(file)))]


@pytest.mark.parametrize("theme", [LIGHT, DARK, PAPER], ids=lambda theme: theme.name)
def test_frames_are_the_figures(theme: Theme) -> None:
    """In the middle of the largest page, on their own background, and all but exact in their colours."""
    trace = txviz.trace("digits", find("digits").example)
    pages = (SCREEN.themed(theme), PAPER_COLUMN.themed(theme))
    figures = [drawn.shown(trace, name, page).figure for name in STEPS for page in pages]
    for figure, frame in zip(figures, frames(gif(figures)), strict=True):
        assert frame.shape == (600, 960, 3)
        top, left = (600 - int(figure.height)) // 2, (960 - int(figure.width)) // 2
        inside = frame[top : top + int(figure.height), left : left + int(figure.width)]
        assert tuple(frame[0, 0]) == tuple(inside[1, 1]) == rgb(figure.background)
        away = np.abs(inside.astype(int) - tools.pixels(png(figure, 1))).max(axis=-1)
        assert np.quantile(away, 0.8) == 0
        assert np.quantile(away, 0.9) <= 4, "more colours than a palette has are replaced by their neighbours"
        assert away.max() <= 40


def test_bars_keep_their_colours_beside_the_soft_edges_of_letters() -> None:
    """Also that of a colour which no cell has."""
    a, b = (txviz.trace("sentence-guide", f"The {who} sat.") for who in ("cat", "dog"))
    figure = Export(b, [b["encoder.0.attention.scores"]], "gif", other=a).figure(b["encoder.0.attention.scores"])
    (frame,) = frames(gif([figure]))
    painted = tools.pixels(png(figure, 1)).astype(int)
    coloured = np.ptp(painted, axis=-1) > 60
    away = np.abs(frame.astype(int) - painted).max(axis=-1)[coloured]
    assert away.max() <= 24
    assert away.mean() < 1.5


def test_what_stands_still_does_not_flicker() -> None:
    first, second, third = frames(gif([drawn.masked(), drawn.scores(), drawn.masked()]))
    assert np.array_equal(first, third)
    assert not np.array_equal(first, second)


def test_how_long_and_how_often() -> None:
    figures = [drawn.scores(), drawn.masked()]
    once, forever = (Image.open(BytesIO(gif(figures, 0.25, loop))) for loop in (False, True))
    assert forever.info["duration"] == once.info["duration"] == 250
    assert forever.info["loop"] == 0
    assert "loop" not in once.info


def test_scale_and_few_colours() -> None:
    assert frames(gif([drawn.every_mark()], scale=1.5))[0].shape == (180, 300, 3)
    assert frames(gif([Figure(10, 10, "#123456", ())]))[0].tolist() == [[[0x12, 0x34, 0x56]] * 10] * 10


def test_the_same_bytes() -> None:
    figures = [drawn.scores(), drawn.strange()]
    assert gif(figures) == gif(iter(figures))


def test_nothing_to_write() -> None:
    with pytest.raises(TxvizError, match="no figure"):
        gif([])
