"""What was typed for each piece of a text, and the word that it is a piece of.

All from what the tokenizer says itself: which characters a piece was made from, and which of its words it is in. Some
tokenizers cut a text into no words at all; there the text's own words are taken, by those characters.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from txviz.models.model import Token
from txviz.trace.piece_signs import BYTE

_SIGNS = r"!-/:-@\[-`{-~\u00a1-\u00bf\u2010-\u205e\u3001-\u3020\uff01-\uff0f"
_WORD = re.compile(rf"[^\s{_SIGNS}]+(?:['\u2019][^\s{_SIGNS}]+)*|[{_SIGNS}]+")
_SEEN = re.compile(r"\S")

Group = tuple[int, int, int]


class Typed(NamedTuple):
    """One piece, as the tokenizer tells of it."""

    part: int
    """Which of two texts it is in; what is added to a text belongs to the one before it."""

    group: Group | None
    """The text, the tokenizer's word in it and the text's own; None for what was added."""

    start: int
    end: int


class Known(NamedTuple):
    """What a model calls its pieces, by their numbers; which of them stand for no text, and which for all others."""

    labels: Sequence[str]
    special: Collection[int]
    unknown: int | None


def tokens_typed(found: Any, texts: Sequence[str], ids: Sequence[int], known: Known) -> list[Token]:
    """The tokens of an encoding, with the numbers that the model has for them."""
    pieces = _pieces(found, texts)
    words = _words(pieces, texts)
    tokens: list[Token] = []
    before: Group | None = None
    for piece, number in zip(pieces, ids, strict=True):
        label, typed = known.labels[number], texts[piece.part][piece.start : piece.end].strip()
        if number == known.unknown and typed not in ("", label):
            token = Token(typed, number, known=False)
        else:
            special = piece.group is None or number in known.special
            token = Token(label, number, special=special, letter=typed if BYTE in label else "")
        group = None if token.special else piece.group
        word = words[group] if group else ""
        tokens.append(replace(token, word=word, joins=group is not None and group == before, part=piece.part))
        before = group
    return tokens


def _pieces(found: Any, texts: Sequence[str]) -> list[Typed]:
    starts = [[word.start() for word in _WORD.finditer(text)] for text in texts]
    pieces, part = [], 0
    for word, sequence, (start, end) in zip(found.word_ids, found.sequence_ids, found.offsets, strict=True):
        part = part if sequence is None else sequence
        seen = _SEEN.search(texts[part], start)
        own = bisect_right(starts[part], seen.start() if seen else start)
        pieces.append(Typed(part, None if word is None else (part, word, own), start, end))
    return pieces


def _words(pieces: Sequence[Typed], texts: Sequence[str]) -> dict[Group, str]:
    """Each word as it was typed: from where its first piece begins to where its last one ends."""
    spans: dict[Group, tuple[int, int]] = {}
    for piece in pieces:
        if piece.group is not None:
            start, end = spans.get(piece.group, (piece.start, piece.end))
            spans[piece.group] = min(start, piece.start), max(end, piece.end)
    return {group: texts[group[0]][start:end].strip() for group, (start, end) in spans.items()}
