"""Words and their numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from txviz.models.model import Token
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
        other = self.numbers[UNKNOWN]
        return np.array([self.numbers.get(word, other) for word in words], dtype=np.int64)

    def decode(self, numbers: Iterable[int]) -> list[str]:
        """The words, without padding, start and end."""
        skipped = {self.numbers[word] for word in (PADDING, START, END)}
        return [self.words[i] for i in numbers if i not in skipped]

    def note(self, words: Sequence[str], among: Sequence[str] = ()) -> str:
        """A sentence about the words that are not known, with the nearest known ones (``among`` these, where given)."""
        listed = unknown(self.tokens(words, among))
        return f"Not in the vocabulary, so read as {UNKNOWN}: {listed}." if listed else ""

    def tokens(self, words: Sequence[str], among: Sequence[str] = ()) -> list[Token]:
        """The words with their numbers; the unknown ones with the nearest known ones (``among`` these, where given)."""
        known = tuple(among) or self.words[len(SPECIAL) :]
        return [
            Token(word, int(number), special=word[0] + word[-1] == "<>")
            if word in self.numbers
            else Token(word, int(number), False, nearest(word, known))
            for word, number in zip(words, self.encode(words), strict=True)
        ]


def unknown(tokens: Iterable[Token]) -> str:
    """Those that are not known, with the nearest known ones; nothing where all are."""
    listed = (
        f"“{token.text}”" + (f" (nearest: {', '.join(token.nearest)})" if token.nearest else "")
        for token in dict.fromkeys(token for token in tokens if not token.known)
    )
    return "; ".join(listed)


@lru_cache(maxsize=2000)
def nearest(word: str, known: tuple[str, ...]) -> tuple[str, ...]:
    """The known words that look most like this one, at most three. Remembered, since typing asks again and again."""
    from difflib import get_close_matches  # only an unknown word pays for this import

    return tuple(get_close_matches(word, known, n=3, cutoff=0.6))
