"""Figures made for a place: the screen, a slide seen from the back of a room, a column of a paper."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from txviz.errors import TxvizError
from txviz.figures.style import Style
from txviz.figures.theme import DARK, LIGHT, PAPER, Theme


@dataclass(frozen=True)
class Preset:
    name: str
    width: float
    height: float
    style: Style
    theme_chosen: bool = False
    """Then a web page opens in that theme, and else in the one that its reader's system has."""

    def themed(self, theme: Theme) -> Preset:
        return replace(self, style=replace(self.style, theme=theme), theme_chosen=True)


SCREEN = Preset("screen", 960, 600, Style(theme=LIGHT, size=12, growth=1.5))
SLIDE = Preset("slide", 1280, 720, Style(theme=LIGHT, size=18, growth=1.6))
PAPER_COLUMN = Preset("paper", 680, 340, Style(theme=PAPER, size=11, growth=1.2))

PRESETS = {preset.name: preset for preset in (SLIDE, PAPER_COLUMN, SCREEN)}
THEMES = {theme.name: theme for theme in (LIGHT, DARK, PAPER)}

MOST = 20_000
"""Of a page's width or height."""


def make_page(
    preset: str, theme: str | None = None, width: float | None = None, height: float | None = None, **style: Any
) -> Preset:
    """The preset of this name, with whatever else is wished for."""
    if preset not in PRESETS:
        raise TxvizError(f'no preset is called "{preset}"; there are {", ".join(PRESETS)}')
    if theme is not None and theme not in THEMES:
        raise TxvizError(f'no theme is called "{theme}"; there are {", ".join(THEMES)}')
    for name, amount in (("width", width), ("height", height), ("text size", style.get("size"))):
        if amount is not None and not 0 < amount <= MOST:
            raise TxvizError(f"the {name} is {amount:g}; it must be more than 0 and at most {MOST:,}")
    chosen = PRESETS[preset] if theme is None else PRESETS[preset].themed(THEMES[theme])
    styled = replace(chosen.style, **style)
    return replace(chosen, width=width or chosen.width, height=height or chosen.height, style=styled)
