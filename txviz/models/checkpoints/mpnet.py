"""MPNet, known from all-mpnet-base-v2: BERT's layers, and a number for each distance, which all of them share."""

from __future__ import annotations

from dataclasses import replace

from txviz.models.checkpoints import bert, roberta
from txviz.models.checkpoints.config import Config
from txviz.models.checkpoints.encoding import Encoder, Family, open_encoder
from txviz.models.checkpoints.names import head, linear, norm, rows, table
from txviz.nets.bert import Bert
from txviz.nets.distances import Distances

UNUSED = 2
"""Rows at the beginning of the table of positions that no text uses, as in RoBERTa."""

NAMES = rows(
    table("embeddings.word_embeddings", "embed.tokens"),
    table("embeddings.position_embeddings", "embed.positions", lambda positions: positions[UNUSED - 1 :]),
    norm("embeddings.LayerNorm", "embed.norm"),
    table("encoder.relative_attention_bias", "distances.bias"),
    linear("encoder.layer.{i}.attention.attn.q", "encoder.{i}.attention.query"),
    linear("encoder.layer.{i}.attention.attn.k", "encoder.{i}.attention.key"),
    linear("encoder.layer.{i}.attention.attn.v", "encoder.{i}.attention.value"),
    linear("encoder.layer.{i}.attention.attn.o", "encoder.{i}.attention.output"),
    norm("encoder.layer.{i}.attention.LayerNorm", "encoder.{i}.norm_1"),
    linear("encoder.layer.{i}.intermediate.dense", "encoder.{i}.ffn.hidden"),
    linear("encoder.layer.{i}.output.dense", "encoder.{i}.ffn.output"),
    norm("encoder.layer.{i}.output.LayerNorm", "encoder.{i}.norm_2"),
    linear("classifier.dense", "pool.hidden", otherwise="pooler.dense"),
    linear("lm_head.dense", "head.hidden"),
    norm("lm_head.layer_norm", "head.norm"),
    head("classifier.out_proj", masked_bias="lm_head.bias"),
)


def configured(config: Config, words: tuple[str, ...]) -> Bert:
    config.must_be("relative_attention_num_buckets", 32)
    found = roberta.without_unused(bert.configured(config, words), config, UNUSED)
    return replace(found, types=0, distances=Distances(buckets=32, farthest=128))


FAMILY = Family("MPNet", "mpnet.", NAMES, configured)


def open_model(name: str, config: Config, architecture: str) -> Encoder:
    return open_encoder(FAMILY, name, config, architecture)
