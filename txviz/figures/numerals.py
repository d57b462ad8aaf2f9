"""Numbers as they stand in tables and cells: one style for all of a tensor, so that decimals line up."""

from __future__ import annotations

import numpy as np

from txviz.ops import Array

MOST_DECIMALS = 4


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
