"""What a beam compares: all candidates, their order, and which of them stay."""

from __future__ import annotations

import numpy as np

from txviz.figures.naming import counted, listed, quoted
from txviz.figures.remarks.shown import Shown, largest
from txviz.ops.arithmetic import number

MOST_LISTED = 6


def stacked(shown: Shown) -> list[str]:
    rows, possible = len(shown.value), int((shown.value > -np.inf).sum())
    hypotheses = "1 hypothesis" if rows == 1 else f"{rows} hypotheses"
    return [f"{hypotheses}, {counted(possible, 'candidate')} in all."]


def penalised(shown: Shown) -> list[str]:
    penalty = shown.step.params["penalty"]
    if not penalty:
        return ["The length penalty is 0, so the scores are the totals."]
    return [f"The length penalty is {number(penalty)}: a total is divided by its length to that power."]


def ranked(shown: Shown) -> list[str]:
    scores, (row, column) = shown.source(), shown.value[0]
    first = f"{quoted(scores.labels[0][row])} with {quoted(scores.labels[1][column])}"
    return [f"The best of all is {first}, at {number(float(scores.value[row, column]))}."]


def taken(shown: Shown) -> list[str]:
    if not len(shown.value):
        return []
    return (
        [f"{shown.row(0)} has the highest score: {number(float(shown.value[0, 0]))}."]
        if len(shown.value) > 1
        else largest(shown)
    )


def stay(shown: Shown) -> list[str]:
    """The candidates that stay, of those that were ranked."""
    rows, total = len(shown.value), len(shown.source().value)
    said = f"{rows} of the best {total} stay" if rows < total else f"All {total} stay"
    if rows > MOST_LISTED:
        return [f"{said}, with {shown.row(0)} in front."]
    return [f"{said}: {listed([shown.row(i) for i in range(rows)])}."]
