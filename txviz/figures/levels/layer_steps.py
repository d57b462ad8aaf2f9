"""A layer as what its blocks added to the stream: found from its additions and what they read."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from txviz.ops import Array
from txviz.trace import Step
from txviz.trace.outline import Node
from txviz.trace.symbols import symbol

WORDS = {
    "attention": "attention",
    "self_attention": r"self\,attention",
    "cross_attention": r"cross\,attention",
    "ffn": "FFN",
}


@dataclass(eq=False)
class Addition:
    """One residual connection: what was there, what was added to it, and what came of that."""

    result: Step
    branch: list[Node]
    """Norms and blocks that made what was added, in order."""

    norms: list[Step] = field(default_factory=list)
    """What the result went through before anything else read it: a norm that stands on the stream."""

    @property
    def before(self) -> Step | None:
        return self._read(0)

    @property
    def added(self) -> Step | None:
        return self._read(1)

    @property
    def after(self) -> Step:
        """What the next block reads."""
        return self.norms[-1] if self.norms else self.result

    @property
    def others(self) -> list[Step]:
        """Vectors from another part of the model that the blocks read, too: the encoder's output."""
        sources = (source for node in self.branch for step in node.steps for source in step.sources)
        read = {source.name: source for source in sources if isinstance(source, Step) and source is not self.before}
        vectors = (step for step in read.values() if step.axes[-2:] == self.result.axes[-2:])
        return [step for step in vectors if step.site.part != self.result.site.part]

    @cached_property
    def shares(self) -> Array:  # (T,)
        """How long the vector that was added to each token is, by the length of that token's own."""
        if self.before is None or self.added is None:
            return np.zeros(0)
        own, more = (_lengths(step.value.astype(float)) for step in (self.before, self.added))
        return np.asarray(np.divide(more, own, out=np.zeros_like(more), where=own > 0))

    @property
    def formula(self) -> str:
        """``r_1 = x + attention(norm(x))``."""
        if self.before is None:
            return ""
        read = inner = symbol(self.before.site, self.result.site)
        for node in self.branch:
            besides = (symbol(step.site, self.result.site) for step in self.others if _reads(node, step))
            given = r",\ ".join([inner, *besides])
            inner = rf"\mathrm{{{_word(node)}}}({given})"
        whole = f"{read} + {inner}"
        for _ in self.norms:
            whole = rf"\mathrm{{norm}}({whole})"
        return f"{symbol(self.after.site)} = {whole}"

    def _read(self, which: int) -> Step | None:
        found = self.result.sources[which] if self.result.sources else None
        return found if isinstance(found, Step) else None


def _lengths(vectors: Array) -> Array:  # (...,d) -> (...)
    """√Σx² of each. Where the squares leave what a number can hold, slowly."""
    with np.errstate(over="ignore"):
        found = np.asarray(np.sqrt(np.einsum("...i,...i->...", vectors, vectors)))
    lost = ~((found > 1e-150) & (found < 1e150))
    found[lost] = np.hypot.reduce(vectors[lost], axis=-1)
    return found


def _reads(node: Node, step: Step) -> bool:
    return any(step.name in each.inputs for each in node.steps)


def _word(node: Node) -> str:
    return "norm" if not node.children else WORDS.get(node.first.site.block or "", node.title)


@dataclass(frozen=True, eq=False)
class LayerSteps:
    node: Node

    @cached_property
    def additions(self) -> list[Addition]:
        found: list[Addition] = []
        waiting: list[Node] = []
        for child in self.node.children:
            step = child.first
            if not child.children and step.site.leaf.startswith("residual"):
                found.append(Addition(step, waiting))
                waiting = []
            elif found and not waiting and not child.children and self._on_stream(step, found[-1].after):
                found[-1].norms.append(step)
            else:
                waiting.append(child)
        return found

    def _on_stream(self, norm: Step, before: Step) -> bool:
        """Whether the next addition takes what the norm made, and not what it read."""
        later = [step for step in self.node.steps if step.site.leaf.startswith("residual")]
        following = [step for step in later if before.name in step.inputs]
        return before.name in norm.inputs and not following

    @property
    def kind(self) -> str:
        """Where this layer has its norms, in a sentence."""
        ways = self.additions
        blocks = [node for way in ways for node in way.branch if node.children]
        if len(blocks) > len(ways):
            return "One residual connection goes around all blocks of the layer."
        if any(way.norms for way in ways):
            return "Post-norm: each sum is normalised, so that the stream itself is."
        return "Pre-norm: each block reads a normalised copy of the stream, and adds to the stream itself."
