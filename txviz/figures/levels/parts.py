"""Who brought the score of the answer: every token, in every block; and which features of the vector it is read from.

All shares and the biases together are the score. Where none of them is a patch's own, since a block passes on only what
attention has mixed, the image has what the score is without each patch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from txviz import ops
from txviz.analysis.parts import Part, Score, score
from txviz.analysis.without import without
from txviz.figures import fonts
from txviz.figures.colour_scale import extent, union
from txviz.figures.label_places import LEGIBLE, SMALLEST
from txviz.figures.levels.board import Board
from txviz.figures.levels.cells import cells, panel_in, plain_grid
from txviz.figures.levels.labels import column_label_height, column_labels, row_label_width, row_labels
from txviz.figures.levels.picture import NodeScene, Picture, Table
from txviz.figures.marks import Anchor, Box, Line, Mark, Text
from txviz.figures.naming import WORDS, quoted
from txviz.figures.numerals import decimal
from txviz.figures.theme import mixed
from txviz.figures.views.drawing import HEAT, Drawing, find_drawing, patch_areas, patch_heat, patch_lines
from txviz.figures.views.page import MIDDLE, Area, bar_length
from txviz.ops import Array
from txviz.trace import Step

FORMULA = r"z = \sum_{\mathrm{tokens}\ t} \ \sum_{\mathrm{blocks}\ b} s_{t b} \ + \ \mathrm{biases}"

MOST = 9
"""Features that are shown."""

FEATURES, IMAGE, TOTAL, GAP = 0.25, 0.2, 7.5, 2.6
"""How much of the width the features and the drawing take; the width of the bars of totals, and the room between."""

ROW, CAPTION, LABELS, TURNED = 4.0, 2.2, 8.0, 9.0
"""How high a row may be, a caption, how wide the labels of tokens, how high those of blocks. All by the text's size."""

STRENGTH = 0.55
"""Of the colour of a bar."""

_AFTER: Anchor = "start"
_BEFORE: Anchor = "end"


def draw(scene: NodeScene) -> Picture:
    answer = next(step for step in scene.node.steps if step.site.leaf == "probabilities" and step.site.part == "head")
    at = _chosen(scene, answer)
    taken, board = score(answer, at), Board(scene)
    if taken is None:
        raise ValueError("its scores are not made from the tokens' vectors")
    when = f" · {scene.node.title}" if scene.node.name else ""
    board.heading(f"Who brought the score of {quoted(taken.answer)}?{when}", FORMULA)
    drawing = _Drawing(board, taken, answer, at)
    board.sentences(drawing.sentence)
    drawing.draw()
    return board.picture()


def _chosen(scene: NodeScene, answer: Step) -> int:
    """What was answered; where nothing is chosen yet, the likeliest."""
    choices = (step for step in scene.trace if step.op in ("argmax", "draw") and answer in step.sources)
    return next((int(step.value) for step in choices), int(answer.value.argmax()))


@dataclass(frozen=True, eq=False)
class _Drawing:
    board: Board
    score: Score
    answer: Step
    at: int
    """Its place among the scores."""

    def draw(self) -> None:
        if not self.board.computed(self.score.logits):
            area = self.board.area
            self.board.add("later", area.box(self.board.theme.line))
            self.board.write(
                *area.centre,
                "The score is not computed yet at this step; End goes to the last one.",
                self.board.theme.muted,
                "middle",
                1.2,
            )
            self.board.spot(self.answer, area)
            return
        for group, area in self._tables():
            self._table(group, area)
        if self._drawing is not None:
            self._image(self._drawing)
        self._features()

    @property
    def sentence(self) -> str:
        if not self.board.computed(self.score.logits):
            return ""
        block = max(self.score.parts, key=lambda part: abs(float(part.shares.sum())))
        names, totals = self._totals
        most = int(np.argmax(np.abs(totals)))
        return (
            f"The score is {decimal(self.score.value, 2)}. The largest part comes from {_name(block)} "
            f"({_signed(float(block.shares.sum()))}); of the tokens, {self._called(names[most])} brings most "
            f"({_signed(float(totals[most]))}). Biases bring {_signed(self.score.biases)}, whatever the input is. "
            f"Each norm's divisor is held at its value in this run.{self._mixed}"
        )

    @property
    def _mixed(self) -> str:
        """What is said of patches that bring nothing by themselves."""
        losses = self._losses
        if not losses:
            return ""
        most, *others = sorted(losses, key=lambda label: -abs(losses[label]))
        if not losses[most]:
            return " No patch counts: the vector that the head reads does not come from the image."
        return (
            " No part is a patch's own: what the patches gave was mixed before it was added. The image has what each "
            f"brings, found by setting it to 0: the score changes most without {self._called(most)} "
            f"({_signed(-losses[most])})"
            + (f", then {self._called(others[0])} ({_signed(-losses[others[0]])})." if others else ".")
        )

    # what there is

    @cached_property
    def _drawing(self) -> Drawing | None:
        return find_drawing(self.board.scene.trace)

    @cached_property
    def _losses(self) -> dict[str, float]:
        """How much of the score is lost without each patch, where none of its parts is a patch's own; else nothing."""
        totals = dict(zip(*self._totals, strict=True))
        if self._drawing is None or any(totals.get(label) for label in self._drawing.places):
            return {}
        pieces = next(step for step in self.board.scene.trace if step.operation is ops.patchify)
        left = without(pieces, self.score.logits, self.at)
        lost = (float(x) for x in self.score.logits.value[self.at] - left)
        by_label = dict(zip(pieces.labels[0], lost, strict=True))
        return {label: by_label[label] for label in self._drawing.places}

    def _called(self, token: str) -> str:
        return quoted(token) if self._drawing is None or quoted(token) == token else f"patch {token}"

    @cached_property
    def groups(self) -> list[list[Part]]:
        """Parts that came from the same tokens: the stream's own, then those of a memory."""
        found: dict[tuple[str, ...], list[Part]] = {}
        for part in self.score.parts:
            found.setdefault(part.tokens, []).append(part)
        return list(found.values())

    @cached_property
    def _totals(self) -> tuple[list[str], list[float]]:
        names = [token for group in self.groups for token in group[0].tokens]
        totals = [float(x) for group in self.groups for x in np.sum([part.shares for part in group], axis=0)]
        return names, totals

    @cached_property
    def _largest(self) -> float:
        """Where the longest bar ends."""
        return extent(np.array(self._totals[1])).limit or 1.0

    # where everything goes

    def _tables(self) -> list[tuple[list[Part], Area]]:
        """One below the other, as high as they have rows."""
        size, area = self.board.size, self._left
        wide = area.width
        heads = [self._head(group, wide) for group in self.groups]
        rows = sum(len(group[0].tokens) for group in self.groups)
        free = area.height - sum(heads) - len(heads) * CAPTION * size
        row, y, found = min(free / rows, ROW * size), area.y, []
        for group, head in zip(self.groups, heads, strict=True):
            high = row * len(group[0].tokens)
            found.append((group, Area(area.x, y + head, wide, high)))
            y += head + high + CAPTION * size
        return found

    def _labels(self, group: Sequence[Part]) -> float:
        return row_label_width(self.board.style, group[0].tokens, LABELS * self.board.size)

    def _matrix(self, group: Sequence[Part], area: Area) -> Area:
        left = self._labels(group)
        return area._replace(x=area.x + left, width=area.width - left - TOTAL * self.board.size)

    def _head(self, group: Sequence[Part], wide: float) -> float:
        """The room above a table for the names of its blocks."""
        inside = wide - self._labels(group) - TOTAL * self.board.size
        return column_label_height(self.board.style, [*map(_name, group)], inside, TURNED * self.board.size)

    @property
    def _left(self) -> Area:
        """What the features leave; a drawing stands at the left of the tables."""
        area, gap = self.board.area, GAP * self.board.size
        image = 0.0 if self._drawing is None else area.width * IMAGE + gap
        return area._replace(x=area.x + image, width=area.width * (1 - FEATURES) - gap - image)

    # what is drawn there

    def _image(self, drawing: Drawing) -> None:
        """What each patch brings in all, on the drawing."""
        board, size, area = self.board, self.board.size, self.board.area
        high, wide = drawing.pixels.shape[:2]
        pixel = min(area.width * IMAGE / wide, (area.height - CAPTION * size) / high)
        shown = Area(area.x, area.y + (area.height - pixel * high) / 2, pixel * wide, pixel * high)
        brought = self._losses or dict(zip(*self._totals, strict=True))
        most = (extent(np.array([*self._losses.values()])).limit or 1.0) if self._losses else self._largest
        shares = {label: HEAT * brought.get(label, 0.0) / most for label in drawing.places}
        decimals = 2 if self._losses else 1
        words = {label: (label, _signed(brought.get(label, 0.0), decimals)) for label in drawing.places}
        widest = max(fonts.width(word, size) for each in words.values() for word in each)
        written = min(size, max(size * pixel / (widest + 0.3 * size), size * SMALLEST, LEGIBLE))
        heat = patch_heat(drawing, shares, shown, board.theme, words, written)
        board.add("drawing", heat, shown.box(board.theme.line), *patch_lines(drawing, shown, board.theme.muted))
        for label, area in patch_areas(drawing, shown).items():
            share = brought.get(label, 0.0)
            said = f" at 0: the score {_change(-share)}" if self._losses else f" brings {_signed(share, 4)} in all"
            board.place(self.score.parts[0].step, area, self._called(label) + said)

    def _table(self, group: list[Part], area: Area) -> None:
        board, size, matrix = self.board, self.board.size, self._matrix(group, area)
        shares = np.stack([part.shares for part in group], axis=1)
        grid = plain_grid(shares, union(extent(part.shares) for part in self.score.parts))
        beside = row_labels(board.style, group[0].tokens, matrix, self._labels(group))
        above = column_labels(board.style, [*map(_name, group)], matrix, self._head(group, area.width))
        board.add("shares", cells(panel_in(grid, matrix), board.style), matrix.box(board.theme.line), *beside, *above)
        self._cells(group, matrix)
        self._bars(shares.sum(axis=1), Area(matrix.right + size, matrix.y, TOTAL * size - size, matrix.height))
        self._sums(shares.sum(axis=0), matrix)

    def _cells(self, group: list[Part], matrix: Area) -> None:
        wide = matrix.width / len(group)
        for j, part in enumerate(group):
            column = Area(matrix.x + j * wide, matrix.y, wide, matrix.height)
            self.board.spot(part.step, column, part.step.title)
            self.board.places(part.step, column, Table(len(part.tokens), 1, partial(self._hint, part)))

    def _hint(self, part: Part, row: int, _: int) -> str:
        share = _signed(float(part.shares[row]), 4)
        return f"{self._called(part.tokens[row])}, {_name(part)}: {share} of the score"

    def _bars(self, totals: Array, area: Area) -> None:
        """What each token brings in all."""
        size, pitch = self.board.size, area.height / len(totals)
        room = max(fonts.width(_signed(x), size) for x in totals.tolist()) + size * 0.4
        marks: list[Mark] = []
        for i, value in enumerate(totals.tolist()):
            middle = area.y + (i + 0.5) * pitch
            wide = bar_length(area.width - room, abs(value) / self._largest)
            marks += self._bar(area.x, middle, wide, min(pitch * 0.6, size * 1.5), value)
            if pitch >= size * 1.05:
                marks.append(Text(area.x + wide + size * 0.3, middle + size * MIDDLE, _signed(value), size, self._text))
        self.board.add("totals", *marks)

    def _bar(self, x: float, middle: float, wide: float, thick: float, value: float) -> list[Mark]:
        colours = self.board.theme
        fill = mixed(colours.stages[int(value > 0)], colours.panel, STRENGTH)
        return [Box(x, middle - thick / 2, max(wide, 0.5), thick, fill)]

    @property
    def _text(self) -> str:
        return self.board.theme.text

    def _sums(self, sums: Array, matrix: Area) -> None:
        """Below each block what it brings in all."""
        size, wide = self.board.size, matrix.width / len(sums)
        texts = [_signed(x) for x in sums.tolist()]
        if max(fonts.width(text, size) for text in texts) > wide:
            return
        y = matrix.bottom + size * 1.3
        marks = [
            Text(matrix.x + (j + 0.5) * wide, y, text, size, self._text, "middle", bold=True)
            for j, text in enumerate(texts)
        ]
        self.board.add("sums", *marks)

    def _features(self) -> None:
        """The features of the vector that is read, the largest share first; what is left, the bias, and the sum."""
        board, size, area = self.board, self.board.size, self.board.area
        area = area._replace(x=area.right - area.width * FEATURES, width=area.width * FEATURES)
        brought = self.score.read * self.score.counts
        order = np.argsort(-np.abs(brought), kind="stable")[: min(MOST, len(brought))]
        rows = [(f"feature {i}", float(brought[i]), self._worked(int(i))) for i in order]
        if len(brought) > len(order):
            rest = float(brought.sum() - brought[order].sum())
            rows.append((f"{len(brought) - len(order)} others", rest, ""))
        rows += [("bias", self.score.bias, "")] if self.score.bias else []
        title = "Features that the head reads"
        board.write(area.x, area.y + size * 1.2, fonts.elided(title, size, area.width), self._text)
        room = area._replace(y=area.y + CAPTION * size, height=area.height - (CAPTION * 2) * size)
        self._ranked(rows, room)
        whole = f"together {_signed(self.score.value)}"
        board.write(area.right, area.bottom - size * 0.6, whole, self._text, "end", 1.1)
        board.spot(self.score.logits, area, f"{self.score.logits.title}: each feature times what it counts")

    def _worked(self, i: int) -> str:
        return f"{decimal(float(self.score.read[i]), 3)} × {decimal(float(self.score.counts[i]), 3)}"

    def _ranked(self, rows: list[tuple[str, float, str]], area: Area) -> None:
        size, pitch = self.board.size, min(area.height / len(rows), self.board.size * 2.6)
        names = max(fonts.width(name, size) for name, _, _ in rows) + size * 0.6
        numbers = max(fonts.width(_signed(value), size) for _, value, _ in rows) + size * 0.4
        most = extent(np.array([value for _, value, _ in rows])).limit or 1.0
        ends = [min(value for _, value, _ in rows) < 0, max(value for _, value, _ in rows) > 0]
        half = (area.width - names - numbers * sum(ends)) / max(sum(ends), 1)
        zero = area.x + names + (half + numbers if ends[0] else 0.0)
        marks: list[Mark] = [Line(zero, area.y, zero, area.y + pitch * len(rows), self.board.theme.line)]
        for i, (name, value, worked) in enumerate(rows):
            middle, wide = area.y + (i + 0.5) * pitch, bar_length(half, abs(value) / most)
            marks += self._bar(zero if value >= 0 else zero - wide, middle, wide, min(pitch * 0.6, size * 1.5), value)
            marks.append(Text(area.x, middle + size * MIDDLE, name, size, self.board.theme.muted))
            beside, anchor = (wide + size * 0.3, _AFTER) if value >= 0 else (-wide - size * 0.3, _BEFORE)
            marks.append(Text(zero + beside, middle + size * MIDDLE, _signed(value), size, self._text, anchor))
            if worked:
                row = Area(area.x, middle - pitch / 2, area.width, pitch)
                self.board.place(self.score.logits, row, f"{name}: {worked} = {_signed(value, 4)}")
        self.board.add("features", *marks)


def _name(part: Part) -> str:
    """``attention 1``, ``positions``: a block by its layer."""
    site = part.step.site
    if part.step.edited and site.block is None and site.part != "embed":
        return "what was put in"
    if site.layer is None:
        return "positions" if site.leaf == "positions" else "embedding"
    return f"{WORDS.get(site.labels[-2], site.labels[-2])} {site.layer}"


def _change(by: float) -> str:
    """
    >>> _change(-0.05), _change(0.25), _change(0)
    ('falls by 0.0500', 'rises by 0.2500', 'stays the same')
    """
    return f"{'rises' if by > 0 else 'falls'} by {decimal(abs(by), 4)}" if by else "stays the same"


def _signed(value: float, decimals: int = 2) -> str:
    written = decimal(value, decimals)
    return f"+{written}" if value > 0 and written[0].isdigit() else written
