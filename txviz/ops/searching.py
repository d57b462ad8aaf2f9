"""Comparing sentences: their scores, the best of all, and what was said about those.

Letters: B hypotheses, V entries of a vocabulary, k candidates.
"""

from __future__ import annotations

import numpy as np

from txviz.errors import TxvizError
from txviz.ops.arithmetic import equals, number, operand
from txviz.ops.base import Array, Gradient, Index, Op, Reads, Source, Worked
from txviz.ops.latex import raised


class Penalise(Op):
    """total / length^penalty, in double precision whatever the totals are: a tie must not come from rounding."""

    name = "penalise"
    about = "Each sum of log-probabilities is divided by a power of the sentence's length."

    def compute(self, totals: Array, lengths: Array, penalty: float) -> Array:  # (B,V), (B,1) -> (B,V)
        powers = [float(length) ** penalty for length in lengths.ravel()]  # NumPy's powers differ between machines
        return np.asarray(totals.astype(np.float64) / np.array(powers).reshape(lengths.shape))

    def formula(self, totals: str, lengths: str, penalty: float) -> str:
        return rf"\frac{{{totals}}}{{{raised(lengths, f'{penalty:g}')}}}"

    def worked(self, index: Index, totals: Array, lengths: Array, penalty: float) -> Worked:
        total, length = float(totals[index]), float(lengths[*index[:-1], 0])
        result, power = total / length**penalty, length**penalty
        text = f"{number(total)} / {number(length)}^{operand(penalty)}"
        return Worked(f"{text} {equals(result, inputs=(total, penalty, power))}", result)

    def reads(self, index: Index, totals: Array, lengths: Array, penalty: float) -> Reads:
        return [[index], [(*index[:-1], 0)]]

    def gradients(
        self, grad: Source, out: Source, totals: Source, lengths: Source, penalty: float
    ) -> list[Gradient | None]:
        return [Gradient(penalise, (grad, lengths), {"penalty": penalty}), None]


class Best(Op):
    """Row and column of the largest cells, the largest first; of equals, the first. What is −∞ is never among them."""

    name = "best"
    about = "The places of the largest numbers of the whole matrix, the largest first."

    def compute(self, x: Array, limit: int) -> Array:  # (B,V) -> (k,2)
        flat = x.ravel()
        count = min(limit, int((flat > -np.inf).sum()))
        if not count:
            raise TxvizError("nothing is left to choose from: every cell is −∞")
        least = np.partition(flat, flat.size - count)[flat.size - count]
        found = np.flatnonzero(flat >= least)
        order = found[np.argsort(-flat[found], kind="stable")][:count]
        return np.stack(np.divmod(order, x.shape[-1]), axis=-1)

    def formula(self, x: str, limit: int) -> str:
        return rf"\mathrm{{best}}_{{{limit}}}({x})"

    def worked(self, index: Index, x: Array, limit: int) -> Worked:
        place = self.compute(x, limit)[index[0]]
        what = ("row", "column")[index[1]]
        text = f"number {index[0] + 1} of {x.size} by size is {number(x[tuple(place)])}, in {what}: {place[index[1]]}"
        return Worked(text, int(place[index[1]]))

    def reads(self, index: Index, x: Array, limit: int) -> Reads:
        return [list(np.ndindex(*x.shape))]


class Take(Op):
    """The numbers at some places of a matrix, one below the other."""

    name = "take"
    about = "The numbers at these places are copied, one below the other."

    def compute(self, x: Array, places: Array) -> Array:  # (B,V), (k,2) -> (k,1)
        if (places < 0).any() or (places >= x.shape).any():
            rows, columns = x.shape
            raise TxvizError(f"places go from 0, 0 to {rows - 1}, {columns - 1}; one of these is outside")
        return np.asarray(x[places[:, 0], places[:, 1]][:, None])

    def formula(self, x: str, places: str) -> str:
        return f"{x}[{places}]"

    def worked(self, index: Index, x: Array, places: Array) -> Worked:
        row, column = map(int, places[index[0]])
        result = float(x[row, column])
        return Worked(f"row {row}, column {column}: {number(result)}", result)

    def reads(self, index: Index, x: Array, places: Array) -> Reads:
        row, column = map(int, places[index[0]])
        return [[(row, column)], [(index[0], 0), (index[0], 1)]]


penalise = Penalise()
best = Best()
take = Take()
