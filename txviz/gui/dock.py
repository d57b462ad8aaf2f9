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


def lay_out(
    window: QMainWindow, strip: QWidget, steps: QWidget, centre: QWidget, plots: QWidget, timeline: QWidget
) -> dict[str, Dock]:
    """Puts all in their places, in the order in which Tab goes through them."""
    docks = {"Input": Dock("Input", strip, window, titled=False), "Steps": Dock("Steps", steps, window)}
    window.setCentralWidget(centre)
    docks["Plots"] = Dock("Plots", plots, window)
    docks["Timeline"] = Dock("Timeline", timeline, window, titled=False)
    for corner in (Qt.Corner.BottomLeftCorner, Qt.Corner.BottomRightCorner):
        window.setCorner(corner, Qt.DockWidgetArea.BottomDockWidgetArea)
    for corner in (Qt.Corner.TopLeftCorner, Qt.Corner.TopRightCorner):
        window.setCorner(corner, Qt.DockWidgetArea.TopDockWidgetArea)
    place_docks(window, docks)
    return docks


def place_docks(window: QMainWindow, docks: dict[str, Dock]) -> None:
    """As they stand before anybody has moved them."""
    area = Qt.DockWidgetArea
    window.addDockWidget(area.TopDockWidgetArea, docks["Input"])
    window.addDockWidget(area.LeftDockWidgetArea, docks["Steps"])
    window.addDockWidget(area.RightDockWidgetArea, docks["Plots"])
    window.addDockWidget(area.BottomDockWidgetArea, docks["Timeline"])
    for dock in docks.values():
        dock.setFloating(False)
        dock.show()
