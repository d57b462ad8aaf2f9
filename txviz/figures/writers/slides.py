"""A step or a level as a slide of a talk: its title, its figure, and what to say about it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from txviz.figures.answer import answers
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
from txviz.figures.writers.pptx import Cover, Slide, pptx
from txviz.figures.writers.template import AREA
from txviz.ops import Index
from txviz.trace import Step, Trace


def write(wanted: Export) -> bytes:
    trace, drawing = wanted.trace, find_drawing(wanted.trace)
    slides = (
        _told(slide(each, wanted.preset, wanted.place, wanted.outlined, drawing, block_decimals(trace, each)), wanted)
        if isinstance(each, Step) and wanted.other is None
        else level_slide(each, wanted)
        for each in wanted.watched()
    )
    deck = (each._replace(section=_section(shown, wanted)) for each, shown in zip(slides, wanted.shown, strict=True))
    return pptx(deck, lambda figure: png(figure, wanted.scale), _cover(wanted) if len(wanted.shown) > 1 else None)


def _cover(wanted: Export) -> Cover:
    """What is shown, of which input, and what came out."""
    title, *below = _about(wanted.trace)
    return Cover(title, "\n".join(below), wanted.preset.style.theme.panel)


def _about(trace: Trace) -> list[str]:
    """The model, what it read, and what it said."""
    given, said = trace.about.get("input", ""), answers(trace)(len(trace) - 1).text
    lines = [str(trace.about.get("title") or trace.about.get("model") or "txviz")]
    lines += [f"“{given}”"] if isinstance(given, str) and given else []
    return [*lines, *([said] if said else [])]


def _section(shown: Shown, wanted: Export) -> str:
    """The part of the model that a slide is about, and which layer of it."""
    path = wanted.trace.outline.path_to(shown.name)[1:]
    return " · ".join(node.title for node in path[: 2 if len(path) > 2 and path[1].level == "layer" else 1])


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
