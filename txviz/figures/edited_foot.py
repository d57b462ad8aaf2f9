"""At the foot of a figure, in its margin: what was changed by hand in the run that it shows."""

from __future__ import annotations

from dataclasses import replace

from txviz.figures import fonts
from txviz.figures.marks import Figure, Group, Text
from txviz.figures.style import MARGIN, Style
from txviz.trace import Trace

SIZE, LARGEST = 0.85, 12.0
"""By the size of the text; it has to stay inside the margin."""

LONGEST = 1000
"""Letters; no figure has room for more."""


def with_edits(figure: Figure, trace: Trace, style: Style) -> Figure:
    """The figure as it is where nothing was changed by hand."""
    if not trace.edited_text:
        return figure
    size = min(style.size * SIZE, LARGEST)
    told = fonts.elided(trace.edited_text[:LONGEST], size, figure.width - 2 * MARGIN)
    foot = Text(MARGIN, figure.height - MARGIN / 3, told, size, style.theme.muted)
    return replace(figure, marks=(*figure.marks, Group("edited", (foot,))))
