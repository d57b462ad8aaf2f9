"""Operations that look at one cell of each input at a time."""

from __future__ import annotations

from functools import reduce
from math import erf as scalar_erf
from math import log as scalar_log
from math import pi, sqrt, tanh

import numpy as np

from txviz.ops.arithmetic import equals, grouped, is_rounding, number, operand, sign, sum_of, times
from txviz.ops.base import Array, Gradient, Index, Op, Reads, Source, Worked, seen_from
from txviz.ops.erf import normal
from txviz.ops.keeping import kept
from txviz.ops.latex import scientific


class Elementwise(Op):
    """Shared by all here: an output cell reads the cell of each input that stands (or broadcasts) in its place."""

    def reads(self, index: Index, *inputs: Array, **params: object) -> Reads:
        return [[seen_from(index, x.shape)] for x in inputs]

    def cells(self, index: Index, *inputs: Array) -> list[float]:
        return [float(x[seen_from(index, x.shape)]) for x in inputs]


class Add(Elementwise):
    """Embedding plus position; input plus what a sublayer made of it (the residual connection); sum plus bias."""

    name = "add"
    about = "Cell by cell, they are added."

    def compute(self, first: Array, *others: Array) -> Array:  # (...,n), (...,n)… -> (...,n)
        return np.asarray(reduce(np.add, others, first))

    def formula(self, *terms: str) -> str:
        return " + ".join(terms)

    def worked(self, index: Index, *terms: Array) -> Worked:
        return sum_of(self.cells(index, *terms))

    def gradients(self, grad: Source, out: Source, *terms: Source) -> list[Gradient | None]:
        return [Gradient(pass_on, (grad,)) for _ in terms]


class PassOn(Elementwise):
    """A sum hands its gradient on to each of its terms as it is."""

    name = "pass_on"
    about = "The gradient is handed on unchanged."

    def compute(self, grad: Array) -> Array:  # (...) -> (...)
        return grad.view()

    def formula(self, grad: str) -> str:
        return grad

    def worked(self, index: Index, grad: Array) -> Worked:
        return Worked(f"handed on: {number(grad[index])}", float(grad[index]))


class Scale(Elementwise):
    """x · base^exponent: 1/√d_k for scores, √d_model for embeddings, 1/T for a temperature."""

    name = "scale"
    about = "Every cell is multiplied by the same number."

    def compute(self, x: Array, base: float, exponent: float) -> Array:  # (...) -> (...)
        return np.asarray(x * float(base**exponent))

    def formula(self, x: str, base: float, exponent: float) -> str:
        size = scientific(base)
        known = {
            -0.5: rf"\frac{{{x}}}{{\sqrt{{{size}}}}}",
            0.5: rf"\sqrt{{{size}}} \, {x}",
            -1: rf"\frac{{{x}}}{{{size}}}",
            1: rf"{size} \, {x}",
        }
        return known.get(exponent, rf"{size}^{{{exponent:g}}} \, {x}")

    def worked(self, index: Index, x: Array, base: float, exponent: float) -> Worked:
        cell, size = float(x[index]), grouped(base)
        result = cell * float(base**exponent)
        known = {
            -0.5: f"{number(cell)} / √{size}",
            0.5: f"√{size} × {operand(cell)}",
            -1: f"{number(cell)} / {size}",
            1: f"{size} × {operand(cell)}",
        }
        text = known.get(exponent, f"{size}^{operand(exponent)} × {operand(cell)}")
        return Worked(f"{text} {equals(result, inputs=(cell, base, base ** abs(exponent)))}", result)

    def gradients(self, grad: Source, out: Source, x: Source, base: float, exponent: float) -> list[Gradient | None]:
        return [Gradient(scale, (grad,), {"base": base, "exponent": exponent})]


class Mask(Elementwise):
    """Scores plus masks of 0 (open) and −∞ (closed): a closed score is −∞, and softmax makes it 0."""

    name = "mask"
    about = "Open cells keep their score; closed ones become −∞."

    def compute(self, scores: Array, *masks: Array) -> Array:  # (...,q,k), (...,q,k)… -> (...,q,k)
        return np.asarray(scores + reduce(np.add, masks))  # the masks first: all heads share them, so they are small

    def formula(self, scores: str, *masks: str) -> str:
        return " + ".join([scores, *masks])

    def worked(self, index: Index, scores: Array, *masks: Array) -> Worked:
        return sum_of(self.cells(index, scores, *masks))

    def gradients(self, grad: Source, out: Source, scores: Source, *masks: Source) -> list[Gradient | None]:
        return [Gradient(pass_on, (grad,)), *(None for _ in masks)]


class Nonlinearity(Elementwise):
    """A function of one cell. Its gradient is the output's, times the function's slope there."""

    def slope(self, x: Array) -> Array:  # (...) -> (...)
        raise TypeError(f"{self.name} has no slope")

    def slope_formula(self, x: str) -> str:
        raise TypeError(f"{self.name} has no slope")

    def gradients(self, grad: Source, out: Source, x: Source) -> list[Gradient | None]:
        return [Gradient(_SLOPES[self.name], (grad, x))]


_SLOPES: dict[str, Slope] = {}
"""By the function's name."""


class Slope(Elementwise):
    """The gradient of a nonlinearity: dy · f′(x)."""

    about = "The gradient times the slope of the function at this cell."

    def __init__(self, function: Nonlinearity) -> None:
        self.function = function
        self.name = f"{function.name}_gradient"
        _SLOPES[function.name] = self

    def compute(self, grad: Array, x: Array) -> Array:  # (...), (...) -> (...)
        slope = self.function.slope(x)
        slope *= grad
        return slope

    def formula(self, grad: str, x: str) -> str:
        return rf"{grad} \,\odot\, {self.function.slope_formula(x)}"

    def worked(self, index: Index, grad: Array, x: Array) -> Worked:
        slope, cell = float(self.function.slope(x[index])), float(grad[index])
        text = f"{times(cell, slope)} {equals(cell * slope, inputs=(cell, slope))}"
        return Worked(f"{text}, where the slope at {number(x[index])} {equals(slope)}", cell * slope)


class Relu(Nonlinearity):
    name = "relu"
    about = "Negative numbers become 0; the others stay as they are."

    def compute(self, x: Array) -> Array:  # (...) -> (...)
        return np.maximum(x, 0)

    def formula(self, x: str) -> str:
        return rf"\max(0,\ {x})"

    def worked(self, index: Index, x: Array) -> Worked:
        cell = float(x[index])
        return Worked(f"max(0, {number(cell)}) {equals(max(0.0, cell))}", max(0.0, cell))

    def slope(self, x: Array) -> Array:  # (...) -> (...)
        return np.asarray(x > 0, dtype=x.dtype)

    def slope_formula(self, x: str) -> str:
        return rf"[{x} > 0]"


@kept
def _gate(x: Array) -> Array:  # (...) -> (...)
    """½ (1 + tanh u) with u = √(2/π) (x + 0.044715 x³), from 0 to 1."""
    gate = np.asarray(x * x)
    gate *= GeluTanh.slope_at_0 * GeluTanh.cube
    gate += GeluTanh.slope_at_0
    gate *= x
    np.tanh(gate, out=gate)
    gate += 1
    gate *= 0.5
    return gate


class GeluTanh(Nonlinearity):
    """The approximation that GPT-2 uses."""

    name = "gelu_tanh"
    about = "A smooth step: large numbers pass, very negative ones vanish (the tanh form, as in GPT-2)."

    slope_at_0, cube = sqrt(2 / pi), 0.044715

    def compute(self, x: Array) -> Array:  # (...) -> (...)
        return np.asarray(_gate(x) * x)

    def formula(self, x: str) -> str:
        inner = rf"\sqrt{{\tfrac{{2}}{{\pi}}}} \left({x} + {self.cube} \, {x}^3\right)"
        return rf"\frac{{{x}}}{{2}} \left(1 + \tanh\left({inner}\right)\right)"

    def worked(self, index: Index, x: Array) -> Worked:
        cell = float(x[index])
        inner = self.slope_at_0 * (cell + self.cube * cell * cell * cell)
        text = f"√(2/π)×({number(cell)} + {self.cube}×{grouped(cell)}³) {equals(inner, inputs=(cell,))}"
        worked = _gated(cell, f"tanh({number(inner)})", tanh(inner))
        return Worked(f"{worked.text}, where {text}", worked.result)

    def slope(self, x: Array) -> Array:  # (...) -> (...)
        """g (1 + (1 − g) 2 x u′), where the gate g is ½ (1 + tanh u)."""
        gate = _gate(x)
        rise: Array = x * x
        rise *= 6 * self.slope_at_0 * self.cube
        rise += 2 * self.slope_at_0
        rise *= x
        rise *= 1 - gate
        rise += 1
        rise *= gate
        return rise

    def slope_formula(self, x: str) -> str:
        return rf"\mathrm{{GELU}}'({x})"


class GeluErf(Nonlinearity):
    """The exact form: x times the normal distribution's Φ(x)."""

    name = "gelu_erf"
    about = "A smooth step: large numbers pass, very negative ones vanish (the exact form, with erf)."

    def compute(self, x: Array) -> Array:  # (...) -> (...)
        below = normal(x)
        below *= x
        return below

    def formula(self, x: str) -> str:
        return rf"\frac{{{x}}}{{2}} \left(1 + \mathrm{{erf}}\left(\frac{{{x}}}{{\sqrt{{2}}}}\right)\right)"

    def worked(self, index: Index, x: Array) -> Worked:
        cell = float(x[index])
        return _gated(cell, f"erf({number(cell)} / √2)", scalar_erf(cell / sqrt(2)))

    def slope(self, x: Array) -> Array:  # (...) -> (...)
        return np.asarray(normal(x) + x * np.exp(-x * x / 2) / sqrt(2 * pi))

    def slope_formula(self, x: str) -> str:
        return rf"\left(\Phi({x}) + {x} \, \varphi({x})\right)"


class Log(Nonlinearity):
    """The natural logarithm: from probabilities back to scores."""

    name = "log"
    about = "The natural logarithm of every cell; that of 0 is −∞."

    def compute(self, x: Array) -> Array:  # (...) -> (...)
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(x))

    def formula(self, x: str) -> str:
        return rf"\ln {x}"

    def worked(self, index: Index, x: Array) -> Worked:
        cell = float(x[index])
        result = scalar_log(cell) if cell > 0 else float("-inf")
        return Worked(f"ln {grouped(cell)} {equals(result, inputs=(cell,))}", result)

    def slope(self, x: Array) -> Array:  # (...) -> (...)
        with np.errstate(divide="ignore"):
            return np.asarray(1 / x)

    def slope_formula(self, x: str) -> str:
        return rf"\frac{{1}}{{{x}}}"


def _gated(cell: float, gate: str, value: float) -> Worked:
    """``½ × x × (1 + gate)``, where the gate goes from −1 to 1."""
    half, factor = cell / 2, 1 + value
    ends = equals(half * factor, abs(half) * (1 + abs(value)), (half, factor))
    if not is_rounding(factor, 1 + abs(value)):
        ends = f"{sign(cell, value, half, factor)} {times(half, factor)} {ends}"
    return Worked(f"½ × {operand(cell)} × (1 + {gate}) {ends}", half * factor)


add = Add()
pass_on = PassOn()
scale = Scale()
mask = Mask()
relu = Relu()
gelu_tanh = GeluTanh()
gelu_erf = GeluErf()
log = Log()
relu_gradient, gelu_tanh_gradient, gelu_erf_gradient, log_gradient = map(Slope, (relu, gelu_tanh, gelu_erf, log))
