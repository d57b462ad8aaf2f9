"""Numbers and sums as a person writes them: the text half of every worked cell."""

from __future__ import annotations

from collections.abc import Sequence

from txviz.ops.base import Worked

LONGEST_SUM = 12
"""A sum of more terms than this is shortened in its middle (in the text, never in the number)."""

HEAD, TAIL = 5, 2

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def number(x: float, digits: int = 4) -> str:
    """Four significant digits, with a real minus sign and no trailing zeros.

    >>> number(-0.5), number(0.374250), number(2.5e-7), number(float("-inf"))
    ('−0.5', '0.3743', '2.5×10⁻⁷', '−∞')
    """
    x = float(x)
    if x != x:
        return "not a number"
    sign = "−" if x < 0 else ""
    size = abs(x)
    if size == float("inf"):
        return sign + "∞"
    if size == 0:
        return "0"
    if 10 ** (digits - 1) <= size < 1e7:
        return f"{sign}{size:.0f}"
    plain = f"{size:.{digits}g}"
    if "e" not in plain:
        return sign + plain
    mantissa, exponent = plain.split("e")
    return f"{sign}{mantissa}×10{str(int(exponent)).translate(_SUPERSCRIPTS)}"


def operand(x: float) -> str:
    """A number inside a larger expression: negative ones in parentheses."""
    text = number(x)
    return f"({text})" if text.startswith("−") else text


def times(a: float, b: float) -> str:
    return f"{operand(a)}×{operand(b)}"


def minus(a: float, b: float) -> str:
    return f"{number(a)} − {operand(b)}"


def equals(x: float) -> str:
    """``= 0.01``, or ``≈ 0.3743`` where the shown digits are not the whole number."""
    shown = number(x)
    exact = abs(x) in (0, float("inf")) or abs(float(f"{x:.4g}") - x) <= 1e-9 * abs(x)
    return f"{'=' if exact else '≈'} {shown}"


def shown(count: int) -> list[int]:
    """Which terms of a sum of this many are written out: all, or both ends of a long one."""
    return list(range(count)) if count <= LONGEST_SUM else [*range(HEAD), *range(count - TAIL, count)]


def total(terms: list[str], count: int) -> str:
    """The terms that are ``shown`` of a sum of ``count``, joined; a long sum says how many it leaves out."""
    if count > LONGEST_SUM:
        terms = [*terms[:HEAD], f"… {count - HEAD - TAIL} more terms …", *terms[HEAD:]]
    return " + ".join(terms)


def sum_of_products(
    left: Sequence[float], right: Sequence[float], plus: float | None = None
) -> Worked:  # (n,), (n,) -> one number
    """``a₁×b₁ + a₂×b₂ + … (+ bias)``."""
    result = sum(float(a) * float(b) for a, b in zip(left, right, strict=True)) + float(plus or 0)
    terms = [times(left[i], right[i]) for i in shown(len(left))]
    text = total(terms, len(left))
    if plus is not None:
        text += f" + {operand(plus)}"
    return Worked(f"{text} {equals(result)}", result)


def plain_sum(values: Sequence[float]) -> str:
    """``0.42 + 0.49 + (−0.19)``, shortened in its middle when long."""
    return total([operand(values[i]) for i in shown(len(values))], len(values))
