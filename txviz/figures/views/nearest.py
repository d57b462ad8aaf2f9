"""Which steps a plot shows: the one that is open, or the nearest of its kind that is computed by then.

A plot never shows what comes later in the computation than the step that is open. All of them look here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

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
    named = (each for each in _softmaxes(trace) if each.axes[-1] in ("vocabulary", "class"))
    many = [each for each in named if each.value.shape[-1] > MANY]
    place = _places(trace)
    later = [each for each in many if place[each.name] >= place[step.name]]
    shown = [each for each in softmax(trace, step) if each in many]
    return next(iter((*shown, *later, *many[::-1])), None)


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


def anything(trace: Trace, step: Step) -> bool:
    """Whether there is a plot for the step at all."""
    return any(find(trace, step) for find in _FINDERS)


_FINDERS: tuple[Callable[[Trace, Step], Shown], ...] = (values, weights, stream)


@kept
def _places(trace: Trace) -> dict[str, int]:
    return {step.name: place for place, step in enumerate(trace)}


@kept
def _weights(trace: Trace) -> Shown:
    return tuple(filter(is_weights, trace))


@kept
def _softmaxes(trace: Trace) -> Shown:
    return tuple(step for step in trace if step.op == "softmax")


def _nearest(trace: Trace, step: Step, steps: Iterable[Step]) -> Shown:
    """Of these, the one that stands nearest; of those, the last one before the step."""
    here, place = step.site.owner, _places(trace)
    past = [each for each in steps if place[each.name] <= place[step.name]]
    found = max(past, key=lambda each: (_nearness(each.site, here), place[each.name]), default=None)
    return () if found is None else (found,)


def _nearness(site: Site, here: Site) -> tuple[bool, ...]:
    """The same block of another time step is nearer than another block of the same one."""
    return (
        site.sentence == here.sentence,
        site.part == here.part,
        site.part == here.part and site.layer == here.layer,
        site.part == here.part and site.layer == here.layer and site.block == here.block,
        site.time == here.time,
        site.beam == here.beam,
    )
