"""A step or a level as a slide of a talk: its title, its figure, and what to say about it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from txviz.figures.answer import answers
from txviz.figures.decimals import block_decimals
from txviz.figures.edited_foot import with_edits
from txviz.figures.fits import check_fits
from txviz.figures.foot import NO_FOOT, Foot
from txviz.figures.job import Export, Shown
from txviz.figures.looks import shape_arithmetic
from txviz.figures.metadata import metadata
from txviz.figures.naming import cell_name
from txviz.figures.pair import remarks
from txviz.figures.patches import Drawing, find_drawing
from txviz.figures.presets import Preset
from txviz.figures.prints import prints
from txviz.figures.remarks.shown import at, shown_at
from txviz.figures.sentences import sentences
from txviz.figures.stage import stage
from txviz.figures.writers.builds import Built, build, named_alike
from txviz.figures.writers.png import png
from txviz.figures.writers.pptx import Cover, Slide, pptx
from txviz.figures.writers.template import AREA
from txviz.ops import Index
from txviz.trace import Step, Trace


def write(wanted: Export) -> bytes:
    several, drawing = len(wanted.shown) > 1, find_drawing(wanted.trace)
    slides = (_fitting(each, wanted, drawing) for each in wanted.watched())
    deck = (each._replace(section=_section(shown, wanted)) for each, shown in zip(slides, wanted.shown, strict=True))
    cover, about = _cover(wanted) if several and wanted.cover else None, metadata(wanted)
    return pptx(deck, lambda figure: png(figure, wanted.scale), cover, morph=several and wanted.builds, about=about)


def _fitting(shown: Shown, wanted: Export, drawing: Drawing | None) -> Slide:
    """On a page that it fits on: one that is too small is refused, as in every other format."""

    def made(page: Preset) -> Slide:
        chosen = replace(wanted, preset=page)
        if isinstance(shown, Step) and not wanted.as_pictures:
            return step_slide(shown, chosen, drawing)
        return level_slide(shown, chosen)

    found, page = made(wanted.preset), replace(wanted.preset, height=_height(wanted.preset))
    if page.fixed and wanted.ready is None:
        check_fits(found.figure, shown.name or "the whole run", page, lambda each: made(each).figure)
    return found


def _cover(wanted: Export) -> Cover:
    """What is shown, of which input, and what came out; of two runs, what each of them is."""
    title, *below = _about(wanted.trace)
    if wanted.pair is not None:
        below = [f"{name}: {told}" for name, told in zip("AB", wanted.pair.told, strict=True)]
    return Cover(title, "\n".join(below), wanted.preset.style.theme.panel)


def _about(trace: Trace) -> list[str]:
    """The model, what it read, and what it said."""
    title = str(trace.about.get("title") or trace.about.get("model") or "txviz")
    return list(filter(None, (title, _input(trace), answers(trace)(len(trace) - 1).text)))


def _input(trace: Trace) -> str:
    """The sentence that was read; the numbers of an image say nothing."""
    given = trace.about.get("input")
    return f"“{given}”" if isinstance(given, str) and given and find_drawing(trace) is None else ""


def _section(shown: Shown, wanted: Export) -> str:
    """The part of the model that a slide is about, and which layer of it."""
    path = wanted.trace.outline.path_to(shown.name)[1:]
    return " · ".join(node.title for node in path[: 2 if len(path) > 2 and path[1].level == "layer" else 1])


def step_slide(step: Step, wanted: Export, drawing: Drawing | None = None) -> Slide:
    """With what was changed by hand in the run. One slide alone is built up only around a cell that was chosen."""
    cell, place, page = wanted.outlined, wanted.place, replace(wanted.preset, height=_height(wanted.preset))
    builds = wanted.builds and (len(wanted.shown) > 1 or cell is not None)
    if cell is None and builds and step.sources:
        cell = cell_to_explain(step, place)
    below = replace(wanted.only(step), cell=cell, preset=page).foot(step)
    decimals = block_decimals(wanted.trace, step)
    made = slide(step, wanted.preset, place, cell, drawing, decimals, builds=builds, below=below)
    figure = with_edits(made.figure, wanted.trace, wanted.preset.style)
    return made._replace(title=wanted.full_title(step), figure=figure, notes=_noted(made.notes, step, wanted))


def _noted(notes: str, shown: Shown, wanted: Export) -> str:
    """With the caption, for who reads the notes alone."""
    return "\n".join(filter(None, (wanted.filled(wanted.caption, shown), notes)))


def level_slide(shown: Shown, wanted: Export) -> Slide:
    """The picture of a level, with why it is there for the speaker; or a step of two runs."""
    preset = wanted.preset
    page = replace(preset, height=_height(preset), style=replace(preset.style, title=False))
    picture = replace(wanted, preset=page).picture(shown)
    said = notes(shown, wanted.place, wanted.outlined) if isinstance(shown, Step) else str(shown.why)
    if wanted.other is None and picture.title and not isinstance(preset.style.title, str):
        title = picture.title
    else:
        opens = not shown.name and not wanted.cover and wanted.other is None
        title = ": ".join(filter(None, (wanted.full_title(shown), _input(wanted.trace) if opens else "")))
    return Slide(title, picture.figure, _noted("\n".join([*_both(shown, wanted), said]), shown, wanted))


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
    *,
    builds: bool = False,
    below: Foot = NO_FOOT,
) -> Slide:
    """The step with its leading axes at ``place``; a ``cell`` is outlined, with what it was made from. ``below`` stands
    below the figure. With ``builds`` all that comes one click after the other."""
    look = replace(preset.style, title=False)
    made = stage(step, place, preset.width, below.room(_height(preset)), look, drawing, decimals, cell=cell)
    marks = named_alike(made.figure.marks, made) if builds else made.figure.marks
    figure = below.below(replace(made.figure, marks=marks))
    built = Built(figure) if cell is None else build(made, figure, cell)
    return Slide(step.heading, built.figure, notes(step, place, cell), clicks=built.clicks if builds else ())


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
    """A cell worth working out where none was chosen: the one furthest from 0 of the matrix that is shown.

    A weight of 1, of a token that sees nothing but itself, is worked out only where there is no other.
    """
    if not step.value.size:
        return None
    shown = shown_at(step, place)
    sizes = np.abs(np.where(np.isfinite(shown.value), shown.value, 0).astype(float))
    if step.op == "softmax" and (sizes % 1).any():
        sizes = sizes % 1
    return (*shown.place, *at(sizes))
