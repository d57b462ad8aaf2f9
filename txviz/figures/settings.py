"""What can be chosen about an export, by name, for the command line and the window alike. The defaults are here."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

from txviz.figures.crop import crop_name
from txviz.figures.formats import FORMATS
from txviz.figures.presets import Preset, make_page

IN_STYLE = ("scale", "title", "formula", "numbers", "labels")
"""What goes into the style as it is."""


@dataclass(frozen=True)
class Settings:
    format: str = "png"
    view: str = "stage"
    preset: str = "slide"
    theme: str | None = None
    width: float | None = None
    height: float | None = None
    text_size: float | None = None
    """Of these four, the preset's own where nothing is said."""

    crop: str | None = None
    """What is shown of large tensors: as much as can be read ("auto"), all ("none"), so many rows and columns ("6,8"),
    or these of the result ("0:8,0:16"); the preset's own where nothing is said."""

    scale: str = "auto"
    """Of the colours: one of ``SCALES``, or "fixed:LO,HI"."""

    title: bool | str = True
    """Whether there is one. A text stands in place of the figure's own; {title}, {name} and {number} are the step's."""

    formula: bool = True
    numbers: bool = True
    labels: bool = True
    caption: str = ""
    """A text below each figure; it can have {title}, {name} and {number}, too."""

    provenance: bool = False
    """A small line below it: how many steps replay to the same numbers, the model, its input, and the version."""

    resolution: float | None = None
    """Pixels for each unit of the page; the format's own where nothing is said."""

    transparent: bool = False
    text: str = "text"
    """Whether a drawing has "text", which can be searched and edited, or "outlines", which need no font."""

    separate: bool = False
    """A file for each figure, where the format would have all of them in one."""

    seconds: float | None = None
    """How long an animation or a film shows each step; the format's own where nothing is said."""

    frames: float | None = None
    """How many it has a second; with 0 nothing moves. The format's own where nothing is said."""

    loop: bool = True
    builds: bool = True
    """Slides of a talk build up on click, and one turns into the next."""

    cover: bool = True
    """A talk begins with a slide that has its title."""

    worksheet: str = ""
    """How much is left to the reader: some "cells" of each result, the whole "result", or the whole "block"."""

    def page(self) -> Preset:
        """The preset with all that was chosen."""
        style: dict[str, object] = {part: getattr(self, part) for part in IN_STYLE}
        if self.text_size is not None:
            style["size"] = self.text_size
        if self.crop is not None:
            style["crop"] = self.crop
        return make_page(self.preset, self.theme, self.width, self.height, **style)

    def full(self) -> Self:
        """The same with everything said."""
        page = self.page()
        return replace(
            self,
            theme=page.style.theme.name,
            width=page.width,
            height=page.height,
            text_size=page.style.size,
            crop=self.crop or crop_name(page.style.crop),
            resolution=self.resolution or FORMATS[self.format].resolution,
            seconds=self.seconds or FORMATS[self.format].seconds,
            frames=FORMATS[self.format].frames if self.frames is None else self.frames,
        )
