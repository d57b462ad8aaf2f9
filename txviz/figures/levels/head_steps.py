"""The steps from the last vectors to the answer, by what they are for, found by their reads."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from txviz.analysis.ranking import first_places
from txviz.figures.levels.composed import composed
from txviz.figures.naming import ANSWERS
from txviz.ops import Array
from txviz.trace import Step, Trace
from txviz.trace.outline import Node

MOST = 10
"""Of more answers than these, the likeliest are shown."""

CHOICES = ("argmax", "draw")


@dataclass(frozen=True, eq=False)
class HeadSteps:
    trace: Trace
    node: Node

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """Those of the node, and those that go on from there to a choice."""
        names = {step.name for step in self.node.steps}
        start = self.trace.steps.index(self.node.steps[-1]) + 1
        after = []
        for step in self.trace.steps[start : start + 4]:
            if names & set(step.inputs) and step.site.part == "choice" and step.op != "pick":
                after.append(step)
                names.add(step.name)
        return (*self.node.steps, *after)

    @cached_property
    def scores(self) -> tuple[Step, ...]:
        """One number for each answer, from the first scores on."""
        return tuple(step for step in self.steps if step.axes[-1:] and step.axes[-1] in ANSWERS)

    @property
    def logits(self) -> Step:
        return self.scores[0]

    @property
    def before(self) -> tuple[Step, ...]:
        """Those of the node that come before the scores, as in a head with a hidden layer."""
        return self.node.steps[: self.node.steps.index(self.logits)]

    @cached_property
    def picked(self) -> Step | None:
        """The scores of the last position alone, where they are a step of their own."""
        return next((step for step in self.scores if step.op == "select"), None)

    @cached_property
    def columns(self) -> tuple[Step, ...]:
        """Those that are shown as bars."""
        return self.scores[1:] if self.picked is not None else self.scores

    @cached_property
    def source(self) -> Step | None:
        """What the scores were made from."""
        return next((each for each in self.logits.sources if isinstance(each, Step)), None)

    @cached_property
    def probabilities(self) -> Step | None:
        return next((step for step in self.scores if step.op == "softmax"), None)

    @cached_property
    def choice(self) -> Step | None:
        return next((step for step in self.steps if step.op in CHOICES and not step.value.ndim), None)

    @cached_property
    def order(self) -> Array:  # -> (answers,)
        """Which answers are shown: all in their order, or the likeliest first, the chosen one among them."""
        row = last_row(self.logits)
        if len(row) <= MOST:
            return np.arange(len(row))
        found = first_places(row, MOST)
        if self.choice is not None and int(self.choice.value) not in found:
            found[-1] = int(self.choice.value)
        return found

    @property
    def position(self) -> str | None:
        """The token after which the answer comes, where there are several."""
        return self.logits.labels[-2][-1] if self.logits.value.ndim > 1 else None

    @property
    def learns(self) -> bool:
        """Whether the run is a step of training, where each position is told what should follow."""
        return any(step.site.pass_ == "loss" for step in self.trace)

    @property
    def formulas(self) -> list[str]:
        found = [self.logits.formula] if self.logits.sources else []
        if self.probabilities is not None and self.probabilities.sources:
            found.append(composed(self.probabilities, self.scores[2 if self.picked is not None else 1 :]))
        if self.choice is not None and self.choice.op == "argmax":
            found.append(self.choice.formula)
        return found


def last_row(step: Step) -> Array:  # -> (answers,)
    """Of the last position, where there are several."""
    return np.asarray(step.value.reshape(-1, step.value.shape[-1])[-1])
