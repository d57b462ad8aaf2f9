"""``txviz.figure(step)``: a step as a figure that can be saved, and that a notebook shows by itself."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from txviz.errors import TxvizError
from txviz.figures.export import Export, export, step_figure
from txviz.figures.formats import FORMATS
from txviz.figures.marks import Figure
from txviz.figures.presets import PRESETS, THEMES, Preset
from txviz.ops import Index
from txviz.trace import Step, Trace


class StepFigure:
    """A step on a page. ``marks`` has what is drawn, as data."""

    def __init__(self, step: Step, preset: Preset, place: Index, cell: Index | None) -> None:
        self.step, self.preset, self.place, self.cell = step, preset, place, cell

    @property
    def marks(self) -> Figure:
        return step_figure(self.step, self.preset, self.place, self.cell, self._trace)

    def save(self, path: str | Path, **how: Any) -> None:
        """Writes a file of the kind that the path's ending says: svg, png, pdf, pptx, …"""
        path = Path(path)
        ending = path.suffix.lower().removeprefix(".")
        if ending not in FORMATS:
            raise TxvizError(f"{path} has no ending that is known; it can be {', '.join(FORMATS)}")
        export(Export(self._trace, [self.step], ending, self.preset, self.place, self.cell, **how), path)

    @property
    def _trace(self) -> Trace:
        """The steps that this one was made from, which is all that its figure needs."""
        return Trace(ancestors(self.step), {}, self.step)

    def _repr_png_(self) -> bytes:
        from txviz.figures.writers.png import png

        return png(self.marks)

    def _repr_svg_(self) -> str:
        from txviz.figures.writers.svg import svg

        return svg(self.marks)


def figure(
    step: Step,
    *,
    preset: str = "slide",
    theme: str | None = None,
    place: Index = (),
    cell: Index | None = None,
    width: float | None = None,
    height: float | None = None,
    **style: Any,
) -> StepFigure:
    """The step as the window shows it.

    ``preset`` is "slide", "paper" or "screen"; ``place`` the head of a larger tensor; ``cell`` is outlined, and so are
    the cells it was made from. ``style`` has ``size`` (of the text), ``scale`` (of the colours), ``title``,
    ``formula``, ``numbers`` and ``labels``.
    """
    chosen = choose_preset(preset, theme)
    sized = replace(chosen, width=width or chosen.width, height=height or chosen.height)
    return StepFigure(step, replace(sized, style=replace(sized.style, **style)), place, cell)


def choose_preset(preset: str, theme: str | None) -> Preset:
    if preset not in PRESETS:
        raise TxvizError(f'no preset is called "{preset}"; there are {", ".join(PRESETS)}')
    if theme is None:
        return PRESETS[preset]
    if theme not in THEMES:
        raise TxvizError(f'no theme is called "{theme}"; there are {", ".join(THEMES)}')
    return PRESETS[preset].themed(THEMES[theme])


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
