"""Every architecture, small and with random weights, as (parameters, forward)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from txviz.nets import bert, llama, photograph, sentence_encoder, stacks, t5, translator, vit, writer
from txviz.nets.blocks import Block
from txviz.nets.distances import Distances
from txviz.nets.parameters import Shapes, initialise
from txviz.ops import Array
from txviz.trace import Run, Step

WORDS = ("<PAD>", "<SOS>", "<EOS>", "a", "b", "c", "d", "e", "f")
TOKENS = np.array([1, 3, 4, 5, 3, 2])
SOURCE = np.array([3, 4, 5, 8, 0, 0])

Forward = Callable[[Run], Step]


def block(**changes: Any) -> Block:
    return Block(**{"d_model": 8, "heads": 2, "d_ff": 12, **changes})


def lively(shapes: Shapes) -> dict[str, Array]:
    """Random biases and gains too: zeros and ones would hide mistakes."""
    rng = np.random.default_rng(1)
    return {name: value + 0.3 * rng.normal(size=value.shape) for name, value in initialise(shapes, seed=0).items()}


def sentence(tokens: Array = TOKENS, **changes: Any) -> tuple[dict[str, Array], Forward]:
    config = sentence_encoder.SentenceEncoder(block(), layers=2, vocabulary=len(WORDS), longest=10, **changes)
    return lively(sentence_encoder.shapes(config)), lambda run: sentence_encoder.forward(
        run, config, given_tokens(run, "tokens", tokens)
    )


def image(**changes: Any) -> tuple[dict[str, Array], Forward]:
    settings = {"image": (6, 4), "patch": (3, 2), "classes": ("x", "y", "z"), **changes}
    config = vit.ViT(block(norm="pre", activation="gelu_erf"), layers=2, **settings)
    shape = config.image if config.colours == 1 else (*config.image, config.colours)
    axes = "row column" if config.colours == 1 else "row column colour"
    pixels = np.random.default_rng(2).random(shape)

    def forward(run: Run) -> Step:
        return stacks.probabilities(
            run, vit.forward(run, config, run.given("image", pixels.astype(run.dtype), axes=axes))
        )

    return lively(vit.shapes(config)), forward


def translation(tokens: Array = TOKENS, source: Array = SOURCE, **changes: Any) -> tuple[dict[str, Array], Forward]:
    settings = {
        "block": block(),
        "encoder_layers": 2,
        "decoder_layers": 2,
        "vocabulary": WORDS,
        "longest": 10,
        **changes,
    }
    config = translator.Translator(**settings)

    def forward(run: Run) -> Step:
        given = given_tokens(run, "tokens", source), given_tokens(run, "tokens", tokens, part="decoder")
        return stacks.probabilities(run, translator.forward(run, config, *given))

    return lively(translator.shapes(config)), forward


def writing(tokens: Array = TOKENS, **changes: Any) -> tuple[dict[str, Array], Forward]:
    settings = {"block": block(norm="pre", activation="gelu_tanh"), "layers": 2, "vocabulary": WORDS, "longest": 10}
    config = writer.Writer(**{**settings, **changes})

    def forward(run: Run) -> Step:
        return stacks.probabilities(run, writer.forward(run, config, given_tokens(run, "tokens", tokens)))

    return lively(writer.shapes(config)), forward


def two_texts(ask: str, **changes: Any) -> tuple[dict[str, Array], Forward]:
    """BERT: a masked word, or a class."""
    settings = {"layers": 1, "vocabulary": WORDS, "longest": 10, **changes}
    config = bert.Bert(block(activation="gelu_erf"), **settings)
    shapes = bert.masked_shapes(config) if ask == "masked" else bert.class_shapes(config)

    def forward(run: Run) -> Step:
        tokens = given_tokens(run, "tokens", TOKENS)
        which, seen = np.array([0, 0, 0, 1, 1, 1]), np.array([1, 1, 1, 1, 1, 0])
        types = run.given("token_types", which, axes="token", like=tokens) if config.types else None
        mask = run.given("attention_mask", seen, axes="token", like=tokens)
        scores = (bert.masked if ask == "masked" else bert.classify)(run, config, bert.Input(tokens, types, mask))
        return stacks.probabilities(run, scores)

    return lively(shapes), forward


def rotary(tokens: Array = TOKENS, **changes: Any) -> tuple[dict[str, Array], Forward]:
    settings = {"d_ff": 12, "layers": 2, "vocabulary": WORDS, "longest": 10, "frequencies": (1.0, 0.2), **changes}
    config = llama.Llama(d_model=8, heads=4, key_heads=2, d_head=4, **settings)

    def forward(run: Run) -> Step:
        return stacks.probabilities(run, llama.forward(run, config, given_tokens(run, "tokens", tokens)))

    return lively(llama.shapes(config)), forward


def text_to_text(**changes: Any) -> tuple[dict[str, Array], Forward]:
    """T5, with heads that are together narrower than the model."""
    settings = {"encoder_layers": 2, "decoder_layers": 2, "vocabulary": WORDS, "longest": 10, **changes}
    plain = block(norm="pre", biases=False, activation="gelu_tanh" if changes.get("gated") else "relu")
    config = t5.T5(plain, d_head=3, distances=Distances(buckets=8, farthest=5), **settings)

    def forward(run: Run) -> Step:
        source, target = given_tokens(run, "tokens", SOURCE), given_tokens(run, "tokens", TOKENS, part="decoder")
        return stacks.probabilities(run, t5.decode(run, config, target, t5.encode(run, config, source)))

    return lively(t5.shapes(config)), forward


def photographed(heads: int = 2) -> tuple[dict[str, Array], Forward]:
    """DeiT, with its two tokens, and a head for each or for one."""
    settings: dict[str, Any] = {"image": (6, 4), "patch": (3, 2), "classes": ("x", "y", "z"), "colours": 3}
    config = vit.ViT(block(norm="pre", activation="gelu_erf"), layers=1, **settings)
    pixels = np.random.default_rng(2).integers(0, 256, size=(6, 4, 3))

    def forward(run: Run) -> Step:
        image = photograph.standardised(run, pixels, (0.5, 0.4, 0.3), (0.2, 0.25, 0.3))
        scores = (photograph.distilled if heads == 2 else photograph.undistilled)(run, config, image)
        return stacks.probabilities(run, scores)

    return lively((photograph.distilled_shapes if heads == 2 else photograph.two_token_shapes)(config)), forward


def given_tokens(run: Run, name: str, ids: Array, part: str | None = None) -> Step:
    with run.at(part=part):
        return run.given(name, ids, axes="token", labels={"token": tuple(WORDS[i] for i in ids)})


ALL: dict[str, tuple[dict[str, Array], Forward]] = {
    "sentence encoder": sentence(),
    "sentence encoder, sinusoidal, cls": sentence(positions="sinusoidal", pooling="cls"),
    "sentence encoder, padded": sentence(SOURCE, padding=0),
    "vit": image(),
    "vit, colours, mean": image(colours=3, pooling="mean"),
    "vit, sinusoidal": image(positions="sinusoidal"),
    "vit, learned 2D": image(positions="learned_2d"),
    "vit, sinusoidal 2D": image(positions="sinusoidal_2d"),
    "vit, sinusoidal 2D, mean": image(positions="sinusoidal_2d", pooling="mean"),
    "encoder-decoder": translation(),
    "encoder-decoder, pre-norm, tied, learned": translation(
        block=block(norm="pre", biases=False), tied_head=True, positions="learned", tokens=np.array([1, 3, 4, 0, 0])
    ),
    "bert, masked": two_texts("masked"),
    "bert, classes": two_texts("class", pool_activation="tanh", classes=("yes", "no")),
    "electra, masked": two_texts("masked", embedding=6, head_activation="gelu_erf"),
    "electra, classes": two_texts("class", pool_activation="gelu", classes=("yes", "no"), embedding=6),
    "roberta": two_texts("masked", types=0, padding=int(TOKENS[-1])),
    "mpnet": two_texts("class", classes=("yes", "no"), types=0, distances=Distances(buckets=8, farthest=5)),
    "llama": rotary(),
    "llama, normalised heads": rotary(head_norms=True),
    "gemma": rotary(gain_offset=1, activation="gelu_tanh", scaled_embeddings=True, tied_head=True),
    "llama, biases, tied": rotary(projection_biases=True, output_bias=True, ffn_biases=True, tied_head=True),
    "t5": text_to_text(),
    "t5, gated, untied": text_to_text(gated=True, scaled_output=False, tied_head=False),
    "deit": photographed(),
    "deit, one head": photographed(heads=1),
    "decoder-only": writing(),
    "decoder-only, post-norm, untied, padded": writing(
        block=block(norm="post"), tied_head=False, padding=0, tokens=np.array([1, 3, 0])
    ),
}
