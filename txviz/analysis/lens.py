"""What the model would answer if it ended after each layer: its own last norm, pooling and head, read early.

Known as the logit lens. The reading after the last layer is the model's own answer.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from txviz import ops
from txviz.analysis.again import again
from txviz.analysis.streams import depths, stream_to
from txviz.ops import Array
from txviz.trace import Step
from txviz.trace.ancestors import ancestors
from txviz.trace.kept import kept


class Reading(NamedTuple):
    """One depth of the model: the tokens' vectors there, and the answers that the head would give."""

    stream: Step
    """(T,d): the embedding, or what a layer ends with."""

    answer: Step
    """(V,) probabilities, in the place of the model's own."""

    tokens: Array  # (T,V)
    """The same of each token's vector by itself."""


@kept
def readings(answer: Step) -> tuple[Reading, ...]:
    """Of the probabilities ``answer``, after the embedding and after each layer; none where no stream leads there."""
    through = depths(stream_to(answer))
    chooses = chooser(answer)
    if not through or chooses is None or not isinstance(chooses.sources[0], Step):
        return ()
    last, every = through[-1], chooses.sources[0]
    return tuple(
        Reading(
            depth,
            again(answer, {last: depth.value}),
            np.stack([again(answer, {chooses: row}).value for row in again(every, {last: depth.value}).value]),
        )
        for depth in through
    )


def chooser(answer: Step) -> Step | None:
    """The step that makes one row out of those of all tokens: their mean, [CLS] alone, or the last one."""
    found = (step for step in reversed(ancestors(answer)) if step.operation in (ops.select, ops.mean_pool))
    return next((step for step in found if step.sources[0].value.ndim == 2 and isinstance(step.sources[0], Step)), None)
