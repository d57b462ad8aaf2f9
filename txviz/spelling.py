"""How sentences are cut into words and signs, and put together again. Strings only: data and models share it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Literal

Language = Literal["it", "fr"]

_JOINERS = {"\u200c", "\u200d"}
"""Zero-width characters that hold a word or an emoji together."""

_UNCUT = {"aujourd'hui"}
_CONTRACTIONS = (
    (r"n't\b", " not"),
    (r"'re\b", " are"),
    (r"\bi'm\b", "i am"),
    (r"\b(he|she|it|there|where)'s\b", r"\1 is"),
    (r"\bcan? not\b", "cannot"),
)


def split(text: str) -> list[str]:
    """Words (letters, digits, and apostrophes or hyphens inside) and single signs; what is seen as one stays together.

    >>> split("Don't panic: it's 👩‍🚀!")
    ["Don't", 'panic', ':', "it's", '👩‍🚀', '!']
    """
    pieces: list[str] = []
    before = " "
    normal = unicodedata.normalize("NFC", text)
    for i, character in enumerate(normal):
        if not character.isspace():
            if not before.isspace() and _belongs(pieces[-1], character, after=normal[i + 1 : i + 2]):
                pieces[-1] += character
            else:
                pieces.append(character)
        before = character
    return pieces


def _belongs(piece: str, character: str, after: str) -> bool:
    """Whether a character goes on with the piece that stands directly before it."""
    before = piece[-1]
    if unicodedata.category(character).startswith("M") or character in _JOINERS or before in _JOINERS:
        return True  # accents, vowel signs, and what is joined on purpose
    if "\U0001f3fb" <= character <= "\U0001f3ff":
        return True  # skin tones
    in_word = is_letter(before) or unicodedata.category(before).startswith("M")
    if character in "'’-":
        return in_word and is_letter(after)
    return is_letter(character) and (in_word or (before in "'’-" and len(piece) > 1))


def is_letter(character: str) -> bool:
    return character.isalnum() or character == "_"


def tokenise(text: str) -> list[str]:
    """Words and signs. An elided word is a token, apostrophe and all: l'arbre is "l'" and "arbre".

    >>> tokenise("parce qu'il n'est pas près de l'arbre.")
    ['parce', "qu'", 'il', "n'", 'est', 'pas', 'près', 'de', "l'", 'arbre', '.']
    """
    text = unicodedata.normalize("NFC", text).replace("’", "'")
    pieces = re.findall(r"\w+(?:['-]\w+)*'?|[^\w\s]", text)
    return [token for piece in pieces for token in ([piece] if piece in _UNCUT else re.findall(r"[^']+'?|'", piece))]


def join(tokens: Iterable[str], language: Language | None = None) -> str:
    """The sentence that people read: the inverse of `tokenise`. French sets a space before a question mark.

    >>> join(["j'", "aime", "l'", "arbre", "."])
    "j'aime l'arbre."
    """
    text = " ".join(tokens).replace("' ", "'").replace(" .", ".")
    return text if language == "fr" else text.replace(" ?", "?")


def normalise(text: str) -> str:
    """English as the grammar writes it: lower-case, "do not" for "don't", one space between words."""
    text = text.lower().replace("’", "'")
    for short, full in _CONTRACTIONS:
        text = re.sub(short, full, text)
    return join(tokenise(text))


def source(text: str, language: Language) -> list[str]:
    """The tokens that the translator reads: the tag of the language to translate into, and the English words."""
    return [f"<{language}>", *tokenise(normalise(text))]
