"""The residual stream: the steps that hold every token's vector, from the embedding through the layers.

And the plane in which those vectors are best seen: their two principal components.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from txviz.figures.kept import kept
from txviz.ops import Array
from txviz.trace import Step, Trace
from txviz.trace.cursor import stage_of
from txviz.trace.machine import one_thread
from txviz.trace.site import Site

AXES = ("token", "feature")

Stream = tuple[Step, ...]

FURTHEST = 1e100
"""Where numbers stand that are larger; what is no number stands at 0."""


@kept
def find_streams(trace: Trace) -> tuple[Stream, ...]:
    """Each run of a stack, in order: its embedding, what each layer ends with, and the norm after the last."""
    streams: list[dict[Site, Step]] = []
    for step in trace:
        site = step.site
        if step.axes != AXES or site.pass_ != "forward":
            continue
        if site.leaf == "sum" and "embed" in (site.part, site.block):
            streams.append({site: step})
        elif streams and step.value.shape == next(iter(streams[-1].values())).value.shape and _in_stack(site):
            streams[-1][stage_of(site)] = step  # the last residual or norm of a layer is what it ends with
    return tuple(tuple(stream.values()) for stream in streams if len(stream) > 1)


def _in_stack(site: Site) -> bool:
    """Whether it is a residual or a norm of a layer, or the norm after the last one."""
    return site.part in ("encoder", "decoder") and site.block is None and site.leaf.startswith(("residual", "norm"))


def whole(trace: Trace, stream: Stream) -> Stream:
    """The stream with the layers that are yet to come: the plane in which it is seen must not turn on the way."""
    return next(each for each in find_streams(trace) if each[0] is stream[0])


class Plane(NamedTuple):
    places: Array  # (n,2)
    shares: tuple[float, float]
    """How much of all the variance each of the two directions has."""


def principal_plane(points: Array) -> Plane:  # (n,d)
    """The two directions in which the points differ most. The largest part of each direction is positive, so that the
    picture is never mirrored from one run to the next."""
    points = np.nan_to_num(points.astype(float), posinf=0.0, neginf=0.0).clip(-FURTHEST, FURTHEST)
    centred = points - points.mean(axis=0)
    with one_thread():  # threads that wait for each other cost 40 times as much as these small sums
        _, sizes, directions = np.linalg.svd(centred, full_matrices=False)
    directions = directions[:2]
    largest = directions[np.arange(len(directions)), np.abs(directions).argmax(axis=1)]
    directions = directions * np.where(largest < 0, -1.0, 1.0)[:, None]
    places = np.zeros((len(points), 2))
    places[:, : len(directions)] = centred @ directions.T
    power = np.zeros(2)
    power[: len(directions)] = sizes[:2] ** 2
    first, second = power / (float((sizes**2).sum()) or 1.0)
    return Plane(places, (float(first), float(second)))
