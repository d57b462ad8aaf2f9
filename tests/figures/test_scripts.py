"""Scripts that no font covers: the code point in their place, and no complaints."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.figures.writers import tools
from txviz.figures.marks import Figure, Text
from txviz.figures.painter import legible
from txviz.figures.writers.pdf import pdf
from txviz.figures.writers.png import png
from txviz.figures.writers.raster import ready
from txviz.figures.writers.svg import svg

NOBODY_HAS = "\U0010fffd"
"""For private use: no font of any system has it."""

DRAW = """
import sys
from txviz.figures.marks import Figure, Text
from txviz.figures.writers.png import png
words = ["ཀ་ཁ་ག", "𐀀𐀁𐀂", "हिन्दी", "𓀀", "\\U0010fffd", "你好"]
sys.stdout.buffer.write(png(Figure(300, 300, "#ffffff", tuple(
    Text(10, 30 + 30 * k, word, 14, "#000000") for k, word in enumerate(words)
)), 1))
"""


def page(*texts: Text) -> Figure:
    return Figure(400, 120, "#ffffff", texts)


def test_what_no_font_has_is_shown_by_its_code_point() -> None:
    ready()
    assert legible("cat −∞ ᵀ é ∇ 0.5") == "cat −∞ ᵀ é ∇ 0.5"
    assert legible(f"a{NOBODY_HAS}b") == "aU+10FFFDb"
    assert legible(NOBODY_HAS * 3) == "U+10FFFD…"
    assert legible("a\u200db \ufe0f") == "a\u200db \ufe0f", "what is never seen needs no sign"


def test_the_code_point_is_painted_in_the_room_of_the_sign() -> None:
    unknown = tools.pixels(png(page(Text(20, 60, NOBODY_HAS * 14, 20, "#000000")), 2))
    known = tools.pixels(png(page(Text(20, 60, "U+10FFFD…", 20, "#000000")), 2))
    assert np.array_equal(unknown, known), "there is room for all of it"
    small = tools.pixels(png(page(Text(20, 60, NOBODY_HAS, 20, "#000000")), 2))
    half = tools.pixels(png(page(Text(20, 60, "U+10FFFD", 10, "#000000")), 2))
    dark = [np.flatnonzero((each < 128).any(axis=(0, 2)))[-1] for each in (small, half)]
    assert dark[0] == pytest.approx(dark[1], abs=2), "half as large, where the sign would be narrow"


@tools.needs("pdftotext", "poppler-utils")
def test_files_that_are_painted_have_the_code_point_and_others_the_text() -> None:
    figure = page(Text(20, 60, NOBODY_HAS, 14, "#000000"))
    assert "U+10FFFD" in tools.pdftotext(pdf([figure]))
    assert NOBODY_HAS in svg(figure), "another machine may have a font for it"


def test_there_is_no_flood_of_complaints(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("QT_LOGGING")}
    made = subprocess.run([sys.executable, "-c", DRAW], capture_output=True, env=environment, check=True)
    assert made.stdout.startswith(b"\x89PNG")
    assert made.stderr == b""
