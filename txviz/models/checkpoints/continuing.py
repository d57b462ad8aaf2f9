"""Decoder-only models: they go on with a text."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

import numpy as np

from txviz.errors import TxvizError
from txviz.models.checkpoints.config import Config
from txviz.models.checkpoints.model import Checkpoint
from txviz.models.checkpoints.pieces import Encoded
from txviz.models.decoding import write_on
from txviz.models.model import Prepared, Token
from txviz.models.options import DECODING, Number, Option
from txviz.nets.attention import Cache
from txviz.nets.decoding import NextLogits, last
from txviz.trace import Run, Step

OPTIONS: Mapping[str, Option] = {**DECODING, "length_penalty": Number(1.0, 0.0, 5.0)}
"""What is decoded, and how, as transformers has it: there a beam divides by the length."""


class Continuing(Checkpoint):
    options: ClassVar[Mapping[str, Option]] = OPTIONS
    does = "it goes on with a text"

    @abstractmethod
    def forward(self, run: Run, tokens: Step, cache: Cache | None, start: int) -> Step:  # (T,) -> (T,V)
        """Logits of the token that follows each position."""

    @property
    def examples(self) -> tuple[str, ...]:
        return ("The cat sat on the", "Once upon a time")

    def tokens(self, text: object, options: Mapping[str, Any]) -> list[Token]:
        return self._read(text, 0).tokens

    def prepare(self, source: object, options: Mapping[str, Any]) -> Prepared:
        start = tuple(self._read(source, options["max_steps"]).ids)

        def forward(run: Run) -> str:
            end = end_token(self.described)
            written = write_on(run, self._next(), start, self.pieces.words, end, options, finished="leave")
            return self.text((*start, *written.tokens))

        return Prepared(self.parameters, forward, dtype=self.weights.dtype)

    def text(self, ids: Iterable[int]) -> str:
        return self.pieces.decode(ids)

    def _read(self, source: object, more: int) -> Encoded:
        found, longest = self.pieces.encode(source), self.net.config.longest
        ids = found.ids
        if not ids:
            raise TxvizError("the text is empty; type at least one word")
        if len(ids) + max(more - 1, 0) > longest:  # the last one that is written is not read any more
            raise TxvizError(
                f"the text has {len(ids):,} tokens and {more} may be written; this model reads at most {longest:,}"
            )
        return found

    def _next(self) -> NextLogits:
        def next_logits(run: Run, tokens: tuple[int, ...], cache: Cache | None) -> Step:  # -> (V,)
            start = cache.advance(len(tokens)) if cache else 0
            labels = {"token": self.pieces.labels(tokens[start:])}
            given = run.given("tokens", np.array(tokens[start:]), axes="token", labels=labels)
            return last(run, self.forward(run, given, cache, start))

        return next_logits


def end_token(config: Config) -> int:
    """The number of the token that ends a text; −1, which none has, where there is none."""
    return -1 if config.get("eos_token_id") is None else config.token("eos_token_id")
