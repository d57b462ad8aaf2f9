"""Figures to write: of some steps of a trace in all themes, of every kind of mark, and of words that make trouble."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

import txviz
from txviz.figures.marks import Box, Figure, Group, Heat, Line, Shape, Text
from txviz.figures.patches import find_drawing
from txviz.figures.presets import PAPER_COLUMN, SCREEN, SLIDE, Preset
from txviz.figures.stage import Stage, stage
from txviz.figures.theme import DARK
from txviz.trace import Trace

PRESETS = (SCREEN, SLIDE.themed(DARK), PAPER_COLUMN)
STRANGE = (
    *("<b>&\"'", "]]>", "😀👩🏽", "مرحبا", "你好，世界", "e\u0301", " two  spaces ", "%()\\{}$_^~#"),
    "Donaudampfschifffahrt" * 4,
)


def shown(trace: Trace, name: str, preset: Preset = SCREEN, place: tuple[int, ...] = ()) -> Stage:
    return stage(trace[name], place, preset.width, preset.height, preset.style, find_drawing(trace))


def some(trace: Trace) -> Iterator[Figure]:
    """Three steps from the whole of a trace, each in another theme."""
    for k, preset in enumerate(PRESETS):
        yield shown(trace, trace[len(trace) * (2 * k + 1) // 6].name, preset).figure


def one(trace: Trace) -> Figure:
    """One of those, in another theme from model to model: for the slow programs."""
    return list(some(trace))[len(trace) % len(PRESETS)]


def scores() -> Figure:
    """With a cell that is pointed at."""
    trace = txviz.trace("sentence-guide", "The cat sat.")
    made = shown(trace, "encoder.0.attention.scores")
    outlines = made.outlines((0, 2, 4), made.step.explain((0, 2, 4)))
    return replace(made.figure, marks=(*made.figure.marks, Group("cell", outlines)))


def masked(preset: Preset = SCREEN) -> Figure:
    trace = txviz.trace("masked-attention-guide", "YOUR CAT IS A LOVELY CAT")
    return shown(trace, "decoder.0.self_attention.masked", preset).figure


def large() -> Figure:
    """More cells than are drawn one by one."""
    colours = np.random.default_rng(0).integers(0, 256, (60, 50, 3), dtype=np.uint8)
    cells = Heat(10, 10, 3.5, 2.5, 60, 50, colours.tobytes(), infinite=bytes((1, 1, *[0] * 2997, 1)))
    return Figure(200, 180, "#ffffff", (cells,))


def every_mark() -> Figure:
    curved = (("M", (0.0, 0.0)), ("L", (9.0, 0.0)), ("Q", (9.0, 5.0, 5.0, 9.0)), ("C", (4.0, 9.0, 1.0, 4.0, 0.0, 0.0)))
    red_and_blue = bytes((255, 0, 0, 0, 0, 255))
    cells = Heat(10, 70, 20, 15, 1, 2, red_and_blue, b"\0\1", "#00ff00", ("1", "−∞"), bytes((0, 1)), text_size=9)
    marks = (
        Box(10, 10, 40, 20, fill="#ff8000", stroke="#0000ff", stroke_width=2, radius=4),
        Box(60, 10, 40, 20, hatch="#808080"),
        Line(10, 40, 190, 40, "#008000", 3),
        Group("words", (Text(100, 60, "middle", 12.5, "#101010", "middle", bold=True),)),
        Group("words", (Text(190, 60, "end", 9, "#101010", "end", mono=True),)),
        Text(120, 110, "turned", 12, "#101010", turn=60),
        cells,
        Shape(150, 80, 2, (*curved, ("Z", ())), "#800080"),
    )
    return Figure(200, 120, "#fffff0", marks)


def strange() -> Figure:
    texts = (Text(20, 30 + 24 * k, word, 14, "#1b2330") for k, word in enumerate(STRANGE))
    return Figure(400, 260, "#ffffff", tuple(Group(text.text, (text,)) for text in texts))
