"""Blocks on top of each other, and what stands before and after them: embeddings, masks, pooling and heads.

Letters: T tokens, d features, V entries of a vocabulary or classes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from txviz import ops
from txviz.nets.attention import Cache
from txviz.nets.blocks import Block, decoder_block, decoder_shapes, encoder_block, encoder_shapes
from txviz.nets.layers import linear, linear_shapes, norm, norm_shapes
from txviz.nets.parameters import Shapes, under
from txviz.trace import Run, Step
from txviz.trace.backward import axes_of


def stack_shapes(block: Block, layers: int, stack: str, cross: bool = False) -> Shapes:
    """``layers`` blocks; pre-norm needs one more norm at the end, since its last residual is not normalised."""
    if cross:
        one = decoder_shapes(block)
    else:
        one = encoder_shapes(block, "attention" if stack == "encoder" else "self_attention")
    shapes = {name: shape for i in range(layers) for name, shape in under(stack, i, shapes=one).items()}
    return {**shapes, **norm_shapes(f"{stack}.norm", block.d_model, block.biases)} if block.norm == "pre" else shapes


def encoder(run: Run, x: Step, block: Block, layers: int, masks: Sequence[Step] = ()) -> Step:  # (T,d) -> (T,d)
    for i in range(layers):
        with run.scope("encoder", i):
            x = encoder_block(run, x, block, masks)
    return _finish(run, "encoder", x, block)


def decoder(
    run: Run,
    x: Step,
    block: Block,
    layers: int,
    masks: Sequence[Step],
    memory: Step | None = None,
    memory_masks: Sequence[Step] = (),
    cache: Cache | None = None,
) -> Step:  # (T,d)[, (Tk,d)] -> (T,d)
    """With a memory, each block also attends to it (encoder–decoder); without one, it is a decoder-only model."""
    for i in range(layers):
        with run.scope("decoder", i):
            if memory is None:
                x = encoder_block(run, x, block, masks, attention="self_attention", cache=cache)
            else:
                x = decoder_block(run, x, memory, block, masks, memory_masks, cache)
    return _finish(run, "decoder", x, block)


def _finish(run: Run, stack: str, x: Step, block: Block) -> Step:  # (T,d) -> (T,d)
    return norm(run, f"{stack}.norm", x, block.epsilon) if block.norm == "pre" else x


def has_padding(tokens: Step, padding: int | None) -> bool:
    return padding is not None and bool((tokens.value == padding).any())


def padding_masks(run: Run, tokens: Step, padding: int | None) -> list[Step]:  # (T,) -> (1,1,T), or no mask
    """The mask that hides padding, where there is any."""
    if not has_padding(tokens, padding):
        return []
    axes = "head query key:token"
    return [run(ops.padding_mask, "mask.padding", tokens, padding=padding, dtype=run.dtype, axes=axes)]


def causal(run: Run, x: Step, start: int = 0) -> Step:  # (T,d) -> (1,T,start+T)
    """Nobody looks ahead. With a cache the queries begin at position ``start``, and the keys still at 0."""
    size, axes = x.value.shape[-2], "head query:token key:token"
    reach: dict[str, Any] = {"queries": size, "keys": start + size, "start": start, "dtype": run.dtype}
    return run(ops.causal_mask, "mask.causal", axes=axes, like=x, **reach)


def pool(
    run: Run, x: Step, pooling: str, tokens: Step | None = None, padding: int | None = None
) -> Step:  # (T,d) -> (d,)
    """One vector for the whole input: the first token's, or the mean of all that are not padding."""
    if pooling == "cls":
        return run(ops.select, "pool.cls", x, at=0, axes="feature")
    if tokens is None or not has_padding(tokens, padding):
        return run(ops.mean_pool, "pool.mean", x, axes="feature")
    return run(ops.mean_pool, "pool.mean", x, tokens, padding=padding, axes="feature")


def head_shapes(d_model: int, outputs: int, biases: bool = True) -> Shapes:
    return linear_shapes("head", d_model, outputs, biases)


def logits(run: Run, x: Step, axes: str, labels: tuple[str, ...], tied_to: str = "") -> Step:  # (...,d) -> (...,V)
    """A score for each of the last axis' labels. A tied head uses the table of that name, turned round."""
    named = {axes.split()[-1]: labels}
    if tied_to:
        table = run.parameter(tied_to)
        return run(ops.matmul, "head.logits", x, table, transpose=True, axes=axes, labels=named)
    return linear(run, "head.logits", x, axes, layer="head", labels=named)


def probabilities(run: Run, scores: Step) -> Step:  # (...,V) -> (...,V)
    return run(ops.softmax, "head.probabilities", scores, axes=axes_of(scores))


def predict(run: Run, likely: Step, labels: tuple[str, ...]) -> str:  # (K,) -> the name of the likeliest
    best = run(ops.argmax, "head.prediction", likely, axes="")
    return labels[int(best.value)]
