"""What there is to say about a beam's tree: one sentence for all of it, and the arithmetic of each candidate."""

from __future__ import annotations

from typing import NamedTuple

from txviz.figures.levels.beam_tree import BeamTree, Candidate
from txviz.figures.naming import ordinal, quoted
from txviz.figures.numerals import decimal, percent
from txviz.trace import Trace
from txviz.trace.kept import kept


def story(tree: BeamTree, known: int) -> str:
    """How it went up to the time step that is known: the best sentence, and what greedy choice would have given."""
    if not known:
        return "At each time step every sentence is continued with every token, and the best of all these are kept."
    best = tree.leader(known)
    if known < len(tree.times):
        return f"After time step {known} the best is {quoted(best.sentence)} ({decimal(best.total, 2)})."
    return f"{_compared(tree, best)} {_parted(tree, best)}".strip()


def _compared(tree: BeamTree, best: Candidate) -> str:
    found = f"{quoted(best.sentence)} ({decimal(best.total, 2)})"
    if not tree.greedy_ends:
        return f"The beam gives {found}."
    if tree.greedy[-1].words == best.words:
        return f"Greedy and the beam give the same: {found}."
    greedy = f"{quoted(tree.greedy[-1].sentence)} ({decimal(tree.greedy[-1].total, 2)})"
    return f"Greedy gives {greedy}, the beam {found}."


def _parted(tree: BeamTree, best: Candidate) -> str:
    """Where greedy goes another way than the best, and where the beam loses sight of it."""
    path, greedy = tree.path(best), tree.greedy
    said = []
    pair = next(((one, other) for one, other in zip(path, greedy, strict=False) if one is not other), None)
    if pair is not None and not pair[0].stays:
        one, other = (f"{quoted(each.token)} ({percent(each.probability or 0.0)})" for each in pair)
        said.append(f"They part at time step {pair[0].time}: greedy takes {other}, the best sentence has {one}.")
    if not tree.greedy_ends:
        said.append(_lost(greedy))
    return " ".join(said)


def _lost(greedy: list[Candidate]) -> str:
    if greedy and greedy[-1].state == "dropped":
        last = greedy[-1]
        return f"Greedy's sentence is dropped at time step {last.time}, with {quoted(last.token)}."
    time = greedy[-1].time + 1 if greedy else 1
    return f"Greedy's sentence leaves the beam at time step {time}: its next token is not among the best candidates."


class Hints(NamedTuple):
    """What to say where the pointer is."""

    line: str
    """How likely the token is that a candidate adds."""

    box: str
    """What became of it, and why: its sum and its score, worked out as the steps have them."""


@kept
def _known(trace: Trace) -> dict[tuple[int, int], Hints]:
    """Those that were asked for before, by the candidate's place."""
    return {}


def hints(tree: BeamTree, candidate: Candidate) -> Hints:
    known = _known(tree.trace)
    if candidate.place not in known:
        known[candidate.place] = Hints(_of_line(tree, candidate), _of_box(tree, candidate))
    return known[candidate.place]


def _of_line(tree: BeamTree, candidate: Candidate) -> str:
    if candidate.probability is None:
        return "a finished sentence stays as it is"
    after = " ".join(candidate.words[:-1])
    said = f"{quoted(candidate.token)}{f' after {quoted(after)}' if after else ''}: {percent(candidate.probability)}"
    logs = tree.trace.get(f"time.{candidate.time}.beam.{candidate.parent}.head.log_probabilities")
    return said if logs is None else f"{said} · {logs.explain((candidate.number,)).text}"


def _of_box(tree: BeamTree, candidate: Candidate) -> str:
    place = f"{ordinal(candidate.rank + 1)} of its time step"
    said = [f"{quoted(' '.join(candidate.words))} · {candidate.state}, {place}"]
    totals = tree.trace.get(f"time.{candidate.time}.beam.{candidate.parent}.choice.totals")
    if candidate.stays or totals is None:
        said.append(f"the sum stays {decimal(candidate.total, 2)}")
    else:
        said.append(totals.explain((candidate.number,)).text)
    scores = tree.trace.get(f"time.{candidate.time}.search.scores")
    if scores is not None and tree.penalty:
        said.append(f"score {scores.explain((candidate.parent, candidate.number)).text}")
    return " · ".join(said)
