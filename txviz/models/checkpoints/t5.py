"""T5, and Flan-T5: every task is a text with a prefix, as in "translate English to German: The house is big."

Since version 1.1 the feed-forward network has a gate, and the head weights of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

from txviz.models.checkpoints.config import Config, first_file, read_json
from txviz.models.checkpoints.model import Net
from txviz.models.checkpoints.names import Row, linear, rows, table
from txviz.models.checkpoints.pieces import Pieces, library, open_pieces
from txviz.models.checkpoints.sentence_pieces import open_sentence_pieces
from txviz.models.checkpoints.translating import Translating
from txviz.models.model import Token
from txviz.nets import t5
from txviz.nets.attention import Cache
from txviz.nets.blocks import Block
from txviz.nets.distances import Distances
from txviz.nets.t5 import T5
from txviz.trace import Run, Step


def attention(theirs: str, kind: str, ours: str) -> list[Row]:
    return rows(
        linear(f"{theirs}.{kind}.q", f"{ours}.query"),
        linear(f"{theirs}.{kind}.k", f"{ours}.key"),
        linear(f"{theirs}.{kind}.v", f"{ours}.value"),
        linear(f"{theirs}.{kind}.o", f"{ours}.output"),
    )


def feed_forward(theirs: str, ours: str) -> list[Row]:
    return rows(
        linear(f"{theirs}.DenseReluDense.wi_0", f"{ours}.gate"),
        linear(f"{theirs}.DenseReluDense.wi", f"{ours}.hidden", otherwise=f"{theirs}.DenseReluDense.wi_1"),
        linear(f"{theirs}.DenseReluDense.wo", f"{ours}.output"),
    )


def gain(theirs: str, ours: str) -> list[Row]:
    return [Row(f"{theirs}.weight", f"{ours}.gain")]


_DISTANCES = "block.0.layer.0.SelfAttention.relative_attention_bias"

NAMES = rows(
    table("shared", "embed.tokens", otherwise="encoder.embed_tokens"),
    table("shared", "decoder.embed.tokens", otherwise="decoder.embed_tokens"),
    table(f"encoder.{_DISTANCES}", "distances.bias"),
    table(f"decoder.{_DISTANCES}", "decoder.distances.bias"),
    gain("encoder.block.{i}.layer.0.layer_norm", "encoder.{i}.norm_1"),
    attention("encoder.block.{i}.layer.0", "SelfAttention", "encoder.{i}.attention"),
    gain("encoder.block.{i}.layer.1.layer_norm", "encoder.{i}.norm_2"),
    feed_forward("encoder.block.{i}.layer.1", "encoder.{i}.ffn"),
    gain("encoder.final_layer_norm", "encoder.norm"),
    gain("decoder.block.{i}.layer.0.layer_norm", "decoder.{i}.norm_1"),
    attention("decoder.block.{i}.layer.0", "SelfAttention", "decoder.{i}.self_attention"),
    gain("decoder.block.{i}.layer.1.layer_norm", "decoder.{i}.norm_2"),
    attention("decoder.block.{i}.layer.1", "EncDecAttention", "decoder.{i}.cross_attention"),
    gain("decoder.block.{i}.layer.2.layer_norm", "decoder.{i}.norm_3"),
    feed_forward("decoder.block.{i}.layer.2", "decoder.{i}.ffn"),
    gain("decoder.final_layer_norm", "decoder.norm"),
    linear("lm_head", "head"),
)

ACTIVATIONS = {
    "relu": ("relu", False),
    "gelu": ("gelu_erf", False),
    "gated-gelu": ("gelu_tanh", True),
    "gated-silu": ("silu", True),
}
"""Their word for the feed-forward network: our activation, and whether there is a gate."""


class T5Model(Translating):
    does = "it answers a text with a text"

    @cached_property
    def net(self) -> Net:
        config = configured(self.described, self.words, has_head="lm_head.weight" in self.weights)
        layers = max(config.encoder_layers, config.decoder_layers)
        return Net("T5", config, t5.shapes(config), NAMES, layers, config.block.heads, config.block.d_model, "")

    @cached_property
    def pieces(self) -> Pieces:
        """From tokenizer.json, or from the sentence-piece model that older checkpoints have."""
        size, file = self.described.vocabulary, self.folder / "spiece.model"
        if (self.folder / "tokenizer.json").is_file() or not file.is_file():
            return open_pieces(self.folder, size)
        made = open_sentence_pieces(file, ["<pad>", "</s>", "<unk>"], numbered=True, more=self._blanks)
        end = [("</s>", made.token_to_id("</s>"))]
        made.post_processor = library().processors.TemplateProcessing(single="$A </s>", special_tokens=end)
        return Pieces(made, self.folder, size)

    @property
    def _blanks(self) -> list[str]:
        """What stands for words that were left out; they come last, and are counted backwards."""
        file = first_file(self.folder, ["tokenizer_config.json"])
        settings = Config(self.folder, "tokenizer_config.json", read_json(file) if file else {})
        count = settings.whole("extra_ids", 100, lowest=0, highest=10_000)
        return [f"<extra_id_{i}>" for i in reversed(range(count))]

    @property
    def words(self) -> tuple[str, ...]:
        return self.pieces.words

    @property
    def examples(self) -> tuple[str, ...]:
        return ("translate English to German: The house is big.", "summarize: The cat sat on the mat and slept.")

    def tokens(self, text: object, options: Mapping[str, Any]) -> list[Token]:
        self.read(text)
        return self.pieces.encode(text).tokens

    def encode(self, text: str) -> list[int]:
        return self.pieces.encode(text).ids

    def text(self, ids: Iterable[int]) -> str:
        return self.pieces.decode(ids)

    def memory(self, run: Run, source: Step) -> Step:  # (S,) -> (S,d)
        return t5.encode(run, self.net.config, source)

    def logits(self, run: Run, target: Step, memory: Step, cache: Cache | None, start: int) -> Step:  # -> (T,V)
        return t5.decode(run, self.net.config, target, memory, cache, start)


def configured(config: Config, words: tuple[str, ...], has_head: bool) -> T5:
    """Version 1.1 says that its head is not tied, or, saved by newer versions of transformers, not scaled."""
    config.must_be("is_encoder_decoder", True)
    named: Any = config.one_of("feed_forward_proj", ACTIVATIONS, "relu")
    activation, gated = named
    layers = config.layers("num_layers")
    scaled = config.flag("scale_decoder_outputs", config.flag("tie_word_embeddings", True))
    sizes = config.whole("d_model"), config.whole("num_heads"), config.whole("d_ff")
    epsilon = config.number("layer_norm_epsilon", 1e-6)
    return T5(
        Block(*sizes, norm="pre", activation=activation, biases=False, epsilon=epsilon),
        d_head=config.whole("d_kv", 64),
        encoder_layers=layers,
        decoder_layers=layers if config.get("num_decoder_layers") is None else config.layers("num_decoder_layers"),
        vocabulary=words,
        longest=config.whole("n_positions", 512, highest=100_000),
        distances=distances(config),
        gated=gated,
        scaled_output=scaled,
        tied_head=scaled or not has_head,
    )


def distances(config: Config) -> Distances:
    """Some buckets on each side must hold one distance, and others several."""
    buckets = config.whole("relative_attention_num_buckets", 32, lowest=4, highest=10_000)
    return Distances(buckets, config.whole("relative_attention_max_distance", 128, lowest=buckets // 2 + 1))


def open_model(name: str, config: Config, architecture: str) -> T5Model:
    return T5Model(name, config)
