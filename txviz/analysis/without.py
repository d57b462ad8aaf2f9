"""What a score would be without one of the pieces that the model read: the run once more, with 0 in place of the piece.

Where a block passes on only what attention has mixed, no part of the score is a piece's own, and this still says which
pieces matter.
"""

from __future__ import annotations

import numpy as np

from txviz.analysis.again import again
from txviz.ops import Array
from txviz.trace import Step


def without(pieces: Step, scores: Step, at: int) -> Array:  # (n,p), (classes,) -> (n,)
    """The score ``at`` there, without each of the pieces in turn."""
    found = []
    for i in range(len(pieces.value)):
        changed = pieces.value.copy()
        changed[i] = 0
        found.append(again(scores, {pieces: changed}).value[at])
    return np.array(found)
