"""Where two runs differ: a bar for each part of a node, and B − A of each as a picture."""

from __future__ import annotations

from dataclasses import replace
from math import ceil

from txviz.figures import fonts, theme
from txviz.figures.area import Area
from txviz.figures.comparison import compared
from txviz.figures.grid import Grid
from txviz.figures.levels.board import Board
from txviz.figures.levels.cells import cells, panel_in
from txviz.figures.levels.picture import NodeScene, Picture, Spot
from txviz.figures.marks import Box, Colour, Mark, Text
from txviz.figures.naming import WORDS, counted
from txviz.figures.pair import Change, Pair
from txviz.figures.place import full_place, leading
from txviz.trace import Step
from txviz.trace.outline import Node

FEWEST, MOST = 5, 24
"""Parts of a node: where it has fewer, the largest of them is opened."""

COLUMN, BAR = 8.5, 0.55
"""The width of a bar's column at least, and the height of the bar."""

TILE = (13.0, 9.0)
"""The least size of a picture of B − A. All of these by the size of the text."""

SHORTEST = 0.02
"""Of a bar's length: whatever differs is seen."""


def units(node: Node) -> list[Node]:
    """The parts of a node: its children, or what is in them where there are only a few."""
    found = list(node.children) or [node]
    while len(found) < FEWEST:
        opened = max(found, key=lambda unit: len(unit.children))
        if len(opened.children) < 2 or len(found) - 1 + len(opened.children) > MOST:
            break
        place = found.index(opened)
        found[place : place + 1] = opened.children
    return found


def strip_height(size: float) -> float:
    return size * 4.6


def strip(scene: NodeScene, pair: Pair, area: Area, size: float) -> tuple[list[Mark], list[Spot]]:
    """A bar for each part: its largest relative change. Where there are many, those that differ most."""
    found = units(scene.node)
    most = max(1, int(area.width / (COLUMN * size)))
    shown = _most_changed(found, pair, most)
    left = len(found) - len(shown)
    said = f"Where it differs: Δ, the largest change in each part, by its largest number{_left_out(left)}"
    ink = scene.style.theme.text
    marks: list[Mark] = [Text(area.x, area.y + size * 1.1, fonts.elided(said, size, area.width), size, ink)]
    spots: list[Spot] = []
    wide = area.width / len(shown)
    end = max(1.0, *(pair.node_change(unit).size for unit in shown))
    for place, unit in enumerate(shown):
        column = Area(area.x + place * wide, area.y + size * 1.5, wide - size * 0.6, size * 3.0)
        change = pair.node_change(unit)
        share = float(bool(change.why)) or (max(SHORTEST, change.size / end) if change.size else 0.0)
        marks += _bar(unit, change, share, column, size, scene)
        spots.append(Spot(column, unit.name, f"{_title(unit, scene)}: B − A is {pair.node_change(unit).text}"))
    return marks, spots


def _left_out(count: int) -> str:
    return f"; {counted(count, 'part')} that {'differs' if count == 1 else 'differ'} less left out" if count else ""


def _most_changed(found: list[Node], pair: Pair, most: int) -> list[Node]:
    order = sorted(range(len(found)), key=lambda i: pair.node_change(found[i]).rank, reverse=True)
    return [found[i] for i in sorted(order[:most])]


def _bar(unit: Node, change: Change, share: float, area: Area, size: float, scene: NodeScene) -> list[Mark]:
    """Its name, the bar, and the number."""
    colours = scene.style.theme
    ink = colours.text if change.differs else colours.muted
    base, y = area.y + size, area.y + size * 1.35
    number = fonts.elided(change.text, size, area.width)
    full = Area(area.x, y, area.width, size * BAR)
    marks: list[Mark] = [
        Text(area.x, base, fonts.elided(_title(unit, scene), size, area.width), size, ink),
        Box(*full, fill=theme.mixed(colours.line, colours.panel, 0.5)),
        Text(area.x, y + size * (BAR + 1.0), number, size, ink, bold=change.differs),
    ]
    if share:
        hatch: Colour | None = colours.panel if change.why else None
        marks.insert(2, Box(*full._replace(width=full.width * share), fill=colours.accent, hatch=hatch))
    return marks


def _title(unit: Node, scene: NodeScene) -> str:
    """What it is called inside the node that is shown: "encoder · layer 0"."""
    path = scene.node.path_to(unit.name)[1:] or (unit,)
    return " · ".join(WORDS.get(node.title, node.title) for node in path)


def draw_differences(scene: NodeScene, pair: Pair) -> Picture:
    """B − A of each part of the node, as far as there is room."""
    board = Board(scene._replace(style=replace(scene.style, formula=False)))
    board.heading(f"{pair.b.outline.title_of(scene.node.name)} · B − A")
    board.sentences(f"A: {pair.told[0]}  ·  B: {pair.told[1]}")
    found = units(scene.node)
    across, down, places = _tiles(board.area, board.size, len(found))
    shown = _most_changed(found, pair, across * down)
    left = len(found) - len(shown)
    if left:
        board.write(board.area.x, board.area.bottom, f"{_left_out(left).removeprefix('; ')}.", board.theme.muted)
    for unit, area in zip(shown, places, strict=False):
        _tile(board, unit, pair, area)
    return board.picture()


def _tiles(area: Area, size: float, count: int) -> tuple[int, int, list[Area]]:
    """As many as are wanted, or as fit: in rows that fill the page."""
    area = area._replace(height=area.height - size * 1.6)
    widest, highest = max(1, int(area.width / (TILE[0] * size))), max(1, int(area.height / (TILE[1] * size)))
    count = min(count, widest * highest)
    options = [(across, ceil(count / across)) for across in range(1, widest + 1) if ceil(count / across) <= highest]
    across, down = max(options, key=lambda each: min(area.width / each[0] / TILE[0], area.height / each[1] / TILE[1]))
    wide, high = area.width / across, area.height / down
    grid = ((i % across, i // across) for i in range(count))
    places = [Area(area.x + x * wide, area.y + y * high, wide - size, high - size * 0.8) for x, y in grid]
    return across, down, places


def _tile(board: Board, unit: Node, pair: Pair, area: Area) -> None:
    """The name, how much it differs, and B − A of what stands for it."""
    size, colours, change, scene = board.size, board.theme, pair.node_change(unit), board.scene
    title = fonts.elided(_title(unit, scene), size, area.width, bold=True)
    said = fonts.elided(_said(unit, pair, change), size, area.width)
    board.add(
        f"title of {unit.name}",
        Text(area.x, area.y + size, title, size, colours.text, bold=True),
        Text(area.x, area.y + size * 2.2, said, size, colours.muted),
    )
    room = area._replace(y=area.y + size * 2.8, height=area.height - size * 2.8)
    grid = _difference(unit, pair, board)
    if grid is None:
        board.add(f"{unit.name} is the same", Box(*room, stroke=colours.line))
    else:
        panel = panel_in(grid, room)
        own = replace(board.style, scale="each", extents=None)
        board.add(f"B − A of {unit.name}", cells(panel, own), room.box(colours.line))
    board.node_spot(unit, area, f"{_title(unit, scene)}: B − A is {change.text}")


def _said(unit: Node, pair: Pair, change: Change) -> str:
    step = _stands_for(unit, pair)
    if change.why or step is None:
        return change.why or "nothing to subtract"
    called = "" if step.name == unit.name else f"{step.site.labels[-1]}, "
    return f"{called}{change.text}"


def _stands_for(unit: Node, pair: Pair) -> Step | None:
    """What a part hands on, where it can be subtracted."""
    found = (step for step in reversed(unit.steps) if step.value.dtype.kind == "f" and step.value.size)
    return next((step for step in found if _fits(pair.twin(step), step)), None)


def _fits(a: Step | None, b: Step) -> bool:
    return a is not None and a.value.shape == b.value.shape and a.value.dtype == b.value.dtype


def _difference(unit: Node, pair: Pair, board: Board) -> Grid | None:
    step = _stands_for(unit, pair)
    if step is None:
        return None
    place = full_place(board.scene.place, leading(step))
    return compared(pair.of_a(step), step, place)[2]
