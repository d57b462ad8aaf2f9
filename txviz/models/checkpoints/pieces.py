"""Texts as word pieces: the tokenizer of a checkpoint, run by the library ``tokenizers``."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from threading import RLock
from typing import Any, NamedTuple, TypeVar
from unicodedata import category

from txviz.errors import TxvizError
from txviz.files import reading
from txviz.models.checkpoints.config import check_size, first_file, read_json
from txviz.models.checkpoints.typed import Known, tokens_typed
from txviz.models.model import Token
from txviz.models.text import refuse_characters
from txviz.trace.piece_signs import BLANK, BYTE

LONGEST_TEXT = 100_000
"""Letters; no model reads as many tokens."""

UNREADABLE = "\N{REPLACEMENT CHARACTER}"
INSTALL = "pip install 'txviz[checkpoints]'"
T = TypeVar("T")
THEIRS = "▁"
"""What sentence pieces have in the place of a blank."""
NOTHING = "\N{DOTTED CIRCLE}"
"""What an accent stands on where it is a piece by itself."""


class Encoded(NamedTuple):
    ids: list[int]
    types: list[int]
    """Which of two texts each token belongs to."""

    mask: list[int]
    """1 for what may be looked at, 0 for padding."""

    tokens: list[Token]
    """As they are shown where the text is typed."""


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
        added = tokenizer.get_added_tokens_decoder()
        in_bytes = _byte_level_text if '"ByteLevel"' in tokenizer.to_str() else piece_text
        shown = {i: piece_text(piece) if i in added else in_bytes(piece) for i, piece in numbered.items()}
        self.words = tuple(shown.get(i, f"<{i}>") for i in range(size))
        special = {i for i, token in added.items() if token.special}
        self._known = Known(self.words, special, self.number("[UNK]", "<unk>"))

    def encode(self, text: object, pair: str | None = None) -> Encoded:
        if not isinstance(text, str):
            raise TxvizError(f"this model reads a text, not a {type(text).__name__}")
        if len(text) + len(pair or "") > LONGEST_TEXT:
            raise TxvizError(f"the text has {len(text):,} letters; at most {LONGEST_TEXT:,} are read")
        refuse_characters(text + (pair or ""), "Cs")
        found = saying(self._folder, lambda: self._tokenizer.encode(text, pair))
        if max(found.ids, default=0) >= len(self.words):
            raise _mismatch(self._folder, max(found.ids), len(self.words))
        tokens = tokens_typed(found, [text] if pair is None else [text, pair], found.ids, self._known)
        return Encoded(list(found.ids), list(found.type_ids), list(found.attention_mask), tokens)

    def padded(self, found: Encoded, length: int) -> Encoded:
        """With padding after it, up to so many tokens."""
        missing, padding = max(0, length - len(found.ids)), self.padding
        if not missing:
            return found
        if padding is None:
            raise TxvizError("the tokenizer has no token for padding, so nothing can be padded")
        token = Token(self.words[padding], padding, special=True, part=found.tokens[-1].part)
        nothing = [0] * missing
        return Encoded(
            [*found.ids, *[padding] * missing],
            [*found.types, *nothing],
            [*found.mask, *nothing],
            [*found.tokens, *[token] * missing],
        )

    @property
    def padding(self) -> int | None:
        """The number of the token that fills up a text."""
        return self.number("[PAD]", "<pad>")

    def decode(self, ids: Iterable[int]) -> str:
        """The text, in which what is no text, such as half a letter, is �."""
        numbers = list(ids)
        found = str(saying(self._folder, lambda: self._tokenizer.decode(numbers, skip_special_tokens=True)))
        return "".join(UNREADABLE if category(c) in ("Cc", "Cs") and not c.isspace() else c for c in found)

    def labels(self, ids: Sequence[int]) -> tuple[str, ...]:
        return tuple(self.words[i] for i in ids)

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
        with _quiet():
            return make()
    except (TxvizError, MemoryError):
        raise
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        why = str(error)[:100]
        raise TxvizError(f"the tokenizer in {folder} is damaged, or of a kind that is not known: {why}") from error


@contextmanager
def _quiet() -> Iterator[None]:
    """A panic is told on stderr, in many lines, before Python hears of it."""
    with _ONE_AT_A_TIME, Path(os.devnull).open("wb") as nowhere:
        try:
            stderr = os.dup(_STDERR)
        except OSError:  # it is closed
            yield
            return
        try:
            os.dup2(nowhere.fileno(), _STDERR)
            yield
        finally:
            os.dup2(stderr, _STDERR)
            os.close(stderr)


_STDERR, _ONE_AT_A_TIME = 2, RLock()
"""By its number, since the library knows no other."""


def _word_pieces(tokenizers: Any, folder: Path) -> Any:
    """BERT's: a list of pieces, one in each line."""
    with reading(folder / "vocab.txt"):
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
    >>> [_byte_level_text(piece) for piece in ("Ġthe", "ĠÃ©", "Ãł", "Ã", "ĠæĹ", "¥¬a")]
    ['·the', '·é', 'à', '<0xC3>', '·<0xE697>', '<0xA5AC>a']
    """
    table = _bytes()
    if any(letter not in table for letter in piece):
        return piece_text(piece)
    return piece_text(_decoded(bytes(table[letter] for letter in piece)))


def _decoded(raw: bytes) -> str:
    """As text, and what is a part of a character only by its bytes."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        rest = raw[error.end :].lstrip(_GOING_ON)
        part = raw[error.start : len(raw) - len(rest)]
        return f"{raw[: error.start].decode('utf-8')}{BYTE}{part.hex().upper()}>{_decoded(rest)}"


_GOING_ON = bytes(range(0x80, 0xC0))
"""Bytes that no character begins with."""


def piece_text(piece: str) -> str:
    r"""
    >>> piece_text("▁the"), piece_text("\n"), piece_text("##ing"), piece_text("\u0301")
    ('·the', '\\n', '##ing', '◌́')
    """
    shown = "".join(BLANK if c in (" ", THEIRS) else c if c.isprintable() else json.dumps(c)[1:-1] for c in piece)
    return f"{NOTHING}{shown}" if category(shown[:1] or " ").startswith("M") else shown
