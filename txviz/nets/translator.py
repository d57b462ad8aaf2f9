"""The encoder–decoder of "Attention Is All You Need", in one pass: the whole target is known (teacher forcing).

Letters: S source tokens, T target tokens, d features, V entries of the vocabulary that both sides share.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from txviz.nets import positions, stacks
from txviz.nets.attention import Cache
from txviz.nets.blocks import Block
from txviz.nets.embedding import embed
from txviz.nets.parameters import Shapes
from txviz.trace import Run, Step


@dataclass(frozen=True)
class Translator:
    block: Block
    encoder_layers: int
    decoder_layers: int
    vocabulary: tuple[str, ...]
    longest: int
    positions: positions.Line = "sinusoidal"
    padding: int | None = 0
    """None where the decoder may see it, since it is also what a text starts with, and the source has none."""

    scaled_embeddings: bool = True
    tied_head: bool = False


def shapes(config: Translator) -> Shapes:
    width, size = config.block.d_model, len(config.vocabulary)
    return {
        "embed.tokens.table": (size, width),
        **positions.line_shapes(config.positions, config.longest, width),
        "decoder.embed.tokens.table": (size, width),
        **{
            f"decoder.{name}": shape
            for name, shape in positions.line_shapes(config.positions, config.longest, width).items()
        },
        **stacks.stack_shapes(config.block, config.encoder_layers, "encoder"),
        **stacks.stack_shapes(config.block, config.decoder_layers, "decoder", cross=True),
        **({} if config.tied_head else stacks.head_shapes(width, size)),
    }


def encode(run: Run, config: Translator, source: Step) -> tuple[Step, Sequence[Step]]:  # (S,) -> (S,d)
    """The memory that every decoder layer looks at, and the mask that keeps its padding out of sight."""
    masks = stacks.padding_masks(run, source, config.padding)
    x = embed(run, source, config.positions, config.scaled_embeddings)
    return stacks.encoder(run, x, config.block, config.encoder_layers, masks), masks


def decode(
    run: Run,
    config: Translator,
    target: Step,
    memory: Step,
    memory_masks: Sequence[Step],
    cache: Cache | None = None,
    start: int = 0,
) -> Step:  # (T,), (S,d) -> (T,V)
    """Logits of the token that follows each position of the target, which begins at position ``start``."""
    with run.at(part="decoder"):
        x = embed(run, target, config.positions, config.scaled_embeddings, start)
        masks = [stacks.causal(run, x, start), *stacks.padding_masks(run, target, config.padding)]
        table = stacks.token_table(run) if config.tied_head else None
    x = stacks.decoder(run, x, config.block, config.decoder_layers, masks, memory, memory_masks, cache)
    return stacks.logits(run, x, "token vocabulary", config.vocabulary, table)


def forward(run: Run, config: Translator, source: Step, target: Step) -> Step:  # (S,), (T,) -> (T,V)
    """Logits with the whole target known: every position in one pass (teacher forcing)."""
    memory, masks = encode(run, config, source)
    return decode(run, config, target, memory, masks)
