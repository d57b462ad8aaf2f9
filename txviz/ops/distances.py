"""What T5 tells attention about places: how far a key stands from a query, and a learned number for each distance.

Near distances have a number each; farther ones share theirs, in steps that grow with the distance.

Letters: q queries, k keys, H heads, B buckets, of which a key on one side of the query can have n, e of them exact.
"""

from __future__ import annotations

from math import floor
from math import log as ln

import numpy as np

from txviz.errors import TxvizError
from txviz.ops.arithmetic import number, sum_of
from txviz.ops.base import Array, Gradient, Index, Op, Reads, Source, Worked
from txviz.ops.choices import gather
from txviz.ops.latex import cases, indexed


def one_side(buckets: int, farthest: int, both_ways: bool) -> tuple[int, int]:
    """How many buckets there are on one side of the query, and how many of those hold one distance each: n and e."""
    n = buckets // 2 if both_ways else buckets
    if not 0 < n // 2 < farthest:
        raise TxvizError(f"{buckets} buckets can't be shared out among distances up to {farthest}")
    return n, n // 2


class DistanceBuckets(Op):
    """Which bucket the distance from a query to a key falls into.

    Half of the buckets hold one distance each, the others ever more, and the last one all from ``farthest`` on. Where a
    query looks ``both_ways``, keys after it have a half of their own; elsewhere they stand in bucket 0, and are masked.
    ``start`` is the position of the first query, for decoding one token at a time.
    """

    name = "distance_buckets"
    about = "Each distance from a query to a key gets the number of its bucket: near ones their own, far ones share."
    subscript = "ij"

    def compute(
        self, queries: int, keys: int, buckets: int, farthest: int, both_ways: bool, start: int = 0
    ) -> Array:  # -> (q,k)
        ahead = np.arange(keys) - np.arange(start, start + queries)[:, None]
        n, e = one_side(buckets, farthest, both_ways)
        distance = np.abs(ahead) if both_ways else np.maximum(-ahead, 0)
        beyond = np.log(np.maximum(distance, e) / e) / ln(farthest / e) * (n - e)
        shared = np.minimum(e + beyond.astype(np.int64), n - 1)
        found = np.where(distance < e, distance, shared)
        return np.asarray(found + n * (ahead > 0) if both_ways else found)

    def formula(self, queries: int, keys: int, buckets: int, farthest: int, both_ways: bool, start: int = 0) -> str:
        n, e = one_side(buckets, farthest, both_ways)
        query = f"(i + {start})" if start else "i"
        distance = rf"|j - {query}|" if both_ways else rf"\max(0,\, {query} - j)"
        grown = rf"\frac{{\ln(\delta / {e})}}{{\ln({farthest} / {e})}}"
        far = rf"\min\left({n - 1},\; {e} + \left\lfloor {n - e} \, {grown} \right\rfloor\right)"
        found = cases((r"\delta", rf"\delta < {e}"), (far, rf"\delta \ge {e}"))
        after = rf"{n} \, [j > {query}] + " if both_ways else ""
        return rf"{after}{found},\quad \delta = {distance}"

    def worked(
        self, index: Index, queries: int, keys: int, buckets: int, farthest: int, both_ways: bool, start: int = 0
    ) -> Worked:
        query, key = index[0] + start, index[1]
        n, e = one_side(buckets, farthest, both_ways)
        if key > query and not both_ways:
            return Worked(f"key {key} comes after query {query}: 0", 0.0)
        distance, side = abs(key - query), n if key > query else 0
        if distance < e:
            text, bucket = str(distance), distance
        elif distance >= farthest:
            text, bucket = str(n - 1), n - 1
        else:
            steps = ln(distance / e) / ln(farthest / e) * (n - e)
            text, bucket = f"{e} + ⌊ln({distance} / {e}) / ln({farthest} / {e}) × {n - e}⌋", e + floor(steps)
        where = f"{distance} {'after' if side else 'before'} query {query}" if distance else f"query {query} itself"
        text = f"{n} + {text}" if side else text
        result = side + bucket
        return Worked(f"key {key} is {where}: {text}{'' if text == str(result) else f' = {result}'}", float(result))

    def reads(self, index: Index, **params: object) -> Reads:
        return []


class BucketBias(Op):
    """A learned number for each bucket and head, which is added to the score of every pair so far apart."""

    name = "bucket_bias"
    about = "The bucket of each pair picks a row of a learned table, which has a number for each head."

    def compute(self, buckets: Array, table: Array) -> Array:  # (q,k), (B,H) -> (H,q,k)
        return np.ascontiguousarray(np.moveaxis(table[buckets], -1, -3))

    def formula(self, buckets: str, table: str) -> str:
        return f"{table}[{buckets}]"

    def worked(self, index: Index, buckets: Array, table: Array) -> Worked:
        head, *pair = index
        bucket = int(buckets[tuple(pair)])
        result = float(table[bucket, head])
        return Worked(f"row {bucket} of the table, column {head}: {number(result)}", result)

    def reads(self, index: Index, buckets: Array, table: Array) -> Reads:
        head, *pair = index
        return [[tuple(pair)], [(int(buckets[tuple(pair)]), head)]]

    def gradients(self, grad: Source, out: Source, buckets: Source, table: Source) -> list[Gradient | None]:
        return [None, Gradient(bucket_bias_gradient, (grad, buckets), {"rows": len(table.value)})]


class BucketBiasGradient(Op):
    """As ``gather``, with the heads' axis first: a table learns from every pair that is so far apart."""

    name = "bucket_bias_gradient"
    about = "For each bucket and head, the sum over all pairs whose distance falls into it."
    subscript = "b,h"

    def compute(self, grad: Array, buckets: Array, rows: int) -> Array:  # (H,q,k), (q,k) -> (B,H)
        return gather.compute(np.moveaxis(grad, -3, -1), buckets, rows)

    def formula(self, grad: str, buckets: str, rows: int) -> str:
        return rf"\sum_{{i,j :\, {indexed(buckets, 'ij')} = b}} {indexed(grad, 'h,i,j')}"

    def worked(self, index: Index, grad: Array, buckets: Array, rows: int) -> Worked:
        pairs = self.reads(index, grad, buckets, rows)[0]
        return sum_of([float(grad[pair]) for pair in pairs]) if pairs else Worked("no pair is so far apart: 0", 0.0)

    def reads(self, index: Index, grad: Array, buckets: Array, rows: int) -> Reads:
        places: list[Index] = list(np.ndindex(*buckets.shape))
        return [[(index[1], *pair) for pair in places if buckets[pair] == index[0]], places]


distance_buckets = DistanceBuckets()
bucket_bias = BucketBias()
bucket_bias_gradient = BucketBiasGradient()
