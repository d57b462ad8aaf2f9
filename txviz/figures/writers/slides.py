"""A step or a level as a slide of a talk: its title, its figure, and what to say about it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from txviz.figures.decimals import block_decimals
from txviz.figures.edited_foot import with_edits
from txviz.figures.job import Export, Shown
from txviz.figures.looks import shape_arithmetic
from txviz.figures.marks import Group
from txviz.figures.naming import cell_name
from txviz.figures.pair import remarks
from txviz.figures.patches import Drawing, find_drawing
from txviz.figures.presets import Preset
from txviz.figures.prints import prints
from txviz.figures.remarks.shown import at, shown_at
from txviz.figures.sentences import sentences
from txviz.figures.stage import stage
from txviz.figures.writers.png import png
from txviz.figures.writers.pptx import Slide, pptx
from txviz.figures.writers.template import AREA
from txviz.ops import Index
from txviz.trace import Step


def write(wanted: Export) -> bytes:
    trace, drawing = wanted.trace, find_drawing(wanted.trace)
    slides = (
        _told(slide(each, wanted.preset, wanted.place, wanted.outlined, drawing, block_decimals(trace, each)), wanted)
        if isinstance(each, Step) and wanted.other is None
        else level_slide(each, wanted)
        for each in wanted.watched()
    )
    return pptx(slides, lambda figure: png(figure, wanted.scale))


def _told(made: Slide, wanted: Export) -> Slide:
    """With what was changed by hand in the run."""
    return made._replace(figure=with_edits(made.figure, wanted.trace, wanted.preset.style))


def level_slide(shown: Shown, wanted: Export) -> Slide:
    """The picture of a level, with why it is there for the speaker; or a step of two runs."""
    preset = wanted.preset
    page = replace(preset, height=_height(preset), style=replace(preset.style, title=False))
    figure = replace(wanted, preset=page).picture(shown).figure
    said = notes(shown, wanted.place, wanted.outlined) if isinstance(shown, Step) else str(shown.why)
    return Slide(wanted.title(shown), figure, "\n".join([*_both(shown, wanted), said]))


def _both(shown: Shown, wanted: Export) -> list[str]:
    """What A and B are, and what there is to say about both."""
    if wanted.pair is None:
        return []
    told = "A: {}. B: {}.".format(*wanted.pair.told)
    return [told, *(remarks(wanted.pair.of_a(shown), shown) if isinstance(shown, Step) else [])]


def _height(preset: Preset) -> float:
    """What is as wide as the page fills the slide below its title."""
    return preset.width * AREA[3] / AREA[2]


def slide(
    step: Step,
    preset: Preset,
    place: Index = (),
    cell: Index | None = None,
    drawing: Drawing | None = None,
    decimals: int | None = None,
) -> Slide:
    """The step with its leading axes at ``place``; a ``cell`` is outlined, with all that it was made from."""
    look = replace(preset.style, title=False)
    shown = stage(step, place, preset.width, _height(preset), look, drawing, decimals)
    figure = shown.figure
    if cell is not None:
        around = Group("cell", shown.outlines(cell, step.explain(cell)))
        figure = replace(figure, marks=(*figure.marks, around))
    return Slide(step.title, figure, notes(step, place, cell))


def notes(step: Step, place: Index = (), cell: Index | None = None) -> str:
    """For the speaker, a paragraph on each line: the step in words, a guide's prints, its shapes, one cell."""
    lines = [" ".join(sentences(step, place))]
    lines += [f"{verdict.mark} {verdict.text}" for verdict in prints(step)]
    lines.append(f"Shapes: {shape_arithmetic(step)}")
    worked = cell if cell is not None else cell_to_explain(step, place)
    if worked is not None:
        lines.append(f"{cell_name(step, worked)} = {step.explain(worked).text}")
    return "\n".join(lines)


def cell_to_explain(step: Step, place: Index = ()) -> Index | None:
    """A cell worth working out where none was chosen: the one furthest from 0 of the matrix that is shown."""
    if not step.value.size:
        return None
    shown = shown_at(step, place)
    return (*shown.place, *at(np.abs(np.where(np.isfinite(shown.value), shown.value, 0).astype(float))))
