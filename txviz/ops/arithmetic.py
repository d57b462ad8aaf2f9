"""Numbers and sums as a person writes them: the text half of every worked cell.

What is printed must be true as it is printed, for a reader with a pocket calculator: brackets where a sign would bind
otherwise, ``=`` only between numbers that are printed whole, ``≈`` everywhere else.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache, reduce
from itertools import chain
from math import inf, sqrt
from operator import add
from sys import float_info

import numpy as np

from txviz.ops.base import Array, Worked

LONGEST_SUM = 12
"""A sum of more terms than this is shortened in its middle (in the text, never in the number)."""

HEAD, TAIL = 5, 2

ROUNDING = 16 * float_info.epsilon
"""How far a few operations on floating-point numbers may be off, as a share of the sizes that went into them."""

_FORMS = [(10.0 ** (digits - 1), f".{digits}g") for digits in range(18)]
"""By the number of digits: from which size on a number has no decimals, and how smaller ones are written."""

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def number(x: float, digits: int = 4) -> str:
    """Four significant digits, with a real minus sign and no trailing zeros.

    >>> number(-0.5), number(0.374250), number(2.5e-7), number(float("-inf"))
    ('−0.5', '0.3743', '2.5×10⁻⁷', '−∞')
    """
    return _pretty(_plain(x, digits))


def _pretty(plain: str) -> str:
    """Digits as Python writes them, with signs as a person does."""
    if "n" in plain:
        return "not a number" if plain == "nan" else plain.replace("inf", "∞").replace("-", "−")
    if "e" in plain:
        mantissa, exponent = plain.split("e")
        return f"{mantissa.replace('-', '−')}×10{str(int(exponent)).translate(_SUPERSCRIPTS)}"
    return plain.replace("-", "−")


def _plain(x: float, digits: int = 4) -> str:
    """The digits that are shown, as Python writes them; integers of up to seven digits are shown whole."""
    x = float(x) + 0.0  # -0.0 becomes 0.0
    least, form = _FORMS[digits]
    return f"{x:.0f}" if least <= abs(x) < 1e7 else format(x, form)


@lru_cache(maxsize=100_000)  # each number of a matrix stands in the arithmetic of a whole row or column
def operand(x: float) -> str:
    """A number inside a sum or a product: negative ones in parentheses."""
    text = number(x)
    return f"({text})" if text[0] == "−" else text


def grouped(x: float) -> str:
    """A number that a sign binds more tightly than a product: raised to a power, under a root, divided by.

    >>> grouped(0.5), grouped(-0.5), grouped(5.51e-5)
    ('0.5', '(−0.5)', '(5.51×10⁻⁵)')
    """
    text = number(x)
    return f"({text})" if text[0] == "−" or "×" in text else text


def times(a: float, b: float) -> str:
    return f"{operand(a)}×{operand(b)}"


def minus(a: float, b: float) -> str:
    return f"{number(a)} − {operand(b)}"


def over(a: float, b: float) -> str:
    return f"{number(a)} / {grouped(b)}"


def whole(x: float) -> bool:
    """Whether the digits that are shown are all that the number has."""
    return not abs(float(_plain(x)) - x) > ROUNDING * abs(x)


def sign(*numbers: float) -> str:
    """What stands between two expressions of these numbers: ``=`` where all are shown whole, or else ``≈``."""
    return "=" if all(map(whole, numbers)) else "≈"


def is_rounding(x: float, size: float) -> bool:
    """Whether a sum is so much smaller than its terms, of this size together, that only their rounding is left."""
    return 0 < abs(x) <= ROUNDING * size


def equals(x: float, size: float = 0.0, inputs: Iterable[float] = ()) -> str:
    """``= 0.01``, ``≈ 0.3743`` where the digits shown are not all, or ``= 0 up to rounding (−3.4×10⁻²⁰)``.

    ``size`` is the sum of the sizes of the terms that x is a sum of; ``inputs`` are the numbers before the sign.
    """
    size, plain = max(size, abs(x)), _plain(x)
    shown = _pretty(plain)
    if not size < inf:
        return f"= {shown}"
    if is_rounding(x, size):
        return f"= 0 up to rounding ({shown})"
    exact = size == 0 or (abs(float(plain) - x) <= ROUNDING * size and all(map(whole, inputs)))
    return f"{'=' if exact else '≈'} {shown}"


def shown(count: int) -> list[int]:
    """Which terms of a sum of this many are written out: all, or both ends of a long one."""
    return list(range(count)) if count <= LONGEST_SUM else [*range(HEAD), *range(count - TAIL, count)]


def total(terms: list[str], count: int) -> str:
    """The terms that are ``shown`` of a sum of ``count``, joined; a long sum says how many it leaves out."""
    if count > LONGEST_SUM:
        terms = [*terms[:HEAD], f"… {count - HEAD - TAIL} more terms …", *terms[HEAD:]]
    return " + ".join(terms)


def added(values: Iterable[float]) -> float:
    """The sum from left to right. Python's own rounds otherwise from 3.12 on; a trace should not depend on that."""
    return reduce(add, values, 0.0)


def quotient(a: float, b: float) -> Worked:
    """``0.4 / 5 = 0.08``."""
    return Worked(f"{over(a, b)} {equals(a / b, inputs=(a, b))}", a / b)


def size_of_square(size: float) -> float:
    """The ``size`` for ``equals`` of a difference squared: what rounding left of the difference is squared as well."""
    return ROUNDING * size * size


def sum_of_products(
    left: Sequence[float], right: Sequence[float], plus: float | None = None
) -> Worked:  # (n,), (n,) -> one number
    """``a₁×b₁ + a₂×b₂ + … (+ bias)``."""
    products = [a * b for a, b in zip(left, right, strict=True)]
    text = total([times(left[i], right[i]) for i in shown(len(left))], len(left))
    if plus is not None:
        products.append(plus)
        text += f" + {operand(plus)}"
    factors = (factor for a, b in zip(left, right, strict=True) if a and b for factor in (a, b))
    result, size = added(products), sum(map(abs, products))
    return Worked(f"{text} {equals(result, size, chain(factors, (plus or 0,)))}", result)


def sum_of(values: Sequence[float], among: Array | None = None) -> Worked:  # (n,), (...) -> one number
    """``0.42 + 0.49 + (−0.19) = 0.72``.

    Products of matrices round every number about as much as the largest of them: where half of the digits cancel, the
    terms count as large as the largest number ``among`` which they stand.
    """
    result, size = added(values), sum(map(abs, values))
    if len(values) == 1:
        return Worked(number(result), result)
    if among is not None and abs(result) < sqrt(ROUNDING) * size:
        size = len(values) * float(np.abs(among).max())
    return Worked(f"{plain_sum(values)} {equals(result, size, values)}", result)


def mean_of(values: Sequence[float]) -> Worked:  # (n,) -> one number
    """``(0.42 + 0.49 + (−0.19)) / 3 = 0.24``."""
    count = len(values)
    result, size = added(values) / count, sum(map(abs, values)) / count
    return Worked(f"({plain_sum(values)}) / {count} {equals(result, size, values)}", result)


def plain_sum(values: Sequence[float]) -> str:
    """``0.42 + 0.49 + (−0.19)``, shortened in its middle when long."""
    return total([operand(values[i]) for i in shown(len(values))], len(values))
