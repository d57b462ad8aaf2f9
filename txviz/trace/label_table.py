"""The labels of all axes of a trace file, each of them once: many steps have the same tokens or vocabulary."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from txviz.errors import TxvizError

Row: TypeAlias = tuple[str, ...]


class LabelTable:
    """Filled while the steps are described."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self._numbers: dict[Row, int | None] = {}

    def number(self, labels: Row) -> int | None:
        """Which row these labels are; None where they only count."""
        if labels not in self._numbers:
            counts = labels == tuple(map(str, range(len(labels))))
            self._numbers[labels] = None if counts else len(self.rows)
            self.rows += [] if counts else [labels]
        return self._numbers[labels]


def labels_of(found: Any, rows: Sequence[Row]) -> Row:
    """Those of a row of the table, or, in older files, those that stand here."""
    if not isinstance(found, int):
        return tuple(found)
    if not 0 <= found < len(rows):
        raise TxvizError(f"the labels of a step are row {str(found)[:20]} of a table that has {len(rows)}")
    return rows[found]
