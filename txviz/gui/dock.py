"""The docks, and where they stand at first. The fields inside have the keys that otherwise step through the model."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QApplication, QDockWidget, QMainWindow, QWidget

_MOVING = {Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Home, Qt.Key.Key_End}


class Dock(QDockWidget):
    def __init__(self, title: str, inside: QWidget, window: QMainWindow, *, titled: bool = True) -> None:
        super().__init__(title, window)
        self.setObjectName(title)
        self.setWidget(inside)
        if not titled:
            self.setTitleBarWidget(QWidget())
            self.setFeatures(QDockWidget.DockWidgetFeature.NoDockWidgetFeatures)

    def event(self, event: QEvent) -> bool:
        """Whether a key goes to the field that has the focus, or is a shortcut of the window."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            field = QApplication.focusWidget()
            if field is not None and _uses(field, event):
                event.accept()
                return True
        return super().event(event)


def _uses(field: QWidget, event: QKeyEvent) -> bool:
    key = Qt.Key(event.key())
    plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
    if isinstance(field, QAbstractButton):
        return plain and key == Qt.Key.Key_Space
    if isinstance(field, QAbstractItemView):
        return plain and key in (Qt.Key.Key_Up, Qt.Key.Key_Down)
    return plain and (key in _MOVING or key == Qt.Key.Key_Space)


def make_docks(
    window: QMainWindow, strip: QWidget, steps: QWidget, plots: QWidget, timeline: QWidget
) -> dict[str, Dock]:
    docks = {
        "Input": Dock("Input", strip, window, titled=False),
        "Steps": Dock("Steps", steps, window),
        "Plots": Dock("Plots", plots, window),
        "Timeline": Dock("Timeline", timeline, window, titled=False),
    }
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
