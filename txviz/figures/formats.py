"""The formats that figures and tensors can be written in. A new one is a module in ``writers``, and one row here."""

from __future__ import annotations

from dataclasses import dataclass

LOOK = (
    "preset", "theme", "width", "height", "text_size", "crop", "scale", "title", "formula", "numbers", "labels",
    "caption", "provenance",
)  # fmt: skip
"""What can be chosen wherever something is drawn."""

MOVING = (*LOOK, "view", "resolution", "seconds", "frames")
"""The same of what is shown one after the other."""

DEPTHS = {"cells": "some cells of each result", "result": "whole results", "block": "all but inputs and weights"}
"""What a worksheet leaves blank."""

TEXTS = ("text", "outlines")
"""What the letters of a drawing are."""

SUBTITLES = ("srt", "video.write_subtitles")


SVG = (*LOOK, "view", "transparent", "text")
PDF = (*LOOK, "view", "transparent", "worksheet", "separate")


@dataclass(frozen=True)
class Format:
    suffix: str
    about: str
    """For a person to choose from."""

    written_by: str
    """The function that makes the file from an ``Export``."""

    one_file: bool
    """Whether all steps go into one file, or each into its own."""

    options: tuple[str, ...]
    """The settings that change something."""

    resolution: float = 2.0
    """Pixels for each unit of the page, when nobody says."""

    levels: bool = False
    """Whether it can show a level above the steps: the map, a block, …"""

    view: str = "stage"
    """What it shows when nobody says."""

    seconds: float = 1.0
    """Of each step, when nobody says."""

    frames: float = 0
    """A second, when nobody says; with none, nothing moves, and one picture follows the other."""

    beside: tuple[str, str] | None = None
    """The ending of a second file that goes with it, and the function that makes that."""

    also: tuple[str, ...] = ()
    """Other endings that its files may have, where the format is said."""

    @property
    def drawn(self) -> bool:
        """Whether it shows any view, and not just the stage."""
        return "view" in self.options


FORMATS = {
    row.suffix: row
    for row in (
        Format("png", "PNG picture", "png.write", False, (*LOOK, "view", "resolution", "transparent"), levels=True),
        Format("svg", "SVG drawing, with real text", "svg.write", False, SVG, levels=True),
        Format(
            "tikz",
            "TikZ drawing for LaTeX, in the paper's own fonts",
            "tikz.write",
            False,
            (*LOOK, "view", "transparent"),
            levels=True,
            also=("tex",),
        ),
        Format("pdf", "PDF, one page for each figure", "pdf.write", True, PDF, levels=True),
        Format("gif", "Animated GIF", "gif.write", True, (*MOVING, "loop"), 1.0, levels=True),
        *(
            Format(suffix, about, "video.write", True, (*MOVING, *more), sharp, True, "stage", 4.0, rate, SUBTITLES)
            for suffix, about, more, sharp, rate in (
                ("mp4", "MP4 film", (), 1.5, 30),
                ("webm", "WebM film", (), 1.5, 30),
                ("webp", "Animated WebP", ("loop",), 1.0, 15),
            )
        ),
        Format(
            "pptx",
            "PowerPoint, editable shapes and speaker notes",
            "slides.write",
            True,
            (*LOOK, "view", "resolution", "builds", "cover"),
            levels=True,
        ),
        Format("html", "Web page to step through, offline", "html.write", True, (*LOOK, "view"), levels=True),
        Format("mmd", "Mermaid diagram, as text for a README", "mermaid.write", False, (), levels=True, view="map"),
        Format("xlsx", "Workbook with live formulas", "workbook.write", True, (), levels=True),
        Format("csv", "CSV table of the numbers", "tables.write_csv", False, ()),
        Format("npy", "NumPy array", "tables.write_npy", False, ()),
        Format("md", "Markdown table", "tables.write_markdown", False, ()),
        Format("tex", "LaTeX table and formula", "tables.write_latex", False, ()),
    )
}

ONE_FILE = tuple(name for name, row in FORMATS.items() if row.one_file)
FILE_EACH = tuple(name for name, row in FORMATS.items() if not row.one_file)
DRAWN = tuple(name for name, row in FORMATS.items() if row.drawn)
LEVELED = tuple(name for name, row in FORMATS.items() if row.levels)
PAGES = tuple(name for name, row in FORMATS.items() if "theme" in row.options)
"""Those with drawn pages."""


OTHER_NAMES = {"mermaid": "mmd"}
"""What a format is called, too."""


def with_option(option: str) -> str:
    """The formats for which a setting matters, as text: ``png, gif, pptx``."""
    return ", ".join(name for name, row in FORMATS.items() if option in row.options)
