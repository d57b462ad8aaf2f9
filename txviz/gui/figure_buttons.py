"""What a window with a figure of its own has below it: copy it, save it, close."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QMimeData
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialogButtonBox, QFileDialog, QHBoxLayout, QWidget

from txviz.errors import TxvizError
from txviz.figures.marks import Figure
from txviz.figures.writers.png import png
from txviz.figures.writers.raster import image
from txviz.figures.writers.svg import svg
from txviz.files import write_whole
from txviz.gui.plain import plain_label


class FigureButtons(QWidget):
    def __init__(self, figure: Callable[[], Figure], name: str, close: Callable[[], object]) -> None:
        super().__init__()
        self._figure, self._name = figure, name
        self.said = plain_label()
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        self.copy = buttons.addButton("Copy figure", QDialogButtonBox.ButtonRole.ActionRole)
        self.save = buttons.addButton("Save figure…", QDialogButtonBox.ButtonRole.ActionRole)
        self.copy.clicked.connect(self._copy)
        self.save.clicked.connect(self._ask_save)
        buttons.rejected.connect(lambda: close())
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.said, stretch=1)
        row.addWidget(buttons)

    def _copy(self) -> None:
        figure, data = self._figure(), QMimeData()
        data.setImageData(image(figure, 2.0))
        data.setData("image/svg+xml", svg(figure).encode())
        QGuiApplication.clipboard().setMimeData(data)
        self.said.setText("Copied the figure.")

    def _ask_save(self) -> None:
        path, _ = QFileDialog.getSaveFileName(self, "Save the figure", f"{self._name}.svg", "Figures (*.svg *.png)")
        if path:
            self.write(Path(path))

    def write(self, path: Path) -> None:
        """As SVG, or as PNG where the path ends so."""
        content = png(self._figure()) if path.suffix.lower() == ".png" else svg(self._figure()).encode()
        try:
            write_whole(path, content)
        except TxvizError as error:
            self.said.setText(f"{str(error)[0].upper()}{str(error)[1:]}.")
        else:
            self.said.setText(f"Saved {path}")
