"""The docks, and where they stand at first."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDockWidget, QMainWindow, QWidget


class Dock(QDockWidget):
    def __init__(self, title: str, inside: QWidget, window: QMainWindow, *, titled: bool = True) -> None:
        super().__init__(title, window)
        self.setObjectName(title)
        self.setWidget(inside)
        if not titled:
            self.setTitleBarWidget(QWidget())
            self.setFeatures(QDockWidget.DockWidgetFeature.NoDockWidgetFeatures)


def make_docks(
    window: QMainWindow, inputs: QWidget, steps: QWidget, plots: QWidget, timeline: QWidget
) -> dict[str, Dock]:
    docks = {
        "Input": Dock("Input", inputs, window),
        "Steps": Dock("Steps", steps, window),
        "Plots": Dock("Plots", plots, window),
        "Timeline": Dock("Timeline", timeline, window, titled=False),
    }
    for corner in (Qt.Corner.BottomLeftCorner, Qt.Corner.BottomRightCorner):
        window.setCorner(corner, Qt.DockWidgetArea.BottomDockWidgetArea)
    place_docks(window, docks)
    return docks


def place_docks(window: QMainWindow, docks: dict[str, Dock]) -> None:
    """As they stand before anybody has moved them."""
    area = Qt.DockWidgetArea
    window.addDockWidget(area.LeftDockWidgetArea, docks["Input"])
    window.addDockWidget(area.LeftDockWidgetArea, docks["Steps"])
    window.splitDockWidget(docks["Input"], docks["Steps"], Qt.Orientation.Vertical)
    window.addDockWidget(area.RightDockWidgetArea, docks["Plots"])
    window.addDockWidget(area.BottomDockWidgetArea, docks["Timeline"])
    for dock in docks.values():
        dock.setFloating(False)
        dock.show()
    window.resizeDocks([docks["Input"], docks["Plots"]], [290, 340], Qt.Orientation.Horizontal)
    window.resizeDocks([docks["Input"], docks["Steps"]], [450, 230], Qt.Orientation.Vertical)
