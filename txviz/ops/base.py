"""What an operation is.

An operation is one class that holds what txviz knows about it, but for how it looks (``figures.looks``):

- ``compute``   the NumPy code, the only implementation there is;
- ``formula``   its right-hand side in LaTeX, from the symbols of its inputs, with ``subscript`` on the left;
- ``worked``    the arithmetic of one output cell, as text and as a number;
- ``reads``     which cells of each input that output cell was made from;
- ``parts``     named intermediate results, where there are any (a softmax's exponentials, a norm's mean);
- ``gradients`` for each input, which operation makes its gradient from the output's. A gradient is an operation like
  any other, so a backward pass is a list of steps that can be explained.

All of them take the inputs in the same order, then the same keyword parameters. Every operation works on the last
axes of its inputs and lets any number of axes stand before them, so one example and a batch run the same code.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
Index: TypeAlias = tuple[int, ...]
Reads: TypeAlias = list[list[Index]]


@lru_cache(maxsize=4096)
def along(before: Index, count: int, after: Index = ()) -> list[Index]:
    """So many cells along an axis, between the places on the axes before it and after it. Nobody changes the list: all
    cells of a row have been made from the same row.

    >>> along((2,), 3), along((), 2, (5,))
    ([(2, 0), (2, 1), (2, 2)], [(0, 5), (1, 5)])
    """
    return [(*before, k, *after) for k in range(count)]


class Worked(NamedTuple):
    """The arithmetic of one cell: ``0.8×0.1 + 0.3×0.1 + (−0.5)×0.2 = 0.01``, and the number that it comes to."""

    text: str
    result: float


class Source(Protocol):
    """Anything that has a value: a step or a parameter."""

    @property
    def value(self) -> Array: ...


class Gradient(NamedTuple):
    """How to make the gradient of one input: an operation, what it reads, and its parameters."""

    op: Op
    sources: tuple[Source, ...]
    params: dict[str, Any] = {}  # noqa: RUF012, never changed


class Op:
    """A stateless operation; see the module's docstring. Subclasses narrow the signatures to their own inputs."""

    name: str
    """How the operation is called in traces and files."""

    about: str
    """One plain sentence about what it does."""

    subscript: str = ""
    """The index on the left of the formula, where that is about one cell: j in p_j = …"""

    def describe(self, *inputs: Any, **params: Any) -> str:
        """The same about these inputs, where they make a difference."""
        return self.about

    def compute(self, *inputs: Any, **params: Any) -> Array:
        """The result, a new array (or a view that nobody writes to)."""
        raise TypeError(f"{self.name} has no compute")

    def formula(self, *symbols: Any, **params: Any) -> str:
        """The right-hand side in LaTeX; nothing where there is nothing to say."""
        raise TypeError(f"{self.name} has no formula")

    def worked(self, index: Index, *inputs: Any, **params: Any) -> Worked:
        """The arithmetic of the output cell at ``index``."""
        raise TypeError(f"{self.name} has no arithmetic")

    def reads(self, index: Index, *inputs: Any, **params: Any) -> Reads:
        """For each input, the cells that the output cell at ``index`` was made from."""
        raise TypeError(f"{self.name} has no reads")

    def parts(self, *inputs: Any, **params: Any) -> dict[str, Array]:
        """Named intermediate results, in the order of the computation."""
        return {}

    def gradients(self, grad: Source, out: Source, *inputs: Any, **params: Any) -> list[Gradient | None]:
        """For each input, how its gradient follows from ``grad``, the output's; None where there is none.

        A gradient may come in the output's shape where the input was broadcast; whoever runs it sums it back.
        """
        return [None] * len(inputs)


def seen_from(index: Index, shape: tuple[int, ...]) -> Index:
    """The cell of an input of this shape that broadcasts to the output cell at ``index``.

    >>> seen_from((2, 0, 3), (1, 4))
    (0, 3)
    """
    if not shape:
        return ()
    return tuple(0 if size == 1 else i for i, size in zip(index[-len(shape) :], shape, strict=True))
