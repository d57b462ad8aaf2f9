"""Where an image model looks: a small drawing for each head of each layer, and through all layers at once.

Each shows whom one token looks at: [CLS], which is read in the end; without it, what all tokens look at on average.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import ceil

import numpy as np

from txviz.analysis.rollout import rollouts
from txviz.figures import fonts
from txviz.figures.levels.board import Board
from txviz.figures.levels.picture import NodeScene, Picture
from txviz.figures.numerals import percent
from txviz.figures.views.drawing import HEAT, Drawing, find_drawing, patch_areas, patch_heat, patch_lines
from txviz.figures.views.page import MIDDLE, Area
from txviz.ops import Array
from txviz.trace import Step

CLS = "[CLS]"
CAPTION, GAP, NAMES, APART = 1.6, 1.6, 6.5, 2.5
"""The height of a caption, the room between drawings, the width of the layers' names, and the room between columns of
layers, by the text's size."""


def draw(scene: NodeScene) -> Picture:
    drawing, board = find_drawing(scene.trace), Board(scene)
    weights = next((step for step in scene.node.steps if step.site.leaf == "weights" and step.value.ndim == 3), None)
    if drawing is None or weights is None:
        raise ValueError("no attention looks at an image")
    sheet = _Sheet(board, drawing, rollouts(scene.trace, weights))
    board.heading("Where does it look?", FORMULA, colours=False, low=len(sheet.layers) > MOST_APART)
    board.sentences(sheet.sentence)
    sheet.draw()
    return board.picture()


MOST_APART, NARROW_GAP = 8, 0.5
"""More drawings than these side by side have less room between them."""

SHORT = {"mean of heads": "mean", "through all layers": "rollout"}
"""Where columns are narrow; heads then have just their numbers."""

MOST_PATCHES = 2000
"""Where there are more of them on the page, a picture says what it is, and not what each patch gets."""

FORMULA = r"R_\ell = \frac{\bar{A}_\ell + I}{2} \, R_{\ell - 1}"
"""Attention through all layers."""


def _gap_down(rows: int) -> float:
    """Below a row of drawings, by the text's size."""
    return GAP if rows <= MOST_APART else NARROW_GAP


@dataclass(frozen=True, eq=False)
class _Sheet:
    board: Board
    drawing: Drawing
    layers: tuple[tuple[Step, Array], ...]

    def draw(self) -> None:
        for i, (weights, rolled) in enumerate(self.layers):
            middle = self._area(i, 0).centre[1] + self.board.size * MIDDLE
            self.board.write(self._left(i), middle, f"layer {weights.site.layer}", self.board.theme.text, size=1.1)
            mean = [weights.value.mean(axis=0)] if len(weights.value) > 1 else []
            shown = [*weights.value, *mean, rolled]
            for j, matrix in enumerate(shown):
                self._look(weights, matrix, j, self._area(i, j), first=i % self._rows == 0)

    @property
    def sentence(self) -> str:
        whose = "Whom [CLS] looks at" if self.cls is not None else "Whom all patches look at, on average"
        told = f"{whose}, in percent: the stronger the colour, the more. The last column follows attention through all"
        return f"{told} layers so far (rollout), half of each token staying its own.{self._most}"

    @property
    def _most(self) -> str:
        weights, rolled = self.layers[-1]
        if not self.board.computed(self.layers[0][0]):
            return " At this step nothing of it is computed yet; End goes to the last one."
        if not self.board.computed(weights):
            return ""
        labels, row = weights.labels[-1], self._row(rolled)
        places = [i for i, label in enumerate(labels) if label in self.drawing.places]
        best = max(places, key=lambda i: float(row[i]))
        return f" In the end patch {labels[best]} counts most: {percent(float(row[best]))}."

    @cached_property
    def cls(self) -> int | None:
        labels = self.layers[0][0].labels[-2]
        return labels.index(CLS) if CLS in labels else None

    @cached_property
    def columns(self) -> list[str]:
        heads = self.layers[0][0].value.shape[0]
        mean = ["mean of heads"] if heads > 1 else []
        return [*(f"head {h}" for h in range(heads)), *mean, "through all layers"]

    def _row(self, matrix: Array) -> Array:  # (T,T) -> (T,)
        return np.asarray(matrix.mean(axis=0) if self.cls is None else matrix[self.cls])

    # where everything goes

    @cached_property
    def _abreast(self) -> int:
        """Layers with few heads stand in several columns, where their drawings are larger then."""
        return max(range(1, len(self.layers) + 1), key=self._pixel)

    def _pixel(self, abreast: int) -> float:
        """How large a pixel is with so many layers side by side."""
        size, (high, wide), rows = self.board.size, self.drawing.pixels.shape[:2], ceil(len(self.layers) / abreast)
        gap = GAP if len(self.columns) * abreast <= MOST_APART else NARROW_GAP
        across = self._wide(abreast) - NAMES * size - gap * size * (len(self.columns) - 1)
        down = (self.board.area.height - CAPTION * size) / rows - _gap_down(rows) * size
        return float(min(across / len(self.columns) / wide, down / high))

    def _wide(self, abreast: int) -> float:
        """The width of one of the columns of layers."""
        return (self.board.area.width - APART * self.board.size * (abreast - 1)) / abreast

    @property
    def _rows(self) -> int:
        return ceil(len(self.layers) / self._abreast)

    @cached_property
    def side(self) -> tuple[float, float]:
        """The width and height of a drawing."""
        pixel = self._pixel(self._abreast)
        return pixel * self.drawing.pixels.shape[1], pixel * self.drawing.pixels.shape[0]

    def _left(self, i: int) -> float:
        """Where the row of a layer begins."""
        return self.board.area.x + i // self._rows * (self._wide(self._abreast) + APART * self.board.size)

    def _area(self, i: int, j: int) -> Area:
        size, down = self.board.size, self.side[1] + _gap_down(self._rows) * self.board.size
        free = self._wide(self._abreast) - NAMES * size - self.side[0] * len(self.columns)
        gap = free / max(len(self.columns) - 1, 1)
        x = self._left(i) + NAMES * size + j * (self.side[0] + gap)
        return Area(x, self.board.area.y + CAPTION * size + i % self._rows * down, *self.side)

    # what is drawn there

    def _look(self, weights: Step, matrix: Array, column: int, area: Area, *, first: bool) -> None:
        board, name = self.board, self.columns[column]
        at = (column,) if column < len(weights.value) else ()
        if first:
            said = self._column_names[name]
            inside = min(area.centre[0], board.area.right - fonts.width(said, board.size) / 2)
            board.write(inside, area.y - board.size * 0.4, said, board.theme.muted, "middle")
        if not board.computed(weights):
            board.add(weights.name, area.box(board.theme.line))
            board.spot(weights, area, f"{weights.title}: not computed yet")
            return
        row, labels = self._row(matrix), weights.labels[-1]
        on_image = {label: float(row[i]) for i, label in enumerate(labels) if label in self.drawing.places}
        most = max(on_image.values(), default=0.0) or 1.0
        shares = {label: HEAT * share / most for label, share in on_image.items()}
        words = {label: (label, f"{100 * share:.0f}") for label, share in on_image.items()}
        heat = patch_heat(self.drawing, shares, area, board.theme, words, self._letters)
        large = area.width / self.drawing.grid[1] >= board.size
        lines = patch_lines(self.drawing, area, board.theme.muted) if large else []
        board.add(f"{weights.name} {name}", heat, area.box(board.theme.line), *lines)
        board.spot(weights, area, f"layer {weights.site.layer}, {name}")
        board.place(weights, area, self._said(weights, name, on_image), at)
        for label, patch in patch_areas(self.drawing, area).items():
            if label in on_image and self._says_patches:
                board.place(weights, patch, self._hint(weights, name, label, on_image[label]), at)

    @cached_property
    def _column_names(self) -> dict[str, str]:
        """What is written above each column: short names where the usual ones would not fit."""
        size, names = self.board.size, self.columns
        room = self._area(0, 1).x - self._area(0, 0).x - size * 0.5 if len(names) > 1 else self.board.area.width
        fits = all(fonts.width(name, size) <= room for name in names if name not in SHORT)
        heads = {name: name if fits else name.removeprefix("head ") for name in names}
        return heads | {name: name if fonts.width(name, size) <= room else short for name, short in SHORT.items()}

    @property
    def _says_patches(self) -> bool:
        return len(self.layers) * len(self.columns) * len(self.drawing.places) <= MOST_PATCHES

    @property
    def _letters(self) -> float:
        """The size of what is written on a drawing: as large as a pixel allows."""
        wide = self.side[0] / self.drawing.pixels.shape[1]
        return max(self.board.style.least, min(self.board.size, float(wide / fonts.width("100", 1)) * 0.9))

    def _said(self, weights: Step, name: str, on_image: dict[str, float]) -> str:
        """The patch that is looked at most."""
        best = max(on_image, key=lambda label: on_image[label], default="")
        most = f": most at patch {best}, {percent(on_image[best])}" if best else ""
        return f"layer {weights.site.layer}, {name}{most}"

    def _hint(self, weights: Step, name: str, label: str, share: float) -> str:
        row, column = divmod(self.drawing.places[label], self.drawing.grid[1])
        return f"layer {weights.site.layer}, {name}: patch {label} (row {row}, column {column}) gets {percent(share)}"
