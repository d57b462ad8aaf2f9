"""What all editors of an input have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from txviz.figures.patches import Drawing
from txviz.figures.theme import Theme


class Editor(QWidget):
    """Where the input of one model is typed or drawn. It holds what is edited, and asks for all else."""

    source_requested = Signal(str)
    """The input as text, after every edit."""
    refused = Signal(str)
    """Why something was not taken, in a sentence."""

    pointed = Signal(str)
    """What is under the pointer, or under the cursor of the keyboard, in words; nothing where there is nothing."""

    begin: QWidget
    """Where the keyboard begins to edit."""

    def source(self) -> str:
        raise NotImplementedError

    def show_source(self, text: str) -> None:
        """Shows an input, and emits nothing."""
        raise NotImplementedError

    def show_options(self, options: Mapping[str, Any]) -> None:
        """The model's options, for an editor that shows how they change what is read."""

    def show_patches(self, drawing: Drawing | None) -> None:
        """How the model cuts an image into patches, for an editor that shows one."""

    def set_theme(self, theme: Theme) -> None:
        raise NotImplementedError
