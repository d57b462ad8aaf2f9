"""What a model says, at every step of a run."""

from __future__ import annotations

import pytest

import txviz
from tests.models.checkpoints.reference import path
from txviz.figures.answer import Answer, answers
from txviz.models import find


def at(trace: txviz.Trace, step: str) -> Answer:
    return answers(trace)([each.name for each in trace].index(step))


def test_the_whole_answer_is_there_at_the_end_and_nothing_before_the_first_step(example: txviz.Trace) -> None:
    told = [answers(example)(position) for position in range(len(example))]
    assert told[-1].said
    assert told[-1].coming == ""
    assert example.get(told[-1].step)
    if example.output_step is None:
        assert told[-1].said == example.output
        assert {answer.said + answer.coming for answer in told} == {example.output}
    assert [len(answer.said) for answer in told] == sorted(len(answer.said) for answer in told), "it only grows"


def test_a_class_comes_with_the_likeliest_ones() -> None:
    trace = txviz.trace("vit-guide-2x2", find("vit-guide-2x2").example)
    before, after = at(trace, "head.logits"), at(trace, "head.probabilities")
    assert (before.said, before.coming) == ("", "bird")
    assert (after.said, after.coming) == ("bird", "")
    assert after.text == "answer: bird (bird 59 %, cat 35 %, dog 6.0 %)"
    likely = trace["head.probabilities"]
    assert [bar.share for bar in after.bars] == sorted(likely.value.tolist(), reverse=True)


def test_a_translation_grows_when_a_word_is_chosen() -> None:
    trace = txviz.trace("translator", "I love you very much")
    assert at(trace, "encoder.0.attention.scores")[2:4] == ("", "ti amo molto")
    assert at(trace, "time.2.head.probabilities")[2:4] == ("ti", " amo molto")
    assert at(trace, "time.2.choice.token")[2:4] == ("ti amo", " molto")
    assert at(trace, "time.4.choice.token")[2:4] == ("ti amo molto", "")


def test_a_story_begins_with_what_was_typed() -> None:
    trace = txviz.trace("writer", "the keys on the table")
    assert at(trace, "time.1.tokens").said == "the keys on the table"
    assert at(trace, "time.1.choice.token").said == "the keys on the table are"


@pytest.mark.parametrize("cache", [False, True])
def test_every_beam_has_its_own_sentence(cache: bool) -> None:
    trace = txviz.trace("translator", "The house is big", strategy="beam", beam_width=3, cache=cache)
    assert at(trace, "time.1.beam.0.head.probabilities")[2:4] == ("", "la casa è grande")
    assert at(trace, "time.3.search.scores")[2:4] == ("la casa", " è grande")
    kept = [each["tokens"] for each in trace.about["hypotheses"] if each["time"] == 2 and each["state"] == "kept"]
    said = [at(trace, f"time.3.beam.{i}.head.probabilities").said for i in range(3)]
    assert said == [" ".join(words) for words in kept]
    assert answers(trace)(len(trace) - 1).said == trace.output


@pytest.mark.parametrize(
    ("model", "source", "text"),
    [
        ("sentence-guide", "The cat sat.", "vector, 3 numbers: 0.72, −0.88, 0.16"),
        ("sentence", "a cat | a cat", "cosine: 1.000"),
        ("masked-attention-guide", "YOUR CAT IS", "weights, 1×3×3: 1.00, 0, 0, 0.31, …"),
    ],
)
def test_other_answers(model: str, source: str, text: str) -> None:
    trace = txviz.trace(model, source)
    assert answers(trace)(0).text == answers(trace)(len(trace) - 1).text == text


def test_a_step_of_training_says_the_loss() -> None:
    trace = txviz.trace("digits", find("digits").example, target="7")
    last = answers(trace)(len(trace) - 1)
    assert f"loss {last.said}" == trace.output
    assert last.caption == "loss"


@pytest.mark.parametrize(("name", "text"), [("gpt2", "The cat sat"), ("llama", "日本 cats"), ("marian", "The cat")])
def test_what_is_written_in_pieces_reads_as_text(name: str, text: str) -> None:
    """Blanks before words are blanks, and letters that come in bytes are letters, at every step."""
    run = txviz.trace(path(name), text, max_steps=3)
    told = answers(run)
    assert told(0).said + told(0).coming == run.output
    assert not any("·" in told(i).said for i in range(len(run)))


def test_a_masked_word_is_an_answer() -> None:
    run = txviz.trace(path("bert-masked"), "The cat [MASK] on the mat.")
    assert at(run, "head.probabilities")[::2] == ("answer", str(run.output), ())
