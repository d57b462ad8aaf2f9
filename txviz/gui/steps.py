"""The outline of the run as a tree, with a filter. Any node can be chosen: a step, a block, the whole run."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from PySide6.QtCore import (
    QAbstractItemModel,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    Qt,
    Signal,
)
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractItemDelegate, QTreeView, QVBoxLayout, QWidget

from txviz.gui.changes import EDITED, SHARE, Changes, in_words
from txviz.gui.plain import plain_label
from txviz.gui.search_field import SearchField
from txviz.gui.session import Session
from txviz.gui.soon import Soon
from txviz.trace.outline import Node

AnyIndex = QModelIndex | QPersistentModelIndex
MOST_EXPANDED = 300
"""Of what a filter finds, so many steps are shown with all branches open."""


class Item:
    """A node by its name and title, and which of its children pass the filter. It does not hold the run's arrays."""

    def __init__(self, node: Node, parent: Item | None, row: int) -> None:
        self.name, self.title, self.parent, self.row = node.name, node.title, parent, row
        self.children: list[Item] = []


class OutlineTree(QAbstractItemModel):
    def __init__(self, changes: Changes, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._changes = changes
        self._root: Item | None = None
        self._items: dict[str, Item] = {}

    def show_outline(self, run: Node, names: set[str]) -> None:
        """The run, and below it what leads to the steps of these names."""
        self.beginResetModel()
        self._items = {}
        self._root = self._made(run, None, 0, names) if names else None
        self.endResetModel()

    def _made(self, node: Node, parent: Item | None, row: int, names: set[str]) -> Item:
        item = Item(node, parent, row)
        self._items[node.name] = item
        for child in node.children:
            if child.name in names if not child.children else any(step.name in names for step in child.steps):
                item.children.append(self._made(child, item, len(item.children), names))
        return item

    def index_of(self, name: str) -> QModelIndex:
        item = self._items.get(name)
        return self.createIndex(item.row, 0, item) if item else QModelIndex()

    def name(self, index: AnyIndex) -> str | None:
        return index.internalPointer().name if index.isValid() else None

    def first_step(self) -> str | None:
        """The first of the steps that are shown."""
        item = self._root
        while item is not None and item.children:
            item = item.children[0]
        return None if item is None or item is self._root else item.name

    def _children(self, parent: AnyIndex) -> list[Item]:
        if parent.isValid():
            children: list[Item] = parent.internalPointer().children
            return children
        return [self._root] if self._root else []

    def is_leaf(self, index: AnyIndex) -> bool:
        return index.isValid() and not index.internalPointer().children

    def index(self, row: int, column: int, parent: AnyIndex = QModelIndex()) -> QModelIndex:  # noqa: B008
        children = self._children(parent)
        inside = column == 0 and 0 <= row < len(children)
        return self.createIndex(row, column, children[row]) if inside else QModelIndex()

    def parent(self, index: AnyIndex = QModelIndex()) -> Any:  # noqa: B008
        above = index.internalPointer().parent if index.isValid() else None
        return self.createIndex(above.row, 0, above) if above else QModelIndex()

    def rowCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008
        return len(self._children(parent))

    def columnCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008
        return 1

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or role not in _ROLES:
            return None
        item: Item = index.internalPointer()
        title, share = item.title if item.name else f"map · {item.title}", self._changes.of(item.name)
        if role == SHARE:
            return share
        if role == EDITED:
            return self._changes.is_edited(item.name)
        if role == Qt.ItemDataRole.DisplayRole or not share:
            return title if role != Qt.ItemDataRole.ToolTipRole else None
        return f"{title}, {in_words(share)}"


_ROLES = (
    Qt.ItemDataRole.DisplayRole,
    Qt.ItemDataRole.AccessibleTextRole,
    Qt.ItemDataRole.ToolTipRole,
    SHARE,
    EDITED,
)


class StepsView(QWidget):
    """The tree and its filter. What is shown in the middle is always marked and in view."""

    node_requested = Signal(str)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._resized, self._selected = Soon(self, lambda: self._reveal()), Soon(self, lambda: self._keep_marked())
        self._session = session
        self._built: tuple[object, ...] = ()
        """What the tree was built from: a run with the same steps leaves it as it is, with its open branches."""

        self._following = False
        self._shown = session.node.name
        self._model = OutlineTree(session.changes, self)
        self.filter = SearchField(placeholderText="Filter steps, e.g. weights (Ctrl+F)", clearButtonEnabled=True)
        self.filter.setAccessibleName("Filter steps")
        self.filter.setToolTip("Shows only steps whose name has all of these words")
        self.tree = QTreeView(headerHidden=True, uniformRowHeights=True)
        self.tree.setAccessibleName("Steps")
        self.tree.setModel(self._model)
        self._plain = self.tree.itemDelegate()
        self.tree.setIndentation(14)
        self.tree.setExpandsOnDoubleClick(False)
        self.tree.setAutoScroll(False)  # see _reveal
        self.tree.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 6, 8, 8)
        self.nothing = plain_label("No step has all of these words in its name.")
        self.nothing.setWordWrap(True)
        layout.addWidget(self.filter)
        layout.addWidget(self.nothing)
        layout.addWidget(self.tree)
        self.filter.textChanged.connect(self._rebuild)
        self.filter.returnPressed.connect(self._go_to_first)
        self.tree.selectionModel().currentChanged.connect(self._chosen)
        self.tree.selectionModel().selectionChanged.connect(self._selected.start)
        self.tree.clicked.connect(self._go_to)
        session.trace_changed.connect(self._new_trace)
        session.step_changed.connect(self._moved)
        session.node_changed.connect(self._moved)
        session.changes.changed.connect(self._show_changes)
        self._rebuild()

    def _show_changes(self) -> None:
        """Rows without dots are painted by Qt alone, which takes a tenth of the time."""
        painted_by = self._with_dots if self._session.changes else self._plain
        if self.tree.itemDelegate() is not painted_by:
            self.tree.setItemDelegate(painted_by)
        self.tree.viewport().update()

    @cached_property
    def _with_dots(self) -> QAbstractItemDelegate:
        from txviz.gui.change_dots import ChangeDots  # few change anything

        return ChangeDots(self.tree)

    def _new_trace(self) -> None:
        """Another model may have no such steps: an old filter must not hide all of it."""
        self._shown = self._session.node.name
        if not self._matching:
            self.filter.clear()
        if self._built == self._wanted:
            self._show_current()
        else:
            self._rebuild()

    @property
    def _wanted(self) -> tuple[object, ...]:
        return self._session.trace.outline.title, self._session.names, self._words

    @property
    def _words(self) -> list[str]:
        return self.filter.text().lower().replace("-", "_").split()

    @property
    def _matching(self) -> set[str]:
        words = self._words
        return {name for name in self._session.names if all(word in name for word in words)}

    def _rebuild(self) -> None:
        words, names = self._words, self._matching
        self._built = self._wanted
        self.nothing.setVisible(not names)
        self._following = True
        self._model.show_outline(self._session.trace.outline, names)
        self.tree.expand(self._model.index(0, 0))
        if words and len(names) < MOST_EXPANDED:
            self.tree.expandAll()
        self._following = False
        self._show_current()

    def _moved(self) -> None:
        """Who goes on to a step that the filter hides has found what was looked for. A new run is no move."""
        before, self._shown = self._shown, self._session.node.name
        hidden = not self._model.index_of(self._shown).isValid()
        if hidden and self._shown != before and not self.filter.hasFocus():
            self.filter.clear()
        else:
            self._show_current()

    def _show_current(self) -> None:
        self._following = True  # the tree has to hear of its new selection, to paint it; nobody is asked to go there
        self.tree.setCurrentIndex(self._model.index_of(self._session.node.name))
        self._following = False
        self._reveal()

    def _reveal(self) -> None:
        """In the middle, where it was not in sight: what comes next is seen, too, and the list need not scroll at each
        step, which paints all of it."""
        index = self.tree.currentIndex()
        if not index.isValid():
            return
        row = self.tree.visualRect(index)
        if row.isEmpty() or row.top() < 0 or row.bottom() >= self.tree.viewport().height():
            self.tree.scrollTo(index, QTreeView.ScrollHint.PositionAtCenter)

    def _chosen(self, index: QModelIndex) -> None:
        """By the arrow keys, or by the pointer, which may also have folded the branch that the step is in."""
        if not self._following and (self.tree.hasFocus() or self._model.is_leaf(index)):
            self._go_to(index)

    def _go_to(self, index: QModelIndex) -> None:
        name = self._model.name(index)
        if name is not None and name != self._session.node.name:
            self.node_requested.emit(name)

    def _keep_marked(self) -> None:
        """The row of what is shown alone is marked, whatever Ctrl or another button than the left have selected."""
        marks, shown = self.tree.selectionModel(), self._model.index_of(self._session.node.name)
        if marks.selectedIndexes() != ([shown] if shown.isValid() else []):
            self._following = True
            marks.setCurrentIndex(shown, QItemSelectionModel.SelectionFlag.ClearAndSelect)
            self._following = False

    def _go_to_first(self) -> None:
        name = self._model.first_step()
        if name is not None:
            self.node_requested.emit(name)
            self.tree.setFocus(Qt.FocusReason.OtherFocusReason)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._resized.start()
