"""The steps of decoding by what they are for: one column for each time step, of a beam those of the winner."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from txviz import ops
from txviz.ops import Array, Index
from txviz.trace import Step, Trace
from txviz.trace.outline import Node
from txviz.trace.winner import winner

CUTS = ("tempered", "top_k", "top_p")
"""What sampling does to the scores, in this order."""


@dataclass(frozen=True, eq=False)
class Column:
    """One time step: from the tokens so far to the one that is chosen."""

    at: Node
    """The time step."""

    node: Node
    """The same, or the hypothesis of it that a beam went on with."""

    chips: tuple[str, ...]
    """The decoder's input so far, in words."""

    token: int
    """What was chosen, by its number in the vocabulary."""

    words: tuple[str, ...]
    """The vocabulary."""

    @property
    def time(self) -> int:
        return self.at.first.site.time or 0

    @cached_property
    def head(self) -> Mapping[str, Step]:
        """By the name inside the head: logits, last, tempered, …"""
        return {step.site.leaf: step for step in self.node.steps if step.site.part == "head"}

    @cached_property
    def choice(self) -> Mapping[str, Step]:
        return {step.site.leaf: step for step in self.node.steps if step.site.part == "choice"}

    @property
    def read(self) -> Step:
        return _read(self.node)

    @property
    def vectors(self) -> Step:
        """What the decoder makes of them: the scores come from its last row. By hand, these alone."""
        logits = self.head["logits"]
        return next((source for source in logits.sources if isinstance(source, Step)), logits)

    @property
    def likely(self) -> Step:
        return self.head["probabilities"]

    @property
    def decided(self) -> Step:
        """The step at which the token is known."""
        return self.choice["token"] if "token" in self.choice else self.node.steps[-1]

    @property
    def forced(self) -> bool:
        """Whether the token was put in by hand."""
        return "token" in self.choice and bool(self.choice["token"].edited)

    @property
    def word(self) -> str:
        return self.words[self.token]

    @cached_property
    def before(self) -> Array:  # -> (V,)
        """The model's own probabilities, whatever sampling makes of them."""
        return ops.softmax.compute(self.head["last"].value) if self.cuts else self.likely.value

    @property
    def cuts(self) -> tuple[Step, ...]:
        return tuple(self.head[leaf] for leaf in CUTS if leaf in self.head)

    @property
    def chance(self) -> Step | None:
        """The random number that a token was drawn with."""
        return None if self.forced else self.choice.get("chance")

    @cached_property
    def weights(self) -> Step:
        """Of the last layer: cross-attention where there is any, else self-attention."""
        found = [step for step in self.node.steps if step.site.leaf == "weights" and step.site.layer is not None]
        across = [step for step in found if step.site.block == "cross_attention"]
        return (across or found)[-1]

    def attention(self, place: Index) -> Array:  # -> (keys,)
        """From the last position: of one head, or the mean of all where none is named."""
        rows = self.weights.value[..., -1, :]
        heads = rows.reshape(-1, rows.shape[-1])
        return np.asarray(heads[place[-1]] if place else heads.mean(axis=0))

    def candidates(self, most: int) -> list[int]:
        """The likeliest tokens, and among them the chosen one."""
        shown = self._order[:most]
        return shown if self.token in shown else [*shown[:-1], self.token]

    @cached_property
    def _order(self) -> list[int]:
        """All tokens, the likeliest first."""
        return list(np.argsort(-self.before, kind="stable").tolist())


@dataclass(frozen=True, eq=False)
class DecodingSteps:
    trace: Trace
    node: Node

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        made: list[Column] = []
        likely = next(step for step in self.node.steps if step.site.leaf == "probabilities")
        words = likely.labels[-1]
        for at, node, token in _beam(self.trace, self.node, words) if self.beam else _one_by_one(self.node):
            before = (*made[-1].chips, made[-1].word) if made else _read(node).labels[-1]
            made.append(Column(at, node, before, token, words))
        return tuple(made)

    @property
    def beam(self) -> bool:
        return self.node.first.site.beam is not None

    @cached_property
    def memory(self) -> Step | None:
        """The encoder's output, which every time step reads; a decoder alone has none."""
        found = (step for step in self.node.steps if step.site.block == "cross_attention")
        sources = (source for step in found for source in step.sources if isinstance(source, Step))
        return next((source for source in sources if source.site.time is None), None)

    @property
    def ended(self) -> bool:
        """Whether the last token is the end of the sentence, and not just the last that there was time for."""
        return self.columns[-1].word == "<EOS>"

    @cached_property
    def log_probability(self) -> float:
        """Of the tokens, by the model's own probabilities."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return float(sum(np.log(column.before[column.token]) for column in self.columns))


Found = tuple[Node, Node, int]
"""A time step, the same or the hypothesis of it, and the token that was chosen there."""


def _read(node: Node) -> Step:
    """The tokens so far."""
    return next(step for step in node.steps if step.site.leaf == "tokens" and step.site.block is None)


def _one_by_one(node: Node) -> Iterator[Found]:
    for time in node.children:
        chosen = next(step for step in time.steps if step.site.part == "choice" and step.site.leaf == "token")
        yield time, time, int(chosen.value)


def _beam(trace: Trace, node: Node, words: tuple[str, ...]) -> Iterator[Found]:
    """The hypotheses that the winner comes from."""
    times = {time.first.site.time: time for time in node.children}
    for turn in winner(trace.about):
        beam = next(child for child in times[turn.time].children if child.first.site.beam == turn.beam)
        yield times[turn.time], beam, words.index(turn.token)
