"""Good input changed a little: bytes, texts and JSON. All by the random numbers of one case, so that it comes again."""

from __future__ import annotations

import json
from copy import deepcopy
from random import Random
from typing import Any

ODD_TEXTS = (
    "", " ", "\t\n", "\x00", "\x1b[31m", "\u202e", "\ufeff", "\uffff", "\ud800", "a\udfffb", "\U0010ffff", "e\u0301",
    "ﬁ", "İ", "ß", "👩‍🚀", "日本語", "مرحبا", "नमस्ते", "a" * 101, "a" * 5000, "a " * 3000, "'", '"', "’", "|", "<fr>",
    "<it> ", "<SOS>", "[CLS]", "<img src=x>", "&amp;", "\\input{x}", "$x$", "=cmd()", "%s%n", "{}", "{0}", "../../x",
    "*", "[", "[!", "**", "~", ".", "-", "--", "-1", "0", "1", "0.0", "1e308", "1e999", "-1e999", "nan", "inf", "-inf",
    "1_000", "٣", "0x10", "1,5", "True", "None", "null", "9" * 400, "9" * 5000, "0 1;2", "time.1.", "encoder.0.norm_1",
)  # fmt: skip

ODD_VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 7, 0.5, -0.0, 1e-320, 1e30, 1e308, 10**30, 3 * 10**8, 2**31, 2**63, -(2**63),
    10**400, -(10**400), float("nan"), float("inf"), float("-inf"), [], [0], [[]], [1, 2], [-1, -1], [2, 2], [None, 1],
    [True], [[0.5] * 6] * 6, [10**400], ["a"], ["\ud800"], {}, {"a": 1}, {"": None}, {"\ud800": 1},
    {"model": "digits"}, [[[[[[[[[[[[1]]]]]]]]]]]], {"a": {"b": {"c": {"d": {}}}}},
)  # fmt: skip

LETTERS = "aeiou xyz.,;:!?'’-–|<>[]{}()&%$#\\=+*_~^\"0123456789éßñ\u0301\u200d😀日ש\x00\x7f\ud800\n\t"
"""No slash: a text that is taken for a path stays in the folder of its case."""


def odd(rng: Random) -> Any:
    """A value of any kind that JSON has."""
    return deepcopy(rng.choice(ODD_VALUES)) if rng.random() < 0.6 else rng.choice(ODD_TEXTS)


def few(rng: Random) -> range:
    """How often something is changed: mostly once."""
    return range(rng.choice((1, 1, 1, 2, 3, 8)))


def changed_bytes(rng: Random, content: bytes) -> bytes:
    """Bits flipped, and pieces cut out, doubled, made zero or replaced; the beginning is where the headers are."""
    for _ in few(rng):
        if not content:
            return content
        start = rng.randrange(len(content) if rng.random() < 0.5 else min(len(content), 128))
        stop = min(len(content), start + rng.choice((1, 1, 2, 4, 8, 64)))
        piece = content[start:stop]
        flipped = bytes((piece[0] ^ 1 << rng.randrange(8), *piece[1:]))
        new = rng.choice((flipped, flipped, b"", piece * 2, bytes(len(piece)), b"\xff" * len(piece), rng.randbytes(4)))
        content = content[:start] if rng.random() < 0.1 else content[:start] + new + content[stop:]
    return content


def changed_text(rng: Random, text: str) -> str:
    """Letters changed, added and left out; pieces doubled; something odd put in between."""
    for _ in few(rng):
        start = rng.randint(0, len(text))
        stop = min(len(text), start + rng.choice((0, 1, 1, 3, 10)))
        letters = "".join(rng.choices(LETTERS, k=rng.choice((1, 1, 2, 5))))
        new = rng.choice((letters, letters, "", text[start:stop] * rng.choice((2, 50)), rng.choice(ODD_TEXTS)))
        text = text[:start] + new + text[stop:]
    return text


def changed_json(rng: Random, content: Any) -> Any:
    """Some value inside replaced, left out, doubled or moved; the content itself is not touched."""
    content = deepcopy(content)
    for _ in few(rng):
        holder = _holder(rng, content)
        if not holder:
            return odd(rng)
        key = rng.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
        _change(rng, holder, key)
    return content


def _holder(rng: Random, content: Any) -> Any:
    """A list or dictionary somewhere inside that is not empty."""
    found = content if isinstance(content, list | dict) else None
    while found and rng.random() < 0.8:
        inner = [each for each in (found.values() if isinstance(found, dict) else found) if each]
        deeper = [each for each in inner if isinstance(each, list | dict)]
        if not deeper:
            break
        found = rng.choice(deeper)
    return found


def _change(rng: Random, holder: Any, key: Any) -> None:
    match rng.randrange(6):
        case 0:
            del holder[key]
        case 1 if isinstance(holder, list):
            holder.insert(key, deepcopy(holder[rng.randrange(len(holder))]))
        case 1:
            holder[rng.choice(ODD_TEXTS)] = holder[key]
        case 2:
            holder[key] = deepcopy(holder[rng.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))])
        case 3 if isinstance(holder[key], str):
            holder[key] = changed_text(rng, holder[key])
        case 3 if isinstance(holder[key], int | float) and not isinstance(holder[key], bool):
            holder[key] = holder[key] + rng.choice((-1, 1, 10**6))
        case _:
            holder[key] = odd(rng)


def changed_words(rng: Random, words: list[str]) -> list[str]:
    """Words of a command line: changed, left out, doubled, exchanged; something odd in their place."""
    words = list(words)
    for _ in few(rng):
        if not words:
            return words
        at = rng.randrange(len(words))
        match rng.randrange(6):
            case 0:
                del words[at]
            case 1:
                words.insert(at, rng.choice(words))
            case 2:
                other = rng.randrange(len(words))
                words[at], words[other] = words[other], words[at]
            case 3:
                words[at] = changed_text(rng, words[at])
            case _:
                words[at] = rng.choice(ODD_TEXTS)
    return words


def as_bytes(content: Any) -> bytes:
    """JSON in plain ASCII: half characters come through."""
    return json.dumps(content).encode()
