"""Image files from anywhere: what is opened, what is refused in a sentence, and how pictures are turned and reduced."""

from __future__ import annotations

import io
import os
import struct
import subprocess
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from txviz.errors import TxvizError
from txviz.models.images import read_image, read_picture

READ = ["PNG", "JPEG", "GIF", "BMP", "WEBP", "TIFF"]
TURNABLE = ["PNG", "JPEG", "WEBP", "TIFF"]
ORIENTATION = 0x0112


def read_small(path: Path) -> Any:
    return read_image(path, (6, 6))


READERS: list[Callable[[Path], Any]] = [read_small, read_picture]


def noise(height: int, width: int, *channels: int) -> Any:
    return np.random.default_rng(0).integers(0, 256, (height, width, *channels), dtype=np.uint8)


def saved(image: Image.Image, kind: str, **options: Any) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()


def refusal(path: Path, content: bytes, read: Callable[[Path], Any]) -> str:
    path.write_bytes(content)
    with pytest.raises(TxvizError) as error:
        read(path)
    return str(error.value)


@pytest.mark.parametrize("kind", READ)
def test_what_is_read(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "called.anything"
    path.write_bytes(saved(Image.new("L", (6, 6), 255), kind))
    assert (read_small(path) == 1).all()
    assert (read_picture(path) == 255).all()


EPS = b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 6 6\n%%EndComments\nshowpage\n%%EOF\n"


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize("name", ["x.png", "x.eps", "x"])
def test_postscript_is_never_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, read: Callable[[Path], Any]
) -> None:
    started: list[object] = []

    def start(*arguments: object, **_: object) -> None:
        started.append(arguments)
        raise OSError

    monkeypatch.setattr(subprocess, "Popen", start)
    assert "is not an image that can be read" in refusal(tmp_path / name, EPS, read)
    assert started == []


OTHERS = {kind: saved(Image.fromarray(noise(6, 6, 3)), kind) for kind in ("DDS", "ICO", "PPM", "TGA", "PCX", "SGI")}
OTHERS["AVIF"] = b"\0\0\0\x1cftypavif\0\0\0\0avifmif1miaf\0\0\0\x08meta"
OTHERS["ICNS"] = b"icns\0\0\0\x10ic07\0\0\0\x08"
OTHERS["FLI"] = b"\0\0\0\0\x11\xaf" + bytes(200)
OTHERS["PSD"] = b"8BPS\0\1" + bytes(200)


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize("kind", OTHERS)
def test_no_other_format_is_opened(tmp_path: Path, kind: str, read: Callable[[Path], Any]) -> None:
    assert "is not an image that can be read" in refusal(tmp_path / "x.png", OTHERS[kind], read)
    assert "is not an image that can be read" in refusal(tmp_path / f"x.{kind.lower()}", OTHERS[kind][:40], read)


def damaged(content: bytes, count: int) -> list[bytes]:
    """Cut short, and with one to five bits flipped; half of the flips are in the header."""
    rng = np.random.default_rng(len(content))
    cases = [content[: int(at)] for at in rng.integers(0, len(content), count)]
    for i in range(2 * count):
        flipped = bytearray(content)
        for at in rng.integers(0, min(64, len(content)) if i % 2 else len(content), rng.integers(1, 6)):
            flipped[at] ^= 1 << int(rng.integers(8))
        cases.append(bytes(flipped))
    return cases


def complaint(path: Path, read: Callable[[Path], Any]) -> str | None:
    try:
        read(path)
    except TxvizError as error:
        return str(error)
    return None


def with_exif(turn: int = 6) -> Image.Exif:
    exif = Image.Exif()
    exif[ORIENTATION] = turn
    return exif


@pytest.mark.parametrize("kind", READ)
@pytest.mark.parametrize("mode", ["L", "RGB", "P"])
def test_a_damaged_file_is_read_or_refused_in_a_sentence(tmp_path: Path, kind: str, mode: str) -> None:
    image = Image.fromarray(noise(6, 6, 3)).convert("L" if mode == "P" and kind == "JPEG" else mode)
    path = tmp_path / "x.png"
    for content in damaged(saved(image, kind, exif=with_exif()), 40):
        path.write_bytes(content)
        for read in READERS:
            said = complaint(path, read)
            assert said is None or (said.startswith(str(path)) and "\n" not in said)


class StrangeError(Exception):
    """Of no kind that a caller could expect."""


def test_whatever_a_decoder_raises_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise StrangeError

    monkeypatch.setattr(Image.Image, "convert", fail)
    content = saved(Image.new("L", (6, 6)), "PNG")
    for read in READERS:
        assert "is a broken image file" in refusal(tmp_path / "x.png", content, read)


def promised(width: int, height: int) -> bytes:
    """A PNG of some 60 bytes whose header promises this size, and nothing follows."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize("size", [(60_001, 1_000), (10_000, 10_000), (100_000, 100_000), (2**31 - 1, 2**31 - 1)])
def test_too_many_pixels_are_refused_by_the_header(
    tmp_path: Path, size: tuple[int, int], read: Callable[[Path], Any]
) -> None:
    said = refusal(tmp_path / "x.png", promised(*size), read)
    assert "has far too many pixels, more than 60 million" in said


def test_a_webp_may_have_fewer_pixels_as_its_decoder_takes_more_memory(tmp_path: Path) -> None:
    content = saved(Image.new("L", (16_000, 1_251)), "WEBP", lossless=True, method=0, quality=0)
    for read in READERS:
        assert "has far too many pixels, more than 20 million" in refusal(tmp_path / "x.webp", content, read)


def test_a_large_photo_is_not_too_large(tmp_path: Path) -> None:
    path = tmp_path / "x.png"
    path.write_bytes(saved(Image.new("1", (7_700, 7_700), 1), "PNG"))
    assert read_picture(path).shape == (963, 963, 3)
    assert "is a broken image file" in refusal(path, promised(7_700, 7_700), read_picture)


def test_too_large_a_file_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "x.png"
    with path.open("wb") as file:
        file.truncate(50_000_001)
    for read in READERS:
        with pytest.raises(TxvizError, match="is too large a file, more than 50 MB"):
            read(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names here")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.png")
    for path in (tmp_path / "x.png", tmp_path):
        for read in READERS:
            with pytest.raises(TxvizError, match="is not a file"):
                read(path)


TURNS: dict[int, Callable[[Any], Any]] = {
    1: lambda upright: upright,
    2: lambda upright: upright[:, ::-1],
    3: lambda upright: upright[::-1, ::-1],
    6: lambda upright: np.rot90(upright, 1),
    8: lambda upright: np.rot90(upright, -1),
}
"""How a camera stores a picture that it held turned, by what it writes in the file."""


@pytest.mark.parametrize(
    ("kind", "turn", "height"),
    [(kind, turn, 24) for kind in TURNABLE for turn in TURNS] + [(kind, 6, 4_000) for kind in TURNABLE],
)
def test_photos_are_upright(tmp_path: Path, kind: str, turn: int, height: int) -> None:
    upright = np.zeros((height, height // 2, 3), np.uint8)
    upright[: height // 4, : height // 4] = 255
    stored = Image.fromarray(np.ascontiguousarray(TURNS[turn](upright)))
    path = tmp_path / "x"
    path.write_bytes(saved(stored, kind, exif=with_exif(turn)))
    read = read_picture(path)
    assert read.shape[0] == 2 * read.shape[1] == min(height, 1_000)
    expected = np.asarray(Image.fromarray(upright).resize(read.shape[1::-1], Image.Resampling.BOX))
    assert np.abs(read - expected.astype(float)).mean() < 1


@pytest.mark.parametrize(
    ("mode", "kind", "options"),
    [
        ("RGB", "PNG", {}),
        ("RGB", "PNG", {"transparency": (0, 0, 0)}),
        ("RGBA", "PNG", {}),
        ("LA", "PNG", {}),
        ("1", "TIFF", {}),
        ("P", "GIF", {"transparency": 3}),
        ("CMYK", "TIFF", {}),
    ],
)
def test_tiles_are_reduced_as_the_whole_would_be(tmp_path: Path, mode: str, kind: str, options: dict[str, Any]) -> None:
    path = tmp_path / "x"
    image = Image.fromarray(np.tile(noise(59, 19, 4), (39, 53, 1))).convert(mode)
    path.write_bytes(saved(image, kind, **options))
    with Image.open(path) as found:
        colours = found.convert("RGBA")
    whole = Image.alpha_composite(Image.new("RGBA", colours.size, "white"), colours).convert("RGB").reduce(3)
    np.testing.assert_array_equal(read_picture(path), np.asarray(whole))
