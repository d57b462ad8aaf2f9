"""Texts as word pieces: the tokenizer of a checkpoint, run by the library ``tokenizers``."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar
from unicodedata import category

from txviz.errors import TxvizError
from txviz.models.checkpoints.config import check_size, first_file, read_json
from txviz.models.model import Token

LONGEST_TEXT = 100_000
"""Letters; no model reads as many tokens."""

UNREADABLE = "\N{REPLACEMENT CHARACTER}"
INSTALL = "pip install 'txviz[checkpoints]'"
T = TypeVar("T")
BLANK, THEIRS = "·", "▁"
"""What a blank before a word is shown as, and what sentence pieces have in its place."""


class Encoded(NamedTuple):
    ids: list[int]
    types: list[int]
    """Which of two texts each token belongs to."""


class Pieces:
    """The tokens of a model: their numbers, and how a text becomes them and comes back."""

    def __init__(self, tokenizer: Any, folder: Path, size: int) -> None:
        """``size`` is that of the model's own table, which may be larger than the tokenizer's."""
        self._tokenizer, self._folder = tokenizer, folder
        tokenizer.no_truncation()
        tokenizer.no_padding()
        _check_template(tokenizer, folder)
        numbered = {number: piece for piece, number in tokenizer.get_vocab(with_added_tokens=True).items()}
        if max(numbered, default=0) >= size:
            raise _mismatch(folder, max(numbered), size)
        shown = _byte_level_text if '"ByteLevel"' in tokenizer.to_str() else _text
        self.words = tuple(shown(numbered[i]) if i in numbered else f"<{i}>" for i in range(size))

    def encode(self, text: object, pair: str | None = None) -> Encoded:
        if not isinstance(text, str):
            raise TxvizError(f"this model reads a text, not a {type(text).__name__}")
        if len(text) + len(pair or "") > LONGEST_TEXT:
            raise TxvizError(f"the text has {len(text):,} letters; at most {LONGEST_TEXT:,} are read")
        found = saying(self._folder, lambda: self._tokenizer.encode(text, pair))
        if max(found.ids, default=0) >= len(self.words):
            raise _mismatch(self._folder, max(found.ids), len(self.words))
        return Encoded(list(found.ids), list(found.type_ids))

    def decode(self, ids: Iterable[int]) -> str:
        """The text, in which what is no text, such as half a letter, is �."""
        numbers = list(ids)
        found = str(saying(self._folder, lambda: self._tokenizer.decode(numbers, skip_special_tokens=True)))
        return "".join(UNREADABLE if category(c) in ("Cc", "Cs") and not c.isspace() else c for c in found)

    def labels(self, ids: Sequence[int]) -> tuple[str, ...]:
        return tuple(self.words[i] for i in ids)

    def tokens(self, ids: Sequence[int]) -> list[Token]:
        return [Token(self.words[i], i) for i in ids]

    def number(self, *pieces: str) -> int | None:
        """That of the first of these that there is."""
        found = (self._tokenizer.token_to_id(piece) for piece in pieces)
        return next((number for number in found if number is not None), None)


def _check_template(tokenizer: Any, folder: Path) -> None:
    """What is put around a text has its numbers; where one has none, the library would fail, and not quietly."""
    described = json.loads(tokenizer.post_processor.__getstate__()) if tokenizer.post_processor else {}
    for each in described.get("processors", [described]):
        around = (*each.get("single", ()), *each.get("pair", ())) if each.get("type") == "TemplateProcessing" else ()
        named = [piece["SpecialToken"]["id"] for piece in around if "SpecialToken" in piece]
        missing = [name for name in named if name not in each["special_tokens"]]
        if missing:
            raise TxvizError(f"the tokenizer in {folder} puts {missing[0][:40]} around a text, which has no number")


def _mismatch(folder: Path, number: int, size: int) -> TxvizError:
    return TxvizError(
        f"the tokenizer in {folder} has numbers up to {number}, and the model's table {size} rows: they do not belong "
        "together"
    )


LARGEST_FILE = 100_000_000
"""Bytes; the largest tokenizers have a third of it."""


def open_pieces(folder: Path, size: int) -> Pieces:
    """From tokenizer.json, or from the files that older checkpoints have."""
    tokenizers = library()
    for file in ("tokenizer.json", "vocab.txt", "vocab.json", "merges.txt"):
        if (folder / file).is_file():
            check_size(folder / file, LARGEST_FILE)
    file = str(folder / "tokenizer.json")
    if (folder / "tokenizer.json").is_file():
        return saying(folder, lambda: Pieces(tokenizers.Tokenizer.from_file(file), folder, size))
    if (folder / "vocab.txt").is_file():
        return saying(folder, lambda: Pieces(_word_pieces(tokenizers, folder), folder, size))
    if (folder / "vocab.json").is_file() and (folder / "merges.txt").is_file():
        return saying(folder, lambda: Pieces(_byte_pairs(tokenizers, folder), folder, size))
    raise TxvizError(
        f"{folder} has no tokenizer; tokenizer.json is expected, or vocab.txt, or vocab.json and merges.txt"
    )


def library() -> Any:
    try:
        import tokenizers  # only checkpoints of others need it
    except ImportError as error:
        raise TxvizError(f"checkpoints of others need the library tokenizers: {INSTALL}") from error
    return tokenizers


def saying(folder: Path, make: Callable[[], T]) -> T:
    """The library raises whatever a damaged file makes it stumble over, and panics, too: here or when it is used."""
    try:
        return make()
    except TxvizError:
        raise
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        why = str(error)[:100]
        raise TxvizError(f"the tokenizer in {folder} is damaged, or of a kind that is not known: {why}") from error


def _word_pieces(tokenizers: Any, folder: Path) -> Any:
    """BERT's: a list of pieces, one in each line."""
    lines = (folder / "vocab.txt").read_text("utf-8").splitlines()
    numbers = {piece: i for i, piece in enumerate(lines)}
    made = tokenizers.Tokenizer(tokenizers.models.WordPiece(numbers, unk_token="[UNK]"))
    made.normalizer = tokenizers.normalizers.BertNormalizer(lowercase=_settings(folder).get("do_lower_case", True))
    made.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    made.decoder = tokenizers.decoders.WordPiece()
    missing = [piece for piece in ("[UNK]", "[CLS]", "[SEP]") if piece not in numbers]
    if missing:
        raise TxvizError(f"{folder / 'vocab.txt'} has no {missing[0]}, which every text needs")
    made.add_special_tokens([piece for piece in ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]") if piece in numbers])
    made.post_processor = tokenizers.processors.BertProcessing(("[SEP]", numbers["[SEP]"]), ("[CLS]", numbers["[CLS]"]))
    return made


def _byte_pairs(tokenizers: Any, folder: Path) -> Any:
    """GPT-2's and RoBERTa's: pairs of bytes that are merged, in this order."""
    vocabulary, merges = str(folder / "vocab.json"), str(folder / "merges.txt")
    made = tokenizers.Tokenizer(tokenizers.models.BPE.from_file(vocabulary, merges))
    made.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = tokenizers.decoders.ByteLevel()
    numbers = read_json(folder / "vocab.json")
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"] if "<s>" in numbers else ["<|endoftext|>"]
    made.add_special_tokens([piece for piece in special if piece in numbers])
    if "<s>" in numbers:
        ends = [(piece, numbers[piece]) for piece in ("</s>", "<s>")]
        made.post_processor = tokenizers.processors.RobertaProcessing(*ends, add_prefix_space=False)
    return made


def _settings(folder: Path) -> dict[str, Any]:
    file = first_file(folder, ["tokenizer_config.json"])
    found = read_json(file) if file else {}
    return found if isinstance(found, dict) else {}


@cache
def _bytes() -> dict[str, int]:
    """Which byte each letter of a byte-level vocabulary stands for: those that can be printed for themselves, and the
    others for letters from U+0100 on."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in plain]
    return {**{chr(byte): byte for byte in plain}, **{chr(256 + i): byte for i, byte in enumerate(others)}}


def _byte_level_text(piece: str) -> str:
    """
    >>> _byte_level_text("Ġthe"), _byte_level_text("ĠÃ©"), _byte_level_text("Ãł"), _byte_level_text("Ã")
    ('·the', '·é', 'à', '<0xC3>')
    """
    table = _bytes()
    if any(letter not in table for letter in piece):
        return _text(piece)
    raw = bytes(table[letter] for letter in piece)
    try:
        return _text(raw.decode("utf-8"))
    except UnicodeDecodeError:
        return "".join(f"<0x{byte:02X}>" for byte in raw)


def _text(piece: str) -> str:
    r"""
    >>> _text("▁the"), _text("\n"), _text("##ing")
    ('·the', '\\n', '##ing')
    """
    return "".join(BLANK if c in (" ", THEIRS) else c if c.isprintable() else json.dumps(c)[1:-1] for c in piece)
