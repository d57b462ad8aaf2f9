"""Dialogs that tell: all keys, about a model, about txviz."""

from __future__ import annotations

from html import escape
from importlib.metadata import PackageNotFoundError, version
from itertools import groupby

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QTextBrowser, QVBoxLayout, QWidget

import txviz
from txviz import resources
from txviz.figures.theme import Theme
from txviz.gui.menus import all_keys

_LICENCES = (
    ("txviz", "MIT"),
    ("NumPy", "BSD 3-Clause"),
    ("PySide6-Essentials", "LGPL 3 (Qt)"),
    ("pyqtgraph", "MIT"),
    ("pillow", "MIT-CMU"),
    ("safetensors", "Apache 2.0"),
    ("threadpoolctl", "BSD 3-Clause"),
    ("ziamath", "MIT (its font, STIX Two Math: SIL OFL 1.1)"),
)


class Telling(QDialog):
    """A page of text with a Close button."""

    def __init__(self, title: str, page: str, parent: QWidget | None, *, markdown: bool = False) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.text = QTextBrowser(openExternalLinks=True)
        self.text.setAccessibleName(title)
        self.text.setMarkdown(page) if markdown else self.text.setHtml(page)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(self.text)
        layout.addWidget(buttons)
        self.resize(620, 640)


def keys_dialog(theme: Theme, parent: QWidget | None) -> Telling:
    blocks = []
    for group, rows in groupby(all_keys(), key=lambda row: row[0]):
        lines = "".join(
            f"<tr><td style='padding:2px 24px 2px 0'><b>{escape(key)}</b></td><td>{escape(text)}</td></tr>"
            for _, key, text in rows
        )
        blocks.append(f"<h3 style='color:{theme.accent}'>{group}</h3><table>{lines}</table>")
    return Telling("Keys", "".join(blocks), parent)


def card_dialog(model: str, summary: str, parent: QWidget | None) -> Telling:
    """The model's card, or its summary where it has none."""
    card = resources.path("models", model, "card.md")
    page = card.read_text(encoding="utf-8") if card.is_file() else f"# {model}\n\n{summary}."
    return Telling(f"About {model}", page, parent, markdown=True)


def about_dialog(parent: QWidget | None) -> Telling:
    rows = "".join(
        f"<tr><td style='padding-right:24px'>{name} {_version(name)}</td><td>{licence}</td></tr>"
        for name, licence in _LICENCES
    )
    page = (
        f"<h2>txviz {txviz.__version__}</h2>"
        "<p>Steps through a transformer: every tensor, every attention weight, and the arithmetic of every cell. "
        "Every number is computed, checked and explained.</p>"
        f"<h3>Made with</h3><table>{rows}</table>"
        "<p>Fonts: IBM Plex Sans and Mono (SIL OFL 1.1), DejaVu Sans (Bitstream Vera licence). "
        "Data: UCI handwritten digits (CC BY 4.0).</p>"
    )
    return Telling("About txviz", page, parent)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
