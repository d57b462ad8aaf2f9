"""PNG, read back by Pillow: sizes, and the colours of cells as the figure has them."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from tests.figures.writers import drawn, tools
from txviz.errors import TxvizError
from txviz.figures.marks import PIXELS_PER_INCH, Figure, Heat
from txviz.figures.theme import rgb
from txviz.figures.writers.png import png
from txviz.trace import Trace


def assert_cells_have_their_colours(figure: Figure, scale: int) -> None:
    """Near the corner of each cell, where no number is written."""
    pixels = tools.pixels(png(figure, scale))
    assert pixels.shape == (figure.height * scale, figure.width * scale, 3)
    assert tuple(pixels[1, 1]) == rgb(figure.background)
    cells = [mark for mark in figure.flat() if isinstance(mark, Heat) and min(mark.cell_width, mark.cell_height) > 8]
    for heat in (heat for heat in cells if not heat.hatched):
        colours = np.frombuffer(heat.colours, np.uint8).reshape(heat.rows, heat.columns, 3)
        x = ((heat.x + np.arange(heat.columns) * heat.cell_width + 3) * scale).astype(int)
        y = ((heat.y + np.arange(heat.rows) * heat.cell_height + 3) * scale).astype(int)
        inner = slice(1, -1) if heat.rows > 2 else slice(None)
        assert np.array_equal(pixels[np.ix_(y, x)][inner], colours[inner])


def test_shipped_models(example: Trace) -> None:
    for figure in drawn.some(example):
        assert_cells_have_their_colours(figure, 1)


@pytest.mark.parametrize("scale", [1, 2])
def test_minus_infinity_is_hatched(scale: int) -> None:
    """Above its number such a cell has lines in it, and any other is of one colour."""
    figure = drawn.masked()
    pixels = tools.pixels(png(figure, scale)).astype(int)
    (heat, *_) = [mark for mark in figure.flat() if isinstance(mark, Heat) and mark.hatched]
    for cell in range(heat.rows * heat.columns):
        row, column = divmod(cell, heat.columns)
        x, y = heat.x + column * heat.cell_width, heat.y + row * heat.cell_height
        inner = pixels[
            round(y * scale) + 2 : round((y + heat.cell_height) * scale) - 2,
            round(x * scale) + 2 : round((x + heat.cell_width) * scale) - 2,
        ]
        spread = np.ptp(inner[: inner.shape[0] // 4].sum(axis=-1))
        assert (spread > 60) == (cell in heat.hatched)
        assert spread == 0 or cell in heat.hatched


def test_resolution() -> None:
    figure = drawn.every_mark()
    image = Image.open(BytesIO(png(figure, 300 / PIXELS_PER_INCH)))
    assert image.size == (625, 375)
    assert image.info["dpi"] == pytest.approx((300, 300), abs=0.1)


def test_transparent_where_nothing_is_drawn() -> None:
    figure = drawn.every_mark()
    image = Image.open(BytesIO(png(figure, transparent=True)))
    assert image.mode == "RGBA"
    assert image.getpixel((1, 1)) == (0, 0, 0, 0)
    assert image.getpixel((60, 40)) == (255, 128, 0, 255)
    assert Image.open(BytesIO(png(figure))).mode == "RGB"


def test_the_same_bytes_again_and_in_other_threads() -> None:
    figures = [drawn.scores(), drawn.masked(), drawn.every_mark(), drawn.strange()] * 2
    here = [png(figure, 1) for figure in figures]
    assert here[:4] == here[4:]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda figure: png(figure, 1), figures)) == here


def test_too_large() -> None:
    with pytest.raises(TxvizError, match=r"pixels is too large; .*smaller width, height or resolution"):
        png(drawn.every_mark(), 1e5)


HEADLESS = """
import sys
from tests.figures.writers import drawn
from txviz.figures.writers.pdf import pdf
from txviz.figures.writers.png import png
sys.stdout.buffer.write(png(drawn.scores()) + pdf([drawn.scores()]))
assert "PySide6.QtWidgets" not in sys.modules
"""


def test_no_screen_and_no_application_are_needed() -> None:
    without = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "QT_QPA_PLATFORM")}
    run = subprocess.run([sys.executable, "-c", HEADLESS], env=without, capture_output=True, check=True)
    assert run.stdout.startswith(png(drawn.scores()))
    assert run.stdout.endswith(b"%%EOF\n")
    assert run.stderr == b""
