"""Numbers as they stand in tables and cells: one style for all of a tensor, so that decimals line up."""

from __future__ import annotations

import numpy as np

from txviz.ops import Array

MOST_DECIMALS = 4


def written(values: Array, most: int = MOST_DECIMALS) -> list[str]:  # (...) -> n texts
    """Every number as text, all with as many decimals as the one that needs most (``most`` at most)."""
    if values.dtype.kind in "iub":
        return [str(int(x)).replace("-", "−") for x in values.ravel().tolist()]
    numbers = values.ravel()
    form = _form(numbers[np.isfinite(numbers)].astype(float), most)
    return [_write(x, form) for x in numbers.tolist()]


def _form(finite: Array, most: int) -> str:
    largest = np.abs(finite).max(initial=0.0)
    if largest and not 10.0 ** (1 - most) <= largest < 1e6:
        return f".{max(most - 2, 0)}e"
    decimals = next((n for n in range(most) if np.allclose(finite, finite.round(n), rtol=0, atol=1e-9)), most)
    return f".{decimals}f"


def _write(x: float, form: str) -> str:
    if x - x != 0:
        return "NaN" if x != x else "∞" if x > 0 else "−∞"
    text = format(x, form)
    if text[0] != "-":
        return text
    zero = not text.strip("-0.")
    return text[1:] if zero else "−" + text[1:].replace("e-", "e−")
