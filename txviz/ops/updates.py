"""What an optimiser does to one number: SGD, and the three lines of Adam (AdamW where there is decay)."""

from __future__ import annotations

from math import sqrt

import numpy as np

from txviz.ops.arithmetic import equals, grouped, minus, number, operand, over, quotient, sign, times
from txviz.ops.base import Array, Index, Worked
from txviz.ops.elementwise import Elementwise
from txviz.ops.latex import raised, scientific


class Sgd(Elementwise):
    name = "sgd"
    about = "A small step against the gradient."

    def compute(self, before: Array, grad: Array, rate: float) -> Array:  # (...), (...) -> (...)
        return np.asarray(before - rate * grad)

    def formula(self, before: str, grad: str, rate: float) -> str:
        return rf"{before} - {scientific(rate)} \, {grad}"

    def worked(self, index: Index, before: Array, grad: Array, rate: float) -> Worked:
        start, slope = self.cells(index, before, grad)
        return _stepped(start, times(rate, slope), rate * slope, (start, rate, slope))


class Blend(Elementwise):
    """β · old + (1 − β) · gradient^power: Adam's running mean of the gradient (power 1) and of its square (power 2).

    In the first step there is no old one yet: it counts as 0.
    """

    name = "blend"
    about = "A running mean: mostly the old value, and a little of the new gradient (or of its square)."

    def compute(
        self, grad: Array, old: Array | None = None, beta: float = 0.9, power: int = 1
    ) -> Array:  # (...) -> (...)
        share: Array = grad * grad if power == 2 else grad * (1 - beta)
        if power == 2:
            share *= 1 - beta
        if old is not None:
            share += old * beta
        return share

    def formula(self, grad: str, old: str | None = None, beta: float = 0.9, power: int = 1) -> str:
        new = rf"{scientific(1 - beta)} \, {raised(grad, '2') if power == 2 else grad}"
        return new if old is None else rf"{beta:g} \, {old} + {new}"

    def worked(self, index: Index, grad: Array, old: Array | None = None, beta: float = 0.9, power: int = 1) -> Worked:
        slope, before = float(grad[index]), 0.0 if old is None else float(old[index])
        new = (1 - beta) * (slope * slope if power == 2 else slope)
        result, size = beta * before + new, beta * abs(before) + abs(new)
        text = f"{times(beta, before)} + {number(1 - beta)}×{grouped(slope)}" + ("²" if power == 2 else "")
        return Worked(f"{text} {equals(result, size, (beta, before, slope))}", result)


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
        step = np.asarray(square * (1 / (1 - betas[1] ** time)))
        np.sqrt(step, out=step)
        step += epsilon
        np.divide(mean, step, out=step)
        step *= -rate / (1 - betas[0] ** time)
        step += before * (1 - rate * decay) if decay else before
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
        start, spread = (scientific(1 - beta) if time == 1 else rf"(1 - {beta:g}^{{{time}}})" for beta in betas)
        ratio = rf"\frac{{{mean} / {start}}}{{\sqrt{{{square} / {spread}}} + {scientific(epsilon)}}}"
        pull = ratio if not decay else rf"\left({ratio} + {decay:g} \, {before}\right)"
        return rf"{before} - {scientific(rate)} \, {pull}"

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
        grown = [1 - beta**time for beta in betas]
        mean_text, m_hat = quotient(m, grown[0])
        root = sqrt(v / grown[1])
        root_text = f"√({over(v, grown[1])}) {equals(root, inputs=(v, grown[1]))}"
        pull = m_hat / (root + epsilon) + decay * start
        shrunk = f" + {times(decay, start)}" if decay else ""
        text = f"{operand(rate)}×({number(m_hat)} / ({number(root)} + {number(epsilon)}){shrunk})"
        worked = _stepped(start, text, rate * pull, (start, rate, m_hat, root, epsilon, decay))
        return Worked(f"{worked.text}, where m̂ = {mean_text} and √v̂ = {root_text}", worked.result)


def _stepped(start: float, step_text: str, step: float, inputs: tuple[float, ...]) -> Worked:
    """``start − 0.01×(…) ≈ start − 0.00333 ≈ …``: a step is often too small to be seen in the shown digits."""
    result, middle = start - step, f"{sign(*inputs, step)} {minus(start, step)}"
    ends = equals(result, abs(start) + abs(step), (start, step))
    return Worked(f"{number(start)} − {step_text} {middle} {ends}", result)


sgd = Sgd()
blend = Blend()
adam = Adam()
