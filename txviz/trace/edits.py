"""Changes by hand, as text: ``STEP=VALUES`` or ``STEP[INDEX]=VALUES``.

pool.cls=2.3,-1.1,3.2,1.4              all numbers of a step, in their order
encoder.0.attention.weights[1]=0       all of head 1
time.3.choice.token=amo                what is chosen: a word, or its number in the vocabulary
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import prod
from typing import NamedTuple

import numpy as np

from txviz.errors import TxvizError
from txviz.ops import Array, Index
from txviz.trace.names import suggestion
from txviz.trace.step import Step

EXAMPLES = "STEP=VALUES or STEP[INDEX]=VALUES, such as pool.cls=2.3,-1.1 or encoder.0.attention.weights[1]=0"

_FORM = re.compile(r"\s*([^\s=\[\]]+)\s*(?:\[([^\]=]*)\])?\s*=(.*)", re.DOTALL)


class EditError(TxvizError):
    """What is wrong with edits that somebody made, and which they are: without them there is a run all the same."""

    def __init__(self, sentence: str, *edits: str) -> None:
        super().__init__(sentence)
        self.edits = edits


class Edit(NamedTuple):
    text: str
    step: str
    place: Index
    values: str

    def put_into(self, value: Array, words: Sequence[str]) -> None:
        """Changes the numbers of a step, of which each stands for a word where there are some."""
        self._check_place(value)
        cells = prod(value.shape[len(self.place) :])
        numbers = [self._number(part, value, words) for part in self._parts(words)]
        if len(numbers) not in (1, cells):
            raise self.wrong(f"{len(numbers)} values for {cells} cells; give 1 or {cells}")
        value[self.place] = np.reshape(numbers, value.shape[len(self.place) :]) if len(numbers) > 1 else numbers[0]

    def wrong(self, what: str) -> EditError:
        return EditError(f"{self.text}: {what}", self.text)

    def _check_place(self, value: Array) -> None:
        if len(self.place) > value.ndim:
            shape = "×".join(map(str, value.shape)) or "one number"
            raise self.wrong(f"{len(self.place)} places for {shape}; give {value.ndim} at most")
        for axis, (i, size) in enumerate(zip(self.place, value.shape, strict=False)):
            if not 0 <= i < size:
                raise self.wrong(f"place {i} of axis {axis} is not there; it can be 0 to {size - 1}")

    def _parts(self, words: Sequence[str]) -> list[str]:
        """A word may have a comma in it, or be one."""
        return [self.values] if self.values in words else [part.strip() for part in self.values.split(",")]

    def _number(self, text: str, value: Array, words: Sequence[str]) -> float:
        if words and not text.isdecimal():
            if text not in words:
                raise self.wrong(f'"{text}" is no word that can be chosen{suggestion(text, words)}')
            return words.index(text)
        try:
            number = float(text)
        except ValueError:
            raise self.wrong(f'"{text}" is no number') from None
        with np.errstate(over="ignore"):
            kept = value.dtype.type(number) if value.dtype.kind == "f" else number
        if np.isnan(kept) or np.isposinf(kept):
            raise self.wrong("every cell must be a number or −∞")
        if value.dtype.kind in "iu" and (number != np.floor(number) or not 0 <= number < (len(words) or 2**31)):
            to = f" to {len(words) - 1}" if words else " on"
            raise self.wrong(f"it must be a whole number from 0{to}{', or a word' if words else ''}")
        return number


class StepEdits(NamedTuple):
    """All edits of one step, in their order."""

    edits: tuple[Edit, ...]

    def value(self, step: Step) -> Array:
        """What the step has with them, in place of what was computed."""
        value, source = np.array(step.value), step.sources[0] if step.sources else None
        words = source.labels[-1] if step.chosen is not None and isinstance(source, Step) else ()
        for edit in self.edits:
            edit.put_into(value, words)
        return value


def read_edits(texts: Sequence[str]) -> dict[str, StepEdits]:
    """By the step that they change."""
    found: dict[str, tuple[Edit, ...]] = {}
    for edit in map(_read, texts):
        found[edit.step] = (*found.get(edit.step, ()), edit)
    return {step: StepEdits(edits) for step, edits in found.items()}


def check_steps(edits: dict[str, StepEdits], names: Sequence[str]) -> None:
    """Whether a run has all the steps that were to be changed."""
    lacking = [name for name in edits if name not in names]
    if lacking:
        texts = (edit.text for name in lacking for edit in edits[name].edits)
        why = f'no step is called "{lacking[0]}", so it can\'t be changed{suggestion(lacking[0], names)}'
        raise EditError(why, *texts)


def _read(text: str) -> Edit:
    """
    >>> _read("encoder.0.attention.weights[1, 2]=0.5")[1:]
    ('encoder.0.attention.weights', (1, 2), '0.5')
    """
    found = _FORM.fullmatch(text) if isinstance(text, str) else None
    if found is None:
        raise EditError(f'the edit is "{text}"; it must be {EXAMPLES}', str(text))
    step, places, values = found.groups()
    try:
        place = tuple(int(i) for i in places.split(",")) if places is not None else ()
    except ValueError:
        raise EditError(f"{text}: [{places}] must be whole numbers with commas, such as [1,0]", text) from None
    return Edit(text, step, place, values.strip())
