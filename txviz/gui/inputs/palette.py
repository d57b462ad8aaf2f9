"""The colours to draw with: a few that everybody can tell apart, and one of one's own."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QColorDialog, QHBoxLayout, QWidget

from txviz.figures.theme import LIGHT, Theme, rgb
from txviz.gui.guard import guarded
from txviz.gui.inputs.board_tools import tool_button
from txviz.models.colour_text import colour_text
from txviz.ops import Array

COLOURS = {
    "black": "#000000",
    "white": "#ffffff",
    "red": "#d55e00",
    "orange": "#e69f00",
    "yellow": "#f0e442",
    "green": "#009e73",
    "light blue": "#56b4e9",
    "blue": "#0072b2",
    "pink": "#cc79a7",
}
"""Those of Okabe and Ito, which are told apart with every common kind of colour blindness."""

OWN = "#8b5a2b"
"""A brown, until another one is chosen."""

PAPER: Array = np.array(rgb(COLOURS["white"]), np.uint8)
_SIDE, _RING = 20, 2


def colour_name(colour: Array) -> str:  # (3,)
    """
    >>> colour_name(np.array([230, 159, 0])), colour_name(np.array([1, 2, 3]))
    ('orange (#e69f00)', '#010203')
    """
    text = colour_text(colour)
    name = next((name for name, found in COLOURS.items() if rgb(found) == tuple(colour.tolist())), "")
    return f"{name} ({text})" if name else text


class Swatch(QAbstractButton):
    """One colour; a ring says that it is the one to draw with."""

    def __init__(self, name: str, colour: str, key: int) -> None:
        super().__init__(checkable=True)
        self.colour = QColor(colour)
        self.theme = LIGHT
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFixedSize(QSize(_SIDE, _SIDE))
        self.setAccessibleName(name.capitalize())
        self.setToolTip(f"Draw with {name} ({key})")

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            inside = QRectF(self.rect()).adjusted(4, 4, -4, -4) if self.isChecked() else QRectF(self.rect())
            painter.setPen(QPen(QColor(self.theme.muted), 1))
            painter.setBrush(self.colour)
            painter.drawRoundedRect(inside.adjusted(0.5, 0.5, -0.5, -0.5), 2, 2)
            if self.isChecked() or self.hasFocus():
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.setPen(QPen(QColor(self.theme.accent if self.isChecked() else self.theme.text), _RING))
                painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 4, 4)


class Palette(QWidget):
    """A row of colours, of which one is chosen."""

    chosen = Signal(object)
    """The colour to draw with: (3,), from 0 to 255."""

    def __init__(self) -> None:
        super().__init__()
        self.swatches = [Swatch(name, colour, key) for key, (name, colour) in enumerate(COLOURS.items(), 1)]
        self.own = Swatch("your own colour", OWN, 0)
        self.swatches.append(self.own)
        self.choose_own = tool_button("…", "Choose a colour of your own", self._ask_own)
        self.choose_own.setAccessibleName("Choose your own colour")
        self._group = QButtonGroup(self)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(1)
        for place, swatch in enumerate(self.swatches):
            self._group.addButton(swatch, place)
            row.addWidget(swatch)
        row.addWidget(self.choose_own)
        row.addStretch(1)
        self._group.idToggled.connect(self._tell)

    def choose(self, place: int) -> None:
        self.swatches[place].setChecked(True)

    def turn(self, by: int) -> None:
        """To the next colour, or the one before; there is none beyond the ends."""
        self.choose(min(max(self._group.checkedId() + by, 0), len(self.swatches) - 1))

    def set_theme(self, theme: Theme) -> None:
        for swatch in self.swatches:
            swatch.theme = theme
            swatch.update()

    def _tell(self, place: int, on: bool) -> None:
        if on:
            self.chosen.emit(np.array(rgb(self.swatches[place].colour.name()), np.uint8))

    def _ask_own(self) -> None:
        dialog = QColorDialog(self.own.colour, self)
        dialog.setWindowTitle("Your own colour")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.colorSelected.connect(self._take_own)
        dialog.open()

    def _take_own(self, colour: QColor) -> None:
        self.own.colour = colour
        self.own.update()
        self.own.setChecked(True)
        self._tell(self._group.id(self.own), on=True)
