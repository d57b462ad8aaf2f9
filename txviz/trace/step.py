"""One step of a run: what was computed, from what, and how to explain any cell of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from txviz import ops
from txviz.errors import TxvizError
from txviz.ops import Array, Index, Op, Worked
from txviz.ops.arithmetic import number
from txviz.ops.latex import indexed
from txviz.trace import symbols
from txviz.trace.kept import kept
from txviz.trace.leaves import Often
from txviz.trace.site import Site
from txviz.trace.standing import Standing, standings

Labels = Mapping[str, tuple[str, ...]]
NO_LABELS: Labels = {}

Place: TypeAlias = tuple[int | None, ...]
"""Cells of an array, from its first axis on: (1, 0) is row 0 of head 1, (None, 2) column 2 of a matrix, () all."""


def index_of(place: Place) -> tuple[int | slice, ...]:
    """The place as NumPy takes it."""
    return tuple(slice(None) if i is None else i for i in place)


def cells_at(places: Iterable[Place], shape: tuple[int, ...]) -> Array:  # -> shape, of true and false
    """Which cells are in one of the places."""
    found = np.zeros(shape, dtype=bool)
    for place in places:
        found[index_of(place)] = True
    return found


class Parameter(NamedTuple):
    """A learned array that steps read."""

    name: str
    value: Array
    site: Site
    edited: tuple[Place, ...] = ()
    """Which places of it were changed by hand."""

    @property
    def edited_cells(self) -> Array:  # true where it was changed by hand
        return cells_at(self.edited, self.value.shape)

    @property
    def axis_names(self) -> str:
        """The names of the axes, as a run takes them."""
        return {0: "", 1: "feature", 2: "in feature"}[self.value.ndim]


class Cell(NamedTuple):
    """One output cell, explained."""

    text: str
    """The arithmetic, as a person writes it."""

    result: float
    """What the arithmetic comes to."""

    reads: dict[str, list[Index]]
    """Which cells of which inputs it was made from."""


class Printed(NamedTuple):
    """What a guide prints for some cells of a step, and whether it is right.

    ``agrees`` judges the guide's own arithmetic: the print against the same step computed from what the guide
    printed before it. A right sum of wrong terms agrees, and still differs from a trace computed from scratch.
    """

    where: str
    """In the guide's words."""

    at: tuple[int, ...]
    """Which cells: (0, 5) is row 5 of head 0, () the whole step."""

    printed: Any
    """The guide's numbers, nested lists."""

    computed: Any
    """The same numbers computed from the guide's printed inputs."""

    agrees: bool
    note: str = ""


def agrees(printed: Any, value: Array) -> bool:
    """Whether every printed number is the value rounded to the decimals that are used there."""
    numbers = np.array(printed, dtype=float)
    return numbers.shape == value.shape and bool(right(numbers, value).all())


def right(printed: Array, value: Array) -> Array:  # (...), (...) -> (...) of true and false
    """Which printed numbers are the value rounded to the decimals that are used there."""
    decimals = max(len(repr(float(x)).partition(".")[2]) for x in printed.flat)
    return np.asarray(np.abs(printed - value) <= 0.5 * 10.0**-decimals + 1e-9)


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class Step:
    """Immutable. ``axes_spec``, ``given_labels`` and ``like`` are as the model wrote them: read ``axes``, ``labels``.

    An axis takes its labels from ``given_labels``, else from the axis of the same name of a source or of ``like``.
    """

    name: str
    site: Site
    """Where it stands; ``name`` is how that is written."""

    operation: Op
    sources: tuple[Step | Parameter, ...]
    params: Mapping[str, Any]
    value: Array
    axes_spec: str
    given_labels: Labels
    like: Step | None = None
    note: str = ""
    printed: tuple[Printed, ...] = ()
    edited: tuple[Place, ...] = ()
    """Which places of the value were put in by hand; all else is what the operation gives."""

    about: Mapping[str, Any] = field(default_factory=dict)
    """Of the run that made it: ``model``, ``input``, ``options``, as ``trace.about`` has them."""

    @property
    def edited_cells(self) -> Array:  # true where it was put in by hand
        return cells_at(self.edited, self.value.shape)

    @property
    def op(self) -> str:
        return self.operation.name

    @property
    def inputs(self) -> tuple[str, ...]:
        """The names of the steps and parameters that this step read."""
        return tuple(source.name for source in self.sources)

    @property
    def operands(self) -> tuple[Array, ...]:
        """The arrays that the operation takes."""
        return (self.value,) if self.operation is ops.given else tuple(source.value for source in self.sources)

    @property
    def axes(self) -> tuple[str, ...]:
        """What each axis means, for example ("head", "query", "key")."""
        named = _axis_names(self.axes_spec)
        unnamed = self.value.ndim - len(named)
        return ("batch",) * unnamed + named if unnamed else named

    @property
    def axis_names(self) -> str:
        """The names of the axes of one example, as a run takes them."""
        return _without_batch(self.axes_spec)

    @property
    def labels(self) -> tuple[tuple[str, ...], ...]:
        """A label for each place of each axis: tokens, classes, or plain numbers."""
        return _labels(self)

    def labels_along(self, axis: int) -> tuple[str, ...]:
        """Those of one axis: looking for them takes a while, and not everybody needs all."""
        size = self.value.shape[axis]
        return _find_labels(self, self.axes[axis], size) or numbered(size)

    @property
    def chosen(self) -> str | None:
        """The word or class that was chosen, by the model or by hand, where the step is one choice."""
        by_hand = self.operation is ops.given and self.value.dtype.kind == "i"
        choices = self.like if by_hand else self.sources[0] if self.operation in (ops.argmax, ops.draw) else None
        if self.value.ndim or not isinstance(choices, Step):
            return None
        place, size = int(self.value), choices.value.shape[-1]
        return choices.labels_along(-1)[place] if 0 <= place < size else None

    @property
    def title(self) -> str:
        return symbols.title(self.site)

    @property
    def heading(self) -> str:
        """The step in a few words that need no knowledge: “Attention scores: who fits whom”; else its title."""
        return symbols.true_words(self, symbols.heading(self.site)) or self.title

    @property
    def key(self) -> Often:
        """How often steps of its kind are key steps; ``trace.key_steps`` has those of a run."""
        return symbols.key(self.site)

    @property
    def formula(self) -> str:
        """The step in LaTeX, made from the operation's formula and the symbols of what it read."""
        read = (symbols.symbol(each.site, self.site if isinstance(each, Step) else None) for each in self.sources)
        right, left = self.operation.formula(*read, **self.params), symbols.symbol(self.site)
        subscript = self.operation.subscript
        return " = ".join(filter(None, (indexed(left, subscript) if subscript else left, right)))

    @property
    def what(self) -> str:
        """The step in one plain sentence, which is true of its numbers, also after an edit."""
        return symbols.true_words(self, symbols.sentence(self.site)) or self.does

    @property
    def does(self) -> str:
        """What its operation does with what it reads, in one plain sentence."""
        return self.operation.describe(*self.operands, **self.params)

    @property
    def text(self) -> str:
        """The step in plain words, with whatever is special about it in this model."""
        return " ".join(filter(None, (self.what, self.note)))

    @property
    def parts(self) -> dict[str, Array]:
        """Intermediate results inside the operation: a softmax's exponentials, a norm's mean and variance."""
        with np.errstate(all="ignore"):  # as when it was computed
            return self.operation.parts(*self.operands, **self.params)

    def replay(self) -> Array:
        """The operation again, on the recorded inputs; what was put in by hand stays."""
        computed = self.operation.compute(*self.operands, **self.params)
        if self.edited and computed.shape == self.value.shape:
            return np.where(self.edited_cells, self.value, computed)
        return computed

    def explain(self, index: Index) -> Cell:
        """The arithmetic of one cell, and the cells it was made from."""
        text, result, reads = next(self.explain_all([self._checked(index)]))
        return Cell(text, result, {name: list(cells) for name, cells in reads.items()})

    def explain_all(self, indices: Iterable[Index]) -> Iterator[Cell]:
        """The same of many cells, quickly: those of a row share the lists of what they read, which nobody changes."""
        operands, params, names = self.operands, self.params, self.inputs
        reads_of, repeated = self.operation.reads, len(set(names)) < len(names)
        by_hand = self.edited_cells if self.edited and self.operation is not ops.given else None
        for index in indices:
            text, result = self._worked(index, operands)
            if by_hand is not None and by_hand[index]:
                put_in = float(self.value[index])
                yield Cell(f"{number(put_in)}, put in by hand in place of {number(result)}", put_in, {})
                continue
            reads = zip(names, reads_of(index, *operands, **params), strict=False)
            yield Cell(text, result, _joined(reads) if repeated else dict(reads))

    def _worked(self, index: Index, operands: tuple[Array, ...]) -> Worked:
        try:
            return self.operation.worked(index, *operands, **self.params)
        except (ArithmeticError, ValueError) as error:  # where NumPy goes on with what is not a number, Python stops
            result = float(self.value[index])
            return Worked(f"not defined for these numbers ({error}): {number(result)}", result)

    def standing(self, word: str) -> list[Standing]:
        """Of a softmax: how likely a word is in each row, the how manieth that makes it, and its score."""
        return standings(self, word)

    def _checked(self, index: Index) -> Index:
        index = tuple(index) if isinstance(index, tuple | list) else (index,)
        shape = self.value.shape
        inside = len(index) == len(shape) and all(-n <= i < n for i, n in zip(index, shape, strict=True))
        if not inside:
            raise TxvizError(f"{self.name} has shape {shape}, so {index} is not one of its cells")
        return tuple(int(i) % n for i, n in zip(index, shape, strict=True))

    @property
    def dimensions(self) -> str:
        """``head 1 × query 5 × key 5``."""
        pairs = zip(self.axes, self.value.shape, strict=True)
        return " × ".join(f"{axis} {size}" for axis, size in pairs) or "one number"

    def __repr__(self) -> str:
        return f"<{self.name}: {self.op}, {self.dimensions}>"


@cache
def _parse_axes(spec: str) -> tuple[tuple[str, str], ...]:
    """``"query:token feature"`` is an axis "query" that takes its labels from an input's "token", then "feature"."""
    pairs = (word.partition(":") for word in spec.split())
    return tuple((axis, origin or axis) for axis, _, origin in pairs)


@cache
def _axis_names(spec: str) -> tuple[str, ...]:
    return tuple(axis for axis, _ in _parse_axes(spec))


@cache
def _without_batch(spec: str) -> str:
    return " ".join(axis for axis in _axis_names(spec) if axis != "batch")


@lru_cache(maxsize=64)
def numbered(size: int) -> tuple[str, ...]:
    """The labels of an axis that has none of its own."""
    return tuple(map(str, range(size)))


@kept
def _labels(step: Step) -> tuple[tuple[str, ...], ...]:
    return tuple(map(step.labels_along, range(step.value.ndim)))


def _joined(reads: Iterable[tuple[str, list[Index]]]) -> dict[str, list[Index]]:
    """Of a step that reads the same tensor more than once."""
    found: dict[str, list[Index]] = {}
    for name, cells in reads:
        found[name] = found.get(name, []) + cells
    return found


def _find_labels(step: Step, axis: str, size: int) -> tuple[str, ...] | None:
    """Follows an axis back through the steps it came from, to the one that was given labels."""
    while True:
        if axis in step.given_labels and len(step.given_labels[axis]) == size:
            return step.given_labels[axis]
        wanted = dict(_parse_axes(step.axes_spec)).get(axis, axis)
        found = (source for source in (*step.sources, step.like) if _has_axis(source, wanted, size))
        source = next(found, None)
        if not isinstance(source, Step):
            return None
        step, axis = source, wanted


def _has_axis(source: Step | Parameter | None, axis: str, size: int) -> bool:
    return isinstance(source, Step) and (axis, size) in zip(source.axes, source.value.shape, strict=True)


def equal_bits(a: Array, b: Array) -> bool:
    """Same shape, same type, same numbers; NaN equals NaN."""
    return a.shape == b.shape and a.dtype == b.dtype and bool(np.array_equal(a, b, equal_nan=a.dtype.kind == "f"))
