"""Pixels of a photograph as a model was trained to read them.

Letters: C colours, always the last axis; (...) rows and columns before it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from txviz.ops.arithmetic import equals, grouped, minus
from txviz.ops.base import Array, Gradient, Index, Source, Worked
from txviz.ops.elementwise import Elementwise
from txviz.ops.latex import scientific


class Standardise(Elementwise):
    """(x − mean) / spread with a mean and a spread for each colour, or one for greys: as in the images of training."""

    name = "standardise"
    about = "From each colour its usual mean is taken, and what is left is divided by its usual spread."

    def compute(self, x: Array, mean: Sequence[float], spread: Sequence[float]) -> Array:  # (...,C) -> (...,C)
        return np.asarray((x - np.asarray(mean, dtype=x.dtype)) / np.asarray(spread, dtype=x.dtype))

    def formula(self, x: str, mean: Sequence[float], spread: Sequence[float]) -> str:
        if len(set(mean)) == len(set(spread)) == 1:
            return rf"\frac{{{x} - {scientific(mean[0])}}}{{{scientific(spread[0])}}}"
        return rf"\frac{{{x} - \mu_{{\mathrm{{colour}}}}}}{{\sigma_{{\mathrm{{colour}}}}}}"

    def worked(self, index: Index, x: Array, mean: Sequence[float], spread: Sequence[float]) -> Worked:
        colour = index[-1] % len(mean)  # greys have one mean for all
        cell, middle, width = float(x[index]), float(mean[colour]), float(spread[colour])
        result, size = (cell - middle) / width, (abs(cell) + abs(middle)) / width
        return Worked(
            f"({minus(cell, middle)}) / {grouped(width)} {equals(result, size, (cell, middle, width))}", result
        )

    def gradients(
        self, grad: Source, out: Source, x: Source, mean: Sequence[float], spread: Sequence[float]
    ) -> list[Gradient | None]:
        return [Gradient(standardise, (grad,), {"mean": [0.0] * len(mean), "spread": list(spread)})]


standardise = Standardise()
