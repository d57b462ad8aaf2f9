"""The guides' own models, written as the guides have them, and the blocks that they draw.

What they compute differs from the paper: scores are not divided by √d, there is no output projection after attention,
and only one residual connection with one norm, after the feed-forward network: x¹ = LayerNorm(x⁰ + FF(attention(x⁰))).
What they draw has both residuals, each with a norm.

Letters: T tokens, d features.
"""

from __future__ import annotations

from dataclasses import dataclass

from txviz import ops
from txviz.nets import positions, stacks, vit
from txviz.nets.attention import attention
from txviz.nets.blocks import Block, feed_forward_shapes, sublayer
from txviz.nets.embedding import embed
from txviz.nets.layers import linear, norm
from txviz.nets.parameters import Shapes, under
from txviz.trace import Run, Step
from txviz.trace.leaves import Leaf, add_headings, declare

declare("input", {"all_patches": Leaf(r"X_{\mathrm{all}}")})
declare("ffn", {"product": Leaf(r"\bar{h}", "The first layer of the feed-forward network, before its bias.")})
declare(
    "self_attention",
    {"table": Leaf(r"A_{\mathrm{table}}", "The attention table, before any mask.", key="once")},
)
add_headings("input", {"all_patches": "All patches: the image as a sequence"})
add_headings("ffn", {"product": "Feed-forward, first layer: before its bias"})
add_headings("self_attention", {"table": "Attention table: before any mask"})


@dataclass(frozen=True)
class Guide:
    """How a guide's model is built. Its norms have no gain, no bias and no ε, so ``block.epsilon`` is 0."""

    block: Block
    layers: int
    pooling: str
    both_residuals: bool
    """As the guides draw a layer; what they compute has one, at its end."""

    scaled: bool
    """Whether scores are divided by √d_k."""


def layer_shapes(block: Block) -> Shapes:
    d = block.d_model
    projections: Shapes = {f"attention.{role}.weight": (d, d) for role in ("query", "key", "value")}
    return {**projections, **under("ffn", shapes=feed_forward_shapes(block))}


def sentence(run: Run, guide: Guide, tokens: Step, kind: positions.Line) -> Step:  # (T,) -> (d,)
    return stacks.pool(run, encoder(run, guide, embed(run, tokens, kind)), guide.pooling)


def image(
    run: Run, guide: Guide, picture: Step, kind: positions.Grid, patch: tuple[int, int], used: int | None = None
) -> Step:  # (rows,columns) -> (d,)
    """Patches, [CLS], positions, the layers, and one vector. ``used`` keeps only the first few patches."""
    if used is None:
        patches = vit.cut(run, picture, patch)
    else:
        everything = vit.cut(run, picture, patch, name="all_patches")
        labels = {"token": vit.patch_names(used)}
        patches = run(ops.select, "patches", everything, at=[0, used], axes="token pixel", labels=labels)
    with run.at(part="embed"):
        columns = picture.value.shape[-1] // patch[1]
        x = positions.add_grid(run, vit.project(run, patches), kind, patches, columns)
    return stacks.pool(run, encoder(run, guide, x), guide.pooling)


def encoder(run: Run, guide: Guide, x: Step) -> Step:  # (T,d) -> (T,d)
    layer = drawn_layer if guide.both_residuals else computed_layer
    for i in range(guide.layers):
        with run.at(part="encoder", layer=i):
            x = layer(run, guide, x)
    return stacks.finish(run, "encoder", x, guide.block)


def computed_layer(run: Run, guide: Guide, x: Step) -> Step:  # (T,d) -> (T,d)
    """LayerNorm(x + FF(attention(x)))."""
    made = feed_forward(run, attend(run, guide, x))
    added = run(ops.add, "residual_2", x, made, axes="token feature")
    return norm(run, "norm_2", added, guide.block.epsilon)


def drawn_layer(run: Run, guide: Guide, x: Step) -> Step:  # (T,d) -> (T,d)
    """Attention, then feed-forward, each with a residual and a norm, as in the paper."""
    x = sublayer(run, 1, x, guide.block, lambda y: attend(run, guide, y))
    return sublayer(run, 2, x, guide.block, lambda y: feed_forward(run, y))


def attend(run: Run, guide: Guide, x: Step) -> Step:  # (T,d) -> (T,d)
    with run.at(block="attention"):
        return attention(run, x, x, guide.block.heads, scaled=guide.scaled)


def feed_forward(run: Run, x: Step) -> Step:  # (T,d) -> (T,d)
    """As in the guide, the first bias is a step of its own."""
    with run.at(block="ffn"):
        product = run(ops.linear, "product", x, run.parameter("hidden.weight"), axes="token hidden")
        hidden = run(ops.add, "hidden", product, run.parameter("hidden.bias"), axes="token hidden")
        active = run(ops.relu, "activation", hidden, axes="token hidden")
        return linear(run, "output", active, axes="token feature")


def masked_attention(run: Run, table: Step) -> Step:  # (1,T,T) -> (1,T,T)
    """Attention weights back to scores, then masked and normalised again: each row up to its diagonal."""
    axes, size = "head query key", table.value.shape[-1]
    scores = run(ops.log, "scores", table, axes=axes)
    mask = run(ops.causal_mask, "causal", queries=size, keys=size, dtype=run.dtype, axes=axes, like=table)
    masked = run(ops.mask, "masked", scores, mask, axes=axes)
    return run(ops.softmax, "weights", masked, axes=axes)
