"""A beam whose finished sentences leave it; what it writes with real models is compared with transformers elsewhere."""

from __future__ import annotations

import numpy as np

from txviz.nets.attention import Cache
from txviz.nets.decoding import Strategy, Written, write
from txviz.trace import Run, Step

START, END, WORD = 0, 1, 2


def written(likely: list[float], **how: float) -> Written:
    """By a model that gives every next token the same probabilities."""

    def next_logits(run: Run, tokens: tuple[int, ...], cache: Cache | None) -> Step:
        with run.at(part="head"):
            return run.given("logits", np.log(likely), axes="vocabulary", labels={"vocabulary": ("<s>", "</s>", "a")})

    strategy = Strategy("beam", finished="leave", **how)  # type: ignore[arg-type]
    return write(Run({}), next_logits, (START,), END, strategy)


def test_an_end_that_is_not_among_the_best_does_not_count() -> None:
    """Else the end alone, 0.4, would win over three words, 0.6³."""
    assert written([1e-9, 0.4, 0.6], beam_width=1, max_steps=3).tokens == (WORD, WORD, WORD)


def test_a_finished_sentence_waits_and_wins() -> None:
    found = written([1e-9, 0.6, 0.4], beam_width=1, max_steps=3)
    assert found.tokens == (END,)
    assert abs(np.exp(found.log_probability) - 0.6) < 1e-8


def test_a_penalty_lets_long_sentences_win() -> None:
    short, long = (written([1e-9, 0.45, 0.55], beam_width=2, max_steps=4, length_penalty=p) for p in (0.0, 3.0))
    assert short.tokens == (END,)
    assert long.tokens == (WORD, WORD, WORD, WORD)
