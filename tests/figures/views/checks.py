"""What must hold on every page: nothing outside of it, no text on another."""

from __future__ import annotations

from typing import NamedTuple

from txviz.figures import fonts
from txviz.figures.marks import Box, Figure, Group, Heat, Line, Mark, Text

PAGES = ((900, 600), (380, 640))


class Extent(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: Extent) -> bool:
        return (
            self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom
        )


def extent(mark: Mark) -> Extent:
    if isinstance(mark, Text):
        return _text(mark)
    if isinstance(mark, Line):
        xs, ys = sorted((mark.x1, mark.x2)), sorted((mark.y1, mark.y2))
        return Extent(xs[0], ys[0], xs[1], ys[1])
    assert isinstance(mark, Box | Heat)
    return Extent(mark.x, mark.y, mark.x + mark.width, mark.y + mark.height)


def _text(mark: Text) -> Extent:
    """Upright, or turned by a quarter: the letters alone, without the air above and below them."""
    width = fonts.width(mark.text, mark.size, bold=mark.bold, mono=mark.mono)
    before = {"start": 0.0, "middle": 0.5, "end": 1.0}[mark.anchor] * width
    if mark.turn:
        assert mark.turn == 90
        return Extent(mark.x - 0.7 * mark.size, mark.y - width + before, mark.x, mark.y + before)
    return Extent(mark.x - before, mark.y - 0.7 * mark.size, mark.x - before + width, mark.y)


def group(figure: Figure | None, name: str) -> tuple[Mark, ...]:
    """The marks of the group of this name."""
    assert figure is not None
    return next(mark.marks for mark in figure.marks if isinstance(mark, Group) and mark.name == name)


def texts(figure: Figure | None) -> list[Text]:
    assert figure is not None
    return [mark for mark in figure.flat() if isinstance(mark, Text)]


def check_page(figure: Figure | None, page: tuple[float, float], what: str) -> None:
    assert figure is not None, what
    assert (figure.width, figure.height) == page, what
    for mark in figure.flat():
        left, top, right, bottom = extent(mark)
        assert left >= -0.5, f"{what}: {mark} is too far left"
        assert top >= -0.5, f"{what}: {mark} is too high"
        assert right <= figure.width + 0.5, f"{what}: {mark} is too far right"
        assert bottom <= figure.height + 0.5, f"{what}: {mark} is too low"
        if isinstance(mark, Heat) and mark.texts:
            assert max(fonts.width(text, mark.text_size) for text in mark.texts) < mark.cell_width, what
    written = [(extent(mark), mark.text) for mark in texts(figure) if mark.text.strip()]
    for i, (here, text) in enumerate(written):
        for there, other in written[:i]:
            assert not here.meets(there), f"{what}: “{text}” lies on “{other}”"
