"""Where tokens stand: the positions' numbers, how alike they are to each other, and the waves that some are made of.

On an image, how alike each position is to all others is drawn as a small image at its place.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import pi

import numpy as np

from txviz.figures import fonts
from txviz.figures.colour_scale import Span
from txviz.figures.levels.board import Board
from txviz.figures.levels.cells import cells, panel_in, plain_grid
from txviz.figures.levels.labels import column_label_height, column_labels, row_label_width, row_labels
from txviz.figures.levels.picture import NodeScene, Picture, Table
from txviz.figures.marks import Box, Line, Mark, Text
from txviz.figures.naming import name
from txviz.figures.numerals import decimal, short_count
from txviz.figures.tensors import result_at
from txviz.figures.views.drawing import Drawing, find_drawing
from txviz.figures.views.page import Area
from txviz.ops import Array
from txviz.ops.sources import PERIOD, wave_of
from txviz.trace import Step

COSINES = Span(-1.0, 1.0)
WAVES = 5
"""Features whose waves are drawn, from the quickest to the slowest."""

CAPTION, GAP, LABELS = 2.2, 3.0, 6.0
"""The height of a caption, the room between the pictures, and how wide labels may be, by the size of the text."""

SLOWEST = 4
"""Waves that are longer than so many times what is shown would be straight lines."""

FEWEST = 24
"""Waves go on at least so far, however short the sentence is."""


def draw(scene: NodeScene) -> Picture:
    step = next(step for step in scene.node.steps if step.site.leaf in ("positions", "grid"))
    board = Board(scene)
    board.heading("Where does each token stand?", step.formula)
    sheet = _Sheet(board, step, find_drawing(scene.trace))
    board.sentences(sheet.sentence)
    sheet.draw()
    return board.picture()


def alikeness(values: Array) -> Array:  # (T,d) -> (T,T)
    """The cosine of each row with each; a row of zeros is like none."""
    lengths = np.linalg.norm(values, axis=1, keepdims=True)
    unit = values / np.where(lengths == 0, 1.0, lengths)
    return np.asarray(unit @ unit.T)


@dataclass(frozen=True, eq=False)
class _Sheet:
    board: Board
    step: Step
    drawing: Drawing | None

    @cached_property
    def alike(self) -> Array:  # -> (T,T)
        return alikeness(self.step.value.astype(float))

    @property
    def waves(self) -> bool:
        return self.step.op == "sinusoid"

    @property
    def sentence(self) -> str:
        if not self.board.computed(self.step):
            return ""
        told = f"{self._origin}; they are added to each token's own. Right: the cosine of each position with each."
        if self.waves:
            slowest = max(map(self._turn, self._sines))
            told += f" The slowest wave begins again after {short_count(slowest)} tokens."
        count = len(self.alike)
        if count < 3:
            return told
        near = float(np.mean(np.diagonal(self.alike, 1)))
        far = float(self.alike[0, -1])
        return f"{told} Neighbours have {decimal(near, 2)} on average, the first and the last {decimal(far, 2)}."

    @property
    def _origin(self) -> str:
        if self.step.edited:
            return "Numbers were put in here by hand"
        waves = self.step.op in ("sinusoid", "sinusoid_2d")
        return "These are waves that nobody had to learn" if waves else "These numbers are learned"

    def draw(self) -> None:
        area, gap = self.board.area, GAP * self.board.size
        third = (area.width - 2 * gap) / 3
        rooms = [area._replace(x=area.x + i * (third + gap), width=third) for i in range(3)]
        if not self.waves and self.drawing is None:
            half = (area.width - gap) / 2
            rooms = [area._replace(width=half), area._replace(x=area.x + half + gap, width=half)]
        self._numbers(rooms[0])
        if self.waves:
            self._waves(rooms[1])
        elif self.drawing is not None:
            self._images(rooms[1], self.drawing)
        self._matrix(rooms[-1])

    def _numbers(self, room: Area) -> None:
        """The step itself."""
        board, size = self.board, self.board.size
        grid = result_at(self.step, ())
        labels = row_label_width(board.style, grid.row_labels, LABELS * size)
        above = column_label_height(board.style, grid.column_labels, room.width - labels, 2 * size)
        area = Area(room.x + labels, room.y + CAPTION * size + above, room.width - labels, 0)
        area = area._replace(height=room.bottom - area.y)
        board.caption(self.step, room.x, room.y + size * 1.3, room.width)
        board.plate(self.step, grid, area, rows=labels, columns=above)

    def _matrix(self, room: Area) -> None:
        """How alike each is to each."""
        board, size, names = self.board, self.board.size, self.step.labels[-2]
        labels = row_label_width(board.style, names, LABELS * size)
        side = room.width - labels
        above = column_label_height(board.style, names, side, LABELS * size)
        side = min(side, room.height - CAPTION * size - above)
        area = Area(room.x + labels, room.y + CAPTION * size + above, side, side)
        board.write(room.x, room.y + size * 1.3, "how alike they are", board.theme.text)
        if not board.computed(self.step):
            board.add("alike", area.box(board.theme.line))
            return
        beside, over = row_labels(board.style, names, area, labels), column_labels(board.style, names, area, above)
        shown = panel_in(plain_grid(self.alike, COSINES), area)
        board.add("alike", cells(shown, board.style), area.box(board.theme.line))
        board.add("labels", *beside, *over)
        self._say(area)

    def _say(self, area: Area) -> None:
        def hint(i: int, j: int) -> str:
            return f"{self._called[i]} and {self._called[j]}: cosine {decimal(float(self.alike[i, j]), 4)}"

        self.board.places(self.step, area, Table(len(self.alike), len(self.alike), hint))

    @cached_property
    def _called(self) -> list[str]:
        axis = self.step.value.ndim - 2
        return [f"position {i} ({name(self.step, axis, i)})" for i in range(len(self.alike))]

    def _images(self, room: Area, drawing: Drawing) -> None:
        """For each patch a small image at its place: how alike all patches' positions are to its own."""
        board, size = self.board, self.board.size
        rows, columns = drawing.grid
        board.write(room.x, room.y + size * 1.3, "each position beside all others, on the image", board.theme.text)
        apart = size * 0.6
        across = (room.width - apart * (columns - 1)) / columns
        down = (room.height - CAPTION * size - apart * (rows - 1)) / rows
        cell = min(across / columns, down / rows)
        wide, high = cell * columns, cell * rows
        top, tokens = room.y + CAPTION * size, {label: i for i, label in enumerate(self.step.labels[-2])}
        for label, place in drawing.places.items():
            if label not in tokens:
                continue
            down, over = divmod(place, columns)
            area = Area(room.x + over * (wide + apart), top + down * (high + apart), wide, high)
            board.add(f"around {label}", *self._around(tokens[label], tokens, drawing, area))
            board.place(self.step, area, f"patch {label}: how alike its position is to each other one")

    def _around(self, own: int, tokens: dict[str, int], drawing: Drawing, area: Area) -> list[Mark]:
        if not self.board.computed(self.step):
            return [area.box(self.board.theme.line)]
        rows, columns = drawing.grid
        values = np.zeros(rows * columns)
        for label, place in drawing.places.items():
            values[place] = self.alike[own, tokens[label]] if label in tokens else 0.0
        grid = plain_grid(values.reshape(rows, columns), COSINES)
        return [cells(panel_in(grid, area), self.board.style), area.box(self.board.theme.line)]

    def _waves(self, room: Area) -> None:
        """Some features as waves over the positions, with a dot for each token, and how long the waves are."""
        board, size, colours = self.board, self.board.size, self.board.theme
        length, start = len(self.step.value), int(self.step.params.get("start", 0))
        end = max(FEWEST, start + length)
        seen = [feature for feature in self._sines if self._turn(feature) <= SLOWEST * end]
        shown = sorted({seen[round(k)] for k in np.linspace(0, len(seen) - 1, WAVES)})
        board.write(room.x, room.y + size * 1.3, f"waves over the first {end} positions", colours.text)
        pitch = (room.height - CAPTION * size) / len(shown)
        for k, feature in enumerate(shown):
            area = Area(room.x, room.y + CAPTION * size + k * pitch, room.width, pitch)
            self._wave(feature, area, start, end)

    def _wave_of(self, feature: int) -> tuple[bool, int]:
        return wave_of(feature, self.step.value.shape[-1], bool(self.step.params.get("halves", False)))

    @property
    def _sines(self) -> list[int]:
        """The features that are sines."""
        return [feature for feature in range(self.step.value.shape[-1]) if not self._wave_of(feature)[0]]

    def _turn(self, feature: int) -> float:
        """After how many tokens the wave of a feature begins again."""
        return 2 * pi * float(PERIOD ** (2 * self._wave_of(feature)[1] / self.step.value.shape[-1]))

    def _wave(self, feature: int, area: Area, start: int, end: int) -> None:
        board, size, colours = self.board, self.board.size, self.board.theme
        turn = self._turn(feature)
        said = f"feature {feature}: once in {short_count(turn) if turn >= 100 else decimal(turn, 1)} tokens"
        high = (area.height - size * 1.9) / 2
        middle, wide = area.y + size * 1.5 + high, area.width / max(end - 1, 1)
        at = np.linspace(0, end - 1, 160)
        down = middle - high * 0.9 * np.sin(2 * pi * at / turn)
        points = list(zip((area.x + at * wide).tolist(), down.tolist(), strict=True))
        marks: list[Mark] = [
            Text(area.x, area.y + size * 1.1, fonts.elided(said, size, area.width), size, colours.muted),
            Line(area.x, middle, area.right, middle, colours.line),
        ]
        marks += [Line(*a, *b, colours.accent, size * 0.12) for a, b in pairwise(points)]
        if board.computed(self.step):
            for i, value in enumerate(self.step.value[:, feature].tolist()):
                x, y, radius = area.x + (start + i) * wide, middle - high * 0.9 * value, size * 0.3
                marks.append(Box(x - radius, y - radius, 2 * radius, 2 * radius, colours.highlight, radius=radius))
        board.add(f"wave of feature {feature}", *marks)
