"""The paper's blocks: attention and feed-forward, each with a residual connection and a layer norm.

Letters: T tokens (Tk of the memory), d features, F features of the feed-forward network's hidden layer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from txviz import ops
from txviz.nets import attention as attn
from txviz.nets.attention import Cache
from txviz.nets.layers import linear, linear_shapes, norm, norm_leaves, norm_shapes
from txviz.nets.parameters import Shapes, under
from txviz.trace import Run, Step
from txviz.trace.leaves import Leaf, add_headings, declare, reword

declare(
    "encoder decoder",
    {
        "residual_1": Leaf("r_1", "What attention found is added to each token, so that nothing is lost."),
        "residual_2": Leaf("r_2", "What this block found is added to each token, so that nothing is lost.", key="end"),
        "residual_3": Leaf(
            "r_3", "What the feed-forward network found is added to each token, so that nothing is lost.", key="end"
        ),
        **{name: leaf for n in ("", "_1", "_2", "_3") for name, leaf in norm_leaves(f"norm{n}", n).items()},
    },
)
reword(
    "encoder", {"norm": "The encoder's output: each token with its meaning, its place and what the others add to it."}
)
reword(
    "decoder", {"norm": "The decoder's output: what it knows after each token, from which the head predicts the next."}
)
declare(
    "ffn",
    {
        "hidden": Leaf("h", "The first layer of the feed-forward network: each token on its own, in a wider space."),
        "activation": Leaf(
            "a", "The bend in the middle of the feed-forward network, without which it would be one matrix."
        ),
        "output": Leaf("F", "The second layer of the feed-forward network: back to the model's width.", key="once"),
        "hidden.weight": Leaf("W_1"),
        "hidden.bias": Leaf("b_1"),
        "output.weight": Leaf("W_2"),
        "output.bias": Leaf("b_2"),
    },
)
add_headings(
    "encoder decoder",
    {
        "residual_1": "Residual: each token plus what attention found",
        "residual_2": "Residual: each token plus what the block found",
        "residual_3": "Residual: each token plus what the network found",
        "norm_1": "Layer norm: each token on the same scale",
        "norm_2": "Layer norm: each token on the same scale",
        "norm_3": "Layer norm: each token on the same scale",
    },
)
add_headings("encoder", {"norm": "Encoder output: each token as the others explain it"})
add_headings("decoder", {"norm": "Decoder output: what the next token is predicted from"})
add_headings(
    "ffn",
    {
        "hidden": "Feed-forward, first layer: each token by itself",
        "activation": "Activation: the bend in the feed-forward network",
        "output": "Feed-forward, second layer: back to the model’s width",
    },
)

ACTIVATIONS = {"relu": ops.relu, "gelu_tanh": ops.gelu_tanh, "gelu_erf": ops.gelu_erf, "silu": ops.silu}


@dataclass(frozen=True)
class Block:
    """What all layers of a stack have in common. A head has d_model / heads features."""

    d_model: int
    heads: int
    d_ff: int
    norm: Literal["pre", "post"] = "post"
    activation: Literal["relu", "gelu_tanh", "gelu_erf", "silu"] = "relu"
    biases: bool = True
    epsilon: float = 1e-5


def encoder_shapes(block: Block, attention: str = "attention") -> Shapes:
    return {
        **under(attention, shapes=attn.shapes(block.d_model, block.biases)),
        **under("ffn", shapes=feed_forward_shapes(block)),
        **norm_shapes("norm_1", block.d_model, block.biases),
        **norm_shapes("norm_2", block.d_model, block.biases),
    }


def decoder_shapes(block: Block) -> Shapes:
    return {
        **encoder_shapes(block, "self_attention"),
        **under("cross_attention", shapes=attn.shapes(block.d_model, block.biases)),
        **norm_shapes("norm_3", block.d_model, block.biases),
    }


def feed_forward_shapes(block: Block) -> Shapes:
    hidden = linear_shapes("hidden", block.d_model, block.d_ff, block.biases)
    return {**hidden, **linear_shapes("output", block.d_ff, block.d_model, block.biases)}


def encoder_block(
    run: Run,
    x: Step,
    block: Block,
    masks: Sequence[Step] = (),
    attention: str = "attention",
    cache: Cache | None = None,
    bias: Step | None = None,
) -> Step:  # (T,d) -> (T,d)
    """Self-attention, then feed-forward. With a causal mask this is a block of a decoder-only model. A ``bias``
    (H,T,T) is added to the scores."""
    x = sublayer(run, 1, x, block, lambda y: attend_to(run, attention, y, y, block, masks, cache, bias))
    return sublayer(run, 2, x, block, lambda y: feed_forward(run, y, block))


def decoder_block(
    run: Run,
    x: Step,
    memory: Step,
    block: Block,
    masks: Sequence[Step],
    memory_masks: Sequence[Step] = (),
    cache: Cache | None = None,
) -> Step:  # (T,d), (Tk,d) -> (T,d)
    """Masked self-attention, then cross-attention to the encoder's output, then feed-forward."""
    x = sublayer(run, 1, x, block, lambda y: attend_to(run, "self_attention", y, y, block, masks, cache))
    x = sublayer(run, 2, x, block, lambda y: attend_to(run, "cross_attention", y, memory, block, memory_masks, cache))
    return sublayer(run, 3, x, block, lambda y: feed_forward(run, y, block))


def sublayer(run: Run, n: int, x: Step, block: Block, inner: Callable[[Step], Step]) -> Step:  # (T,d) -> (T,d)
    """Pre-norm is x + inner(norm(x)); post-norm, as in the paper, is norm(x + inner(x))."""
    if block.norm == "pre":
        return run(ops.add, f"residual_{n}", x, inner(norm(run, f"norm_{n}", x, block.epsilon)), axes="token feature")
    added = run(ops.add, f"residual_{n}", x, inner(x), axes="token feature")
    return norm(run, f"norm_{n}", added, block.epsilon)


def attend_to(
    run: Run,
    name: str,
    x: Step,
    memory: Step,
    block: Block,
    masks: Sequence[Step],
    cache: Cache | None,
    bias: Step | None = None,
) -> Step:  # (T,d), (Tk,d) -> (T,d)
    with run.at(block=name):
        return attn.attention(run, x, memory, block.heads, masks, cache=cache, bias=bias)


def feed_forward(run: Run, x: Step, block: Block) -> Step:  # (T,d) -> (T,d)
    """activation(x W₁ + b₁) W₂ + b₂, each token on its own."""
    with run.at(block="ffn"):
        hidden = linear(run, "hidden", x, axes="token hidden")
        active = run(ACTIVATIONS[block.activation], "activation", hidden, axes="token hidden")
        return linear(run, "output", active, axes="token feature")
