"""Phi-3: a Llama whose queries, keys and values are stored in one, and its gate with the layer beside it."""

from __future__ import annotations

from typing import Any

from txviz.models.checkpoints import llama
from txviz.models.checkpoints.config import Config
from txviz.models.checkpoints.names import Row, side_by_side
from txviz.nets.llama import Llama


class Phi3Model(llama.LlamaModel):
    def configured(self) -> Llama:
        for place in (self.described, self.described.inner("rope_parameters")):
            place.must_be("partial_rotary_factor", 1.0, 1)
        return super().configured()

    def names(self, config: Llama) -> list[Row]:
        queries, keys = config.heads * config.d_head, config.key_heads * config.d_head
        attention, ffn = "decoder.{i}.self_attention", "decoder.{i}.ffn"
        projected = {f"{attention}.query": queries, f"{attention}.key": keys, f"{attention}.value": keys}
        gated = {f"{ffn}.gate": config.d_ff, f"{ffn}.hidden": config.d_ff}
        return llama.names(
            side_by_side("layers.{i}.self_attn.qkv_proj", projected)
            + side_by_side("layers.{i}.mlp.gate_up_proj", gated)
        )


def open_model(name: str, config: Config, architecture: str) -> Any:
    return Phi3Model(name, config)
