"""DistilBERT: half of BERT's layers, no token types, and other names."""

from __future__ import annotations

from txviz.models.checkpoints.config import Config
from txviz.models.checkpoints.encoding import Encoder, Family, encoder_block, open_encoder
from txviz.models.checkpoints.names import head, linear, norm, rows, table
from txviz.nets.bert import Bert

NAMES = rows(
    table("embeddings.word_embeddings", "embed.tokens"),
    table("embeddings.position_embeddings", "embed.positions"),
    norm("embeddings.LayerNorm", "embed.norm"),
    linear("transformer.layer.{i}.attention.q_lin", "encoder.{i}.attention.query"),
    linear("transformer.layer.{i}.attention.k_lin", "encoder.{i}.attention.key"),
    linear("transformer.layer.{i}.attention.v_lin", "encoder.{i}.attention.value"),
    linear("transformer.layer.{i}.attention.out_lin", "encoder.{i}.attention.output"),
    norm("transformer.layer.{i}.sa_layer_norm", "encoder.{i}.norm_1"),
    linear("transformer.layer.{i}.ffn.lin1", "encoder.{i}.ffn.hidden"),
    linear("transformer.layer.{i}.ffn.lin2", "encoder.{i}.ffn.output"),
    norm("transformer.layer.{i}.output_layer_norm", "encoder.{i}.norm_2"),
    linear("pre_classifier", "pool.hidden"),
    linear("vocab_transform", "head.hidden"),
    norm("vocab_layer_norm", "head.norm"),
    head("classifier", masked_bias="vocab_projector.bias"),
)


def configured(config: Config, words: tuple[str, ...]) -> Bert:
    return Bert(
        encoder_block(config, "dim", "n_heads", "hidden_dim", "activation", epsilon=1e-12),
        layers=config.layers("n_layers"),
        vocabulary=words,
        longest=config.whole("max_position_embeddings"),
        types=0,
    )


FAMILY = Family("DistilBERT", "distilbert.", NAMES, configured, activation="relu")


def open_model(name: str, config: Config, architecture: str) -> Encoder:
    return open_encoder(FAMILY, name, config, architecture)
