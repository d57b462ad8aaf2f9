"""The residual stream: the steps that hold every token's vector, from the embedding through the layers."""

from __future__ import annotations

from collections.abc import Iterable

from txviz.trace import Step, Trace
from txviz.trace.ancestors import ancestors
from txviz.trace.cursor import stage_of
from txviz.trace.kept import kept
from txviz.trace.site import Site

AXES = ("token", "feature")

Stream = tuple[Step, ...]


@kept
def find_streams(trace: Trace) -> tuple[Stream, ...]:
    """Each run of a stack, in order: its embedding, what each layer ends with, and the norm after the last."""
    return _streams(trace)


def _streams(steps: Iterable[Step]) -> tuple[Stream, ...]:
    streams: list[dict[Site, Step]] = []
    for step in steps:
        site = step.site
        if step.axes != AXES or site.pass_ != "forward":
            continue
        if "embed" in (site.part, site.block):
            if streams and len(streams[-1]) == 1:
                streams.pop()  # the stream begins with the last step of the embedding, with or without positions
            streams.append({site: step})
        elif streams and step.value.shape == next(iter(streams[-1].values())).value.shape and _in_stack(site):
            streams[-1][stage_of(site)] = step  # the last residual or norm of a layer is what it ends with
    return tuple(tuple(stream.values()) for stream in streams if len(stream) > 1)


def _in_stack(site: Site) -> bool:
    """Whether it is a residual or a norm of a layer, or the norm after the last one."""
    return site.part in ("encoder", "decoder") and site.block is None and site.leaf.startswith(("residual", "norm"))


def stream_to(step: Step) -> Stream:
    """The stream that a step was read from, in the same time step; of several the last. Empty where there is none."""
    leading = _streams(_of_last_stack([each for each in ancestors(step) if _moment(each.site) == _moment(step.site)]))
    return leading[-1] if leading else ()


def _of_last_stack(steps: list[Step]) -> list[Step]:
    """Without those of the encoder that a decoder reads."""
    parts = [step.site.part for step in steps if _in_stack(step.site)]
    own = any(step.site.block == "embed" and step.site.part == parts[-1] for step in steps) if parts else False
    return [step for step in steps if not own or step.site.part == parts[-1]]


def _moment(site: Site) -> tuple[str | int | None, ...]:
    return site.sentence, site.time, site.beam


def depths(stream: Stream) -> Stream:
    """The embedding and what each layer ends with, without the norm after the last."""
    return (stream[0], *(step for step in stream[1:] if step.site.layer is not None)) if stream else ()


def whole(trace: Trace, stream: Stream) -> Stream:
    """The stream with the layers that are yet to come: the plane in which it is seen must not turn on the way."""
    return next(each for each in find_streams(trace) if each[0] is stream[0])
