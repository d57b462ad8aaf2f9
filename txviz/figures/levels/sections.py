"""A page in parts: each in a frame, with a title that can be gone to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from txviz.figures import fonts
from txviz.figures.levels.board import Board
from txviz.figures.marks import Box, Mark, Text
from txviz.figures.naming import WORDS
from txviz.figures.theme import mixed, stage_colour
from txviz.figures.views.page import MIDDLE, Area, wrapped
from txviz.trace import Step
from txviz.trace.outline import Node
from txviz.trace.site import Site

GAP, INSIDE, TITLE = 0.8, 0.7, 2.1
"""Between the parts, inside a frame, and for its title."""

FRAME = TITLE + INSIDE
"""The height that a frame takes of its part."""

LINE, CHIP, CHIP_LINE = 1.3, 1.7, 2.0
"""The heights of a line of text, of a name in a box, and of a line of those. All by the size of the text."""

STRENGTH = 0.5
"""Of the colour of a bar."""


def section(board: Board, area: Area, title: str, nodes: Sequence[Node] = ()) -> Area:
    """A frame with a title, which stands for these nodes; what is left inside."""
    size, width = board.size, area.width - 2 * INSIDE * board.size
    shown = fonts.elided(title, size * 1.1, width, bold=True)
    board.add("section", Box(*area, stroke=board.theme.line, radius=size * 0.5))
    x, baseline = area.x + INSIDE * size, area.y + size * 1.5
    board.add("title", Text(x, baseline, shown, size * 1.1, board.theme.text, bold=True))
    wide = fonts.width(shown, size * 1.1, bold=True) / max(len(nodes), 1)
    for i, node in enumerate(nodes):
        board.node_spot(node, Area(x + i * wide, baseline - size * 1.1, wide, size * 1.5))
    return Area(x, area.y + TITLE * size, width, area.height - FRAME * size)


def columns(area: Area, shares: Sequence[float], gap: float) -> list[Area]:
    """The area in parts side by side."""
    free, x, found = area.width - gap * (len(shares) - 1), area.x, []
    for share in shares:
        found.append(area._replace(x=x, width=free * share / sum(shares)))
        x = found[-1].right + gap
    return found


def paragraph(board: Board, area: Area, *texts: str, step: Step | None = None) -> float:
    """The first of these texts that fits into the area, at its top; pale before the step is computed. Where it ends."""
    size, line = board.size, board.size * LINE
    ink = board.theme.text if step is None else board.ink(step)
    ways = (wrapped(text, size, area.width) for text in texts if text)
    lines = next((lines for lines in ways if len(lines) * line <= area.height + 0.1), [])
    board.add("words", *(Text(area.x, area.y + size + i * line, each, size, ink) for i, each in enumerate(lines)))
    return area.y + len(lines) * line


def bar_colour(board: Board, site: Site) -> str:
    return mixed(stage_colour(board.theme, site), board.theme.panel, STRENGTH)


def chips(board: Board, nodes: Sequence[Node], area: Area) -> float:
    """Nodes by their names, one after the other and in as many lines as they take; where they end."""
    places = chip_places(board, nodes, area)
    for node, place in zip(nodes, places, strict=True):
        chip(board, node, place)
    return places[-1].bottom if places else area.y


def chip_places(board: Board, nodes: Iterable[Node], area: Area) -> list[Area]:
    size, x, y, found = board.size, area.x, area.y, list[Area]()
    for node in nodes:
        wide = min(fonts.width(_name(node), size) + size * 1.2, area.width)
        if x + wide > area.right and x > area.x:
            x, y = area.x, y + size * CHIP_LINE
        found.append(Area(x, y, wide, size * CHIP))
        x += wide + size * 0.5
    return found


def chip(board: Board, node: Node, area: Area) -> None:
    """A node by its name."""
    size, ink = board.size, board.ink(node.first)
    shown = fonts.elided(_name(node), size, area.width - size)
    text = Text(area.centre[0], area.centre[1] + size * MIDDLE, shown, size, ink, "middle")
    board.add(node.name, Box(*area, stroke=board.theme.line, radius=size * 0.4), text)
    board.node_spot(node, area)


def _name(node: Node) -> str:
    """Tokens that were given are called by themselves."""
    tokens = not node.children and node.first.op == "given" and node.first.axes == ("token",)
    return " ".join(node.first.labels[0]) if tokens else WORDS.get(node.title, node.title)


def word(board: Board, text: str, area: Area, colour: str, fill: str | None = None) -> list[Mark]:
    """A word in a box, shortened to fit; none where not even a letter does."""
    size = board.size
    box = Box(*area, fill, board.theme.line, radius=min(size * 0.3, area.height * 0.2))
    shown = fonts.elided(text, size, area.width - size * 0.3)
    if area.height < size * 1.15 or shown == fonts.ELLIPSIS:
        return [box]
    return [box, Text(area.centre[0], area.centre[1] + size * MIDDLE, shown, size, colour, "middle")]
