"""The step itself on a page: what it read and what it made."""

from __future__ import annotations

from dataclasses import replace

from txviz.figures.decimals import block_decimals
from txviz.figures.marks import Figure
from txviz.figures.patches import find_drawing
from txviz.figures.scene import Scene
from txviz.figures.stage import stage


def draw(scene: Scene) -> Figure:
    """The step as the window shows it, on a page of its own; with a cell and what it was made from outlined."""
    step, cell = scene.step, scene.cell
    decimals = block_decimals(scene.trace, step)
    shown = stage(step, scene.place, *scene.page, find_drawing(scene.trace), decimals, cell=cell)
    if cell is None:
        return shown.figure
    return replace(shown.figure, marks=(*shown.figure.marks, *shown.outlines(cell, step.explain(cell))))
