"""Making the edits of a run: what each step and each parameter has with them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from txviz import ops
from txviz.ops import Array
from txviz.trace.edits import Edit, EditError, written
from txviz.trace.names import matches, suggestion
from txviz.trace.overrides import BY_HAND
from txviz.trace.site import Site
from txviz.trace.step import Parameter, Place, Step, index_of

if TYPE_CHECKING:
    from txviz.trace.trace import Trace

GuideNumbers = Mapping[str, Sequence[tuple[tuple[int, ...], Any]]]
"""What a guide has at a step: in which place, and its numbers."""

PARTLY_BY_HAND = "Some of its cells were put in by hand, in place of the computed ones."


class Edited(NamedTuple):
    """A value with all edits in it, and which places they changed."""

    value: Array
    places: tuple[Place, ...]


class Editor:
    """All edits of one run. It sees every step on the way, since an edit may ask for what an earlier one has."""

    def __init__(self, edits: Iterable[Edit], guide: GuideNumbers, untouched: Callable[[], Trace]) -> None:
        self._edits = tuple(edits)
        self.names = {edit.name for edit in self._edits}
        self.globs = [name for name in self.names if "*" in name]
        self._guide = guide
        self._run_untouched = untouched
        self._unused = set(self._edits)
        self.seen: dict[str, Array] = {}
        """All parameters and steps so far, by name; whoever runs the model adds to it."""
        self.parameter_places: dict[str, tuple[Place, ...]] = {}

    def change_parameters(self, parameters: Mapping[str, Array]) -> dict[str, Array]:
        """The parameters of the run; those that no edit is about are the same arrays."""
        self.seen = dict(parameters)
        names = filter(self.changes, parameters) if self.globs else self.names & parameters.keys()
        found = {name: self.change(Parameter(name, parameters[name], Site())) for name in names}
        self.parameter_places = {name: edited.places for name, edited in found.items()}
        return {**parameters, **{name: edited.value for name, edited in found.items()}}

    def changes(self, name: str) -> bool:
        return name in self.names or any(matches(glob, name) for glob in self.globs)

    def edited(self, step: Step) -> Step:
        """The step with its edits; it stays what it is but for the value."""
        value, places = self.change(step)
        by_hand = BY_HAND if () in places else PARTLY_BY_HAND
        note = step.note if step.note.endswith(BY_HAND) else f"{step.note} {by_hand}".lstrip()
        return replace(step, value=value, edited=(*step.edited, *places), note=note)

    def change(self, target: Step | Parameter) -> Edited:
        """What it has with its edits, in place of what was computed."""
        edits = [edit for edit in self._edits if edit.changes(target.name)]
        self._unused.difference_update(edits)
        value = np.array(target.value)
        places = [place for edit in edits for place in self._make(edit, target, value)]
        value.flags.writeable = False
        return Edited(value, tuple(dict.fromkeys(places)))

    def check_all_made(self) -> None:
        """After the run: whether it had all that was to be changed."""
        unused = [edit for edit in self._edits if edit in self._unused]
        if unused:
            name = unused[0].name
            why = f'no step or parameter is called "{name}", so it can\'t be changed{suggestion(name, self.seen)}'
            raise EditError(why, *(edit.text for edit in unused))

    def _make(self, edit: Edit, target: Step | Parameter, value: Array) -> list[Place]:
        """Changes the value; returns which places of it."""
        edit.check_place(value.shape)
        words, place = words_of(target), index_of(edit.place)
        if edit.kind == "factor":
            value[place] = _scaled(edit, value[place])
        elif edit.kind == "guide" and edit.values not in words:
            return self._put_guide(edit, value, target)
        elif edit.kind == "numbers" or edit.values in words:
            with np.errstate(over="ignore"):  # what is too large for float32 is ∞, and told as such
                value[place] = edit.numbers(value, words)
        else:
            value[place] = self._whole(edit, target)[place]
        return [edit.place]

    def _whole(self, edit: Edit, target: Step | Parameter) -> Array:
        """An array of the same shape, of which the place is taken."""
        match edit.kind:
            case "untouched":
                found = self._without_edits(edit, target)
            case "uniform":
                found = _uniform(edit, target)
            case "operand":
                found = _operand(edit, target)
            case _:
                found = self._earlier(edit)
        if found.shape != target.value.shape or found.dtype.kind != target.value.dtype.kind:
            taken = edit.text.rpartition("=")[2].strip()
            shapes = f"{taken} has {written(found.shape)} and {target.name} {written(target.value.shape)}"
            raise edit.wrong(f"{shapes}; they must be of the same shape and kind")
        return found

    @cached_property
    def _untouched(self) -> Trace:
        return self._run_untouched()

    def _without_edits(self, edit: Edit, target: Step | Parameter) -> Array:
        if isinstance(target, Parameter):
            return target.value
        step = self._untouched.get(target.name)
        if step is None:
            raise edit.wrong(f"the run without edits has no step {target.name}")
        return step.value

    def _earlier(self, edit: Edit) -> Array:
        if edit.values not in self.seen:
            hint = suggestion(edit.values, self.seen)
            raise edit.wrong(f'no step before it and no parameter is called "{edit.values}"{hint}')
        return self.seen[edit.values]

    def _put_guide(self, edit: Edit, value: Array, target: Step | Parameter) -> list[Place]:
        """The guide may have numbers for some of the cells only."""
        changed = []
        for at, numbers in self._guide.get(target.name, ()):
            both = _overlap(edit.place, at)
            if both is not None:
                printed = np.zeros_like(value)
                printed[at] = numbers
                value[index_of(both)] = printed[index_of(both)]
                changed.append(both)
        if not changed:
            raise edit.wrong("the guide prints nothing here for this input")
        return changed


def _overlap(one: Place, other: Place) -> Place | None:
    """The cells that are in both places.

    >>> _overlap((None, 2), (5,)), _overlap((0, 2), (0,)), _overlap((1,), (0, 2))
    ((5, 2), (0, 2), None)
    """
    pairs = list(zip_longest(one, other))
    if any(a is not None and b is not None and a != b for a, b in pairs):
        return None
    return tuple(b if a is None else a for a, b in pairs)


def words_of(target: Step | Parameter) -> Sequence[str]:
    """That can be chosen, where the step is a choice."""
    if not isinstance(target, Step) or target.chosen is None:
        return ()
    source = target.sources[0] if target.sources else target.like
    return source.labels[-1] if isinstance(source, Step) else ()


def _scaled(edit: Edit, value: Array) -> Array:
    if value.dtype.kind != "f":
        raise edit.wrong("these are whole numbers that stand for something; they can be set but not multiplied")
    with np.errstate(all="ignore"):
        scaled = value * value.dtype.type(edit.read_number(edit.values))
    if (np.isnan(scaled) | np.isposinf(scaled)).any():
        raise edit.wrong("every cell must be a number or −∞ afterwards")
    return np.asarray(scaled)


def _uniform(edit: Edit, target: Step | Parameter) -> Array:
    """The same for all that the softmax does not leave out."""
    if not isinstance(target, Step) or target.operation is not ops.softmax:
        raise edit.wrong(f"uniform is for weights after a softmax, and {target.name} is none")
    seen = ~np.isneginf(target.sources[0].value)
    count = np.maximum(seen.sum(axis=-1, keepdims=True), 1)
    return np.asarray(seen / count).astype(target.value.dtype)


def _operand(edit: Edit, target: Step | Parameter) -> Array:
    sources = target.sources if isinstance(target, Step) else ()
    number = int(edit.values)
    if not 1 <= number <= len(sources):
        reads = f"{target.name} reads {', '.join(source.name for source in sources) or 'nothing'}"
        can = "@1" if len(sources) == 1 else f"@1 to @{len(sources)}"
        raise edit.wrong(f"{reads}; {can} can stand here" if sources else reads)
    return sources[number - 1].value
