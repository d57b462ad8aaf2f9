"""The decoder-only model of GPT: masked self-attention, and after every token a guess at the next.

Letters: T tokens, d features, V entries of the vocabulary.
"""

from __future__ import annotations

from dataclasses import dataclass

from txviz.nets import positions, stacks
from txviz.nets.attention import Cache
from txviz.nets.blocks import Block
from txviz.nets.embedding import embed
from txviz.nets.parameters import Shapes
from txviz.trace import Run, Step


@dataclass(frozen=True)
class Writer:
    block: Block
    layers: int
    vocabulary: tuple[str, ...]
    longest: int
    positions: positions.Line = "learned"
    padding: int | None = None
    tied_head: bool = True


def shapes(config: Writer) -> Shapes:
    width, size = config.block.d_model, len(config.vocabulary)
    return {
        "embed.tokens.table": (size, width),
        **positions.line_shapes(config.positions, config.longest, width),
        **stacks.stack_shapes(config.block, config.layers, "decoder"),
        **({} if config.tied_head else stacks.head_shapes(width, size, biases=False)),
    }


def forward(
    run: Run, config: Writer, tokens: Step, cache: Cache | None = None, start: int = 0
) -> Step:  # (T,) -> (T,V)
    """Logits of the token that follows each position, of which the first is position ``start``."""
    x = embed(run, tokens, config.positions, start=start)
    masks = [stacks.causal(run, x, start), *stacks.padding_masks(run, tokens, config.padding)]
    x = stacks.decoder(run, x, config.block, config.layers, masks, cache=cache)
    table = stacks.token_table(run) if config.tied_head else None
    return stacks.logits(run, x, "token vocabulary", config.vocabulary, table)
