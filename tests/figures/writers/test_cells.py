"""Cells as an image, for files whose viewers blur coarse ones."""

import numpy as np
import pytest

from txviz.figures.marks import Heat
from txviz.figures.writers.cells import MOST_DOTS, SHARPNESS, enlarged


@pytest.mark.parametrize("size", [0.2, 3.0, 40.0, 4000.0])
def test_an_image_of_cells_is_sharp_and_never_larger_than_a_file_can_do_with(size: float) -> None:
    colours = np.random.default_rng(0).integers(0, 256, (60, 50, 3), dtype=np.uint8)
    image = enlarged(Heat(7, 9, size, size / 2, 60, 50, colours.tobytes()))
    assert (image.x, image.y) == (7, 9)
    assert (image.width, image.height) == pytest.approx((50 * size, 30 * size))
    times = image.rows // 60
    assert image.rows * image.columns <= MOST_DOTS
    assert times >= SHARPNESS * size or times == int((MOST_DOTS / 3000) ** 0.5)
    dots = np.frombuffer(image.colours, np.uint8).reshape(image.rows, image.columns, 3)
    assert all((dots[i::times, j::times] == colours).all() for i in (0, times - 1) for j in (0, times - 1))
