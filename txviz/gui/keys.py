"""Who has the keys. They step through the model, unless a text is edited or somebody went elsewhere with Tab.

The pointer gives the keys to a text that can be edited, and to nothing else: after a click on a list, a button or a
slider the arrows and Space still step. What Tab has reached has the keys that it uses.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDockWidget,
    QLineEdit,
    QPlainTextEdit,
    QScrollArea,
    QTabBar,
    QTextEdit,
    QWidget,
)

_KEY = Qt.Key
_ACROSS, _DOWN, _ENDS = {_KEY.Key_Left, _KEY.Key_Right}, {_KEY.Key_Up, _KEY.Key_Down}, {_KEY.Key_Home, _KEY.Key_End}
_USED: tuple[tuple[type[QWidget], set[Qt.Key]], ...] = (
    (QAbstractButton, {_KEY.Key_Space}),
    (QComboBox, _DOWN | _ENDS | {_KEY.Key_Space}),
    (QAbstractSlider, _ACROSS | _DOWN | _ENDS),
    (QTabBar, _ACROSS | _ENDS),
    (QAbstractItemView, _DOWN),
    (QTextEdit, _DOWN | _ENDS),
    (QPlainTextEdit, _DOWN | _ENDS),
    (QScrollArea, _DOWN | _ENDS),
)
"""Of the keys that are the window's: those that a control needs, once Tab has reached it. Others decide themselves."""

_WRITING = _ACROSS | _DOWN | _ENDS
_WRITING |= {_KEY.Key_Space, _KEY.Key_Backspace, _KEY.Key_Delete, _KEY.Key_Return, _KEY.Key_Enter}


class KeyRule(QObject):
    """For a window whose stage has the keys, and for the panels that can be torn off it."""

    def __init__(self, window: QWidget, stage: QWidget, panels: Iterable[QDockWidget]) -> None:
        super().__init__(window)
        self._window, self._stage = window, stage
        leave_keys(window)
        window.setFocusPolicy(Qt.FocusPolicy.ClickFocus)  # by a click that nothing inside takes the keys with
        window.installEventFilter(self)
        for panel in panels:
            panel.installEventFilter(self)
            panel.topLevelChanged.connect(partial(_float, panel))
        stage.setFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Of a key that nobody inside has taken: whether it is for the field that has the focus, or a shortcut."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            field = QApplication.focusWidget()
            if field is not None and _uses(field, event):
                event.accept()
                return True
        elif event.type() == QEvent.Type.FocusIn and watched is self._window:
            self._stage.setFocus(Qt.FocusReason.MouseFocusReason)
        return False


def _float(panel: QDockWidget, floating: bool) -> None:
    """A panel that is a window of its own has the focus itself, and uses no key: the stage has them still."""
    panel.setFocusPolicy(Qt.FocusPolicy.ClickFocus if floating else Qt.FocusPolicy.NoFocus)
    if floating:
        panel.setFocus()


def leave_keys(root: QWidget) -> None:
    """The pointer can use all that is in ``root``, and takes the keys to texts only; Tab still gets everywhere.

    What has ``has_keys_by_click`` (the stage, the pictures, the drawing board) is left as it is.
    """
    for widget in (root, *root.findChildren(QWidget)):
        if widget.window() is not root.window() or getattr(widget, "has_keys_by_click", False):
            continue  # the list of a combo box is a window of its own; the board knows how it was reached
        if isinstance(widget, QAbstractSpinBox):
            widget.installEventFilter(_ArrowButtons(widget))
        elif widget.focusPolicy() & Qt.FocusPolicy.ClickFocus and not _is_written_in(widget):
            widget.setFocusPolicy(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)


class _ArrowButtons(QObject):
    """A number can be written, so a click gives it the keys; a click on its arrows gives them back."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.MouseButtonRelease and isinstance(event, QMouseEvent):
            assert isinstance(watched, QAbstractSpinBox)
            if not watched.lineEdit().geometry().contains(event.position().toPoint()):
                watched.window().setFocus(Qt.FocusReason.MouseFocusReason)
        return False


def _is_written_in(field: QWidget) -> bool:
    texts = (QLineEdit, QTextEdit, QPlainTextEdit, QAbstractSpinBox)
    return isinstance(field, texts) and not field.isReadOnly()


def _uses(field: QWidget, event: QKeyEvent) -> bool:
    if event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
        return False
    keys = _WRITING if _is_written_in(field) else next((keys for kind, keys in _USED if isinstance(field, kind)), set())
    return _KEY(event.key()) in keys
