"""ELECTRA: BERT's layers over tables of another width. Its generator fills in masked words."""

from __future__ import annotations

from dataclasses import replace

from txviz.models.checkpoints import bert
from txviz.models.checkpoints.config import Config
from txviz.models.checkpoints.encoding import Encoder, Family, open_encoder
from txviz.models.checkpoints.names import head, linear, norm, rows, table
from txviz.nets.bert import Bert

NAMES = rows(
    table("embeddings.word_embeddings", "embed.tokens"),
    table("embeddings.token_type_embeddings", "embed.types"),
    table("embeddings.position_embeddings", "embed.positions"),
    norm("embeddings.LayerNorm", "embed.norm"),
    linear("embeddings_project", "embed.fitted"),
    bert.LAYERS,
    linear("classifier.dense", "pool.hidden"),
    linear("generator_predictions.dense", "head.hidden"),
    norm("generator_predictions.LayerNorm", "head.norm"),
    head("classifier.out_proj", masked_bias="generator_lm_head.bias"),
)


def configured(config: Config, words: tuple[str, ...]) -> Bert:
    config.must_be("tie_word_embeddings", True)
    found, width = bert.configured(config, words), config.whole("embedding_size", 128)
    return replace(found, embedding=None if width == found.block.d_model else width, head_activation="gelu_erf")


FAMILY = Family("ELECTRA", "electra.", NAMES, configured, activation="gelu")


def open_model(name: str, config: Config, architecture: str) -> Encoder:
    return open_encoder(FAMILY, name, config, architecture)
