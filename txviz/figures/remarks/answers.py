"""What the model says: scores and probabilities of answers, and the choice among them."""

from __future__ import annotations

import numpy as np

from txviz.figures.naming import MASKS, PLACES, asked, best, listed, name, quoted
from txviz.figures.numerals import percent
from txviz.figures.remarks.shown import Shown, largest
from txviz.ops import Array
from txviz.ops.arithmetic import number
from txviz.trace import Step

FEW, LARGE = 5, 15.0
"""Answers whose powers of e are listed, and scores that are too large for it."""


def answers(shown: Shown) -> list[str]:
    """Scores or probabilities of answers: of the only row, of the masked word, or of the last of several."""
    value, step = shown.value, shown.step
    if value.ndim == 1:
        return ranked(step, value)
    tokens = step.labels[-2]
    row = asked(tokens)
    if step.axes[-2] not in PLACES:
        return ranked(step, value[row])
    return ranked(step, value[row], f"{'For' if tokens[row] in MASKS else 'After'} {shown.row(row)}, ")


def ranked(step: Step, scores: Array, where: str = "") -> list[str]:  # (V,)
    """Which answer leads, and which comes next."""
    likely = step.op == "softmax" or step.site.leaf == "probabilities"
    axis, top = step.value.ndim - 1, best(scores)
    if not np.isfinite(scores[top[0]]):
        return []
    high = float(scores[top[0]])
    amount = percent(high) if likely else number(high)
    if len(top) > 1:
        return [f"{where}{len(top)} answers share the first place, with {amount} each."]
    first = name(step, axis, top[0])
    said = f"the model is {amount} sure of {first}" if likely else f"{first} leads with {amount}"
    if likely and drawn(step):
        said = f"in the draw, {first} has {amount}"
    rest = np.where(np.arange(len(scores)) == top[0], -np.inf, scores)
    runners = best(rest) if len(scores) > 1 else []
    if likely and high == 1:
        return [f"{where}{said}."]
    if len(runners) == 1 and np.isfinite(rest[runners[0]]):
        second = float(rest[runners[0]])
        said += f"; next comes {name(step, axis, runners[0])} with {percent(second) if likely else number(second)}"
    return [f"{where}{said}."]


def shared_out(shown: Shown) -> list[str]:
    """The powers of e that softmax makes shares of, where they are few and no larger than people read."""
    scores = shown.source().value
    if (
        shown.step.op != "softmax"
        or shown.step.axes != ("class",)
        or len(scores) > FEW
        or not np.abs(scores).max() < LARGE
    ):
        return []
    powers = np.exp(scores)
    told = listed([number(float(x)) for x in powers])
    whole = number(float(powers.sum()))
    return [f"the powers e^score are {told}, together {whole}. Each class gets its share of that."]


def drawn(step: Step) -> bool:
    """Whether the scores were changed for sampling: then the shares are no longer what the model thinks."""
    return any(source.site.leaf in ("tempered", "top_k", "top_p") for source in step.sources)


def kept(shown: Shown) -> list[str]:
    left = np.flatnonzero(np.isfinite(shown.value))
    if not len(left):
        return ["No answer stays."]
    order = left[np.argsort(-shown.value[left], kind="stable")]
    said = f"{len(left)} of {len(shown.value)} answers {'stays' if len(left) == 1 else 'stay'}"
    if len(left) > 6:
        return [f"{said}, with {shown.column(int(order[0]))} in front."]
    return [f"{said}: {listed([shown.column(int(i)) for i in order])}."]


def chosen(shown: Shown) -> list[str]:
    likely, word = shown.source(), shown.step.chosen
    if word is None:
        return []
    share = percent(float(likely.value[int(shown.step.value)]))
    if shown.step.op == "draw":
        chance = number(float(shown.step.sources[1].value))
        return [f"The chance {chance} falls into the share of {quoted(word)}, which has {share}."]
    if len(best(likely.value)) > 1:
        return [f"It is {quoted(word)}, the first of those that are equally likely ({share})."]
    return [f"It is {quoted(word)}, the likeliest, with {share}."]


def picked(shown: Shown) -> list[str]:
    word = shown.source(1).chosen
    if shown.step.value.ndim or word is None:
        return largest(shown)
    return [f"It gave {quoted(word)} {percent(float(shown.step.value))}."]


def similar(shown: Shown) -> list[str]:
    return [f"It is {number(float(shown.step.value), 3)}; 1 would be the same direction, 0 nothing in common."]


def unit(shown: Shown) -> list[str]:
    before = shown.source().value
    length = float(np.sqrt((before * before).sum()))
    return [f"Its length was {number(length, 3)}; now it is 1."] if length > 1e-6 and before.ndim == 1 else []


def tempered(shown: Shown, temperature: float) -> list[str]:
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
