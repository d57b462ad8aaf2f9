"""Numbers and arithmetic of many cells, taken apart so that they pack well: what is alike in all stands together.

The page puts them together again, letter by letter, and works nothing out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import zip_longest

import numpy as np

from txviz.ops import Array
from txviz.ops.arithmetic import number

DIGITS = 6
"""Of a number that is pointed at; the numbers in the arithmetic have four."""

PLAIN = 1e-99, 10**DIGITS - 0.5
"""Sizes that have all their digits behind an exponent of two figures."""

_CUT = "\x1f"


def numbers(values: Array) -> str:  # (...) -> its n numbers
    """Three lines: forms such as ``0.0######``, divided by bars; which of them each number has, as a letter from U+0100
    on; and six digits of each, to be put into its form. Forms are what ``number`` writes of one number of the kind."""
    flat = values.ravel().astype(float)
    plain = (np.abs(flat) >= PLAIN[0]) & (np.abs(flat) < PLAIN[1])
    digits, kinds = _taken_apart(np.where(plain, flat, 1.0))
    first, which = np.unique(kinds[plain], return_index=True, return_inverse=True)[1:]
    forms = [_form(number(x, DIGITS)) for x in flat[plain][first].tolist()]
    letters = np.zeros(flat.shape, int)
    letters[plain] = which
    for i in np.flatnonzero(~plain).tolist():  # 0, what is not finite, and the very large and small
        text = number(float(flat[i]), DIGITS)
        forms += [] if text in forms else [text]
        letters[i] = forms.index(text)
    return "\n".join(("|".join(forms), "".join(map(chr, (letters + 256).tolist())), digits.tobytes().decode()))


def _taken_apart(flat: Array) -> tuple[Array, Array]:  # (n,) -> (n,6) of digits, (n,) the same for those of one form
    """From ``+5.47673e-01``: its digits, and its sign, its exponent and how many of its digits are zeros at the end."""
    form = f"%+.{DIGITS - 1}e"
    written = np.frombuffer((form * len(flat) % tuple(flat.tolist())).encode(), np.uint8).reshape(len(flat), DIGITS + 6)
    digits = np.ascontiguousarray(written[:, [1, *range(3, DIGITS + 2)]])
    zeros = np.cumprod(digits[:, ::-1] == ord("0"), axis=1).sum(axis=1)
    sign, exponent = written[:, 0].astype(int), written[:, -3:].astype(int) @ (128 * 128, 128, 1)
    return digits, (exponent * 128 + sign) * 128 + zeros


def _form(text: str) -> str:
    """
    >>> _form("−0.00547673"), _form("21.5"), _form("1.5×10⁻⁷")
    ('−0.00######', '##.#', '#.#×10⁻⁷')
    """
    written, power = re.fullmatch(r"([^×]*)(.*)", text, re.DOTALL).groups()  # type: ignore[union-attr]
    start = re.match(r"−?[0.]*", written).end()  # type: ignore[union-attr]
    return written[:start] + re.sub(r"\d", "#", written[start:]) + power


def texts(lines: Sequence[str]) -> list[str]:
    """Column by column: first what all lines begin with, up to a blank or a product, then what follows, to the end. A
    line that is shorter has nothing in the last ones."""
    words = "\n".join(lines).replace(" ", f"{_CUT} ").replace("×", f"{_CUT}×").split("\n")
    return list(map("\n".join, zip_longest(*(line.split(_CUT) for line in words), fillvalue="")))


def lists(rows: Sequence[Sequence[int]]) -> list[list[int]]:
    """Column by column; a row that is shorter has −1 in the last ones."""
    return list(map(list, zip_longest(*rows, fillvalue=-1)))
