"""Numbers as people type or paste them, and the edit that puts them into a cell, a row, a column or a head."""

from __future__ import annotations

import re

import numpy as np

from txviz.errors import TxvizError
from txviz.figures.naming import counted
from txviz.figures.selection import Selection, Target, selections
from txviz.trace.editor import words_of
from txviz.trace.edits import EditError, read_edit

MOST = 1_000_000
"""Letters on the clipboard that are looked at."""


def set_edit(selection: Selection, text: str) -> str:
    """The edit that puts what was typed there, checked; raises what is wrong with it, without the edit's own name."""
    words = words_of(selection.source)
    typed = text.strip()
    values = typed if typed in words else ",".join(_split(typed)) or typed
    edit = selection.set_to(values)
    try:
        if read_edit(edit).kind != "numbers":
            raise TxvizError(f'"{typed}" is no number')
        read_edit(edit).numbers(np.array(selection.source.value), words)
    except EditError as error:
        raise TxvizError(str(error).removeprefix(f"{edit}: ")) from None
    return edit


def scale_edit(selection: Selection, text: str) -> str:
    """The edit that multiplies by what was typed."""
    typed = text.strip().replace("−", "-")
    try:
        factor = float(typed)
    except ValueError:
        raise TxvizError(f'"{typed}" is no number; 0.5 halves and −1 turns the sign') from None
    if not np.isfinite(factor):
        raise TxvizError("the factor must be a finite number; 0.5 halves and −1 turns the sign")
    return selection.scaled(typed)


def pasted_edit(target: Target, text: str) -> str:
    """A row of a spreadsheet, a column or a matrix goes where the chosen cell is, and one number into the cell."""
    lines = [_split(line) for line in text[:MOST].strip("\r\n").splitlines() if line.strip()]
    found = [part for line in lines for part in line]
    if not found:
        raise TxvizError("there are no numbers on the clipboard")
    upright = len(lines) > 1 and all(len(line) == 1 for line in lines)
    possible = {each.kind: each for each in selections(target)}
    order = ("cell", "column", "row", "head", "all") if upright else ("cell", "row", "column", "head", "all")
    fitting = [possible[kind] for kind in order if kind in possible and possible[kind].size == len(found)]
    if not fitting:
        takes = ["the cell takes 1", *(f"{each.words} {each.size}" for each in list(possible.values())[1:])]
        raise TxvizError(f"the clipboard has {counted(len(found), 'number')}; {', '.join(takes)}")
    return set_edit(fitting[0], ",".join(_as_stored(found, fitting[0], target)))


def _as_stored(found: list[str], part: Selection, target: Target) -> list[str]:
    """A matrix that is drawn turned is pasted as it is seen."""
    shape = part.source.value.shape[-2:]
    if not target.grid.turned or len(found) != np.prod(shape) or part.kind in ("cell", "row", "column"):
        return found
    return [str(x) for x in np.array(found).reshape(shape[::-1]).T.ravel()]


def _split(text: str) -> list[str]:
    """At tabs, semicolons and spaces, or at commas; with tabs, a comma is that of 0,5."""
    text = text.replace("−", "-").replace("\u00a0", " ")
    parts = re.split(r"[\t;]", text) if re.search(r"[\t;]", text) else None
    if parts is not None:
        return [part.strip().replace(",", ".") for part in parts if part.strip()]
    return [part for part in re.split(r"[,\s]+", text) if part]
