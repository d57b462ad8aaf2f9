"""Writing one token at a time: greedy, by chance, or with a beam. Every time step is recorded in full.

A model gives the logits of the next token for the tokens so far; here one is chosen and appended, until the end token
or the longest length. Steps of time step t are named ``time.t.…``; for those of a beam see ``beam_search``.

Letters: V entries of the vocabulary.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from txviz import ops
from txviz.nets.attention import Cache
from txviz.nets.beam_search import BeamSearch, Hypothesis, without
from txviz.nets.leaving_beam_search import LeavingBeamSearch
from txviz.trace import Run, Step
from txviz.trace.leaves import Leaf, add_headings, declare

declare(
    "head",
    {
        "last": Leaf(
            r"z_{\mathrm{last}}", "The scores after the last token so far: only these decide what comes next."
        ),
        "tempered": Leaf(
            r"\tilde{z}", "The scores over the temperature: below 1 the likeliest gain, above 1 the others."
        ),
        "top_k": Leaf(r"z_{\mathrm{top}\,k}"),
        "top_p": Leaf(r"z_{\mathrm{top}\,p}"),
        "log_probabilities": Leaf(r"\ell", "The logarithm of each probability: along a sentence these add up."),
    },
)
declare(
    "choice",
    {
        "token": Leaf(r"\hat{y}", "The token that is written next.", key="each"),
        "chance": Leaf("u", "A random number from 0 to 1, fixed by the seed."),
        "probability": Leaf(r"\Pr(\hat{y})", "How likely the model thought the chosen token."),
    },
)
add_headings(
    "head",
    {
        "last": "Last row: the scores that decide what comes next",
        "tempered": "Scores over temperature: bolder or more careful",
        "top_k": "Top k: only the likeliest stay in the draw",
        "top_p": "Top p: only the likeliest stay in the draw",
        "log_probabilities": "Log-probabilities: along a sentence they add up",
    },
)
add_headings(
    "choice",
    {
        "token": "Choice: the token that is written next",
        "chance": "Chance: a random number, fixed by the seed",
        "probability": "Probability: how sure the model was",
    },
)

NextLogits = Callable[[Run, tuple[int, ...], "Cache | None"], Step]
"""From the tokens so far to a score for each possible next token, (V,)."""


@dataclass(frozen=True)
class Strategy:
    """How the next token is chosen, and when to stop. ``seed`` fixes the chances; a cache changes no result."""

    strategy: Literal["greedy", "beam", "sample"] = "greedy"
    beam_width: int = 4
    length_penalty: float = 0.0
    temperature: float = 1.0
    top_k: int = 0
    top_p: float = 1.0
    seed: int = 0
    max_steps: int = 20
    cache: bool = False
    finished: Literal["stay", "leave"] = "stay"
    """Whether finished sentences stay in a beam, and compete with those that go on, or leave it and wait at the end."""


Closed = Callable[[tuple[int, ...]], ops.Array]
"""From the tokens so far to −∞ for each token that must not come next, and 0 for the others, (V,)."""


class Written(NamedTuple):
    """The tokens that were written after the start, the end token included, and what a beam considered on the way."""

    tokens: tuple[int, ...]
    log_probability: float
    hypotheses: tuple[Hypothesis, ...] = ()


def write(
    run: Run,
    next_logits: NextLogits,
    start: tuple[int, ...],
    end: int,
    strategy: Strategy,
    closed: Closed | None = None,
) -> Written:
    """Continues ``start`` with the chosen strategy."""
    if strategy.strategy == "beam":
        search = BeamSearch if strategy.finished == "stay" else LeavingBeamSearch
        return Written(*search(run, next_logits, start, end, strategy, closed).found())
    return _one_by_one(run, next_logits, start, end, strategy, closed)


def _one_by_one(
    run: Run, next_logits: NextLogits, start: tuple[int, ...], end: int, strategy: Strategy, closed: Closed | None
) -> Written:
    tokens, total = start, 0.0
    cache = Cache() if strategy.cache else None
    chances = np.random.default_rng(strategy.seed)
    for time in range(1, strategy.max_steps + 1):
        with run.at(time=time):
            logits = next_logits(run, tokens, cache)
            if closed is not None:
                logits = without(run, logits, closed(tokens))
            likely = _probabilities(run, logits, strategy)
            choice, picked = _choose(run, likely, strategy, chances)
        tokens = (*tokens, int(choice.value))
        total += float(np.log(picked.value))
        if tokens[-1] == end:
            break
    return Written(tokens[len(start) :], total)


def _choose(
    run: Run, likely: Step, strategy: Strategy, chances: np.random.Generator
) -> tuple[Step, Step]:  # (V,) -> (), ()
    """The next token, and how likely it was."""
    with run.at(part="choice"):
        if strategy.strategy == "greedy":
            choice = run(ops.argmax, "token", likely, axes="")
        else:
            chance = run.given("chance", np.array(chances.random()), axes="")
            choice = run(ops.draw, "token", likely, chance, axes="")
        return choice, run(ops.pick, "probability", likely, choice, axes="")


def last(run: Run, logits: Step) -> Step:  # (T,V) -> (V,)
    """The scores after the last token so far."""
    with run.at(part="head"):
        return run(ops.select, "last", logits, at=-1, axes="vocabulary")


def _probabilities(run: Run, logits: Step, strategy: Strategy) -> Step:  # (V,) -> (V,)
    """Softmax, after whatever sampling does to the logits."""
    axes = "vocabulary"
    with run.at(part="head"):
        if strategy.strategy == "sample":
            if strategy.temperature != 1:
                logits = run(ops.scale, "tempered", logits, base=strategy.temperature, exponent=-1, axes=axes)
            if strategy.top_k:
                logits = run(ops.top_k, "top_k", logits, limit=strategy.top_k, axes=axes)
            if strategy.top_p < 1:
                logits = run(ops.top_p, "top_p", logits, limit=strategy.top_p, axes=axes)
        return run(ops.softmax, "probabilities", logits, axes=axes)
