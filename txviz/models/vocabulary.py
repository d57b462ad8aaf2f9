"""Words and their numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from txviz.models.reading import Token
from txviz.ops import Array

PADDING, START, END, UNKNOWN = "<PAD>", "<SOS>", "<EOS>", "<UNK>"
SPECIAL = (PADDING, START, END, UNKNOWN)


@dataclass(frozen=True)
class Vocabulary:
    """All words a model knows; the first four are its special tokens."""

    words: tuple[str, ...]

    @classmethod
    def of(cls, words: Iterable[str]) -> Vocabulary:
        """The special tokens, then these words in alphabetical order."""
        return cls((*SPECIAL, *sorted(set(words) - set(SPECIAL))))

    @cached_property
    def numbers(self) -> dict[str, int]:
        return {word: i for i, word in enumerate(self.words)}

    def __len__(self) -> int:
        return len(self.words)

    def encode(self, words: Sequence[str]) -> Array:  # -> (T,)
        unknown = self.numbers[UNKNOWN]
        return np.array([self.numbers.get(word, unknown) for word in words], dtype=np.int64)

    def decode(self, numbers: Iterable[int]) -> list[str]:
        """The words, without padding, start and end."""
        skipped = {self.numbers[word] for word in (PADDING, START, END)}
        return [self.words[i] for i in numbers if i not in skipped]

    def note(self, words: Sequence[str], among: Sequence[str] = ()) -> str:
        """A sentence about the words that are not known, with the nearest known ones (``among`` these, where given)."""
        unknown = dict.fromkeys(token for token in self.tokens(words, among) if not token.known)
        if not unknown:
            return ""
        told = (
            f"“{token.text}”" + (f" (nearest: {', '.join(token.nearest)})" if token.nearest else "")
            for token in unknown
        )
        return f"Not in the vocabulary, so read as {UNKNOWN}: {'; '.join(told)}."

    def tokens(self, words: Sequence[str], among: Sequence[str] = ()) -> list[Token]:
        """The words with their numbers; the unknown ones with the nearest known ones (``among`` these, where given)."""
        known = tuple(among) or self.words[len(SPECIAL) :]
        return [
            Token(word, int(number), word in self.numbers, () if word in self.numbers else nearest(word, known))
            for word, number in zip(words, self.encode(words), strict=True)
        ]


@lru_cache(maxsize=2000)
def nearest(word: str, known: tuple[str, ...]) -> tuple[str, ...]:
    """The known words that look most like this one, at most three. Remembered, since typing asks again and again."""
    from difflib import get_close_matches  # only an unknown word pays for this import

    return tuple(get_close_matches(word, known, n=3, cutoff=0.6))


def padded(rows: Sequence[Array], padding: int = 0) -> Array:  # T₁, T₂, … -> (B,T)
    """Rows of different lengths as one array, filled up on the right."""
    length = max(len(row) for row in rows)
    table = np.full((len(rows), length), padding, dtype=np.int64)
    for i, row in enumerate(rows):
        table[i, : len(row)] = row
    return table


def by_length(sizes: Array, batch: int, rng: np.random.Generator, looseness: float) -> Iterator[Array]:  # (N,) -> (B,)…
    """Endless batches of texts of about the same length, so that there is little padding; in a new order each time."""
    while True:
        order = np.argsort(sizes + rng.random(len(sizes)) * looseness, kind="stable")
        for start in rng.permutation(np.arange(0, len(order) - batch + 1, batch)):
            yield order[start : start + batch]
