"""RoBERTa and XLM-RoBERTa: BERT's layers with byte-level or sentence pieces, one token type, and other heads."""

from __future__ import annotations

from dataclasses import replace

from txviz.models.checkpoints import bert
from txviz.models.checkpoints.config import Config
from txviz.models.checkpoints.encoding import Encoder, Family, open_encoder
from txviz.models.checkpoints.names import Row, head, linear, norm, rows, table
from txviz.nets.bert import Bert


def names(unused: int) -> list[Row]:
    """The table of positions begins with as many rows that no text uses; padding has the last of them."""
    return rows(
        table("embeddings.word_embeddings", "embed.tokens"),
        table("embeddings.token_type_embeddings", "embed.types"),
        table("embeddings.position_embeddings", "embed.positions", lambda positions: positions[unused - 1 :]),
        norm("embeddings.LayerNorm", "embed.norm"),
        bert.LAYERS,
        linear("classifier.dense", "pool.hidden", otherwise="pooler.dense"),
        linear("lm_head.dense", "head.hidden"),
        norm("lm_head.layer_norm", "head.norm"),
        head("classifier.out_proj", masked_bias="lm_head.bias"),
    )


def open_model(name: str, config: Config, architecture: str) -> Encoder:
    unused = config.whole("pad_token_id", 1, lowest=0) + 1

    def configured(config: Config, words: tuple[str, ...]) -> Bert:
        return without_unused(bert.configured(config, words), config, unused)

    title = "XLM-RoBERTa" if config.get("model_type") == "xlm-roberta" else "RoBERTa"
    return open_encoder(Family(title, "roberta.", names(unused), configured), name, config, architecture)


def without_unused(found: Bert, config: Config, unused: int) -> Bert:
    """The longest text is shorter than the table of positions, the last unused row of which is that of padding."""
    if found.longest <= unused:
        raise config.wrong("max_position_embeddings", f"more than {unused}")
    return replace(found, longest=found.longest - unused, padding=unused - 1)
