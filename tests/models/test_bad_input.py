"""Bad input gets one sentence that says what is wrong and what would be right: from Python and on the command line."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import txviz
from txviz import TxvizError
from txviz.cli import main
from txviz.spelling import split

GOOD_ROW = "0 0.1 0.2 0.3 0.4 0.5"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the sentence is empty; type at least one word"),
        (" \t\n", "the sentence is empty"),
        ("word " * 10_000, "the sentence has 10,000 words and signs; this model reads at most 127"),
        ("a" * 5000, 'the word "aaaaaaaaaaaaaaaaaaaa…" has 5,000 letters; at most 100 are read'),
        ("The \x00cat", r"character 5 of the sentence is U\+0000, which is not text"),
        ("The \udcffcat", r"character 5 of the sentence is U\+DCFF"),
        (np.zeros((6, 6)), "this model reads a sentence, not an array of 6×6"),
        (None, "this model reads a sentence, not a NoneType"),
    ],
)
def test_sentences(text: object, message: str) -> None:
    with pytest.raises(TxvizError, match=message):
        txviz.trace("sentence-guide", text)


@pytest.mark.parametrize(
    "text",
    [
        "🎉",
        "👩‍🚀 flies",
        "שלום עולם",
        "مرحبا بالعالم",
        "नमस्ते दुनिया",
        "日本語です",
        "Ça va?",
        "e\u0301te\u0301",
        "!?…",
        "1,000.5",
        "\u202eabc",
    ],
)
def test_unusual_sentences_are_read(text: str) -> None:
    trace = txviz.trace("sentence-guide", text)
    assert trace.verify() == []
    assert "".join(trace["tokens"].labels[0][1:])


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("The cat sat.", ["The", "cat", "sat", "."]),
        ("Don't—stop!!", ["Don't", "—", "stop", "!", "!"]),
        ("well-known 'quote'", ["well-known", "'", "quote", "'"]),
        ("👩‍🚀👍🏽 ok", ["👩‍🚀", "👍🏽", "ok"]),
        ("नमस्ते दुनिया", ["नमस्ते", "दुनिया"]),
        ("e\u0301te\u0301", ["été"]),
        ("a_b c1", ["a_b", "c1"]),
    ],
)
def test_split(text: str, pieces: list[str]) -> None:
    assert split(text) == pieces


@pytest.mark.parametrize(
    ("grid", "message"),
    [
        ("", "the image is empty; give a greyscale image file of 6×6 pixels, or 6 rows of 6 numbers from 0 to 1"),
        ("\n".join([GOOD_ROW] * 5), "the image has 5 rows, 6 expected"),
        ("\n".join([GOOD_ROW] * 7), "the image has 7 rows, 6 expected"),
        ("0.5", "the image has 1 row, 6 expected"),
        ("\n".join([GOOD_ROW] * 5 + ["0 0 0 0 0"]), "row 6 of the image has 5 numbers, 6 expected"),
        (
            "\n".join([GOOD_ROW] * 5 + ["0 0 nan 0 0 0"]),
            "row 6, column 3 of the image is nan; pixels are numbers from 0 to 1",
        ),
        ("\n".join(["1e9 0 0 0 0 0"] + [GOOD_ROW] * 5), "row 1, column 1 of the image is 1e9"),
        ("\n".join(["-0.1 0 0 0 0 0"] + [GOOD_ROW] * 5), "row 1, column 1 of the image is -0.1"),
        ("\n".join(["0 0 x 0 0 0"] + [GOOD_ROW] * 5), "row 1, column 3 of the image is x"),
        ("cat.png", "there is no file 'cat.png'; give a greyscale image"),
        ("The cat sat.", "there is no file 'The cat sat.'"),
        ("x" * 5000, "there is no file 'xxx"),
        ("a\x00b", "there is no file"),
        (np.zeros((6, 6, 3)), "an image with rows and columns, not 6×6×3"),
        ([[0.0] * 6] * 5 + [[0.0]], "the rows of the image have different lengths"),
        (np.full((6, 6), np.inf), "row 1, column 1 of the image is inf"),
    ],
)
def test_grids(grid: object, message: str) -> None:
    with pytest.raises(TxvizError, match=message):
        txviz.trace("vit-guide-2x2", grid)


def png(width: int, height: int) -> bytes:
    """A PNG whose header promises this size and whose pixels are missing."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")


def saved(image: Image.Image, kind: str = "PNG") -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, kind)
    return buffer.getvalue()


def noise() -> Image.Image:
    return Image.fromarray(np.random.default_rng(0).integers(0, 256, (6, 6), dtype=np.uint8))


def coloured() -> Image.Image:
    image = Image.new("RGB", (6, 6), (100, 100, 100))
    image.putpixel((2, 3), (200, 100, 100))
    return image


def transparent() -> Image.Image:
    image = Image.new("RGBA", (6, 6), (0, 0, 0, 255))
    image.putpixel((2, 3), (0, 0, 0, 128))
    return image


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (lambda: saved(Image.new("L", (7, 5))), "has 7×5 pixels; this model reads 6×6, so resize it first"),
        (lambda: saved(coloured()), "is in colour; this model reads greyscale, so convert it first"),
        (lambda: saved(transparent()), "is transparent in places; save it on a white or black background"),
        (lambda: saved(Image.new("I;16", (6, 6))), "is not an 8-bit image .*; save it as 8-bit greyscale"),
        (lambda: saved(Image.new("F", (6, 6)), "TIFF"), "is not an 8-bit image"),
        (lambda: saved(noise())[:60], "is a broken image file"),
        (lambda: png(6, 6), "is a broken image file"),
        (lambda: b"not an image at all", "is not an image that can be read"),
        (lambda: b"", "is not an image that can be read"),
        (lambda: png(100_000, 100_000), "has far too many pixels"),
        (lambda: png(12_000, 10_000), "has (far too many|12000×10000) pixels"),
    ],
)
def test_image_files(tmp_path: Path, content: Callable[[], bytes], message: str) -> None:
    path = tmp_path / "it.png"
    path.write_bytes(content())
    with pytest.raises(TxvizError, match=message) as error:
        txviz.trace("vit-guide-2x2", path)
    assert str(path) in str(error.value)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["show", "gpt2", "x"], "translator, writer, or give the path of a model's folder"),
        (["show", "sentence-guid", "x"], 'no model is called "sentence-guid"; did you mean "sentence-guide"?'),
        (["show", "gpt-9", "x"], "there are sentence-guide, vit-guide-3x2"),
        (["show", "sentence-guide", ""], "the sentence is empty"),
        (
            ["show", "sentence-guide", "x", "--step", "encoder.0.atention.scores"],
            'did you mean "encoder.0.attention.scores"?',
        ),
        (["show", "sentence-guide", "x", "--pooling", "max"], "pooling is 'max'; it can be mean or cls"),
        (["show", "masked-attention-guide", "YOUR", "--pooling", "cls"], "has no option pooling; it takes none"),
        (["show", "vit-guide-2x2", "0", "--heads", "3"], "heads is '3'; it can be 1 or 2 or 4"),
        (["show", "sentence-guide"], "INPUT is missing: what sentence-guide is to read"),
        (["masked"], "invalid choice: 'masked'"),
        (["show", "masked-attention-guide", "MY CAT"], 'type "YOUR CAT IS A LOVELY CAT" or its first words'),
        (["verify", "nowhere.safetensors"], "there is no file nowhere.safetensors"),
        (
            ["trace", "sentence-guide", "x", "-o", "no/such/folder/x.safetensors"],
            "can't write no/such/folder/x.safetensors",
        ),
    ],
)
def test_the_command_line_says_it_in_one_line(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("txviz: ")
    assert err.count("\n") == 1
    assert message in err
