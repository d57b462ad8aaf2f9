"""What a model costs, beside what such models usually cost; and where its multiplications go."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from txviz.analysis.cost import TYPICAL, Cost, Design, counted, kind, products
from txviz.figures import fonts
from txviz.figures.levels.board import Board
from txviz.figures.levels.picture import NodeScene, Picture
from txviz.figures.marks import Box, Line, Mark, Text
from txviz.figures.numerals import percent, short_count
from txviz.figures.theme import mixed
from txviz.figures.views.drawing import find_drawing
from txviz.figures.views.page import MIDDLE, Area
from txviz.trace import Step
from txviz.trace.kept import kept

ROWS: tuple[tuple[str, str, Callable[[Cost], int]], ...] = (
    ("tokens", "T", lambda cost: cost.tokens),
    ("features of a token", "d", lambda cost: cost.d),
    ("heads", "H", lambda cost: cost.heads),
    ("features of a head", "d / H", lambda cost: cost.d_k),
    ("layers", "L", lambda cost: cost.layers),
    ("parameters of a layer", "", lambda cost: cost.per_layer),
    ("parameters in all", "", lambda cost: cost.parameters),
    ("multiply–adds of this run", "", lambda cost: cost.products),
    ("attention of a layer", "H · T²", lambda cost: cost.heads * cost.tokens**2),
    ("cells of attention", "", lambda cost: cost.cells),
    ("bytes of attention", "4 each", lambda cost: cost.bytes),
)
"""What is told, how it is written, and where it is found."""

TABLE, PITCH, CAPTION, GAP = 0.58, 3.2, 2.4, 3.0
"""How much of the width the table takes; the height of a row at most, of a caption, and the room between the two."""

STRENGTH = 0.5
"""Of the colour of a bar."""


def draw(scene: NodeScene) -> Picture:
    board, sheet = Board(scene), _Sheet(scene)
    board.heading("What does it cost?", r"\mathrm{cells\ of\ attention} \propto T^2", colours=False)
    board.sentences(sheet.sentence)
    sheet.draw(board)
    return board.picture()


@kept
def _groups(step: Step) -> str:
    """Which kind of work a matrix product is."""
    if step.site.block == "ffn":
        return "feed-forward"
    if step.site.part == "head":
        return "the answer's scores"
    if step.site.leaf in ("scores", "context"):
        return "who looks at whom: Q Kᵀ, weights × V"
    if step.site.block is not None and "attention" in step.site.block:
        return "Q, K, V and output layers"
    return "embedding"


@dataclass(frozen=True, eq=False)
class _Sheet:
    scene: NodeScene

    @cached_property
    def ours(self) -> Cost:
        return counted(self.scene.trace)

    @cached_property
    def usual(self) -> tuple[str, Cost]:
        return TYPICAL[kind(self.scene.trace)]

    @cached_property
    def work(self) -> dict[str, int]:
        """Multiply–adds by the kind of work, the most first."""
        found: dict[str, int] = {}
        for step in self.scene.trace:
            if step.site.pass_ == "forward" and (count := products(step)):
                found[_groups(step)] = found.get(_groups(step), 0) + count
        return dict(sorted(found.items(), key=lambda pair: -pair[1]))

    @property
    def sentence(self) -> str:
        (name, usual), cells = self.usual, self.ours.cells
        told = _beside(name, usual.parameters, self.ours.parameters)
        twice = f"Twice as many tokens make four times as many cells of attention: {cells:,} become {4 * cells:,}."
        return f"{told} {twice}"

    @cached_property
    def rows(self) -> list[tuple[str, str, int, int]]:
        """What, its sign, here and usually."""
        found = [(what, sign, of(self.ours), of(self.usual[1])) for what, sign, of in ROWS]
        drawing = find_drawing(self.scene.trace)
        return found if drawing is None else [("patches", "N", len(drawing.places), Design().patches), *found]

    def draw(self, board: Board) -> None:
        area, size = board.area, board.size
        table = area._replace(width=area.width * TABLE)
        self._table(board, table)
        left = table.right + GAP * size
        self._work(board, area._replace(x=left, width=area.right - left))

    def _table(self, board: Board, area: Area) -> None:
        size, colours = board.size, board.theme
        pitch = min((area.height - CAPTION * size) / len(self.rows), PITCH * size)
        here, there = area.x + area.width * 0.7, area.right
        name = fonts.elided(self.usual[0], size, area.width * 0.29)
        heads: list[Mark] = [
            Text(here, area.y + size * 1.3, "here", size, colours.text, "end", bold=True),
            Text(there, area.y + size * 1.3, name, size, colours.muted, "end"),
        ]
        top = area.y + CAPTION * size
        marks = heads
        for i, (what, sign, ours, usual) in enumerate(self.rows):
            y = top + i * pitch
            base = y + pitch / 2 + size * MIDDLE
            marks.append(Line(area.x, y, area.right, y, colours.line))
            marks.append(Text(area.x, base, what, size * 1.05, colours.text))
            if sign and fonts.width(what, size * 1.05) + fonts.width(sign, size) + size * 2 < area.width * 0.5:
                marks.append(Text(area.x + area.width * 0.5, base, sign, size, colours.muted, "end"))
            marks.append(Text(here, base, f"{ours:,}", size * 1.1, colours.text, "end", bold=True))
            marks.append(Text(there, base, _long(usual), size * 1.05, colours.muted, "end"))
        board.add("table", *marks)
        board.node_spot(self.scene.node, area, lights=False)

    def _work(self, board: Board, area: Area) -> None:
        """A bar for each kind of work."""
        size, colours, every = board.size, board.theme, sum(self.work.values()) or 1
        board.write(area.x, area.y + size * 1.3, "Where the multiply–adds go", colours.text)
        pitch = min((area.height - CAPTION * size) / max(len(self.work), 1), size * 5)
        most = max(self.work.values(), default=1)
        room = area.width - fonts.width("99.9 %", size) - size * 0.6
        marks: list[Mark] = []
        for i, (name, count) in enumerate(self.work.items()):
            y = area.y + CAPTION * size + i * pitch
            wide, thick = room * count / most, max(pitch - size * 2.2, size * 0.6)
            marks.append(Text(area.x, y + size * 1.1, fonts.elided(name, size, area.width), size, colours.text))
            fill = mixed(colours.stages[i % len(colours.stages)], colours.panel, STRENGTH)
            marks.append(Box(area.x, y + size * 1.6, wide, thick, fill))
            said = percent(count / every)
            middle = y + size * 1.6 + thick / 2 + size * MIDDLE
            marks.append(Text(area.x + wide + size * 0.4, middle, said, size, colours.text))
        board.add("work", *marks)


def _long(number: int) -> str:
    """In full where that is short, else in millions and so on."""
    return f"{number:,}" if number < 1_000_000 else short_count(number)


def _beside(name: str, usual: int, ours: int) -> str:
    """How many parameters there are, beside a usual model of the kind."""
    more, less = round(usual / max(ours, 1)), round(ours / max(usual, 1))
    if less > 1:
        return f"This model has {less:,} times as many parameters as a usual one of its kind, {name}."
    many = f"{more:,} times as many" if more > 1 else "about as many"
    return f"A usual model of this kind, {name}, has {many} parameters."
