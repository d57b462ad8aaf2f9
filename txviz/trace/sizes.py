"""How large the result of a step will be, told from shapes alone: a small file must not fill the memory when replayed.

Letters as in ``ops``: T tokens, d features, n and m rows and columns, V words.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import zip_longest
from math import prod
from typing import Any

from txviz.trace.step import Step

Shape = tuple[int, ...]


def largest_result(step: Step) -> int:
    """How many numbers the operation makes, at most."""
    shapes = [each.value.shape for each in step.sources]
    if step.op in _LARGER:
        return int(_LARGER[step.op](*shapes, **step.params))
    return prod(_spread(*shapes)) if len(shapes) > 1 else step.value.size


def _spread(*shapes: Shape) -> Shape:
    """What the shapes broadcast to, at most: where they do not, an operation that needs it fails at once."""
    return tuple(map(max, zip_longest(*(shape[::-1] for shape in shapes), fillvalue=1)))


def _matmul(a: Shape, b: Shape, transpose: bool = False) -> int:  # (...,n,k), (...,k,m) -> (...,n,m)
    return prod(_spread(a[:-2], b[:-2])) * prod(a[-2:-1]) * b[-2 if transpose else -1]


def _matmul_left(a: Shape, b: Shape, shared: bool = False) -> int:  # (...,t,n), (...,t,m) -> (...,n,m)
    return prod(() if shared else _spread(a[:-2], b[:-2])) * a[-1] * b[-1]


def _linear(x: Shape, weight: Shape, *_: Shape) -> int:  # (...,k), (k,m), (m,) -> (...,m)
    return prod(x[:-1]) * weight[-1]


def _mean_pool_gradient(grad: Shape, tokens: Shape = (), length: int = 1, **_: Any) -> int:  # (...,d) -> (...,T,d)
    return prod(grad) * max(length, prod(tokens))


def _place(grad: Shape, at: Any, length: int) -> int:  # (...,d) or (...,t,d) -> (...,T,d)
    return prod(grad if isinstance(at, int) else (*grad[:-2], grad[-1])) * length


_LARGER: dict[str, Callable[..., int]] = {
    "matmul": _matmul,
    "matmul_left": _matmul_left,
    "linear": _linear,
    "lookup": lambda tokens, table: prod(tokens) * table[-1],
    "gather": lambda grad, tokens, rows: rows * grad[-1],
    "pick_gradient": lambda grad, tokens, width: prod(grad) * width,
    "mean_pool_gradient": _mean_pool_gradient,
    "place": _place,
    "bucket_bias": lambda buckets, table: prod(buckets) * table[-1],
    "bucket_bias_gradient": lambda grad, buckets, rows: rows * prod(grad[-3:-2]),
    "distance_buckets": lambda queries, keys, **_: queries * keys,
    "causal_mask": lambda queries, keys, **_: queries * keys,
    "sinusoid": lambda length, width, **_: length * width,
    "sinusoid_2d": lambda rows, columns, width, **_: rows * columns * width,
}
"""The operations whose result may be larger than all that they read, and not by broadcasting."""
