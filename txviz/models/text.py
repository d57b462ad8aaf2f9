"""Sentences: reading them, and cutting them into words."""

from __future__ import annotations

import re
import unicodedata

from txviz.errors import TxvizError

LONGEST_WORD = 100

_JOINERS = {"\u200c", "\u200d"}
"""Zero-width characters that hold a word or an emoji together."""


def read_words(source: object, longest: int) -> list[str]:
    """The words and signs of a sentence, or one sentence that says why it can't be read."""
    if not isinstance(source, str):
        raise TxvizError(f"this model reads a sentence, not {_kind(source)}")
    _refuse_control_characters(source)
    words = split(source)
    if not words:
        raise TxvizError("the sentence is empty; type at least one word")
    if len(words) > longest:
        raise TxvizError(f"the sentence has {len(words):,} words and signs; this model reads at most {longest}")
    for word in words:
        if len(word) > LONGEST_WORD:
            raise TxvizError(f'the word "{word[:20]}…" has {len(word):,} letters; at most {LONGEST_WORD} are read')
    return words


def plain(source: object) -> object:
    """A sentence as the trained models know it: lower-case, with straight apostrophes. Anything else as it is."""
    return source.lower().replace("’", "'") if isinstance(source, str) else source


def replace_word(text: str, word: str, by: str) -> str:
    """The text with another word wherever this token stands, in small letters or capitals as it was typed.

    >>> replace_word("Catt and catt", "catt", "cat")
    'Cat and cat'
    """
    normal = unicodedata.normalize("NFC", text)
    body = re.escape(word).replace("'", "['’]")
    whole = (r"(?<!\w)" if _is_letter(word[0]) else "") + body + (r"(?!\w)" if _is_letter(word[-1]) else "")
    for pattern in (whole, body):  # a token may be a part of what was typed, as "is" in "isn't"
        changed, count = re.subn(pattern, lambda found: _in_case_of(found[0], by), normal, flags=re.IGNORECASE)
        if count:
            return changed
    return text


def _in_case_of(typed: str, word: str) -> str:
    if len(typed) > 1 and typed.isupper():
        return word.upper()
    return word[0].upper() + word[1:] if typed[0].isupper() else word


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
    in_word = _is_letter(before) or unicodedata.category(before).startswith("M")
    if character in "'’-":
        return in_word and _is_letter(after)
    return _is_letter(character) and (in_word or (before in "'’-" and len(piece) > 1))


def _is_letter(character: str) -> bool:
    return character.isalnum() or character == "_"


def _refuse_control_characters(text: str) -> None:
    for i, character in enumerate(text):
        if unicodedata.category(character) in ("Cc", "Cs") and not character.isspace():
            raise TxvizError(
                f"character {i + 1} of the sentence is U+{ord(character):04X}, which is not text; leave it out"
            )


def _kind(source: object) -> str:
    shape = getattr(source, "shape", None)
    return f"an array of {'×'.join(map(str, shape))}" if shape is not None else f"a {type(source).__name__}"
