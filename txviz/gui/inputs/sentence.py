"""Typing a sentence, with its tokens below; and typing two of them, each with its tokens beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from html import escape
from itertools import chain
from math import ceil
from typing import Any

from PySide6.QtCore import QMimeData, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QKeyEvent,
    QPalette,
    QResizeEvent,
    QTextCursor,
    QTextDocument,
    QTextOption,
)
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QTextEdit, QVBoxLayout

from txviz.errors import TxvizError
from txviz.figures.theme import LIGHT, Theme
from txviz.gui.inputs.chips import Chips
from txviz.gui.inputs.editor import Editor
from txviz.models.model import Model, Token
from txviz.models.reading import read_tokens
from txviz.models.text import replace_word

_LONGEST = 20_000
"""Letters that may be pasted; far more than any model reads."""
_MOST_NAMED = 1
"""Unknown words that are named beside the chips; the chips mark all of them, and the pointer is told of all."""


Reader = Callable[[str, Mapping[str, Any]], list[Token]]


class SentenceField(QTextEdit):
    """One line: Enter gives the keys back to the picture, and pasted line breaks add none."""

    edited = Signal(str)
    refused = Signal(str)

    def __init__(self, name: str, hint: str) -> None:
        super().__init__()
        self.setObjectName("sentence")  # by which the style sheet draws its edge, also in the dark
        self.setAccessibleName(name)
        self.setPlaceholderText(hint)
        self.setTabChangesFocus(True)
        self.setAcceptRichText(False)
        self.setWordWrapMode(QTextOption.WrapMode.NoWrap)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.document().setDocumentMargin(4)
        self.textChanged.connect(lambda: self.edited.emit(self.text()))

    def text(self) -> str:
        return self.toPlainText()

    def show_text(self, text: str) -> None:
        """Shows a text and emits nothing; what is there already stays, cursor and all. It can be undone."""
        one_line = " ".join(text.splitlines())
        if one_line != self.text():
            with QSignalBlocker(self):
                self.replace_text(one_line) if self.text() else self.setPlainText(one_line)
            self.moveCursor(QTextCursor.MoveOperation.End)

    def replace_text(self, text: str) -> None:
        """Puts another text in, as if typed: it can be undone."""
        cursor = self.textCursor()
        cursor.select(cursor.SelectionType.Document)
        cursor.insertText(text)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.window().setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            super().keyPressEvent(event)

    def insertFromMimeData(self, source: QMimeData) -> None:
        text = " ".join(source.text().splitlines())
        if len(self.text()) + len(text) > _LONGEST:
            self.refused.emit(f"the text has {len(text):,} letters; at most {_LONGEST:,} can be pasted")
        else:
            self.insertPlainText(text)

    def sizeHint(self) -> QSize:
        line = self.fontMetrics().lineSpacing()
        return QSize(220, line + 2 * round(self.document().documentMargin()) + 2 * self.frameWidth())

    def minimumSizeHint(self) -> QSize:
        return QSize(48, self.sizeHint().height())


class UnknownWords(QLabel):
    """Says which words are not known; the nearest known ones are links that put them in their place. Of what has no
    room the end is left out; all of it is told to the pointer."""

    replacement_requested = Signal(str, str)

    def __init__(self) -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.LinksAccessibleByMouse | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
        )
        self.setAccessibleName("Unknown words")
        self.linkActivated.connect(self._replace)
        self._sign = ""
        self._parts: list[str] = []
        """What is said, in pieces after any of which it may end."""

        self._links: list[tuple[str, str]] = []
        self.set_theme(LIGHT)
        self.hide()

    def set_theme(self, theme: Theme) -> None:
        self._sign = f'<span style="color: {theme.bad}">⚠</span>'
        palette = QPalette(self.palette())
        palette.setColor(QPalette.ColorRole.WindowText, QColor(theme.text))
        palette.setColor(QPalette.ColorRole.Link, QColor(theme.accent))
        self.setPalette(palette)

    def show_tokens(self, tokens: Sequence[Token]) -> None:
        self._links = []
        unknown = list(dict.fromkeys(token for token in tokens if not token.known))
        lines = [self._line(token) for token in unknown]
        more = len(unknown) - _MOST_NAMED
        rest = [f" · {more} more"] if more > 0 else []
        hint = "A click on a word puts it in place of the unknown one."
        self._tell([*chain(*lines[:_MOST_NAMED]), *rest], "<br>".join([*map(self._signed, lines), hint]))

    def show_error(self, sentence: str) -> None:
        self._links = []
        words = escape(sentence[0].upper() + sentence[1:]).split(" ")
        self._tell([words[0], *(f" {word}" for word in words[1:])], self._signed([" ".join(words)]))

    def _tell(self, parts: list[str], told: str) -> None:
        self._parts = parts
        self._fit()
        self.updateGeometry()
        self.setToolTip(f"<p>{told}</p>")
        self.setVisible(bool(parts))

    def _fit(self) -> None:
        """As much as there is room for."""
        shorter = ([*self._parts[:count], "…"] for count in range(len(self._parts) - 1, -1, -1))
        texts = [self._signed(each) for each in (self._parts, *shorter)] if self._parts else [""]
        self.setText(next((text for text in texts if self._width_of(text) <= self.width()), texts[-1]))

    def _width_of(self, html: str) -> int:
        document = QTextDocument()
        document.setDefaultFont(self.font())
        document.setDocumentMargin(0)
        document.setHtml(html)
        return ceil(document.idealWidth())

    def _signed(self, parts: Sequence[str]) -> str:
        return f"{self._sign} {''.join(parts)}"

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def sizeHint(self) -> QSize:
        """Of all of it, however much is shown."""
        return QSize(self._width_of(self._signed(self._parts)), super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def _line(self, token: Token) -> list[str]:
        parts = [f"“{escape(token.text)}” is unknown"]
        for word in token.nearest:
            before = "; nearest: " if len(parts) == 1 else ", "
            parts.append(f'{before}<a href="{len(self._links)}">{escape(word)}</a>')
            self._links.append((token.text, word))
        return parts

    def _replace(self, link: str) -> None:
        self.replacement_requested.emit(*self._links[int(link)])

    def focusInEvent(self, event: QFocusEvent) -> None:
        """The keyboard comes in on the first link, or backwards on the last."""
        super().focusInEvent(event)
        ways = {Qt.FocusReason.TabFocusReason: True, Qt.FocusReason.BacktabFocusReason: False}
        if event.reason() in ways:
            self.focusNextPrevChild(ways[event.reason()])


class Sentence(QFrame):
    """A field, and below it its tokens and its unknown words."""

    edited = Signal(str)
    refused = Signal(str)

    def __init__(self, read: Reader, name: str, hint: str) -> None:
        """``read`` tells the tokens of a text, with the model's options."""
        super().__init__()
        self._tokens = read
        self._options: Mapping[str, Any] = {}
        self.field = SentenceField(name, hint)
        self.chips = Chips(LIGHT)
        self.unknown = UnknownWords()
        told = QHBoxLayout()
        told.addWidget(self.chips, 1)
        told.addWidget(self.unknown)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(6)
        whole.addWidget(self.field, 1)
        whole.addLayout(told)
        self.field.edited.connect(self.read)
        self.field.edited.connect(self.edited)
        self.field.refused.connect(self.refused)
        self.unknown.replacement_requested.connect(self._replace)

    def show_text(self, text: str) -> None:
        self.field.show_text(text)
        self.read()

    def show_options(self, options: Mapping[str, Any]) -> None:
        self._options = options
        self.read()

    def set_theme(self, theme: Theme) -> None:
        self.chips.set_theme(theme)
        self.unknown.set_theme(theme)
        self.read()

    def read(self) -> None:
        """Shows the tokens of what is typed, or why it can't be read."""
        tokens: list[Token] = []
        error = ""
        if self.field.text().strip():
            try:
                tokens = self._tokens(self.field.text(), self._options)
            except TxvizError as found:
                error = str(found)
        self.chips.show_tokens(tokens)
        self.unknown.show_tokens(tokens)
        if error:
            self.unknown.show_error(error)
        self._part()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._part()

    def _part(self) -> None:
        """The unknown words have most of the line beside the chips, and an error has all of it."""
        self.unknown.setMaximumWidth(self.width() * 3 // 5 if self.chips.tokens else self.width())

    def _replace(self, word: str, by: str) -> None:
        self.field.replace_text(replace_word(self.field.text(), word, by))
        self.field.setFocus()


class SentenceEditor(Editor):
    """One sentence."""

    def __init__(self, model: Model) -> None:
        super().__init__()
        self.sentence = Sentence(partial(read_tokens, model.name), "Sentence", "Type a sentence")
        self.begin = self.sentence.field
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.sentence)
        self.sentence.edited.connect(self.source_requested)
        self.sentence.refused.connect(self.refused)

    def source(self) -> str:
        return self.sentence.field.text()

    def show_source(self, text: str) -> None:
        self.sentence.show_text(text)

    def show_options(self, options: Mapping[str, Any]) -> None:
        self.sentence.show_options(options)

    def set_theme(self, theme: Theme) -> None:
        self.sentence.set_theme(theme)


class PairEditor(Editor):
    """Two sentences beside each other; without the second, the model reads one, which then has most of the room."""

    def __init__(self, model: Model) -> None:
        super().__init__()
        self._read = partial(read_tokens, model.name)
        self.first = Sentence(partial(self._tokens, 0), "First sentence", "Type a sentence")
        hint = "Add another"
        self.second = Sentence(partial(self._tokens, 1), "Second sentence", hint)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self.begin = self.first.field
        for sentence in (self.first, self.second):
            self._row.addWidget(sentence)
            sentence.field.textChanged.connect(self._part)
            sentence.edited.connect(lambda: self.source_requested.emit(self.source()))
            sentence.refused.connect(self.refused)
        self.first.edited.connect(self.second.read)
        self.second.edited.connect(self.first.read)
        self._part()

    def _part(self) -> None:
        self._row.setStretch(0, 1 if self.second.field.text().strip() else 3)
        self._row.setStretch(1, 1)

    def _tokens(self, which: int, text: str, options: Mapping[str, Any]) -> list[Token]:
        """Of one sentence, as the model reads it beside the other, where there is another that can be read."""
        alone = self._read(text, options)
        other = (self.second, self.first)[which].field.text()
        try:
            self._read(other, options)
        except TxvizError:
            return alone
        return [token for token in self._read(self.source(), options) if token.part == which]

    def source(self) -> str:
        first, second = self.first.field.text(), self.second.field.text()
        return f"{first} | {second}" if second.strip() else first

    def show_source(self, text: str) -> None:
        if text != self.source():  # the same text can have been typed in more ways than one
            first, _, second = text.partition(" | " if " | " in text else "|")
            if not second.strip():  # beside a bar stands an empty text: as it was typed, or else it would be no pair
                first, second = text, ""
            self.second.show_text(second)
            self.first.show_text(first)
            self.second.read()
            self._part()

    def show_options(self, options: Mapping[str, Any]) -> None:
        for sentence in (self.first, self.second):
            sentence.show_options(options)

    def set_theme(self, theme: Theme) -> None:
        for sentence in (self.first, self.second):
            sentence.set_theme(theme)
