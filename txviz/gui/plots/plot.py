"""What a plot is: a widget that shows one thing about the current step, and asks to be taken elsewhere."""

from __future__ import annotations

from typing import ClassVar

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from txviz.figures.marks import Figure
from txviz.figures.style import Style
from txviz.figures.theme import Theme
from txviz.ops import Index
from txviz.trace import Step, Trace


class Plot(QWidget):
    """A live plot beside the stage. It shows and requests; it never changes where the user is.

    The panel calls ``show_step`` only where ``steps`` says that there is something to show.
    """

    title: ClassVar[str]
    """One word, for the tab."""

    comes: ClassVar[str]
    """From where on there is something to show, as the end of "Comes …"."""

    cell_requested = Signal(object)
    """The pointer is over this cell of the step (a full index), or over none (None)."""

    place_requested = Signal(object)
    """Go to this index of the leading axes: (3,) is head 3."""

    step_requested = Signal(str)
    """Go to the step of this name."""

    cell_chosen = Signal(str, object)
    """Go to the step of this name, and keep this cell of it (a full index) on show."""

    @classmethod
    def steps(cls, trace: Trace, step: Step) -> tuple[Step, ...]:
        """Which steps it shows at a step, none where there is nothing: see ``figures.views.nearest``."""
        raise NotImplementedError

    def show_step(self, trace: Trace, step: Step, place: Index, theme: Theme) -> None:
        """Shows the step; ``place`` is the index of its leading axes: (2,) is head 2, () where there are none."""
        raise NotImplementedError

    def forget(self) -> None:
        """Lets go of the trace, which is no longer shown: it may be large, and the plot behind others for long."""
        raise NotImplementedError

    def show_cell(self, index: Index | None) -> None:
        """Marks what belongs to this output cell of the step, a full index; None marks nothing."""
        raise NotImplementedError

    def figure(self, width: float, height: float, style: Style) -> Figure | None:
        """What is shown now as a figure of this size, for a file; None before anything is shown."""
        raise NotImplementedError
