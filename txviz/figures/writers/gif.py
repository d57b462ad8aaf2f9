"""GIF: a run of figures as an animation.

A GIF has 256 colours. All frames share the same ones, so that what stands still keeps its colour: the colours that
cover most are kept as they are, and the rest, mostly the soft edges of letters, is brought together.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from io import BytesIO
from math import isqrt
from typing import Any, NamedTuple

import numpy as np
from PIL import Image

from txviz.errors import TxvizError
from txviz.figures.command import command
from txviz.figures.job import Export
from txviz.figures.marks import Colour, Figure
from txviz.figures.writers.raster import image
from txviz.figures.writers.video import frames
from txviz.ops import Array

EXACT, COLOURS = 160, 255
"""How many colours are kept as they are, and how many there are in all; one more is left to say "as before"."""


def _nobody() -> None:
    """Never stops it."""


class Watched(BytesIO):
    """A file in memory whose writer can be stopped: each piece is told, and who is told may raise."""

    def __init__(self, told: Callable[[], object]) -> None:
        super().__init__()
        self._told = told

    def write(self, piece: Any) -> int:
        self._told()
        return super().write(piece)


class Frame(NamedTuple):
    """An image put away until the colours of all are known."""

    height: int
    width: int
    packed: bytes
    background: int


def gif(
    figures: Iterable[Figure], seconds: float = 1.0, loop: bool = True, scale: float = 1.0, said: str = ""
) -> bytes:
    """Each figure for some seconds, for ever or once; smaller figures stand in the middle of the largest page.

    A generator is asked for the next figure when the one before is painted.
    """
    return _animated(((_pixels(figure, scale), figure.background) for figure in figures), seconds, loop, said)


def write(wanted: Export) -> bytes:
    """Pictures one after the other, or a film of so many frames a second."""
    said = command(wanted)
    if not wanted.rate:
        return gif(wanted.figures(), wanted.seconds_each, wanted.loop, wanted.scale, said)
    page = wanted.preset
    width, height = (max(1, round(side * wanted.scale)) for side in (page.width, page.height))
    moving = (pixels.view(np.uint32)[..., 0] & 0xFFFFFF for pixels in frames(wanted, width, height))
    painted, total = ((pixels, page.style.theme.panel) for pixels in moving), len(wanted.shown)
    return _animated(painted, 1 / wanted.rate, wanted.loop, said, lambda: wanted.watch(total, total))


def _animated(
    pictures: Iterable[tuple[Array, Colour]],
    seconds: float,
    loop: bool,
    said: str,
    told: Callable[[], object] = _nobody,
) -> bytes:
    """``said`` is the comment of the file; ``told`` is called often after all is painted, and stops it by raising."""
    kept: list[Frame] = []
    counts: Counter[int] = Counter()
    for pixels, background in pictures:
        colours, times = np.unique(pixels, return_counts=True)
        counts.update(dict(zip(colours.tolist(), times.tolist(), strict=True)))
        height, width = pixels.shape
        kept.append(Frame(height, width, zlib.compress(pixels.tobytes(), 1), int(background[1:], 16)))
    if not kept:
        raise TxvizError("no figure to write; a GIF has one frame at least")
    counts.update({frame.background: 0 for frame in kept})
    others = _indexed(kept, counts, told)
    first = next(others)
    more: dict[str, Any] = {"loop": 0} if loop else {}
    more |= {"comment": said.encode("utf-8", "replace")} if said else {}
    buffer = Watched(told)
    first.save(buffer, "GIF", save_all=True, append_images=others, duration=round(seconds * 1000), disposal=1, **more)
    return buffer.getvalue()


def _pixels(figure: Figure, scale: float) -> Array:  # -> (height,width)
    """The colours as numbers, 0xrrggbb."""
    painted = image(figure, scale)
    numbers = np.frombuffer(painted.constBits(), np.uint32) & 0xFFFFFF
    return numbers.reshape(painted.height(), painted.width())


def _indexed(frames: list[Frame], counts: Counter[int], told: Callable[[], object]) -> Iterator[Image.Image]:
    """The frames on one page size, in the colours of one palette."""
    palette = _palette(counts)
    table = np.zeros(1 << 24, np.uint8)  # which entry of the palette each colour becomes
    used = np.array(sorted(counts))
    table[used] = _nearest(_rgb(used), palette)
    height, width = max(frame.height for frame in frames), max(frame.width for frame in frames)
    for frame in frames:
        told()
        page = np.full((height, width), table[frame.background])
        top, left = (height - frame.height) // 2, (width - frame.width) // 2
        pixels = np.frombuffer(zlib.decompress(frame.packed), np.uint32).reshape(frame.height, frame.width)
        page[top : top + frame.height, left : left + frame.width] = table[pixels]
        made = Image.frombytes("P", (width, height), page.tobytes())
        made.putpalette(palette.tobytes())
        yield made


def _palette(counts: Counter[int]) -> Array:  # -> (at most COLOURS,3)
    """The colours that are best for so many pixels of each."""
    order = sorted(counts, key=lambda colour: (-counts[colour], colour))
    exact, rest = _rgb(np.array(order[:EXACT])), order[EXACT:]
    if not rest:
        return exact
    # by the root of their number, or else what is everywhere would leave nothing to what is small
    sample = _rgb(np.repeat(rest, [max(isqrt(counts[colour]), 1) for colour in rest]))
    image = Image.frombytes("RGB", (len(sample), 1), sample.tobytes())
    mixed = image.quantize(COLOURS - len(exact), Image.Quantize.MAXCOVERAGE).getpalette()
    return np.concatenate([exact, np.array(mixed, np.uint8).reshape(-1, 3)])


def _rgb(numbers: Array) -> Array:  # (n) -> (n,3)
    return np.stack([numbers >> shift & 255 for shift in (16, 8, 0)], axis=-1).astype(np.uint8)


def _nearest(colours: Array, palette: Array) -> Array:  # (n,3), (m,3) -> (n)
    """Which colour of the palette is the nearest. Pillow's own search rounds, so that white would turn grey."""
    entries = palette.astype(np.float32)
    lengths = (entries**2).sum(axis=-1)
    parts = np.array_split(colours.astype(np.float32), len(colours) // 10_000 + 1)
    return np.concatenate([(lengths - 2 * part @ entries.T).argmin(axis=-1) for part in parts])
