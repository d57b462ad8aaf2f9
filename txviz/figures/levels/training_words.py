"""A step of training in words: what goes in, and how the loss is worked out, with label smoothing where it is used."""

from __future__ import annotations

from math import log

from txviz.figures.levels.board import Board
from txviz.figures.levels.training_steps import TrainingSteps
from txviz.figures.naming import quoted
from txviz.ops.arithmetic import number


def sentences(board: Board, steps: TrainingSteps) -> list[str]:
    said = [_reading(steps)]
    if steps.logits is not None and board.computed(steps.each):
        said.append(_smoothed(steps) if steps.smoothing else _plain(steps))
    return [" ".join(said)]


def _reading(steps: TrainingSteps) -> str:
    if steps.inputs is not None:
        return (
            "Every position reads the right words so far, not those that the model would say (teacher forcing), and "
            "should say the next one."
        )
    if steps.logits is not None:
        return "The model says how likely each class is; the right one should be likelier."
    return "The same model reads both sentences; the cosine of their vectors should be the one that was given."


def _first(steps: TrainingSteps) -> tuple[int, str]:
    """The position where the loss is largest, and how it is called."""
    place = int(steps.each.value.argmax())
    return place, f"at {quoted(steps.answers[place])}"


def _plain(steps: TrainingSteps) -> str:
    place, where = _first(steps)
    share, loss = in_digits(float(steps.right[place])), number(float(steps.each.value.reshape(-1)[place]))
    return f"Cross-entropy is −ln of the probability of the right answer: {where} −ln {share} ≈ {loss}."


def _smoothed(steps: TrainingSteps) -> str:
    """The loss of one position as two surprises, weighed: at the right answer, and at all answers alike."""
    (place, where), part, count = _first(steps), steps.smoothing, steps.scores.value.shape[-1]
    own, every = steps.surprise(place, 0.0), steps.surprise(place, 1.0)
    loss, keep = float(steps.each.value.reshape(-1)[place]), number(1 - part)
    goal = f"the right word should get {keep} + {number(part)} / {count:,} ≈ {number(1 - part + part / count)}"
    rest = f"each other one {number(part)} / {count:,} ≈ {number(part / count, 2)}"
    mean = f"{number(every)}, the mean of −ln p over all {count:,} words"
    worked = f"{keep} × {number(own)} + {number(part)} × {number(every)} ≈ {number(loss)}"
    return (
        f"With label smoothing of {number(part)} {goal}, {rest}. So the loss {where} is {keep} × −ln "
        f"{in_digits(float(steps.right[place]))} + {number(part)} × {mean}: {worked}."
    )


def in_digits(share: float) -> str:
    """A probability with so many digits that its −ln is the one that is said: near 1 the first four are not enough.

    >>> in_digits(0.82024), in_digits(0.99976545), in_digits(1), in_digits(0)
    ('0.8202', '0.99976545', '1', '0')
    """
    enough = (n for n in range(4, 17) if share and number(log(float(f"{share:.{n}g}"))) == number(log(share)))
    return number(share, next(enough, 4))
