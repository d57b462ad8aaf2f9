"""GPT-2: queries, keys and values in one layer, and the table of the tokens as head."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from txviz.models.checkpoints.config import Config
from txviz.models.checkpoints.continuing import Continuing
from txviz.models.checkpoints.encoding import ACTIVATIONS, check_heads
from txviz.models.checkpoints.model import Net
from txviz.models.checkpoints.names import fused, norm, rows, table, turned_linear
from txviz.nets import writer
from txviz.nets.attention import Cache
from txviz.nets.blocks import Block
from txviz.nets.writer import Writer
from txviz.trace import Run, Step

_ATTENTION = "decoder.{i}.self_attention"

NAMES = rows(
    table("wte", "embed.tokens", otherwise="lm_head"),
    table("wpe", "embed.positions"),
    norm("h.{i}.ln_1", "decoder.{i}.norm_1"),
    fused("h.{i}.attn.c_attn", f"{_ATTENTION}.query", f"{_ATTENTION}.key", f"{_ATTENTION}.value"),
    turned_linear("h.{i}.attn.c_proj", f"{_ATTENTION}.output"),
    norm("h.{i}.ln_2", "decoder.{i}.norm_2"),
    turned_linear("h.{i}.mlp.c_fc", "decoder.{i}.ffn.hidden"),
    turned_linear("h.{i}.mlp.c_proj", "decoder.{i}.ffn.output"),
    norm("ln_f", "decoder.norm"),
)


class GPT2(Continuing):
    @cached_property
    def net(self) -> Net:
        config = configured(self.described, self.pieces.words)
        sizes = config.layers, config.block.heads, config.block.d_model
        return Net("GPT-2", config, writer.shapes(config), NAMES, *sizes, "transformer.")

    def forward(self, run: Run, tokens: Step, cache: Cache | None, start: int) -> Step:  # (T,) -> (T,V)
        return writer.forward(run, self.net.config, tokens, cache, start)


def configured(config: Config, words: tuple[str, ...]) -> Writer:
    config.must_be("scale_attn_by_inverse_layer_idx", False)
    config.must_be("scale_attn_weights", True)
    config.must_be("tie_word_embeddings", True)
    width, heads = config.whole("n_embd"), config.whole("n_head")
    check_heads(config, width, heads)
    activation: Any = config.one_of("activation_function", ACTIVATIONS, "gelu_new")
    hidden, epsilon = config.whole("n_inner", 4 * width), config.number("layer_norm_epsilon", 1e-5)
    block = Block(width, heads, hidden, norm="pre", activation=activation, epsilon=epsilon)
    return Writer(block, config.layers("n_layer"), words, config.whole("n_positions"))


def open_model(name: str, config: Config, architecture: str) -> GPT2:
    return GPT2(name, config)
