"""What the computation starts from: tokens, patches, positions, and what is given by hand or by chance."""

from __future__ import annotations

import numpy as np

from txviz.figures.naming import ANSWERS, best, counted, listed, name, quoted
from txviz.figures.numerals import percent
from txviz.figures.remarks.answers import ranked
from txviz.figures.remarks.searching import stay
from txviz.figures.remarks.shown import Shown
from txviz.ops import Array
from txviz.ops.arithmetic import number
from txviz.trace import Parameter, Step


def tokens(shown: Shown) -> list[str]:
    size = len(shown.value)
    called = [quoted(label) for label in shown.step.labels[0]] if shown.step.axes == ("token",) else []
    if called and size <= 12:
        return [f"{there(size)} {counted(size, 'token')}: {listed(called)}."]
    return [f"{there(size)} {counted(size, 'token')}."]


def there(count: int) -> str:
    return "There is" if count == 1 else "There are"


def each(count: int) -> str:
    return "" if count == 1 else "each "


def image(shown: Shown) -> list[str]:
    size = "×".join(map(str, shown.step.value.shape[:2]))
    low, high = float(shown.step.value.min()), float(shown.step.value.max())
    reach = f"all of them {number(low)}" if low == high else f"from {number(low)} to {number(high)}"
    return [f"It has {size} pixels, {reach}.", *_light_of_all(shown.step.value)]


def _light_of_all(pixels: Array) -> list[str]:
    mean, spread = (float(each[0]) for each in _light(pixels.reshape(1, -1)))
    if not np.isfinite([mean, spread]).all() or spread == 0:
        return []
    return [f"Its brightness (mean) is {number(mean, 3)}, its contrast (standard deviation) {number(spread, 3)}."]


def _light(rows: Array) -> tuple[Array, Array]:  # (T,pixels) -> (T,), (T,)
    """The mean and the standard deviation of each row: how bright it is, and how much contrast it has."""
    with np.errstate(over="ignore", invalid="ignore"):  # a number that was put in by hand may be as large as any
        return rows.mean(axis=-1), rows.std(axis=-1)


def labels(shown: Shown) -> list[str]:
    if not shown.value.ndim:
        return [f"Here it is answer {int(shown.value)}."]
    if shown.step.labels[0] == tuple(map(str, range(len(shown.value)))):
        return []
    return [f"They are {listed([quoted(label) for label in shown.step.labels[0]])}."] if len(shown.value) <= 12 else []


def chance(shown: Shown) -> list[str]:
    return [f"This time it is {number(float(shown.value))}."]


def so_far(shown: Shown) -> list[str]:
    logarithm = float(shown.value.ravel()[0])
    if logarithm == 0:
        return ["Nothing is written yet, so it is 0."]
    return [f"So far it is {number(logarithm)}, a probability of {percent(float(np.exp(logarithm)))}."]


def wanted(shown: Shown) -> list[str]:
    return [f"It should be {number(float(shown.value))}."]


def looked_up(shown: Shown) -> list[str]:
    rows, width = shown.value.shape[-2:]
    said = [f"{there(rows)} {counted(rows, 'token')}, {each(rows)}with {counted(width, 'number')}."]
    labels = shown.step.labels[-2]
    again = [label for label in dict.fromkeys(labels) if labels.count(label) > 1]
    same = [label for label in again if rows_equal(shown.value, [i for i, x in enumerate(labels) if x == label])]
    if same and shown.step.axes[-2] == "token":
        said.append(f"{quoted(same[0])} stands there {times(labels.count(same[0]))}, with the same numbers each time.")
    return said


def rows_equal(value: Array, rows: list[int]) -> bool:
    return bool((value[rows] == value[rows[0]]).all())


def times(count: int) -> str:
    return {2: "twice"}.get(count, f"{count} times")


def patches(shown: Shown) -> list[str]:
    down, across = shown.step.params["patch"]
    rows, width = shown.value.shape[-2:]
    size = f"{there(rows)} {counted(rows, 'patch')} of {down}×{across} pixels, {width} numbers each."
    return [size, *light(shown)]


def light(shown: Shown) -> list[str]:
    """Which patches are the brightest and the darkest, and which have the most contrast, or that all are alike."""
    (means, spreads), labels = _light(shown.value), shown.step.labels[-2]
    if len(labels) < 2 or not np.isfinite([means, spreads]).all():
        return []
    bright, dark, rich = (best(each) for each in (means, -means, spreads))
    mean, least, spread = (number(float(x), 3) for x in (means.max(), means.min(), spreads.max()))
    first = f"{_named(labels, bright)} {_verb(bright, 'is', 'are')} the brightest (mean {mean})"
    ends = f"{first}, {_named(labels, dark)} the darkest ({least})"
    most = f"{_named(labels, rich)} {_verb(rich, 'has', 'have')} the most contrast"
    brightness = f"all patches are equally bright (mean {mean})" if len(bright) == len(labels) else ends
    contrast = "all have the same contrast" if len(rich) == len(labels) else most
    return [f"{brightness}, and {contrast} (standard deviation {spread})."]


def _named(labels: tuple[str, ...], which: list[int]) -> str:
    """``patch A``, ``patches A and B``, ``5 patches``."""
    if len(which) == 1:
        return f"patch {labels[which[0]]}"
    return f"patches {listed([labels[i] for i in which])}" if len(which) <= 3 else counted(len(which), "patch")


def _verb(which: list[int], one: str, several: str) -> str:
    return one if len(which) == 1 else several


def joined(shown: Shown) -> list[str]:
    if shown.step.axes[-2] == "key":
        before, new = (source.value.shape[-2] for source in shown.step.sources)
        kept = "row is" if before == 1 else "rows are"
        return [f"{before} {kept} kept from before, {new} {'is' if new == 1 else 'are'} new."]
    rows, width = shown.value.shape[-2:]
    if isinstance(shown.step.sources[0], Parameter) and shown.step.sources[0].value.shape[-2] == 1:
        return [f"{shown.row(0)} comes first, then {counted(rows - 1, 'patch')}: {rows} rows of {width} numbers."]
    return [f"There are {rows} rows of {width} numbers."]


def selected(shown: Shown) -> list[str]:
    at, source = shown.step.params["at"], shown.step.sources[0]
    total = source.value.shape[-2]
    if shown.step.axes == ("one",):
        return so_far(shown)
    if shown.step.axes[:1] == ("candidate",):
        return stay(shown)
    if not isinstance(at, int):
        kind = "patches" if shown.step.axes[-1:] == ("pixel",) else "rows"
        more = light(shown) if kind == "patches" else []
        if at[0] == 0 and at[1] == total:
            return [f"All {total} {kind} are used.", *more]
        if at[1] - at[0] == 1:
            return [f"This is row {at[0]} of {total}, counted from 0."]
        return [f"These are {kind} {at[0]} to {at[1] - 1} of {total}, counted from 0.", *more]
    if shown.step.axes[-1] in ANSWERS:
        return ranked(shown.step, shown.value)
    if isinstance(source, Step) and total > 1:
        return [f"Only the row of {name(source, -2 % source.value.ndim, at % total)} goes on, one of {total}."]
    return []


def waves(shown: Shown) -> list[str]:
    rows, width = shown.value.shape
    said = [f"{there(rows)} {counted(rows, 'position')}, {each(rows)}with {width} numbers that nobody learned."]
    if shown.step.params.get("start", 0) == 0 and width > 1:
        said.append("At the first position every sine is 0 and every cosine 1.")
    return said


def buckets(shown: Shown) -> list[str]:
    """How many of the buckets are used, and where all farther distances begin to share one."""
    used, params = len(np.unique(shown.value)), shown.step.params
    far = f"all distances from {params['farthest']} on share one"
    return [f"{used} of {params['buckets']} buckets {'is' if used == 1 else 'are'} used; {far}."]


def by_distance(shown: Shown) -> list[str]:
    """Which distance is favoured most, where one is."""
    rows, columns = np.nonzero(shown.value == shown.value.max())
    ahead = {int(key - query) for query, key in zip(rows, columns, strict=True)}
    ahead = {each + shown.value.shape[0] - shown.value.shape[1] for each in ahead}
    high = number(float(shown.value.max()))
    if len(ahead) > 1 or shown.value.size == 1:
        return [f"{shown.head}the largest number that is added is {high}."]
    (away,) = ahead
    where = "a token itself" if not away else f"what stands {abs(away)} {'after' if away > 0 else 'before'} it"
    return [f"{shown.head}most is added for {where}: {high}."]


def standard(shown: Shown) -> list[str]:
    low, high = (number(float(x), 3) for x in (shown.value.min(), shown.value.max()))
    return [f"What went from 0 to 1 at most now goes from {low} to {high}."]
