"""``txviz.figure(step)``: a step or a level as a figure that can be saved, and that a notebook shows by itself."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from txviz.errors import TxvizError
from txviz.figures.comparison import comparison
from txviz.figures.export import Export, content, export
from txviz.figures.formats import DRAWN, FORMATS
from txviz.figures.job import Shown
from txviz.figures.marks import Figure
from txviz.figures.patches import find_drawing
from txviz.figures.place import check_place
from txviz.figures.presets import make_page
from txviz.ops import Index
from txviz.trace import Step, Trace
from txviz.trace.ancestors import ancestors
from txviz.trace.outline import Node


class SavableFigure:
    """A step or a level on a page, or a step beside itself in another run. ``marks`` has what is drawn, as data."""

    def __init__(self, wanted: Export, other: Step | None) -> None:
        self._wanted, self._other = wanted, other

    @property
    def marks(self) -> Figure:
        wanted = self._wanted
        if self._other is None:
            return wanted.figure(wanted.shown[0])
        preset, (step, *_) = wanted.preset, wanted.steps
        return comparison(
            step, self._other, wanted.place, preset.width, preset.height, preset.style, find_drawing(wanted.trace)
        )

    def save(self, path: str | Path, **how: Any) -> None:
        """Writes a file of the kind that the path's ending says: svg, png, pdf, pptx, …"""
        path = Path(path)
        ending = path.suffix.lower().removeprefix(".")
        wanted = replace(self._wanted, format=ending, **how)
        if ending not in FORMATS:
            raise TxvizError(f"{path} has no ending that is known; it can be {', '.join(FORMATS)}")
        if self._other is not None and ending not in DRAWN:
            raise TxvizError(f"a comparison can be written as {', '.join(DRAWN)}, not as {ending}")
        export(wanted if self._other is None else replace(wanted, ready=self.marks), path)

    def _repr_png_(self) -> bytes:
        return content(replace(self._wanted, format="png", ready=self.marks))

    def _repr_svg_(self) -> str:
        return content(replace(self._wanted, format="svg", ready=self.marks)).decode()


def figure(
    shown: Step | Node | Trace,
    other: Step | None = None,
    *,
    view: str = "stage",
    preset: str = "slide",
    theme: str | None = None,
    place: Index = (),
    cell: Index | None = None,
    width: float | None = None,
    height: float | None = None,
    **style: Any,
) -> SavableFigure:
    """A step as the window shows it; with ``other``, the same step of another run beside it, and the difference.

    Of a trace it is the map; of a node of its outline, the picture of that block, layer or part.
    ``view`` is what is shown of a step: its "stage", or one of the plots: "attention", "lines", "image", "softmax", …;
    of a node it is one of ``node.pictures``.
    ``preset`` is "slide", "paper" or "screen"; ``place`` the head of a larger tensor; ``cell`` is outlined, and so are
    the cells it was made from. ``style`` has ``size`` (of the text), ``scale`` (of the colours), ``title``,
    ``formula``, ``numbers`` and ``labels``.
    """
    trace, what = _run_of(shown)
    check_place(place, [what] if isinstance(what, Step) else what.steps)
    if isinstance(what, Node) and (other is not None or cell is not None):
        raise TxvizError(f"{what.name or 'the whole run'} is no step; only a step has cells and can be compared")
    page = make_page(preset, theme, width, height, **style)
    return SavableFigure(Export(trace, [what], "svg", page, view, place, cell), other)


def _run_of(shown: Step | Node | Trace) -> tuple[Trace, Shown]:
    """What is to be drawn, with the steps that its picture needs."""
    if isinstance(shown, Trace):
        return shown, shown.outline
    if isinstance(shown, Node) and shown.children:
        return Trace(shown.run, shown.about, ""), shown
    step = shown.first if isinstance(shown, Node) else shown
    return Trace(ancestors(step), {}, step), step
