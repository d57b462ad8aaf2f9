"""``txviz.figure(step)``: a step as a figure that can be saved, and that a notebook shows by itself."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from txviz.errors import TxvizError
from txviz.figures.comparison import comparison
from txviz.figures.export import Export, content, export
from txviz.figures.formats import DRAWN, FORMATS
from txviz.figures.marks import Figure
from txviz.figures.place import check_place
from txviz.figures.presets import make_page
from txviz.figures.stage import pictures
from txviz.ops import Index
from txviz.trace import Step, Trace


class StepFigure:
    """A step on a page, or what has become of it in another run. ``marks`` has what is drawn, as data."""

    def __init__(self, wanted: Export, other: Step | None) -> None:
        self._wanted, self._other = wanted, other

    @property
    def marks(self) -> Figure:
        wanted, (step, *_) = self._wanted, self._wanted.steps
        if self._other is None:
            return wanted.figure(step)
        preset = wanted.preset
        return comparison(
            step, self._other, wanted.place, preset.width, preset.height, preset.style, pictures(wanted.trace)
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
    step: Step,
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
) -> StepFigure:
    """The step as the window shows it; with ``other``, the same step of another run beside it, and the difference.

    ``view`` is what is shown of it: its "stage", or one of the plots: "attention", "lines", "image", "softmax", …
    ``preset`` is "slide", "paper" or "screen"; ``place`` the head of a larger tensor; ``cell`` is outlined, and so are
    the cells it was made from. ``style`` has ``size`` (of the text), ``scale`` (of the colours), ``title``,
    ``formula``, ``numbers`` and ``labels``.
    """
    check_place(place, [step])
    page = make_page(preset, theme, width, height, **style)
    before = Trace(ancestors(step), {}, step)
    return StepFigure(Export(before, [step], "svg", page, view, place, cell), other)


def ancestors(step: Step) -> list[Step]:
    """The step and all that it was made from, in the order of the computation."""
    found: dict[str, Step] = {}
    waiting = [(step, False)]
    while waiting:
        each, entered = waiting.pop()
        if entered:
            found[each.name] = each
        elif each.name not in found:
            waiting.append((each, True))
            waiting += [(source, False) for source in reversed(each.sources) if isinstance(source, Step)]
    return list(found.values())
