"""The plane in which the vectors of all tokens are best seen, through all layers: their two principal components."""

from __future__ import annotations

from math import ceil
from typing import NamedTuple

import numpy as np

from txviz.ops import Array
from txviz.trace.machine import one_thread

MOST_POINTS = 300
"""Of more than these, so many, all along the layers, say where the directions are."""

FURTHEST = 1e100
"""Where numbers stand that are larger; what is no number stands at 0."""


class Plane(NamedTuple):
    places: Array  # (n,2)
    shares: tuple[float, float]
    """How much of all the variance each of the two directions has."""


def principal_plane(points: Array) -> Plane:  # (n,d)
    """The two directions in which the points differ most. The largest part of each direction is positive, so that the
    picture is never mirrored from one run to the next."""
    if not (float(points.min(initial=0)) >= -FURTHEST and float(points.max(initial=0)) <= FURTHEST):  # or no number
        points = np.nan_to_num(points.astype(float), posinf=0.0, neginf=0.0).clip(-FURTHEST, FURTHEST)
    some = points[:: ceil(len(points) / MOST_POINTS)].astype(float)
    middle = some.mean(axis=0)
    with one_thread():  # threads that wait for each other cost 40 times as much as these small sums
        _, sizes, directions = np.linalg.svd(some - middle, full_matrices=False)
    directions = directions[:2]
    largest = directions[np.arange(len(directions)), np.abs(directions).argmax(axis=1)]
    directions = directions * np.where(largest < 0, -1.0, 1.0)[:, None]
    places = np.zeros((len(points), 2))
    turned = directions.T.astype(points.dtype)
    places[:, : len(directions)] = points @ turned - middle @ turned
    power = np.zeros(2)
    power[: len(directions)] = sizes[:2] ** 2
    first, second = power / (float((sizes**2).sum()) or 1.0)
    return Plane(places, (float(first), float(second)))
