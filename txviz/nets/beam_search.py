"""Beam search: several sentences at once, the best of which are kept. Choosing is recorded, too: ``time.t.search.…``.

Hypothesis i is continued in ``time.t.beam.i.…``; one that is finished stays as it is, which is written as a certain
end token. ``search`` then ranks all continuations of all hypotheses, and keeps the best.

Letters: B hypotheses, V entries of the vocabulary, k candidates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from txviz import ops
from txviz.nets.attention import Cache
from txviz.trace import Run, Step
from txviz.trace.leaves import Leaf, add_headings, declare

if TYPE_CHECKING:
    from txviz.nets.decoding import Closed, NextLogits, Strategy

declare(
    "choice",
    {
        "so_far": Leaf(r"\ell_{<t}", "The log-probability of the sentence so far."),
        "after_end": Leaf(
            r"\ell_{\mathrm{end}}",
            "The sentence is finished: only the end can follow, and costs nothing.",
            title="after the end",
        ),
        "totals": Leaf(
            r"\ell_{\le t}", "The log-probability of the whole sentence with each possible next token.", key="once"
        ),
    },
)
declare(
    "head",
    {
        "closed": Leaf("M", "Which tokens must not be written now: −∞ for those, 0 for all others."),
        "allowed": Leaf(r"z_M", "The scores without those of tokens that must not be written now."),
    },
)
declare(
    "search",
    {
        "totals": Leaf("L", "The totals of all hypotheses below each other: every sentence that could come next."),
        "lengths": Leaf(
            "n", "How many tokens each hypothesis has with the next one; one that is finished has no next."
        ),
        "scores": Leaf(
            "S", "What sentences are compared by: the total, over a power of the length if there is a penalty."
        ),
        "ranked": Leaf(
            "R", "The best candidates, the best first: which hypothesis, and which token. Twice as many as are kept."
        ),
        "ranked_scores": Leaf(r"S_{R}", "The scores of the best candidates, the best first."),
        "kept": Leaf("K", "The first ones stay in the beam; all other candidates are dropped.", key="each"),
        "kept_totals": Leaf(
            r"\ell_{K}", "The log-probability of each sentence that was kept, which goes on with the next time step."
        ),
    },
)
add_headings(
    "choice",
    {
        "so_far": "Total so far: the log-probability of the sentence",
        "after_end": "After the end: a finished sentence stays as it is",
        "totals": "Totals: the sentence with each possible next token",
    },
)
add_headings(
    "search",
    {
        "totals": "All totals: every sentence that could come next",
        "lengths": "Lengths: how many tokens each sentence has",
        "scores": "Scores: what the sentences are compared by",
        "ranked": "Ranking: the best candidates first",
        "ranked_scores": "Ranked scores: the best candidates first",
        "kept": "Kept: the sentences that stay in the beam",
        "kept_totals": "Kept totals: what the beam goes on with",
    },
)
add_headings(
    "head",
    {
        "closed": "Closed tokens: what must not be written now",
        "allowed": "Allowed scores: without what must not be written",
    },
)

LONGEST_LABEL = 4
"""Words."""

State = Literal["kept", "finished", "dropped"]


class Hypothesis(NamedTuple):
    """A sentence that a beam considered at a time step."""

    time: int
    tokens: tuple[int, ...]
    log_probability: float
    score: float
    """The log-probability over length^penalty: what hypotheses are compared by."""

    parent: int | None
    """Which hypothesis of the time step before it continues, by its place there."""

    state: State


class Found(NamedTuple):
    """The best sentence's tokens after the start, and everything that was considered on the way."""

    tokens: tuple[int, ...]
    log_probability: float
    hypotheses: tuple[Hypothesis, ...]


class Beam(NamedTuple):
    """A hypothesis that is still in the race, with the keys and values it has computed."""

    tokens: tuple[int, ...]
    """Those that were written after the start."""

    total: float
    score: float
    finished: bool
    cache: Cache | None

    def then(self, token: int, end: int) -> tuple[int, ...]:
        """Its tokens with one more; the end after the end adds nothing."""
        return self.tokens if self.finished and token == end else (*self.tokens, token)


class Search(NamedTuple):
    """The steps of one search that others read."""

    totals: Step  # (B,V)
    scores: Step  # (B,V)
    ranked: Step  # (k,2)
    kept: Step  # (B,2)
    kept_totals: Step  # (B,1)


@dataclass(frozen=True)
class BeamSearch:
    """Looks for the best continuation of ``start``, up to the token ``end`` or the longest length."""

    run: Run
    next_logits: NextLogits
    start: tuple[int, ...]
    end: int
    strategy: Strategy
    closed: Closed | None = None

    def found(self) -> Found:
        beams, before = [Beam((), 0.0, 0.0, False, Cache() if self.strategy.cache else None)], None
        history: list[Hypothesis] = []
        for time in range(1, self.strategy.max_steps + 1):
            with self.run.at(time=time):
                totals = [self._totals(i, beam, before) for i, beam in enumerate(beams)]
                before = self._search(beams, totals)
            history += self._considered(time, beams, before)
            beams = self._kept(beams, before)
            if all(beam.finished for beam in beams):
                break
        best = max(beams, key=lambda beam: beam.score)
        return Found(best.tokens, best.total, tuple(history))

    def _totals(self, i: int, beam: Beam, before: Search | None) -> Step:  # -> (V,)
        """The log-probability of the whole sentence with each possible next token."""
        run, axes = self.run, "vocabulary"
        with run.at(beam=i):
            logs = None if beam.finished else self._logs(beam)
            with run.at(part="choice"):
                if logs is None:
                    logs = self._after_end(before)
                if before is None:
                    so_far = run.given("so_far", np.zeros(1, logs.value.dtype), axes="one")
                else:
                    so_far = run(ops.select, "so_far", before.kept_totals, at=i, axes="one")
                return run(ops.add, "totals", logs, so_far, axes=axes)

    def _logs(self, beam: Beam) -> Step:  # -> (V,)
        logits = self.next_logits(self.run, (*self.start, *beam.tokens), beam.cache)
        with self.run.at(part="head"):
            likely = self.run(ops.softmax, "probabilities", logits, axes="vocabulary")
            logs = self.run(ops.log, "log_probabilities", likely, axes="vocabulary")
        return logs if self.closed is None else without(self.run, logs, self.closed((*self.start, *beam.tokens)))

    def _after_end(self, before: Search | None) -> Step:  # -> (V,)
        """A finished sentence is certain to stay as it is."""
        assert before is not None, "only what a search has kept is finished"
        row = np.full_like(before.totals.value[0], -np.inf)
        row[self.end] = 0
        return self.run.given("after_end", row, axes="vocabulary", like=before.totals)

    def _search(self, beams: Sequence[Beam], totals: Sequence[Step]) -> Search:
        """All continuations of all hypotheses are ranked, and the best are kept."""
        with self.run.at(part="search"):
            rows, scores = self._scores(beams, totals)
            ranked, kept = self._best(beams, scores)
            named = {"hypothesis": self._candidates(beams, kept, scores.labels[-1])}
            kept_totals = self.run(ops.take, "kept_totals", rows, kept, axes="hypothesis one", labels=named)
        return Search(rows, scores, ranked, kept, kept_totals)

    def _scores(self, beams: Sequence[Beam], totals: Sequence[Step]) -> tuple[Step, Step]:  # (V,)… -> (B,V), (B,V)
        """What every sentence that could come next adds up to, and what it is compared by."""
        run, axes, penalty = self.run, "hypothesis vocabulary", self.strategy.length_penalty
        sentences = _sentences([beam.tokens or self.start for beam in beams], totals[0].labels[-1])
        rows = run(ops.stack, "totals", *totals, axes=axes, labels={"hypothesis": sentences})
        lengths = np.array([[len(beam.tokens) + (not beam.finished)] for beam in beams])
        counted = run.given("lengths", lengths, axes="hypothesis one", like=rows)
        return rows, run(ops.penalise, "scores", rows, counted, penalty=penalty, axes=axes)

    def _best(self, beams: Sequence[Beam], scores: Step) -> tuple[Step, Step]:  # (B,V) -> (k,2), (B,2)
        """Which hypothesis with which token: the best, among them those that are kept."""
        run, axes, width = self.run, "candidate number", self.strategy.beam_width
        columns = {"number": ("hypothesis", "token")}
        ranked = run(ops.best, "ranked", scores, limit=2 * width, axes=axes, labels=columns)
        named = self._candidates(beams, ranked, scores.labels[-1])
        run(ops.take, "ranked_scores", scores, ranked, axes="candidate one", labels={"candidate": named})
        at = [0, min(width, len(ranked.value))]
        return ranked, run(ops.select, "kept", ranked, at=at, axes=axes, labels={"candidate": named[: at[1]]})

    def _candidates(self, beams: Sequence[Beam], places: Step, words: Sequence[str]) -> tuple[str, ...]:  # (k,2)
        """The sentences at these places; a place that was put in by hand need not exist."""
        known = [(i, token) for i, token in places.value.tolist() if 0 <= i < len(beams) and 0 <= token < len(words)]
        return _sentences([beams[i].then(token, self.end) for i, token in known], words)

    def _considered(self, time: int, beams: Sequence[Beam], found: Search) -> list[Hypothesis]:
        """What became of the best candidates: first those that are kept."""
        kept, ranked = (list(map(tuple, places.value.tolist())) for places in (found.kept, found.ranked))
        told = []
        for place in [*kept, *(place for place in ranked if place not in kept)]:
            parent, token = place
            finished: State = "finished" if token == self.end else "kept"
            state: State = finished if place in kept else "dropped"
            tokens, scores = beams[parent].then(token, self.end), (found.totals, found.scores)
            total, score = (float(step.value[place]) for step in scores)
            told.append(Hypothesis(time, tokens, total, score, parent if time > 1 else None, state))
        return told

    def _kept(self, beams: Sequence[Beam], found: Search) -> list[Beam]:
        """The hypotheses of the next time step."""
        after = []
        for (parent, token), (total,) in zip(found.kept.value.tolist(), found.kept_totals.value.tolist(), strict=True):
            cache, score = beams[parent].cache, float(found.scores.value[parent, token])
            tokens = beams[parent].then(token, self.end)
            after.append(Beam(tokens, total, score, token == self.end, None if cache is None else cache.copy()))
        return after


def without(run: Run, scores: Step, closed: ops.Array) -> Step:  # (V,), (V,) -> (V,)
    """The scores of tokens that may be written: ``closed`` is −∞ for the others, and 0 for these."""
    with run.at(part="head"):
        mask = run.given("closed", closed, axes="vocabulary", like=scores)
        return run(ops.mask, "allowed", scores, mask, axes="vocabulary")


def _sentences(sentences: Sequence[Sequence[int]], words: Sequence[str]) -> tuple[str, ...]:
    """As labels: of a long one how it begins, by which it is known, and its last word, which is new."""
    return tuple(_label([words[token] for token in tokens]) for tokens in sentences)


def _label(said: Sequence[str]) -> str:
    """
    >>> _label(["il", "ne", "m'", "a"]), _label(["il", "ne", "m'", "a", "pas"])
    ("il ne m' a", 'il ne … pas')
    """
    return " ".join(said if len(said) <= LONGEST_LABEL else (*said[:2], "…", said[-1]))
