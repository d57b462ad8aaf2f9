"""Which matrix of a larger tensor is looked at: a place on the axes before the last two, (2,) for head 2."""

from __future__ import annotations

from collections.abc import Sequence

from txviz.errors import TxvizError
from txviz.figures.photographs import is_photograph
from txviz.ops import Index
from txviz.trace import Step
from txviz.trace.kept import kept


def full_place(place: Index, sizes: Sequence[int]) -> Index:
    """``place`` on leading axes of these sizes: the last ones, so that (2,) is head 2 of a batch, too.

    It is 0 where nothing is said, and the nearest there is: a block with fewer heads must not stop who steps to it.

    >>> full_place((2,), (4,)), full_place((), (4,)), full_place((7,), (4,)), full_place((2,), (1, 4))
    ((2,), (0,), (3,), (0, 2))
    """
    padded = (*(0,) * len(sizes), *place)[len(place) :]
    return tuple(max(0, min(i, n - 1)) for i, n in zip(padded, sizes, strict=True))


def matrix_place(step: Step, place: Index) -> Index:
    """Where the step's own numbers are that are shown at a place; of an image in three colours these are all."""
    return () if is_photograph(step) else full_place(place, step.value.shape[:-2])


@kept
def leading(step: Step) -> tuple[int, ...]:
    """The sizes of the axes before the last two, of the result or else of an input: a place is chosen from these. Of an
    image in three colours it is chosen from the colours."""
    return tuple(_with_leading(step).value.shape[_leading(step)])


def leading_axes(step: Step) -> tuple[str, ...]:
    """What those axes are called."""
    return _with_leading(step).axes[_leading(step)]


def leading_labels(step: Step) -> tuple[tuple[str, ...], ...]:
    """What stands at the places of those axes: 0, 1, …, or the colours of an image."""
    return _with_leading(step).labels[_leading(step)]


def _leading(step: Step) -> slice:
    """An image is looked at as a whole, and one of its colours is chosen."""
    return slice(-1, None) if is_photograph(_with_leading(step)) else slice(None, -2)


def _with_leading(step: Step) -> Step:
    sources = (source for source in step.sources if isinstance(source, Step))
    return next((each for each in (step, *sources) if each.value.ndim > 2), step)


def check_place(place: Index, steps: Sequence[Step]) -> None:
    """One sentence where a place was asked for that a step does not have. Steps without heads are shown as they are."""
    if not place:
        return
    larger = [step for step in steps if leading(step)]
    if not larger:
        which = steps[0].name if len(steps) == 1 else f"none of the {len(steps)} steps"
        raise TxvizError(f"{which} has {'no ' if len(steps) == 1 else ''}heads; leave the head out")
    for step in larger:
        _check(place, step)


def _check(place: Index, step: Step) -> None:
    axes, sizes = leading_axes(step), leading(step)
    if len(place) > len(sizes):
        raise TxvizError(
            f"the place {place} has {len(place)} numbers; {step.name} takes {len(sizes)}: {', '.join(axes)}"
        )
    for axis, size, i in zip(reversed(axes), reversed(sizes), reversed(place), strict=False):
        if not 0 <= i < size:
            counted = f"{size} {axis}{'' if size == 1 else 's'}"
            raise TxvizError(f"{step.name} has {counted}, counted from 0; {axis} {i} is not one of them")


def is_cell(step: Step, index: Index) -> bool:
    """Whether it is the place of a number of the step."""
    shape = step.value.shape
    return len(index) == len(shape) and all(0 <= i < n for i, n in zip(index, shape, strict=True))


def place_of_cell(step: Step, cell: Index) -> Index:
    """Which matrix a cell is in: that of its head, or of its colour in a photograph."""
    return cell[-1:] if is_photograph(step) else cell[:-2]


def place_of(number: int, sizes: Sequence[int]) -> Index:
    """Where something is that is counted over axes of these sizes, the last one first.

    >>> place_of(5, (2, 4))
    (1, 1)
    """
    place: list[int] = []
    for n in reversed(sizes):
        number, i = divmod(number, n)
        place.append(i)
    return tuple(reversed(place))
