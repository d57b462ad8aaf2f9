"""The input: which model, on what, with which options. It is the strip along the top; a drawing stands elsewhere."""

from __future__ import annotations

from functools import partial
from itertools import pairwise

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QIcon, QPalette
from PySide6.QtWidgets import QHBoxLayout, QMenu, QPushButton, QVBoxLayout, QWidget

from txviz.errors import TxvizError
from txviz.figures.patches import Drawing
from txviz.figures.theme import LIGHT, Theme, greys
from txviz.gui.elided_label import ElidedLabel, ElidedLines
from txviz.gui.inputs.chooser import ModelChooser
from txviz.gui.inputs.drawing_editor import DrawingEditor
from txviz.gui.inputs.editor import Editor
from txviz.gui.inputs.edits import EditsButton
from txviz.gui.inputs.menu_button import MenuButton
from txviz.gui.inputs.options import OptionsButton, OptionsForm
from txviz.gui.inputs.painting_editor import PaintingEditor
from txviz.gui.inputs.photograph_editor import PhotographEditor
from txviz.gui.inputs.pictures import pixmap
from txviz.gui.inputs.sentence import PairEditor, SentenceEditor
from txviz.gui.keys import leave_keys
from txviz.gui.notice import sentence
from txviz.gui.plain import tip, without_keys
from txviz.models import check_files, find
from txviz.models.images import read_image
from txviz.models.model import InputKind, Model
from txviz.models.options import differences, read_options
from txviz.models.request import Request

_EDITORS: dict[str, type[SentenceEditor | PairEditor | DrawingEditor | PaintingEditor | PhotographEditor]] = {
    "sentence": SentenceEditor,
    "pair": PairEditor,
    "image": DrawingEditor,
    "painting": PaintingEditor,
    "photograph": PhotographEditor,
}
HINTS = {
    "image": "Draw on the board: the left button paints, the right one erases. A picture can be dropped on it.",
    "painting": "Draw on the board in colour, or drop a photograph on it: it is made as small as the model reads it.",
    "photograph": "Drop a photograph anywhere, or open or paste one beside the steps.",
}
"""What the strip says where the editor stands elsewhere: for pictures, which it has no room for."""


class Page(QWidget):
    """The input of one model: its editor, its examples and its options. Each model keeps its own."""

    requested = Signal()
    refused = Signal(str)

    def __init__(self, model: Model) -> None:
        super().__init__()
        self.model = model
        self.editor: Editor = _EDITORS[model.takes.kind](model)
        self.form = OptionsForm(model.options)
        self.options, self.edits = OptionsButton(self.form), EditsButton()
        self.examples, self.what_if = QPushButton("Examples"), MenuButton("What if")
        self.what_if.setToolTip("Without the mask, without positions, without a head, … (I)")
        self.what_if.setAccessibleName("What if: switch parts of the model off")
        self._fill_examples()
        self._arrange()
        for part in (self, self.editor):
            leave_keys(part)
        self.editor.show_source(model.example)
        self.editor.source_requested.connect(lambda: self.requested.emit())
        self.editor.refused.connect(self.refused)
        self.form.options_requested.connect(self.editor.show_options)
        self.form.options_requested.connect(lambda: self.requested.emit())
        self.edits.edited.connect(lambda: self.requested.emit())

    @property
    def draws(self) -> bool:
        """Whether its editor shows a picture, which the strip has no room for."""
        return self.model.takes.kind in HINTS

    @property
    def stops(self) -> list[QWidget]:
        """Where Tab stops, one after the other."""
        buttons: list[QWidget] = [self.examples, self.what_if, self.options, self.edits]
        fields = [each for each in self.editor.findChildren(QWidget) if each.focusPolicy() & Qt.FocusPolicy.TabFocus]
        return [*buttons, *fields] if self.draws else [*fields, *buttons]

    def request(self) -> Request:
        return Request(self.model.name, self.editor.source(), self.form.chosen(), self.edits.edits)

    def show_request(self, request: Request) -> None:
        self.form.show_options(request.options)
        self.editor.show_options(request.options)
        self.editor.show_source(request.source)
        self.edits.show_edits(request.edits)

    def _fill_examples(self) -> None:
        self.examples.setToolTip("Inputs to begin with")
        self.examples.setAccessibleName("Examples")
        menu = QMenu(self.examples)
        for caption, example in zip(self.model.captions, self.model.examples, strict=True):
            action = menu.addAction(without_keys(caption), partial(self._take, example))
            if self.draws:
                action.setIcon(_thumbnail(example, self.model.takes))
        self.examples.setMenu(menu)

    def _take(self, example: str) -> None:
        self.editor.show_source(example)
        self.requested.emit()

    def _arrange(self) -> None:
        row, takes = QHBoxLayout(self), self.model.takes
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(_hint(f"{HINTS[takes.kind]} {takes.not_drawn}".strip()) if self.draws else self.editor, 1)
        buttons = QVBoxLayout()
        buttons.setSpacing(4)
        for pair in ((self.examples, self.what_if), (self.options, self.edits)):
            line = QHBoxLayout()
            for button in pair:
                line.addWidget(button)
            buttons.addLayout(line)
        buttons.addStretch(1)
        row.addLayout(buttons)


class InputPanel(QWidget):
    """Asks for a computation after every edit. It shows a request that it is given, and then asks for nothing."""

    requested = Signal(object)
    """A Request."""
    refused = Signal(str)
    """Why something was not taken, in a sentence."""
    pointed = Signal(str)
    """What is under the pointer on the board, in words."""
    edits_opened = Signal()
    """The list of edits is to be shown, below the button of the page."""
    what_if_opened = Signal()
    """The switches of what is looked at are to be shown, below the button of the page."""
    options_shown = Signal()
    """They may be others than before, whoever changed them."""

    def __init__(self, theme: Theme = LIGHT, model: str = "") -> None:
        """With the page of this model; pages of others are built when they are asked for."""
        super().__init__()
        self._theme = theme
        self._pages: dict[str, Page] = {}
        self._patches: dict[str, Drawing | None] = {}
        """By the name of the model: how it cut the image of its last run."""
        self._notes: dict[str, str] = {}
        """By the name of the model: what is to be known about its last run."""
        self.models = ModelChooser(model)
        self._summary = ElidedLabel()
        self.drawings = QWidget(self)
        """The boards of the models that read images, to be put where there is room to draw; hidden for the others."""
        self._arrange()
        self.models.chosen.connect(self._choose)
        self._show_page(self.models.name)
        self.set_theme(theme)

    @property
    def page(self) -> Page:
        """The part of the panel that belongs to the model in it."""
        return self._pages[self.models.name]

    def request(self) -> Request:
        return self.page.request()

    def show_request(self, request: Request) -> None:
        """Shows a request. One that is not possible (no such model, a broken image) raises a TxvizError first."""
        model = find(request.model)
        options = differences(model.options, read_options(model.name, model.options, request.options))
        if model.takes.kind == "image":
            read_image(request.source, model.takes.size)
        self.models.show_model(model.name)
        self._show_page(model.name)
        self.page.show_request(Request(model.name, request.source, options, request.edits))

    def show_patches(self, model: str, drawing: Drawing | None) -> None:
        """How a model cuts the images that it reads; its page may be built later."""
        self._patches[model] = drawing
        if model in self._pages:
            self._pages[model].editor.show_patches(drawing)

    def show_note(self, model: str, note: str) -> None:
        """In place of what a model is: that it is another than it says."""
        self._notes[model] = note
        self._show_summary()

    def set_theme(self, theme: Theme) -> None:
        """The colours of what is drawn here; all other widgets follow the application's palette."""
        self._theme = theme
        self._show_summary()
        for page in self._pages.values():
            page.editor.set_theme(theme)

    def _choose(self, name: str) -> None:
        try:
            check_files(name)
            self._show_page(name)
        except TxvizError as error:  # it is damaged, or of another package and can't be loaded
            self.models.show_model(next(shown for shown, page in self._pages.items() if page.isVisibleTo(self)))
            self.refused.emit(str(error))
        else:
            self.requested.emit(self.request())

    def _show_page(self, name: str) -> None:
        if name not in self._pages:
            self._add_page(name)
        for other, page in self._pages.items():
            page.setVisible(other == name)
            if page.draws:
                page.editor.setVisible(other == name)
        self.drawings.setVisible(self._pages[name].draws)
        self._show_summary()

    def _show_summary(self) -> None:
        name, theme = self.models.name, self._theme
        note = self._notes.get(name, "")
        self._summary.setText(note or sentence(find(name).summary))
        self._summary.setToolTip(tip(self._summary.text()))
        palette = QPalette(self.palette())
        palette.setColor(QPalette.ColorRole.WindowText, QColor(theme.bad if note else theme.muted))
        self._summary.setPalette(palette)

    def _add_page(self, name: str) -> None:
        page = Page(find(name))
        page.editor.set_theme(self._theme)
        page.editor.show_patches(self._patches.get(name))
        page.editor.pointed.connect(self.pointed)
        page.requested.connect(lambda: self.requested.emit(self.request()))
        page.refused.connect(self.refused)
        page.edits.clicked.connect(lambda: self.edits_opened.emit())
        page.what_if.clicked.connect(lambda: self.what_if_opened.emit())
        page.form.changes_shown.connect(lambda: self.options_shown.emit())
        self._pages[name] = page
        self._row.addWidget(page, 3)
        if page.draws:
            self._boards.addWidget(page.editor)
        for before, after in pairwise((self.models, *page.stops)):
            if before.window() is after.window():  # and not torn off
                self.setTabOrder(before, after)

    def _arrange(self) -> None:
        self._boards = QVBoxLayout(self.drawings)
        self._boards.setContentsMargins(8, 6, 8, 4)
        chosen = QVBoxLayout()
        chosen.setSpacing(6)
        chosen.addWidget(self.models)
        chosen.addWidget(self._summary)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(12)
        self._row.addLayout(chosen, 1)


def _hint(text: str) -> ElidedLines:
    label = ElidedLines(text)
    label.setToolTip(tip(text))
    return label


def _thumbnail(example: str, takes: InputKind) -> QIcon:
    if takes.kind != "image":
        return QIcon(example)
    return QIcon(pixmap(greys(read_image(example, takes.size)), 24, smooth=False))
