"""What is remarkable in the numbers of a step: one or two sentences, by the step's operation.

A remark must be true of every tensor that can come: ties, one token, one head, zeros, −∞. Where there is nothing to be
said, nothing is said.
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import NamedTuple

import numpy as np

from txviz.figure.wording import ANSWERS, PLACES, best, cell, counted, listed, name, percent, quoted
from txviz.ops import Array, Index
from txviz.ops.arithmetic import number
from txviz.trace import Parameter, Step, names


class Shown(NamedTuple):
    """A step, and the matrix of it that is looked at."""

    step: Step
    place: Index
    value: Array
    """The last two axes at that place; less where the step has less."""

    @property
    def head(self) -> str:
        """``In head 2, `` where there are several."""
        step = self.step
        several = "head" in step.axes[: len(self.place)] and step.value.shape[step.axes.index("head")] > 1
        return f"In head {self.place[step.axes.index('head')]}, " if several else ""

    def row(self, place: int) -> str:
        return name(self.step, -2 % self.step.value.ndim, place)

    def column(self, place: int) -> str:
        return name(self.step, -1 % self.step.value.ndim, place)

    def source(self, which: int = 0) -> Step:
        """A step that this one read."""
        found = self.step.sources[which]
        assert isinstance(found, Step)
        return found


Remark = Callable[[Shown], list[str]]


def remarks(step: Step, place: Index) -> list[str]:
    """What to say about the matrix of the step at this place of its leading axes."""
    if not step.value.size:
        return ["There is nothing in it."]
    if step.value.dtype.kind == "f" and np.isnan(step.value).any():
        return [f"{percent(float(np.isnan(step.value).mean()))} of its cells are not numbers."]
    place = fitting(step, place)
    shown = Shown(step, place, step.value[place])
    return [said[0].upper() + said[1:] for said in _remark(step)(shown)]


def fitting(step: Step, place: Index) -> Index:
    """The place on the axes before the last two: as asked where there is such a place, else the first."""
    sizes = step.value.shape[:-2]
    asked = (*place, *(0 for _ in sizes))[: len(sizes)]
    return tuple(p if 0 <= p < size else 0 for p, size in zip(asked, sizes, strict=True))


def _remark(step: Step) -> Remark:
    kind = names.join(*step.name.split(names.SEPARATOR)[:1])
    if kind == "backward":
        return _gradient
    if kind == "update":
        return _changed if isinstance(step.sources[0], Parameter) else _largest
    if step.op == "given":
        return GIVEN.get(names.leaf(step.name), _largest_of_attention)
    return BY_OPERATION.get(step.op, _largest)


# What the computation starts from


def _tokens(shown: Shown) -> list[str]:
    size = len(shown.value)
    called = [quoted(label) for label in shown.step.labels[0]] if shown.step.axes == ("token",) else []
    if called and size <= 12:
        return [f"{_there(size)} {counted(size, 'token')}: {listed(called)}."]
    return [f"{_there(size)} {counted(size, 'token')}."]


def _there(count: int) -> str:
    return "There is" if count == 1 else "There are"


def _image(shown: Shown) -> list[str]:
    size = "×".join(map(str, shown.step.value.shape[:2]))
    low, high = float(shown.step.value.min()), float(shown.step.value.max())
    range_ = f"all of them {number(low)}" if low == high else f"from {number(low)} to {number(high)}"
    return [f"It has {size} pixels, {range_}."]


def _labels(shown: Shown) -> list[str]:
    if not shown.value.ndim:
        return [f"Here it is answer {int(shown.value)}."]
    if shown.step.labels[0] == tuple(map(str, range(len(shown.value)))):
        return []
    return [f"They are {listed([quoted(label) for label in shown.step.labels[0]])}."] if len(shown.value) <= 12 else []


def _chance(shown: Shown) -> list[str]:
    return [f"This time it is {number(float(shown.value))}."]


def _so_far(shown: Shown) -> list[str]:
    so_far = float(shown.value.ravel()[0])
    if so_far == 0:
        return ["Nothing is written yet, so it is 0."]
    return [f"So far it is {number(so_far)}, a probability of {percent(float(np.exp(so_far)))}."]


def _wanted(shown: Shown) -> list[str]:
    return [f"It should be {number(float(shown.value))}."]


# Tokens, patches and positions


def _looked_up(shown: Shown) -> list[str]:
    rows, width = shown.value.shape[-2:]
    said = [f"{_there(rows)} {counted(rows, 'token')}, each with {counted(width, 'number')}."]
    labels = shown.step.labels[-2]
    again = [label for label in dict.fromkeys(labels) if labels.count(label) > 1]
    same = [label for label in again if _rows_equal(shown.value, [i for i, x in enumerate(labels) if x == label])]
    if same and shown.step.axes[-2] == "token":
        said.append(f"{quoted(same[0])} stands there {_times(labels.count(same[0]))}, with the same numbers each time.")
    return said


def _rows_equal(value: Array, rows: list[int]) -> bool:
    return bool((value[rows] == value[rows[0]]).all())


def _times(count: int) -> str:
    return {2: "twice"}.get(count, f"{count} times")


def _patches(shown: Shown) -> list[str]:
    down, across = shown.step.params["patch"]
    rows, width = shown.value.shape[-2:]
    return [f"{_there(rows)} {counted(rows, 'patch')} of {down}×{across} pixels, {width} numbers each."]


def _joined(shown: Shown) -> list[str]:
    if shown.step.axes[-2] == "key":
        before, new = (source.value.shape[-2] for source in shown.step.sources)
        kept = "row is" if before == 1 else "rows are"
        return [f"{before} {kept} kept from before, {new} {'is' if new == 1 else 'are'} new."]
    rows, width = shown.value.shape[-2:]
    if isinstance(shown.step.sources[0], Parameter) and shown.step.sources[0].value.shape[-2] == 1:
        return [f"{shown.row(0)} comes first, then {counted(rows - 1, 'patch')}: {rows} rows of {width} numbers."]
    return [f"There are {rows} rows of {width} numbers."]


def _selected(shown: Shown) -> list[str]:
    at, source = shown.step.params["at"], shown.step.sources[0]
    total = source.value.shape[-2]
    if not isinstance(at, int):
        kind = "patches" if shown.step.axes[-1:] == ("pixel",) else "rows"
        if at[0] == 0 and at[1] == total:
            return [f"All {total} {kind} are used."]
        return [f"These are {kind} {at[0]} to {at[1] - 1} of {total}, counted from 0."]
    if shown.step.axes[-1] in ANSWERS:
        return _ranked(shown.step, shown.value)
    if isinstance(source, Step) and total > 1:
        return [f"Only the row of {name(source, -2 % source.value.ndim, at % total)} goes on, one of {total}."]
    return []


def _waves(shown: Shown) -> list[str]:
    rows, width = shown.value.shape
    said = [f"{_there(rows)} {counted(rows, 'position')} with {width} numbers each, none of them learned."]
    if shown.step.params.get("start", 0) == 0 and width > 1:
        said.append("At the first position every sine is 0 and every cosine 1.")
    return said


# Attention


def _split(shown: Shown) -> list[str]:
    heads, _, width = shown.step.value.shape[-3:]
    if heads == 1:
        return [f"There is one head, so it gets all {width} features."]
    return [f"{heads * width} features are dealt out to {heads} heads, {width} to each."]


def _merged(shown: Shown) -> list[str]:
    heads, _, width = shown.source().value.shape[-3:]
    if heads == 1:
        return ["There is only one head, so nothing moves."]
    return [f"{heads} heads with {width} features each make {heads * width} for every token."]


def _product(shown: Shown) -> list[str]:
    axes = shown.step.axes
    if axes[-2:] == ("query", "key"):
        return _best_fit(shown)
    if axes[-1] in ANSWERS:
        return _answers(shown)
    weights = shown.step.sources[0]
    if isinstance(weights, Step) and weights.axes[-2:] == ("query", "key"):
        return _mixture(shown, weights)
    return _largest(shown)


def _best_fit(shown: Shown) -> list[str]:
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
    low = float(shown.value[open_cells].min())
    low = 0.0 if abs(low) <= 1e-9 * abs(high) else low
    best_of_all = f"{shown.row(query)} fits {_key(shown, query, key)} best: {number(high)}"
    return [f"{shown.head}{best_of_all}; the worst fit is {number(low)}."]


def _key(shown: Shown, query: int, key: int, own: str = "itself") -> str:
    """The key as its query sees it: another token, or the query itself."""
    queries, keys = shown.step.value.shape[-2:] if shown.step.axes[-1] == "key" else (0, 0)
    is_self = "cross_attention" not in shown.step.name and query + keys - queries == key
    return own if is_self else shown.column(key)


def _scaled(shown: Shown) -> list[str]:
    base, exponent = shown.step.params["base"], shown.step.params["exponent"]
    axes = shown.step.axes
    if axes[-1] in ANSWERS:
        return _tempered(shown, base)
    if exponent == -0.5:
        said = f"Every score is divided by √{number(base)}{_worth(sqrt(base))}."
    elif exponent == 0.5:
        said = f"Every number is multiplied by √{number(base)}{_worth(sqrt(base))}."
    else:
        said = f"Every number is multiplied by {number(base**exponent)}."
    return [said, *(_best_fit(shown) if axes[-2:] == ("query", "key") else [])]


def _worth(root: float) -> str:
    return f" {'=' if root == round(root) else '≈'} {number(root)}"


def _tempered(shown: Shown, temperature: float) -> list[str]:
    before = shown.source().value
    order = np.argsort(-before, kind="stable")
    if len(order) < 2:
        return []
    first, second = int(order[0]), int(order[1])
    lead, now = float(before[first] - before[second]), float(shown.value[first] - shown.value[second])
    if not np.isfinite(lead) or lead == 0:
        return [f"The temperature is {number(temperature)}."]
    grows = "grows" if now > lead else "shrinks"
    pair = f"{shown.column(first)} over {shown.column(second)}"
    return [f"At temperature {number(temperature)} the lead of {pair} {grows} from {number(lead)} to {number(now)}."]


def _masked(shown: Shown) -> list[str]:
    hidden, total = int(np.isneginf(shown.value).sum()), shown.value.size
    if not hidden:
        return [f"Nothing is hidden here: all {total} cells are open." if total > 1 else "The only cell is open."]
    said = [f"{hidden} of {total} cells {'is' if hidden == 1 else 'are'} hidden."]
    alone = [i for i, row in enumerate(shown.value) if np.isfinite(row).sum() == 1]
    if shown.step.axes[-2:] == ("query", "key") and alone:
        query = alone[0]
        key = int(np.argmax(np.isfinite(shown.value[query])))
        said.append(f"{shown.row(query)} sees only {_key(shown, query, key)}.")
    return said


def _softmax(shown: Shown) -> list[str]:
    if shown.step.axes[-2:] == ("query", "key"):
        return _attention(shown)
    return _answers(shown) if shown.step.axes[-1] in ANSWERS else _largest(shown)


def _attention(shown: Shown) -> list[str]:
    weights = shown.value
    if weights.shape[-1] == 1:
        return [f"{shown.head}there is only one key to look at, so it gets all the attention."]
    query = _telling(shown)
    if query is None:
        return [f"{shown.head}nobody has a choice: each query sees one key at most."]
    said = [f"{shown.head}{_focus(shown, query)}"]
    if len(weights) > 1:
        share = weights.mean(axis=0)
        top = best(share)
        if len(top) == 1:
            said.append(
                f"Over all {len(weights)} queries, {shown.column(top[0])} gets most: {percent(float(share[top[0]]))}."
            )
    return said


def _telling(shown: Shown) -> int | None:
    """The query to speak of: while a sentence is being written the last one, else the one with the sharpest focus."""
    choosing = [i for i, row in enumerate(shown.value) if (row > 0).sum() > 1]
    if not choosing:
        return None
    if shown.step.name.startswith("time.") and choosing[-1] == len(shown.value) - 1:
        return choosing[-1]
    return max(choosing, key=lambda i: float(shown.value[i].max()))


def _focus(shown: Shown, query: int) -> str:
    row = shown.value[query]
    top, seen = best(row), int((row > 0).sum())
    share = percent(float(row[top[0]]))
    if len(top) == seen:
        return f"{shown.row(query)} looks at all {seen} keys that it sees alike, with {share} each."
    if len(top) > 1:
        return f"{shown.row(query)} looks most at {len(top)} keys alike, with {share} each."
    key = _key(shown, query, top[0])
    return f"{shown.row(query)} gives {share} of its attention to {key}, more than to anything else."


def _mixture(shown: Shown, weights: Step) -> list[str]:
    looking = Shown(weights, fitting(weights, shown.place), weights.value[fitting(weights, shown.place)])
    said = [f"Each row is a mix of {looking.value.shape[-1]} rows of values."] if looking.value.shape[-1] > 1 else []
    query = _telling(looking)
    if query is None:
        return said
    top = best(looking.value[query])
    if len(top) == 1:
        share, key = percent(float(looking.value[query, top[0]])), _key(looking, query, top[0], own="its own value")
        said.append(f"{looking.head}{looking.row(query)} takes {share} from {key}.")
    return said


def _largest_of_attention(shown: Shown) -> list[str]:
    """A table that was put in: attention weights where it looks like them."""
    value = shown.value
    if (
        shown.step.axes[-2:] == ("query", "key")
        and (value >= 0).all()
        and np.allclose(value.sum(axis=-1), 1, atol=0.01)
    ):
        return _attention(shown)
    return _largest(shown)


# Layers


def _linear(shown: Shown) -> list[str]:
    if shown.step.axes[-1] in ANSWERS:
        return _answers(shown)
    into, out = shown.step.sources[1].value.shape
    whose = "Each patch" if shown.source().axes[-1] == "pixel" else "Each token"
    same = np.array_equal(shown.source().value, shown.step.value)
    become = "stay as they are" if same else f"become {out} new ones"
    return [f"{whose}'s {into} numbers {become}.", *([] if same else _largest(shown))]


def _largest(shown: Shown) -> list[str]:
    """The cell with the largest number, by size."""
    if not shown.step.value.ndim:
        return [f"It is {number(float(shown.step.value))}."]
    value = np.where(np.isfinite(shown.value), shown.value, 0).astype(float)
    size = np.abs(value)
    if not size.any():
        return ["All numbers are 0."] if np.isfinite(shown.value).all() else []
    index = _at(size)
    if (size >= size[index] * (1 - 1e-9)).sum() > 1 or size.size == 1:
        return []
    where = cell(shown.step, (*shown.place, *index))
    where = where.partition(", ")[2] if shown.head else where
    return [f"{shown.head}the number furthest from 0 is {number(float(value[index]))}, at {where}."]


def _at(size: Array) -> Index:
    """Where the largest number stands."""
    return tuple(int(i) for i in np.unravel_index(int(size.argmax()), size.shape))


def _added(shown: Shown) -> list[str]:
    if shown.step.axes[-1] in ANSWERS:
        return _ranked(shown.step, shown.value)
    first, second = shown.step.sources[0].value, shown.step.sources[1].value
    if second.ndim < first.ndim:
        return ["The same numbers, the bias, are added to every row.", *_largest(shown)]
    lengths = np.sqrt((second * second).sum(axis=-1)).ravel()
    before = np.sqrt((first * first).sum(axis=-1)).ravel()
    top = best(lengths)
    if lengths.max() == 0:
        return ["What is added is 0, so nothing changes."]
    if len(top) > 1 or shown.step.value.ndim != 2:
        return []
    most = " most" if len(lengths) > 1 else ""
    added, was = number(float(lengths[top[0]]), 3), number(float(before[top[0]]), 3)
    return [f"{shown.row(top[0])} changes{most}: a vector of length {added} is added to one of length {was}."]


def _norm(shown: Shown) -> list[str]:
    parts, epsilon = shown.step.parts, shown.step.params["epsilon"]
    means, variances = parts["mean"].ravel(), parts["variance"].ravel()
    row = int(variances.argmax())
    if variances[row] <= 1000 * epsilon or variances[row] == 0 or shown.step.value.ndim != 2:
        return []
    learned = len(shown.step.sources) > 1
    after = "; then a learned gain and bias stretch and shift it" if len(shown.step.sources) > 2 else ""
    after = after or ("; then a learned gain stretches it" if learned else "")
    was = f"mean {number(float(means[row]), 2)} and variance {number(float(variances[row]), 2)}"
    return [f"The row of {shown.row(row)} had {was}; now they are 0 and 1{after}."]


def _relu(shown: Shown) -> list[str]:
    zero = float((shown.value == 0).mean())
    if zero == 0:
        return ["Every number was above 0, so relu changed nothing."]
    if zero == 1:
        return ["Every cell is 0: relu let nothing through."]
    return [f"{percent(zero)} of the cells are 0: relu let nothing negative through."]


def _gelu(shown: Shown) -> list[str]:
    before = shown.source().value
    low = float((before < 0).mean())
    if low == 0:
        return ["No number was negative, so gelu changed them little."]
    lowest = number(float(shown.step.value.min()), 2)
    return [f"{percent(low)} of the numbers were negative; gelu leaves none of them below {lowest}."]


def _pooled(shown: Shown) -> list[str]:
    source, tokens = shown.source(), shown.step.sources[1:]
    count = source.value.shape[-2]
    if tokens:
        count = int((tokens[0].value != shown.step.params["padding"]).sum())
    return (
        [f"Each of the {count} rows counts 1/{count}."] if count > 1 else ["There is only one row, so it is that row."]
    )


# What the model says


def _answers(shown: Shown) -> list[str]:
    """Scores or probabilities of answers: of the only row, or of the last of several."""
    value, step = shown.value, shown.step
    if value.ndim == 1:
        return _ranked(step, value)
    last = len(value) - 1
    if step.axes[-2] not in PLACES:
        return _ranked(step, value[last])
    return _ranked(step, value[last], f"After {shown.row(last)}, ")


def _ranked(step: Step, scores: Array, where: str = "") -> list[str]:  # (V,)
    """Which answer leads, and which comes next."""
    likely = step.op == "softmax" or names.leaf(step.name) == "probabilities"
    axis, top = step.value.ndim - 1, best(scores)
    if not np.isfinite(scores[top[0]]):
        return []
    high = float(scores[top[0]])
    amount = percent(high) if likely else number(high)
    if len(top) > 1:
        return [f"{where}{len(top)} answers share the first place, with {amount} each."]
    first = name(step, axis, top[0])
    said = f"the model is {amount} sure of {first}" if likely else f"{first} leads with {amount}"
    rest = np.where(np.arange(len(scores)) == top[0], -np.inf, scores)
    runners = best(rest) if len(scores) > 1 else []
    if likely and high == 1:
        return [f"{where}{said}."]
    if len(runners) == 1 and np.isfinite(rest[runners[0]]):
        second = float(rest[runners[0]])
        said += f"; next comes {name(step, axis, runners[0])} with {percent(second) if likely else number(second)}"
    return [f"{where}{said}."]


def _kept(shown: Shown) -> list[str]:
    kept = np.flatnonzero(np.isfinite(shown.value))
    order = kept[np.argsort(-shown.value[kept], kind="stable")]
    said = f"{len(kept)} of {len(shown.value)} answers {'stays' if len(kept) == 1 else 'stay'}"
    if len(kept) > 6:
        return [f"{said}, with {shown.column(int(order[0]))} in front."]
    return [f"{said}: {listed([shown.column(int(i)) for i in order])}."]


def _chosen(shown: Shown) -> list[str]:
    likely, chosen = shown.source(), shown.step.chosen
    if chosen is None:
        return []
    share = float(likely.value[int(shown.step.value)])
    if len(best(likely.value)) > 1 and shown.step.op == "argmax":
        return [f"It is {quoted(chosen)}, the first of those that are equally likely ({percent(share)})."]
    if shown.step.op == "argmax":
        return [f"It is {quoted(chosen)}, the likeliest, with {percent(share)}."]
    chance = float(shown.step.sources[1].value)
    return [f"The chance {number(chance)} falls into the share of {quoted(chosen)}, which has {percent(share)}."]


def _picked(shown: Shown) -> list[str]:
    chosen = shown.source(1).chosen
    if shown.step.value.ndim or chosen is None:
        return _largest(shown)
    return [f"It gave {quoted(chosen)} {percent(float(shown.step.value))}."]


def _similar(shown: Shown) -> list[str]:
    return [f"It is {number(float(shown.step.value), 3)}; 1 would be the same direction, 0 nothing in common."]


def _unit(shown: Shown) -> list[str]:
    before = shown.source().value
    length = float(np.sqrt((before * before).sum()))
    return [f"Its length was {number(length, 3)}; now it is 1."] if length > 1e-6 and before.ndim == 1 else []


# Learning


def _surprise(shown: Shown) -> list[str]:
    logits, labels = shown.source(0), shown.source(1)
    plain = not shown.step.params.get("smoothing")
    if not shown.step.value.ndim:
        surprise = float(shown.step.value)
        right = quoted(logits.labels[-1][int(labels.value)])
        given = f": it gave {right}, which is right, {percent(float(np.exp(-surprise)))}" if plain else ""
        return [f"The surprise is {number(surprise, 3)}{given}."]
    if shown.step.value.ndim > 1 or len(shown.value) < 2:
        return _largest(shown)
    top = best(shown.value)
    if len(top) > 1:
        return []
    right = quoted(logits.labels[-1][int(labels.value[top[0]])])
    return [
        f"It is largest after {shown.column(top[0])}, where {right} is right: {number(float(shown.value[top[0]]), 3)}."
    ]


def _mean_loss(shown: Shown) -> list[str]:
    count, mean = shown.source().value.size, number(float(shown.step.value), 3)
    return [
        f"It is {mean}, the mean of {count} positions." if count > 1 else f"It is {mean}; there is only one position."
    ]


def _error(shown: Shown) -> list[str]:
    is_, should = (float(source.value) for source in shown.step.sources)
    return [f"It was {number(is_, 3)} and should be {number(should, 3)}."] if not shown.step.value.ndim else []


def _gradient(shown: Shown) -> list[str]:
    value = shown.step.value
    if not value.ndim:
        return [f"It is {number(float(value))}."]
    size = np.abs(value)
    if not size.any():
        return ["It is 0 everywhere: a small change here would not change the loss."]
    index = _at(size)
    slope = float(value[index])
    down = "smaller" if slope > 0 else "larger"
    where = f" at {cell(shown.step, index)}" if size.size > 1 else ""
    if (size >= size[index] * (1 - 1e-9)).sum() > 1:
        return [f"The largest is {number(abs(slope), 3)} by size, in several cells."]
    return [f"It is strongest{where}: {number(slope, 3)}, so a {down} number there would make the loss smaller."]


def _changed(shown: Shown) -> list[str]:
    before, after = shown.step.sources[0].value, shown.step.value
    change = np.abs(after - before)
    if not change.any():
        return ["Nothing changes."]
    index = _at(change)
    many = float((change >= change[index] * 0.99).mean())
    if many > 0.05 and change.size > 1:
        return [
            f"The largest change is {number(float(change[index]), 3)}; {percent(many)} of the numbers change that much."
        ]
    where = f", at {cell(shown.step, index)}" if change.size > 1 else ""
    moved = f"from {number(float(before[index]))} to {number(float(after[index]))}"
    return [f"The largest change is {number(float(change[index]), 3)}{where}: {moved}."]


GIVEN: dict[str, Remark] = {
    "tokens": _tokens,
    "image": _image,
    "labels": _labels,
    "chance": _chance,
    "so_far": _so_far,
    "target": _wanted,
}
"""By the last part of the name."""

BY_OPERATION: dict[str, Remark] = {
    "lookup": _looked_up,
    "patchify": _patches,
    "concat": _joined,
    "select": _selected,
    "sinusoid": _waves,
    "sinusoid_2d": _waves,
    "split_heads": _split,
    "merge_heads": _merged,
    "matmul": _product,
    "linear": _linear,
    "scale": _scaled,
    "mask": _masked,
    "causal_mask": _masked,
    "padding_mask": _masked,
    "softmax": _softmax,
    "log": lambda shown: _best_fit(shown) if shown.step.axes[-1] == "key" else _softmax(shown),
    "add": _added,
    "layer_norm": _norm,
    "relu": _relu,
    "gelu_tanh": _gelu,
    "gelu_erf": _gelu,
    "mean_pool": _pooled,
    "argmax": _chosen,
    "draw": _chosen,
    "pick": _picked,
    "top_k": _kept,
    "top_p": _kept,
    "dot": _similar,
    "unit": _unit,
    "cross_entropy": _surprise,
    "average": _mean_loss,
    "squared_error": _error,
}
