"""How far apart two tokens stand: a learned number for each distance and head, which attention adds to its scores.

All layers of a stack share it, so it is made once for all of them.

Letters: T tokens, H heads, B buckets.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from txviz import ops
from txviz.nets.attention import BLOCKS
from txviz.nets.parameters import Shapes
from txviz.trace import Run, Step
from txviz.trace.leaves import Leaf, add_headings, declare

declare(
    "distances",
    {
        "buckets": Leaf(
            "b", "The bucket of each distance from a query (row) to a key (column): near ones have their own."
        ),
        "bias": Leaf("B", "A learned number for each distance, in each head: what is added to the scores.", key="once"),
        "bias.table": Leaf(r"B_{\mathrm{table}}"),
    },
)
declare(
    BLOCKS, {"biased": Leaf("S_B", "The scores get a number for each distance, by which near can count more than far.")}
)
add_headings(
    "distances",
    {
        "buckets": "Buckets: how far apart two tokens stand",
        "bias": "Distance bias: a number for each distance",
    },
)
add_headings(BLOCKS, {"biased": "Biased scores: who fits whom, and how far apart"})


@dataclass(frozen=True)
class Distances:
    buckets: int = 32
    farthest: int = 128
    """From here on, all distances share the last bucket."""

    both_ways: bool = True
    """Whether a token looks at what comes after it, too."""


def shapes(distances: Distances, heads: int) -> Shapes:
    return {"distances.bias.table": (distances.buckets, heads)}


def bias(run: Run, x: Step, distances: Distances, start: int = 0) -> Step:  # (T,d) -> (H,T,start+T)
    """With a cache the queries begin at position ``start``, and the keys still at 0."""
    size = x.value.shape[-2]
    reach: dict[str, Any] = {"queries": size, "keys": start + size, "start": start, **asdict(distances)}
    with run.inside("distances"):
        buckets = run(ops.distance_buckets, "buckets", axes="query:token key:token", like=x, **reach)
        return run(ops.bucket_bias, "bias", buckets, run.parameter("bias.table"), axes="head query key")
