"""What attention does in Llama besides the paper's: positions as rotations, and heads that share their keys.

Letters: T tokens, H heads, D features of one head.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, sin

import numpy as np

from txviz.ops.arithmetic import equals, number, operand, sum_of
from txviz.ops.base import Array, Gradient, Index, Op, Reads, Source, Worked
from txviz.ops.latex import indexed
from txviz.ops.shapes import Move


class Rotate(Op):
    """Rotary positions: features j and j + D/2 are a point, which turns by the position times the pair's frequency.

    A product of two rotated vectors depends only on how far apart they stand. ``turn`` is −1 to turn back.
    """

    name = "rotate"
    about = "Each pair of features is turned by an angle that grows with the position, fast or slow."
    subscript = r"\mathrm{pos},j"

    def compute(
        self, x: Array, frequencies: Sequence[float], start: int = 0, turn: int = 1
    ) -> Array:  # (...,T,D) -> (...,T,D)
        angles = np.arange(start, start + x.shape[-2])[:, None] * np.asarray(frequencies)
        along, across = np.cos(angles).astype(x.dtype), turn * np.sin(angles).astype(x.dtype)
        a, b = np.split(x, 2, axis=-1)
        return np.concatenate([a * along - b * across, b * along + a * across], axis=-1)

    def formula(self, x: str, frequencies: Sequence[float], start: int = 0, turn: int = 1) -> str:
        angle, sign, other = r"\mathrm{pos}\,\omega_j", "-" if turn > 0 else "+", "+" if turn > 0 else "-"
        half = len(frequencies)
        own, above, below = (indexed(x, place) for place in ("j", f"j+{half}", f"j-{half}"))
        first = rf"{own} \cos {angle} {sign} {above} \sin {angle}"
        second = rf"{own} \cos {angle} {other} {below} \sin {angle}"
        return rf"{first}\ (j < {half}),\quad {second}\ (j \ge {half})"

    def worked(self, index: Index, x: Array, frequencies: Sequence[float], start: int = 0, turn: int = 1) -> Worked:
        (own,), (partner,) = ([cell] for cell in self.reads(index, x, frequencies)[0])
        half, position = len(frequencies), index[-2] + start
        a, b, frequency = float(x[own]), float(x[partner]), float(frequencies[index[-1] % half])
        minus = (index[-1] < half) == (turn > 0)
        angle = position * frequency
        result = a * cos(angle) + (-b if minus else b) * sin(angle)
        shown = f"({position} × {operand(frequency)})"
        text = f"{operand(a)}×cos{shown} {'−' if minus else '+'} {operand(b)}×sin{shown}"
        return Worked(f"{text} {equals(result, inputs=(a,)) if position == 0 else f'≈ {number(result)}'}", result)

    def reads(self, index: Index, x: Array, frequencies: Sequence[float], start: int = 0, turn: int = 1) -> Reads:
        width = 2 * len(frequencies)
        return [[index, (*index[:-1], (index[-1] + width // 2) % width)]]

    def gradients(
        self, grad: Source, out: Source, x: Source, frequencies: Sequence[float], start: int = 0, turn: int = 1
    ) -> list[Gradient | None]:
        return [Gradient(rotate, (grad,), {"frequencies": frequencies, "start": start, "turn": -turn})]


class RepeatHeads(Move):
    """Several heads of queries share one of keys and values, which is laid out once for each of them."""

    name = "repeat_heads"
    about = "Each head is repeated for all the queries' heads that share it; no number changes."

    def compute(self, x: Array, times: int) -> Array:  # (...,H,T,D) -> (...,H·times,T,D)
        return np.repeat(x, times, axis=-3)

    def formula(self, x: str, times: int) -> str:
        return rf"\mathrm{{repeat}}_{{{times}}}({x})"

    def origin(self, index: Index, x: Array, times: int) -> tuple[int, Index]:
        *before, head, token, feature = index
        return 0, (*before, head // times, token, feature)

    def gradients(self, grad: Source, out: Source, x: Source, times: int) -> list[Gradient | None]:
        return [Gradient(repeat_heads_gradient, (grad,), {"times": times})]


class RepeatHeadsGradient(Op):
    name = "repeat_heads_gradient"
    about = "What all the heads send back that shared one, added up."

    def compute(self, grad: Array, times: int) -> Array:  # (...,H·times,T,D) -> (...,H,T,D)
        *before, heads, length, width = grad.shape
        return np.asarray(grad.reshape(*before, heads // times, times, length, width).sum(axis=-3))

    def formula(self, grad: str, times: int) -> str:
        return rf"\sum_{{{times}\ \mathrm{{heads}}}} {grad}"

    def worked(self, index: Index, grad: Array, times: int) -> Worked:
        return sum_of([float(grad[cell]) for cell in self.reads(index, grad, times)[0]])

    def reads(self, index: Index, grad: Array, times: int) -> Reads:
        *before, head, token, feature = index
        return [[(*before, head * times + i, token, feature) for i in range(times)]]


rotate = Rotate()
repeat_heads = RepeatHeads()
repeat_heads_gradient = RepeatHeadsGradient()
