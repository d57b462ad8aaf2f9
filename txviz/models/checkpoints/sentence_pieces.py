"""Sentence-piece models (``source.spm``), which older checkpoints have in place of tokenizer.json.

The file is a protocol buffer: fields, each with its number and kind in front. Three of them are needed: the pieces
with their scores (1), what kind of model it is (2), and the table by which a text is normalised (3).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from txviz.errors import TxvizError
from txviz.files import reading
from txviz.models.checkpoints.config import check_size
from txviz.models.checkpoints.pieces import THEIRS, library

LARGEST_FILE = 10_000_000
_UNIGRAM = 1
_UNKNOWN, _CONTROL = 2, 3

Field = tuple[int, Any]


def open_sentence_pieces(file: Path, special: Sequence[str], numbered: bool = False, more: Sequence[str] = ()) -> Any:
    """A tokenizer of the library that cuts a text as the sentence-piece model does, after the special tokens in it.

    Where pieces are ``numbered`` as in the file, those that no text has count, too, and ``more`` come after them.
    """
    check_size(file, LARGEST_FILE)
    try:
        with reading(file):
            content = list(_fields(memoryview(file.read_bytes())))
        made = _tokenizer(content, numbered, more)
        made.add_special_tokens([*special, *more])
        return made
    except (TxvizError, MemoryError):
        raise
    except Exception as error:  # a damaged file makes whoever reads it stumble in any way
        raise TxvizError(f"{file} is no sentence-piece model that can be read: {str(error)[:100]}") from error


def _tokenizer(content: list[Field], numbered: bool, more: Sequence[str]) -> Any:
    tokenizers = library()
    pieces = [_piece(dict(_fields(value))) for number, value in content if number == 1]
    pieces = [piece for piece in pieces if numbered or piece[2] != _CONTROL]  # which no text has
    trained, normal = (
        {n: v for field, value in content if field == which for n, v in _fields(value)} for which in (2, 3)
    )
    if trained.get(3, _UNIGRAM) != _UNIGRAM:
        raise TxvizError("it is not of the kind Unigram, the only one that is read")
    unknown = next(i for i, (_, _, kind) in enumerate(pieces) if kind == _UNKNOWN)
    scored = [(text, score) for text, score, _ in pieces] + [(text, 0.0) for text in more]
    made = tokenizers.Tokenizer(tokenizers.models.Unigram(scored, unk_id=unknown, byte_fallback=False))
    steps, normalizers = [], tokenizers.normalizers
    if normal.get(2):
        steps.append(normalizers.Precompiled(bytes(normal[2])))
    if normal.get(4, 1):  # remove extra whitespaces
        steps += [normalizers.Strip(), normalizers.Replace(tokenizers.Regex(" {2,}"), " ")]
    made.normalizer = normalizers.Sequence(steps)
    made.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace(
        THEIRS, "always" if normal.get(3, 1) else "never", split=False
    )
    made.decoder = tokenizers.decoders.Metaspace(THEIRS)
    return made


def _piece(fields: dict[int, Any]) -> tuple[str, float, int]:
    return bytes(fields[1]).decode("utf-8"), float(fields.get(2, 0.0)), int(fields.get(3, 1))


def _fields(content: Any) -> Iterator[Field]:
    """Each field's number, and its value: a whole number, a float, or bytes."""
    place = 0
    while place < len(content):
        key, place = _whole(content, place)
        kind = key & 7
        if kind == 0:
            value, place = _whole(content, place)
        elif kind in (1, 5):
            size = 8 if kind == 1 else 4
            (value,) = struct.unpack("<d" if kind == 1 else "<f", content[place : place + size])
            place += size
        elif kind == 2:
            size, place = _whole(content, place)
            if place + size > len(content):
                raise ValueError("part of it is missing")
            value, place = content[place : place + size], place + size
        else:
            raise ValueError(f"a field of the kind {kind}")
        yield key >> 3, value


def _whole(content: Any, place: int) -> tuple[int, int]:
    """A whole number, seven bits in each byte, and where the next field begins."""
    value = shift = 0
    while True:
        byte = content[place]
        value |= (byte & 127) << shift
        place, shift = place + 1, shift + 7
        if byte < 128:
            return value, place
        if shift > 63:
            raise ValueError("a number that is too long")
