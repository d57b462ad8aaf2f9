"""Labels of rows and columns: shortened where long, turned above narrow cells, smaller and then fewer among many."""

from __future__ import annotations

from collections.abc import Sequence

from txviz.figures import fonts
from txviz.figures.label_places import label_places, label_size
from txviz.figures.marks import Text
from txviz.figures.style import Style
from txviz.figures.views.page import MIDDLE, Area

GAP = 0.4
"""Between the labels and the cells."""

PITCH = 1.05
"""How far apart labels are at least. Both by the size of the text."""


def row_label_width(style: Style, labels: Sequence[str], most: float) -> float:
    """The room that the labels of rows need at the left of a matrix."""
    if not style.labels or not any(labels):
        return 0.0
    return min(max(fonts.width(label, style.size) for label in labels) + style.size * GAP + 0.1, most)


def row_labels(style: Style, labels: Sequence[str], area: Area, room: float) -> list[Text]:
    """To the left of the area, every one that fits, so wide at most."""
    if not style.labels or not room:
        return []
    pitch = area.height / max(len(labels), 1)
    size = label_size(style.size, pitch / PITCH)
    x, y = area.x - size * GAP, area.y + pitch / 2 + size * MIDDLE
    shown = [(i, fonts.elided(labels[i], size, room - size * GAP)) for i in _places(len(labels), pitch, size)]
    return [Text(x, y + i * pitch, label, size, style.theme.muted, "end") for i, label in shown]


def column_label_height(style: Style, labels: Sequence[str], width: float, most: float) -> float:
    """The room that the labels of columns need above a matrix of this width."""
    if not style.labels:
        return 0.0
    if _fit(style, labels, width):
        return style.size * 1.35
    return min(max(fonts.width(label, style.size) for label in labels) + style.size * 0.6, most)


def column_labels(style: Style, labels: Sequence[str], area: Area, room: float) -> list[Text]:
    """Above the area, turned where they are too wide; none where the room is too low for turned ones."""
    if not style.labels or not room:
        return []
    size, pitch, muted = style.size, area.width / max(len(labels), 1), style.theme.muted
    x, y = area.x + pitch / 2, area.y - size * GAP
    if _fit(style, labels, area.width):
        return [Text(x + j * pitch, y, label, size, muted, "middle") for j, label in enumerate(labels)]
    if room < size * 1.8:
        return []
    size = label_size(size, pitch / PITCH)
    shown = [(j, fonts.elided(labels[j], size, room - size * 0.5)) for j in _places(len(labels), pitch, size)]
    return [Text(x + j * pitch + size * MIDDLE, y, label, size, muted, turn=90) for j, label in shown]


def _places(count: int, pitch: float, size: float) -> list[int]:
    return label_places(count, pitch, size * PITCH - 1e-6)


def _fit(style: Style, labels: Sequence[str], width: float) -> bool:
    """Whether they need not be turned."""
    longest = max((fonts.width(label, style.size) for label in labels), default=0.0)
    return longest + style.size * 0.3 <= width / max(len(labels), 1)
