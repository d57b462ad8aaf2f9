"""Encoders over texts: a masked word, a class, or a vector, for one text or two."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from txviz import ops
from txviz.errors import TxvizError
from txviz.models.checkpoints.config import Config, first_file, read_json
from txviz.models.checkpoints.model import Checkpoint, Net
from txviz.models.checkpoints.names import Row
from txviz.models.checkpoints.pieces import Encoded
from txviz.models.model import InputKind, Prepared, Token
from txviz.models.options import Number, Option
from txviz.nets import bert, sentence_encoder, stacks
from txviz.nets.bert import Bert, Input
from txviz.nets.blocks import Block
from txviz.nets.parameters import Shapes
from txviz.trace import Run, Step

ACTIVATIONS = {
    "gelu": "gelu_erf",
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "relu": "relu",
    "silu": "silu",
    "swish": "silu",
}
"""Their word, and ours."""


class Family(NamedTuple):
    """BERT or one of its relatives."""

    title: str
    prefix: str
    names: Sequence[Row]
    configured: Callable[[Config, tuple[str, ...]], Bert]
    """From their configuration and the words of the vocabulary."""

    activation: Literal["tanh", "relu", "gelu"] = "tanh"
    """Of the layer between the first token and the classes."""


class Encoder(Checkpoint):
    """Two texts, parted by a bar, are read together; the tokens' types tell them apart."""

    @property
    def takes(self) -> InputKind:
        return InputKind("pair")

    options: ClassVar[Mapping[str, Option]] = {"pad": Number(0, 0, 100_000)}

    def __init__(self, name: str, config: Config, family: Family) -> None:
        super().__init__(name, config)
        self.family = family

    def asked(self, config: Bert) -> tuple[Bert, Shapes]:
        """The encoder with what comes after it."""
        raise NotImplementedError

    @cached_property
    def net(self) -> Net:
        family = self.family
        config, shapes = self.asked(self._with_waves(family.configured(self.described, self.pieces.words)))
        sizes = config.layers, config.block.heads, config.block.d_model
        return Net(family.title, config, shapes, family.names, *sizes, family.prefix)

    def _with_waves(self, config: Bert) -> Bert:
        """DistilBERT may store the paper's waves as its table of positions, which nobody has learned then."""
        if not self.described.flag("sinusoidal_pos_embds", False):
            return config
        name = "embeddings.position_embeddings.weight"
        stored = next((self.weights[each] for each in (self.family.prefix + name, name) if each in self.weights), None)
        size = config.longest, config.block.d_model
        if stored is None or stored.shape != size:  # which is refused later; so large a table need not be made for it
            return config
        return replace(config, waves=np.array_equal(stored, ops.sinusoid.compute(*size, single=True)))

    @property
    def examples(self) -> tuple[str, ...]:
        return ("The cat sat on the mat.", "The cat sat on the mat. | A dog runs home.")

    def tokens(self, text: object, options: Mapping[str, Any]) -> list[Token]:
        return self._read(text, options).tokens

    def _read(self, source: object, options: Mapping[str, Any]) -> Encoded:
        return self._encoded(options["pad"], *texts_of(source))

    def _encoded(self, length: int, *texts: str) -> Encoded:
        """The tokens of one text or two, filled up to a length with padding."""
        found, longest = self.pieces.encode(*texts), self.net.config.longest
        if not found.ids:
            raise TxvizError("the text is empty; type at least one word")
        if len(found.ids) > longest:
            raise TxvizError(f"the text has {len(found.ids):,} tokens; this model reads at most {longest:,}")
        if length > longest:
            raise TxvizError(f"pad is {length:,}; this model reads at most {longest:,} tokens")
        return self.pieces.padded(found, length)

    def _given(self, run: Run, read: Encoded) -> Input:
        """What transformers calls input_ids, token_type_ids and attention_mask."""
        labels = {"token": self.pieces.labels(read.ids)}
        tokens = run.given("tokens", np.array(read.ids), axes="token", labels=labels)
        types: int = self.net.config.types
        of_types = np.minimum(read.types, types - 1)
        return Input(
            tokens,
            run.given("token_types", of_types, axes="token", like=tokens) if types else None,
            run.given("attention_mask", np.array(read.mask), axes="token", like=tokens),
        )


class MaskedWord(Encoder):
    does = "it fills in a masked word"

    def asked(self, config: Bert) -> tuple[Bert, Shapes]:
        return config, bert.masked_shapes(config)

    @property
    def mask(self) -> int | None:
        return self.pieces.number("[MASK]", "<mask>")

    @property
    def examples(self) -> tuple[str, ...]:
        word = "it" if self.mask is None else self.pieces.words[self.mask]
        return (f"The cat {word} on the mat.", f"Paris is the {word} of France.")

    def prepare(self, source: object, options: Mapping[str, Any]) -> Prepared:
        read, config = self._read(source, options), self.net.config

        def forward(run: Run) -> str:
            scores = bert.masked(run, config, self._given(run, read))
            likely = stacks.probabilities(run, scores).value.argmax(axis=-1)
            filled = [int(best) if i == self.mask else i for i, best in zip(read.ids, likely, strict=True)]
            return self.pieces.decode(filled)

        return Prepared(self.parameters, forward, dtype=self.weights.dtype)


class TextClass(Encoder):
    does = "it puts a text, or two, into a class"

    def asked(self, config: Bert) -> tuple[Bert, Shapes]:
        config = replace(config, pool_activation=self.family.activation, classes=self.described.labels())
        return config, bert.class_shapes(config)

    def prepare(self, source: object, options: Mapping[str, Any]) -> Prepared:
        read, config = self._read(source, options), self.net.config

        def forward(run: Run) -> str:
            scores = bert.classify(run, config, self._given(run, read))
            return stacks.predict(run, stacks.probabilities(run, scores), config.classes)

        return Prepared(self.parameters, forward, dtype=self.weights.dtype)


class TextVector(Encoder):
    """One text gives its vector, two their cosine: each is read alone. Pooling is as sentence-transformers has it."""

    does = "a vector for a text, or the cosine of two"

    def asked(self, config: Bert) -> tuple[Bert, Shapes]:
        config = replace(config, **self._pooling())
        return config, bert.vector_shapes(config)

    def tokens(self, text: object, options: Mapping[str, Any]) -> list[Token]:
        read = enumerate(self._encoded(options["pad"], each) for each in texts_of(text))
        return [replace(token, part=i) for i, each in read for token in each.tokens]

    def prepare(self, source: object, options: Mapping[str, Any]) -> Prepared:
        read, config = [self._encoded(options["pad"], text) for text in texts_of(source)], self.net.config
        if len(read) == 2:
            config = replace(config, unit=False)  # a cosine does that by itself

        def vector(run: Run, i: int) -> Step:
            return bert.vector(run, config, self._given(run, read[i]))

        def forward(run: Run) -> str | Step:
            if len(read) == 1:
                return vector(run, 0)
            return f"{float(sentence_encoder.similarity(run, lambda i: vector(run, i)).value):.3f}"

        return Prepared(self.parameters, forward, dtype=self.weights.dtype)

    def _pooling(self) -> dict[str, Any]:
        """What the files of sentence-transformers say; without them the first token, and BERT's layer after it."""
        if not (self.folder / "modules.json").is_file():
            layer = any(name.endswith("pooler.dense.weight") for name in self.weights)
            return {"pooling": "cls", "pool_activation": "tanh" if layer else None}
        modules = read_json(self.folder / "modules.json")
        modules = [each for each in modules if isinstance(each, dict)] if isinstance(modules, list) else []
        types = [str(each.get("type")) for each in modules]
        kinds = [kind.rpartition(".")[2] for kind in types]
        if kinds[:2] != ["Transformer", "Pooling"] or kinds[2:] not in ([], ["Normalize"]):
            raise TxvizError(
                f"{self.folder / 'modules.json'} lists {', '.join(kinds)[:80] or 'nothing'}; Transformer, Pooling and "
                "Normalize can be run"
            )
        file = first_file(self.folder / Path(str(modules[1].get("path"))[:100]).name, ["config.json"])
        if file is None:
            raise TxvizError(f"{self.folder / '1_Pooling' / 'config.json'} is missing")
        modes = Config(file.parent, file.name, read_json(file))
        return {"pooling": _pooling(modes), "unit": bool(kinds[2:])}


def _pooling(modes: Config) -> str:
    """mean or cls: the one that is on."""
    known = {"pooling_mode_mean_tokens": "mean", "pooling_mode_cls_token": "cls"}
    named = modes.get("pooling_mode")
    if isinstance(named, str) and named in ("mean", "cls"):
        return named
    told = modes.content if isinstance(modes.content, dict) else {}
    chosen = [name for name, on in told.items() if name.startswith("pooling_mode_") and on is True]
    if len(chosen) != 1 or chosen[0] not in known:
        raise TxvizError(
            f"{modes.folder / modes.file} pools by {', '.join(chosen) or 'nothing'}; mean or cls can be run"
        )
    return known[chosen[0]]


def texts_of(source: object) -> list[str]:
    """One text or two: a pair, or one text with a bar between them."""
    texts = source.split("|") if isinstance(source, str) else source
    if not isinstance(texts, list | tuple) or not 1 <= len(texts) <= 2 or not all(isinstance(t, str) for t in texts):
        raise TxvizError('this model reads one text or two, parted by "|"')
    return [text.strip() if len(texts) == 2 and isinstance(source, str) else text for text in texts]


TASKS: dict[str, type[Encoder]] = {
    "Model": TextVector,
    "ForMaskedLM": MaskedWord,
    "ForSequenceClassification": TextClass,
}
"""By the ending of an architecture's name."""


def open_encoder(family: Family, name: str, config: Config, architecture: str) -> Encoder:
    return next(task for ending, task in TASKS.items() if architecture.endswith(ending))(name, config, family)


def encoder_block(config: Config, width: str, heads: str, hidden: str, activation: str, epsilon: float) -> Block:
    """A post-norm block from what they call its sizes."""
    sizes = config.whole(width), config.whole(heads), config.whole(hidden)
    check_heads(config, *sizes[:2])
    words: Any = config.one_of(activation, ACTIVATIONS, "gelu")
    return Block(*sizes, norm="post", activation=words, epsilon=epsilon)


def check_heads(config: Config, width: int, heads: int) -> None:
    if width % heads:
        raise TxvizError(
            f"{config.folder / config.file} shares {width} among {heads} heads, which does not come out even"
        )
