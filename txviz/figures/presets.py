"""Figures made for a place: the screen, a slide seen from the back of a room, a column of a paper."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from txviz.errors import TxvizError
from txviz.figures.colour_scale import read_scale
from txviz.figures.crop import READABLE, WHOLE, parse_crop
from txviz.figures.marks import PIXELS_PER_INCH
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

    fixed: bool = False
    """Then what needs a larger page is refused, and else it gets one."""

    def themed(self, theme: Theme) -> Preset:
        return replace(self, style=replace(self.style, theme=theme), theme_chosen=True)

    def whole(self) -> Preset:
        """With all cells, where it would be cropped to what can be read: its text leaves more room for them."""
        if not self.style.crop.fits:
            return self
        return replace(self, style=replace(self.style, crop=WHOLE, size=float(round(self.style.size * CLOSER))))


CLOSER = 0.82
"""How large the text is where a page for a large room is seen from close by."""


CM, POINT = PIXELS_PER_INCH / 2.54, PIXELS_PER_INCH / 72
"""In pixels."""

SCREEN = Preset("screen", 960, 600, Style(theme=LIGHT, size=12, growth=2))
SLIDE = Preset("slide", 1280, 720, Style(theme=LIGHT, size=22, growth=1.3, crop=READABLE))
PAPER_COLUMN = Preset("paper", 680, 340, Style(theme=PAPER, size=11, growth=1.2))
COLUMN = Preset("column", 8.4 * CM, 11 * CM, Style(theme=PAPER, size=8 * POINT), fixed=True)
TEXT_WIDTH = Preset("text-width", 17 * CM, 9 * CM, Style(theme=PAPER, size=8.5 * POINT, growth=1.1), fixed=True)
POSTER = Preset("poster", 60 * CM, 36 * CM, Style(theme=LIGHT, size=24 * POINT, growth=1.6), fixed=True)

PRESETS = {preset.name: preset for preset in (SLIDE, PAPER_COLUMN, COLUMN, TEXT_WIDTH, POSTER, SCREEN)}
THEMES = {theme.name: theme for theme in (LIGHT, DARK, PAPER)}

LIMITS = {
    "width": (1, 20_000),
    "height": (1, 20_000),
    "text size": (1, 1_000),
    "resolution": (0.01, 25),
    "dpi": (0.01 * PIXELS_PER_INCH, 25 * PIXELS_PER_INCH),
    "number of seconds": (0.01, 600),
    "number of frames a second": (1, 120),
}
"""The least and the most of what is a number. A GIF counts its time in hundredths of a second, up to eleven minutes."""

MOST_PIXELS = 100_000_000
"""Of a picture: painting and packing it takes some 13 bytes for each."""


def check_number(name: str, amount: float | None) -> None:
    """One sentence about a number that is too small, too large or none at all."""
    least, most = LIMITS[name]
    if amount is not None and not least <= amount <= most:
        raise TxvizError(f"the {name} is {amount:g}; it must be from {least:g} to {most:,}")


def check_pixels(width: float, height: float, scale: float) -> None:
    """One sentence about a picture that takes too much memory."""
    if not width * height * scale**2 <= MOST_PIXELS:
        raise TxvizError(
            f"a picture of {width * scale:,.0f} × {height * scale:,.0f} pixels is too large; it can have "
            f"{MOST_PIXELS:,} pixels, so give a smaller width, height or resolution"
        )


def make_page(
    preset: str, theme: str | None = None, width: float | None = None, height: float | None = None, **style: Any
) -> Preset:
    """The preset of this name, with whatever else is wished for."""
    if preset not in PRESETS:
        raise TxvizError(f'no preset is called "{preset}"; there are {", ".join(PRESETS)}')
    if theme is not None and theme not in THEMES:
        raise TxvizError(f'no theme is called "{theme}"; there are {", ".join(THEMES)}')
    for name, amount in (("width", width), ("height", height), ("text size", style.get("size"))):
        check_number(name, amount)
    if "scale" in style:
        style["scale"] = read_scale(style["scale"])
    chosen = PRESETS[preset] if theme is None else PRESETS[preset].themed(THEMES[theme])
    if isinstance(style.get("crop"), str):
        style["crop"] = parse_crop(style["crop"])
        chosen = chosen if style["crop"].fits else chosen.whole()
    styled = replace(chosen.style, **style)
    page = replace(chosen, width=width or chosen.width, height=height or chosen.height, style=styled)
    return replace(page, fixed=chosen.fixed or (page.width, page.height) != (chosen.width, chosen.height))
