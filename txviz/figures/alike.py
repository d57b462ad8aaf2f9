"""Sentences beside each other: how alike each is to each, and which is nearest to a question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from txviz.figures import fonts
from txviz.figures.colour_scale import Span
from txviz.figures.marks import Box, Figure, Heat, Mark, Text
from txviz.figures.naming import quoted
from txviz.figures.numerals import decimal
from txviz.figures.style import Style
from txviz.figures.theme import DARK_INK, LIGHT_INK, colours, is_dark, mixed
from txviz.figures.views.page import MIDDLE, Area, Page, rows_of
from txviz.ops import Array

LABELS, GAP, ROW = 0.34, 2.4, 3.0
"""How much of the width sentences may take beside the matrix; the room between, and the height of a row at most."""

MATRIX = 0.62
"""How much of the width the matrix takes where there is a question, too."""


@dataclass(frozen=True, eq=False)
class Alike:
    """Sentences with their vectors, each of length 1; the question is one of them, but stands by itself."""

    sentences: Sequence[str]
    vectors: Array  # (n,d)
    question: str = ""
    asked: Array = field(default_factory=lambda: np.zeros(0))  # (d,)

    @property
    def cosines(self) -> Array:  # -> (n,n)
        return np.asarray(self.vectors @ self.vectors.T)

    @property
    def answers(self) -> list[tuple[int, float]]:
        """The sentences by how near they are to the question, the nearest first."""
        if not self.question:
            return []
        near = self.vectors @ self.asked
        return [(int(i), float(near[i])) for i in np.argsort(-near, kind="stable")]


def alike_figure(shown: Alike, width: float, height: float, style: Style) -> Figure:
    page = Page(width, height, style)
    page.title("Which sentences mean the same?")
    if not shown.sentences:
        page.paragraph("Write some sentences, one on each line.")
        return page.figure()
    page.caption(_said(shown))
    area, gap = page.left, GAP * page.style.size
    left = area._replace(width=area.width * (MATRIX if shown.question else 1.0))
    page.add("matrix", _matrix(shown, left, page.style))
    if shown.question:
        right = area._replace(x=left.right + gap, width=area.right - left.right - gap)
        page.add("answers", _answers(shown, right, page.style))
    return page.figure()


def _said(shown: Alike) -> str:
    told = "Each sentence is a vector of length 1; the number is the cosine of the angle between two of them."
    if shown.answers:
        best, cosine = shown.answers[0]
        return f"{told} Nearest to the question is {quoted(shown.sentences[best])}, with {decimal(cosine, 2)}."
    cosines = shown.cosines - 2 * np.eye(len(shown.sentences))
    if len(shown.sentences) < 2:
        return told
    i, j = np.unravel_index(int(cosines.argmax()), cosines.shape)
    first, second = quoted(shown.sentences[int(i)]), quoted(shown.sentences[int(j)])
    return f"{told} Most alike are {first} and {second}, with {decimal(float(cosines[i, j]), 2)}."


def _matrix(shown: Alike, area: Area, style: Style) -> list[Mark]:
    size, count, theme = style.size, len(shown.sentences), style.theme
    numbered = [f"{i + 1}  {text}" for i, text in enumerate(shown.sentences)]
    labels = min(max(fonts.width(text, size) for text in numbered) + size, area.width * LABELS)
    side = min(area.width - labels, area.height - size * 1.8)
    pitch = min(side / count, ROW * 2 * size)
    left, top = area.x + labels, area.y + size * 1.8
    values = shown.cosines
    painted = colours(theme, values, Span.around_0(1.0))
    inks = bytes(int(is_dark(colour)) for colour in painted.reshape(-1, 3))
    texts = tuple(decimal(float(x), 2) for x in values.ravel())
    letters = min(size * 1.1, pitch / 2.6)
    shows = letters >= size * 0.6
    heat = Heat(
        left, top, pitch, pitch, count, count, rows_of(painted),
        texts=texts if shows else (), inks=inks if shows else b"", light_ink=LIGHT_INK, dark_ink=DARK_INK,
        text_size=letters if shows else 0,
    )  # fmt: skip
    marks: list[Mark] = [heat, Area(left, top, pitch * count, pitch * count).box(theme.line)]
    for i, text in enumerate(numbered):
        shown_text = fonts.elided(text, size, labels - size * 0.6)
        middle = top + (i + 0.5) * pitch + size * MIDDLE
        marks.append(Text(left - size * 0.5, middle, shown_text, size, theme.text, "end"))
        marks.append(Text(left + (i + 0.5) * pitch, top - size * 0.5, str(i + 1), size, theme.muted, "middle"))
    return marks


def _answers(shown: Alike, area: Area, style: Style) -> list[Mark]:
    """The search: bars for how near each sentence is to the question."""
    size, theme = style.size, style.theme
    asked = fonts.elided(f"Nearest to: {shown.question}", size, area.width)
    marks: list[Mark] = [Text(area.x, area.y + size * 1.1, asked, size, theme.text, bold=True)]
    top = area.y + size * 2.2
    pitch = min((area.bottom - top) / len(shown.answers), ROW * size)
    room = area.width - fonts.width("−0.00", size) - size * 0.6
    for row, (which, cosine) in enumerate(shown.answers):
        y = top + row * pitch
        wide = max(room * abs(cosine), 0.5)
        fill = mixed(theme.accent if row == 0 else theme.stages[int(cosine < 0)], theme.panel, 0.5 if row == 0 else 0.3)
        marks.append(Box(area.x, y + 1, wide, pitch - 2, fill, radius=size * 0.2))
        text = fonts.elided(shown.sentences[which], size, room - size * 0.6)
        middle = y + pitch / 2 + size * MIDDLE
        marks.append(Text(area.x + size * 0.4, middle, text, size, theme.text, bold=row == 0))
        marks.append(Text(area.right, middle, decimal(cosine, 2), size, theme.text, "end", bold=row == 0))
    return marks
