"""What the words for attention say about its numbers. An edit can make it untrue; then other words stand there."""

from __future__ import annotations

import numpy as np

from txviz.ops import Array
from txviz.trace import Step
from txviz.trace.leaves import Claim


def _rows_sum_to_1(step: Step) -> bool:
    return step.value.ndim == 0 or np.allclose(step.value.sum(axis=-1), 1, atol=0.01)


def _sees_nothing_later(step: Step) -> bool:
    return not _later(step.value).any()


def _mixes_nothing_later(step: Step) -> bool:
    return not step.sources or not _later(step.sources[0].value).any()


def _hides_all_later(step: Step) -> bool:
    return bool(np.isneginf(_later(step.value)).all())


def _hides_what_masks_hide(step: Step) -> bool:
    hidden = [np.isneginf(mask.value) for mask in step.sources[1:]]
    return all(np.isneginf(step.value[np.broadcast_to(each, step.value.shape)]).all() for each in hidden)


def _later(scores: Array) -> Array:  # (H,Tq,Tk) -> (those above the diagonal)
    """The cells of keys that come after their query; the last query stands at the last key."""
    if scores.ndim < 2:
        return scores[:0]
    queries, keys = scores.shape[-2:]
    return np.asarray(scores[..., np.triu(np.ones((queries, keys), dtype=bool), 1 + keys - queries)])


SUM = Claim("; each row sums to 1", _rows_sum_to_1, "; its rows do not all sum to 1")
LOOKS_BACK = Claim(
    "itself and to each one before it (column)", _sees_nothing_later, "each token (column), also to later ones"
)
MIXES_BACK = Claim("its own value and of those before it", _mixes_nothing_later, "the values, also of later tokens")
HIDES_LATER = Claim(
    "what comes later is −∞, and softmax makes it 0", _hides_all_later, "not all that comes later is −∞"
)
HIDES = Claim(
    "what may not be seen is −∞, and softmax makes it 0",
    _hides_what_masks_hide,
    "not all that should be hidden is −∞",
)
HIDES_PADDING = Claim(
    "padding of the source is −∞, and softmax makes it 0", _hides_what_masks_hide, "not all of the padding is −∞"
)
HEADING = Claim(
    "Masked scores: what may not be seen is −∞",
    _hides_what_masks_hide,
    "Masked scores: not all that should be hidden is −∞",
)
