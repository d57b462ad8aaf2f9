"""T5: an encoder–decoder that reads every task as a text, and knows places only by how far apart two tokens stand.

Letters: S source tokens, T target tokens, d features, H heads of D features, F hidden features, V entries of the
vocabulary that both sides share.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from txviz import ops
from txviz.nets import attention as attn
from txviz.nets import blocks, llama, stacks
from txviz.nets import distances as dist
from txviz.nets.attention import Cache
from txviz.nets.blocks import ACTIVATIONS, Block
from txviz.nets.distances import Distances
from txviz.nets.embedding import embed
from txviz.nets.layers import linear_shapes, norm_shapes
from txviz.nets.parameters import Shapes, under
from txviz.trace import Run, Step
from txviz.trace.leaves import Leaf, add_headings, declare

declare(
    "head",
    {"scaled": Leaf(r"\tilde{y}", "The vectors made smaller, since the table that they are compared with is large.")},
)
add_headings("head", {"scaled": "Scaled output: made to fit the table of the tokens"})

_AXES = "token feature"


@dataclass(frozen=True)
class T5:
    block: Block
    d_head: int
    encoder_layers: int
    decoder_layers: int
    vocabulary: tuple[str, ...]
    longest: int
    distances: Distances
    gated: bool = False
    """Whether a gate stands in the feed-forward network, as since version 1.1."""

    scaled_output: bool = True
    tied_head: bool = True


def shapes(config: T5) -> Shapes:
    width, size = config.block.d_model, len(config.vocabulary)
    table = dist.shapes(config.distances, config.block.heads)
    return {
        "embed.tokens.table": (size, width),
        **table,
        "decoder.embed.tokens.table": (size, width),
        **under("decoder", shapes=table),
        **_stack_shapes(config, "encoder", config.encoder_layers, {"attention": "norm_1", "ffn": "norm_2"}),
        **_stack_shapes(
            config,
            "decoder",
            config.decoder_layers,
            {"self_attention": "norm_1", "cross_attention": "norm_2", "ffn": "norm_3"},
        ),
        **({} if config.tied_head else stacks.head_shapes(width, size, biases=False)),
    }


def _stack_shapes(config: T5, stack: str, layers: int, norms: Mapping[str, str]) -> Shapes:
    """By the blocks of a layer, each with the norm before it."""
    width = config.block.d_model
    one: Shapes = {}
    for block, norm in norms.items():
        inner = _feed_forward_shapes(config) if block == "ffn" else _attention_shapes(config)
        one |= {**norm_shapes(norm, width, biases=False), **under(block, shapes=inner)}
    every = (under(stack, i, shapes=one) for i in range(layers))
    shapes = {name: shape for layer in every for name, shape in layer.items()}
    return {**shapes, **norm_shapes(f"{stack}.norm", width, biases=False)}


def _attention_shapes(config: T5) -> Shapes:
    """All heads together may be wider than the model, or narrower."""
    width, inner = config.block.d_model, config.block.heads * config.d_head
    asked = (linear_shapes(role, width, inner, biases=False) for role in ("query", "key", "value"))
    return {
        name: shape
        for role in (*asked, linear_shapes("output", inner, width, biases=False))
        for name, shape in role.items()
    }


def _feed_forward_shapes(config: T5) -> Shapes:
    gate = linear_shapes("gate", config.block.d_model, config.block.d_ff, biases=False) if config.gated else {}
    return {**gate, **blocks.feed_forward_shapes(config.block)}


def encode(run: Run, config: T5, source: Step) -> Step:  # (S,) -> (S,d)
    """The memory that every decoder layer looks at."""
    x = embed(run, source, "none")
    bias = dist.bias(run, x, config.distances)
    for i in range(config.encoder_layers):
        with run.at(part="encoder", layer=i):
            x = sublayer(run, 1, x, config, lambda y: attend(run, config, "attention", y, y, bias=bias))
            x = sublayer(run, 2, x, config, lambda y: feed_forward(run, config, y))
    with run.at(part="encoder"):
        return llama.rms_norm(run, "norm", x, config.block.epsilon)


def decode(
    run: Run, config: T5, target: Step, memory: Step, cache: Cache | None = None, start: int = 0
) -> Step:  # (T,), (S,d) -> (T,V)
    """Logits of the token that follows each position of the target, which begins at position ``start``."""
    with run.at(part="decoder"):
        x = embed(run, target, "none")
        mask = stacks.causal(run, x, start)
        bias = dist.bias(run, x, replace(config.distances, both_ways=False), start)
        table = stacks.token_table(run) if config.tied_head else None
    for i in range(config.decoder_layers):
        with run.at(part="decoder", layer=i):
            x = decoder_layer(run, config, x, memory, mask, bias, cache)
    with run.at(part="decoder"):
        x = llama.rms_norm(run, "norm", x, config.block.epsilon)
    if config.scaled_output:
        with run.at(part="head"):
            x = run(ops.scale, "scaled", x, base=config.block.d_model, exponent=-0.5, axes=_AXES)
    return stacks.logits(run, x, "token vocabulary", config.vocabulary, table)


def decoder_layer(
    run: Run, config: T5, x: Step, memory: Step, mask: Step, bias: Step, cache: Cache | None
) -> Step:  # (T,d), (S,d), (1,T,Tk), (H,T,Tk) -> (T,d)
    """What stands how far away counts among the target's own tokens, and not in the source."""
    x = sublayer(run, 1, x, config, lambda y: attend(run, config, "self_attention", y, y, [mask], bias, cache))
    x = sublayer(run, 2, x, config, lambda y: attend(run, config, "cross_attention", y, memory, cache=cache))
    return sublayer(run, 3, x, config, lambda y: feed_forward(run, config, y))


def sublayer(run: Run, n: int, x: Step, config: T5, inner: Callable[[Step], Step]) -> Step:  # (T,d) -> (T,d)
    """x + inner(norm(x)), with an RMS norm."""
    found = inner(llama.rms_norm(run, f"norm_{n}", x, config.block.epsilon))
    return run(ops.add, f"residual_{n}", x, found, axes=_AXES)


def attend(
    run: Run,
    config: T5,
    name: str,
    x: Step,
    memory: Step,
    masks: Sequence[Step] = (),
    bias: Step | None = None,
    cache: Cache | None = None,
) -> Step:  # (T,d), (Tk,d) -> (T,d)
    """Scores are not divided by √D: T5 starts its training with smaller queries instead."""
    with run.at(block=name):
        return attn.attention(run, x, memory, config.block.heads, masks, scaled=False, cache=cache, bias=bias)


def feed_forward(run: Run, config: T5, x: Step) -> Step:  # (T,d) -> (T,d)
    if config.gated:
        return llama.feed_forward(run, x, ACTIVATIONS[config.block.activation])
    return blocks.feed_forward(run, x, config.block)
