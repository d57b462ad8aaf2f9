"""The steps as a tree, by the levels of their sites, with a filter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QPersistentModelIndex, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLineEdit, QTreeView, QVBoxLayout, QWidget

from txviz.gui.session import Session
from txviz.trace import Step

AnyIndex = QModelIndex | QPersistentModelIndex


class Node:
    """One level of a site. A node can be a step and hold others: encoder.0.attention.query and …query.weight."""

    def __init__(self, label: str, parent: Node | None, row: int) -> None:
        self.label = label
        self.parent = parent
        self.row = row
        self.children: list[Node] = []
        self.position: int | None = None
        self.by_part: dict[str, Node] = {}


class StepTree(QAbstractItemModel):
    """All steps as a tree; steps that follow each other and share their outer levels share a branch."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._root = Node("", None, 0)
        self._nodes: dict[int, Node] = {}

    def show_steps(self, kept: Sequence[tuple[int, Step]]) -> None:
        """Shows these steps, each with its position in the trace."""
        self.beginResetModel()
        self._root = Node("", None, 0)
        self._nodes = {}
        for position, step in kept:
            node = self._root
            for label in step.site.labels:
                last = node.children[-1] if node.children else None
                if last is None or last.label != label or (last.position is not None and not last.children):
                    last = Node(label, node, len(node.children))
                    node.children.append(last)
                node = last
            node.position = position
            self._nodes[position] = node
        self.endResetModel()

    def index_of(self, position: int) -> QModelIndex:
        node = self._nodes.get(position)
        return self.createIndex(node.row, 0, node) if node else QModelIndex()

    def position(self, index: AnyIndex) -> int | None:
        """The step at an index, or the first of those below it."""
        node = index.internalPointer() if index.isValid() else None
        while node is not None and node.position is None:
            node = node.children[0]
        return node.position if node else None

    def is_leaf(self, index: AnyIndex) -> bool:
        return index.isValid() and not index.internalPointer().children

    def index(self, row: int, column: int, parent: AnyIndex = QModelIndex()) -> QModelIndex:  # noqa: B008
        node = parent.internalPointer() if parent.isValid() else self._root
        inside = column == 0 and 0 <= row < len(node.children)
        return self.createIndex(row, column, node.children[row]) if inside else QModelIndex()

    def parent(self, index: AnyIndex = QModelIndex()) -> Any:  # noqa: B008
        node = index.internalPointer() if index.isValid() else None
        above = node.parent if node else None
        return self.createIndex(above.row, 0, above) if above and above.parent else QModelIndex()

    def rowCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008
        return len((parent.internalPointer() if parent.isValid() else self._root).children)

    def columnCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008
        return 1

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        node = index.internalPointer() if index.isValid() else None
        if node is None or role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return None
        return node.label


class StepsView(QWidget):
    """The tree and its filter. The current step is always in view."""

    step_requested = Signal(int)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._shown: list[str] = []
        self._following = False
        self._model = StepTree(self)
        self.filter = QLineEdit(placeholderText="Filter steps, e.g. weights (Ctrl+F)", clearButtonEnabled=True)
        self.filter.setAccessibleName("Filter steps")
        self.filter.setToolTip("Shows only steps whose name has all of these words")
        self.tree = QTreeView(headerHidden=True, uniformRowHeights=True)
        self.tree.setAccessibleName("Steps")
        self.tree.setModel(self._model)
        self.tree.setIndentation(14)
        self.tree.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 6, 8, 8)
        layout.addWidget(self.filter)
        layout.addWidget(self.tree)
        self.filter.textChanged.connect(self._rebuild)
        self.filter.returnPressed.connect(self._go_to_first)
        self.tree.selectionModel().currentChanged.connect(self._chosen)
        self.tree.clicked.connect(self._go_to)
        session.trace_changed.connect(self._new_trace)
        session.step_changed.connect(self._show_current)
        self._rebuild()

    def start_filtering(self) -> None:
        """Puts the cursor into the filter."""
        self.filter.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.filter.selectAll()

    def _new_trace(self) -> None:
        if list(self._session.names) != self._shown:
            self._rebuild()

    def _rebuild(self) -> None:
        words = self.filter.text().lower().replace("-", "_").split()
        self._shown = list(self._session.names)
        trace = self._session.trace
        kept = [(i, step) for i, step in enumerate(trace) if all(word in step.name for word in words)]
        self._model.show_steps(kept)
        if words and len(kept) < 300:
            self.tree.expandAll()
        self._show_current()

    def _show_current(self) -> None:
        self._following = True  # the tree has to hear of its new selection, to paint it; nobody is asked to go there
        self.tree.setCurrentIndex(self._model.index_of(self._session.position))
        self._following = False
        self._reveal()

    def _reveal(self) -> None:
        index = self.tree.currentIndex()
        if index.isValid():
            self.tree.scrollTo(index)

    def _chosen(self, index: QModelIndex) -> None:
        """By the arrow keys, or by the pointer, which may also have folded the branch that the step is in."""
        if not self._following and (self.tree.hasFocus() or self._model.is_leaf(index)):
            self._go_to(index)

    def _go_to(self, index: QModelIndex) -> None:
        position = self._model.position(index)
        if position == self._session.position:
            return  # from the first step of a branch up to the branch, on the way further up
        if position is not None:
            self.step_requested.emit(position)
            QTimer.singleShot(0, self, self._show_current)  # the tree goes on to mark the branch that was chosen

    def _go_to_first(self) -> None:
        position = self._model.position(self._model.index(0, 0))
        if position is not None:
            self.step_requested.emit(position)
            self.tree.setFocus(Qt.FocusReason.OtherFocusReason)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        QTimer.singleShot(0, self, self._reveal)
