"""Operations that go between words and numbers: a table's rows, an average, a choice, and what the choice cost.

Letters: T tokens, d features, V entries of a vocabulary or classes; (...) any axes before them.
"""

from __future__ import annotations

from math import exp
from math import log as scalar_log

import numpy as np

from txviz.errors import TxvizError
from txviz.ops.arithmetic import (
    added,
    equals,
    mean_of,
    minus,
    number,
    operand,
    over,
    quotient,
    shown,
    sum_of,
    times,
    total,
)
from txviz.ops.base import Array, Gradient, Index, Op, Reads, Source, Worked
from txviz.ops.keeping import kept
from txviz.ops.latex import indexed, unless
from txviz.ops.normalise import largest, mean, softmax


class Lookup(Op):
    """Row t of the result is the table's row for token t."""

    name = "lookup"
    about = "Each token's number picks a row of a learned table."

    def compute(self, tokens: Array, table: Array) -> Array:  # (...), (V,d) -> (...,d)
        if tokens.size and not 0 <= tokens.min() <= tokens.max() < len(table):
            raise TxvizError(f"token numbers go from 0 to {len(table) - 1}, not {tokens.min()} to {tokens.max()}")
        return table[tokens]

    def formula(self, tokens: str, table: str) -> str:
        return f"{table}[{tokens}]"

    def worked(self, index: Index, tokens: Array, table: Array) -> Worked:
        token = int(tokens[index[:-1]])
        result = float(table[token, index[-1]])
        return Worked(f"row {token} of the table, column {index[-1]}: {number(result)}", result)

    def reads(self, index: Index, tokens: Array, table: Array) -> Reads:
        return [[index[:-1]], [(int(tokens[index[:-1]]), index[-1])]]

    def gradients(self, grad: Source, out: Source, tokens: Source, table: Source) -> list[Gradient | None]:
        return [None, Gradient(gather, (grad, tokens), {"rows": len(table.value)})]


class Gather(Op):
    """Row v is the sum over all tokens with number v: how a table learns from every place a word stood in."""

    name = "gather"
    about = "For each row of the table, the sum over all the places where its token stood."
    subscript = "v"

    def compute(self, grad: Array, tokens: Array, rows: int) -> Array:  # (...,d), (...) -> (V,d)
        table = np.zeros((rows, grad.shape[-1]), dtype=grad.dtype)
        flat = tokens.ravel()
        order = np.argsort(flat, kind="stable")
        numbers = flat[order]
        starts = np.flatnonzero(np.diff(numbers, prepend=-1))
        table[numbers[starts]] = np.add.reduceat(grad.reshape(-1, grad.shape[-1])[order], starts, axis=0)
        return table

    def formula(self, grad: str, tokens: str, rows: int) -> str:
        return rf"\sum_{{i :\, {indexed(tokens, 'i')} = v}} {indexed(grad, 'i')}"

    def worked(self, index: Index, grad: Array, tokens: Array, rows: int) -> Worked:
        values = [float(grad[cell]) for cell in self.reads(index, grad, tokens, rows)[0]]
        if not values:
            return Worked(f"token {index[0]} does not occur: 0", 0.0)
        return sum_of(values)

    def reads(self, index: Index, grad: Array, tokens: Array, rows: int) -> Reads:
        places: list[Index] = list(np.ndindex(*tokens.shape))
        return [[(*where, index[1]) for where in places if tokens[where] == index[0]], places]


class MeanPool(Op):
    """The average over the tokens. With the token numbers and the one that means padding, only the real ones count."""

    name = "mean_pool"
    about = "The tokens' vectors are averaged into one."

    def compute(
        self, x: Array, tokens: Array | None = None, padding: int | None = None
    ) -> Array:  # (...,T,d), (...,T) -> (...,d)
        if tokens is None:
            return np.asarray(x.mean(axis=-2))
        real = (tokens != padding)[..., None]
        return np.asarray(np.where(real, x, 0).sum(axis=-2) / real.sum(axis=-2).astype(x.dtype))

    def formula(self, x: str, tokens: str | None = None, padding: int | None = None) -> str:
        if tokens is None:
            return rf"\frac{{1}}{{T}} \sum_i {indexed(x, 'i')}"
        return rf"\frac{{1}}{{n}} \sum_{{i :\, {indexed(tokens, 'i')} \ne {padding}}} {indexed(x, 'i')}"

    def worked(self, index: Index, x: Array, tokens: Array | None = None, padding: int | None = None) -> Worked:
        return mean_of([float(x[cell]) for cell in self.reads(index, x, tokens, padding)[0]])

    def reads(self, index: Index, x: Array, tokens: Array | None = None, padding: int | None = None) -> Reads:
        places = range(x.shape[-2])
        if tokens is None:
            return [[(*index[:-1], place, index[-1]) for place in places]]
        row = tokens[index[:-1]]
        real = [(*index[:-1], place, index[-1]) for place in places if row[place] != padding]
        return [real, [(*index[:-1], place) for place in places]]

    def gradients(
        self, grad: Source, out: Source, x: Source, tokens: Source | None = None, padding: int | None = None
    ) -> list[Gradient | None]:
        if tokens is None:
            return [Gradient(mean_pool_gradient, (grad,), {"length": x.value.shape[-2]})]
        return [Gradient(mean_pool_gradient, (grad, tokens), {"length": x.value.shape[-2], "padding": padding}), None]


class MeanPoolGradient(Op):
    name = "mean_pool_gradient"
    about = "Every token that counted gets an equal share of the gradient."

    def compute(
        self, grad: Array, tokens: Array | None = None, length: int = 0, padding: int | None = None
    ) -> Array:  # (...,d), (...,T) -> (...,T,d)
        if tokens is None:
            return np.repeat(grad[..., None, :] / length, length, axis=-2)
        real = (tokens != padding)[..., None]
        share = grad / real.sum(axis=-2).astype(grad.dtype)
        return np.asarray(np.where(real, share[..., None, :], 0), dtype=grad.dtype)

    def formula(self, grad: str, tokens: str | None = None, length: int = 0, padding: int | None = None) -> str:
        if tokens is None:
            return rf"\frac{{{grad}}}{{T}}"
        return unless(indexed(tokens, "i"), padding, rf"\frac{{{grad}}}{{n}}")

    def worked(
        self, index: Index, grad: Array, tokens: Array | None = None, length: int = 0, padding: int | None = None
    ) -> Worked:
        *before, token, feature = index
        if tokens is not None and tokens[(*before, token)] == padding:
            return Worked("padding did not count: 0", 0.0)
        count = length if tokens is None else int((tokens[tuple(before)] != padding).sum())
        return quotient(float(grad[(*before, feature)]), count)

    def reads(
        self, index: Index, grad: Array, tokens: Array | None = None, length: int = 0, padding: int | None = None
    ) -> Reads:
        *before, _, feature = index
        cells: Reads = [[(*before, feature)]]
        return cells if tokens is None else [*cells, [(*before, k) for k in range(tokens.shape[-1])]]


class ArgMax(Op):
    """Which entry of the row is the largest; the first of equals."""

    name = "argmax"
    about = "The place of the largest number in the row: the model's choice."

    def compute(self, x: Array) -> Array:  # (...,V) -> (...)
        return np.asarray(x.argmax(axis=-1))

    def formula(self, x: str) -> str:
        return rf"\arg\max_j\, {indexed(x, 'j')}"

    def worked(self, index: Index, x: Array) -> Worked:
        row = [float(cell) for cell in x[index]]
        best = max(range(len(row)), key=row.__getitem__)
        return Worked(f"{number(row[best])} is the largest of {len(row)}, at place {best}", best)

    def reads(self, index: Index, x: Array) -> Reads:
        return [[(*index, j) for j in range(x.shape[-1])]]


class Pick(Op):
    """From each row the entry that a token number names: the probability of the word that was chosen."""

    name = "pick"
    about = "From each row, the one number that belongs to the chosen entry."

    def compute(self, x: Array, tokens: Array) -> Array:  # (...,V), (...) -> (...)
        return np.asarray(np.take_along_axis(x, tokens[..., None], axis=-1)[..., 0])

    def formula(self, x: str, tokens: str) -> str:
        return indexed(x, tokens)

    def worked(self, index: Index, x: Array, tokens: Array) -> Worked:
        result = float(x[self.reads(index, x, tokens)[0][0]])
        return Worked(f"entry {int(tokens[index])} of the row: {number(result)}", result)

    def reads(self, index: Index, x: Array, tokens: Array) -> Reads:
        return [[(*index, int(tokens[index]))], [index]]

    def gradients(self, grad: Source, out: Source, x: Source, tokens: Source) -> list[Gradient | None]:
        return [Gradient(pick_gradient, (grad, tokens), {"width": x.value.shape[-1]}), None]


class PickGradient(Op):
    name = "pick_gradient"
    about = "The gradient goes to the entry that was picked; all others get 0."
    subscript = "j"

    def compute(self, grad: Array, tokens: Array, width: int) -> Array:  # (...), (...) -> (...,V)
        whole = np.zeros((*grad.shape, width), dtype=grad.dtype)
        np.put_along_axis(whole, tokens[..., None], grad[..., None], axis=-1)
        return whole

    def formula(self, grad: str, tokens: str, width: int) -> str:
        return rf"{grad} \, [j = {tokens}]"

    def worked(self, index: Index, grad: Array, tokens: Array, width: int) -> Worked:
        if int(tokens[index[:-1]]) != index[-1]:
            return Worked("this entry was not picked: 0", 0.0)
        return Worked(f"handed on: {number(grad[index[:-1]])}", float(grad[index[:-1]]))

    def reads(self, index: Index, grad: Array, tokens: Array, width: int) -> Reads:
        return [[index[:-1]], [index[:-1]]]


@kept
def _exponentials(logits: Array) -> tuple[Array, Array, Array]:  # (...,V) -> (...,V), (...), (...)
    """Those of the logits less the largest of their row, their sum, and that largest."""
    top = largest(logits)
    powers: Array = logits - top
    np.exp(powers, out=powers)
    return powers, np.einsum("...n->...", powers), top[..., 0]


class CrossEntropy(Op):
    """−ln of the probability that softmax gives the label, straight from the logits, one number per position.

    With ``smoothing`` ε the label counts 1 − ε and all V entries share ε. A position whose label is ``ignore`` costs 0.
    """

    name = "cross_entropy"
    about = (
        "How surprised the model is by the right answer, −ln of the probability it gave; "
        "label smoothing mixes in a little of every answer's."
    )

    def compute(
        self, logits: Array, labels: Array, smoothing: float = 0.0, ignore: int | None = None
    ) -> Array:  # (...,V), (...) -> (...)
        _, sums, top = _exponentials(logits)
        log_sum = np.log(sums) + top
        of_label = np.take_along_axis(logits, np.maximum(labels, 0)[..., None], axis=-1)[..., 0]
        loss = log_sum - (1 - smoothing) * of_label
        if smoothing:
            loss = loss - smoothing * mean(logits)[..., 0]
        return np.asarray(loss if ignore is None else np.where(labels == ignore, 0, loss).astype(logits.dtype))

    def formula(self, logits: str, labels: str, smoothing: float = 0.0, ignore: int | None = None) -> str:
        shared, chosen = rf"\ln \sum_j e^{{{indexed(logits, 'j')}}}", indexed(logits, labels)
        loss = f"{shared} - {chosen}"
        if smoothing:
            loss = rf"{shared} - {1 - smoothing:g} \, {chosen} - {smoothing:g} \, \overline{{{logits}}}"
        return loss if ignore is None else unless(labels, ignore, rf"\bigl({loss}\bigr)")

    def worked(
        self, index: Index, logits: Array, labels: Array, smoothing: float = 0.0, ignore: int | None = None
    ) -> Worked:
        row, label = [float(cell) for cell in logits[index]], int(labels[index])
        if label == ignore:
            return Worked("this position is padding and costs nothing: 0", 0.0)
        top = max(row)
        log_sum = scalar_log(added(exp(cell - top) for cell in row)) + top
        powers = total([f"exp({number(row[j])})" for j in shown(len(row))], len(row))
        taken, text, words = self._taken(row, row[label], smoothing)
        ends = equals(log_sum - taken, abs(log_sum) + abs(taken), (log_sum, row[label], taken))
        return Worked(f"ln({powers}) − {text} ≈ {number(log_sum)} − {text} {ends}{words}", log_sum - taken)

    def _taken(self, row: list[float], chosen: float, smoothing: float) -> tuple[float, str, str]:
        """What is taken from the logarithm: as a number, in arithmetic and, where the label is smoothed, in words."""
        if not smoothing:
            return chosen, operand(chosen), ""
        (text, mean), rest = mean_of(row), 1 - smoothing
        shares = (
            f"label smoothing weighs the label's logit by {number(rest)} and the mean of all by {number(smoothing)}"
        )
        taken = f"{times(rest, chosen)} − {times(smoothing, mean)}"
        return rest * chosen + smoothing * mean, taken, f", where {shares}, and that mean = {text}"

    def reads(
        self, index: Index, logits: Array, labels: Array, smoothing: float = 0.0, ignore: int | None = None
    ) -> Reads:
        return [[(*index, j) for j in range(logits.shape[-1])], [index]]

    def gradients(
        self,
        grad: Source,
        out: Source,
        logits: Source,
        labels: Source,
        smoothing: float = 0.0,
        ignore: int | None = None,
    ) -> list[Gradient | None]:
        settings = {"smoothing": smoothing, "ignore": ignore}
        return [Gradient(cross_entropy_gradient, (grad, logits, labels), settings), None]


class CrossEntropyGradient(Op):
    """dL · (softmax(logits) − target): what was said less what should have been said."""

    name = "cross_entropy_gradient"
    about = (
        "The probabilities the model gave, less the right answer (1 for the label, 0 for the rest); "
        "label smoothing takes a little from that 1 and shares it out among all."
    )
    subscript = "j"

    def compute(
        self, grad: Array, logits: Array, labels: Array, smoothing: float = 0.0, ignore: int | None = None
    ) -> Array:  # (...), (...,V), (...) -> (...,V)
        powers, sums, _ = _exponentials(logits)
        slope: Array = (grad if ignore is None else np.where(labels == ignore, 0, grad).astype(grad.dtype))[..., None]
        difference: Array = powers * (slope / sums[..., None])
        if smoothing:
            difference -= slope * (smoothing / logits.shape[-1])
        at_label = np.maximum(labels, 0)[..., None]
        chosen = np.take_along_axis(difference, at_label, axis=-1) - slope * (1 - smoothing)
        np.put_along_axis(difference, at_label, chosen, axis=-1)
        return difference

    def formula(self, grad: str, logits: str, labels: str, smoothing: float = 0.0, ignore: int | None = None) -> str:
        target = f"[j = {labels}]"
        if smoothing:
            target = rf"{1 - smoothing:g} \, {target} - \tfrac{{{smoothing:g}}}{{n}}"
        return unless(labels, ignore, rf"{grad} \, \bigl(\mathrm{{softmax}}({logits})_j - {target}\bigr)")

    def worked(
        self,
        index: Index,
        grad: Array,
        logits: Array,
        labels: Array,
        smoothing: float = 0.0,
        ignore: int | None = None,
    ) -> Worked:
        *position, j = index
        where = tuple(position)
        label, slope = int(labels[where]), float(grad[where])
        if label == ignore:
            return Worked("this position is padding and costs nothing: 0", 0.0)
        p, width = float(softmax.compute(logits[where])[j]), logits.shape[-1]
        target = (1 - smoothing) * (j == label) + smoothing / width
        result, size = slope * (p - target), abs(slope) * (p + target)
        text = f"{operand(slope)} × ({minus(p, target)}) {equals(result, size, (slope, p, target))}"
        words = f"the target {equals(target)}"
        if smoothing:
            smoothed = f"{times(1 - smoothing, j == label)} + {over(smoothing, width)}"
            words = f"label smoothing makes the target = {smoothed} {equals(target, inputs=(smoothing,))}"
        return Worked(f"{text}, where softmax {equals(p)} and {words}", result)

    def reads(
        self,
        index: Index,
        grad: Array,
        logits: Array,
        labels: Array,
        smoothing: float = 0.0,
        ignore: int | None = None,
    ) -> Reads:
        where = index[:-1]
        return [[where], [(*where, j) for j in range(logits.shape[-1])], [where]]


lookup = Lookup()
gather = Gather()
mean_pool = MeanPool()
mean_pool_gradient = MeanPoolGradient()
argmax = ArgMax()
pick = Pick()
pick_gradient = PickGradient()
cross_entropy = CrossEntropy()
cross_entropy_gradient = CrossEntropyGradient()
