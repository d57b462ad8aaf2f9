"""Which token, in which block, brought how much of a score. All parts and the biases together are the score.

The vector that the head reads is a sum: the embedding, and what each block added to it. A norm on the way divides the
whole sum by one number, so with that number as it was, each part goes through by itself. What attention adds is a sum,
too, over the tokens that were looked at; what a feed-forward network adds is the token's own. A step that was changed
by hand is a part of its own: what made it before no longer counts.

Letters: T tokens of the stream, Tk tokens that are looked at, d features, H heads of D features.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from txviz import ops
from txviz.analysis.lens import chooser
from txviz.ops import Array
from txviz.ops.rms import stretch
from txviz.trace import Step
from txviz.trace.ancestors import ancestors


class Part(NamedTuple):
    """What a block, or the embedding, added to the stream."""

    step: Step
    tokens: tuple[str, ...]
    """Whom it came from."""

    shares: Array  # (n,)
    """How much of the score came from each."""

    looked: bool
    """Whether it came by attention, from the tokens that were looked at."""


class Score(NamedTuple):
    """A score, taken apart."""

    logits: Step
    answer: str
    value: float
    parts: tuple[Part, ...]
    """From the embedding on."""

    biases: float
    """What is added whatever the input is."""

    read: Array  # (d,)
    """The vector that the head reads."""

    counts: Array  # (d,)
    """How much each of its features counts for this answer."""

    bias: float
    """The head's own. With what the features bring, ``read * counts``, it is the score as well."""


def score(probabilities: Step, answer: int) -> Score | None:
    """The score behind one of the probabilities; nothing where no head made them from the tokens' vectors."""
    chooses = chooser(probabilities)
    logits = next((step for step in ancestors(probabilities)[::-1] if step.site.leaf == "logits"), None)
    product = None if logits is None else _product(logits)
    if chooses is None or logits is None or product is None or logits.edited or product.edited:
        return None
    stream = product.sources[0] if product.sources[0] is not chooses else chooses.sources[0]
    if not isinstance(stream, Step) or stream.value.ndim != 2:
        return None
    rows = _rows(chooses, len(stream.value))
    towards, bias = _column(product, answer)
    bias += sum(
        float(source.value[answer]) for source in logits.sources if source.value.ndim == 1 and logits is not product
    )
    read = chooses.value if chooses.edited else rows @ stream.value
    put_in = [Part(chooses, (_chosen_row(chooses, stream),), np.array([read @ towards]), looked=False)]
    taken = put_in if chooses.edited else [*_apart(stream, np.outer(rows, towards))]
    parts = tuple(part for part in reversed(taken) if isinstance(part, Part))
    biases = bias + sum(part for part in taken if isinstance(part, float))
    return Score(logits, logits.labels[-1][answer], float(read @ towards) + bias, parts, biases, read, towards, bias)


def _product(logits: Step) -> Step | None:
    """The product with the head's weights, to which a tied head adds its bias in a step of its own."""
    first = logits.sources[0]
    found = first if logits.operation is ops.add and isinstance(first, Step) else logits
    return found if found.operation in (ops.linear, ops.matmul) else None


def _rows(chooses: Step, tokens: int) -> Array:  # -> (T,)
    """How much of each token's row is in the one that is made of them; every way to choose is linear."""
    rest = [source.value for source in chooses.sources[1:]]
    return np.asarray(chooses.operation.compute(np.eye(tokens), *rest, **chooses.params))


def _chosen_row(chooses: Step, stream: Step) -> str:
    """The token whose row is read, or ``mean``."""
    at = chooses.params.get("at")
    return str(chooses.site.leaf) if at is None else stream.labels[-2][at]


def _column(logits: Step, answer: int) -> tuple[Array, float]:  # -> (d,)
    """What each feature counts for the answer, and what is added whatever it is."""
    weight = logits.sources[1].value
    bias = float(logits.sources[2].value[answer]) if len(logits.sources) > 2 else 0.0
    return (weight[answer] if logits.params.get("transpose") else weight[:, answer]), bias


def _apart(step: Step, counts: Array) -> Iterator[Part | float]:  # (T,d)
    """The parts of a step of the stream, whose cells count so much, the last one first; a number is a bias."""
    first = step.sources[0] if step.sources and not step.edited else None
    if step.operation in (ops.layer_norm, ops.rms_norm) and isinstance(first, Step):
        counts, bias = _through_norm(step, counts)
        yield bias
        yield from _apart(first, counts)
    elif step.operation is ops.scale and step.site.part == "head" and isinstance(first, Step):
        yield from _apart(first, counts * float(step.params["base"]) ** step.params["exponent"])
    elif (
        step.operation is ops.add
        and first is not None
        and all(source.value.shape == step.value.shape for source in step.sources)
    ):
        for source in reversed(step.sources):
            if isinstance(source, Step):
                yield from _apart(source, counts)
    elif (looked := _attention(step)) is not None:
        yield from _looked(step, *looked, counts)
    else:
        yield Part(step, step.labels[-2], (counts * step.value).sum(axis=1), looked=False)


def _through_norm(step: Step, counts: Array) -> tuple[Array, float]:  # (T,d) -> (T,d)
    """Each row by itself, so those that count nothing are left out."""
    rows = np.flatnonzero(counts.any(axis=1))
    through = np.zeros_like(counts)
    through[rows], bias = _rows_through_norm(step, counts[rows], rows)
    return through, bias


def _rows_through_norm(step: Step, counts: Array, rows: Array) -> tuple[Array, float]:  # (t,d), (t,) -> (t,d)
    x, *learned = (source.value for source in step.sources)
    x = x[rows]
    if step.operation is ops.rms_norm:
        stretched = counts * stretch(learned[0], step.params.get("offset", 0))
        return stretched / ops.rms_norm.root(x, step.params["epsilon"]), 0.0
    gain, bias = (*learned, None, None)[:2]
    spread = ops.layer_norm.parts(x, **step.params)["spread"]
    scaled = counts / spread if gain is None else counts * gain / spread
    return scaled - scaled.mean(axis=1, keepdims=True), 0.0 if bias is None else float((counts @ bias).sum())


def _attention(step: Step) -> tuple[Step, Step] | None:
    """The weights and the values, where this is what attention adds."""
    merged = step.sources[0] if step.operation is ops.linear else step
    if step.edited or (isinstance(merged, Step) and merged.edited):
        return None
    context = merged.sources[0] if isinstance(merged, Step) and merged.operation is ops.merge_heads else None
    if not isinstance(context, Step) or context.operation is not ops.matmul or context.edited:
        return None
    weights, values = context.sources
    return (weights, values) if isinstance(weights, Step) and isinstance(values, Step) else None


def _looked(step: Step, weights: Step, values: Step, counts: Array) -> Iterator[Part | float]:  # (H,T,Tk), (H,Tk,D)
    rows = np.flatnonzero(counts.any(axis=1))  # one, where one row is read
    counts = counts[rows]
    if step.operation is ops.linear:
        _, output, *bias = (source.value for source in step.sources)
        yield float((counts @ bias[0]).sum()) if bias else 0.0
        counts = counts @ output.T
    by_head = ops.split_heads.compute(counts, heads=len(weights.value))  # (H,t,D)
    given = np.swapaxes(weights.value[:, rows], -1, -2) @ by_head  # (H,Tk,D)
    yield Part(step, weights.labels[-1], (given * values.value).sum(axis=(0, 2)), looked=True)
