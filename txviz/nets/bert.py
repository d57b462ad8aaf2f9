"""BERT and its relatives: an encoder over word pieces that reads one text or two, and what is asked of it at the end.

A masked word, a class, or one vector for the whole text: each is a ``forward`` of its own after the same encoder.

Letters: T tokens, d features, V entries of the vocabulary, K classes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from txviz import ops
from txviz.nets import distances as dist
from txviz.nets import sentence_encoder, stacks
from txviz.nets.blocks import ACTIVATIONS, Block
from txviz.nets.distances import Distances
from txviz.nets.layers import linear, linear_shapes, norm, norm_leaves, norm_shapes
from txviz.nets.parameters import Shapes
from txviz.nets.positions import waves
from txviz.trace import Run, Step
from txviz.trace.leaves import Leaf, add_headings, declare

declare(
    "input",
    {
        "token_types": Leaf("s", "Which of the two texts each token belongs to: 0 for the first, 1 for the second."),
        "attention_mask": Leaf(
            "m",
            "Which tokens may be looked at: 1 for those of the text, 0 for padding. Where all are 1, it hides nothing.",
        ),
    },
)
declare(
    "embed",
    {
        "types": Leaf("T", "A vector for the text that each token belongs to: the first or the second."),
        "types.table": Leaf(r"T_{\mathrm{table}}"),
        "position_ids": Leaf("i", "Which row of the table each token has: counted from 1 on, and 0 for all padding."),
        **norm_leaves("norm", r"_{\mathrm{embed}}"),
        "fitted": Leaf("x", "One more learned layer makes the vectors as wide as the layers are.", key="once"),
        "fitted.weight": Leaf(r"W_{\mathrm{fit}}"),
        "fitted.bias": Leaf(r"b_{\mathrm{fit}}"),
    },
)
declare(
    "pool",
    {
        "hidden": Leaf("h", "The vector of the first token through one more learned layer, before its activation."),
        "activation": Leaf("c", "What stands for the whole text, made ready for the head.", key="once"),
        "hidden.weight": Leaf(r"W_{\mathrm{pool}}"),
        "hidden.bias": Leaf(r"b_{\mathrm{pool}}"),
    },
)
declare(
    "head",
    {
        "hidden": Leaf("h", "One more learned layer, before the vectors are compared with those of all words."),
        "activation": Leaf("a", "The bend after the head's own layer."),
        "hidden.weight": Leaf(r"W_{h}"),
        "hidden.bias": Leaf("b_{h}"),
        **norm_leaves("norm", "_{h}"),
    },
)
add_headings(
    "input",
    {
        "token_types": "Token types: first or second text",
        "attention_mask": "Attention mask: what may be looked at",
    },
)
add_headings(
    "embed",
    {
        "position_ids": "Positions: counted, but not at padding",
        "types": "Type embeddings: which text a token belongs to",
        "norm": "Layer norm: each token on the same scale",
        "fitted": "Fitted: vectors as wide as the layers are",
    },
)
add_headings(
    "pool",
    {
        "hidden": "Pooler, its layer: the first token, for the head",
        "activation": "Pooler, its activation: what stands for the text",
    },
)
add_headings(
    "head",
    {
        "hidden": "Head, its own layer: before words are compared",
        "activation": "Activation: the bend after the head’s own layer",
        "norm": "Layer norm: before words are compared",
    },
)

HIDDEN = 0
"""In an attention mask: may not be looked at."""

_AXES = "token feature"
_POOL_ACTIVATIONS = {"tanh": ops.tanh, "relu": ops.relu, "gelu": ops.gelu_erf}


@dataclass(frozen=True)
class Bert:
    block: Block
    layers: int
    vocabulary: tuple[str, ...]
    longest: int
    types: int = 2
    """Rows of the table of token types; 0 where the model has none."""

    waves: bool = False
    """Whether positions are fixed waves, of which there is no table."""

    embedding: int | None = None
    """Features of the tables, where these are not as wide as the layers, as in ELECTRA."""

    padding: int | None = None
    """The token that is not counted, where positions are counted: all of it has the first row of the table."""

    pooling: Literal["mean", "cls"] = "cls"
    pool_activation: Literal["tanh", "relu", "gelu"] | None = None
    """Of the layer after pooling; None where there is no such layer."""

    head_activation: Literal["gelu_erf"] | None = None
    """Of the layer before masked words are guessed; None where it is that of the feed-forward networks."""

    unit: bool = False
    """Whether the vector of a text is made to length 1."""

    classes: tuple[str, ...] = ()
    distances: Distances | None = None
    """Where scores get a number for each distance, as in MPNet."""

    @property
    def table_width(self) -> int:
        return self.embedding or self.block.d_model


class Input(NamedTuple):
    """The arrays that the model reads, one number for each token."""

    tokens: Step  # (T,)
    types: Step | None  # (T,)
    mask: Step  # (T,), 1 for what may be looked at and 0 for padding


def shapes(config: Bert) -> Shapes:
    """Of the encoder, without any head."""
    width = config.table_width
    return {
        "embed.tokens.table": (len(config.vocabulary), width),
        **({"embed.types.table": (config.types, width)} if config.types else {}),
        **({} if config.waves else {"embed.positions.table": (config.longest + _first(config), width)}),
        **norm_shapes("embed.norm", width),
        **({} if config.embedding is None else linear_shapes("embed.fitted", width, config.block.d_model)),
        **({} if config.distances is None else dist.shapes(config.distances, config.block.heads)),
        **stacks.stack_shapes(config.block, config.layers, "encoder"),
    }


def masked_shapes(config: Bert) -> Shapes:
    width = config.table_width
    head = {**linear_shapes("head.hidden", config.block.d_model, width), **norm_shapes("head.norm", width)}
    return {**shapes(config), **head, "head.bias": (len(config.vocabulary),)}


def vector_shapes(config: Bert) -> Shapes:
    width = config.block.d_model
    return {**shapes(config), **(linear_shapes("pool.hidden", width, width) if config.pool_activation else {})}


def class_shapes(config: Bert) -> Shapes:
    return {**vector_shapes(config), **stacks.head_shapes(config.block.d_model, len(config.classes))}


def encode(run: Run, config: Bert, given: Input) -> Step:  # (T,) -> (T,d)
    masks = stacks.padding_masks(run, given.mask, HIDDEN)
    x = embed(run, config, given.tokens, given.types)
    bias = None if config.distances is None else dist.bias(run, x, config.distances)
    return stacks.encoder(run, x, config.block, config.layers, masks, bias)


def embed(run: Run, config: Bert, tokens: Step, types: Step | None) -> Step:  # (T,), (T,) -> (T,d)
    """What a token means, which text it belongs to and where it stands, added and normalised."""
    with run.at(part="embed"):
        terms = [run(ops.lookup, "tokens", tokens, run.parameter("tokens.table"), axes=_AXES)]
        if types is not None:
            terms.append(run(ops.lookup, "types", types, run.parameter("types.table"), axes=_AXES))
        terms.append(waves(run, terms[0], single=True) if config.waves else _positions(run, config, tokens))
        x = norm(run, "norm", run(ops.add, "sum", *terms, axes=_AXES), config.block.epsilon)
        return x if config.embedding is None else linear(run, "fitted", x, axes=_AXES)


def _positions(run: Run, config: Bert, tokens: Step) -> Step:  # (T,) -> (T,d)
    table, first = run.parameter("positions.table"), _first(config)
    if stacks.has_padding(tokens, config.padding):
        counted = tokens.value != config.padding
        places = run.given("position_ids", np.cumsum(counted) * counted, axes="token", like=tokens)
        return run(ops.lookup, "positions", places, table, axes=_AXES)
    return run(ops.select, "positions", table, at=[first, first + len(tokens.value)], axes=_AXES, like=tokens)


def _first(config: Bert) -> int:
    """The row of the table that the first token has."""
    return 0 if config.padding is None else 1


def masked(run: Run, config: Bert, given: Input) -> Step:  # (T,) -> (T,V)
    """A score for each word at each place, which matters where the word is masked."""
    x = encode(run, config, given)
    with run.at(part="head"):
        x = linear(run, "hidden", x, axes=_AXES)
        x = run(ACTIVATIONS[config.head_activation or config.block.activation], "activation", x, axes=_AXES)
        x = norm(run, "norm", x, config.block.epsilon)
    return stacks.logits(run, x, "token vocabulary", config.vocabulary, stacks.token_table(run))


def vector(run: Run, config: Bert, given: Input) -> Step:  # (T,) -> (d,)
    """One vector for the whole text."""
    pooled = stacks.pool(run, encode(run, config, given), config.pooling, given.mask, HIDDEN)
    if config.pool_activation:
        with run.at(part="pool"):
            pooled = linear(run, "hidden", pooled, axes="feature")
            pooled = run(_POOL_ACTIVATIONS[config.pool_activation], "activation", pooled, axes="feature")
    return sentence_encoder.unit(run, pooled) if config.unit else pooled


def classify(run: Run, config: Bert, given: Input) -> Step:  # (T,) -> (K,)
    """A score for each class of the whole text."""
    return stacks.logits(run, vector(run, config, given), "class", config.classes)
