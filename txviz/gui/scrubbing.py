"""Dragging a cell up and down: its value follows the pointer, and everything after it follows the value.

Only the last move counts while a run is computed. All of a drag is undone as one, and Esc takes it back.
"""

from __future__ import annotations

from math import log10
from time import monotonic

import numpy as np
from PySide6.QtCore import QObject, QTimer

from txviz.figures.selection import Selection, Target, selections
from txviz.figures.theme import largest
from txviz.gui.computing import Computing
from txviz.gui.inputs.edits import Listed
from txviz.gui.inputs.panel import InputPanel
from txviz.gui.session import Session
from txviz.models.request import Request
from txviz.trace.editor import words_of

PER_TENSOR = 100
"""Pixels for about as much as the largest number of the tensor."""

LATER, LATEST = 60, 0.4
"""Milliseconds without a move, and seconds with many, after which all that is not the stage follows: it would keep the
stage waiting."""

PER_WORD = 12
"""Pixels from one word, or whole number, to the next."""


def dragged_value(cell: Selection, up: float, fine: bool) -> str:
    """What a cell has after a drag of so many pixels, with as many decimals as a pixel is worth."""
    start = cell.values
    if start.dtype.kind != "f":
        words = words_of(cell.source)
        number = max(0, int(start) + round(up / PER_WORD))
        return words[min(number, len(words) - 1)] if words else str(number)
    power = round(log10(largest(cell.source.value) / PER_TENSOR)) - (1 if fine else 0)
    begin = float(start) if np.isfinite(start) else 0.0
    return str(round(begin + round(up) * 10.0**power, max(0, -power)))


class Scrubbing(QObject):
    def __init__(self, session: Session, panel: InputPanel, computing: Computing) -> None:
        super().__init__(computing)
        self._session, self._panel, self._computing = session, panel, computing
        self._cell: Selection | None = None
        self._before: tuple[Listed, ...] = ()
        self._origin: Request | None = None
        self._waiting = False
        computing.finished.connect(self._go_on)
        computing.failed.connect(self._go_on)
        self._moving_since = 0.0
        self._later = QTimer(self, singleShot=True)
        self._later.timeout.connect(session.tell_trace)
        session.numbers_changed.connect(self._tell_later)
        session.trace_changed.connect(self._later.stop)

    @property
    def active(self) -> bool:
        return self._cell is not None

    @property
    def owing(self) -> bool:
        """Whether the stage shows numbers that all else has not been told of."""
        return self._later.isActive()

    def start(self, target: Target) -> None:
        self._cell = selections(target)[0]
        self._before, self._origin = self._panel.page.edits.listed, self._panel.request()

    def move(self, up: float, fine: bool) -> None:
        if self._cell is None:
            return
        edits = self._panel.page.edits
        edit = self._cell.set_to(dragged_value(self._cell, up, fine))
        edits.show_list(edits.with_edit(edit) if round(up) else self._before)
        if self._computing.background.busy:
            self._waiting = True
        else:
            self._computing.compute_live(self._panel.request())

    def end(self, keep: bool) -> None:
        """Computed once more, as what can be undone; or what was there before."""
        if self._cell is None:
            return
        if not keep:
            self._panel.page.edits.show_list(self._before)
        request = self._panel.request()
        self._cell, self._waiting = None, False
        self._session.end_burst()
        self._computing.compute(request, remember=keep and request != self._origin)

    def _go_on(self) -> None:
        if self._waiting and self._cell is not None:
            self._waiting = False
            self._computing.compute_live(self._panel.request())

    def _tell_later(self) -> None:
        """When the pointer rests, or has moved for a while."""
        if not self._later.isActive():
            self._moving_since = monotonic()
        if monotonic() - self._moving_since < LATEST:
            self._later.start(LATER)
