"""Gemma: a Llama with larger embeddings, a gate with gelu, and gains that are stored as what is added to 1."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from txviz.models.checkpoints import llama
from txviz.models.checkpoints.config import Config
from txviz.nets.llama import Llama


class GemmaModel(llama.LlamaModel):
    def configured(self) -> Llama:
        self.described.must_be(
            "hidden_act", "gelu_pytorch_tanh", "gelu"
        )  # old files have the second and mean the first
        self.described.must_be("use_bidirectional_attention", False)
        tied = self.described.flag("tie_word_embeddings", True)
        found = llama.configured(self.described, self.pieces.words)
        return replace(found, gain_offset=1, activation="gelu_tanh", scaled_embeddings=True, tied_head=tied)


def open_model(name: str, config: Config, architecture: str) -> Any:
    return GemmaModel(name, config)
