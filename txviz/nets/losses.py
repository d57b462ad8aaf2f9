"""Losses: one number that says how far a model is from what it should have said.

Letters: V entries of a vocabulary or classes; (...) examples of a batch and tokens of each.
"""

from __future__ import annotations

from typing import Any

from txviz import ops
from txviz.trace import Run, Step
from txviz.trace.leaves import Leaf, add_headings, declare

declare("input", {"labels": Leaf("y^{*}", "The right answers.")})
declare(
    "loss",
    {
        "positions": Leaf("L_t", "How surprised the model is by each right answer."),
        "mean": Leaf("L", "The loss: the one number that training makes smaller.", key="each"),
        "squares": Leaf("e^2", "How far the cosine is from the one it should be, squared."),
        "error": Leaf("E", "The mean squared error: here of one pair of sentences, in training of a whole batch."),
        "graded": Leaf(
            "L", "The error times its weight in the loss: the one number that this step makes smaller.", key="each"
        ),
    },
)
declare("similarity", {"target": Leaf("s^{*}", "How alike the two sentences should be.")})
add_headings("input", {"labels": "Labels: the right answers"})
add_headings(
    "loss",
    {
        "positions": "Loss of each answer: how surprised the model is",
        "mean": "Loss: what training makes smaller",
        "squares": "Squared error: how far off the cosine is",
        "error": "Mean squared error: how far off the cosine is",
        "graded": "Weighted error: what this step makes smaller",
    },
)
add_headings("similarity", {"target": "Target: how alike the sentences should be"})


def cross_entropy_loss(
    run: Run, logits: Step, labels: Step, ignore: int | None = None, smoothing: float = 0.0
) -> Step:  # (...,V), (...) -> ()
    """The surprise at each position, and its mean over those that are not padding."""
    settings: dict[str, Any] = {"smoothing": smoothing, "ignore": ignore}
    with run.at(pass_="loss", part="loss"):
        each = run(ops.cross_entropy, "positions", logits, labels, axes=labels.axis_names, like=logits, **settings)
        if ignore is None:
            return run(ops.average, "mean", each, axes="")
        return run(ops.average, "mean", each, labels, ignore=ignore, axes="")


def squared_error_loss(run: Run, cosine: Step, wanted: Step, weight: float) -> Step:  # (...), (...) -> ()
    """How far cosines are from those they should be: the mean squared error, and its weight."""
    with run.at(pass_="loss", part="loss"):
        squares = run(ops.squared_error, "squares", cosine, wanted, axes=cosine.axis_names)
        mean = run(ops.average, "error", squares, axes="")
        return run(ops.scale, "graded", mean, base=weight, exponent=1, axes="")
