"""The pieces of a text: which word each belongs to, what is special, and bytes of letters."""

from __future__ import annotations

from typing import Any

import pytest

import txviz
from tests.models.checkpoints.reference import path
from txviz import TxvizError
from txviz.models.model import Token
from txviz.models.reading import read_tokens


def groups(tokens: list[Token]) -> list[list[str]]:
    """The tokens' texts, those of one word together."""
    found: list[list[str]] = []
    for token in tokens:
        if token.joins:
            found[-1].append(token.text)
        else:
            found.append([token.text])
    return found


@pytest.mark.parametrize(
    ("name", "text", "wanted"),
    [
        ("bert-masked", "running mats.", [["[CLS]"], ["run", "##nin", "##g"], ["mat", "##s"], ["."], ["[SEP]"]]),
        ("roberta-masked", "a dog's mats", [["<s>"], ["a"], ["·dog"], ["'", "s"], ["·m", "ats"], ["</s>"]]),
        ("llama", "mats. home", [["<s>"], ["·", "mat", "s"], ["."], ["·", "ho", "m", "e"]]),
        ("marian", "mats, x", [["·mat", "s"], [","], ["·", "x"], ["</s>"]]),
    ],
)
def test_pieces_of_a_word_go_together(name: str, text: str, wanted: list[list[str]]) -> None:
    assert groups(read_tokens(path(name), text)) == wanted


@pytest.mark.parametrize("name", ["roberta-masked", "gpt2", "llama"])
def test_bytes_say_which_letter_and_word_they_are_of(name: str) -> None:
    tokens = read_tokens(path(name), "a 日本 b")
    parts = [token for token in tokens if token.letter]
    assert "".join(token.letter for token in parts[::3]) == "日本"
    assert {token.word for token in parts} == {"日本"}
    assert [token.text for token in parts] == [f"<0x{byte:02X}>" for byte in "日本".encode()]
    assert all(token.joins for token in parts), "the blank before them begins the word"


@pytest.mark.parametrize("name", ["bert-masked", "roberta-masked", "gpt2", "llama", "marian"])
def test_every_word_is_one_that_was_typed(name: str) -> None:
    text = "naïve cats' mats, don't  10! 👩"
    tokens = read_tokens(path(name), text)
    assert all(token.word in text for token in tokens)
    assert all(token.special for token in tokens if not token.word and token.text != "·")
    assert not any(token.word for token in tokens if token.special)
    assert any(token.word in ("cats", "cats'") for token in tokens)


def test_special_tokens_are_told_from_words_wherever_they_stand() -> None:
    tokens = read_tokens(path("bert-masked"), "The [MASK] sat")
    assert [token.text for token in tokens if token.special] == ["[CLS]", "[MASK]", "[SEP]"]
    special = [token.text for token in read_tokens("translator", "The house") if token.special]
    assert special == ["<SOS>", "<it>", "<EOS>"]
    assert [token.text for token in read_tokens("sentence-guide", "The cat") if token.special] == ["[CLS]"]


@pytest.mark.parametrize("name", ["bert-masked", "marian"])
def test_what_has_no_piece_is_shown_as_it_was_typed(name: str) -> None:
    (unknown,) = [token for token in read_tokens(path(name), "the 語 sat") if not token.known]
    assert (unknown.text, unknown.word, unknown.number) == ("語", "語", 1)


@pytest.mark.parametrize(
    ("name", "first"),
    [("bert-classifier", ["[CLS]", "the", "cat", "[SEP]"]), ("minilm", ["[CLS]", "the", "cat", "[SEP]"])],
)
def test_each_of_two_texts_has_its_tokens(name: str, first: list[str]) -> None:
    tokens = read_tokens(path(name), "the cat | a dog")
    assert [token.text for token in tokens if token.part == 0] == first
    assert [token.text for token in tokens if token.part == 1][-3:] == ["a", "dog", "[SEP]"]


def test_padding_belongs_to_no_word() -> None:
    options: dict[str, Any] = {"pad": 6}
    last = read_tokens(path("bert-masked"), "the cat", options)[-1]
    assert (last.text, last.number, last.special) == ("[PAD]", 0, True)


def test_a_text_may_fill_all_places_since_what_is_written_last_is_not_read() -> None:
    gpt2, places = path("gpt2"), 40
    text = "a" * places
    assert len(read_tokens(gpt2, text)) == places
    trace = txviz.trace(gpt2, text, max_steps=1)
    assert trace["time.1.tokens"].value.shape == (places,)
    with pytest.raises(TxvizError, match="this model reads at most 40"):
        txviz.trace(gpt2, text, max_steps=2)
