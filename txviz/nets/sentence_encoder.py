"""An encoder over words: BERT and sentence transformers. The tokens' vectors are pooled into one.

Letters: T tokens, d features.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from txviz import ops
from txviz.nets import positions, stacks
from txviz.nets.blocks import Block
from txviz.nets.parameters import Shapes
from txviz.trace import Run, Step


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


def embed(run: Run, tokens: Step, kind: positions.Line, scaled: bool = False, start: int = 0) -> Step:  # (T,) -> (T,d)
    """Table rows plus positions. The paper multiplies the rows by √d first (``scaled``)."""
    with run.scope("embed"):
        table = run.parameter("tokens.table")
        x = run(ops.lookup, "tokens", tokens, table, axes="token feature")
        if scaled:
            x = run(ops.scale, "scaled", x, base=x.value.shape[-1], exponent=0.5, axes="token feature")
        return positions.add_line(run, x, kind, start)
