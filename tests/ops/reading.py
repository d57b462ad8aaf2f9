"""Reads the text of a worked cell as a strict reader would, and says which of its claims are false.

A number is printed to four digits or more, so it stands for all the numbers that are printed like this: a range. Ranges
are carried through the arithmetic. ``≈`` is true where both sides can be the same number. ``=`` is true where the
numbers, exactly as printed, come to the same up to the rounding of floating-point numbers.

    text       [words: ]chain[, where fact, fact and fact]
    chain      side = side ≈ side …, where the first may be the name of something
    expression [−]product + product − …
    product    power × power / …, from left to right
    power      atom, atom², atom³, 10⁻⁵, atom^atom
    atom       0.5  ½  π  ∞  (expression)  √atom  ln atom  exp(expression)  max(expression, expression)  ⌊expression⌋
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from itertools import pairwise
from math import erf, inf, isinf, isnan, pi, tanh
from typing import NamedTuple

SUPERSCRIPTS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
TOKEN = re.compile(r"… \d+ more terms …|\d+(?:\.\d+)?|[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+|exp|ln|tanh|erf|sin|cos|max|\S")
FUNCTIONS = {"exp", "ln", "tanh", "erf", "sin", "cos", "max"}
NOISE = re.compile(r"0 up to rounding \((.+)\)")
POWER_OF_TEN = re.compile("[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]{2,}|[⁴⁵⁶⁷⁸⁹]")
EPSILON = 64 * 2.0**-52


class UnreadableError(Exception):
    """What stands there is no arithmetic."""


class Range(NamedTuple):
    """All numbers from low to high. Rounding on the way here is at most about ``size`` × 10⁻¹⁵."""

    low: float
    high: float
    size: float


ANY = Range(-inf, inf, inf)


def one_number(x: float) -> Range:
    return Range(x, x, abs(x))


def false_claims(text: str) -> list[str]:
    """What the text says and is not so; nothing where all is well."""
    main, _, where = text.partition(", where ")
    facts = re.split(r", and |, | and ", where) if where else []
    false = [claim for chain in [after_words(main), *facts] for claim in false_links(chain)]
    return false + [f"not in the arithmetic: {fact}" for fact in facts if signs(fact) and final(fact) not in main]


def after_words(main: str) -> str:
    return main.rpartition(": ")[2]


def final(chain: str) -> str:
    """The number that the chain comes to, as it is printed; where that is rounding, what rounding left."""
    last = re.split(" [=≈] ", after_words(chain.partition(", where ")[0]))[-1]
    noise = NOISE.fullmatch(last)
    return noise[1] if noise else last


def signs(chain: str) -> list[str]:
    return re.findall(" ([=≈]) ", chain)


def false_links(chain: str) -> list[str]:
    sides = re.split(" [=≈] ", chain)
    links = list(zip(pairwise(sides), signs(chain), strict=True))
    if is_name(sides[0]):
        links = links[1:]
    try:
        return [f"{a} {sign} {b}" for (a, b), sign in links if not holds(a, sign, b)]
    except UnreadableError as error:
        return [f"{chain} ({error})"]


def is_name(side: str) -> bool:
    """``the mean``, ``m̂``, ``√v̂``: letters that are not functions. What is applied, as in ``f(2)``, is no name."""
    bare = re.sub(r"… \d+ more terms …", "", side)
    return any(word not in FUNCTIONS for word in re.findall(r"[A-Za-z]+\b(?!\()", bare))


def holds(a: str, sign: str, b: str) -> bool:
    noise = NOISE.fullmatch(b)
    if noise:
        wide, left = read(a), read(noise[1], exact=True)
        return meet(wide, one_number(0)) and meet(wide, left) and abs(left.low) <= 1e-7 * wide.size
    if sign == "≈":
        return meet(read(a), read(b))
    one, other = read(a, exact=True), read(b, exact=True)
    return one.low == other.low or abs(one.low - other.low) <= EPSILON * (one.size + other.size)


def meet(a: Range, b: Range) -> bool:
    slack = EPSILON * min(a.size + b.size, 1e300)
    return a.low <= b.high + slack and b.low <= a.high + slack


def read(text: str, exact: bool = False) -> Range:
    """The numbers that an expression may come to; one number where those in it are ``exact`` as printed."""
    reader = Reader(text, exact)
    value = reader.expression()
    if reader.rest:
        raise UnreadableError(f"'{' '.join(reader.rest[:3])}' is too much")
    return value


class Reader:
    def __init__(self, text: str, exact: bool) -> None:
        self.rest: list[str] = TOKEN.findall(text)
        self.exact = exact

    def next_is(self, *tokens: str) -> bool:
        return bool(self.rest) and self.rest[0] in tokens

    def take(self, expected: str | None = None) -> str:
        if not self.rest or (expected is not None and self.rest[0] != expected):
            raise UnreadableError(f"{expected or 'a number'} is missing")
        return self.rest.pop(0)

    def expression(self) -> Range:
        value = one_number(0)
        sign = self.take() if self.next_is("−") else "+"
        while True:
            value = plus(value, self.product() if sign == "+" else minus(self.product()))
            if not self.next_is("+", "−"):
                return value
            sign = self.take()

    def product(self) -> Range:
        value = self.power()
        while self.next_is("×", "/"):
            sign, factor = self.take(), self.power()
            value = times(value, factor) if sign == "×" else times(value, inverse(factor))
        return value

    def power(self) -> Range:
        if self.next_is("10") and POWER_OF_TEN.fullmatch("".join(self.rest[1:2])):
            self.take()
            return one_number(10.0 ** int(self.take().translate(SUPERSCRIPTS)))
        value = self.atom()
        if self.next_is("²", "³"):
            return raised(value, int(self.take().translate(SUPERSCRIPTS)))
        if self.next_is("^"):
            self.take()
            exponent = self.atom()
            corners = [x**y for x in value[:2] for y in exponent[:2]]
            return Range(min(corners), max(corners), max(corners) * (1 + exponent.size))
        return value

    def atom(self) -> Range:
        token = self.take()
        if token[0].isdigit():
            return self.printed(token)
        if token == "(":
            value = self.expression()
            self.take(")")
            return value
        constants = {"½": 0.5, "π": pi, "∞": inf}
        if token in constants:
            return one_number(constants[token])
        if token == "max":
            return self.largest()
        if token == "⌊":
            return self.rounded_down()
        if token in RISING or token in ("sin", "cos"):
            return applied(token, self.atom())
        if token.startswith("…"):
            return ANY
        raise UnreadableError(f"{token} where a number should be")

    def rounded_down(self) -> Range:
        inner = self.expression()
        self.take("⌋")
        low, high = (float(math.floor(end + EPSILON * inner.size)) for end in inner[:2])
        return Range(low, high, max(abs(low), abs(high)))

    def largest(self) -> Range:
        self.take("(")
        one = self.expression()
        self.take(",")
        other = self.expression()
        self.take(")")
        return Range(max(one.low, other.low), max(one.high, other.high), one.size + other.size)

    def printed(self, token: str) -> Range:
        value = float(token)
        if self.exact or value == 0:
            return one_number(value)
        digits = max(4, len(token.replace(".", "").lstrip("0")))
        half = 0.5 * 10.0 ** (math.floor(math.log10(value)) + 1 - digits)
        return Range(value - half, value + half, value)


def plus(a: Range, b: Range) -> Range:
    low, high = a.low + b.low, a.high + b.high
    return Range(-inf if isnan(low) else low, inf if isnan(high) else high, a.size + b.size)


def minus(a: Range) -> Range:
    return Range(-a.high, -a.low, a.size)


def times(a: Range, b: Range) -> Range:
    corners = [0.0 if 0 in (x, y) else x * y for x in a[:2] for y in b[:2]]
    return Range(min(corners), max(corners), 0.0 if 0 in (a.size, b.size) else a.size * b.size)


def inverse(a: Range) -> Range:
    if a.low == a.high == 0:
        raise UnreadableError("divided by 0")
    if a.low <= 0 <= a.high:
        return ANY
    smallest = min(abs(a.low), abs(a.high))
    return Range(1 / a.high, 1 / a.low, a.size / smallest / smallest)


def raised(a: Range, power: int) -> Range:
    low, high = sorted((a.low**power, a.high**power))
    return Range(0.0 if power == 2 and a.low < 0 < a.high else low, high, a.size**power)


def exponential(x: float) -> float:
    return math.exp(x) if x < 709 else inf


def logarithm(x: float) -> float:
    return math.log(x) if x > 0 else -inf


RISING: dict[str, tuple[Callable[[float], float], Callable[[float], float]]] = {
    "exp": (exponential, exponential),
    "ln": (logarithm, lambda x: 1 / x if x else inf),
    "tanh": (tanh, lambda x: 1),
    "erf": (erf, lambda x: 2),
    "√": (lambda x: math.sqrt(max(x, 0)), lambda x: 1 / math.sqrt(x) if x else 0),
}
"""Functions that only rise, and the size of their slope."""


def applied(name: str, a: Range) -> Range:
    if name in RISING:
        function, slope = RISING[name]
        low, high = function(a.low), function(a.high)
        if isinf(a.high):
            return Range(low, high, abs(high))
        return Range(low, high, abs(high) + a.size * slope(max(a.low, 0) if name in ("ln", "√") else a.high))
    middle, half = (a.low + a.high) / 2, (a.high - a.low) / 2
    value = getattr(math, name)(middle)
    return Range(value - half, value + half, 1 + a.size)
