"""Two ways to cut a text into tokens, brought together: the shortest stretches of it that begin and end with both.

Special tokens, such as [CLS], stand for no stretch of the text. Attention from one stretch to another is that to all of
its tokens together, on average over the tokens that look.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from txviz.ops import Array

Labels = Sequence[str]

BLANKS = "·▁Ġ "
"""What tokens have in the place of a blank."""

UNKNOWN = ("[UNK]", "<unk>", "<UNK>", "[MASK]", "<mask>")
"""Special tokens in the place of a word: any word may stand there in the other text."""


class Stretch(NamedTuple):
    text: str
    a: tuple[int, ...]
    """The places of its tokens in the one."""

    b: tuple[int, ...]


def stretches(a: Labels, b: Labels) -> list[Stretch]:
    """In the order of the text; none where the two have nothing in common.

    >>> [tuple(each) for each in stretches(["[CLS]", "un", "##real", "cat"], ["unre", "al", "·cat"])]
    [('unreal', (1, 2), (0, 1)), ('cat', (3,), (2,))]
    """
    spelled = [[_letters(label) for label in labels] for labels in (a, b)]
    ends = [np.cumsum([0, *map(len, each)]).tolist() for each in spelled]
    texts = ["".join(each) for each in spelled]
    blocks = SequenceMatcher(None, texts[0], texts[1], autojunk=False).get_matching_blocks()
    known = [set(each) for each in ends]
    joints = [
        (i + n, j + n) for i, j, size in blocks for n in range(size + 1) if i + n in known[0] and j + n in known[1]
    ]
    joints = sorted({(0, 0), *joints, (len(texts[0]), len(texts[1]))})
    found = []
    for (i, j), (i_end, j_end) in pairwise(joints):
        mine, theirs = _inside(ends[0], spelled[0], i, i_end), _inside(ends[1], spelled[1], j, j_end)
        if mine and theirs:
            found.append(Stretch("".join(spelled[1][k] for k in theirs), mine, theirs))
    return found if any(block.size for block in blocks) else []


def _letters(label: str) -> str:
    """Of the text itself, in small letters; a word that is not known is one unlike all others."""
    if label in UNKNOWN:
        return "\N{REPLACEMENT CHARACTER}"
    if len(label) > 2 and label[0] + label[-1] in ("[]", "<>"):
        return ""
    return label.removeprefix("##").strip(BLANKS).lower()


def _inside(ends: list[int], spelled: list[str], start: int, end: int) -> tuple[int, ...]:
    """Tokens of this part of the text, that stand for a letter at least."""
    return tuple(k for k, word in enumerate(spelled) if word and start <= ends[k] and ends[k + 1] <= end)


def merged(
    weights: Array, queries: Sequence[Sequence[int]], keys: Sequence[Sequence[int]]
) -> Array:  # (…,Tq,Tk) -> (…,n,m)
    """Attention between stretches: the mean over their queries of the sum over their keys."""
    columns = np.stack([weights[..., list(places)].sum(axis=-1) for places in keys], axis=-1)
    return np.stack([columns[..., list(places), :].mean(axis=-2) for places in queries], axis=-2)


def shared(a: Array, b: Array) -> float:  # (n,m), (n,m)
    """How much of the attention goes to the same words: the smaller of both weights, summed, each row being made 1."""
    both = [np.asarray(each / np.maximum(each.sum(axis=-1, keepdims=True), 1e-12)) for each in (a, b)]
    return float(np.minimum(*both).sum(axis=-1).mean())
