"""A workbook with live formulas: a sheet for each block, and in each cell what it is made from, so that a number can be
changed and all that follows from it moves.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from io import BytesIO
from math import isfinite
from typing import Any

import numpy as np
from xlsxwriter import Workbook
from xlsxwriter.format import Format
from xlsxwriter.worksheet import Worksheet

from txviz.analysis.words import table as words_of
from txviz.errors import TxvizError
from txviz.figures.command import command
from txviz.figures.job import Export
from txviz.figures.naming import counted
from txviz.figures.theme import LIGHT
from txviz.figures.writers.formulas import FORMULAS
from txviz.figures.writers.formulas.asked import NOTHING, Asked
from txviz.figures.writers.sheets import Table
from txviz.ops import Array
from txviz.trace import Parameter, Step, Trace
from txviz.trace.outline import Node

MOST_CELLS = 400_000
"""What a spreadsheet still recalculates while one waits."""

MOST_COLUMNS, LONGEST_NAME, LONGEST_FORMULA, LONGEST_TEXT = 16_384, 31, 8192, 32_767
"""What a spreadsheet has room for."""

FIRST = "start here"
"""The sheet that says what is where."""

CHANGEABLE = "#fff6cf"
"""Behind numbers that may be changed."""

Source = Step | Parameter


def write(wanted: Export) -> bytes:
    """The steps, and of a level all that are in it, in the order of the computation."""
    chosen = {id(step) for shown in wanted.shown for step in (shown.steps if isinstance(shown, Node) else (shown,))}
    book = Book(wanted.trace, [step for step in wanted.trace if id(step) in chosen], command(wanted))
    book.check()
    for done, step in enumerate(book.steps):
        wanted.watch(done, len(book.steps))
        book.add(step)
    wanted.watch(len(book.steps), len(book.steps))
    return book.content()


@dataclass(eq=False)
class Book:
    trace: Trace
    steps: list[Step]
    command: str = ""
    """What made it, for who wants to make it again."""

    tables: dict[int, Table] = field(default_factory=dict)
    """Where what is written stands, by the identity of the step or parameter."""

    ends: dict[str, int] = field(default_factory=dict)
    """The first free line of each sheet."""

    def check(self) -> None:
        """Whether there is room for all of it, before any work is."""
        read = {id(each): each for step in self.steps for each in (step, *step.sources)}.values()
        if widest := next((each for each in read if each.value.shape[-1:] > (MOST_COLUMNS - 1,)), None):
            raise TxvizError(f"{widest.name} is wider than a spreadsheet, which has {MOST_COLUMNS:,} columns")
        if (cells := sum(each.value.size for each in read)) > MOST_CELLS:
            parts = f"{cells:,} cells, and a workbook is quick with {MOST_CELLS:,}"
            block = next((node.name for node in self.trace.outline if node.level == "block"), "encoder.0")
            raise TxvizError(f"{counted(len(self.steps), 'step')}: {parts}; choose those of a block: {block}.*")

    @cached_property
    def _bytes(self) -> BytesIO:
        return BytesIO()

    @cached_property
    def _workbook(self) -> Workbook:
        """The same bytes each time: it says no date of its own."""
        book = Workbook(self._bytes, {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False})
        about = {
            "title": self.trace.outline.title,
            "created": datetime(2000, 1, 1),
            "comments": self.command or "made by txviz",
        }
        book.set_properties(about)
        return book

    @cached_property
    def _formats(self) -> dict[str, Format]:
        line = {"border": 1, "border_color": LIGHT.line, "num_format": "0.000"}
        looks = {
            "title": {"bold": True, "font_size": 13, "font_color": LIGHT.accent},
            "about": {"italic": True, "font_color": LIGHT.muted},
            "label": {"bold": True, "font_color": LIGHT.muted},
            "column": {"bold": True, "font_color": LIGHT.muted, "align": "right"},
            "number": line,
            "input": {**line, "bg_color": CHANGEABLE, "font_color": LIGHT.accent},
            "whole": {**line, "bg_color": CHANGEABLE, "font_color": LIGHT.accent, "num_format": "0"},
            "masked": {**line, "num_format": '[<=-1E+299]"−∞";[<0]-0.000;0.000'},
            "place": {**line, "num_format": "0"},
        }
        return {name: self._workbook.add_format(look) for name, look in looks.items()}

    # sheets

    @cached_property
    def _first(self) -> Worksheet:
        sheet = self._workbook.add_worksheet(FIRST)
        sheet.set_column(0, 0, 40)
        sheet.set_column(1, 1, 90)
        sheet.fit_to_pages(1, 0)  # printed, else names are on one page and what they say on the next
        self._text(sheet, 0, 0, self.trace.outline.title, "title")
        told = (
            ("input", str(self.trace.about.get("input", ""))),
            ("changed", self.trace.edited_text or "nothing"),
            ("answer", str(self.trace.output) if self.trace.output_step is None else self.trace.output_step.name),
            ("yellow cells", "may be changed: what is given, and the weights. All that follows from them moves."),
            ("all other cells", "are formulas on the cells that they read. Blue is below 0, orange above."),
        )
        for row, (what, text) in enumerate(told, 2):
            self._text(sheet, row, 0, what, "label")
            self._text(sheet, row, 1, text)
        self.ends[FIRST] = len(told) + 3
        return sheet

    def _sheet(self, step: Step) -> Worksheet:
        """That of the step's block, begun where it is the first of it."""
        node = self.trace.outline.path_to(step.name)[-2]
        if node.name in self._sheets:
            return self._sheets[node.name]
        first = self._first
        sheet = self._workbook.add_worksheet(self._unused(node.name or "input"))
        sheet.set_column(0, 0, 18)
        sheet.freeze_panes(0, 1)
        self._sheets[node.name] = sheet
        self.ends[sheet.name] = 0
        row = self.ends[FIRST]
        first.write_url(row, 0, f"internal:'{sheet.name}'!A1", string=_plain(sheet.name))
        self._text(first, row, 1, self.trace.outline.title_of(node.name) if node.name else "what the run starts from")
        self.ends[FIRST] += 1
        return sheet

    @cached_property
    def _sheets(self) -> dict[str, Worksheet]:
        return {}

    def _unused(self, name: str) -> str:
        """A name that a spreadsheet takes and that no sheet has yet."""
        plain = re.sub(r"[\[\]:*?/\\'\x00-\x1f]", "_", _plain(name))
        taken = {each.lower() for each in (*self.ends, "history")}
        wanted = (plain[: LONGEST_NAME - len(end)] + end for end in ("", *(f"~{i}" for i in range(2, 10_000))))
        return next(each for each in wanted if each.lower() not in taken)

    # tensors

    def add(self, step: Step) -> None:
        """The step, below what it reads and is nowhere yet."""
        sheet = self._sheet(step)
        for source in step.sources:
            if id(source) not in self.tables:
                self._write(sheet, source, step, live=False)
        self._write(sheet, step, step, live=True)

    def _write(self, sheet: Worksheet, source: Source, reader: Step, *, live: bool) -> None:
        top = self._heading(sheet, source, reader)
        table = Table(sheet.name, top, 1, source.value.shape)
        self.tables[id(source)] = table
        self._labels(sheet, source, reader, table)
        formula = FORMULAS.get(source.op) if live and isinstance(source, Step) else None
        computed = isinstance(source, Step) and callable(formula)
        by_hand, looks = (
            source.edited_cells,
            {made: self._formats[_look(source, computed=made)] for made in (True, False)},
        )
        for index in np.ndindex(*source.value.shape):
            made = computed and not by_hand[index]
            text = self._formula(source, index) if made and isinstance(source, Step) else ""
            _number(sheet, table.place(index), text, float(source.value[index]), looks[made])
        if computed and source.value.size:
            _coloured(sheet, table, source.value)
        self.ends[sheet.name] = top + table.height + 2

    def _formula(self, step: Step, index: tuple[int, ...]) -> str:
        """Nothing where it would be longer than a spreadsheet takes, or have words of a file in it."""
        if any(isinstance(value, str) for name, value in step.params.items() if name != "dtype"):
            return ""
        here = self.tables[id(step)].sheet
        read = tuple(self.tables[id(source)].read_on(here) for source in step.sources)
        formula: Any = FORMULAS[step.op]
        text = f"={formula(Asked(step, index, read))}"
        return text if len(text) <= LONGEST_FORMULA else ""

    def _heading(self, sheet: Worksheet, source: Source, reader: Step) -> int:
        """Its name and what it is; returns the line of the first numbers."""
        row = self.ends[sheet.name]
        self._text(sheet, row, 0, source.name, "title")
        if isinstance(source, Parameter):
            about = f"learned; read by {reader.name}"
        elif id(source) not in {id(step) for step in self.steps}:
            about = "computed before; here it may be changed"
        else:
            about = source.does
            if isinstance(reason := FORMULAS.get(source.op, ""), str) and source.sources:
                about = f"{about} No formula: {reason}."
        self._text(sheet, row + 1, 0, about, "about")
        return row + 3

    def _labels(self, sheet: Worksheet, source: Source, reader: Step, table: Table) -> None:
        """The names of the columns above, those of the rows on the left, of more axes above each matrix."""
        labels = self._names(source, reader)
        if labels:
            for i, label in enumerate(labels[-1]):
                self._text(sheet, table.top - 1, table.left + i, label, "column")
        for place in np.ndindex(*source.value.shape[:-1]):
            row, _ = table.place((*place, 0))
            self._text(sheet, row, 0, labels[len(place) - 1][place[-1]] if place else "", "label")
            if len(place) > 1 and not place[-1]:
                axes = source.axes if isinstance(source, Step) else ()
                told = (f"{axis} {labels[i][at]}" for i, (axis, at) in enumerate(zip(axes, place[:-1], strict=False)))
                self._text(sheet, row - 1, 0, " · ".join(told), "label")

    def _names(self, source: Source, reader: Step) -> tuple[tuple[str, ...], ...]:
        if isinstance(source, Step):
            return source.labels
        numbered = tuple(tuple(map(str, range(size))) for size in source.value.shape)
        known = words_of(self.trace, reader)
        return (known.words, *numbered[1:]) if known is not None and len(numbered) == 2 else numbered

    def _text(self, sheet: Worksheet, row: int, column: int, text: str, look: str = "") -> None:
        """Always text, whatever it begins with."""
        sheet.write_string(row, column, _plain(text)[:LONGEST_TEXT], self._formats[look] if look else None)

    def content(self) -> bytes:
        self._workbook.close()
        return self._bytes.getvalue()


def _look(source: Source, *, computed: bool) -> str:
    whole = source.value.dtype.kind in "iu"
    if computed:
        return "place" if whole else "masked" if np.isneginf(source.value).any() else "number"
    return "whole" if whole else "input"


def _number(sheet: Worksheet, place: tuple[int, int], formula: str, value: float, look: Format) -> None:
    """A formula with the number that it comes to, or a number alone. What is not a number is a word."""
    shown = value if isfinite(value) else float(NOTHING) if value < 0 else -float(NOTHING)
    if formula:
        sheet.write_formula(*place, formula, look, "#NUM!" if np.isnan(value) else shown)
    elif np.isnan(value):
        sheet.write_string(*place, "NaN", look)
    else:
        sheet.write_number(*place, shown, look)


def _coloured(sheet: Worksheet, table: Table, value: Array) -> None:
    """Blue below 0, white at 0, orange above: by a rule, so that the colours move with the numbers."""
    first, last = table.place((0,) * len(table.shape)), table.place(tuple(n - 1 for n in table.shape))
    most = float(np.abs(value, where=np.isfinite(value), out=np.zeros(value.shape)).max()) or 1.0
    rule: dict[str, Any] = {"type": "3_color_scale"}
    for which, colour, number in zip(("min", "mid", "max"), LIGHT.scale[2:5], (-most, 0, most), strict=True):
        rule |= {f"{which}_type": "num", f"{which}_value": number, f"{which}_color": colour}
    sheet.conditional_format(*first, *last, rule)


def _plain(text: str) -> str:
    """Without signs that a file of XML can't hold."""
    return "".join(sign if sign.isprintable() and not "\ud800" <= sign <= "\udfff" else " " for sign in text)
