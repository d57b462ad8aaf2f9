"""An encoder over words: BERT and sentence transformers. The tokens' vectors are pooled into one.

Letters: T tokens, d features.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from txviz import ops
from txviz.nets import positions, stacks
from txviz.nets.blocks import Block
from txviz.nets.embedding import embed
from txviz.nets.parameters import Shapes
from txviz.trace import Run, Step
from txviz.trace.leaves import Leaf, add_headings, declare

declare(
    "pool",
    {
        "unit": Leaf(
            r"\hat{c}", "The sentence's vector made to length 1, so that only its direction counts.", "unit vector"
        )
    },
)
declare(
    "similarity",
    {
        "cosine": Leaf(
            "s", "How alike the two sentences are: the cosine of the angle between their vectors.", key="each"
        )
    },
)
add_headings("pool", {"unit": "Unit vector: only the direction counts"})
add_headings("similarity", {"cosine": "Cosine: how alike the two sentences are"})


@dataclass(frozen=True)
class SentenceEncoder:
    block: Block
    layers: int
    vocabulary: int
    longest: int
    positions: positions.Line = "learned"
    pooling: Literal["mean", "cls"] = "mean"
    padding: int | None = None


def shapes(config: SentenceEncoder) -> Shapes:
    width = config.block.d_model
    return {
        "embed.tokens.table": (config.vocabulary, width),
        **positions.line_shapes(config.positions, config.longest, width),
        **stacks.stack_shapes(config.block, config.layers, "encoder"),
    }


def forward(run: Run, config: SentenceEncoder, tokens: Step) -> Step:  # (T,) -> (d,)
    masks = stacks.padding_masks(run, tokens, config.padding)
    x = embed(run, tokens, config.positions)
    x = stacks.encoder(run, x, config.block, config.layers, masks)
    return stacks.pool(run, x, config.pooling, tokens, config.padding)


def similarity(run: Run, vector: Callable[[int], Step]) -> Step:  # -> ()
    """The cosine of two sentences, each encoded on its own; ``vector`` encodes the first (0) and the second (1)."""
    units = []
    for i, sentence in enumerate(("first", "second")):
        with run.at(sentence=sentence):
            units.append(unit(run, vector(i)))
    with run.at(part="similarity"):
        return run(ops.dot, "cosine", *units, axes="")


def unit(run: Run, pooled: Step) -> Step:  # (d,) -> (d,)
    with run.at(part="pool"):
        return run(ops.unit, "unit", pooled, axes="feature")
