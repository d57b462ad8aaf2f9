"""What can be chosen about an export, by name, for the command line and the window alike. The defaults are here."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

from txviz.figures.formats import FORMATS
from txviz.figures.presets import Preset, make_page


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

    title: bool = True
    formula: bool = True
    numbers: bool = True
    labels: bool = True
    resolution: float | None = None
    """Pixels for each unit of the page; the format's own where nothing is said."""

    transparent: bool = False
    seconds: float | None = None
    """How long an animation or a film shows each step; the format's own where nothing is said."""

    frames: float | None = None
    """How many it has a second; with 0 nothing moves. The format's own where nothing is said."""

    loop: bool = True
    worksheet: str = ""
    """How much is left to the reader: some "cells" of each result, the whole "result", or the whole "block"."""

    def page(self) -> Preset:
        """The preset with all that was chosen."""
        style: dict[str, object] = {part: getattr(self, part) for part in ("title", "formula", "numbers", "labels")}
        if self.text_size is not None:
            style["size"] = self.text_size
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
            resolution=self.resolution or FORMATS[self.format].resolution,
            seconds=self.seconds or FORMATS[self.format].seconds,
            frames=FORMATS[self.format].frames if self.frames is None else self.frames,
        )
