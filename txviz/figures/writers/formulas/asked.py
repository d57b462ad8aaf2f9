"""Which cell is to be written, and how what it reads is named."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from txviz.figures.writers.sheets import Table
from txviz.ops import Index
from txviz.ops.base import seen_from
from txviz.trace import Step

NOTHING = "-1E+300"
"""What stands for −∞, which a spreadsheet does not have: nothing is left of it after a softmax."""


def literal(number: float) -> str:
    """As a spreadsheet writes it: 1E-05."""
    return repr(float(number)).upper()


@dataclass(frozen=True)
class Asked:
    """Which cell of a step is to be written, and where what it reads stands."""

    step: Step
    index: Index
    tables: tuple[Table, ...]

    @property
    def params(self) -> Any:
        return self.step.params

    def cell(self, which: int) -> str:
        """The cell of a source that stands, or broadcasts, in the place of this one."""
        table = self.tables[which]
        return table.cell(seen_from(self.index, table.shape))

    def at(self, which: int, index: Index) -> str:
        return self.tables[which].cell(index)

    def row(self, which: int) -> str:
        """The numbers beside that one: its whole row."""
        table = self.tables[which]
        return table.row(seen_from(self.index[:-1], table.shape[:-1]))

    def given(self, which: int) -> bool:
        """Whether it has so many sources: a gain and a bias can be left out."""
        return which < len(self.tables)

    def reads(self, which: int = 0) -> list[str]:
        """The cells of a source that this one is made from; those that stand below each other as one."""
        read = self.step.operation.reads(self.index, *self.step.operands, **self.step.params)
        return self.tables[which].cells(read[which])

    def unless(self, which: int, index: Index, number: int | None, formula: str) -> str:
        """The formula; 0 where a token or a label is the one that does not count."""
        return formula if number is None else f"IF({self.at(which, index)}={number},0,{formula})"
