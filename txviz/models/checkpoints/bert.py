"""BERT, and MiniLM and other sentence-transformers that are built like it."""

from __future__ import annotations

from txviz.models.checkpoints.config import Config
from txviz.models.checkpoints.encoding import Encoder, Family, encoder_block, open_encoder
from txviz.models.checkpoints.names import head, linear, norm, rows, table
from txviz.nets.bert import Bert

LAYERS = rows(
    linear("encoder.layer.{i}.attention.self.query", "encoder.{i}.attention.query"),
    linear("encoder.layer.{i}.attention.self.key", "encoder.{i}.attention.key"),
    linear("encoder.layer.{i}.attention.self.value", "encoder.{i}.attention.value"),
    linear("encoder.layer.{i}.attention.output.dense", "encoder.{i}.attention.output"),
    norm("encoder.layer.{i}.attention.output.LayerNorm", "encoder.{i}.norm_1"),
    linear("encoder.layer.{i}.intermediate.dense", "encoder.{i}.ffn.hidden"),
    linear("encoder.layer.{i}.output.dense", "encoder.{i}.ffn.output"),
    norm("encoder.layer.{i}.output.LayerNorm", "encoder.{i}.norm_2"),
)
NAMES = rows(
    table("embeddings.word_embeddings", "embed.tokens"),
    table("embeddings.token_type_embeddings", "embed.types"),
    table("embeddings.position_embeddings", "embed.positions"),
    norm("embeddings.LayerNorm", "embed.norm"),
    LAYERS,
    linear("pooler.dense", "pool.hidden"),
    linear("cls.predictions.transform.dense", "head.hidden"),
    norm("cls.predictions.transform.LayerNorm", "head.norm"),
    head("classifier", masked_bias="cls.predictions.bias"),
)


def configured(config: Config, words: tuple[str, ...]) -> Bert:
    config.must_be("position_embedding_type", "absolute")
    config.must_be("is_decoder", False)
    epsilon = config.number("layer_norm_eps", 1e-12)
    return Bert(
        encoder_block(config, "hidden_size", "num_attention_heads", "intermediate_size", "hidden_act", epsilon),
        layers=config.layers("num_hidden_layers"),
        vocabulary=words,
        longest=config.whole("max_position_embeddings"),
        types=config.whole("type_vocab_size", 2),
    )


FAMILY = Family("BERT", "bert.", NAMES, configured)


def open_model(name: str, config: Config, architecture: str) -> Encoder:
    return open_encoder(FAMILY, name, config, architecture)
