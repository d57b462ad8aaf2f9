"""Changes by hand, as text: what is changed, where in it, and what happens there.

pool.cls=2.3,-1.1,3.2,1.4                       all numbers of a step, in their order; one number is for all cells
encoder.0.attention.weights[1]=0                all of head 1; [1,0] is row 0 of head 1, [:,2] column 2 of a matrix
encoder.0.attention.query.weight[0,2]*=-1       a parameter, and a number to multiply by
time.*.decoder.*.self_attention.masked=@1       all steps of such a name; @1 is what the step reads first: no mask
encoder.1.residual_2=@encoder.0.residual_2      what an earlier step has: as if layer 1 were not there
time.3.choice.token=amo                         what is chosen: a word, or its number in the vocabulary
encoder.0.norm_2=untouched                      what the run without any edits has there
pool.cls=guide                                  the guide's own numbers
encoder.0.attention.weights[0]=uniform          the same for every key that may be seen

``pool.cls*=2`` multiplies; the name before it is ``pool.cls`` and no glob. See ``editor`` for how they are made.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import prod
from typing import Literal, NamedTuple, get_args

import numpy as np

from txviz.errors import TxvizError
from txviz.ops import Array
from txviz.trace.names import matches, suggestion
from txviz.trace.step import Place, index_of

EXAMPLES = (
    "NAME=VALUES, NAME[PLACE]=VALUES or NAME*=FACTOR, such as pool.cls=2.3,-1.1 or encoder.0.attention.weights[1]=0"
)

_FORM = re.compile(r"\s*([^\s=\[\]]+?)\s*(?:\[([^\]=]*)\])?\s*((?<!\.)\*=|=)(.*)", re.DOTALL)

Word = Literal["untouched", "guide", "uniform"]
Kind = Literal[Word, "numbers", "factor", "operand", "step"]

WORDS: tuple[Word, ...] = get_args(Word)
"""What can stand in the place of numbers."""


class EditError(TxvizError):
    """What is wrong with edits that somebody made, and which they are: without them there is a run all the same."""

    def __init__(self, sentence: str, *edits: str) -> None:
        super().__init__(sentence)
        self.edits = edits


class Edit(NamedTuple):
    text: str
    name: str
    """Of a step or a parameter; a glob where there is a ``*`` in it."""

    place: Place
    kind: Kind
    values: str
    """What stands after the sign; of ``@NAME`` and ``@1`` the name and the number."""

    def changes(self, name: str) -> bool:
        return name == self.name or ("*" in self.name and matches(self.name, name))

    def wrong(self, what: str) -> EditError:
        return EditError(f"{self.text}: {what}", self.text)

    def check_place(self, shape: tuple[int, ...]) -> None:
        if len(self.place) > len(shape):
            raise self.wrong(f"{len(self.place)} places for {written(shape)}; give {len(shape)} at most")
        for axis, (i, size) in enumerate(zip(self.place, shape, strict=False)):
            if i is not None and not 0 <= i < size:
                raise self.wrong(f"place {i} of axis {axis} is not there; it can be 0 to {size - 1}")

    def numbers(self, value: Array, words: Sequence[str]) -> Array:
        """What is put into the place, where each number stands for a word if there are some."""
        shape = value[index_of(self.place)].shape
        cells = prod(shape)
        given = [self._number(part, value, words) for part in self._parts(words)]
        if len(given) not in (1, cells):
            raise self.wrong(f"{len(given)} values for {cells} cells; give 1 or {cells}")
        return np.reshape(given, shape) if len(given) > 1 else np.array(given[0])

    def _parts(self, words: Sequence[str]) -> list[str]:
        """A word may have a comma in it, or be one."""
        return [self.values] if self.values in words else [part.strip() for part in self.values.split(",")]

    def _number(self, text: str, value: Array, words: Sequence[str]) -> float:
        if words and not text.isdecimal():
            if text not in words:
                raise self.wrong(f'"{text}" is no word that can be chosen{suggestion(text, words)}')
            return words.index(text)
        number = self.read_number(text)
        if value.dtype.kind in "iu" and (number != np.floor(number) or not 0 <= number < (len(words) or 2**31)):
            to = f" to {len(words) - 1}" if words else " on"
            raise self.wrong(f"it must be a whole number from 0{to}{', or a word' if words else ''}")
        return number

    def read_number(self, text: str) -> float:
        try:
            return float(text)
        except ValueError:
            hint = f"; {', '.join(WORDS)}, @1 and @NAME can stand here, too" if text.isidentifier() else ""
            raise self.wrong(f'"{text}" is no number{hint}') from None


def read_edits(texts: Sequence[str]) -> tuple[Edit, ...]:
    return tuple(map(read_edit, texts))


def read_edit(text: str) -> Edit:
    """
    >>> read_edit("encoder.0.attention.weights[1, :, 2]=0.5")[1:]
    ('encoder.0.attention.weights', (1, None, 2), 'numbers', '0.5')
    >>> read_edit("pool.cls*=0.5")[1:], read_edit("pool.*=@1")[1:]
    (('pool.cls', (), 'factor', '0.5'), ('pool.*', (), 'operand', '1'))
    """
    found = _FORM.fullmatch(text) if isinstance(text, str) else None
    if found is None:
        raise EditError(f'the edit is "{text}"; it must be {EXAMPLES}', str(text))
    name, places, sign, values = found.groups()
    try:
        place = tuple(map(_read_place, places.split(","))) if places is not None else ()
    except ValueError:
        what = f"[{places}] must be whole numbers with commas, and : for all of an axis, such as [1,0] or [:,2]"
        raise EditError(f"{text}: {what}", text) from None
    kind, rest = _kind(sign, values.strip())
    return Edit(text, name, place, kind, rest)


def _read_place(text: str) -> int | None:
    return None if text.strip() == ":" else int(text)


def _kind(sign: str, values: str) -> tuple[Kind, str]:
    if sign == "*=":
        return "factor", values
    if values in WORDS:
        return values, values
    if values.startswith("@") and len(values) > 1:
        return ("operand" if values[1:].isdecimal() else "step"), values[1:]
    return "numbers", values


def written(shape: tuple[int, ...]) -> str:
    return "×".join(map(str, shape)) or "one number"
