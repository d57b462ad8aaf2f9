"""Where a word stands among all that a softmax weighs: its probability, its rank, and the score that it came from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from txviz import ops
from txviz.errors import TxvizError
from txviz.ops import Array, Index
from txviz.trace.piece_signs import BLANK, GOES_ON

if TYPE_CHECKING:
    from txviz.trace.step import Step

_BEFORE = (BLANK, GOES_ON)
"""What the pieces of a word may begin with, and people do not type."""

_MOST_NAMED = 5


class Standing(NamedTuple):
    cell: Index
    """Of the step: its row, and the word's column."""

    label: str
    probability: float
    rank: int
    """1 is the likeliest; of those that are alike, all have the first one's."""

    score: float

    @property
    def entry(self) -> int:
        """The word's number."""
        return self.cell[-1]


class WordList:
    """The labels of an axis, to look for words in: as quick as people type, also among 250,000."""

    def __init__(self, labels: Sequence[str]) -> None:
        self.labels = labels
        self._whole = [label.casefold() for label in labels]
        self._bare = [_bare(label) for label in self._whole]

    def find(self, text: str, weights: Array) -> list[int]:  # weights: (V,)
        """Those that are the text, those that begin with it, and those that have it; of each the likeliest first."""
        wanted = text.casefold().replace(" ", BLANK)
        among = self._whole if wanted.startswith(_BEFORE) else self._bare
        found = [i for i, word in enumerate(among) if wanted in word] if wanted else []
        kinds = [3 - (self.labels[i] == text) - (among[i] == wanted) - among[i].startswith(wanted) for i in found]
        return [found[i] for i in np.lexsort((-weights[found], np.array(kinds))).tolist()]

    def named(self, text: str) -> list[int]:
        """Those that are the text, in large letters or small, with a blank before them or without."""
        wanted = text.casefold().replace(" ", BLANK)
        among = self._whole if wanted.startswith(_BEFORE) else self._bare
        return [i for i, word in enumerate(among) if word == wanted]


def _bare(word: str) -> str:
    """
    >>> _bare("·cat"), _bare("##s"), _bare("##"), _bare("·")
    ('cat', 's', '##', '·')
    """
    return next((word[len(each) :] for each in _BEFORE if word.startswith(each) and word != each), word)


def standing(step: Step, cell: Index) -> Standing:
    """Of one cell of a softmax."""
    row = step.value[cell[:-1]]
    probability, score = float(row[cell[-1]]), float(step.sources[0].value[cell])
    return Standing(cell, step.labels_along(-1)[cell[-1]], probability, int((row > row[cell[-1]]).sum()) + 1, score)


def standings(step: Step, word: str) -> list[Standing]:
    """Of a word in each row of a softmax; more than one where it is in the vocabulary more than once."""
    if step.operation is not ops.softmax:
        raise TxvizError(f"{step.name} is no softmax, so no word has a rank there")
    words = WordList(step.labels_along(-1))
    found = words.named(word)
    if not found:
        like = words.find(word, step.value.reshape(-1, step.value.shape[-1]).max(axis=0))[:_MOST_NAMED]
        near = f"; these have it: {', '.join(f'“{words.labels[i]}”' for i in like)}" if like else ""
        raise TxvizError(f"none of the {len(words.labels):,} entries of {step.name} is “{word}”{near}")
    return [standing(step, (*row, entry)) for row in np.ndindex(step.value.shape[:-1]) for entry in found]
