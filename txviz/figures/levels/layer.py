"""A layer: what each of its blocks added to each token. The stream runs along the bottom, the blocks stand above it.

          norm → attention     norm → feed-forward
          what it adds         what it adds
before  →  + = residual 1   →   + = residual 2
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from txviz.figures import fonts
from txviz.figures.colour_scale import extent
from txviz.figures.levels import LEVELS
from txviz.figures.levels.board import Board, Plate
from txviz.figures.levels.labels import row_label_width, row_labels
from txviz.figures.levels.layer_steps import Addition, LayerSteps
from txviz.figures.levels.picture import NodeScene, Picture
from txviz.figures.levels.titles import near_name, node_title, short_name
from txviz.figures.levels.verbs import verb
from txviz.figures.marks import Box, Mark, Text
from txviz.figures.naming import WORDS, quoted
from txviz.figures.numerals import percent
from txviz.figures.tensors import result_at
from txviz.figures.theme import mixed, stage_colour
from txviz.figures.views.page import LINE, MIDDLE, Area, bar_length, stride, wrapped
from txviz.trace import Step
from txviz.trace.outline import Node

CHIP, RISE, FALL, CAPTION, GAP = 2.2, 1.0, 2.2, 2.1, 3.4
"""The heights of a block's name, of the room below it, of the arrow to the sum, and of a caption; and the width between
columns."""

ROW, LABELS, BAR = 9.0, 7.0, 6.0
"""How high a row may be, how wide labels may be, and a bar with its number at least. All by the size of the text."""

FIRST, BARS = 0.72, 0.54
"""The first column by the others; and how much of a column goes to the bars."""


def draw(scene: NodeScene) -> Picture:
    layer = LayerSteps(scene.node)
    if not layer.additions:
        return _only_block(scene)
    board = Board(scene)
    board.heading(node_title(scene.node), *(way.formula for way in layer.additions))
    board.sentences(" ".join([layer.kind, *_most(board, layer)]))
    _Drawing(board, layer.additions).draw()
    return board.picture()


def _only_block(scene: NodeScene) -> Picture:
    """A layer in which nothing is added up is the block that it has."""
    block = next(child for child in scene.node.children if child.children)
    return LEVELS[block.pictures[0]].draw(scene._replace(node=block))


def _most(board: Board, layer: LayerSteps) -> list[str]:
    """Which token each block changed most."""
    said = []
    for way in layer.additions:
        shares = way.shares
        if len(shares) > 1 and board.computed(way.result) and way.branch:
            most = int(shares.argmax())
            label = quoted(way.result.labels[-2][most])
            said.append(
                f"{_name(way.branch[-1]).capitalize()} changes {label} most, by {percent(shares[most])} of its length."
            )
    return said


def _name(node: Node) -> str:
    return WORDS.get(node.title, node.title)


@dataclass(frozen=True, eq=False)
class _Drawing:
    board: Board
    ways: list[Addition]

    def draw(self) -> None:
        plates: dict[str, Plate] = {}
        first = self.ways[0].before
        if first is not None:
            plates[first.name] = self._matrix(first, self._lower(self._column(0)), self.labels)
        for i, way in enumerate(self.ways, start=1):
            column = self._column(i)
            self._result(plates, way, column)
            chips = self._branch(way, column)
            self._added(plates, way, column)
            self._lead(plates, way, chips, column)
        self._legend()

    # where everything goes

    @cached_property
    def labels(self) -> float:
        """The room for the tokens' names at the left."""
        return row_label_width(self.board.style, self.ways[0].result.labels[-2], self.board.size * LABELS)

    def _column(self, i: int) -> Area:
        """The first is for what was there before."""
        area, gap, count = self.board.area, GAP * self.board.size, len(self.ways)
        wide = (area.width - self.labels - count * gap) / (count + FIRST)
        first = Area(area.x + self.labels, area.y, wide * FIRST, area.height)
        return first if not i else area._replace(x=first.right + gap + (i - 1) * (wide + gap), width=wide)

    @cached_property
    def height(self) -> float:
        """Of all matrices."""
        size, rows = self.board.size, int(self.ways[0].result.value.shape[-2])
        free = self.board.area.height - (CHIP + RISE + FALL + 2 * CAPTION) * size
        return min(free / 2, rows * ROW * size)

    def _upper(self, column: Area) -> Area:
        size = self.board.size
        spare = self.board.area.height - (CHIP + RISE + FALL + 2 * CAPTION) * size - 2 * self.height
        return column._replace(y=column.y + (CHIP + RISE) * size + spare / 2, height=self.height)

    def _lower(self, column: Area) -> Area:
        return column._replace(y=column.bottom - CAPTION * self.board.size - self.height, height=self.height)

    # what is drawn there

    def _matrix(self, step: Step, area: Area, rows: float = 0.0) -> Plate:
        board, size = self.board, self.board.size
        plate = board.plate(step, result_at(step, ()), area, rows=rows, apart=True)
        name = short_name(step) if step.site.block else near_name(step, self.ways[0].result.site)
        board.caption(step, area.x, area.bottom + size * 1.5, area.width + size, name)
        return plate

    def _result(self, plates: dict[str, Plate], way: Addition, column: Area) -> None:
        """The sum, and the norm that it goes through where that stands on the stream."""
        area, size = self._lower(column), self.board.size
        gap = self.board.formula_width(verb(way.norms[0])) + size * 1.2 if way.norms else 0.0
        wide = (area.width - gap * len(way.norms)) / (1 + len(way.norms))
        before: Plate | None = None
        for k, step in enumerate([way.result, *way.norms]):
            plates[step.name] = plate = self._matrix(step, area._replace(x=area.x + k * (wide + gap), width=wide))
            if before is not None and before.name in step.inputs:
                y = area.centre[1]
                self._stream(before, plate, y, verb(step))
            before = plate

    def _stream(self, before: Plate, after: Plate, y: float, label: str = "") -> None:
        """The thick line from what was there to what comes of it."""
        colour = stage_colour(self.board.theme, after.step.site)
        self.board.stream(before.step, after.step, (before.area.right, y), (after.area.x, y), colour)
        if label:
            x = (before.area.right + after.area.x) / 2
            self.board.formula(label, x, y - self.board.size * 0.8, self.board.ink(after.step), "middle")

    def _branch(self, way: Addition, column: Area) -> list[Area]:
        """The names of the norm and the block, each of which can be gone to."""
        size, board = self.board.size, self.board
        y, x, found = self._upper(column).y - (CHIP + RISE) * size, column.x, list[Area]()
        widths = [fonts.width(_name(node), size * 1.05, bold=True) + size * 1.4 for node in way.branch]
        gap = min(size * 2, max(0.0, (column.width - sum(widths)) / max(len(widths) - 1, 1)))
        factor = min(1.0, column.width / (sum(widths) + gap * (len(widths) - 1) or 1.0))
        for node, wide in zip(way.branch, widths, strict=True):
            area = Area(x, y, wide * factor, CHIP * size)
            self._chip(node, area)
            if found:
                middle = area.centre[1]
                board.join(way.branch[len(found) - 1], node, (found[-1].right, middle), (area.x, middle))
            found.append(area)
            x = area.right + gap * factor
        self._note(way, Area(x, y, column.right - x, CHIP * size))
        return found

    def _note(self, way: Addition, room: Area) -> None:
        """What a block reads besides the stream, where there is room to say so."""
        size, board = self.board.size, self.board
        for step in way.others[:1]:
            text = f"reads the {step.site.part}'s output"
            if fonts.width(text, size) <= room.width:
                board.write(room.x - size * 1.4, room.centre[1] + size * MIDDLE, text, board.theme.muted)

    def _chip(self, node: Node, area: Area) -> None:
        board, size = self.board, self.board.size
        computed = board.computed(node.first)
        colour = stage_colour(board.theme, node.first.site)
        ink = board.theme.text if computed else board.ink(node.first)
        fill = mixed(colour, board.theme.panel, 0.16 if computed else 0.0)
        label = fonts.elided(_name(node), size * 1.05, area.width - size * 0.5)
        text = Text(
            area.centre[0], area.centre[1] + size * MIDDLE, label, size * 1.05, ink, "middle", bold=bool(node.children)
        )
        board.add(node.name, Box(*area, fill, colour if computed else board.theme.line, radius=size * 0.5), text)
        board.node_spot(node, area)

    def _added(self, plates: dict[str, Plate], way: Addition, column: Area) -> None:
        """What was added, and beside it how much that is."""
        added, size, board = way.added, self.board.size, self.board
        if added is None:
            return
        area = self._upper(column)
        labels = row_label_width(board.style, way.result.labels[-2], size * LABELS * 0.7)
        bars = max(column.width * BARS, labels + BAR * size)
        plate = plates[added.name] = self._matrix(added, area._replace(width=area.width - bars - size * 0.6))
        self._bars(way, area._replace(x=area.right - bars + labels, width=bars - labels), labels)
        target = plates[way.result.name].area
        x = min(plate.area.centre[0], target.centre[0])
        top = plate.area.bottom + CAPTION * size
        board.arrow(added, way.result, (x, top), (x, target.y))
        board.sign("+", added, way.result, x - size * 1.1, (top + target.y) / 2 - size * 0.1)

    def _bars(self, way: Addition, area: Area, labels: float) -> None:
        """The length of what was added to each token, by the length of the token's own vector."""
        board, size, shares = self.board, self.board.size, way.shares
        if not board.computed(way.result) or not len(shares):
            return
        names, pitch = way.result.labels[-2], area.height / len(shares)
        longest, fill = area.width - self._number, mixed(board.theme.stages[1], board.theme.panel, 0.45)
        high = min(pitch * 0.7, size * 1.6)
        marks: list[Mark] = list(row_labels(board.style, names, area, labels)) if board.style.labels else []
        every = stride(pitch, size * 1.05)
        for i, share in enumerate(shares.tolist()):
            y, wide = area.y + (i + 0.5) * pitch, bar_length(longest, share / self._largest)
            marks.append(Box(area.x, y - high / 2, max(wide, 0.5), high, fill))
            if i % every == 0:  # behind its bar, or where only some have one, behind all bars
                x = area.x + (wide if every == 1 else longest) + size * 0.35
                marks.append(Text(x, y + size * MIDDLE, percent(share), size, board.theme.text))
        board.add(f"how much {way.result.name} adds", *marks)

    @cached_property
    def _number(self) -> float:
        """The room for the number behind the longest bar."""
        written = (percent(share) for way in self.ways for share in way.shares.tolist())
        return max((fonts.width(text, self.board.size) for text in written), default=0.0) + self.board.size * 0.5

    @cached_property
    def _largest(self) -> float:
        """The longest bar of the layer: all have one scale."""
        return max((extent(way.shares).limit for way in self.ways), default=1.0) or 1.0

    def _lead(self, plates: dict[str, Plate], way: Addition, chips: list[Area], column: Area) -> None:
        """From the stream up to the block, and along to the sum."""
        before, size = plates.get(way.before.name) if way.before else None, self.board.size
        if before is None:
            return
        result = plates[way.result.name]
        self._stream(before, result, before.area.centre[1])
        if chips:
            x, y = column.x - size * GAP * 0.5, before.area.y + min(before.area.height * 0.25, size * 1.2)
            level = chips[0].centre[1]
            way_up = (before.area.right, y), (x, y), (x, level), (chips[0].x, level)
            self.board.join(before.step, way.branch[0], *way_up)

    def _legend(self) -> None:
        """What the bars mean, in the corner that is free."""
        board, size, room = self.board, self.board.size, self._upper(self._column(0))
        area = room._replace(x=board.area.x, width=room.right - board.area.x)
        text = "Bars: the length of what was added to each token, compared with its own."
        for i, line in enumerate(wrapped(text, size, area.width)):
            board.write(area.x, area.y + (i + 1) * size * LINE, line, board.theme.muted)
