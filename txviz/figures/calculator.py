"""What a vision transformer of any size would cost: a picture in its patches, the arithmetic, and how it grows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import ceil, floor, log10

import numpy as np

from txviz.analysis.cost import Design
from txviz.figures import fonts
from txviz.figures.marks import Box, Figure, Heat, Line, Mark, Text
from txviz.figures.numerals import short_count
from txviz.figures.style import Style
from txviz.figures.views.axes import Ticks, axes
from txviz.figures.views.page import LINE, Area, Page, rows_of
from txviz.ops import Array

IMAGE, NUMBERS, GAP = 0.26, 0.36, 2.2
"""How much of the width the picture and the numbers take; the room between, by the size of the text."""

PIXELS = 48
"""The picture is drawn with so many pixels across, however many it stands for."""

MOST_LINES = 60
"""More patches than these in a row would leave nothing of the picture."""


def calculator(design: Design, width: float, height: float, style: Style | None = None) -> Figure:
    """The whole page for a design; where it can't be built, the sentence that says why."""
    page = Page(width, height, style)
    page.title("What would it cost?")
    problem = design.problem()
    if problem:
        page.paragraph(problem)
        return page.figure()
    page.caption(
        "Half the patch size makes four times as many tokens, and sixteen times as many cells of attention: "
        "they grow with the square of the tokens. Attention takes O(N² d): "
        f"{design.patches}² · {design.d} = {design.patches**2 * design.d:,}."
    )
    _Sheet(design, page).draw()
    return page.figure()


@dataclass(frozen=True, eq=False)
class _Sheet:
    design: Design
    page: Page

    def draw(self) -> None:
        area, gap = self.page.left, GAP * self.page.style.size
        image = area._replace(width=area.width * IMAGE)
        numbers = area._replace(x=image.right + gap, width=area.width * NUMBERS - gap)
        charts = area._replace(x=numbers.right + gap, width=area.right - numbers.right - gap)
        self.page.add("picture", self._picture(image))
        self.page.add("numbers", self._numbers(numbers))
        half = charts.height / 2
        upper, lower = charts._replace(height=half), charts._replace(y=charts.y + half, height=half)
        self.page.add("by patch size", self._by_patch(upper))
        self.page.add("by image size", self._by_image(lower))

    # the picture

    def _picture(self, room: Area) -> list[Mark]:
        size, colours = self.page.style.size, self.page.style.theme
        side = min(room.width, room.height - size * LINE * 2)
        area = Area(room.x, room.y + (room.height - side - size * LINE * 2) / 2, side, side)
        cell, count = side / PIXELS, self.design.image // self.design.patch
        marks: list[Mark] = [Heat(area.x, area.y, cell, cell, PIXELS, PIXELS, rows_of(_landscape()))]
        if count <= MOST_LINES:
            for i in range(1, count):
                at = i * side / count
                marks.append(Line(area.x + at, area.y, area.x + at, area.bottom, colours.panel, 0.8))
                marks.append(Line(area.x, area.y + at, area.right, area.y + at, colours.panel, 0.8))
        marks.append(area.box(colours.line))
        image, patch = self.design.image, self.design.patch
        said = [f"{image}×{image} pixels", f"{count}×{count} patches of {patch}×{patch}"]
        for i, text in enumerate(said):
            y = area.bottom + size * LINE * (i + 1)
            marks.append(Text(area.x, y, fonts.elided(text, size, room.width), size, colours.muted))
        return marks

    # the numbers

    @cached_property
    def lines(self) -> list[tuple[str, str, str]]:
        """What it is, how it is worked out, and what it comes to."""
        design, cost = self.design, self.design.cost
        side, p, c, d = design.image // design.patch, design.patch, design.colours, design.d
        f = design.hidden
        plus = " + 1" if design.cls else ""
        return [
            ("patches N", f"({design.image} / {p})² = {side}²", f"{design.patches:,}"),
            ("tokens T", f"N{plus}", f"{design.tokens:,}"),
            ("numbers of a patch", f"{p} · {p} · {c}", f"{design.pixels:,}"),
            ("features of a head", f"{d} / {design.heads}", f"{cost.d_k:,}"),
            ("embedding", f"{design.pixels:,} · {d} + …", f"{self._embedding:,}"),
            ("a layer", f"4 · {d}² + 2 · {d} · {f} + …", f"{cost.per_layer:,}"),
            ("parameters", f"{design.layers} layers, and the rest", f"{cost.parameters:,}"),
            ("multiply–adds", "of one image", short_count(cost.products)),
            ("cells of attention", self._attention, f"{cost.cells:,}"),
            ("bytes of attention", "4 each", short_count(cost.bytes)),
        ]

    @property
    def _attention(self) -> str:
        layers, heads, tokens = self.design.layers, self.design.heads, self.design.tokens
        return f"{layers} {'layer' if layers == 1 else 'layers'} of {heads} · {tokens}² = {heads * tokens**2:,}"

    @property
    def _embedding(self) -> int:
        design = self.design
        return design.pixels * design.d + design.d + design.cls * design.d + design.tokens * design.d

    def _numbers(self, area: Area) -> list[Mark]:
        size, colours = self.page.style.size, self.page.style.theme
        pitch = min(area.height / len(self.lines), size * 3.4)
        top = area.y + (area.height - pitch * len(self.lines)) / 2
        marks: list[Mark] = []
        for i, (what, how, result) in enumerate(self.lines):
            y = top + i * pitch
            bold = what == "parameters"
            marks.append(Line(area.x, y, area.right, y, colours.line))
            first, second = y + size * 1.25, y + size * 2.45
            marks.append(Text(area.x, first, what, size, colours.text, bold=bold))
            room = area.width - fonts.width(what, size) - size
            shown = fonts.elided(result, size * 1.1, room)
            marks.append(Text(area.right, first, shown, size * 1.1, colours.text, "end", bold=True))
            if pitch >= size * 2.7:
                marks.append(Text(area.x, second, fonts.elided(how, size * 0.9, area.width), size * 0.9, colours.muted))
        return marks

    # how it grows

    def _by_patch(self, area: Area) -> list[Mark]:
        design = self.design
        most = max(design.image // 2, design.patch)
        at = np.linspace(max(2, most / 16), most, 40)
        return self._chart(area, at, (design.image / at) ** 2, design.patch, "size of a patch, in pixels")

    def _by_image(self, area: Area) -> list[Mark]:
        design = self.design
        at = np.linspace(design.patch, max(design.image * 2, design.patch * 4), 40)
        return self._chart(area, at, (at / design.patch) ** 2, design.image, "size of the image, in pixels")

    def _chart(self, area: Area, at: Array, patches: Array, now: float, named: str) -> list[Mark]:
        """N² and N²·d on a scale of powers of ten, with a dot where this design is."""
        style, colours = self.page.style, self.page.style.theme
        lines = {"N²": patches**2, "N² · d": patches**2 * self.design.d}
        every = np.log10(np.concatenate([*lines.values()]))
        ends = floor(every.min()), ceil(every.max())
        step = max(1, ceil((ends[1] - ends[0]) / 4))
        ticks: Ticks = [(float(k), f"10{_raised(k)}") for k in range(ends[0], ends[1] + 1, step)]
        across = float(at[0]), float(at[-1])
        made, marks = axes(area, across, (float(ends[0]), float(ends[1])), ticks, (named, ""), style)
        for i, (name, values) in enumerate(lines.items()):
            colour = colours.stages[i]
            points = [(made.x(x), made.y(log10(y))) for x, y in zip(at.tolist(), values.tolist(), strict=True)]
            marks += [Line(*a, *b, colour, style.size * 0.16) for a, b in pairwise(points)]
            here = float(np.interp(now, at, np.log10(values)))
            radius = style.size * 0.4
            x, y = made.x(min(max(now, at[0]), at[-1])), made.y(here)
            marks.append(Box(x - radius, y - radius, 2 * radius, 2 * radius, colour, colours.panel, 1, radius))
            side = points[-1] if points[0][0] > points[-1][0] else points[len(points) * 2 // 3]
            marks.append(Text(side[0], side[1] - style.size * 0.6, name, style.size, colours.text, "middle"))
        return marks


def _raised(number: int) -> str:
    return str(number).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def _landscape() -> Array:  # -> (PIXELS,PIXELS,3)
    """A sky, a sun, and two hills, so that one sees what patches cut through."""
    y, x = np.mgrid[0 : 1 : PIXELS * 1j, 0 : 1 : PIXELS * 1j]
    sky = np.stack([150 + 80 * y, 190 + 40 * y, 235 + 0 * y], axis=-1)
    sun = np.exp(-((x - 0.72) ** 2 + (y - 0.28) ** 2) / 0.008)[..., None]
    found = sky * (1 - sun) + np.array([255, 214, 102]) * sun
    for height, centre, wide, colour in ((0.5, 0.25, 0.32, (96, 143, 108)), (0.66, 0.75, 0.45, (62, 108, 82))):
        edge = height + 0.9 * (x - centre) ** 2 / wide
        found = np.where((y > edge)[..., None], np.array(colour) * (1.1 - 0.3 * y)[..., None], found)
    return np.asarray(np.clip(found, 0, 255))
