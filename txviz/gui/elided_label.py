"""Labels that never ask for more room than there is."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFont, QPainter, QPaintEvent, QTextLayout
from PySide6.QtWidgets import QLabel, QSizePolicy

from txviz.gui.guard import guarded


class ElidedLabel(QLabel):
    """On one line. What does not fit ends in "…", and is told to the pointer."""

    def __init__(self, text: str = "") -> None:
        super().__init__(text, textFormat=Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.drawText(self.rect(), int(self.alignment()), "\n".join(self.shown()))

    def shown(self) -> list[str]:
        """The lines that are painted."""
        return [self._elided(self.text())]

    def _elided(self, text: str) -> str:
        return self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, self.width())


class ElidedLines(ElidedLabel):
    """On as many lines as there is room for; the last one ends in "…" where that is not all."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)

    def shown(self) -> list[str]:
        text, most = self.text(), max(1, self.height() // self.fontMetrics().lineSpacing())
        starts = _line_starts(text, self.font(), self.width())
        lines = [text[start:end].strip() for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]
        return lines if len(lines) <= most else [*lines[: most - 1], self._elided(text[starts[most - 1] :])]


def _line_starts(text: str, font: QFont, width: int) -> list[int]:
    """Where lines of this width begin."""
    layout = QTextLayout(text, font)
    starts = []
    layout.beginLayout()
    while (line := layout.createLine()).isValid():
        line.setLineWidth(width)
        starts.append(line.textStart())
    layout.endLayout()
    return starts
