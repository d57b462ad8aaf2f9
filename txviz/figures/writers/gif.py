"""GIF: a run of figures as an animation.

A GIF has 256 colours. All frames share the same ones, so that what stands still keeps its colour: the colours that
cover most are kept as they are, and the rest, mostly the soft edges of letters, is brought together.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from io import BytesIO
from math import isqrt
from typing import NamedTuple

import numpy as np
from PIL import Image
from PySide6.QtGui import QImage

from txviz.errors import TxvizError
from txviz.figures.marks import Figure
from txviz.figures.theme import rgb
from txviz.figures.writers.raster import image

EXACT, COLOURS = 160, 255
"""How many colours are kept as they are, and how many there are in all; one more is left to say "as before"."""


class Frame(NamedTuple):
    """An image put away until the colours of all are known."""

    size: tuple[int, int]
    pixels: bytes
    background: tuple[int, int, int]


def gif(figures: Iterable[Figure], seconds: float = 1.0, loop: bool = True, scale: float = 1.0) -> bytes:
    """Each figure for some seconds, for ever or once; smaller figures stand in the middle of the largest page.

    A generator is asked for the next figure when the one before is painted.
    """
    frames: list[Frame] = []
    counts: Counter[int] = Counter()
    for figure in figures:
        painted = _image(image(figure, scale))
        counts.update(_counted(painted))
        frames.append(Frame(painted.size, zlib.compress(painted.tobytes(), 1), rgb(figure.background)))
    if not frames:
        raise TxvizError("no figure to write; a GIF has one frame at least")
    first, *others = _reduced(frames, _palette(counts))
    again = {"loop": 0} if loop else {}
    buffer = BytesIO()
    first.save(buffer, "GIF", save_all=True, append_images=others, duration=round(seconds * 1000), disposal=1, **again)
    return buffer.getvalue()


def _image(painted: QImage) -> Image.Image:
    size = painted.width(), painted.height()
    return Image.frombuffer("RGB", size, bytes(painted.constBits()), "raw", "BGRX", painted.bytesPerLine(), 1)


def _counted(painted: Image.Image) -> dict[int, int]:
    """How many pixels each colour has, by its number 0xrrggbb."""
    pixels = np.asarray(painted).astype(np.uint32)
    colours, counts = np.unique(pixels[..., 0] << 16 | pixels[..., 1] << 8 | pixels[..., 2], return_counts=True)
    return dict(zip(colours.tolist(), counts.tolist(), strict=True))


def _palette(counts: Counter[int]) -> Image.Image:
    """An image that has the palette which is best for so many pixels of each colour."""
    order = sorted(counts, key=lambda colour: (-counts[colour], colour))
    exact, rest = order[:EXACT], order[EXACT:]
    entries = b"".join(colour.to_bytes(3, "big") for colour in exact)
    if rest:
        # by the root of their number, or else what is everywhere would leave nothing to what is small
        pixels = b"".join(colour.to_bytes(3, "big") * isqrt(counts[colour]) for colour in rest)
        sample = Image.frombytes("RGB", (len(pixels) // 3, 1), pixels)
        entries += bytes(sample.quantize(COLOURS - len(exact), Image.Quantize.MEDIANCUT).getpalette() or ())
    made = Image.new("P", (1, 1))
    made.putpalette(entries[: 3 * COLOURS])
    return made


def _reduced(frames: list[Frame], palette: Image.Image) -> Iterator[Image.Image]:
    """The frames on one page size, in the colours of the palette."""
    width, height = (max(frame.size[side] for frame in frames) for side in (0, 1))
    for frame in frames:
        page = Image.new("RGB", (width, height), frame.background)
        corner = (width - frame.size[0]) // 2, (height - frame.size[1]) // 2
        page.paste(Image.frombytes("RGB", frame.size, zlib.decompress(frame.pixels)), corner)
        yield page.quantize(palette=palette, dither=Image.Dither.NONE)
