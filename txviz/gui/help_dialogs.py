"""The dialogs of the Help menu: all keys, about the model, about txviz."""

from __future__ import annotations

import re
from html import escape
from itertools import groupby

from PySide6.QtCore import Qt
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QTextBrowser, QVBoxLayout, QWidget

from txviz import resources
from txviz.figures.theme import Theme
from txviz.gui.menus import all_keys
from txviz.version import release

LICENCES = {
    "latex2mathml": "MIT",
    "numpy": "BSD 3-Clause",
    "pillow": "MIT-CMU",
    "pyqtgraph": "MIT",
    "pyside6-essentials": "LGPL 3 (Qt)",
    "python-pptx": "MIT",
    "safetensors": "Apache 2.0",
    "threadpoolctl": "BSD 3-Clause",
    "xlsxwriter": "BSD 2-Clause",
    "ziamath": "MIT (its font, STIX Two Math: SIL OFL 1.1)",
}
"""Of every library that txviz needs."""


MARKDOWN = QTextDocument.MarkdownFeature.MarkdownDialectGitHub | QTextDocument.MarkdownFeature.MarkdownNoHTML
"""Without HTML, so that <UNK> is a word like any other and nothing after it is lost."""


class TextDialog(QDialog):
    """A page of text with a Close button."""

    def __init__(self, title: str, page: str, parent: QWidget | None, *, markdown: bool = False) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.text = QTextBrowser(openExternalLinks=True)
        self.text.setAccessibleName(title)
        self.text.document().setMarkdown(page, MARKDOWN) if markdown else self.text.setHtml(page)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(self.text)
        layout.addWidget(buttons)
        self.resize(620, 640)


def keys_dialog(theme: Theme, parent: QWidget | None) -> TextDialog:
    blocks = []
    for group, rows in groupby(all_keys(), key=lambda row: row[0]):
        lines = "".join(
            f"<tr><td style='padding:2px 24px 2px 0'><b>{escape(key)}</b></td><td>{escape(text)}</td></tr>"
            for _, key, text in rows
        )
        blocks.append(f"<h3 style='color:{theme.accent}'>{escape(group)}</h3><table>{lines}</table>")
    return TextDialog("Keys", "".join(blocks), parent)


def card_dialog(model: str, summary: str, parent: QWidget | None) -> TextDialog:
    """The model's card, or its summary where it has none."""
    card = resources.path("models", model, "card.md")
    if card.is_file():
        return TextDialog(f"About {model}", card.read_text(encoding="utf-8"), parent, markdown=True)
    return TextDialog(f"About {model}", f"<h1>{escape(model)}</h1><p>{escape(summary)}.</p>", parent)


def about_dialog(parent: QWidget | None) -> TextDialog:
    rows = "".join(
        f"<tr><td style='padding-right:24px'>{escape(f'{name} {_version(name)}')}</td><td>{escape(licence)}</td></tr>"
        for name, licence in (("txviz", "MIT"), *((name, LICENCES.get(name, "")) for name in libraries()))
    )
    page = (
        f"<h2>txviz {escape(release())}</h2>"
        "<p>Steps through a transformer: every tensor, every attention weight, and the arithmetic of every cell. "
        "Every number is computed, checked and explained.</p>"
        f"<h3>Made with</h3><table>{rows}</table>"
        "<p>Fonts: IBM Plex Sans and Mono (SIL OFL 1.1), DejaVu Sans (Bitstream Vera licence). "
        "Data: UCI handwritten digits (CC BY 4.0).</p>"
    )
    return TextDialog("About txviz", page, parent)


def libraries() -> list[str]:
    """What txviz needs, as its package says; without what only some extra needs."""
    from importlib.metadata import PackageNotFoundError, requires  # takes a while, and few ask for it

    try:
        needed = [line for line in requires("txviz") or [] if "extra ==" not in line]
    except PackageNotFoundError:  # it runs without having been installed
        return list(LICENCES)
    return sorted({re.split(r"[^\w.-]", line, maxsplit=1)[0].lower() for line in needed})


def _version(package: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return ""
