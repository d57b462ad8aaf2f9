"""Operations of gates: a number that lets another pass, wholly, in part or not at all."""

from __future__ import annotations

from math import exp
from math import tanh as scalar_tanh

import numpy as np

from txviz.ops.arithmetic import equals, number, times
from txviz.ops.base import Array, Gradient, Index, Source, Worked
from txviz.ops.elementwise import Elementwise, Nonlinearity, Slope


class Multiply(Elementwise):
    """A feed-forward network with a gate, as Llama has it: what one layer found, times how far another lets it pass."""

    name = "multiply"
    about = "Cell by cell, they are multiplied."

    def compute(self, a: Array, b: Array) -> Array:  # (...,n), (...,n) -> (...,n)
        return np.asarray(a * b)

    def formula(self, a: str, b: str) -> str:
        return rf"{a} \,\odot\, {b}"

    def worked(self, index: Index, a: Array, b: Array) -> Worked:
        x, y = self.cells(index, a, b)
        return Worked(f"{times(x, y)} {equals(x * y, inputs=(x, y))}", x * y)

    def gradients(self, grad: Source, out: Source, a: Source, b: Source) -> list[Gradient | None]:
        return [Gradient(multiply, (grad, b)), Gradient(multiply, (grad, a))]


class Silu(Nonlinearity):
    """x times the logistic function of x; also called swish."""

    name = "silu"
    about = "A smooth step: large numbers pass, very negative ones vanish (x over 1 + e⁻ˣ, as in Llama)."

    def compute(self, x: Array) -> Array:  # (...) -> (...)
        return np.asarray(x * self._logistic(x))

    def _logistic(self, x: Array) -> Array:  # (...) -> (...)
        with np.errstate(over="ignore"):
            return np.asarray(1 / (1 + np.exp(-x)))

    def formula(self, x: str) -> str:
        return rf"\frac{{{x}}}{{1 + e^{{-{x}}}}}"

    def worked(self, index: Index, x: Array) -> Worked:
        cell = float(x[index])
        result = cell / (1 + exp(min(-cell, 700.0)))
        ends = f"≈ {number(result)}" if cell else "= 0"
        return Worked(f"{number(cell)} / (1 + exp({number(-cell)})) {ends}", result)

    def slope(self, x: Array) -> Array:  # (...) -> (...)
        gate = self._logistic(x)
        return np.asarray(gate * (1 + x * (1 - gate)))

    def slope_formula(self, x: str) -> str:
        return rf"\mathrm{{SiLU}}'({x})"


class Tanh(Nonlinearity):
    name = "tanh"
    about = "Every number is pressed between −1 and 1: small ones hardly change, large ones come close to an end."

    def compute(self, x: Array) -> Array:  # (...) -> (...)
        return np.tanh(x)

    def formula(self, x: str) -> str:
        return rf"\tanh({x})"

    def worked(self, index: Index, x: Array) -> Worked:
        cell = float(x[index])
        result = scalar_tanh(cell)
        return Worked(f"tanh({number(cell)}) {equals(result, inputs=(cell,))}", result)

    def slope(self, x: Array) -> Array:  # (...) -> (...)
        bent = np.tanh(x)
        return np.asarray(1 - bent * bent)

    def slope_formula(self, x: str) -> str:
        return rf"\left(1 - \tanh^2({x})\right)"


multiply = Multiply()
silu = Silu()
tanh = Tanh()
silu_gradient, tanh_gradient = Slope(silu), Slope(tanh)
