"""Numbers as text where they stand in tables, cells and plots; those in a worked line are ``ops.arithmetic.number``.

All of a tensor are in one style, so that decimals line up.
"""

from __future__ import annotations

import numpy as np

from txviz.figures import fonts
from txviz.figures.style import Style
from txviz.ops import Array

MOST_DECIMALS = 4
MOST_NUMBERS = 4000
"""More cells than these have no numbers: nobody reads so many."""


def written(values: Array, most: int = MOST_DECIMALS) -> list[str]:  # (...) -> n texts
    """Every number as text, all with as many decimals as the one that needs most (``most`` at most)."""
    form = _form(values, most)
    return [_write(x, form) for x in values.ravel().tolist()]


def widest(values: Array, most: int = MOST_DECIMALS) -> list[str]:
    """A few of those texts, among them the widest: digits are all as wide, so the two ends will do."""
    form = _form(values, most)
    finite = values[np.isfinite(values)]
    ends = [finite.min(), finite.max()] if finite.size else []
    return [_write(float(x), form) for x in ends] + (["−∞"] if finite.size < values.size else [])


def _form(values: Array, most: int) -> str:
    if values.dtype.kind in "iub":
        return ".0f"
    finite = values[np.isfinite(values)].astype(float)
    largest = np.abs(finite).max(initial=0.0)
    if largest and not 10.0 ** (1 - most) <= largest < 1e6:
        return f".{max(most - 2, 0)}e"
    return f".{next((n for n in range(most) if _needs_no_more(finite, n)), most)}f"


def _needs_no_more(finite: Array, decimals: int) -> bool:
    shifted = finite * 10.0**decimals
    return bool((np.abs(shifted - np.rint(shifted)) <= 1e-9 * 10.0**decimals).all())


def _write(x: float, form: str) -> str:
    if x - x != 0:
        return "NaN" if x != x else "∞" if x > 0 else "−∞"
    text = format(x, form)
    if text[0] != "-":
        return text
    zero = not text.strip("-0.")
    return text[1:] if zero else "−" + text[1:].replace("e-", "e−")


def cell_numbers(values: Array, cell_width: float, cell_height: float, style: Style) -> tuple[tuple[str, ...], float]:
    """The numbers with as many decimals as fit the cells, and their size; none where two decimals are too many."""
    if not style.numbers or values.size > MOST_NUMBERS or cell_width < style.size * 1.2:
        return (), 0.0
    for size, decimals in ((style.size, 4), (style.size, 3), (style.size, 2), (style.size * 0.84, 2)):
        if cell_height < size * 1.15:
            continue
        across = max((fonts.width(text, size) for text in widest(values, decimals)), default=0.0)
        if across + size * 0.6 <= cell_width:
            return tuple(written(values, decimals)), size
    return (), 0.0


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
    """
    hundredths = 100 * float(share)
    rest = abs(100 - hundredths)
    if hundredths == 0 or rest < 1e-7:  # which is all but for rounding
        return f"{hundredths:.0f} %"
    if hundredths < 0.01:
        return "< 0.01 %"
    if rest < 0.005:
        return "> 99.99 %"
    decimals = 2 if hundredths < 0.995 or rest < 0.095 else 1 if hundredths < 9.95 or rest <= 0.5 else 0
    return f"{hundredths:.{decimals}f} %"
