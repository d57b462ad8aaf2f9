"""Encoder–decoders: they read a text, and write another."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from txviz.errors import TxvizError
from txviz.models.checkpoints.continuing import OPTIONS, end_token
from txviz.models.checkpoints.model import Checkpoint
from txviz.models.decoding import write_on
from txviz.models.model import Prepared
from txviz.models.options import Option
from txviz.nets.attention import Cache
from txviz.nets.decoding import Closed, NextLogits, last
from txviz.trace import Run, Step


class Translating(Checkpoint):
    """What is written starts with a token of its own, which is the one for padding in the families here."""

    options: ClassVar[Mapping[str, Option]] = OPTIONS

    @property
    @abstractmethod
    def words(self) -> Sequence[str]:
        """The vocabulary, as it is shown."""

    @abstractmethod
    def encode(self, text: str) -> list[int]:
        """The tokens of the source, and the end."""

    @abstractmethod
    def text(self, ids: Iterable[int]) -> str:
        """Tokens as a text; special ones are left out."""

    @abstractmethod
    def memory(self, run: Run, source: Step) -> Step:  # (S,) -> (S,d)
        """What the encoder makes of the source."""

    @abstractmethod
    def logits(self, run: Run, target: Step, memory: Step, cache: Cache | None, start: int) -> Step:  # -> (T,V)
        """Of the token that follows each position of the target, which begins at position ``start``."""

    def closed(self, most: int) -> Closed | None:
        """What must not be written, where at most so many tokens are."""
        return None

    def read(self, text: object) -> list[int]:
        if not isinstance(text, str):
            raise TxvizError(f"this model reads a text, not a {type(text).__name__}")
        ids, longest = self.encode(text), self.net.config.longest
        if len(ids) > longest:
            raise TxvizError(f"the text has {len(ids):,} tokens; this model reads at most {longest:,}")
        return ids

    def prepare(self, source: object, options: Mapping[str, Any]) -> Prepared:
        ids, start = self.read(source), (self.start,)
        if len(ids) == 1:
            raise TxvizError("the text is empty; type at least one word")

        def forward(run: Run) -> str:
            labels = {"token": tuple(self.words[i] for i in ids)}
            memory = self.memory(run, run.given("tokens", np.array(ids), axes="token", labels=labels))
            end, after, closed = end_token(self.described), self._next(memory), self.closed(options["max_steps"])
            written = write_on(run, after, start, self.words, end, options, closed, finished="leave")
            return self.text(written.tokens)

        return Prepared(self.parameters, forward, dtype=self.weights.dtype)

    @property
    def start(self) -> int:
        """What is written begins with this token."""
        padding = self.described.whole("pad_token_id", 0, lowest=0)
        return self.described.whole("decoder_start_token_id", padding, lowest=0, highest=len(self.words) - 1)

    def _next(self, memory: Step) -> NextLogits:
        def next_logits(run: Run, tokens: tuple[int, ...], cache: Cache | None) -> Step:  # -> (V,)
            start = cache.advance(len(tokens)) if cache else 0
            labels = {"token": tuple(self.words[i] for i in tokens[start:])}
            with run.at(part="decoder"):
                given = run.given("tokens", np.array(tokens[start:]), axes="token", labels=labels)
            return last(run, self.logits(run, given, memory, cache, start))

        return next_logits
