"""Marian: the encoder–decoders of OPUS-MT, for some thousand pairs of languages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property, partial
from typing import Any

import numpy as np

from txviz.errors import TxvizError
from txviz.models.checkpoints.config import Config, first_file, read_json
from txviz.models.checkpoints.encoding import ACTIVATIONS, check_heads
from txviz.models.checkpoints.model import Net
from txviz.models.checkpoints.names import Row, linear, norm, rows, table
from txviz.models.checkpoints.pieces import piece_text, saying
from txviz.models.checkpoints.sentence_pieces import open_sentence_pieces
from txviz.models.checkpoints.translating import Translating
from txviz.models.checkpoints.typed import Known, tokens_typed
from txviz.models.model import Token
from txviz.models.text import refuse_characters
from txviz.nets import translator
from txviz.nets.attention import Cache
from txviz.nets.blocks import Block
from txviz.nets.decoding import Closed
from txviz.nets.translator import Translator
from txviz.ops import Array
from txviz.trace import Run, Step


def side(theirs: str, ours: str) -> list[Row]:
    """What encoder and decoder have alike."""
    attention = f"{ours}.{{i}}.{'attention' if ours == 'encoder' else 'self_attention'}"
    last_norm = "norm_2" if ours == "encoder" else "norm_3"
    layer = f"{theirs}.layers.{{i}}"
    return rows(
        linear(f"{layer}.self_attn.q_proj", f"{attention}.query"),
        linear(f"{layer}.self_attn.k_proj", f"{attention}.key"),
        linear(f"{layer}.self_attn.v_proj", f"{attention}.value"),
        linear(f"{layer}.self_attn.out_proj", f"{attention}.output"),
        norm(f"{layer}.self_attn_layer_norm", f"{ours}.{{i}}.norm_1"),
        linear(f"{layer}.fc1", f"{ours}.{{i}}.ffn.hidden"),
        linear(f"{layer}.fc2", f"{ours}.{{i}}.ffn.output"),
        norm(f"{layer}.final_layer_norm", f"{ours}.{{i}}.{last_norm}"),
    )


NAMES = rows(
    table("shared", "embed.tokens", otherwise="encoder.embed_tokens"),
    table("shared", "decoder.embed.tokens", otherwise="decoder.embed_tokens"),
    side("encoder", "encoder"),
    side("decoder", "decoder"),
    linear("decoder.layers.{i}.encoder_attn.q_proj", "decoder.{i}.cross_attention.query"),
    linear("decoder.layers.{i}.encoder_attn.k_proj", "decoder.{i}.cross_attention.key"),
    linear("decoder.layers.{i}.encoder_attn.v_proj", "decoder.{i}.cross_attention.value"),
    linear("decoder.layers.{i}.encoder_attn.out_proj", "decoder.{i}.cross_attention.output"),
    norm("decoder.layers.{i}.encoder_attn_layer_norm", "decoder.{i}.norm_2"),
    [Row("final_logits_bias", "head.bias", lambda bias: bias[0])],
)


class Marian(Translating):
    does = "it translates"

    @cached_property
    def vocabulary(self) -> dict[str, int]:
        found, size = read_json(self.folder / "vocab.json"), self.described.vocabulary
        numbers = list(found.values()) if isinstance(found, dict) else []
        fits = numbers and all(type(i) is int and 0 <= i < size for i in numbers) and len({*numbers}) == len(numbers)
        if not fits:
            raise TxvizError(f"{self.folder / 'vocab.json'} does not number {size} pieces, as config.json says it does")
        return dict(found)

    @cached_property
    def words(self) -> tuple[str, ...]:
        numbered = {i: piece_text(piece) for piece, i in self.vocabulary.items()}
        return tuple(numbered.get(i, f"<{i}>") for i in range(self.described.vocabulary))

    @cached_property
    def net(self) -> Net:
        config = configured(self.described, self.words)
        shapes = {**translator.shapes(config), "head.bias": (len(self.words),)}
        layers = max(config.encoder_layers, config.decoder_layers)
        return Net("Marian", config, shapes, NAMES, layers, config.block.heads, config.block.d_model, "model.")

    @property
    def examples(self) -> tuple[str, ...]:
        return ("The house is big.", "I love you very much.")

    def tokens(self, text: object, options: Mapping[str, Any]) -> list[Token]:
        ids = self.read(text)
        known = Known(self.words, {self.vocabulary[piece] for piece in self._special}, self.vocabulary.get("<unk>"))
        end = Token(self.words[ids[-1]], ids[-1], special=True)
        return [*tokens_typed(self._cut(str(text)), [str(text)], ids[:-1], known), end]

    def encode(self, text: str) -> list[int]:
        unknown, end = self.vocabulary.get("<unk>", 0), self.described.token("eos_token_id")
        return [*(self.vocabulary.get(piece, unknown) for piece in self._cut(text).tokens), end]

    def _cut(self, text: str) -> Any:
        refuse_characters(text, "Cs")
        return saying(self.folder, lambda: self._source.encode(text, add_special_tokens=False))

    @cached_property
    def _source(self) -> Any:
        return open_sentence_pieces(self.folder / "source.spm", self._special)

    @cached_property
    def _special(self) -> list[str]:
        languages = [piece for piece in self.vocabulary if piece.startswith(">>") and piece.endswith("<<")]
        return [piece for piece in ("</s>", "<unk>", "<pad>", *languages) if piece in self.vocabulary]

    def text(self, ids: Iterable[int]) -> str:
        """Pieces as a sentence; special ones are left out."""
        special = self.described.token("eos_token_id"), self.described.get("pad_token_id")
        pieces = {i: piece for piece, i in self.vocabulary.items()}
        return "".join(pieces.get(i, "") for i in ids if i not in special).replace("▁", " ").strip()

    def memory(self, run: Run, source: Step) -> Step:  # (S,) -> (S,d)
        return translator.encode(run, self.net.config, source)[0]

    def logits(self, run: Run, target: Step, memory: Step, cache: Cache | None, start: int) -> Step:  # -> (T,V)
        return translator.decode(run, self.net.config, target, memory, (), cache, start)

    def closed(self, most: int) -> Closed:
        return partial(self._closed, most)

    def _closed(self, most: int, tokens: tuple[int, ...]) -> Array:  # -> (V,)
        """Padding is never written, and the last token that may be written is the end."""
        ends = len(tokens) == most
        closed = np.full(len(self.words), -np.inf if ends else 0, dtype=self.weights.dtype)
        closed[self._forbidden] = -np.inf
        if ends:
            closed[self.described.token("eos_token_id")] = 0
        return closed

    @cached_property
    def _forbidden(self) -> list[int]:
        """Words of one token that must not be written; what follows from longer ones is not looked at."""
        file = first_file(self.folder, ["generation_config.json"])
        writing = Config(self.folder, "generation_config.json", read_json(file) if file else {})
        asked = writing if writing.get("bad_words_ids") else self.described
        told, tokens = asked.get("bad_words_ids") or [], range(len(self.words))
        if not isinstance(told, list) or not all(_are_tokens(each, tokens) for each in told):
            raise asked.wrong("bad_words_ids", f"lists of the numbers of tokens, from 0 to {len(self.words) - 1:,}")
        return [word[0] for word in told if len(word) == 1]


def _are_tokens(word: Any, tokens: range) -> bool:
    return isinstance(word, list) and all(type(i) is int and i in tokens for i in word)


def configured(config: Config, words: tuple[str, ...]) -> Translator:
    config.must_be("share_encoder_decoder_embeddings", True)
    config.must_be("tie_word_embeddings", True)
    config.must_be("normalize_before", False)
    config.must_be("normalize_embedding", False)
    width, heads, hidden = (config.whole(name) for name in ("d_model", "encoder_attention_heads", "encoder_ffn_dim"))
    config.must_be("decoder_attention_heads", heads)
    config.must_be("decoder_ffn_dim", hidden)
    check_heads(config, width, heads)
    activation: Any = config.one_of("activation_function", ACTIVATIONS, "gelu")
    return Translator(
        Block(width, heads, hidden, norm="post", activation=activation),
        config.layers("encoder_layers"),
        config.layers("decoder_layers"),
        words,
        longest=config.whole("max_position_embeddings", highest=10_000),
        positions="sinusoidal_halves",
        padding=None,
        scaled_embeddings=config.flag("scale_embedding", False),
        tied_head=True,
    )


def open_model(name: str, config: Config, architecture: str) -> Marian:
    return Marian(name, config)
