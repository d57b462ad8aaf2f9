"""Numbers as text where they stand in tables, cells and plots; those in a worked line are ``ops.arithmetic.number``.

All of a tensor are in one style, so that decimals line up.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import floor, isfinite, log10, prod

import numpy as np

from txviz.figures import fonts
from txviz.figures.style import Style
from txviz.ops import Array

FEWEST_DECIMALS, EXACT_DECIMALS, MOST_DECIMALS = 2, 3, 4
MOST_NUMBERS = 4000
"""More cells than these have no numbers: nobody reads so many."""

PADDING, LEAST_HEIGHT = 0.6, 1.15
"""The air beside a number in its cell, and the least height of the cell, by the size of the number."""

SMALLEST = 0.83
"""Numbers may be so much smaller than other texts."""


def written(values: Array, most: int = MOST_DECIMALS, of: Array | None = None) -> list[str]:  # (...) -> n texts
    """Every number as text, all with as many decimals as the one that needs most (``most`` at most), there or in the
    tensor that they are ``of``."""
    form = _form(values if of is None else of, most)
    return [_write(x, form) for x in values.ravel().tolist()]


def widest(values: Array, most: int = MOST_DECIMALS) -> list[str]:
    """A few of those texts, among them the widest: digits are all as wide, so the two ends will do."""
    return _ends(values, _form(values, most)) + (["−∞"] if not np.isfinite(values).all() else [])


def _ends(values: Array, form: str) -> list[str]:
    """The smallest and the largest of them that is finite."""
    finite = values[np.isfinite(values)]
    return [_write(float(x), form) for x in (finite.min(), finite.max())] if finite.size else []


def _form(values: Array, most: int) -> str:
    if values.dtype.kind in "iub":
        return ".0f"
    finite = values[np.isfinite(values)].astype(float)
    largest = np.abs(finite).max(initial=0.0)
    if largest and not 10.0 ** (1 - most) <= largest < 1e6:
        return f".{max(most - 2, 0)}e"
    return f".{next((n for n in range(most) if _needs_no_more(finite, n)), most)}f"


def _needs_no_more(finite: Array, decimals: int) -> bool:
    with np.errstate(over="ignore", invalid="ignore"):  # a number that was put in by hand may be as large as any
        shifted = finite * 10.0**decimals
        return bool((np.abs(shifted - np.rint(shifted)) <= 1e-9 * 10.0**decimals).all())


def _write(x: float, form: str) -> str:
    if x - x != 0:
        return "NaN" if x != x else "∞" if x > 0 else "−∞"
    text = format(x, form)
    if "e" in text:
        digits, _, power = text.partition("e")
        text = f"{digits}e{int(power)}"
    return text.replace("-", "−") if text.strip("-0.") else text.removeprefix("-")


def common_decimals(tensors: Iterable[Array]) -> int:
    """How many decimals the numbers of some tensors have, so that they can be compared from one to the next.

    All of them where three are enough; else two, or as many as it takes to see two digits of each tensor's largest.

    >>> common_decimals([np.array([0.5, 1])]), common_decimals([np.array([0.5]), np.array([2 / 3])])
    (1, 2)
    >>> common_decimals([np.array([0.268, 0.119])]), common_decimals([np.array([0.004 / 3])])
    (3, 4)
    """
    return max((_decimals(tensor) for tensor in tensors if readable(tensor)), default=0)


def readable(tensor: Array) -> bool:
    """Whether its matrices are small enough to have numbers at all."""
    return 0 < int(prod(tensor.shape[-2:])) <= MOST_NUMBERS


def _decimals(tensor: Array) -> int:
    if tensor.dtype.kind in "iub":
        return 0
    finite = tensor[np.isfinite(tensor)].astype(float)
    if _needs_no_more(finite, EXACT_DECIMALS):
        return next(n for n in range(EXACT_DECIMALS + 1) if _needs_no_more(finite, n))
    return min(max(FEWEST_DECIMALS, 1 - _power(np.abs(finite).max())), MOST_DECIMALS)


def _power(largest: float) -> int:
    """Of ten, in the number: 2 for 345.6."""
    return floor(log10(largest)) if largest else 0


def cell_form(values: Array, decimals: int = 0) -> str:
    """How numbers are written into cells: with so many decimals, or more where they are smaller, and with none where
    all are whole. What ``format`` takes. Where nobody could read so many, none is written, and none is looked at."""
    if not readable(values):
        return f".{decimals}f"
    own = _decimals(values)
    largest = float(np.abs(values[np.isfinite(values)]).max(initial=0.0))
    if largest and not 10.0 ** (1 - MOST_DECIMALS) <= largest < 1e6:
        return ".1e"
    return f".{min(max(own, decimals), max(0, MOST_DECIMALS - _power(largest))) if own else 0}f"


def roomy_form(values: Array, across: float) -> str:
    """With as many decimals, from four to two, as fit into cells so wide, by the size of the text."""
    forms = [cell_form(values, decimals) for decimals in range(MOST_DECIMALS, FEWEST_DECIMALS - 1, -1)]
    return next((form for form in forms if number_width(values, form) <= across), forms[-1])


def number_width(values: Array, form: str) -> float:
    """How wide a cell must be for the widest number, by the size of the text; 0 where there are more cells than anybody
    reads. Digits are all as wide, so it is one of the ends. There is always room for a sign, so that columns are as
    wide from one step to the next."""
    if not readable(values):
        return 0.0
    signed = "" if values.dtype.kind in "iub" else _write(-1.0, form)
    return max(fonts.width(text, 1) for text in [*_ends(values, form), signed]) + PADDING


def cell_numbers(
    values: Array, form: str, cell: tuple[float, float], across: float, style: Style, smallest: float | None = None
) -> tuple[tuple[str, ...], float]:
    """The numbers of a matrix and their size: the style's, or smaller where they would not fit into a ``cell`` of this
    width and height; none where they would be smaller than ``smallest``. ``across`` is their ``number_width``."""
    if not style.numbers or not across:
        return (), 0.0
    size = min(style.size, cell[0] / across, cell[1] / LEAST_HEIGHT)
    if size < (SMALLEST * style.size if smallest is None else smallest):
        return (), 0.0
    return tuple(_write(x, form) for x in values.ravel().tolist()), size


def trimmed(x: float) -> str:
    """With four decimals at most, and no zeros at the end.

    >>> trimmed(0.25), trimmed(-3.0), trimmed(0.00001)
    ('0.25', '−3', '0')
    """
    return _write(x, f".{MOST_DECIMALS}f").rstrip("0").rstrip(".")


def decimal(x: float, places: int) -> str:
    """A number in little room: so many decimals, but nothing that is small becomes 0.

    >>> decimal(-1.234, 2), decimal(0.00001, 3), decimal(0, 3), decimal(float("-inf"), 2)
    ('−1.23', '<0.001', '0', '−∞')
    """
    smallest = 10.0**-places
    if 0 < abs(x) < smallest / 2:
        return f"<{smallest:.{places}f}" if x > 0 else "−0"
    return "0" if x == 0 else _write(x, f".{places}f")


def percent(share: float) -> str:
    """Two digits, and more of them near 0 and 1: only nothing is 0 %, and only all is 100 %.

    >>> percent(0.374), percent(0.0371), percent(0.004), percent(0.0000012), percent(0)
    ('37 %', '3.7 %', '0.40 %', '< 0.01 %', '0 %')
    >>> percent(0.993), percent(0.997), percent(0.9996), percent(0.999999), percent(1)
    ('99 %', '99.7 %', '99.96 %', '> 99.99 %', '100 %')
    >>> percent(float("nan")), percent(float("inf"))
    ('NaN', '∞')
    """
    hundredths = 100 * float(share)
    if not isfinite(hundredths):
        return decimal(hundredths, 0)
    rest = abs(100 - hundredths)
    if hundredths == 0 or rest < 1e-7:  # which is all but for rounding
        return f"{hundredths:.0f} %"
    if hundredths < 0.01:
        return "< 0.01 %"
    if rest < 0.005:
        return "> 99.99 %"
    decimals = 2 if hundredths < 0.995 or rest < 0.095 else 1 if hundredths < 9.95 or rest <= 0.5 else 0
    return f"{hundredths:.{decimals}f} %"


def short_count(count: float) -> str:
    """
    >>> short_count(36), short_count(4160), short_count(86_567_656), short_count(17.5e9)
    ('36', '4,160', '86.6 M', '17.5 bn')
    """
    if count < 10_000:
        return f"{count:,.0f}"
    unit, name = next((each for each in _UNITS if count >= each[0]), _UNITS[-1])
    return f"{count / unit:.0f} {name}" if name == "k" else f"{count / unit:.1f} {name}"


_UNITS = ((1e12, "tn"), (1e9, "bn"), (1e6, "M"), (1e3, "k"))
