"""What if? Switches for the mask, positions, a head and the like: each makes or takes back a few edits."""

from __future__ import annotations

from functools import partial
from itertools import groupby
from operator import attrgetter

from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtGui import QKeyEvent, QPalette
from PySide6.QtWidgets import QCheckBox, QVBoxLayout, QWidget

from txviz.analysis.switches import Switch, Switches, find_switches
from txviz.figures.place import leading_axes
from txviz.gui.editing import Editing
from txviz.gui.plain import plain_label, tip, without_keys
from txviz.gui.popup import Popup
from txviz.gui.session import Session

WIDTH = 400
NOTHING = "There is nothing here that can be switched off."


class WhatIf(QObject):
    """Opens the switches of what is looked at, below the button of the page."""

    def __init__(self, editing: Editing) -> None:
        super().__init__(editing)
        self._editing = editing
        self.popup: WhatIfPopup | None = None
        editing.panel.what_if_opened.connect(self.open)

    def open(self, over: QWidget | None = None) -> None:
        """``over`` is a window that hides the button, such as the presentation."""
        self.popup = WhatIfPopup(self._editing, over or self._editing.panel.page.what_if)
        self.popup.destroyed.connect(self._forget)
        self.popup.open()

    def _forget(self) -> None:
        self.popup = None


class WhatIfPopup(Popup):
    """It stays open, so that one can switch on, look, and switch off again."""

    def __init__(self, editing: Editing, button: QWidget) -> None:
        """Below a button, or at the lower edge of a window."""
        self._page = _Page()
        super().__init__(self._page, button, WIDTH)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAccessibleName("What if?")
        self._editing, self._button = editing, button
        editing.panel.page.edits.shown.connect(self._refresh)
        editing.session.trace_changed.connect(self._refresh)

    @property
    def boxes(self) -> dict[Switch, QCheckBox]:
        return self._page.boxes

    def open(self) -> None:
        self._fill()
        self.open_below(self._button, next(iter(self.boxes.values()), None))

    def corner(self, button: QWidget) -> QPoint:
        """Over the plots, below the strip: what a switch does is seen at once, on the stage and in the answer."""
        strip = button.parentWidget()
        return super().corner(button) if strip is None else QPoint(0, strip.height() - button.y() + 2)

    def _refresh(self) -> None:
        """What is looked at stays what it is while this is open; another run may have other switches."""
        if self.isVisible():
            self._fill()

    def _fill(self) -> None:
        found = switches_of(self._editing.session)
        if found != self._page.shown:
            self._page.show_switches(found)
            for switch, box in self.boxes.items():
                box.clicked.connect(partial(self._editing.switch, *switch.edits))
            self.place_below(self._button)
        edits = self._editing.panel.page.edits.edits
        for switch, box in self.boxes.items():
            box.setChecked(switch.is_on(edits))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Up):
            self._scroll.focusNextPrevChild(event.key() == Qt.Key.Key_Down)
        else:
            super().keyPressEvent(event)


class _Page(QWidget):
    """The switches by place, each with what it shows."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: tuple[Switches, ...] | None = None
        self.boxes: dict[Switch, QCheckBox] = {}
        self._column = QVBoxLayout(self)
        self._column.setSpacing(2)

    def show_switches(self, found: tuple[Switches, ...]) -> None:
        self.shown, self.boxes = found, {}
        while item := self._column.takeAt(0):
            if widget := item.widget():
                widget.hide()
                widget.deleteLater()
        for group in found:
            self._add_heading(group.title, first=group is found[0])
            for why, alike in groupby(group.switches, key=attrgetter("why")):
                self._add(why, *alike)
        if not found:
            self._column.addWidget(plain_label(NOTHING))
        self._column.addStretch(1)

    def _add_heading(self, title: str, first: bool) -> None:
        heading = plain_label(title[0].upper() + title[1:])
        font = heading.font()
        font.setBold(True)
        heading.setFont(font)
        heading.setContentsMargins(0, 0 if first else 8, 0, 2)
        self._column.addWidget(heading)

    def _add(self, why: str, *switches: Switch) -> None:
        """Those that show the same have one sentence, such as the heads."""
        for switch in switches:
            box = QCheckBox(without_keys(switch.title))
            box.setAccessibleDescription(why)
            box.setToolTip(tip(f"As edits: {'; '.join(switch.edits)}"))
            self.boxes[switch] = box
            self._column.addWidget(box)
        reason = plain_label(why)
        reason.setWordWrap(True)
        reason.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        reason.setContentsMargins(24, 0, 0, 4)
        self._column.addWidget(reason)


def switches_of(session: Session) -> tuple[Switches, ...]:
    """For what is shown."""
    place = dict(zip(leading_axes(session.headed_step), session.shown_place, strict=True))
    return find_switches(session.trace, session.node, place.get("head"))
