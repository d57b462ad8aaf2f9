"""What is shown while somebody types: the tokens of a text, exactly as a trace reads them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import txviz
from txviz import TxvizError
from txviz.models import find
from txviz.models.images import image_text, read_image
from txviz.models.model import Token
from txviz.models.options import ABOUT, Switch, differences, matters
from txviz.models.reading import read_tokens
from txviz.models.text import replace_word

TEXT_MODELS = [name for name in txviz.models() if find(name).takes.kind != "image"]
IMAGE_MODELS = [name for name in txviz.models() if find(name).takes.kind == "image"]


def traced(model: str, text: str, **options: Any) -> list[tuple[str, int]]:
    """Labels and numbers of the first tokens that a trace holds; of a pair, those of both sentences."""
    trace = txviz.trace(model, text, **options)
    steps = [step for step in trace if step.name in ("first.tokens", "second.tokens")] or [trace.find("*tokens")[0]]
    return [pair for step in steps for pair in zip(step.labels[0], step.value.tolist(), strict=True)]


@pytest.mark.parametrize("model", TEXT_MODELS)
def test_tokens_are_what_a_trace_reads(model: str) -> None:
    for example in find(model).examples:
        tokens = read_tokens(model, example)
        labels, numbers = zip(*traced(model, example), strict=True)
        assert [token.text for token in tokens] == list(labels)
        if model != "masked-attention-guide":  # which has positions in the place of a vocabulary
            assert [token.number for token in tokens] == list(numbers)


@pytest.mark.parametrize("model", ["sentence-guide", "translator", "writer", "sentence"])
def test_unknown_words_are_read_as_in_a_trace(model: str) -> None:
    text = "The catt sat ; zzzzz"
    tokens = read_tokens(model, text)
    steps = [step for step in txviz.trace(model, text) if step.name.endswith("tokens")]
    assert [token.number for token in tokens] == steps[0].value.tolist()
    unknown = {token.text: token.nearest for token in tokens if not token.known}
    assert unknown["zzzzz"] == ()
    assert "cat" in unknown["catt"]


def test_the_translator_suggests_only_english_and_shows_the_language() -> None:
    assert [token.text for token in read_tokens("translator", "The dog")] == ["<SOS>", "<it>", "the", "dog", "<EOS>"]
    assert read_tokens("translator", "The dog", {"language": "fr"})[1].text == "<fr>"
    assert read_tokens("translator", "<fr> The dog", {"language": "it"})[1].text == "<fr>"
    (unknown,) = (token for token in read_tokens("translator", "the maisom") if not token.known)
    assert "maison" not in unknown.nearest


def test_guides() -> None:
    assert read_tokens("masked-attention-guide", "your cat") == [Token("YOUR"), Token("CAT")]
    assert read_tokens("sentence-guide", "The bat")[2] == Token("bat", 5, known=False, nearest=("sat", "cat"))


@pytest.mark.parametrize("model", TEXT_MODELS)
@pytest.mark.parametrize("text", ["", "  ", "a" * 200, "word " * 300, "a\x00b"])
def test_bad_text_is_refused_with_the_words_of_a_trace(model: str, text: str) -> None:
    with pytest.raises(TxvizError) as reading:
        read_tokens(model, text)
    with pytest.raises(TxvizError) as tracing:
        txviz.trace(model, text)
    assert str(reading.value) == str(tracing.value)


@pytest.mark.parametrize("model", txviz.models())
def test_every_model_says_what_it_takes(model: str) -> None:
    found = find(model)
    assert found.examples[0] == found.example
    assert len(found.captions) == len(found.examples)
    assert set(found.options) <= set(ABOUT)
    for name, option in found.options.items():
        assert ABOUT[name].is_switch == isinstance(option, Switch), f"whether {name} is a switch"
    if model in IMAGE_MODELS:
        assert found.takes.size == (6, 6)
        assert found.tokens(found.example, {}) == []
        assert [image_text(read_image(example, (6, 6))) for example in found.examples] == list(found.examples)


def test_an_image_is_the_same_after_being_text() -> None:
    pixels = np.random.default_rng(0).random((6, 6))
    assert (read_image(image_text(pixels), (6, 6)) == pixels).all()


def test_which_options_matter() -> None:
    options = find("translator").options
    chosen = {name: option.default for name, option in options.items()}
    assert [name for name in options if matters(name, chosen)] == [
        "language",
        "target",
        "strategy",
        "max_steps",
        "cache",
        "pad",
    ]
    assert matters("beam_width", {**chosen, "strategy": "beam"})
    assert not matters("seed", {**chosen, "strategy": "beam"})
    assert matters("seed", {**chosen, "strategy": "sample"})
    assert not matters("strategy", {**chosen, "target": "ti amo"})
    assert differences(options, {**chosen, "seed": 3}) == {"seed": 3}


@pytest.mark.parametrize(
    ("text", "word", "by", "result"),
    [
        ("the catt sat", "catt", "cat", "the cat sat"),
        ("Catt and catt, CATT", "catt", "cat", "Cat and cat, CAT"),
        ("scatter catt", "catt", "cat", "scatter cat"),
        ("l’arbre", "l'", "the", "thearbre"),
        ("hxsn't", "hxs", "has", "hasn't"),
        ("a.b", ".", "!", "a!b"),
        ("e\u0301te\u0301s", "étés", "été", "été"),
        ("nothing here", "catt", "cat", "nothing here"),
    ],
)
def test_replacing_a_word(text: str, word: str, by: str, result: str) -> None:
    assert replace_word(text, word, by) == result
