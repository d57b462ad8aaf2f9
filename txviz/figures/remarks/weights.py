"""Queries, keys, scores, masks and weights."""

from __future__ import annotations

from math import sqrt

import numpy as np

from txviz.figures.naming import ANSWERS, best
from txviz.figures.numerals import percent
from txviz.figures.patches import Drawing
from txviz.figures.remarks.answers import answers, shared_out, tempered
from txviz.figures.remarks.shown import Shown, cleared, largest, shown_at
from txviz.ops.arithmetic import number
from txviz.trace import Step

OFF = 0.01
"""So far from 1 is what still counts as shared out, since guides print few digits."""


def split(shown: Shown) -> list[str]:
    heads, _, width = shown.step.value.shape[-3:]
    if heads == 1:
        return [f"There is one head, so it gets all {width} features."]
    return [f"{heads * width} features are dealt out to {heads} heads, {width} to each."]


def rotated(shown: Shown) -> list[str]:
    pairs, length = len(shown.step.params["frequencies"]), shown.step.value.shape[-2]
    first = shown.step.params.get("start", 0)
    places = f"position {first}" if length == 1 else f"positions {first} to {first + length - 1}"
    return [f"{pairs} {'pair' if pairs == 1 else 'pairs'} of features are turned, at {places}; no length changes."]


def repeated(shown: Shown) -> list[str]:
    heads, times = shown.source().value.shape[-3], shown.step.params["times"]
    return [f"{'One head is' if heads == 1 else f'{heads} heads are'} shared by {heads * times} heads of queries."]


def merged(shown: Shown) -> list[str]:
    heads, _, width = shown.source().value.shape[-3:]
    if heads == 1:
        return ["There is only one head, so nothing moves."]
    return [f"{heads} heads with {width} features each make {heads * width} for every token."]


def product(shown: Shown) -> list[str]:
    axes = shown.step.axes
    if axes[-2:] == ("query", "key"):
        return best_fit(shown)
    if axes[-1] in ANSWERS:
        return answers(shown)
    weights = shown.step.sources[0]
    if isinstance(weights, Step) and weights.axes[-2:] == ("query", "key"):
        return mixture(shown, weights)
    return largest(shown)


def best_fit(shown: Shown) -> list[str]:
    open_cells = np.isfinite(shown.value)
    if not open_cells.any():
        return ["No cell is open."]
    if shown.value.size == 1:
        return [f"{shown.head}there is only one cell: {number(float(shown.value[0, 0]))}."]
    high = float(shown.value[open_cells].max())
    places = np.argwhere(open_cells & (shown.value >= high - 1e-9 * abs(high)))
    if len(places) > 1:
        return [f"{shown.head}the best fit, {number(high)}, is found in {len(places)} cells."]
    query, key = (int(i) for i in places[0])
    low = cleared(float(shown.value[open_cells].min()), high)
    best_of_all = f"{shown.row(query)} fits {seen(shown, query, key)} best: {number(high)}"
    return [f"{shown.head}{best_of_all}; the worst fit is {number(low)}."]


def seen(shown: Shown, query: int, key: int, own: str = "itself") -> str:
    """The key as its query sees it: another token, or the query itself."""
    return own if is_self(shown, query, key) else shown.column(key)


def is_self(shown: Shown, query: int, key: int) -> bool:
    """Whether the key is that of the query; with a cache there are keys of earlier ones, too."""
    queries, keys = shown.step.value.shape[-2:] if shown.step.axes[-1] == "key" else (0, 0)
    return shown.step.site.block != "cross_attention" and query + keys - queries == key


def scaled(shown: Shown) -> list[str]:
    base, exponent = shown.step.params["base"], shown.step.params["exponent"]
    axes = shown.step.axes
    if axes and axes[-1] in ANSWERS:
        return tempered(shown, base)
    if exponent == -0.5:
        what = "score" if axes[-1:] == ("key",) else "number"
        said = f"Every {what} is divided by √{number(base)}{worth(sqrt(base))}."
    elif exponent == 0.5:
        said = f"Every number is multiplied by √{number(base)}{worth(sqrt(base))}."
    else:
        said = f"Every number is multiplied by {number(base**exponent)}."
    return [said, *(best_fit(shown) if axes[-2:] == ("query", "key") else [])]


def log(shown: Shown) -> list[str]:
    return best_fit(shown) if shown.step.axes[-2:] == ("query", "key") else softmax(shown)


def worth(root: float) -> str:
    return f" {'=' if root == round(root) else '≈'} {number(root)}"


def masked(shown: Shown) -> list[str]:
    hidden, total = int(np.isneginf(shown.value).sum()), shown.value.size
    if not hidden:
        return [f"Nothing is hidden here: all {total} cells are open." if total > 1 else "The only cell is open."]
    said = [f"{hidden} of {total} cells {'is' if hidden == 1 else 'are'} hidden."]
    alone = np.flatnonzero(np.isfinite(shown.value).sum(axis=-1) == 1)
    if shown.step.axes[-2:] == ("query", "key") and len(alone):
        query = int(alone[0])
        key = int(np.argmax(np.isfinite(shown.value[query])))
        said.append(f"{shown.row(query)} sees only {seen(shown, query, key)}.")
    return said


def softmax(shown: Shown) -> list[str]:
    if shown.step.axes[-2:] == ("query", "key"):
        return attention(shown)
    return [*answers(shown), *shared_out(shown)] if shown.step.axes[-1] in ANSWERS else largest(shown)


def attention(shown: Shown) -> list[str]:
    weights = shown.value
    if weights.shape[-1] == 1:
        return [f"{shown.head}there is only one key to look at, so it gets all the attention."]
    query = query_to_describe(shown)
    if query is None:
        return [f"{shown.head}nobody has a choice: each query sees one key at most."]
    said = [f"{shown.head}{focus(shown, query)}"]
    if len(weights) > 1:
        share = weights.mean(axis=0)
        top = best(share)
        if len(top) == 1:
            most = percent(float(share[top[0]]))
            said.append(f"Over all {len(weights)} queries, {shown.column(top[0])} gets most: {most}.")
    return said


def query_to_describe(shown: Shown) -> int | None:
    """The query to speak of: while a sentence is being written the last one, else the one with the sharpest focus."""
    choosing = np.flatnonzero((shown.value > 0).sum(axis=-1) > 1)
    if not len(choosing):
        return None
    if shown.step.site.time is not None and choosing[-1] == len(shown.value) - 1:
        return len(shown.value) - 1
    return int(choosing[shown.value[choosing].max(axis=-1).argmax()])


def focus(shown: Shown, query: int) -> str:
    row = shown.value[query]
    top, visible = best(row), int((row > 0).sum())
    share = percent(float(row[top[0]]))
    if len(top) == visible:
        return f"{shown.row(query)} looks at all {visible} keys that it sees alike, with {share} each."
    if len(top) > 1:
        return f"{shown.row(query)} looks most at {len(top)} keys alike, with {share} each."
    key = seen(shown, query, top[0])
    return f"{shown.row(query)} gives {share} of its attention to {key}, more than to anything else."


def by_nearness(shown: Shown, drawing: Drawing) -> list[str]:
    """How much a patch gives on average to one that touches it, to one farther away, and to itself."""
    queries, keys = ([i for i, label in enumerate(axis) if label in drawing.places] for axis in shown.step.labels[-2:])
    rows, columns = (
        np.array([divmod(drawing.places[axis[i]], drawing.grid[1]) for i in found])
        for axis, found in zip(shown.step.labels[-2:], (queries, keys), strict=True)
    )
    apart = np.abs(rows[:, None] - columns[None]).max(axis=-1)  # (patches,patches)
    weights = shown.value[np.ix_(queries, keys)]
    kinds = [weights[where] for where in (apart == 0, apart == 1, apart > 1)]
    if not all(each.size for each in kinds):
        return []
    shares = [float(each.mean()) for each in kinds]
    fine = min(shares) >= 0.01  # of shares that are almost alike it is told how alike
    own, near, far = (f"{100 * share:.1f} %" if fine else percent(share) for share in shares)
    return [f"{shown.head}a patch gives {near} to one that touches it, {far} to one farther away, {own} to itself."]


def mixture(shown: Shown, weights: Step) -> list[str]:
    looking = shown_at(weights, shown.place)
    said = [f"Each row is a mix of {looking.value.shape[-1]} rows of values."] if looking.value.shape[-1] > 1 else []
    query = query_to_describe(looking)
    if query is None:
        return said
    top = best(looking.value[query])
    if len(top) == 1:
        share, key = percent(float(looking.value[query, top[0]])), seen(looking, query, top[0], own="its own value")
        said.append(f"{looking.head}{looking.row(query)} takes {share} from {key}.")
    return said + _moderated(shown)


def _moderated(shown: Shown) -> list[str]:
    """A mean lies between what it is taken of: how far the values reach, and how far their mixes do."""
    values = shown.source(1).value[shown.place]
    scale = float(np.abs(values).max())
    ends = (float(x) for each in (values, shown.value) for x in (each.min(), each.max()))
    low, high, least, most = (number(cleared(x, scale), 3) for x in ends)
    return [f"The values go from {low} to {high}, their mixes from {least} to {most}."]


def put_in(shown: Shown) -> list[str]:
    """Numbers that were not computed: attention weights where they look like them."""
    if shown.step.axes[-2:] == ("query", "key") and are_shares(shown):
        return attention(shown)
    return [*largest(shown), *(_sums(shown) if are_weights(shown) else [])]


def _sums(shown: Shown) -> list[str]:
    """Of the row whose weights are farthest from what softmax gives."""
    sums = shown.value.sum(axis=-1)
    row = int(np.abs(sums - 1).argmax())
    if abs(sums[row] - 1) <= OFF:
        return []
    return [f"{shown.head}the weights of {shown.row(row)} sum to {number(float(sums[row]), 3)}, not to 1."]


def are_weights(shown: Shown) -> bool:
    """Whether these are attention weights, also those that an edit has made to be no shares."""
    step = shown.step
    return step.axes[-2:] == ("query", "key") and (step.site.leaf == "weights" or are_shares(shown))


def are_shares(shown: Shown) -> bool:
    """Whether each row is shared out: none below 0, and 1 in all."""
    return bool((shown.value >= 0).all() and np.allclose(shown.value.sum(axis=-1), 1, atol=OFF))
