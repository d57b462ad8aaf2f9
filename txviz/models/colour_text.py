"""Images in three colours as text: rows of colours as web pages write them, #ff8000 or #f80."""

from __future__ import annotations

import re

import numpy as np

from txviz.errors import TxvizError
from txviz.ops import Array

_COLOUR = re.compile(r"#([0-9a-f]{3}|[0-9a-f]{6})", re.IGNORECASE)


def is_colours(text: str) -> bool:
    """Whether it is meant as colours; they may be wrong."""
    return text.lstrip().startswith("#")


def colour_text(colour: Array) -> str:  # (3,)
    """As short as it can be.

    >>> colour_text(np.array([255, 136, 0])), colour_text(np.array([255, 128, 0]))
    ('#f80', '#ff8000')
    """
    digits = "".join(f"{int(part):02x}" for part in colour)
    return "#" + (digits[::2] if digits[::2] == digits[1::2] else digits)


def colours_text(pixels: Array) -> str:  # (rows,columns,3) ->
    """What ``read_colours`` reads back to the very same colours.

    >>> colours_text(np.array([[[0, 0, 0], [255, 128, 0]]]))
    '#000 #ff8000'
    """
    return "; ".join(" ".join(map(colour_text, row)) for row in pixels)


def read_colours(text: str) -> Array:  # -> (rows,columns,3), whole numbers to 255
    """Rows end with a semicolon or a line break; one sentence says what is wrong with them."""
    rows = [row.split() for row in re.split(r"[;\n]", text) if row.strip()]
    for i, row in enumerate(rows, 1):
        if len(row) != len(rows[0]):
            raise TxvizError(
                f"the rows of the image have different lengths: {len(rows[0])} in row 1, {len(row)} in row {i}"
            )
    return np.array([[_colour(word, i, j) for j, word in enumerate(row, 1)] for i, row in enumerate(rows, 1)], np.uint8)


def _colour(word: str, row: int, column: int) -> tuple[int, ...]:
    found = _COLOUR.fullmatch(word)
    if found is None:
        raise TxvizError(f"row {row}, column {column} of the image is {word[:20]}; a colour is written like #ff8000")
    digits = found[1] if len(found[1]) == 6 else "".join(2 * digit for digit in found[1])
    return tuple(bytes.fromhex(digits))
