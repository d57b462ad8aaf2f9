"""Choosing by chance: which answers stay in the draw, and the draw itself.

Letters: V entries of a vocabulary.
"""

from __future__ import annotations

import numpy as np

from txviz.ops.arithmetic import number, times
from txviz.ops.base import Array, Index, Op, Reads, Worked
from txviz.ops.latex import indexed
from txviz.ops.normalise import softmax


class Keep(Op):
    """Shared by both here: some logits stay as they are, the others become −∞. ``kept`` says which stay."""

    reason: str

    def kept(self, x: Array, limit: float) -> Array:  # (V,) -> (V,) of true and false
        raise TypeError(f"{self.name} keeps nothing")

    def compute(self, x: Array, limit: float) -> Array:  # (V,) -> (V,)
        return np.where(self.kept(x, limit), x, -np.inf).astype(x.dtype)

    def worked(self, index: Index, x: Array, limit: float) -> Worked:
        if self.kept(x, limit)[index]:
            return Worked(f"{self.reason.format(number(limit))}, so it stays: {number(x[index])}", float(x[index]))
        return Worked(f"not {self.reason.format(number(limit))}: −∞", float("-inf"))

    def reads(self, index: Index, x: Array, limit: float) -> Reads:
        return [[(j,) for j in range(len(x))]]


class TopK(Keep):
    """The k largest stay; of equals, the first."""

    name = "top_k"
    about = "Only the k likeliest answers stay in the draw."
    reason = "one of the {} likeliest"

    def kept(self, x: Array, limit: float) -> Array:  # (V,) -> (V,)
        best = np.argsort(-x, kind="stable")[: int(limit)]
        return np.isin(np.arange(len(x)), best)

    def formula(self, x: str, limit: float) -> str:
        return rf"\mathrm{{top}}_{{{int(limit)}}}({x})"


class TopP(Keep):
    """The likeliest answers stay, as few as together have at least the probability p."""

    name = "top_p"
    about = "Only the likeliest answers that together reach the probability p stay in the draw."
    reason = "among the likeliest that reach {} together"

    def kept(self, x: Array, limit: float) -> Array:  # (V,) -> (V,)
        order = np.argsort(-x, kind="stable")
        before = np.cumsum(softmax.compute(x)[order]) - softmax.compute(x)[order]
        return np.isin(np.arange(len(x)), order[before < limit])

    def formula(self, x: str, limit: float) -> str:
        return rf"\mathrm{{nucleus}}_{{{limit:g}}}({x})"


class Draw(Op):
    """The answer at which the running sum of the probabilities passes a random number from 0 to 1."""

    name = "draw"
    about = "A random number from 0 to 1 picks an answer: the likelier it is, the more numbers are its own."

    def compute(self, p: Array, chance: Array) -> Array:  # (V,), () -> ()
        place = np.searchsorted(np.cumsum(p), float(chance) * float(p.sum()), side="right")
        return np.asarray(min(int(place), int(np.flatnonzero(p)[-1])))

    def formula(self, p: str, chance: str) -> str:
        reached = rf"{indexed(p, 0)} + \ldots + {indexed(p, 'j')} > {chance} \sum_k {indexed(p, 'k')}"
        return rf"\min \{{\, j : {reached} \,\}}"

    def worked(self, index: Index, p: Array, chance: Array) -> Worked:
        place = int(self.compute(p, chance))
        below, above, every = float(p[:place].sum()), float(p[: place + 1].sum()), float(p.sum())
        mark = number(float(chance)) if number(every) == "1" else times(float(chance), every)
        text = f"{mark} lies between {number(below)} and {number(above)}, the share of answer {place}"
        return Worked(text, place)

    def reads(self, index: Index, p: Array, chance: Array) -> Reads:
        return [[(j,) for j in range(len(p))], [()]]


top_k = TopK()
top_p = TopP()
draw = Draw()
