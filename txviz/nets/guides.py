"""The guides' own models, written as the guides have them.

They differ from the paper: scores are not divided by √d, there is no output projection after attention, and only one
residual connection with one norm, after the feed-forward network: x¹ = LayerNorm(x⁰ + FF(attention(x⁰))).

Letters: T tokens, d features.
"""

from __future__ import annotations

from txviz import ops
from txviz.nets import positions, stacks, vit
from txviz.nets.attention import attention
from txviz.nets.embedding import embed
from txviz.nets.layers import linear
from txviz.trace import Run, Step
from txviz.trace.leaves import Leaf, declare

declare("input", {"all_patches": Leaf(r"X_{\mathrm{all}}")})
declare("ffn", {"product": Leaf(r"\bar{h}", "The first layer of the feed-forward network, before its bias.")})
declare(
    "self_attention",
    {"table": Leaf(r"A_{\mathrm{table}}", "The attention table as it is printed, before any mask.", key=True)},
)


def block(run: Run, x: Step) -> Step:  # (T,d) -> (T,d)
    """LayerNorm(x + FF(attention(x))). As in the guide, the first bias of FF is a step of its own."""
    with run.at(part="encoder", layer=0):
        with run.at(block="attention"):
            attended = attention(run, x, x, heads=1, scaled=False)
        with run.at(block="ffn"):
            product = run(ops.linear, "product", attended, run.parameter("hidden.weight"), axes="token hidden")
            hidden = run(ops.add, "hidden", product, run.parameter("hidden.bias"), axes="token hidden")
            active = run(ops.relu, "activation", hidden, axes="token hidden")
            made = linear(run, "output", active, axes="token feature")
        added = run(ops.add, "residual_2", x, made, axes="token feature")
        return run(ops.layer_norm, "norm_2", added, epsilon=0, axes="token feature")


def sentence(run: Run, tokens: Step, pooling: str) -> Step:  # (T,) -> (d,)
    return stacks.pool(run, block(run, embed(run, tokens, "learned")), pooling)


def image(run: Run, picture: Step, patch: tuple[int, int], used: int | None = None) -> Step:  # (rows,columns) -> (d,)
    """Patches, [CLS], positions, one block, and the [CLS] token's vector. ``used`` keeps only the first few patches."""
    if used is None:
        patches = vit.cut(run, picture, patch)
    else:
        everything = vit.cut(run, picture, patch, name="all_patches")
        labels = {"token": vit.patch_names(used)}
        patches = run(ops.select, "patches", everything, at=[0, used], axes="token pixel", labels=labels)
    with run.at(part="embed"):
        x = positions.add_line(run, vit.project(run, patches), "learned")
    return stacks.pool(run, block(run, x), "cls")


def masked_attention(run: Run, table: Step) -> Step:  # (1,T,T) -> (1,T,T)
    """Attention weights back to scores, then masked and normalised again: each row up to its diagonal."""
    axes, size = "head query key", table.value.shape[-1]
    scores = run(ops.log, "scores", table, axes=axes)
    mask = run(ops.causal_mask, "causal", queries=size, keys=size, dtype=run.dtype, axes=axes, like=table)
    masked = run(ops.mask, "masked", scores, mask, axes=axes)
    return run(ops.softmax, "weights", masked, axes=axes)
