"""Blocks on top of each other, and what stands before and after them: embeddings, masks, pooling and heads.

Letters: T tokens, d features, V entries of a vocabulary or classes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from txviz import ops
from txviz.nets.attention import Cache
from txviz.nets.blocks import Block, decoder_block, decoder_shapes, encoder_block, encoder_shapes
from txviz.nets.claims import SUM
from txviz.nets.layers import linear, linear_shapes, norm, norm_shapes
from txviz.nets.parameters import Shapes, under
from txviz.trace import Parameter, Run, Step
from txviz.trace.leaves import Leaf, add_headings, declare

declare(
    "mask self_attention",
    {
        "causal": Leaf("M", "Who may look where: nobody at what comes later."),
        "padding": Leaf(r"M_{\mathrm{pad}}", "Who may be looked at: nobody looks at padding."),
    },
)
declare(
    "pool",
    {
        "cls": Leaf("c", "The [CLS] token's vector, which stands for the whole input.", "[CLS]", key="each"),
        "mean": Leaf("c", "The average of all tokens' vectors, which stands for the whole input.", key="each"),
    },
)
declare(
    "head",
    {
        "products": Leaf(
            r"\bar{z}", "How well what the model knows fits the vector of each word, of the same table as the input."
        ),
        "logits": Leaf("z", "A score for each answer, before softmax."),
        "probabilities": Leaf(
            "p", "How likely the model thinks each answer is; each row sums to 1.", key="block", claims=(SUM,)
        ),
        "prediction": Leaf(r"\hat{y}", "The answer with the highest probability.", key="each"),
        "weight": Leaf(r"W_{\mathrm{head}}"),
        "bias": Leaf(r"b_{\mathrm{head}}"),
    },
)
add_headings(
    "mask self_attention",
    {
        "causal": "Causal mask: nobody sees what comes later",
        "padding": "Padding mask: nobody looks at padding",
    },
)
add_headings("pool", {"cls": "[CLS]: one vector for the whole input", "mean": "Mean: one vector for the whole input"})
add_headings(
    "head",
    {
        "logits": "Logits: a score for each answer",
        "probabilities": "Probabilities: how likely each answer is",
        "prediction": "Prediction: the likeliest answer",
    },
)
add_headings("head", {"products": "Products: how well each word fits"})


def stack_shapes(block: Block, layers: int, stack: str, cross: bool = False) -> Shapes:
    """``layers`` blocks; pre-norm needs one more norm at the end, since its last residual is not normalised."""
    if cross:
        one = decoder_shapes(block)
    else:
        one = encoder_shapes(block, "attention" if stack == "encoder" else "self_attention")
    shapes = {name: shape for i in range(layers) for name, shape in under(stack, i, shapes=one).items()}
    return {**shapes, **norm_shapes(f"{stack}.norm", block.d_model, block.biases)} if block.norm == "pre" else shapes


def encoder(
    run: Run, x: Step, block: Block, layers: int, masks: Sequence[Step] = (), bias: Step | None = None
) -> Step:  # (T,d) -> (T,d)
    for i in range(layers):
        with run.at(part="encoder", layer=i):
            x = encoder_block(run, x, block, masks, bias=bias)
    return finish(run, "encoder", x, block)


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
        with run.at(part="decoder", layer=i):
            if memory is None:
                x = encoder_block(run, x, block, masks, attention="self_attention", cache=cache)
            else:
                x = decoder_block(run, x, memory, block, masks, memory_masks, cache)
    return finish(run, "decoder", x, block)


def finish(run: Run, stack: str, x: Step, block: Block) -> Step:  # (T,d) -> (T,d)
    """Nobody has normalised the last sum of a pre-norm stack yet."""
    with run.at(part=stack):
        return norm(run, "norm", x, block.epsilon) if block.norm == "pre" else x


def has_padding(tokens: Step, padding: int | None) -> bool:
    return padding is not None and bool((tokens.value == padding).any())


def padding_masks(run: Run, tokens: Step, padding: int | None) -> list[Step]:  # (T,) -> (1,1,T), or no mask
    """The mask that hides padding, where there is any."""
    if not has_padding(tokens, padding):
        return []
    axes = "head query key:token"
    with run.inside("mask"):
        return [run(ops.padding_mask, "padding", tokens, padding=padding, dtype=run.dtype, axes=axes)]


def causal(run: Run, x: Step, start: int = 0) -> Step:  # (T,d) -> (1,T,start+T)
    """Nobody looks ahead. With a cache the queries begin at position ``start``, and the keys still at 0."""
    size, axes = x.value.shape[-2], "head query:token key:token"
    reach: dict[str, Any] = {"queries": size, "keys": start + size, "start": start, "dtype": run.dtype}
    with run.inside("mask"):
        return run(ops.causal_mask, "causal", axes=axes, like=x, **reach)


def pool(
    run: Run, x: Step, pooling: str, tokens: Step | None = None, padding: int | None = None
) -> Step:  # (T,d) -> (d,)
    """One vector for the whole input: the first token's, or the mean of all that are not padding."""
    with run.at(part="pool"):
        if pooling == "cls":
            return run(ops.select, "cls", x, at=0, axes="feature")
        if tokens is None or not has_padding(tokens, padding):
            return run(ops.mean_pool, "mean", x, axes="feature")
        return run(ops.mean_pool, "mean", x, tokens, padding=padding, axes="feature")


def head_shapes(d_model: int, outputs: int, biases: bool = True) -> Shapes:
    return linear_shapes("head", d_model, outputs, biases)


def logits(
    run: Run, x: Step, axes: str, labels: tuple[str, ...], table: Parameter | None = None
) -> Step:  # (...,d) -> (...,V)
    """A score for each of the last axis' labels. A tied head has no weights but the embedding's ``table``, turned, and
    perhaps a bias."""
    named = {axes.split()[-1]: labels}
    with run.at(part="head"):
        if table is None:
            return linear(run, "logits", x, axes, layer="", labels=named)
        bias = run.present("bias")
        products = run(ops.matmul, "products" if bias else "logits", x, table, transpose=True, axes=axes, labels=named)
        return run(ops.add, "logits", products, *bias, axes=axes) if bias else products


def token_table(run: Run) -> Parameter:
    with run.inside("embed"):
        return run.parameter("tokens.table")


def probabilities(run: Run, scores: Step) -> Step:  # (...,V) -> (...,V)
    with run.at(part="head"):
        return run(ops.softmax, "probabilities", scores, axes=scores.axis_names)


def predict(run: Run, likely: Step, labels: tuple[str, ...]) -> str:  # (K,) -> the name of the likeliest
    with run.at(part="head"):
        best = run(ops.argmax, "prediction", likely, axes="")
    return labels[int(best.value)]
