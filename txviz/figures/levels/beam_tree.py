"""The sentences that a beam considered, as a tree: read from the steps of its searches.

Traces from before searches were recorded have no such steps; they say what was considered in ``trace.about``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import Any, Literal, NamedTuple

from txviz.trace import Step, Trace
from txviz.trace.kept import kept

State = Literal["kept", "finished", "dropped"]
STATES: tuple[State, ...] = ("kept", "finished", "dropped")


class Candidate(NamedTuple):
    """A sentence that was considered at a time step."""

    time: int
    rank: int
    """Its place among those of its time step: those that stay come first, and this is their number in the beam."""

    parent: int
    """The rank, at the time step before, of the one that it continues."""

    token: str
    """What it adds; nothing where a finished sentence stays as it is."""

    number: int
    """The token's place in the vocabulary."""

    words: tuple[str, ...]
    total: float
    score: float
    probability: float | None
    """Of its token; None where a finished sentence stays as it is."""

    state: State

    @property
    def place(self) -> tuple[int, int]:
        return self.time, self.rank

    @property
    def sentence(self) -> str:
        """Without <EOS> and the like."""
        return " ".join(word for word in self.words if not (word[:1] == "<" and word[-1:] == ">"))

    @property
    def stays(self) -> bool:
        return self.probability is None


@dataclass(frozen=True, eq=False)
class BeamTree:
    trace: Trace
    times: tuple[tuple[Candidate, ...], ...]
    """Those of each time step, from the first on."""

    def at(self, time: int) -> tuple[Candidate, ...]:
        return self.times[time - 1]

    def beam(self, time: int) -> list[Candidate]:
        """Those that stay at a time step; before the first there are none."""
        return self._beams[time]

    @cached_property
    def _beams(self) -> list[list[Candidate]]:
        return [[], *([each for each in at if each.state != "dropped"] for at in self.times)]

    def parent(self, candidate: Candidate) -> Candidate | None:
        before = self.beam(candidate.time - 1)
        return before[candidate.parent] if before else None

    def path(self, candidate: Candidate) -> list[Candidate]:
        """From the first token to this one."""
        found = [candidate]
        while (before := self.parent(found[-1])) is not None:
            found.append(before)
        return found[::-1]

    def leader(self, time: int) -> Candidate:
        """The best of those that stay at a time step; at the last one, the answer."""
        return max(self.beam(time), key=lambda each: each.score)

    @cached_property
    def greedy(self) -> list[Candidate]:
        """Always the likeliest next token, for as long as the beam has considered that."""
        found: list[Candidate] = []
        for candidates in self.times:
            beam = found[-1].rank if found else 0
            if found and found[-1].state != "kept":
                break
            likely = _step(self.trace, candidates[0].time, beam, "head", "probabilities")
            best = int(likely.value.argmax())
            following = [each for each in candidates if each.parent == beam and each.number == best and not each.stays]
            if not following:
                break
            found.append(following[0])
        return found

    @property
    def greedy_ends(self) -> bool:
        """Whether greedy's whole sentence is in the tree."""
        last = self.greedy[-1] if self.greedy else None
        return last is not None and (
            last.state == "finished" or (last.time == len(self.times) and last.state == "kept")
        )

    @cached_property
    def parting(self) -> int:
        """The time step at which greedy and the best sentence choose differently; the first where they never do."""
        pairs = zip(self.path(self.leader(len(self.times))), self.greedy, strict=False)
        return next((one.time for one, other in pairs if one is not other), 1)

    @property
    def scores(self) -> Step | None:
        """The first scores, for the formula and the penalty."""
        return self.trace.get("time.1.search.scores")

    @property
    def penalty(self) -> float:
        if self.scores is not None:
            return float(self.scores.params.get("penalty", 0.0))
        options = self.trace.about.get("options", {})
        return float(options.get("length_penalty", 0.0)) if isinstance(options, dict) else 0.0


def beam_tree(trace: Trace) -> BeamTree:
    return BeamTree(trace, _times(trace))


@kept
def _times(trace: Trace) -> tuple[tuple[Candidate, ...], ...]:
    times = tuple(_from_steps(trace)) or tuple(_from_details(trace))
    if not times:
        raise ValueError("the trace does not say what its beam considered")
    return times


def _step(trace: Trace, time: int, beam: int, part: str, leaf: str) -> Step:
    return trace[f"time.{time}.beam.{beam}.{part}.{leaf}"]


def _from_steps(trace: Trace) -> Iterator[tuple[Candidate, ...]]:
    states, before = _states(trace), [Candidate(0, 0, 0, "", 0, (), 0.0, 0.0, 1.0, "kept")]
    for time in count(1):
        steps = [trace.get(f"time.{time}.search.{leaf}") for leaf in ("kept", "ranked", "totals", "scores")]
        if any(step is None for step in steps):
            return
        chosen, ranked, totals, scores = (step for step in steps if step is not None)
        stay = list(map(tuple, chosen.value.tolist()))
        others = [place for place in map(tuple, ranked.value.tolist()) if place not in stay]
        found = []
        for rank, (parent, number) in enumerate([*stay, *others]):
            stays, word = before[parent].state == "finished", totals.labels[-1][number]
            likely = None if stays else float(_step(trace, time, parent, "head", "probabilities").value[number])
            words = before[parent].words if stays else (*before[parent].words, word)
            place, token = (parent, number), "" if stays else word
            total, score = float(totals.value[place]), float(scores.value[place])
            state = _state(trace, time, rank, len(stay), stays, states)
            found.append(Candidate(time, rank, parent, token, number, words, total, score, likely, state))
        yield tuple(found)
        before = found[: len(stay)]


def _states(trace: Trace) -> dict[tuple[int, int], str]:
    """By time step and rank, as the trace tells them."""
    found: dict[tuple[int, int], str] = {}
    known: Counter[int] = Counter()
    for each in trace.about.get("hypotheses", ()):
        found[each["time"], known[each["time"]]] = each["state"]
        known[each["time"]] += 1
    return found


def _state(trace: Trace, time: int, rank: int, stay: int, stays: bool, told: dict[tuple[int, int], str]) -> State:
    """One that stays is finished when the next time step does not go on with it; at the last, the trace tells."""
    if rank >= stay:
        return "dropped"
    if stays or trace.get(f"time.{time + 1}.beam.{rank}.choice.after_end") is not None:
        return "finished"
    return "finished" if told.get((time, rank)) == "finished" else "kept"


def _from_details(trace: Trace) -> Iterator[tuple[Candidate, ...]]:
    considered: Sequence[dict[str, Any]] = trace.about.get("hypotheses", ())
    before: list[Candidate] = []
    for time in range(1, max((each["time"] for each in considered), default=0) + 1):
        at = [each for each in considered if each["time"] == time]
        at.sort(key=lambda each: each["state"] == "dropped")
        found = []
        for rank, each in enumerate(at):
            parent, words = each["parent"] or 0, tuple(each["tokens"])
            stays, word = bool(before) and before[parent].state == "finished", words[-1]
            likely = None if stays else _step(trace, time, parent, "head", "probabilities")
            number = 0 if likely is None else likely.labels[-1].index(word)
            probability = None if likely is None else float(likely.value[number])
            token, state = "" if stays else word, next(state for state in STATES if state == each["state"])
            total, score = float(each["log_probability"]), float(each["score"])
            found.append(Candidate(time, rank, parent, token, number, words, total, score, probability, state))
        yield tuple(found)
        before = [each for each in found if each.state != "dropped"]
