"""An image cut into patches, with their letters and places, and the patches flattened into rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from txviz.figures import fonts
from txviz.figures.grid import Grid
from txviz.figures.levels.board import Board, Plate
from txviz.figures.levels.cells import numbers_width
from txviz.figures.levels.labels import row_label_width
from txviz.figures.levels.titles import matrix_shape
from txviz.figures.levels.verbs import verb
from txviz.figures.marks import Heat, Line, Mark, Text
from txviz.figures.patches import drawing_of
from txviz.figures.tensors import result_at, rows_at
from txviz.figures.views.drawing import Drawing
from txviz.figures.views.page import Area, rows_of
from txviz.trace import Step

SHARE = 0.44
"""How much of the width image and patches take."""

LETTERS, GAP, CAPTION = 1.5, 0.9, 2.2
"""The height of the letter above a patch, the room between patches, and the height of the caption."""

SMALLEST_PATCH = 3.6
"""Patches that are smaller than this stay together, and have no letters."""

WIDEST = 15.0
"""Of the flattened patches, where they have too many pixels for numbers. All these by the size of the text."""


@dataclass(frozen=True, eq=False)
class PatchGrid:
    step: Step
    """The projection of the flattened patches."""

    cut: Step
    """Where the image became patches."""

    @property
    def patches(self) -> Step:
        """The flattened patches that are projected."""
        first = self.step.sources[0]
        return first if isinstance(first, Step) else self.cut

    @property
    def whole(self) -> Step:
        """What the picture of the image stands for: the image, or all its patches where only some are used."""
        image = self.cut.sources[0]
        return image if self.patches is self.cut and isinstance(image, Step) else self.cut

    @cached_property
    def drawing(self) -> Drawing:
        return drawing_of(self.cut)

    @property
    def formula(self) -> str:
        """How many patches there are, and how many numbers each has."""
        (high, wide), (rows, columns) = self.drawing.pixels.shape[:2], self.drawing.patch
        colours, size = self.cut.params.get("colours", 1), "P^2" if rows == columns else "P_h \\, P_w"
        count, numbers = self.cut.value.shape[-2:]
        patches = rf"n = \frac{{H \, W}}{{{size}}} = \frac{{{high} \cdot {wide}}}{{{rows} \cdot {columns}}} = {count}"
        return rf"{patches} \qquad {size} \, C = {rows} \cdot {columns} \cdot {colours} = {numbers}"

    @property
    def sentence(self) -> str:
        (rows, columns), count = self.drawing.patch, self.cut.value.shape[-2]
        used, numbers = self.patches.value.shape[-2:]
        some = f" (the first {used} are used)" if used < count else ""
        into = f"each a row of {numbers} numbers, which become {self.step.value.shape[-1]}"
        return f"The image is cut into {count} patches of {rows}×{columns} pixels{some}, {into}."

    def places(self, positions: Step) -> tuple[str, ...]:
        """Where each token stands on the image; what is no patch stands nowhere."""
        columns = self.drawing.grid[1]
        named = (self.drawing.places.get(label) for label in positions.labels[-2])
        return tuple("global" if i is None else f"row {i // columns}, col {i % columns}" for i in named)

    def width(self, board: Board) -> float:
        return board.area.width * SHARE

    def gap(self, board: Board) -> float:
        """Between the patches and their projection."""
        return board.formula_width(verb(self.step)) + board.size * 1.4

    def draw(self, board: Board, room: Area, first: Plate) -> None:
        """The image at the left, its patches as rows at the right, in line with what is made of them."""
        size, patches = board.size, self.patches
        grid = rows_at(patches)
        needed = max(numbers_width(board.style, grid), board.caption_width(patches))
        wide = min(needed * 1.3, max(WIDEST * size, board.caption_width(patches)))
        area = Area(room.right - wide, first.area.y, wide, first.area.height)
        labels = row_label_width(board.style, grid.row_labels, size * 4)
        board.plate(patches, grid, area, rows=labels, apart=True)
        board.caption(patches, area.x, area.bottom + size * 1.6, wide + size)
        gap = max(board.formula_width(verb(self.cut)) + size * 1.4, size * 3)
        image = Area(room.x, room.y, room.width - wide - labels - gap, room.height - CAPTION * size)
        shown = self._image(board, image)
        y = min(max(shown.centre[1], area.y + size), area.bottom - size)
        board.arrow(
            self.whole, patches, (shown.right + size * 0.3, y), (area.x - labels - size * 0.2, y), label=verb(self.cut)
        )
        y = area.centre[1]
        board.arrow(patches, self.step, (area.right, y), (first.area.x, y), label=verb(self.step))

    def _image(self, board: Board, room: Area) -> Area:
        """Patch by patch where they are large enough; where it is."""
        (rows, columns), (high, wide), size = self.drawing.grid, self.drawing.patch, board.size
        gap, letters = GAP * size, LETTERS * size
        across = (room.width - (columns - 1) * gap) / (columns * wide)
        down = (room.height - rows * letters - (rows - 1) * gap * 0.4) / (rows * high)
        pixel = min(across, down)
        if pixel * min(wide, high) < SMALLEST_PATCH * size:
            return self._together(board, room)
        total = rows * (pixel * high + letters) + (rows - 1) * gap * 0.4
        area = Area(room.x, room.y + (room.height - total) / 2, columns * (pixel * wide + gap) - gap, total)
        board.spot(self.whole, area)
        for label, i in self.drawing.places.items():
            x = area.x + i % columns * (pixel * wide + gap)
            y = area.y + i // columns * (pixel * high + letters + gap * 0.4) + letters
            self._patch(board, label, Area(x, y, pixel * wide, pixel * high))
        board.caption(self.whole, area.x, area.bottom + size * 1.6, room.width, shape=self._size)
        return area

    @property
    def _size(self) -> str:
        """Of the image, with its colours."""
        return "×".join(map(str, self.drawing.pixels.shape)) if self.whole is not self.cut else matrix_shape(self.cut)

    def _patch(self, board: Board, label: str, area: Area) -> None:
        """Its pixels, with its letter and its place above."""
        size, theme = board.size, board.theme
        place, used = self.drawing.places[label], label in self.patches.labels[-2]
        where = f"({place // self.drawing.grid[1]}, {place % self.drawing.grid[1]})"
        ink = theme.text if used else theme.muted
        letter = Text(area.x, area.y - size * 0.35, label, size * 1.1, ink, bold=True)
        after = area.x + fonts.width(label, size * 1.1, bold=True) + size * 0.35
        marks: list[Mark] = [letter]
        if after + fonts.width(where, size * 0.92) <= area.right + size * 0.5:
            marks.append(Text(after, area.y - size * 0.35, where, size * 0.92, theme.muted))
        hint = self._hint(label)
        if self.drawing.pixels.ndim == 2 and board.computed(self.whole):
            board.small_plate(self.whole, self._pixels(place), area, hint)
        else:
            marks += self._coloured(board, place, area)
        board.add("letters", *marks)

    def _hint(self, label: str) -> str:
        """``patch B, row 0, column 1, top centre: pixels (0, 2) to (1, 3)``."""
        (high, wide), (row, column) = self.drawing.patch, self.drawing.corner(label)
        return f"{self.drawing.name(label)}: pixels ({row}, {column}) to ({row + high - 1}, {column + wide - 1})"

    def _pixels(self, place: int) -> Grid:
        """Those of one patch, as a part of the image."""
        image = self.cut.sources[0]
        assert isinstance(image, Step)
        grid, (down, across), (high, wide) = (
            result_at(image, ()),
            divmod(place, self.drawing.grid[1]),
            self.drawing.patch,
        )
        rows, columns = slice(down * high, (down + 1) * high), slice(across * wide, (across + 1) * wide)
        return replace(
            grid,
            values=grid.values[rows, columns],
            row_labels=grid.row_labels[rows],
            column_labels=grid.column_labels[columns],
            row_ids=grid.row_ids[rows],
            column_ids=grid.column_ids[columns],
            picture=True,
        )

    def _coloured(self, board: Board, place: int, area: Area) -> list[Mark]:
        (down, across), (high, wide) = divmod(place, self.drawing.grid[1]), self.drawing.patch
        painted = self.drawing.colours[down * high : (down + 1) * high, across * wide : (across + 1) * wide]
        frame = area.box(board.theme.line)
        if not board.computed(self.whole):
            return [frame]
        return [Heat(area.x, area.y, area.width / wide, area.height / high, high, wide, rows_of(painted)), frame]

    def _together(self, board: Board, room: Area) -> Area:
        """The whole image, with lines between its patches."""
        (high, wide), (rows, columns) = self.drawing.pixels.shape[:2], self.drawing.grid
        pixel = min(room.width / wide, room.height / high)
        area = Area(room.x, room.y + (room.height - pixel * high) / 2, pixel * wide, pixel * high)
        xs = (area.x + j * area.width / columns for j in range(1, columns))
        ys = (area.y + i * area.height / rows for i in range(1, rows))
        lines = [Line(x, area.y, x, area.bottom, board.theme.panel, 1) for x in xs]
        lines += [Line(area.x, y, area.right, y, board.theme.panel, 1) for y in ys]
        painted = Heat(area.x, area.y, pixel, pixel, high, wide, rows_of(self.drawing.colours))
        known: list[Mark] = [painted, *lines] if board.computed(self.whole) else []
        board.add(self.whole.name, *known, area.box(board.theme.line))
        board.spot(self.whole, area)
        board.caption(self.whole, area.x, area.bottom + board.size * 1.6, room.width, shape=self._size)
        return area
