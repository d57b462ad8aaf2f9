"""Beam search as the library transformers does it: a sentence that is finished leaves the beam, and waits.

In the beam only unfinished sentences go on, all of them of one length, so that a penalty for the length changes nothing
between them. It counts among those that are finished, and the best of these is written.

Letters: B hypotheses, V entries of the vocabulary, k candidates.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from txviz import ops
from txviz.nets.attention import Cache
from txviz.nets.beam_search import Beam, BeamSearch, Found, Hypothesis, Search, State
from txviz.trace import Step
from txviz.trace.leaves import Leaf, add_headings, declare

declare(
    "search",
    {
        "ends": Leaf("M", "−∞ for the end, 0 for all other tokens: what ends here leaves the beam."),
        "unfinished": Leaf(r"S_{\mathrm{open}}", "The scores of those sentences only that go on."),
    },
)
add_headings("search", {"ends": "Ends: what leaves the beam here", "unfinished": "Unfinished: sentences that go on"})


class LeavingBeamSearch(BeamSearch):
    """Ends when as many sentences as the beam is wide are finished, and none that goes on looks better."""

    def found(self) -> Found:
        beams, before = [Beam((), 0.0, 0.0, False, Cache() if self.strategy.cache else None)], None
        history: list[Hypothesis] = []
        finished: list[Beam] = []
        for time in range(1, self.strategy.max_steps + 1):
            with self.run.at(time=time):
                totals = [self._totals(i, beam, before) for i, beam in enumerate(beams)]
                before = self._search(beams, totals)
            history += self._considered(time, beams, before)
            finished = self._best_of([*finished, *self._leaving(time, beams, before)])
            beams = self._kept(beams, before)
            if len(finished) == self.strategy.beam_width and not self._can_improve(time, beams, finished):
                break
        best = self._best_of([*finished, *([] if finished else beams)])[0]
        return Found(best.tokens, best.total, tuple(history))

    def _best(self, beams: Sequence[Beam], scores: Step) -> tuple[Step, Step]:  # (B,V) -> (k,2), (B,2)
        """The best candidates, and the best of those that go on."""
        run, axes, width = self.run, "candidate number", self.strategy.beam_width
        columns, words = {"number": ("hypothesis", "token")}, scores.labels[-1]
        ranked = run(ops.best, "ranked", scores, limit=2 * width, axes=axes, labels=columns)
        named = {"candidate": self._candidates(beams, ranked, words)}
        run(ops.take, "ranked_scores", scores, ranked, axes="candidate one", labels=named)
        mask = run.given("ends", self._ends(scores.value), axes="vocabulary", like=scores)
        going_on = run(ops.mask, "unfinished", scores, mask, axes="hypothesis vocabulary")
        return ranked, run(ops.best, "kept", going_on, limit=width, axes=axes, labels=columns)

    def _ends(self, scores: ops.Array) -> ops.Array:  # (B,V) -> (V,)
        """Closes the end, unless all sentences have to end now, or nothing is an end (−1)."""
        ends = np.zeros(scores.shape[-1], dtype=scores.dtype)
        if self.end >= 0 and np.isfinite(np.delete(scores, self.end, axis=-1)).any():
            ends[self.end] = -np.inf
        return ends

    def _leaving(self, time: int, beams: Sequence[Beam], found: Search) -> list[Beam]:
        """Among the best, as many as the beam is wide: those that end here; at the last time step, all of them."""
        last = time == self.strategy.max_steps
        first = found.ranked.value[: self.strategy.beam_width].tolist()
        return [self._as_finished(beams, found, i, token) for i, token in first if last or token == self.end]

    def _as_finished(self, beams: Sequence[Beam], found: Search, i: int, token: int) -> Beam:
        total, score = (float(step.value[i, token]) for step in (found.totals, found.scores))
        return Beam((*beams[i].tokens, token), total, score, True, None)

    def _best_of(self, sentences: Sequence[Beam]) -> list[Beam]:
        return sorted(sentences, key=lambda beam: -beam.score)[: self.strategy.beam_width]

    def _can_improve(self, time: int, beams: Sequence[Beam], finished: Sequence[Beam]) -> bool:
        """Whether the best that goes on, as long as it is now, has a better score than the worst that is finished."""
        return bool(beams[0].total / time**self.strategy.length_penalty > finished[-1].score)

    def _considered(self, time: int, beams: Sequence[Beam], found: Search) -> list[Hypothesis]:
        """What became of the best candidates: first those that are kept."""
        kept, ranked = (list(map(tuple, places.value.tolist())) for places in (found.kept, found.ranked))
        told = []
        for place in [*kept, *(place for place in ranked if place not in kept)]:
            parent, token = place
            leaves = token == self.end and place in ranked[: self.strategy.beam_width]
            state: State = "finished" if leaves else "kept" if place in kept else "dropped"
            total, score = (float(step.value[place]) for step in (found.totals, found.scores))
            tokens = (*beams[parent].tokens, token)
            told.append(Hypothesis(time, tokens, total, score, parent if time > 1 else None, state))
        return told
