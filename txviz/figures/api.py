"""``txviz.figure(step)``: a step or a level as a figure that can be saved, and that a notebook shows by itself."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from txviz.errors import TxvizError
from txviz.figures.export import Export, content, export
from txviz.figures.formats import FORMATS
from txviz.figures.job import Shown
from txviz.figures.marks import Figure
from txviz.figures.metadata import metadata
from txviz.figures.pair import SIDES, Sides
from txviz.figures.place import check_place, place_of_cell
from txviz.figures.presets import make_page
from txviz.figures.settings import Settings
from txviz.ops import Index
from txviz.trace import Step, Trace
from txviz.trace.ancestors import ancestors
from txviz.trace.outline import Node


class SavableFigure:
    """A step or a level on a page, of one run or of two. ``marks`` has what is drawn, as data."""

    def __init__(self, wanted: Export) -> None:
        self._wanted = wanted

    @property
    def marks(self) -> Figure:
        return self._wanted.figure(self._wanted.shown[0])

    def save(self, path: str | Path, **how: Any) -> None:
        """Writes a file of the kind that the path's ending says: svg, png, pdf, pptx, …"""
        path = Path(path)
        ending = path.suffix.lower().removeprefix(".")
        if ending not in FORMATS:
            raise TxvizError(f"{path} has no ending that is known; it can be {', '.join(FORMATS)}")
        export(replace(self._wanted, format=ending, **how), path)

    def _repr_png_(self) -> bytes:
        return content(replace(self._wanted, format="png"))

    def _repr_svg_(self) -> str:
        return content(replace(self._wanted, format="svg")).decode()

    def _repr_html_(self) -> str:
        """As wide as the cell of a notebook, up to its own width; an image, so that ids of two figures never meet."""
        drawn = self._repr_svg_()
        width = ElementTree.fromstring(drawn).get("width")
        about = metadata(self._wanted)
        says = escape(". ".join(filter(None, (about.title.rstrip("."), about.description))))
        data = b64encode(drawn.encode()).decode()
        style = f"width: 100%; max-width: {width}px; height: auto"
        return f'<img alt="{says}" style="{style}" src="data:image/svg+xml;base64,{data}">'


def figure(
    shown: Step | Node | Trace,
    other: Step | Node | Trace | None = None,
    *,
    sides: Sides = "all",
    view: str = "stage",
    preset: str = "slide",
    theme: str | None = None,
    place: Index = (),
    cell: Index | None = None,
    token: int | None = None,
    width: float | None = None,
    height: float | None = None,
    caption: str = Settings.caption,
    provenance: bool = Settings.provenance,
    **style: Any,
) -> SavableFigure:
    """A step as the window shows it. Of a trace it is the map; of a node of its outline, the picture of that block,
    layer or part.

    With ``other``, the same of another run: ``shown`` is A, ``other`` is B, and what differs is outlined. ``sides`` is
    "all" (A, B and B − A), "a", "b" or "difference".
    ``view`` is what is shown of a step: its "stage", or one of the plots: "attention", "lines", "image", "softmax", …;
    of a node it is one of ``node.pictures``.
    ``preset`` is "slide", "paper", "column", "text-width", "poster" or "screen"; ``place`` the head of a larger tensor;
    ``token`` is the place of the token that the answers after each layer are about.
    ``cell`` is outlined, and so are the cells it was made from, and its arithmetic stands below. So does a ``caption``,
    and with ``provenance`` how many steps replay. ``style`` has ``size`` (of the text), ``title`` (whether there is
    one, or a text), ``formula``, ``numbers``, ``labels``, and ``scale``: where the colours end. "auto" is one scale for
    what is added, copied or compared, "shared" one for all, "each" one for every tensor, and (-1, 2) or "fixed:-1,2"
    has the given ends.
    """
    trace, what = _run_of(shown if other is None else other)
    check_place(place, [what] if isinstance(what, Step) else what.steps)
    if isinstance(what, Node) and cell is not None:
        raise TxvizError(f"{what.name or 'the whole run'} is no step; only a step has cells")
    page = make_page(preset, theme, width, height, **style)
    if isinstance(what, Step) and cell is not None:
        place = place or place_of_cell(what, cell)
    wanted = Export(trace, [what], "svg", page, view, place, cell, token=token, caption=caption, provenance=provenance)
    if other is None:
        return SavableFigure(wanted)
    a, beside = _run_of(_renamed(shown, what))
    if isinstance(beside, Step) != isinstance(what, Step):
        raise TxvizError("a step can be compared with a step, and a level or a trace with another; give two of a kind")
    if sides not in SIDES:
        raise TxvizError(f'the sides are "{sides}"; they can be {", ".join(SIDES)}')
    return SavableFigure(replace(wanted, other=a, sides=sides))


def _renamed(a: Step | Node | Trace, b: Shown) -> Step | Node | Trace:
    """Two steps that somebody wants to compare are compared, whatever they are called."""
    return replace(a, name=b.name) if isinstance(a, Step) and isinstance(b, Step) else a


def _run_of(shown: Step | Node | Trace) -> tuple[Trace, Shown]:
    """What is to be drawn, with the steps that its picture needs."""
    if isinstance(shown, Trace):
        return shown, shown.outline
    if isinstance(shown, Node) and shown.children:
        return Trace(shown.run, shown.about, ""), shown
    step = shown.first if isinstance(shown, Node) else shown
    return Trace(ancestors(step), step.about, step), step
