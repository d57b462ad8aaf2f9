"""Operations that numbers come from: what the user gave, positions and masks. Only ``padding_mask`` reads an input."""

from __future__ import annotations

from math import cos, sin
from typing import Any

import numpy as np

from txviz.ops.arithmetic import equals, number
from txviz.ops.base import Array, Index, Op, Reads, Worked
from txviz.ops.latex import cases, indexed

PERIOD = 10_000
"""The longest wavelength of the paper's sinusoids, over 2π."""


class Given(Op):
    """What the computation starts from: token numbers, an image, or a value that was put in by hand.

    Its only operand is its own value, which no earlier step made.
    """

    name = "given"
    about = "This is given, not computed."

    def compute(self, value: Array) -> Array:  # (...) -> (...)
        return value

    def formula(self) -> str:
        return ""

    def worked(self, index: Index, value: Array) -> Worked:
        return Worked(f"given: {number(value[index])}", float(value[index]))

    def reads(self, index: Index, value: Array) -> Reads:
        return []


def wave_of(feature: Any, width: int, halves: bool = False) -> tuple[Any, Any]:
    """Whether a feature (or each of some) is a cosine, and which of the wavelengths it has, from the shortest on.

    >>> [wave_of(j, 4) for j in range(4)]
    [(False, 0), (True, 0), (False, 1), (True, 1)]
    >>> [wave_of(j, 4, halves=True) for j in range(4)]
    [(False, 0), (False, 1), (True, 0), (True, 1)]
    """
    sines = (width + 1) // 2
    if halves:
        return feature >= sines, feature % sines
    return feature % 2 == 1, feature // 2


class Sinusoid(Op):
    """The paper's positions: sines in the even features, cosines in the odd ones, ever slower to the right.

    In Marian all sines come first and then all cosines (``halves``), with the digits of single precision (``single``).
    """

    name = "sinusoid"
    about = "Each position has its own pattern of sines and cosines, from fast ones to slow ones; nobody learned them."
    subscript = r"\mathrm{pos},j"

    def compute(
        self,
        length: int,
        width: int,
        start: int = 0,
        dtype: str = "float64",
        halves: bool = False,
        single: bool = False,
    ) -> Array:  # -> (T,d)
        cosine, wave = wave_of(np.arange(width), width, halves)
        angles = np.arange(start, start + length)[:, None] / PERIOD ** (2 * wave / width)
        found = np.where(cosine, np.cos(angles), np.sin(angles))
        return np.asarray(found.astype(np.float32 if single else dtype), dtype)

    def formula(
        self,
        length: int,
        width: int,
        start: int = 0,
        dtype: str = "float64",
        halves: bool = False,
        single: bool = False,
    ) -> str:
        if halves:
            sines = (width + 1) // 2
            first = rf"\sin\left(\mathrm{{pos}} / {PERIOD}^{{2j/{width}}}\right)"
            second = rf"\cos\left(\mathrm{{pos}} / {PERIOD}^{{2(j-{sines})/{width}}}\right)"
            return cases((first, rf"j < {sines}"), (second, rf"j \geq {sines}"))
        even = rf"\sin\left(\mathrm{{pos}} / {PERIOD}^{{j/{width}}}\right)"
        odd = rf"\cos\left(\mathrm{{pos}} / {PERIOD}^{{(j-1)/{width}}}\right)"
        return cases((even, r"j\ \mathrm{even}"), (odd, r"j\ \mathrm{odd}"))

    def worked(
        self,
        index: Index,
        length: int,
        width: int,
        start: int = 0,
        dtype: str = "float64",
        halves: bool = False,
        single: bool = False,
    ) -> Worked:
        position, (cosine, pair) = index[0] + start, wave_of(index[1], width, halves)
        wave, name = (cos, "cos") if cosine else (sin, "sin")
        exact = wave(position / PERIOD ** (2 * pair / width))
        result = float(np.float32(exact)) if single else exact
        ends = equals(result) if position == 0 else f"≈ {number(result)}"
        return Worked(f"{name}({position} / {PERIOD}^({2 * pair}/{width})) {ends}", result)

    def reads(self, index: Index, **params: object) -> Reads:
        return []


class Sinusoid2D(Op):
    """Positions in an image: the first half of the features tells the row, the second half the column."""

    name = "sinusoid_2d"
    about = "The first half of the features is a wave pattern of the patch's row, the second half of its column."

    def compute(self, rows: int, columns: int, width: int, dtype: str = "float64") -> Array:  # -> (T,d)
        down = sinusoid.compute(rows, width // 2, dtype=dtype)
        across = sinusoid.compute(columns, width - width // 2, dtype=dtype)
        return np.concatenate([np.repeat(down, columns, axis=0), np.tile(across, (rows, 1))], axis=1)

    def formula(self, rows: int, columns: int, width: int, dtype: str = "float64") -> str:
        return r"\left[\, P_{\mathrm{row}} \mid P_{\mathrm{col}} \,\right]"

    def worked(self, index: Index, rows: int, columns: int, width: int, dtype: str = "float64") -> Worked:
        (row, column), half = divmod(index[0], columns), width // 2
        if index[1] < half:
            part = sinusoid.worked((row, index[1]), rows, half, dtype=dtype)
            return Worked(f"row {row}: {part.text}", part.result)
        part = sinusoid.worked((column, index[1] - half), columns, width - half, dtype=dtype)
        return Worked(f"column {column}: {part.text}", part.result)

    def reads(self, index: Index, **params: object) -> Reads:
        return []


class CausalMask(Op):
    """0 where the key stands at or before the query, −∞ where it comes after: nobody sees the future.

    ``start`` is the position of the first query, for decoding one token at a time.
    """

    name = "causal_mask"
    about = "Open (0) where a query may look: at itself and at what comes before. Closed (−∞) for what comes after."
    subscript = "ij"

    def compute(self, queries: int, keys: int, start: int = 0, dtype: str = "float64") -> Array:  # -> (1,q,k)
        late = np.arange(keys) > np.arange(start, start + queries)[:, None]
        return np.where(late, -np.inf, 0).astype(dtype)[None]

    def formula(self, queries: int, keys: int, start: int = 0, dtype: str = "float64") -> str:
        query = f"i + {start}" if start else "i"
        return cases(("0", rf"j \le {query}"), (r"-\infty", rf"j > {query}"))

    def worked(self, index: Index, queries: int, keys: int, start: int = 0, dtype: str = "float64") -> Worked:
        query, key = index[1] + start, index[2]
        if key > query:
            return Worked(f"key {key} comes after query {query}: −∞", float("-inf"))
        return Worked(f"key {key} is not after query {query}: 0", 0.0)

    def reads(self, index: Index, **params: object) -> Reads:
        return []


class PaddingMask(Op):
    """0 for a real token, −∞ for padding, which nobody looks at."""

    name = "padding_mask"
    about = "Closed (−∞) where a sentence was filled up with padding; nobody looks there."
    subscript = "j"

    def compute(self, tokens: Array, padding: int, dtype: str = "float64") -> Array:  # (...,T) -> (...,1,1,T)
        return np.where(tokens == padding, -np.inf, 0).astype(dtype)[..., None, None, :]

    def formula(self, tokens: str, padding: int, dtype: str = "float64") -> str:
        token = indexed(tokens, "j")
        return cases(("0", rf"{token} \ne {padding}"), (r"-\infty", f"{token} = {padding}"))

    def worked(self, index: Index, tokens: Array, padding: int, dtype: str = "float64") -> Worked:
        token = int(tokens[(*index[:-3], index[-1])])
        if token == padding:
            return Worked(f"{token} stands for padding: −∞", float("-inf"))
        return Worked(f"{token} does not stand for padding ({padding}): 0", 0.0)

    def reads(self, index: Index, tokens: Array, padding: int, dtype: str = "float64") -> Reads:
        return [[(*index[:-3], index[-1])]]


given = Given()
sinusoid = Sinusoid()
sinusoid_2d = Sinusoid2D()
causal_mask = CausalMask()
padding_mask = PaddingMask()
