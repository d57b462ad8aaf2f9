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


SVG_TOLERANCE, PDF_TOLERANCE = 0.01, 0.015
"""Of the difference from the PNG at double size. Measured: up to 0.008 and 0.011, where Qt draws the edge between two
cells a pixel too far to the right; 0.018 and more without the words, 0.015 and more where all is moved by two pixels.
A few numbers missing can be less than that: the tests of the texts are for those."""


def difference(a: Array, b: Array) -> float:
    """The share of small squares whose colours differ clearly: what two ways of smoothing a letter leave alike."""
    assert a.shape == b.shape
    height, width = a.shape[0] // 8 * 8, a.shape[1] // 8 * 8
    means = [x[:height, :width].reshape(height // 8, 8, width // 8, 8, 3).mean(axis=(1, 3)) for x in (a, b)]
    return float((np.abs(means[0] - means[1]).max(axis=-1) > 24).mean())
