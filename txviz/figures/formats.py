"""The formats that figures and tensors can be written in. A new one is a module in ``writers``, and one row here."""

from __future__ import annotations

from dataclasses import dataclass

LOOK = ("preset", "theme", "width", "height", "text_size", "title", "formula", "numbers", "labels")
"""What can be chosen wherever something is drawn."""


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

    @property
    def drawn(self) -> bool:
        """Whether it shows any view, and not just the stage."""
        return "view" in self.options


FORMATS = {
    row.suffix: row
    for row in (
        Format("png", "PNG picture", "png.write", False, (*LOOK, "view", "resolution", "transparent"), levels=True),
        Format("svg", "SVG drawing, with real text", "svg.write", False, (*LOOK, "view"), levels=True),
        Format("pdf", "PDF, one page for each figure", "pdf.write", True, (*LOOK, "view"), levels=True),
        Format(
            "gif", "Animated GIF", "gif.write", True, (*LOOK, "view", "resolution", "seconds", "loop"), 1.0, levels=True
        ),
        Format(
            "pptx",
            "PowerPoint, editable shapes and speaker notes",
            "slides.write",
            True,
            (*LOOK, "resolution"),
            levels=True,
        ),
        Format("html", "Web page to step through, offline", "html.write", True, LOOK, levels=True),
        Format("mmd", "Mermaid diagram, as text for a README", "mermaid.write", False, (), levels=True, view="map"),
        Format("xlsx", "Workbook with live formulas", "workbook.write", True, ()),
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


OTHER_NAMES = {"mermaid": "mmd"}
"""What a format is called, too."""


def with_option(option: str) -> str:
    """The formats for which a setting matters, as text: ``png, gif, pptx``."""
    return ", ".join(name for name, row in FORMATS.items() if option in row.options)
