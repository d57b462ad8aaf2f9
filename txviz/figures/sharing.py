"""Which tensors have one scale of colours, so that the same number has the same colour in all of them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple

from txviz.figures.colour_scale import Span, union
from txviz.figures.grid import Grid
from txviz.figures.looks import RESULT, look
from txviz.figures.style import Style
from txviz.ops.arithmetic import number
from txviz.trace import Step


class SharedScale(NamedTuple):
    names: tuple[str, ...]
    """What the tensors are called on the page."""

    ends: Span
    """Where their colours end."""

    extent: Span
    """From their lowest number to their highest."""

    grey: bool = False
    """Pixels of an image."""

    @property
    def text(self) -> str:
        """
        >>> SharedScale(("query",), Span(-2, 2), Span(-2, 1)).text, SharedScale(("x", "y"), Span(0, 3), Span(0, 3)).text
        ('query ±2', 'x, y 0 to 3')
        """
        low, high = self.ends
        said = f"±{number(high, 3)}" if low == -high else f"{number(low, 3)} to {number(high, 3)}"
        said += " and beyond" if self.extent.low < low or self.extent.high > high else ""
        return f"{', '.join(self.names)} {said}{' in grey' if self.grey else ''}"


Scaled = tuple[SharedScale, list[Grid]]
"""A scale, and what has it."""


def scales(step: Step, shown: Iterable[Grid], style: Style) -> list[Scaled]:
    """The scales on the page of a step, and what has them; first that of the result, if it has any."""
    groups: dict[Hashable, list[Grid]] = {}
    together = names_together(step)
    for grid in (grid for grid in shown if grid.scaled):
        groups.setdefault(_key(grid, together, style), []).append(grid)
    order = sorted(groups.values(), key=lambda group: not any(grid.output for grid in group))
    return [(scale_of(group, style), group) for group in order]


def names_together(step: Step) -> set[str]:
    """The names of what a step reads and makes that have one scale, by its operation."""
    places, sources = look(step).together, step.sources
    found = {source.name for place, source in enumerate(sources) if place in places}
    return found | ({step.name} if RESULT in places else set())


def _key(grid: Grid, together: set[str], style: Style) -> Hashable:
    alone = style.scale == "each" or (style.scale == "auto" and grid.name not in together)
    return grid.name if alone and not grid.picture else "", grid.picture


def scale_of(shown: Sequence[Grid], style: Style) -> SharedScale:
    """One for all of these."""
    first = {grid.name: grid.called for grid in reversed(shown)}  # not each of its heads
    names = tuple(dict.fromkeys(reversed(first.values())))
    found = union(style.extent_of(grid.name, grid.extent) for grid in shown)
    if shown[0].picture:
        return SharedScale(names, found, found, grey=True)
    return SharedScale(names, style.ends_of(found), found)


def ends_by_grid(found: Iterable[Scaled]) -> dict[int, Span]:
    """Where the colours of each grid end, by its identity."""
    return {id(grid): scale.ends for scale, group in found for grid in group}
