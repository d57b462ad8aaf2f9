"""A mask by what it is for: the scores before it, what it hides, and what would leak without it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from txviz import ops
from txviz.figures.grid import Grid
from txviz.figures.levels.reads import read
from txviz.figures.naming import name
from txviz.figures.numerals import percent
from txviz.figures.place import full_place
from txviz.figures.tensors import result_at
from txviz.ops import Array, Index
from txviz.trace import Step
from txviz.trace.outline import Node


@dataclass(frozen=True, eq=False)
class MaskSteps:
    node: Node
    head: Index
    """Which head is shown, as the reader chose it."""

    @cached_property
    def weights(self) -> Step:
        """Softmax of the masked scores."""
        made = [step for step in self.node.steps if step.op == "softmax"]
        return next(step for step in made if read(step, 0).op == "mask")

    @property
    def masked(self) -> Step:
        return read(self.weights, 0)

    @property
    def scores(self) -> Step:
        """What the mask is added to."""
        return read(self.masked, 0)

    @cached_property
    def masks(self) -> tuple[Step, ...]:
        return tuple(read(self.masked, i) for i in range(1, len(self.masked.sources)))

    @cached_property
    def row(self) -> tuple[Step, ...]:
        """scores + mask = masked → weights"""
        return (self.scores, *self.masks, self.masked, self.weights)

    @cached_property
    def place(self) -> Index:
        return full_place(self.head, self.weights.value.shape[:-2])

    @cached_property
    def open(self) -> Array:  # -> (queries,keys)
        """The weights as they would be without the mask."""
        return ops.softmax.compute(self.scores.value[self.place])

    @cached_property
    def hidden(self) -> Array:  # -> (queries,keys) of true and false
        """What the mask keeps out of sight."""
        scores, masked = self.scores.value[self.place], self.masked.value[self.place]
        return np.asarray(np.isneginf(masked) & ~np.isneginf(scores))

    @cached_property
    def leaks(self) -> Array:  # -> (queries,)
        """How much of its attention each token would give to what it must not see."""
        return np.asarray(np.where(self.hidden, self.open, 0.0).sum(axis=-1))

    @property
    def causal(self) -> bool:
        return any(mask.op == "causal_mask" for mask in self.masks)

    @property
    def pads(self) -> bool:
        return any(mask.op == "padding_mask" for mask in self.masks if np.isneginf(mask.value).any())

    @property
    def unseen(self) -> str:
        """What the mask hides, in words."""
        kinds = (["later words"] if self.causal else []) + (["padding"] if self.pads else [])
        return " and ".join(kinds) or "what is hidden"

    @property
    def question(self) -> str:
        sight = "the future" if self.causal else "the padding" if self.pads else "everything"
        return f"What if it could see {sight}?"

    def leak(self, query: int) -> str:
        """Where that would go, in words."""
        hidden = np.where(self.hidden[query], self.open[query], 0.0)
        most, count = int(hidden.argmax()), int(self.hidden[query].sum())
        if not count:
            return "nothing is hidden from it"
        return f"to {self.key(most)}" if count == 1 else f"most to {self.key(most)}: {percent(hidden[most])}"

    def key(self, place: int) -> str:
        return name(self.weights, self.weights.value.ndim - 1, place)

    def query(self, place: int) -> str:
        return name(self.weights, self.weights.value.ndim - 2, place)

    def grid(self, step: Step) -> Grid:
        return result_at(step, self.head)

    @property
    def open_grid(self) -> Grid:
        """Its colours end where those of the weights do."""
        return replace(self.grid(self.weights), values=self.open)
