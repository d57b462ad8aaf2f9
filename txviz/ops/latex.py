"""Symbols put together in LaTeX: an index, a transpose, a power, where the symbol may have one of its own already."""

from __future__ import annotations

import re

_SUBSCRIPT = re.compile(r"_(\{(?:[^{}]|\{[^{}]*\})*\}|.)")


def indexed(symbol: str, index: str | int) -> str:
    """A second index stands beside the first.

    >>> indexed("z", "j"), indexed("y_2", "t")
    ('z_{j}', 'y_{2,t}')
    """
    found = _SUBSCRIPT.search(symbol)
    if not found:
        return f"{symbol}_{{{index}}}"
    first = found[1].removeprefix("{").removesuffix("}")
    return f"{symbol[: found.start()]}_{{{first},{index}}}{symbol[found.end() :]}"


def raised(symbol: str, power: str) -> str:
    """To a power. A gradient, or what has a superscript already, stands in parentheses.

    >>> raised("K", "2"), raised(r"\\nabla K", "2")
    ('K^{2}', '(\\\\nabla K)^{2}')
    """
    plain = "^" not in symbol and not symbol.startswith(r"\nabla")
    return f"{symbol}^{{{power}}}" if plain else f"({symbol})^{{{power}}}"


def transposed(symbol: str) -> str:
    return raised(symbol, r"\top")


def scientific(x: float) -> str:
    """
    >>> scientific(1e-5), scientific(0.02), scientific(2.5e-9)
    ('10^{-5}', '0.02', '2.5 \\\\cdot 10^{-9}')
    """
    mantissa, _, exponent = f"{x:g}".partition("e")
    if not exponent:
        return mantissa
    power = f"10^{{{int(exponent)}}}"
    return power if mantissa == "1" else rf"{mantissa} \cdot {power}"


def unless(symbol: str, value: int | None, what: str) -> str:
    """``what``, or 0 where the symbol has this value (None: it never has); written with Iverson's bracket.

    >>> unless("y", 0, "L"), unless("y", None, "L")
    ('[y \\\\ne 0] \\\\, L', 'L')
    """
    return what if value is None else rf"[{symbol} \ne {value}] \, {what}"


def cases(*branches: tuple[str, str]) -> str:
    """One value for each condition, under each other behind a brace."""
    return r"\begin{cases}" + r" \\ ".join(f"{value} & {when}" for value, when in branches) + r"\end{cases}"
