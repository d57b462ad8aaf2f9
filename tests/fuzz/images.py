"""Files of pictures, of the kinds that are read and of others."""

from __future__ import annotations

import io
import struct
import zlib
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from PIL import Image

from tests.fuzz.checks import every
from tests.fuzz.mutate import changed_bytes
from txviz.models.images import read_image, read_picture, reduce_picture


def enter(given: bytes) -> None:
    """As the command line and as the drawing board read it."""
    path = Path("case.png")
    path.write_bytes(given)
    every((lambda: read_image(path, (6, 6)), lambda: reduce_picture(read_picture(path), (6, 6))))


def image(rng: Random) -> bytes:
    match rng.randrange(8):
        case 0:
            return rng.choice(_others())
        case 1:
            size = [rng.choice((0, 1, 6, 60_000, 2**31 - 1)) for _ in range(2)]
            return promised(*size, *rng.choices(range(17), k=2))
        case 2:
            first, second = _good(rng), _good(rng)
            return first[: rng.randrange(len(first))] + second[rng.randrange(len(second)) :]
        case 3:
            return _good(rng)
    return changed_bytes(rng, _good(rng))


def _good(rng: Random) -> bytes:
    kind = rng.choice(("PNG", "JPEG", "GIF", "BMP", "WEBP", "TIFF"))
    mode = rng.choice(("L", "RGB") if kind == "JPEG" else ("1", "L", "P", "RGB", "RGBA"))
    return _saved(kind, mode, rng.choice(((6, 6), (6, 6), (7, 5), (64, 48), (1, 1))), rng.randrange(9))


@cache
def _saved(kind: str, mode: str, size: tuple[int, int], turn: int) -> bytes:
    noise = np.random.default_rng(0).integers(0, 256, (size[1], size[0], 4), dtype=np.uint8)
    noise[..., 3] = 255
    exif = Image.Exif()
    exif[0x0112] = turn
    return _written(Image.fromarray(noise[..., [0, 0, 0, 3]] if turn % 2 else noise).convert(mode), kind, exif=exif)


def _written(picture: Image.Image, kind: str, **options: Any) -> bytes:
    buffer = io.BytesIO()
    picture.save(buffer, kind, **options)
    return buffer.getvalue()


def promised(width: int, height: int, bits: int = 8, colours: int = 0) -> bytes:
    """A PNG whose header promises this, and nothing follows."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, bits, colours, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")


@cache
def _others() -> tuple[bytes, ...]:
    """Of formats that are not read: one of them is a program, and an endless one."""
    return (
        *(_written(Image.new("RGB", (6, 6)), kind) for kind in ("DDS", "ICO", "PPM", "TGA", "PCX", "SGI", "MPO")),
        b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 6 6\n%%EndComments\n{} loop\n%%EOF\n",
        b"\0\0\0\x1cftypavif\0\0\0\0avifmif1miaf\0\0\0\x08meta",
        b"icns\0\0\0\x10ic07\0\0\0\x08",
        b"<svg xmlns='http://www.w3.org/2000/svg'/>",
        b"",
    )
