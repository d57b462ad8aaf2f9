"""Images in colour as text: read back as they were, and refused in a sentence."""

from __future__ import annotations

import shlex
from pathlib import Path

import numpy as np
import pytest

import txviz
from tests.models.checkpoints.reference import path, source
from txviz.errors import TxvizError
from txviz.figures.pair import facts
from txviz.models.colour_text import colours_text, read_colours


def test_colours_are_read_back_as_they_were() -> None:
    pixels = np.random.default_rng(1).integers(0, 256, (5, 7, 3), np.uint8)
    pixels[2] = 0x33
    assert (read_colours(colours_text(pixels)) == pixels).all()
    assert read_colours("#F80 #ff8800\n\n#000 #fff;").tolist() == [[[255, 136, 0]] * 2, [[0] * 3, [255] * 3]]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("#fff #ff", "row 1, column 2 of the image is #ff; a colour is written like #ff8000"),
        ("#fff red", "row 1, column 2 of the image is red; a colour is written like #ff8000"),
        ("#fff #fff; #fff", "the rows of the image have different lengths: 2 in row 1, 1 in row 2"),
        ("#fff #fff00f0", "row 1, column 2 of the image is #fff00f0; a colour is written like #ff8000"),
    ],
)
def test_what_is_no_colour_gets_a_sentence(text: str, said: str) -> None:
    with pytest.raises(TxvizError, match="^" + said):
        txviz.trace(path("vit"), text)


@pytest.mark.parametrize("name", ["vit", "deit"])
def test_a_painting_is_made_ready_like_a_photograph(name: str) -> None:
    """Of any size: resized, cut, rescaled and normalised, as its preprocessor says."""
    from PIL import Image

    with Image.open(source(name)) as file:
        pixels = np.asarray(file.convert("RGB"))
    drawn, read = txviz.trace(path(name), colours_text(pixels)), txviz.trace(path(name), source(name))
    assert all((drawn[step.name].value == step.value).all() for step in read)
    assert drawn.verify() == []


def test_two_paintings_are_told_as_drawings_and_not_by_their_colours() -> None:
    rows = colours_text(np.random.default_rng(2).integers(0, 256, (12, 12, 3), np.uint8))
    assert facts(txviz.trace(path("vit"), rows)) == ["vit", "drawing"]


def test_the_command_in_an_exported_file_draws_the_same_picture(tmp_path: Path) -> None:
    from PIL import Image

    drawn = txviz.trace(path("vit"), "#fff #f80; #000 #fff")
    txviz.figure(drawn["photograph"]).save(tmp_path / "one.png")
    with Image.open(tmp_path / "one.png") as picture:
        words = shlex.split(picture.info["Command"], comments=True)
    assert words[3] == "#fff #f80; #000 #fff"
    again = txviz.trace(path("vit"), words[3])
    assert (again["photograph"].value == drawn["photograph"].value).all()
