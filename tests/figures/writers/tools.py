"""Programs that read what was written. Where one is not installed, its test is skipped with a word."""

from __future__ import annotations

import os
import shutil
import subprocess
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from txviz.figures import fonts
from txviz.ops import Array


def needs(tool: str, package: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(shutil.which(tool) is None, reason=f"needs {tool} (apt-get install {package})")


def rsvg(document: str, folder: Path) -> Array:  # -> (height,width,3)
    """The SVG as librsvg draws it at double size, with no other fonts than those that ship."""
    settings = folder / "fonts.conf"
    settings.write_text(
        f"<fontconfig><dir>{fonts.files()[0].parent}</dir><cachedir>{folder / 'cache'}</cachedir></fontconfig>"
    )
    made = subprocess.run(
        ["rsvg-convert", "--zoom", "2"],
        input=document.encode(),
        stdout=subprocess.PIPE,
        check=True,
        env={**os.environ, "FONTCONFIG_FILE": str(settings)},
    )
    return pixels(made.stdout)


def pdftoppm(file: bytes) -> Array:  # -> (height,width,3)
    """The first page as poppler draws it at double size: at single size it moves letters to whole pixels."""
    command = ["pdftoppm", "-r", "192", "-singlefile", "-"]
    return pixels(subprocess.run(command, input=file, stdout=subprocess.PIPE, check=True).stdout)


def pdftotext(file: bytes) -> str:
    command = ["pdftotext", "-", "-"]
    return subprocess.run(command, input=file, stdout=subprocess.PIPE, check=True).stdout.decode()


def pixels(file: bytes) -> Array:  # -> (height,width,3)
    return np.asarray(Image.open(BytesIO(file)).convert("RGB"))


TOLERANCE = 0.02
"""Of the difference from the PNG at double size. It is 0.016 at most here, for two known reasons: poppler moves
lines of letters to whole pixels, and Qt draws edges between cells up to a pixel too far to the right. (Where all cells
are brown beside white, as in the positions of vit-guide-2x2, that alone is 0.03; that step is not among the tests.)
Without its words a figure differed by 0.033 at least, moved by two pixels by 0.098. Numbers that are missing can be
less than this, where there are few: the tests of the texts are for those."""


def difference(a: Array, b: Array) -> float:
    """Of the small squares that something is drawn in, the share whose colours differ clearly.

    A square's mean is what two ways of smoothing a letter leave alike.
    """
    assert a.shape == b.shape
    first, second = _squares(a), _squares(b)
    drawn = np.maximum(*(np.abs(each - each[0, 0]).max(axis=-1) for each in (first, second))) > 2
    return float((np.abs(first - second).max(axis=-1) > 24)[drawn].mean())


def _squares(pixels: Array, side: int = 8) -> Array:  # (height,width,3) -> (height/side,width/side,3)
    height, width = pixels.shape[0] // side, pixels.shape[1] // side
    squares: Array = pixels[: height * side, : width * side].reshape(height, side, width, side, 3).mean(axis=(1, 3))
    return squares
