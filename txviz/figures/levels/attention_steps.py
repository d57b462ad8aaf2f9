"""The steps of an attention block by what they are for, found by their reads; a step put in by hand by its leaf."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from txviz.figures.levels.composed import composed
from txviz.figures.views.heads import AXES
from txviz.trace import Step
from txviz.trace.outline import Node
from txviz.trace.symbols import symbol

MASKS = ("causal_mask", "padding_mask")


@dataclass(frozen=True, eq=False)
class AttentionSteps:
    node: Node

    @cached_property
    def chain(self) -> tuple[Step, ...]:
        """One number for each query and key: from the first scores to the weights."""
        return tuple(step for step in self.node.steps if step.axes[-3:] == AXES and step.op not in MASKS)

    @property
    def weights(self) -> Step:
        return self.chain[-1]

    @property
    def heads(self) -> int:
        return int(self.weights.value.shape[-3])

    @cached_property
    def added(self) -> dict[str, tuple[Step, ...]]:
        """What was added to the scores, masks and numbers for distances, by the name of the step that did."""
        return {step.name: _steps(step)[1:] for step in self.chain if step.op in ("mask", "add")}

    @cached_property
    def scores(self) -> Step | None:
        """The product of queries and keys."""
        return next((step for step in self.chain if step.op == "matmul"), None)

    @cached_property
    def query(self) -> Step | None:
        return _steps(self.scores)[0] if self.scores else self._leaf("query")

    @cached_property
    def key(self) -> Step | None:
        return _steps(self.scores)[1] if self.scores else self._leaf("keys") or self._leaf("key")

    @cached_property
    def value(self) -> Step | None:
        if self.context is not None and self.context.op == "matmul":
            return _steps(self.context)[1]
        return self._leaf("values") or self._leaf("value")

    @cached_property
    def context(self) -> Step | None:
        """The values, mixed by the weights."""
        return self._leaf("context")

    @cached_property
    def merged(self) -> Step | None:
        return self._leaf("merged")

    @cached_property
    def output(self) -> Step | None:
        return self._leaf("output")

    @cached_property
    def asking(self) -> Step | None:
        """Where the queries come from."""
        return origin(self.query)

    @cached_property
    def answering(self) -> Step | None:
        """Where the keys and values come from."""
        return origin(self.key)

    @property
    def crosses(self) -> bool:
        """Whether one sequence asks another."""
        return self.asking is not None and self.answering is not None and self.asking is not self.answering

    @property
    def formulas(self) -> list[str]:
        """The whole block as one formula, put together from those of its operations; the output, and the widths."""
        result, output, merged = self.context or self.weights, self.output, self.merged
        found = [composed(result, (*self.chain, result))]
        if output is not None and output.sources and merged is not None and merged.sources:
            joined = merged.operation.formula(symbol(result.site))
            learned = (symbol(source.site) for source in output.sources[1:])
            found.append(f"{symbol(output.site)} = {output.operation.formula(joined, *learned)}")
        narrower = output is not None and merged is not None and output.value.shape != merged.value.shape
        if self.query is not None and merged is not None and not narrower:
            model, wide, heads = merged.value.shape[-1], self.query.value.shape[-1], self.heads
            share = rf"\frac{{d_{{\mathrm{{model}}}}}}{{h}} = \frac{{{model}}}{{{heads}}}"
            found.append(f"d_k = d_v = {share} = {wide}")
        return found

    def projection(self, step: Step | None) -> Step | None:
        """The learned layer of this block that a step was split from."""
        made = step and next((each for each in lineage(step) if each.op == "linear"), None)
        return made if made in self.node.steps else None

    def _leaf(self, leaf: str) -> Step | None:
        return next((step for step in self.node.steps if step.site.leaf == leaf), None)


def lineage(step: Step) -> list[Step]:
    """The step, and what it was made from inside its block, back to what the block read; that is the last."""
    found = [step]
    while found[-1].site.block == step.site.block and _steps(found[-1]):
        found.append(_steps(found[-1])[-1])
    return found


def origin(step: Step | None) -> Step | None:
    """What the block read to make this step; nothing where it was put in by hand."""
    if step is None:
        return None
    last = lineage(step)[-1]
    return None if last.site.block == step.site.block else last


def _steps(step: Step) -> tuple[Step, ...]:
    return tuple(source for source in step.sources if isinstance(source, Step))
