"""The photograph that a model looks at: seen, and taken from a file, from a drop or from the clipboard."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QImage, QKeyEvent, QKeySequence, QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QPushButton, QSizePolicy, QVBoxLayout

from txviz.figures.theme import LIGHT, Theme
from txviz.gui.elided_label import ElidedLabel
from txviz.gui.guard import guarded
from txviz.gui.inputs.picture_source import PictureSource
from txviz.gui.inputs.pictures import keep_picture, pixmap, read_colours
from txviz.gui.plain import tip
from txviz.models.model import Model
from txviz.ops import Array

EMPTY = "Drop a photograph here"
_LARGEST, _ROUND = 600, 6
"""Pixels of the longer side of what is kept to be shown, and of the frame's corners."""


class PictureWell(QAbstractButton):
    """Shows a picture as large as there is room; a click opens another one, Ctrl+V pastes one."""

    paste_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._theme = LIGHT
        self.picture = QPixmap()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("Photograph")
        self.setToolTip("Click to open a picture, or drop one here; Ctrl+V takes what was copied")

    def show_picture(self, picture: QPixmap) -> None:
        self.picture = picture
        self.update()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(220, 180)

    def minimumSizeHint(self) -> QSize:
        return QSize(80, 60)

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        lit = self.hasFocus() or self.underMouse()
        with QPainter(self) as painter:
            painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform)
            painter.setPen(QColor(self._theme.accent if lit else self._theme.line))
            painter.setBrush(QColor(self._theme.panel))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), _ROUND, _ROUND)
            inside = self.rect().adjusted(4, 4, -4, -4)
            if self.picture.isNull():
                painter.setPen(QColor(self._theme.muted))
                painter.drawText(inside, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, EMPTY)
                return
            shown = QRect(QPoint(), self.picture.size().scaled(inside.size(), Qt.AspectRatioMode.KeepAspectRatio))
            shown.moveCenter(inside.center())
            painter.drawPixmap(shown, self.picture)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Paste):
            self.paste_requested.emit()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)


class PhotographEditor(PictureSource):
    """Its text is the name of a file; a picture from the clipboard is kept in one."""

    def __init__(self, model: Model) -> None:
        super().__init__()
        self.well, self.named = PictureWell(), ElidedLabel()
        self.open_button, self.paste_button = QPushButton("Open a picture…"), QPushButton("Paste")
        self.open_button.setToolTip("A photograph or a drawing of any size: PNG, JPEG, GIF, BMP, WebP or TIFF")
        self.paste_button.setToolTip("Take the picture that was copied")
        self.begin = self.well
        self._arrange()
        for button in (self.well, self.open_button):
            button.clicked.connect(lambda: self.open_picture())
        self.paste_button.clicked.connect(lambda: self.paste())
        self.well.paste_requested.connect(self.paste)

    def set_theme(self, theme: Theme) -> None:
        self.well.set_theme(theme)

    def _colours(self, picture: QImage | Path | str) -> Array:  # -> (H,W,3)
        return read_colours(Path(picture) if isinstance(picture, str) else picture)

    def _text(self, colours: Array) -> str:  # (H,W,3) ->
        return str(keep_picture(colours))

    def _show(self, source: str, colours: Array | None) -> None:
        name = Path(source).name
        self.named.setText(name)
        self.named.setToolTip(tip(source))
        self.well.setAccessibleDescription(name)
        self.well.show_picture(QPixmap() if colours is None else pixmap(colours, _LARGEST, smooth=True))

    def _arrange(self) -> None:
        column, buttons = QVBoxLayout(self), QHBoxLayout()
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        for button in (self.open_button, self.paste_button):
            buttons.addWidget(button)
        buttons.addStretch(1)
        column.addWidget(self.well, 1)
        column.addWidget(self.named)
        column.addLayout(buttons)
