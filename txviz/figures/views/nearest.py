"""Which steps a plot shows: the one that is open, or the nearest of its kind that is computed by then.

A plot never shows what comes later in the computation than the step that is open. All of them look here.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable
from itertools import product

from txviz.analysis.streams import Stream, find_streams
from txviz.figures.patches import find_drawing
from txviz.figures.views.heads import AXES
from txviz.trace import Step, Trace
from txviz.trace.kept import kept
from txviz.trace.pictures import is_weights
from txviz.trace.site import Site

Shown = tuple[Step, ...]

MANY = 12
"""More entries than this are too many to look through."""

SCORES = ("scores", "scaled", "biased", "masked")
"""What attention weights are made of, by the leaf."""


def weights(trace: Trace, step: Step) -> Shown:
    """Attention weights: of the step's block, or else of the layer or time step before."""
    return _nearest(trace, step, _weights(trace))


def on_image(trace: Trace, step: Step) -> Shown:
    """In the trace of an image model: the scores that are open, or else attention weights."""
    if find_drawing(trace) is None:
        return ()
    return (step,) if is_scores(step) else weights(trace, step)


def is_scores(step: Step) -> bool:
    """Whether it has a number for each query and key, which softmax makes weights of later on."""
    return step.site.leaf in SCORES and step.site.pass_ == "forward" and step.axes[-3:] == AXES


def softmax(trace: Trace, step: Step) -> Shown:
    return _nearest(trace, step, _softmaxes(trace))


def over_words(trace: Trace, step: Step) -> Step | None:
    """A softmax with many entries that have names: the one that is shown, else the next that comes, else the last."""
    many, place = _over_words(trace), _places(trace)
    shown = [each for each in softmax(trace, step) if each in many]
    later = (each for each in many if place[each.name] >= place[step.name])
    return next(iter(shown), None) or next(later, None) or (many[-1] if many else None)


def stream(trace: Trace, step: Step) -> Stream:
    """The token vectors, from the embedding to the last layer that is computed by then."""
    here, place = step.site.owner, _places(trace)
    begun = [each for each in find_streams(trace) if place[each[0].name] <= place[step.name]]

    def nearness(each: Stream) -> tuple[object, ...]:
        site = each[1].site  # of its first layer, since an encoder's embedding is a part of its own
        return site.sentence == here.sentence, site.part == here.part, site.time == here.time, place[each[0].name]

    found = max(begun, key=nearness, default=())
    return tuple(each for each in found if place[each.name] <= place[step.name])


def values(trace: Trace, step: Step) -> Shown:
    """The step itself, where it has numbers that are spread: one alone is not, nor are the numbers of tokens."""
    return (step,) if step.value.dtype.kind == "f" and step.value.size > 1 else ()


@kept
def _places(trace: Trace) -> dict[str, int]:
    return {step.name: place for place, step in enumerate(trace)}


@kept
def _weights(trace: Trace) -> _Places:
    return _Places(trace, filter(is_weights, trace))


@kept
def _softmaxes(trace: Trace) -> _Places:
    return _Places(trace, (step for step in trace if step.op == "softmax"))


@kept
def _over_words(trace: Trace) -> Shown:
    named = (step for step in trace if step.op == "softmax" and step.axes[-1] in ("vocabulary", "class"))
    return tuple(step for step in named if step.value.shape[-1] > MANY)


def _nearest(trace: Trace, step: Step, steps: _Places) -> Shown:
    """Of these, the one that stands nearest; of those, the last one before the step."""
    place = steps.nearest(step.site.owner, _places(trace)[step.name])
    return () if place is None else (trace[place],)


_Block = tuple[object, ...]

_ANY = "any"
"""Time step or beam."""


class _Places:
    """Where some steps are in a trace, by their block, time step and beam: a beam has thousands of each block."""

    def __init__(self, trace: Trace, steps: Iterable[Step]) -> None:
        self._found = defaultdict[tuple[_Block, object, object], list[int]](list)
        place = _places(trace)
        for step in steps:
            site = step.site
            block = site.sentence, site.part, site.layer, site.block
            for time, beam in product((site.time, _ANY), (site.beam, _ANY)):
                self._found[block, time, beam].append(place[step.name])
        self._blocks = {block for block, _, _ in self._found}

    def nearest(self, here: Site, last: int) -> int | None:
        """The same block of another time step is nearer than another block of the same one."""
        begun = [block for block in self._blocks if self._found[block, _ANY, _ANY][0] <= last]
        best = max((_nearness(block, here) for block in begun), default=())
        blocks = [block for block in begun if _nearness(block, here) == best]
        for time, beam in product((here.time, _ANY), (here.beam, _ANY)):
            past = [self._past((block, time, beam), last) for block in blocks]
            if any(past):
                return max(places[-1] for places in past if places)
        return None

    def _past(self, key: tuple[_Block, object, object], last: int) -> list[int]:
        """The last of these places that is not after the step, if there is one."""
        places = self._found.get(key, [])
        count = bisect_right(places, last)
        return places[count - 1 : count]


def _nearness(block: _Block, here: Site) -> tuple[bool, ...]:
    sentence, part, layer, inner = block
    same = (part == here.part, layer == here.layer, inner == here.block)
    return sentence == here.sentence, same[0], all(same[:2]), all(same)
