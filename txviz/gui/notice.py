"""Where every message is shown: a bar over the top of the stage with a sentence, and details to unfold."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QToolButton, QVBoxLayout, QWidget

from txviz.errors import TxvizError
from txviz.figures.theme import Theme
from txviz.gui.plain import plain_label


class NoticeBar(QWidget):
    """Hidden until there is something to say. It lies over the heading, so that nothing moves that one may be about to
    click."""

    step_requested = Signal(str)

    def __init__(self, theme: Theme, over: QWidget) -> None:
        super().__init__(over)
        self._over = over
        over.installEventFilter(self)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAttribute(Qt.WidgetAttribute.WA_NoMousePropagation)
        self.setObjectName("notice")
        self.text = plain_label()
        self.text.setWordWrap(True)
        self.text.setAccessibleName("Message")
        self.text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.unfold = QToolButton(autoRaise=True)
        self.unfold.setText("Details")
        self.unfold.setCheckable(True)
        self.unfold.setAccessibleName("Show details of the message")
        self.go = QToolButton(autoRaise=True)
        self.go.setText("Show the step")
        self.go.setAccessibleName("Show the step that the message names")
        self._target = ""
        self.close_button = QToolButton(autoRaise=True)
        self.close_button.setText("✕")
        self.close_button.setAccessibleName("Close the message")
        self.close_button.setToolTip("Close (Esc)")
        self.details = QPlainTextEdit(readOnly=True)
        self.details.setAccessibleName("Details of the message")
        self.details.setMaximumHeight(140)
        row = QHBoxLayout()
        row.addWidget(self.text, 1)
        row.addWidget(self.go)
        row.addWidget(self.unfold)
        row.addWidget(self.close_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 6, 8, 6)
        layout.addLayout(row)
        layout.addWidget(self.details)
        self.unfold.toggled.connect(self._unfold)
        self.go.clicked.connect(lambda: self.step_requested.emit(self._target))
        self.close_button.clicked.connect(self.dismiss)
        self.set_theme(theme)
        self.dismiss()

    def set_theme(self, theme: Theme) -> None:
        self.setStyleSheet(
            f"#notice {{ background: {theme.panel}; border-left: 4px solid {theme.bad};"
            f" border-bottom: 1px solid {theme.line}; }}"
        )

    def show_message(self, sentence: str, details: str = "", step: str = "") -> None:
        """``step`` is one that the message is about: a button goes there."""
        self.text.setText(sentence)
        self._target = step
        self.go.setVisible(bool(step))
        self.details.setPlainText(details)
        self.unfold.setChecked(False)
        self.unfold.setVisible(bool(details))
        self._unfold(False)
        self.show()
        self.raise_()

    def dismiss(self) -> None:
        self.text.clear()
        self.details.clear()
        self.hide()

    def input_is_fine(self) -> None:
        """What was wrong with it is over; a fault, which has details, is still to be read."""
        if not self.details.toPlainText():
            self.dismiss()

    def _unfold(self, unfolded: bool) -> None:
        self.details.setVisible(unfolded)
        self._fit()

    def _fit(self) -> None:
        """As wide as what is below it, and as high as the sentence needs."""
        layout = self.layout()
        assert layout is not None
        layout.activate()
        self.setGeometry(0, 0, self._over.width(), layout.totalHeightForWidth(self._over.width()))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._over and event.type() == QEvent.Type.Resize:
            self._fit()
        return False


def sentence(said: TxvizError | str) -> str:
    """An error or a summary as a sentence: with a capital and a full stop."""
    text = str(said)
    return text[:1].upper() + text[1:] + ("" if not text or text.endswith((".", "?", "!")) else ".")
