"""All heads of all layers at a glance: a small matrix for each, layers down and heads across. A click goes to one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from math import ceil

from txviz.analysis.looking import Look, looks, thumbnails
from txviz.figures import fonts
from txviz.figures.colour_scale import Span
from txviz.figures.label_places import label_places
from txviz.figures.levels.board import Board
from txviz.figures.levels.picture import NodeScene, Picture
from txviz.figures.marks import Heat, Mark, Text
from txviz.figures.naming import counted, listed, quoted
from txviz.figures.numerals import percent
from txviz.figures.place import full_place
from txviz.figures.theme import colours, largest
from txviz.figures.views.page import MIDDLE, Area, rows_of
from txviz.ops import Array
from txviz.trace import Step
from txviz.trace.pictures import is_weights

TITLE, HEADS, GAP, APART = 2.2, 1.5, 0.35, 1.6
"""The height of a title and of the heads' numbers, and the room between pictures and between sections."""

LONGEST = 1.35
"""How much wider than high a picture may be."""

MOSTLY, OFTEN = 0.5, 0.25
"""From which share on a head looks mostly at something, and more at it than at others."""

NEAR = {0: "the token itself", -1: "the previous token", 1: "the next token"}


def draw(scene: NodeScene) -> Picture:
    board, found = Board(scene), sections(scene.node.steps)
    when = f" · {scene.node.title}" if scene.node.name else ""
    board.heading(f"All heads of all layers{when}", colours=False)
    board.sentences(_sentence([step for section in found for step in section if board.computed(step)]))
    _Page(board, _columns(board, found), len(found) > 1).draw()
    return board.picture()


def sections(steps: Iterable[Step]) -> list[list[Step]]:
    """The weights of each layer, for each kind of attention apart; of those that are computed again at each time step,
    the last."""
    found: dict[tuple[str | None, ...], dict[int, Step]] = {}
    for step in filter(is_weights, steps):
        site = step.site
        found.setdefault((site.sentence, site.part, site.block), {})[site.layer or 0] = step
    return [list(layers.values()) for layers in found.values()]


def _columns(board: Board, found: list[list[Step]]) -> list[list[Step]]:
    """Layers with few heads stand in several columns, where their pictures are larger then."""
    if len(found) != 1:
        return found
    (layers,) = found
    equal = dict.fromkeys(ceil(len(layers) / across) for across in range(1, len(layers) + 1))
    ways = [[layers[i : i + n] for i in range(0, len(layers), n)] for n in equal]
    return max(ways, key=lambda way: _Page(board, way, False).cell(len(way)))


def look_text(look: Look, keys: tuple[str, ...]) -> str:
    """``mostly at the previous token, 82 %``."""
    at = NEAR[look.offset] if look.offset is not None else quoted(keys[look.key or 0])
    if look.share >= MOSTLY:
        return f"mostly at {at}, {percent(look.share)}"
    if look.share >= OFTEN:
        return f"most at {at}, {percent(look.share)}"
    return f"at about {look.spread:.0f} of {counted(len(keys), 'token')}, most at {at}, {percent(look.share)}"


def _sentence(weights: list[Step]) -> str:
    """How to read it, and what most heads look at."""
    told = "Each picture is a head: queries down, keys across, in colours up to its own largest weight."
    if not weights:
        return f"{told} At this step nothing of it is computed yet; End goes to the last one."
    every = [(look, step.labels[-1]) for step in weights for look in looks(step)]
    sure = Counter(NEAR.get(look.offset or 0) if look.key is None else quoted(keys[look.key])
                   for look, keys in every if look.share >= MOSTLY)  # fmt: skip
    heads = f"{told} Of {counted(len(every), 'head')},"
    if not sure:
        return f"{heads} none looks mostly at one thing."
    (most, count), *others = sure.most_common(3)
    first = f"{count} {'looks' if count == 1 else 'look'} mostly at {most}"
    return f"{heads} {listed([first, *(f'{count} at {at}' for at, count in others)])}."


@dataclass(frozen=True, eq=False)
class _Page:
    board: Board
    sections: list[list[Step]]
    titled: bool

    def draw(self) -> None:
        for place, section in enumerate(self.sections):
            alike = [section] if self.titled else self.sections
            _Section(self.board, section, self._area(place), self._end, self.titled, alike).draw()

    @cached_property
    def _across(self) -> int:
        """How many sections stand side by side, so that their pictures are large and no place is left over."""
        count = len(self.sections)
        return max((n for n in range(1, count + 1) if count % n == 0), key=lambda across: (self.cell(across), across))

    def cell(self, across: int) -> float:
        """How high a picture can be."""
        size, area, down = self.board.size, self.board.area, -(-len(self.sections) // across)
        wide, high = area.width / across - APART * size, area.height / down - (TITLE + HEADS) * size
        return min(min(wide / len(step.value) / LONGEST, high / len(each)) for each in self.sections for step in each)

    def _area(self, place: int) -> Area:
        area, gap = self.board.area, APART * self.board.size
        down = -(-len(self.sections) // self._across)
        row, column = divmod(place, self._across)
        wide, high = (area.width + gap) / self._across, area.height / down
        return Area(area.x + column * wide, area.y + row * high, wide - gap, high)

    @cached_property
    def _end(self) -> float | None:
        """Of the colours, where all heads share them."""
        if self.board.style.scale != "shared":
            return None
        return max(largest(thumbnails(step)) for section in self.sections for step in section)


@dataclass(frozen=True, eq=False)
class _Section:
    """One kind of attention."""

    board: Board
    layers: list[Step]
    area: Area
    end: float | None
    titled: bool
    alike: list[list[Step]]
    """Columns of one section, which have their pictures in the same sizes."""

    def draw(self) -> None:
        board, size = self.board, self.board.size
        if self.titled:
            site = self.layers[0].site._replace(leaf="", layer=None, time=None, beam=None)
            title = fonts.elided(site.title, size * 1.1, self.area.width, bold=True)
            board.add(
                "title", Text(self.area.x, self.area.y + size * 1.2, title, size * 1.1, board.theme.text, bold=True)
            )
        self._names()
        for row, weights in enumerate(self.layers):
            self._layer(row, weights)

    @cached_property
    def inside(self) -> Area:
        """Where the pictures are."""
        size, left = self.board.size, self._left
        top = self.area.y + (TITLE * self.titled + HEADS) * size
        return Area(self.area.x + left, top, self.area.width - left, self.area.bottom - top)

    @property
    def _left(self) -> float:
        names = [self._layer_name(step) for step in chain(*self.alike)]
        return max(fonts.width(name, self.board.size) for name in names) + self.board.size * 0.8

    def _layer_name(self, step: Step) -> str:
        return "layer" if step.site.layer is None else f"layer {step.site.layer}"

    @cached_property
    def heads(self) -> int:
        return max(len(step.value) for step in chain(*self.alike))

    @property
    def pitch(self) -> tuple[float, float]:
        """From a head to the next, and from a layer to the next."""
        return self.inside.width / self.heads, self.inside.height / max(map(len, self.alike))

    def box(self, row: int, head: int) -> Area:
        (across, down), gap = self.pitch, GAP * self.board.size
        wide, high = max(across - gap, across * 0.7), max(down - gap, down * 0.7)
        wide, high = min(wide, high * LONGEST), min(high, wide * LONGEST)
        x, y = self.inside.x + head * across, self.inside.y + row * down
        return Area(x + (across - gap - wide) / 2 if across - gap > wide else x, y, wide, high)

    def _names(self) -> None:
        """Of layers and heads, as many as have room."""
        board, size, muted = self.board, self.board.size, self.board.theme.muted
        across, down = self.pitch
        for row in label_places(len(self.layers), down, size * 1.2):
            box, name = self.box(row, 0), self._layer_name(self.layers[row])
            board.write(self.area.x, box.centre[1] + size * MIDDLE, name, board.theme.text)
        whole = fonts.width(f"head {self.heads - 1}", size) + size * 0.4 <= across
        needed = fonts.width(f"head {self.heads}" if whole else f"{self.heads}", size) + size * 0.3
        for head in label_places(self.heads, across, needed):
            name = f"head {head}" if whole else str(head)
            board.write(self.box(0, head).centre[0], self.inside.y - size * 0.5, name, muted, "middle")
        if not whole:
            board.write(self.area.x, self.inside.y - size * 0.5, "head", muted)

    def _layer(self, row: int, weights: Step) -> None:
        board = self.board
        first, last = self.box(row, 0), self.box(row, len(weights.value) - 1)
        board.spot(weights, Area(first.x, first.y, last.right - first.x, first.height))
        if not board.computed(weights):
            frames = [self.box(row, head).box(board.theme.line) for head in range(len(weights.value))]
            board.add(weights.name, *frames)
            return
        marks = list[Mark]()
        for head, (small, look) in enumerate(zip(thumbnails(weights), looks(weights), strict=True)):
            area = self.box(row, head)
            marks += [self._heat(small, area), area.box(board.theme.line)]
            hint = f"{self._layer_name(weights)}, head {head}: {look_text(look, weights.labels[-1])}"
            board.place(weights, area, hint, (head,))
        board.add(weights.name, *marks)
        self._light(row, weights)

    def _heat(self, small: Array, area: Area) -> Heat:
        rows, columns = small.shape
        style = self.board.style
        own = Span(0.0, largest(small) if self.end is None else self.end)
        painted = colours(style.theme, small, style.ends_of(own))
        return Heat(area.x, area.y, area.width / columns, area.height / rows, rows, columns, rows_of(painted))

    def _light(self, row: int, weights: Step) -> None:
        """Where the reader is: the head that is looked at, in the block of the step that is open."""
        current, (head,) = self.board.scene.current, full_place(self.board.scene.place, weights.value.shape[:-2])[-1:]
        if current is not None and current.site._replace(leaf="") == weights.site._replace(leaf=""):
            self.board.light(self.box(row, head))
