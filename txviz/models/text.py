"""Reading a sentence that somebody typed: the words in it, or one sentence that says why it can't be read."""

from __future__ import annotations

import re
import unicodedata

from txviz.errors import TxvizError
from txviz.spelling import is_letter, split

LONGEST_WORD = 100


def read_words(source: object, longest: int) -> list[str]:
    """The words and signs of a sentence, or one sentence that says why it can't be read."""
    if not isinstance(source, str):
        raise TxvizError(f"this model reads a sentence, not {_kind(source)}")
    refuse_characters(source, "Cc", "Cs")
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
    whole = (r"(?<!\w)" if is_letter(word[0]) else "") + body + (r"(?!\w)" if is_letter(word[-1]) else "")
    for pattern in (whole, body):  # a token may be a part of what was typed, as "is" in "isn't"
        changed, count = re.subn(pattern, lambda found: _in_case_of(found[0], by), normal, flags=re.IGNORECASE)
        if count:
            return changed
    return text


def _in_case_of(typed: str, word: str) -> str:
    if len(typed) > 1 and typed.isupper():
        return word.upper()
    return word[0].upper() + word[1:] if typed[0].isupper() else word


def refuse_characters(text: str, *kinds: str) -> None:
    """Those of some categories of Unicode: Cc, which control something, and Cs, which are halves of characters."""
    for i, character in enumerate(text):
        if unicodedata.category(character) in kinds and not character.isspace():
            raise TxvizError(
                f"character {i + 1} of the sentence is U+{ord(character):04X}, which is not text; leave it out"
            )


def _kind(source: object) -> str:
    shape = getattr(source, "shape", None)
    return f"an array of {'×'.join(map(str, shape))}" if shape is not None else f"a {type(source).__name__}"
