"""The row of a chosen token in a step: whom it looks at, how its patch looks, how its vector stands among the others.

Who pins a cell follows its token from step to step; these sentences are the token's story.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from txviz import ops
from txviz.figures.naming import listed, ordinal
from txviz.figures.numerals import percent
from txviz.figures.patches import drawing_of, place_name
from txviz.figures.remarks.shown import Shown, cleared
from txviz.figures.remarks.weights import are_shares, are_weights, is_self, seen
from txviz.ops import Array
from txviz.ops.arithmetic import number
from txviz.trace import Step

MOST_LISTED = 8
"""A row of so many numbers is written out."""

BEST = 3
"""Keys that are named before the last one."""


def row(shown: Shown, place: int) -> list[str]:
    """What to say about this row; nothing where rows are no tokens, or where there is nothing to compare it with."""
    axes = shown.step.axes[-2:]
    if shown.value.ndim != 2 or len(shown.value) < 2:
        return []
    if axes == ("query", "key"):
        return _looks(shown, place)
    if axes == ("token", "pixel"):
        return _light(shown, place)
    if axes == ("query", "feature") and shown.step.operation is ops.matmul:
        return _mixed(shown, place)
    return _vector(shown, place) if axes[0] == "token" and axes[1] in ("feature", "hidden") else []


def _looks(shown: Shown, query: int) -> list[str]:
    """The keys in the order of their scores or weights."""
    line, weights, shares = shown.value[query], are_weights(shown), are_shares(shown)
    visible = line != 0 if weights else np.isfinite(line)
    order = [int(key) for key in np.argsort(-line, kind="stable") if visible[key]]
    if len(order) < 2 or line[order[0]] == line[order[-1]]:
        return []

    def worth(key: int) -> str:
        return percent(float(line[key])) if shares else number(float(line[key]), 3)

    def told(*keys: int) -> list[str]:
        return [f"{seen(shown, query, key)} ({worth(key)})" for key in keys]

    verb, join = ("looks most", "at") if weights else ("fits best", "with")
    begins = f"{shown.head}{shown.row(query)} {verb} {join}"
    if len(order) > 2 and np.isclose(line[order[1]], line[order[-1]], atol=0):
        return [f"{begins} {told(order[0])[0]}, and {join} all others alike ({worth(order[1])})."]
    own = [i for i, key in enumerate(order) if BEST <= i < len(order) - 1 and is_self(shown, query, key)]
    rank = "".join(f"; {told(order[i])[0]} comes {ordinal(i + 1)} of {len(order)}" for i in own)
    first, last = told(*order[: min(BEST, len(order) - 1)]), told(order[-1])[0]
    return [f"{begins} {_then(first)}, and least {join} {last}{rank}."]


def _then(said: Sequence[str]) -> str:
    """``patch H (0.2), then patch D (0.1) and patch G (0.1)``."""
    return said[0] + (f", then {listed(said[1:])}" if said[1:] else "")


def _light(shown: Shown, place: int) -> list[str]:
    """Where a patch is bright and where it is dark; of one in colours nothing."""
    cut = shown.step if shown.step.operation is ops.patchify else shown.source()
    high, wide = cut.params["patch"]
    pixels = shown.value[place]
    if pixels.size != high * wide:
        return []
    called = f"{shown.row(place)}{_where(cut, shown.step.labels[0][place])}"
    low, top = float(pixels.min()), float(pixels.max())
    if low == top:
        return [f"{called} is {number(low)}{' everywhere' if pixels.size > 1 else ''}."]
    return [f"{called} goes from {number(low)} to {number(top)}{_sides(pixels.reshape(high, wide))}."]


def _where(cut: Step, label: str) -> str:
    """``, middle centre, pixels (2, 2) to (3, 3),``: its first and its last one, by row and column."""
    drawing = drawing_of(cut)
    (high, wide), (row, column) = drawing.patch, drawing.corner(label)
    first, last = f"({row}, {column})", f"({row + high - 1}, {column + wide - 1})"
    reach = f"pixel {first}" if first == last else f"pixels {first} to {last}"
    named = place_name((row // high, column // wide), drawing.grid)
    return ", ".join(["", *filter(None, [named, reach]), ""]).rstrip()


def _sides(patch: Array) -> str:  # (height,width)
    """Its brighter side, of above and below or of left and right: where the two differ more."""
    pairs = [(("at the top", "at the bottom"), patch), (("on the left", "on the right"), patch.T)]
    found = [(words, *_halves(side)) for words, side in pairs if len(side) > 1]
    words, one, other = max(found, key=lambda pair: abs(pair[1] - pair[2]))
    if abs(one - other) <= 1e-9:
        return f"; its sides are equally bright (mean {number(one, 3)})"
    (brighter, mean), (darker, least) = sorted(zip(words, (one, other), strict=True), key=lambda side: -side[1])
    return f"; it is brighter {brighter} (mean {number(mean, 3)}) than {darker} ({number(least, 3)})"


def _halves(patch: Array) -> tuple[float, float]:
    half = len(patch) // 2
    return float(patch[:half].mean()), float(patch[-half:].mean())


def _mixed(shown: Shown, query: int) -> list[str]:
    """A token's own value, and what became of it when those of others were mixed in; in cross-attention it has none."""
    weights, values = shown.step.sources
    offset = weights.value.shape[-1] - weights.value.shape[-2]
    if shown.step.site.block == "cross_attention" or not isinstance(values, Step):
        return []
    own, mixed = values.value[shown.place][query + offset], shown.value[query]
    lengths = f"; its length goes from {number(_length(own), 3)} to {number(_length(mixed), 3)}"
    return [
        f"{shown.head}{shown.row(query)} had {_told(own)} as its own value, and has {_told(mixed)} now"
        f"{lengths if own.size <= MOST_LISTED else ''}."
    ]


def _told(vector: Array) -> str:
    """All numbers of a short vector, the length of a long one."""
    if vector.size > MOST_LISTED:
        return f"a vector of length {number(_length(vector), 3)}"
    return f"({', '.join(number(float(x), 3) for x in vector)})"


def _vector(shown: Shown, place: int) -> list[str]:
    """Its largest and its smallest feature, and how long it is beside the others."""
    vector, called = shown.value[place], shown.row(place)
    if vector.max() == vector.min():
        return [f"All numbers of {called} are {number(float(vector[0]))}."]
    scale, ends = float(np.abs(vector).max()), (int(vector.argmax()), int(vector.argmin()))
    high, low = (f"{shown.column(i)} ({number(cleared(float(vector[i]), scale), 3)})" for i in ends)
    return [f"{called} is highest in {high} and lowest in {low}; {_rank(shown.value, place)}."]


def _rank(rows: Array, place: int) -> str:
    """``its length, 0.5, is the 2nd largest of 9``."""
    lengths = np.sqrt((rows * rows).sum(axis=-1))
    own = float(lengths[place])
    longer, shorter = (int((sign * (lengths - own) > 1e-9 * own).sum()) for sign in (1, -1))
    if not longer and not shorter:
        return f"its length, {number(own, 3)}, is that of all {len(lengths)}"
    which = "largest" if not longer else "smallest" if not shorter else f"{ordinal(longer + 1)} largest"
    alike = len(lengths) - longer - shorter
    shared = f", shared by {alike}" if alike > 1 else ""
    return f"its length, {number(own, 3)}, is the {which} of {len(lengths)}{shared}"


def _length(vector: Array) -> float:
    return float(np.sqrt((vector * vector).sum()))
