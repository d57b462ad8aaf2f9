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


def principal_plane(*layers: Array) -> Plane:  # (T,d), … -> (n,2) of all layers below each other
    """The two directions in which the points differ most. The largest part of each direction is positive, so that the
    picture is never mirrored from one run to the next."""
    layers, tokens = tuple(_in_reach(points) for points in layers), len(layers[0])
    count = tokens * len(layers)
    chosen = (divmod(i, tokens) for i in range(0, count, ceil(count / MOST_POINTS)))
    some = np.array([layers[layer][token] for layer, token in chosen], dtype=float)
    middle = some.mean(axis=0)
    with one_thread():  # threads that wait for each other cost 40 times as much as these small sums
        _, sizes, directions = np.linalg.svd(some - middle, full_matrices=False)
    directions = directions[:2]
    largest = directions[np.arange(len(directions)), np.abs(directions).argmax(axis=1)]
    directions = directions * np.where(largest < 0, -1.0, 1.0)[:, None]
    places = np.zeros((count, 2))
    turned = directions.T.astype(layers[0].dtype)
    places[:, : len(directions)] = np.concatenate([points @ turned for points in layers]) - middle @ turned
    power = np.zeros(2)
    power[: len(directions)] = sizes[:2] ** 2
    first, second = power / (float((sizes**2).sum()) or 1.0)
    return Plane(places, (float(first), float(second)))


def _in_reach(points: Array) -> Array:
    if float(points.min(initial=0)) >= -FURTHEST and float(points.max(initial=0)) <= FURTHEST:
        return points
    return np.asarray(np.nan_to_num(points.astype(float), posinf=0.0, neginf=0.0).clip(-FURTHEST, FURTHEST))
