"""The input panel: which model, on what, with which options."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtGui import QColor, QIcon, QPalette
from PySide6.QtWidgets import QHBoxLayout, QMenu, QPushButton, QVBoxLayout, QWidget

from txviz.errors import TxvizError
from txviz.figures.theme import LIGHT, Theme, greys
from txviz.gui.inputs.drawing_editor import DrawingEditor
from txviz.gui.inputs.editor import Editor
from txviz.gui.inputs.model_list import ModelList
from txviz.gui.inputs.options import OptionsForm
from txviz.gui.inputs.pictures import pixmap
from txviz.gui.inputs.sentence import PairEditor, SentenceEditor
from txviz.gui.keys import leave_keys
from txviz.gui.notice import sentence
from txviz.gui.plain import plain_label, without_keys
from txviz.models import check_files, find
from txviz.models.images import read_image
from txviz.models.model import Model
from txviz.models.options import differences, read_options
from txviz.models.request import Request

_EDITORS: dict[str, type[SentenceEditor | PairEditor | DrawingEditor]] = {
    "sentence": SentenceEditor,
    "pair": PairEditor,
    "image": DrawingEditor,
}
_HEADINGS = {"sentence": "Sentence", "pair": "Two sentences", "image": "Drawing"}


class Page(QWidget):
    """The input of one model: its examples, its editor and its options. Each model keeps its own."""

    requested = Signal()
    refused = Signal(str)

    def __init__(self, model: Model) -> None:
        super().__init__()
        self.model = model
        self.editor: Editor = _EDITORS[model.takes.kind](model)
        self.form = OptionsForm(model.options)
        self.examples = QPushButton("Examples")
        self._fill_examples()
        self._arrange()
        leave_keys(self)
        self.editor.show_source(model.example)
        self.editor.source_requested.connect(lambda: self.requested.emit())
        self.editor.refused.connect(self.refused)
        self.form.options_requested.connect(self.editor.show_options)
        self.form.options_requested.connect(lambda: self.requested.emit())

    def request(self) -> Request:
        return Request(self.model.name, self.editor.source(), self.form.chosen())

    def show_request(self, request: Request) -> None:
        self.form.show_options(request.options)
        self.editor.show_options(request.options)
        self.editor.show_source(request.source)

    def _fill_examples(self) -> None:
        self.examples.setToolTip("Inputs to begin with")
        self.examples.setAccessibleName("Examples")
        menu = QMenu(self.examples)
        for caption, example in zip(self.model.captions, self.model.examples, strict=True):
            action = menu.addAction(without_keys(caption), partial(self._take, example))
            if self.model.takes.kind == "image":
                action.setIcon(_thumbnail(example, self.model.takes.size))
        self.examples.setMenu(menu)

    def _take(self, example: str) -> None:
        self.editor.show_source(example)
        self.requested.emit()

    def _arrange(self) -> None:
        heading = plain_label(_HEADINGS[self.model.takes.kind])
        heading.setStyleSheet("font-weight: 600")
        top = QHBoxLayout()
        top.addWidget(heading, 1)
        top.addWidget(self.examples)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addLayout(top)
        column.addWidget(self.editor)
        column.addSpacing(4)
        column.addWidget(self.form)


class InputPanel(QWidget):
    """Asks for a computation after every edit. It shows a request that it is given, and then asks for nothing."""

    requested = Signal(object)
    """A Request."""
    refused = Signal(str)
    """Why something was not taken, in a sentence."""

    def __init__(self, theme: Theme = LIGHT, model: str = "") -> None:
        """With the page of this model; pages of others are built when they are asked for."""
        super().__init__()
        self._theme = theme
        self._pages: dict[str, Page] = {}
        self.models = ModelList()
        self.models.setCurrentText(model)
        self._summary = plain_label()
        self._summary.setWordWrap(True)
        self._arrange()
        self.models.textActivated.connect(self._choose)
        self._show_page(self.models.currentText())
        self.set_theme(theme)

    @property
    def page(self) -> Page:
        """The part of the panel that belongs to the model in it."""
        return self._pages[self.models.currentText()]

    def request(self) -> Request:
        return self.page.request()

    def show_request(self, request: Request) -> None:
        """Shows a request. One that is not possible (no such model, a broken image) raises a TxvizError first."""
        model = find(request.model)
        options = differences(model.options, read_options(model.name, model.options, request.options))
        if model.takes.kind == "image":
            read_image(request.source, model.takes.size)
        if self.models.findText(model.name) < 0:  # it is in a folder
            self.models.addItem(model.name)
        self.models.setCurrentText(model.name)
        self._show_page(model.name)
        self.page.show_request(Request(model.name, request.source, options))

    def set_theme(self, theme: Theme) -> None:
        """The colours of what is drawn here; all other widgets follow the application's palette."""
        self._theme = theme
        palette = QPalette(self.palette())
        palette.setColor(QPalette.ColorRole.WindowText, QColor(theme.muted))
        self._summary.setPalette(palette)
        for page in self._pages.values():
            page.editor.set_theme(theme)

    def _choose(self, name: str) -> None:
        try:
            check_files(name)
            self._show_page(name)
        except TxvizError as error:  # it is damaged, or of another package and can't be loaded
            self.models.setCurrentText(next(shown for shown, page in self._pages.items() if page.isVisibleTo(self)))
            self.refused.emit(str(error))
        else:
            self.requested.emit(self.request())

    def _show_page(self, name: str) -> None:
        if name not in self._pages:
            self._add_page(name)
        for other, page in self._pages.items():
            page.setVisible(other == name)
        self._summary.setText(sentence(find(name).summary))

    def _add_page(self, name: str) -> None:
        page = Page(find(name))
        page.editor.set_theme(self._theme)
        page.requested.connect(lambda: self.requested.emit(self.request()))
        page.refused.connect(self.refused)
        self._pages[name] = page
        self._column.insertWidget(self._column.count() - 1, page)

    def _arrange(self) -> None:
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(10, 10, 10, 10)
        self._column.setSpacing(8)
        self._column.addWidget(self.models)
        self._column.addWidget(self._summary)
        self._column.addStretch(1)


def _thumbnail(example: str, size: tuple[int, int]) -> QIcon:
    return QIcon(pixmap(greys(read_image(example, size)), 24, smooth=False))
