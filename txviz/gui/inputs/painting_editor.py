"""The drawing board of colours with its tools."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QButtonGroup, QToolButton

from txviz.errors import TxvizError
from txviz.figures.theme import LIGHT, Theme
from txviz.gui.inputs.board_editor import BoardEditor
from txviz.gui.inputs.board_tools import tool_button
from txviz.gui.inputs.colour_board import ColourBoard, Tool
from txviz.gui.inputs.palette import Palette
from txviz.gui.inputs.picture_source import PictureSource
from txviz.gui.inputs.pictures import read_colours
from txviz.models.colour_text import colours_text, is_colours
from txviz.models.model import Model
from txviz.ops import Array

_TOOLS: tuple[tuple[Tool, str, str], ...] = (
    ("brush", "Brush", "Paint pixel by pixel"),
    ("fill", "Fill", "Give an area of one colour another one"),
    ("eraser", "Erase", "Make pixels white, as the right button does with every tool"),
)


class PaintingEditor(PictureSource, BoardEditor):
    """Draws with colours. A picture is made as small as the model reads it; its file is named until it is drawn on."""

    def __init__(self, model: Model) -> None:
        self._pixels = model.takes.pixels or np.asarray
        self._source = model.example
        self.board = ColourBoard(self._pixels(model.example), LIGHT)
        super().__init__(self.board, "white")
        self.palette_row = Palette()
        self.tools = {tool: self._tool_button(tool, text, about) for tool, text, about in _TOOLS}
        self._group = QButtonGroup(self)
        for button in self.tools.values():
            self._group.addButton(button)
        self._arrange([], [*self.shifts, *self.tools.values()], [self.palette_row])
        self.tools["brush"].setChecked(True)
        self.palette_row.chosen.connect(self._take_colour)
        self.board.place_requested.connect(self.palette_row.choose)
        self.board.turned.connect(self.palette_row.turn)
        self.palette_row.choose(0)

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self.palette_row.set_theme(theme)

    def _ask(self, pixels: Array) -> None:
        self._source = colours_text(pixels)
        self.source_requested.emit(self._source)

    def _at_once(self, text: str) -> Array | None:  # -> (rows,columns,3)
        return self._seen(text) if is_colours(text) else None

    def _colours(self, picture: QImage | Path | str) -> Array:  # -> (rows,columns,3)
        return self._pixels(read_colours(picture) if isinstance(picture, QImage) else picture)

    def _text(self, colours: Array) -> str:  # (rows,columns,3) ->
        return colours_text(colours)

    def _take_text(self, text: str) -> None:
        """Rows of colours."""
        try:
            self.board.change(self._pixels(text))
        except TxvizError as error:
            self.refused.emit(str(error))

    def _show(self, source: str, colours: Array | None) -> None:  # (rows,columns,3)
        if colours is not None:
            self.board.show_pixels(colours)

    def _take_colour(self, colour: Array) -> None:  # (3,)
        """Who chooses a colour while erasing wants to draw with it."""
        self.board.colour = colour
        if self.board.tool == "eraser":
            self.tools["brush"].setChecked(True)

    def _tool_button(self, tool: Tool, text: str, about: str) -> QToolButton:
        button = tool_button(text, about, lambda: None)
        button.setCheckable(True)
        button.toggled.connect(lambda on: self._take_tool(tool) if on else None)
        return button

    def _take_tool(self, tool: Tool) -> None:
        self.board.tool = tool
