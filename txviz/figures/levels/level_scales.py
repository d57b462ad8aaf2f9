"""Which matrices of a picture have one scale of colours, and what its colours mean."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from txviz.figures.colour_bar import colour_bar, scale_colours
from txviz.figures.colour_scale import Span, reach, union
from txviz.figures.grid import Grid
from txviz.figures.heading import Heading
from txviz.figures.legend import ABOVE, BELOW, beside, legend
from txviz.figures.looks import look
from txviz.figures.marks import Mark
from txviz.figures.sharing import SharedScale, names_together
from txviz.figures.style import Style
from txviz.trace import Parameter, Step
from txviz.trace.kept import kept
from txviz.trace.outline import Node

MOST_STYLES = 8
"""Kept for a node; zooming makes new ones."""

EACH = "each its own scale"
TOGETHER = ("what is added or copied shares a scale", "added or copied: the same scale")


def level_style(style: Style, node: Node) -> Style:
    """The style for a picture of the node, the same one each time: it knows where the colours of all tensors end."""
    found = _styles(node)
    if style not in found:
        if len(found) >= MOST_STYLES:
            found.clear()
        extents = _extents(style, node.steps)
        found[style] = style if extents is None else replace(style, extents=extents)
    return found[style]


@kept
def _styles(node: Node) -> dict[Style, Style]:
    return {}


def _extents(style: Style, steps: Sequence[Step]) -> Callable[[str, Span], Span] | None:
    if style.scale == "each":
        return None
    if style.scale == "auto":
        return _Together(style, steps).extent_of
    made = (step for step in steps if step.value.dtype.kind == "f")
    all_of_them = union(style.extent_of(step.name, reach(step)) for step in made).crowd.mirrored()
    ends = style.scale if isinstance(style.scale, Span) else all_of_them
    return lambda name, own: ends


class _Together:
    """What is added, copied or compared in these steps has one scale; a gradient has its own."""

    def __init__(self, style: Style, steps: Sequence[Step]) -> None:
        self._style = style
        self._sources: dict[str, Step | Parameter] = {}
        self._groups: dict[str, set[str]] = {}
        self._found: dict[int, Span] = {}
        for step in steps:
            if not look(step).rescales:
                self._join(step)

    def _join(self, step: Step) -> None:
        names = names_together(step)
        every = [each for each in (*step.sources, step) if each.name in names and each.value.dtype.kind == "f"]
        shown = [each for each in every if each.site.pass_ != "backward"]
        groups = [self._groups.setdefault(each.name, {each.name}) for each in shown]
        joined = max(groups, key=len, default=set())  # it takes the smaller ones in: a run may have one of thousands
        for group in groups:
            if group is not joined:
                joined |= group
                self._groups.update(dict.fromkeys(group, joined))
        self._sources.update((each.name, each) for each in shown)

    def extent_of(self, name: str, own: Span) -> Span:
        group = self._groups.get(name)
        if group is None:
            return self._style.extent_of(name, own)
        if id(group) not in self._found:
            self._found[id(group)] = union(self._style.extent_of(each, reach(self._sources[each])) for each in group)
        return self._found[id(group)]


def level_scales(shown: Iterable[Grid], style: Style) -> list[SharedScale]:
    """The scales of what is drawn: matrices whose colours end at the same numbers have one."""
    groups: dict[Span, list[Grid]] = {}
    for grid in shown:
        if grid.scaled and not grid.picture:
            groups.setdefault(style.ends_of(style.extent_of(grid.name, grid.extent)), []).append(grid)
    return [
        SharedScale(tuple(dict.fromkeys(g.called for g in group if g.called)), ends, union(g.extent for g in group))
        for ends, group in groups.items()
    ]


def level_legend(scales: Sequence[SharedScale], head: Heading, style: Style) -> list[Mark]:
    """A bar with numbers for one scale; for several one without, and their ends in words."""
    coloured = [scale for scale in scales if scale.ends.low < scale.ends.high]
    if len(coloured) < 2:
        return legend(coloured, head, style)
    signed = any(scale.ends.low < 0 for scale in coloured)
    ends = Span(-1.0 if signed else 0.0, 1.0)
    said = [" · ".join(scale.text for scale in coloured), *(TOGETHER if style.scale == "auto" else ())]
    return [
        *beside(head, [EACH], ABOVE, style),
        *colour_bar(head.bar, scale_colours(style, ends), ("−", "0", "+") if signed else ("0", "", "+"), style),
        *(beside(head, said, BELOW, style) if style.scale == "auto" else ()),
    ]
