"""What an optimiser does to one number: SGD, and the three lines of Adam (AdamW where there is decay)."""

from __future__ import annotations

import numpy as np

from txviz.ops.arithmetic import equals, minus, number, operand, times
from txviz.ops.base import Array, Index, Worked
from txviz.ops.elementwise import Elementwise
from txviz.ops.latex import raised, scientific


class Sgd(Elementwise):
    name = "sgd"
    about = "A small step against the gradient."

    def compute(self, before: Array, grad: Array, rate: float) -> Array:  # (...), (...) -> (...)
        return np.asarray(before - rate * grad)

    def formula(self, before: str, grad: str, rate: float) -> str:
        return rf"{before} - {rate:g} \, {grad}"

    def worked(self, index: Index, before: Array, grad: Array, rate: float) -> Worked:
        start, slope = self.cells(index, before, grad)
        result = start - rate * slope
        return Worked(f"{number(start)} − {times(rate, slope)} {equals(result)}", result)


class Blend(Elementwise):
    """β · old + (1 − β) · gradient^power: Adam's running mean of the gradient (power 1) and of its square (power 2).

    In the first step there is no old one yet: it counts as 0.
    """

    name = "blend"
    about = "A running mean: mostly the old value, and a little of the new gradient (or of its square)."

    def compute(
        self, grad: Array, old: Array | None = None, beta: float = 0.9, power: int = 1
    ) -> Array:  # (...) -> (...)
        new = grad * grad if power == 2 else grad
        share: Array = new * (1 - beta)
        if old is not None:
            share += old * beta
        return share

    def formula(self, grad: str, old: str | None = None, beta: float = 0.9, power: int = 1) -> str:
        new = rf"{1 - beta:.3g} \, {raised(grad, '2') if power == 2 else grad}"
        return new if old is None else rf"{beta:g} \, {old} + {new}"

    def worked(self, index: Index, grad: Array, old: Array | None = None, beta: float = 0.9, power: int = 1) -> Worked:
        slope, before = float(grad[index]), 0.0 if old is None else float(old[index])
        result = beta * before + (1 - beta) * slope**power
        square = "²" if power == 2 else ""
        text = f"{times(beta, before)} + {1 - beta:.3g}×{operand(slope)}{square}"
        return Worked(f"{text} {equals(result)}", result)


class Adam(Elementwise):
    """before − rate · (m̂ / (√v̂ + ε) + decay · before), with m̂ and v̂ corrected for their start at 0."""

    name = "adam"
    about = "A step against the mean gradient, divided by how much the gradient usually varies."

    def compute(
        self,
        before: Array,
        mean: Array,
        square: Array,
        time: int,
        rate: float,
        betas: tuple[float, float] = (0.9, 0.999),
        epsilon: float = 1e-8,
        decay: float = 0.0,
    ) -> Array:  # (...), (...), (...) -> (...)
        spread: Array = np.sqrt(square * (1 / (1 - betas[1] ** time)))
        spread += epsilon
        step: Array = mean / spread
        step *= -rate / (1 - betas[0] ** time)
        step += before * (1 - rate * decay)
        return step

    def formula(
        self,
        before: str,
        mean: str,
        square: str,
        time: int,
        rate: float,
        betas: tuple[float, float] = (0.9, 0.999),
        epsilon: float = 1e-8,
        decay: float = 0.0,
    ) -> str:
        start, spread = (f"{1 - beta**time:.3g}" for beta in betas)
        ratio = rf"\frac{{{mean} / {start}}}{{\sqrt{{{square} / {spread}}} + {scientific(epsilon)}}}"
        pull = ratio if not decay else rf"\left({ratio} + {decay:g} \, {before}\right)"
        return rf"{before} - {rate:.3g} \, {pull}"

    def worked(
        self,
        index: Index,
        before: Array,
        mean: Array,
        square: Array,
        time: int,
        rate: float,
        betas: tuple[float, float] = (0.9, 0.999),
        epsilon: float = 1e-8,
        decay: float = 0.0,
    ) -> Worked:
        start, m, v = self.cells(index, before, mean, square)
        m_hat, v_hat = m / (1 - betas[0] ** time), v / (1 - betas[1] ** time)
        pull = m_hat / (v_hat**0.5 + epsilon) + decay * start
        result = start - rate * pull
        text = f"m̂ = {number(m_hat)}, √v̂ = {number(v_hat**0.5)}; {minus(start, rate * pull)}"
        return Worked(f"{text} {equals(result)}", result)


sgd = Sgd()
blend = Blend()
adam = Adam()
