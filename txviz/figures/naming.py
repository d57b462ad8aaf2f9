"""How things are called in a sentence: tokens in quotes, cells by their labels, lists with an "and"."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from txviz import ops
from txviz.ops import Array, Index
from txviz.trace import Step

PLACES = ("token", "query", "key")
"""Axes whose places are the tokens of the input."""

ANSWERS = ("vocabulary", "class")
"""Axes whose places are what a model can say."""

WORDS = {"ffn": "feed-forward", "embed": "embedding", "cls": "[CLS]"}
"""What a block or a part is called where its title is too short for a newcomer."""

SENTENCES = ("hypothesis", "candidate")
"""Axes whose places are whole sentences."""


def listed(things: Sequence[str]) -> str:
    """
    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    *most, last = things
    return f"{', '.join(most)} and {last}" if most else last


def counted(number: int, thing: str) -> str:
    """
    >>> counted(1, "token"), counted(5, "token"), counted(9, "patch"), counted(4, "pass")
    ('1 token', '5 tokens', '9 patches', '4 passes')
    >>> counted(1456, "step")
    '1,456 steps'
    """
    several = f"{thing}es" if thing.endswith(("ch", "ss")) else f"{thing}s"
    return f"{number:,} {thing if number == 1 else several}"


def ordinal(number: int) -> str:
    """
    >>> ordinal(1), ordinal(12), ordinal(22)
    ('1st', '12th', '22nd')
    """
    ending = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def quoted(label: str) -> str:
    """A word in quotes; a special token, such as [CLS] or <EOS>, is marked enough.

    >>> quoted("cat"), quoted("[CLS]")
    ('“cat”', '[CLS]')
    """
    special = len(label) > 2 and label[0] + label[-1] in ("[]", "<>")
    return label if special else f"“{label}”"


def name(step: Step, axis: int, place: int) -> str:
    """What stands at one place of an axis: “cat”, patch A, feature 3; of two “the”, which one."""
    kind, labels = step.axes[axis], step.labels[axis]
    label = labels[place]
    if kind in ANSWERS or (kind in SENTENCES and not label.isdigit()):
        return quoted(label)
    if kind not in PLACES or (label.isdigit() and labels == tuple(map(str, range(len(labels))))):
        return f"{AXES.get(kind, kind)} {label}"
    if quoted(label) != label and sees_patches(step):
        return f"patch {label}"
    twin = labels.count(label) > 1
    return f"{quoted(label)} ({ordinal(labels[: place + 1].count(label))})" if twin else quoted(label)


AXES = {"in": "row", "hidden": "hidden feature", "one": "number"}


def cell(step: Step, index: Sequence[int]) -> str:
    """One cell by its place on each axis, for example “cat”, feature 3; an axis of one place goes without saying."""
    said = [name(step, axis, int(place)) for axis, place in enumerate(index) if step.value.shape[axis] > 1]
    return ", ".join(said)


def cell_name(step: Step, index: Index) -> str:
    """``scores[cat, sat]``: a cell by its labels."""
    labels = [axis[i] for axis, i in zip(step.labels, index, strict=True)]
    opening = matrix_name(step, index[:-2])
    return f"{opening}{', '.join(labels[-2:])}]" if labels else opening


def matrix_name(step: Step, place: Index) -> str:
    """``weights[head 2, ``: how the names of all cells of one matrix begin."""
    heads = [f"{axis} {labels[i]}, " for axis, labels, i in zip(step.axes, step.labels, place, strict=False)]
    return str(step.site.path[-1]) + ("[" if step.value.ndim else "") + "".join(heads)


def sees_patches(step: Step) -> bool:
    """Whether the step's tokens are pieces of an image: follows them back to where they come from."""
    following: Step | None = step
    while following is not None:
        if following.operation is ops.patchify:
            return True
        read = (source for source in (following.like, *following.sources) if isinstance(source, Step))
        following = next(read, None)
    return False


MASKS = ("[MASK]", "<mask>")
"""Words that are left out, and whose answer is asked for where each token has its own."""


def asked(tokens: Sequence[str]) -> int:
    """Whose answer is looked at first, where each token has one: the first that is masked, or the last.

    >>> asked(["the", "[MASK]", "sat"]), asked(["the", "cat"])
    (1, 1)
    """
    return next((i for i, token in enumerate(tokens) if token in MASKS), len(tokens) - 1)


def best(values: Array) -> list[int]:  # (n,) -> places
    """The places of the largest number: one, or several that are equal but for rounding."""
    top = float(values.max())
    found = np.flatnonzero(values >= (top - 1e-9 * abs(top) if np.isfinite(top) else top))
    return [int(i) for i in found]
