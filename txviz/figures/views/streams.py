"""The residual stream: the steps that hold every token's vector, from the embedding through the layers.

And the plane in which those vectors are best seen: their two principal components.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from itertools import takewhile
from typing import NamedTuple

import numpy as np
from threadpoolctl import ThreadpoolController

from txviz.ops import Array
from txviz.trace import Step, Trace, names

AXES = ("token", "feature")
_OPENS = re.compile(r"(^|\.)embed\.sum$")
_LAYER = re.compile(r"^((?:.*\.)?(?:encoder|decoder)\.\d+)\.(?:residual|norm)_\d+$")
_LAST = re.compile(r"(^|\.)(?:encoder|decoder)\.norm$")

Stream = tuple[Step, ...]


@lru_cache(maxsize=2)
def find_streams(trace: Trace) -> tuple[Stream, ...]:
    """Each run of a stack, in order: its embedding, what each layer ends with, and the norm after the last."""
    streams: list[dict[str, Step]] = []
    for step in trace:
        if step.axes != AXES or step.name.startswith(("backward.", "update.")):
            continue
        layer = _LAYER.match(step.name)
        if _OPENS.search(step.name):
            streams.append({step.name: step})
        elif streams and step.value.shape == next(iter(streams[-1].values())).value.shape:
            if layer:
                streams[-1][layer[1]] = step  # the last residual or norm of the layer is what it ends with
            elif _LAST.search(step.name):
                streams[-1][step.name] = step
    return tuple(tuple(stream.values()) for stream in streams if len(stream) > 1)


def stream_at(trace: Trace, streams: tuple[Stream, ...], step: Step) -> Stream:
    """The stream that a step belongs to: named most like it, or else the last one that began before it."""
    here = trace.steps.index(step)

    def nearness(stream: Stream) -> tuple[int, int]:
        begins = trace.steps.index(stream[0])
        return _shared(stream[0].name, step.name), begins if begins <= here else -begins

    return max(streams, key=nearness)


def _shared(one: str, other: str) -> int:
    """How many parts of two names are the same, from the left."""
    pairs = zip(one.split(names.SEPARATOR), other.split(names.SEPARATOR), strict=False)
    return len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))


@cache
def _threads() -> ThreadpoolController:
    """Looking for the libraries that have threads takes a while, so it is done once."""
    return ThreadpoolController()


class Plane(NamedTuple):
    places: Array  # (n,2)
    shares: tuple[float, float]
    """How much of all the variance each of the two directions has."""


def principal_plane(points: Array) -> Plane:  # (n,d)
    """The two directions in which the points differ most. The largest part of each direction is positive, so that the
    picture is never mirrored from one run to the next."""
    centred = points - points.mean(axis=0)
    with _threads().limit(limits=1):  # threads that wait for each other cost 40 times as much as these small sums
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
