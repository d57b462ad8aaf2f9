"""Images: from a file, from rows of numbers in text, or from an array. Pixels go from 0 (black) to 1 (white)."""

from __future__ import annotations

import logging
import re
import stat
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np

from txviz.errors import TxvizError
from txviz.files import is_file, reading
from txviz.ops import Array

_FORMATS = ("PNG", "JPEG", "GIF", "BMP", "WEBP", "TIFF")
"""All that is opened, whatever a file is called. Pillow knows more, and one of them starts a PostScript interpreter."""
_LARGEST_FILE = 50_000_000
_MOST_PIXELS = 60_000_000
"""A phone's photo passes, and takes half a gigabyte at most while it is unpacked and turned."""
_MOST_PIXELS_OF_WEBP = 20_000_000
"""Its decoder takes four times the memory for each."""
_LARGEST_SIDE = 1000
_TILE = 64
"""So many rows and columns of the smaller picture are made at once."""
_SILENT = logging.NullHandler()
"""What Pillow has to say about a broken file would stand on the terminal, beside our own sentence."""
_LOOKS_LIKE_NUMBERS = re.compile(r"\s*\[*\s*[-+]?(\d|\.\d|nan\b|inf\b)", re.IGNORECASE)


def read_image(source: object, size: tuple[int, int]) -> Array:  # -> (rows,columns)
    """A greyscale image of exactly this size (rows, columns), or one sentence that says why it can't be read."""
    if isinstance(source, Path):
        return _from_file(source, size)
    if isinstance(source, str):
        if not source.strip():
            raise TxvizError(f"the image is empty; {_wanted(size)}")
        if is_file(Path(source)):
            return _from_file(Path(source), size)
        if _LOOKS_LIKE_NUMBERS.match(source):
            return _checked(_rows(source), size)
        raise TxvizError(f"there is no file {source.strip()[:80]!r}; {_wanted(size)}")
    return _checked(_as_rows(source), size)


def image_text(pixels: Array) -> str:  # (rows,columns) ->
    """An image as text that ``read_image`` reads back to the very same numbers.

    >>> image_text(np.array([[0, 0.35], [1, 0.5]]))
    '0 0.35; 1 0.5'
    """
    return "; ".join(" ".join(np.format_float_positional(x, trim="-") for x in row) for row in pixels.astype(float))


def _wanted(size: tuple[int, int]) -> str:
    return (
        f"give a greyscale image file of {size[1]}×{size[0]} pixels, or {size[0]} rows of {size[1]} numbers from 0 to 1"
    )


def _rows(text: str) -> list[list[str]]:
    """Rows end with a line break, a semicolon, or as JSON; numbers are parted by blanks or commas."""
    text = re.sub(r"\]\s*,", ";", text).replace("[", " ").replace("]", " ")
    return [cells for line in re.split(r"[;\n]", text) if (cells := re.split(r"[\s,]+", line.strip(" \t\r,"))) != [""]]


def _as_rows(source: object) -> list[list[Any]]:
    try:
        array = np.asarray(source)
    except ValueError as error:
        raise TxvizError("the rows of the image have different lengths") from error
    if array.ndim != 2:
        shape = "×".join(map(str, array.shape)) or "one number"
        raise TxvizError(f"this model reads an image with rows and columns, not {shape}")
    rows: list[list[Any]] = array.tolist()
    return rows


def _checked(rows: list[list[Any]], size: tuple[int, int]) -> Array:
    if len(rows) != size[0]:
        raise TxvizError(f"the image has {_count(len(rows), 'row')}, {size[0]} expected")
    for i, row in enumerate(rows, 1):
        if len(row) != size[1]:
            raise TxvizError(f"row {i} of the image has {_count(len(row), 'number')}, {size[1]} expected")
    return np.array([[_pixel(cell, i, j) for j, cell in enumerate(row, 1)] for i, row in enumerate(rows, 1)])


def _pixel(cell: Any, row: int, column: int) -> float:
    try:
        value = float(cell)
    except (TypeError, ValueError, OverflowError):
        value = float("nan")
    if not 0 <= value <= 1:
        raise TxvizError(f"row {row}, column {column} of the image is {str(cell)[:20]}; pixels are numbers from 0 to 1")
    return value


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def _from_file(path: Path, size: tuple[int, int]) -> Array:
    with _opened(path, _wanted(size)) as image:
        _check_kind(path, image, size)
        return _grey_pixels(path, image)


@contextmanager
def _opened(path: Path, wanted: str) -> Iterator[Any]:
    """An image file; whatever goes wrong with it while it is open becomes one sentence."""
    from PIL import Image, UnidentifiedImageError  # only image files need it, and it takes a while to import

    logging.getLogger("PIL").addHandler(_SILENT)
    try:
        _check_file(path, wanted)
        quiet = warnings.catch_warnings(action="ignore")
        with quiet, reading(path), Image.open(path, formats=_FORMATS) as image:
            most = _MOST_PIXELS_OF_WEBP if image.format == "WEBP" else _MOST_PIXELS
            if image.width * image.height > most:
                raise _too_many(path, most, wanted)
            yield image
    except (TxvizError, MemoryError):
        raise
    except Image.DecompressionBombError as error:
        raise _too_many(path, _MOST_PIXELS, wanted) from error
    except UnidentifiedImageError as error:
        raise TxvizError(f"{path} is not an image that can be read; {wanted}") from error
    except Exception as error:  # a decoder raises whatever a damaged file makes it stumble over
        raise TxvizError(f"{path} is a broken image file; {wanted}") from error


def _too_many(path: Path, most: int, wanted: str) -> TxvizError:
    return TxvizError(f"{path} has far too many pixels, more than {most // 10**6} million; {wanted}")


def _check_file(path: Path, wanted: str) -> None:
    """Before it is opened: a pipe would be waited for, and a device has no end."""
    found = path.stat()
    if not stat.S_ISREG(found.st_mode):
        raise TxvizError(f"{path} is not a file; {wanted}")
    if found.st_size > _LARGEST_FILE:
        raise TxvizError(f"{path} is too large a file, more than {_LARGEST_FILE // 10**6} MB; {wanted}")


def _check_kind(path: Path, image: Any, size: tuple[int, int]) -> None:
    """From the header alone, before a single pixel is unpacked."""
    width, height = image.size
    if (height, width) != size:
        raise TxvizError(
            f"{path} has {width}×{height} pixels; this model reads {size[1]}×{size[0]}, so resize it first"
        )
    if image.mode not in ("1", "L", "LA", "P", "PA", "RGB", "RGBA"):
        raise TxvizError(f"{path} is not an 8-bit image (its mode is {image.mode}); save it as 8-bit greyscale")


def _grey_pixels(path: Path, image: Any) -> Array:
    """Pixels of an image that is opaque and grey, however it is stored."""
    colours = np.asarray(image.convert("RGBA"))
    if (colours[..., 3] != 255).any():
        raise TxvizError(f"{path} is transparent in places; save it on a white or black background")
    if (colours[..., 0] != colours[..., 1]).any() or (colours[..., 0] != colours[..., 2]).any():
        raise TxvizError(f"{path} is in colour; this model reads greyscale, so convert it first")
    return np.asarray(colours[..., 0] / 255)


def read_picture(path: Path) -> Array:  # -> (H,W,3)
    """A photo or drawing of any size and colour as 8-bit RGB, upright, on white; a very large one made smaller."""
    from PIL import ImageOps

    with _opened(path, "give a picture as PNG, JPEG, GIF, BMP, WebP or TIFF") as image:
        _check_depth(path, image)
        image.draft(None, (_LARGEST_SIDE, _LARGEST_SIDE))  # a JPEG can be unpacked smaller; others stay as they are
        ImageOps.exif_transpose(image, in_place=True)
        return _reduced(image, ceil(max(image.size) / _LARGEST_SIDE))


def _check_depth(path: Path, image: Any) -> None:
    if image.mode not in ("1", "L", "LA", "P", "PA", "RGB", "RGBA", "CMYK", "YCbCr"):
        raise TxvizError(f"{path} is not an 8-bit image (its mode is {image.mode}); save it with 8 bits")


def opened_picture(path: Path) -> Any:
    """A photo or drawing of any size as Pillow has it: in colour, upright, on white."""
    from PIL import ImageOps

    with _opened(path, "give a picture as PNG, JPEG, GIF, BMP, WebP or TIFF") as image:
        _check_depth(path, image)
        upright = ImageOps.exif_transpose(image)
        return upright.convert("RGB") if image.mode in ("L", "RGB", "CMYK", "YCbCr") else _on_white(upright)


def _reduced(image: Any, factor: int) -> Array:  # -> (H,W,3)
    """On white, tile by tile: all at once would take several times the memory of the image."""
    width, height = image.size
    side = _TILE * factor

    def tile(left: int, top: int) -> Array:
        box = (left, top, min(left + side, width), min(top + side, height))
        return np.asarray(_on_white(image.crop(box)).reduce(factor))

    rows = [[tile(left, top) for left in range(0, width, side)] for top in range(0, height, side)]
    return np.concatenate([np.concatenate(row, axis=1) for row in rows])


def _on_white(image: Any) -> Any:
    from PIL import Image

    colours = image.convert("RGBA")
    return Image.alpha_composite(Image.new("RGBA", colours.size, "white"), colours).convert("RGB")


def reduce_picture(colours: Array, size: tuple[int, int]) -> Array:  # (H,W,3) -> (rows,columns)
    """A picture in as many grey pixels as a model reads: each is the average over its area, with two decimals."""
    grey = colours @ np.array([0.299, 0.587, 0.114]) / 255
    averaged = _shares(grey.shape[0], size[0]) @ grey @ _shares(grey.shape[1], size[1]).T
    return np.asarray(averaged.clip(0, 1).round(2))


def _shares(many: int, few: int) -> Array:  # -> (few,many)
    """How much of each of the few is covered by each of the many: row i runs from i/few to (i+1)/few."""
    edges = np.arange(many + 1) / many * few
    covered = np.minimum(edges[1:], np.arange(1, few + 1)[:, None]) - np.maximum(edges[:-1], np.arange(few)[:, None])
    return np.asarray(covered.clip(min=0))
