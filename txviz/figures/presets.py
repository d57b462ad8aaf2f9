"""Figures made for a place: the screen, a slide seen from the back of a room, a column of a paper."""

from __future__ import annotations

from dataclasses import dataclass, replace

from txviz.figures.stage import Style
from txviz.figures.theme import DARK, LIGHT, PAPER, Theme


@dataclass(frozen=True)
class Preset:
    name: str
    width: float
    height: float
    style: Style

    def themed(self, theme: Theme) -> Preset:
        return replace(self, style=replace(self.style, theme=theme))


SCREEN = Preset("screen", 960, 600, Style(theme=LIGHT, size=12, growth=1.5))
SLIDE = Preset("slide", 1280, 720, Style(theme=LIGHT, size=18, growth=1.6))
PAPER_COLUMN = Preset("paper", 680, 340, Style(theme=PAPER, size=11, growth=1.2))

PRESETS = {preset.name: preset for preset in (SLIDE, PAPER_COLUMN, SCREEN)}
THEMES = {theme.name: theme for theme in (LIGHT, DARK, PAPER)}
