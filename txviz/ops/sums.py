"""Sums over many positions: what a shared number learns, and the mean loss.

Letters: (...) any positions.
"""

from __future__ import annotations

from math import prod

import numpy as np

from txviz.ops.arithmetic import equals, mean_of, minus, operand, quotient, size_of_square, sum_of
from txviz.ops.base import Array, Gradient, Index, Op, Reads, Source, Worked
from txviz.ops.latex import unless


class SumTo(Op):
    """The sum over every position that a smaller array was spread over: the gradient of a bias."""

    name = "sum_to"
    about = "Summed over every position that used the same number."

    def compute(self, x: Array, shape: list[int]) -> Array:  # (...,n) -> shape
        before = x.shape[: x.ndim - len(shape)]
        flat = x.reshape(prod(before), -1)
        summed = (np.ones(len(flat), dtype=x.dtype) @ flat).reshape(x.shape[len(before) :])  # quicker than sum()
        ones = tuple(i for i, size in enumerate(shape) if size == 1 and summed.shape[i] != 1)
        return np.asarray(summed.sum(axis=ones, keepdims=True) if ones else summed)

    def formula(self, x: str, shape: list[int]) -> str:
        return rf"\sum {x}"

    def worked(self, index: Index, x: Array, shape: list[int]) -> Worked:
        return sum_of([float(x[cell]) for cell in self.reads(index, x, shape)[0]], among=x)

    def reads(self, index: Index, x: Array, shape: list[int]) -> Reads:
        extra = x.ndim - len(shape)
        inner = [range(x.shape[extra + i]) if size == 1 else [index[i]] for i, size in enumerate(shape)]
        ranges = [*(range(n) for n in x.shape[:extra]), *inner]
        return [[tuple(ranges[i][place] for i, place in enumerate(cell)) for cell in np.ndindex(*map(len, ranges))]]


class Average(Op):
    """The mean over all positions; those whose label is ``ignore`` (padding) don't count."""

    name = "average"
    about = "The mean over all positions that are not padding."

    def compute(self, x: Array, labels: Array | None = None, ignore: int | None = None) -> Array:  # (...) -> ()
        if labels is None:
            return np.asarray(x.mean())
        real = labels != ignore
        return np.asarray(x[real].sum() / x.dtype.type(real.sum()))

    def formula(self, x: str, labels: str | None = None, ignore: int | None = None) -> str:
        which = "" if labels is None else rf"_{{{labels} \ne {ignore}}}"
        return rf"\frac{{1}}{{n}} \sum{which} {x}"

    def worked(self, index: Index, x: Array, labels: Array | None = None, ignore: int | None = None) -> Worked:
        return mean_of([float(x[cell]) for cell in self.reads(index, x, labels, ignore)[0]])

    def reads(self, index: Index, x: Array, labels: Array | None = None, ignore: int | None = None) -> Reads:
        everywhere: list[Index] = list(np.ndindex(*x.shape))
        if labels is None:
            return [everywhere]
        return [[cell for cell in everywhere if labels[cell] != ignore], everywhere]

    def gradients(
        self, grad: Source, out: Source, x: Source, labels: Source | None = None, ignore: int | None = None
    ) -> list[Gradient | None]:
        if labels is None:
            return [Gradient(average_gradient, (grad, x))]
        return [Gradient(average_gradient, (grad, x, labels), {"ignore": ignore}), None]


class AverageGradient(Op):
    """Every position that counted gets an equal share."""

    name = "average_gradient"
    about = "Every position that counted gets an equal share of the gradient; padding gets none."

    def compute(
        self, grad: Array, x: Array, labels: Array | None = None, ignore: int | None = None
    ) -> Array:  # (), (...), (...) -> (...)
        if labels is None:
            return np.full(x.shape, grad / x.size, dtype=x.dtype)
        real = labels != ignore
        return np.asarray(np.where(real, grad / x.dtype.type(real.sum()), 0), dtype=x.dtype)

    def formula(self, grad: str, x: str, labels: str | None = None, ignore: int | None = None) -> str:
        share = rf"\frac{{{grad}}}{{n}}"
        return share if labels is None else unless(labels, ignore, share)

    def worked(
        self, index: Index, grad: Array, x: Array, labels: Array | None = None, ignore: int | None = None
    ) -> Worked:
        if labels is not None and labels[index] == ignore:
            return Worked("padding did not count: 0", 0.0)
        count = x.size if labels is None else int((labels != ignore).sum())
        return quotient(float(grad), count)

    def reads(
        self, index: Index, grad: Array, x: Array, labels: Array | None = None, ignore: int | None = None
    ) -> Reads:
        cells: Reads = [[()], []]
        return cells if labels is None else [*cells, list(np.ndindex(*labels.shape))]


class SquaredError(Op):
    """(x − target)²: how far a cosine is from the one it should be."""

    name = "squared_error"
    about = "The difference from what it should be, squared."

    def compute(self, x: Array, target: Array) -> Array:  # (...), (...) -> (...)
        return np.asarray((x - target) ** 2)

    def formula(self, x: str, target: str) -> str:
        return rf"({x} - {target})^2"

    def worked(self, index: Index, x: Array, target: Array) -> Worked:
        a, b = float(x[index]), float(target[index])
        result = (a - b) * (a - b)
        return Worked(f"({minus(a, b)})² {equals(result, size_of_square(abs(a) + abs(b)), (a, b))}", result)

    def reads(self, index: Index, x: Array, target: Array) -> Reads:
        return [[index], [index]]

    def gradients(self, grad: Source, out: Source, x: Source, target: Source) -> list[Gradient | None]:
        return [Gradient(squared_error_gradient, (grad, x, target)), None]


class SquaredErrorGradient(Op):
    name = "squared_error_gradient"
    about = "Twice the difference from what it should be, times the gradient."

    def compute(self, grad: Array, x: Array, target: Array) -> Array:  # (...), (...), (...) -> (...)
        return np.asarray(grad * 2 * (x - target))

    def formula(self, grad: str, x: str, target: str) -> str:
        return rf"2 \, {grad} \, ({x} - {target})"

    def worked(self, index: Index, grad: Array, x: Array, target: Array) -> Worked:
        slope, a, b = float(grad[index]), float(x[index]), float(target[index])
        result, size = slope * 2 * (a - b), abs(slope) * 2 * (abs(a) + abs(b))
        return Worked(f"2 × {operand(slope)} × ({minus(a, b)}) {equals(result, size, (slope, a, b))}", result)

    def reads(self, index: Index, grad: Array, x: Array, target: Array) -> Reads:
        return [[index], [index], [index]]


sum_to = SumTo()
squared_error = SquaredError()
squared_error_gradient = SquaredErrorGradient()
average = Average()
average_gradient = AverageGradient()
