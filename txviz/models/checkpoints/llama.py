"""Llama, and Mistral, Qwen2 and Qwen3, which are built like it.

RMS norms, rotary positions, a gate, and heads that share their keys.
"""

from __future__ import annotations

from functools import cached_property
from math import pi
from typing import Any

from txviz.errors import TxvizError
from txviz.models.checkpoints.config import Config
from txviz.models.checkpoints.continuing import Continuing
from txviz.models.checkpoints.encoding import check_heads
from txviz.models.checkpoints.model import Net
from txviz.models.checkpoints.names import Row, linear, rows, table
from txviz.nets import llama
from txviz.nets.attention import Cache
from txviz.nets.llama import Llama
from txviz.trace import Run, Step

PROJECTIONS = rows(
    linear("layers.{i}.self_attn.q_proj", "decoder.{i}.self_attention.query"),
    linear("layers.{i}.self_attn.k_proj", "decoder.{i}.self_attention.key"),
    linear("layers.{i}.self_attn.v_proj", "decoder.{i}.self_attention.value"),
    linear("layers.{i}.mlp.gate_proj", "decoder.{i}.ffn.gate"),
    linear("layers.{i}.mlp.up_proj", "decoder.{i}.ffn.hidden"),
)
"""Those that others store side by side in one."""


def names(projections: list[Row] = PROJECTIONS) -> list[Row]:
    return rows(
        table("embed_tokens", "embed.tokens"),
        [Row("layers.{i}.input_layernorm.weight", "decoder.{i}.norm_1.gain")],
        projections,
        [Row("layers.{i}.self_attn.q_norm.weight", "decoder.{i}.self_attention.query_norm.gain")],
        [Row("layers.{i}.self_attn.k_norm.weight", "decoder.{i}.self_attention.key_norm.gain")],
        linear("layers.{i}.self_attn.o_proj", "decoder.{i}.self_attention.output"),
        [Row("layers.{i}.post_attention_layernorm.weight", "decoder.{i}.norm_2.gain")],
        linear("layers.{i}.mlp.down_proj", "decoder.{i}.ffn.output"),
        [Row("norm.weight", "decoder.norm.gain")],
        linear("lm_head", "head"),
    )


TITLES = {"llama": "Llama", "mistral": "Mistral", "qwen2": "Qwen2", "qwen3": "Qwen3", "gemma": "Gemma", "phi3": "Phi-3"}
"""By the model type."""


class LlamaModel(Continuing):
    @cached_property
    def net(self) -> Net:
        config = self.configured()
        sizes = config.layers, config.heads, config.d_model
        title, stored = TITLES[self.described.text("model_type")], self.names(config)
        return Net(title, config, llama.shapes(config), stored, *sizes, "model.")

    def configured(self) -> Llama:
        self.described.must_be("hidden_act", "silu", "swish")
        return configured(self.described, self.pieces.words)

    def names(self, config: Llama) -> list[Row]:
        return names()

    def forward(self, run: Run, tokens: Step, cache: Cache | None, start: int) -> Step:  # (T,) -> (T,V)
        return llama.forward(run, self.net.config, tokens, cache, start)


def configured(config: Config, words: tuple[str, ...]) -> Llama:
    """All but the activation, which the relatives do not share."""
    config.must_be("use_sliding_window", False)
    width, heads = config.whole("hidden_size"), config.whole("num_attention_heads")
    key_heads = config.whole("num_key_value_heads", heads)
    if config.get("head_dim") is None:
        check_heads(config, width, heads)
    check_heads(config, heads, key_heads)
    d_head = config.whole("head_dim", width // heads, highest=10_000)
    if d_head % 2:
        raise TxvizError(f"{config.folder / config.file} has heads of {d_head} features; turning them needs pairs")
    qwen = config.get("model_type") == "qwen2"
    return Llama(
        width,
        heads,
        key_heads,
        d_head,
        d_ff=config.whole("intermediate_size"),
        layers=config.layers("num_hidden_layers"),
        vocabulary=words,
        longest=longest(config),
        frequencies=tuple(frequencies(config, d_head)),
        epsilon=config.number("rms_norm_eps", 1e-6),
        head_norms=config.get("model_type") == "qwen3",
        projection_biases=qwen or config.flag("attention_bias", False),
        output_bias=not qwen and config.flag("attention_bias", False),
        ffn_biases=config.flag("mlp_bias", False),
        tied_head=config.flag("tie_word_embeddings", False),
    )


def longest(config: Config) -> int:
    """In Mistral and Phi-3 a token sees only so many before it, a window that slides along; in a text no longer than
    it, all."""
    size = config.whole("max_position_embeddings")
    return min(size, config.whole("sliding_window", size)) if config.get("model_type") in ("mistral", "phi3") else size


def frequencies(config: Config, width: int) -> list[float]:
    """How fast each pair of features turns. Llama 3 slows down the slow ones, for texts longer than it learnt from."""
    rope = config.inner("rope_parameters" if config.get("rope_parameters") else "rope_scaling")
    kind = rope.text("rope_type", "default") if rope.get("type") is None else rope.text("type")
    base = rope.number("rope_theta", config.number("rope_theta", 10_000.0, lowest=1), lowest=1)
    plain = [base ** (-2 * j / width) for j in range(width // 2)]
    if kind == "default":
        return plain
    if kind != "llama3":
        raise config.wrong("rope_parameters" if config.get("rope_parameters") else "rope_scaling", "default or llama3")
    return [_slowed(each, rope) for each in plain]


def _slowed(frequency: float, rope: Config) -> float:
    factor, low, high = (rope.number(name, lowest=1) for name in ("factor", "low_freq_factor", "high_freq_factor"))
    if low >= high:
        raise rope.wrong("high_freq_factor", f"more than the low_freq_factor, {low:g}")
    learnt = rope.whole("original_max_position_embeddings")
    turns = learnt * frequency / (2 * pi)
    if turns < low:
        return frequency / factor
    if turns > high:
        return frequency
    share = (turns - low) / (high - low)
    return (1 - share) * frequency / factor + share * frequency


def open_model(name: str, config: Config, architecture: str) -> Any:
    return LlamaModel(name, config)
