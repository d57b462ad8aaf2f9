"""Llama and its relatives: a decoder-only model with RMS norms, rotary positions, shared keys and a gate.

Letters: T tokens, d features, H heads of queries, G heads of keys and values, D features of one head, F hidden
features, V entries of the vocabulary.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from txviz import ops
from txviz.nets import stacks
from txviz.nets.attention import Cache, attend, project
from txviz.nets.blocks import ACTIVATIONS
from txviz.nets.layers import linear, linear_shapes
from txviz.nets.parameters import Shapes, under
from txviz.trace import Run, Step
from txviz.trace.leaves import Leaf, add_headings, declare

declare(
    "self_attention",
    {
        "query_norm": Leaf("Q_n", "Each head's queries at the same length, so that no score grows out of bounds."),
        "key_norm": Leaf("K_n", "Each head's keys at the same length, so that no score grows out of bounds."),
        "query_norm.gain": Leaf(r"\gamma_Q"),
        "key_norm.gain": Leaf(r"\gamma_K"),
        "rotated_query": Leaf("Q_r", "The queries, each turned by an angle that tells where its token stands."),
        "rotated_key": Leaf("K_r", "The keys, each turned by an angle that tells where its token stands."),
        "shared_keys": Leaf("K_s", "Each head of keys, repeated for the heads of queries that share it."),
        "shared_values": Leaf("V_s", "Each head of values, repeated for the heads of queries that share it."),
    },
)
declare(
    "ffn",
    {
        "gate": Leaf("g", "A layer that decides, for each hidden feature, how far it is let through."),
        "gated": Leaf("u", "What the hidden layer found, times how far the gate lets it through.", key="once"),
        "gate.weight": Leaf("W_g"),
        "gate.bias": Leaf("b_g"),
    },
)
add_headings(
    "self_attention",
    {
        "query_norm": "Normalised queries: all on the same scale",
        "key_norm": "Normalised keys: all on the same scale",
        "rotated_query": "Rotated queries: turned by where they stand",
        "rotated_key": "Rotated keys: turned by where they stand",
        "shared_keys": "Shared keys: one head for several of queries",
        "shared_values": "Shared values: one head for several of queries",
    },
)
add_headings("ffn", {"gate": "Gate: how far each feature is let through", "gated": "Gated: what the gate lets through"})

_AXES = "token feature"


@dataclass(frozen=True)
class Llama:
    d_model: int
    heads: int
    key_heads: int
    d_head: int
    d_ff: int
    layers: int
    vocabulary: tuple[str, ...]
    longest: int
    frequencies: tuple[float, ...]
    """How fast each pair of features turns, in radians for each position."""

    epsilon: float = 1e-6
    gain_offset: float = 0
    """What is added to the gain of every norm; 1 in Gemma."""

    activation: Literal["silu", "gelu_tanh"] = "silu"
    """Of the gate."""

    scaled_embeddings: bool = False
    head_norms: bool = False
    """Whether the queries and keys of each head are normalised before they are turned."""

    projection_biases: bool = False
    """Of queries, keys and values."""

    output_bias: bool = False
    ffn_biases: bool = False
    tied_head: bool = False


def shapes(config: Llama) -> Shapes:
    width, size = config.d_model, len(config.vocabulary)
    layers = (under("decoder", i, shapes=_layer_shapes(config)) for i in range(config.layers))
    return {
        "embed.tokens.table": (size, width),
        **{name: shape for layer in layers for name, shape in layer.items()},
        "decoder.norm.gain": (width,),
        **({} if config.tied_head else stacks.head_shapes(width, size, biases=False)),
    }


def _layer_shapes(config: Llama) -> Shapes:
    width, queries, keys = config.d_model, config.heads * config.d_head, config.key_heads * config.d_head
    attention = {
        **linear_shapes("query", width, queries, config.projection_biases),
        **linear_shapes("key", width, keys, config.projection_biases),
        **linear_shapes("value", width, keys, config.projection_biases),
        **linear_shapes("output", queries, width, config.output_bias),
    }
    if config.head_norms:
        attention |= {"query_norm.gain": (config.d_head,), "key_norm.gain": (config.d_head,)}
    ffn = {
        **linear_shapes("gate", width, config.d_ff, config.ffn_biases),
        **linear_shapes("hidden", width, config.d_ff, config.ffn_biases),
        **linear_shapes("output", config.d_ff, width, config.ffn_biases),
    }
    norms: Shapes = {"norm_1.gain": (width,), "norm_2.gain": (width,)}
    return {**norms, **under("self_attention", shapes=attention), **under("ffn", shapes=ffn)}


def forward(run: Run, config: Llama, tokens: Step, cache: Cache | None = None, start: int = 0) -> Step:  # (T,) -> (T,V)
    """Logits of the token that follows each position, of which the first is position ``start``."""
    with run.at(part="embed"):
        x = run(ops.lookup, "tokens", tokens, run.parameter("tokens.table"), axes=_AXES)
        if config.scaled_embeddings:
            x = run(ops.scale, "scaled", x, base=config.d_model, exponent=0.5, axes=_AXES)
    masks = [stacks.causal(run, x, start)]
    for i in range(config.layers):
        with run.at(part="decoder", layer=i):
            x = layer(run, config, x, masks, cache, start)
    with run.at(part="decoder"):
        x = normed(run, config, "norm", x)
    table = stacks.token_table(run) if config.tied_head else None
    return stacks.logits(run, x, "token vocabulary", config.vocabulary, table)


def layer(
    run: Run, config: Llama, x: Step, masks: Sequence[Step], cache: Cache | None, start: int
) -> Step:  # (T,d) -> (T,d)
    found = attention(run, config, normed(run, config, "norm_1", x), masks, cache, start)
    x = run(ops.add, "residual_1", x, found, axes=_AXES)
    found = feed_forward(run, normed(run, config, "norm_2", x), ACTIVATIONS[config.activation])
    return run(ops.add, "residual_2", x, found, axes=_AXES)


def attention(
    run: Run, config: Llama, x: Step, masks: Sequence[Step], cache: Cache | None, start: int
) -> Step:  # (T,d) -> (T,d)
    """Masked self-attention in which queries and keys are turned by their positions, and heads share their keys."""

    def turned(role: str, heads: int, axes: str) -> Step:  # (T,d) -> (heads,T,D)
        split, speeds = project(run, role, x, heads), list(config.frequencies)
        if config.head_norms:
            split = normed(run, config, f"{role}_norm", split, axes)
        return run(ops.rotate, f"rotated_{role}", split, axes=axes, frequencies=speeds, start=start)

    def keys_and_values() -> tuple[Step, Step]:  # -> (G,T,D) twice
        return turned("key", config.key_heads, "head key feature"), project(run, "value", x, config.key_heads)

    with run.at(block="self_attention"):
        q = turned("query", config.heads, "head query feature")
        k, v = keys_and_values() if cache is None else cache.keys_and_values(run, True, keys_and_values)
        times = config.heads // config.key_heads
        if times > 1:
            k = run(ops.repeat_heads, "shared_keys", k, times=times, axes="head key feature")
            v = run(ops.repeat_heads, "shared_values", v, times=times, axes="head key feature")
        merged = run(ops.merge_heads, "merged", attend(run, q, k, v, masks), axes="token:query feature")
        return linear(run, "output", merged, axes=_AXES)


def feed_forward(run: Run, x: Step, activation: ops.Op = ops.silu) -> Step:  # (T,d) -> (T,d)
    """(activation(x W_g) ⊙ x W₁) W₂, each token on its own."""
    with run.at(block="ffn"):
        gate = linear(run, "gate", x, axes="token hidden")
        active = run(activation, "activation", gate, axes="token hidden")
        hidden = linear(run, "hidden", x, axes="token hidden")
        gated = run(ops.multiply, "gated", active, hidden, axes="token hidden")
        return linear(run, "output", gated, axes=_AXES)


def normed(run: Run, config: Llama, name: str, x: Step, axes: str = _AXES) -> Step:  # (...,d) -> (...,d)
    return rms_norm(run, name, x, config.epsilon, axes, config.gain_offset)


def rms_norm(
    run: Run, name: str, x: Step, epsilon: float, axes: str = _AXES, offset: float = 0
) -> Step:  # (...,d) -> (...,d)
    more: dict[str, Any] = {"offset": offset} if offset else {}
    return run(ops.rms_norm, name, x, run.parameter(f"{name}.gain"), epsilon=epsilon, **more, axes=axes)
