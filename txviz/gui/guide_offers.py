"""Where a guide has other numbers than the model gives: they can be put in with one click."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from txviz.errors import TxvizError
from txviz.figures.selection import Selection
from txviz.gui.session import Session
from txviz.models.request import Request, guide_numbers
from txviz.ops import Array
from txviz.trace import Step, Trace
from txviz.trace.editor import GuideNumbers
from txviz.trace.step import Parameter, index_of, right
from txviz.trace.symbols import labels


class GuideOffers:
    def __init__(self, session: Session) -> None:
        self._session = session
        self._known: tuple[Trace, GuideNumbers] | None = None

    def among(self, steps: Sequence[Step]) -> list[tuple[str, str]]:
        """The steps that a guide has other numbers for, by name, and what these are called: ``[CLS]``."""
        numbers = self._numbers()
        there = [step for step in steps if step.name in numbers] if numbers else []
        return [(step.name, self._called(step)) for step in there if self._differs(step).any()]

    def label(self, part: Selection) -> str:
        """The same of some cells of a step."""
        there = isinstance(part.source, Step) and self._differs(part.source)[index_of(part.place)].any()
        return self._called(part.source) if there else ""

    def _called(self, source: Step | Parameter) -> str:
        return labels(source.site)[-1]

    def _differs(self, step: Step) -> Array:  # true where the guide has another number
        found = np.zeros(step.value.shape, dtype=bool)
        for at, given in self._numbers().get(step.name, ()):
            found[at] |= ~right(np.array(given, dtype=float), step.value[at])
        return found

    def _numbers(self) -> GuideNumbers:
        """Looked up once for each run."""
        trace = self._session.trace
        if self._known is None or self._known[0] is not trace:
            try:
                self._known = trace, guide_numbers(Request.of_trace(trace))
            except TxvizError:
                self._known = trace, {}
        return self._known[1]
