"""How much of a long answer the badge shows."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QApplication

from txviz.gui.answer_badge import fitted

SAID = ("", "la", "la casa è grande", "un deux  trois ", " ".join(f"word{i}" for i in range(60)))
COMING = ("", " e bella", " " + " ".join(f"later{i}" for i in range(40)))


def one_word_after_the_other(said: str, coming: str, metrics: QFontMetrics, room: int) -> str:
    """As ``fitted`` finds it, but by trying all."""
    shown = said
    while metrics.horizontalAdvance(shown + coming) > room and metrics.horizontalAdvance(shown) > room * 2 // 3:
        rest = shown.removeprefix("… ").partition(" ")[2]
        if not rest:
            break
        shown = f"… {rest}"
    return shown


@pytest.mark.parametrize("room", [1, 40, 120, 300, 900, 5000])
@pytest.mark.parametrize("coming", COMING)
@pytest.mark.parametrize("said", SAID)
def test_words_are_left_out_until_the_rest_fits(qapp: QApplication, said: str, coming: str, room: int) -> None:
    metrics = QFontMetrics(qapp.font())
    shown, _ = fitted(said, coming, metrics, room)
    assert shown == one_word_after_the_other(said, coming, metrics, room)


class Counting(QFontMetrics):
    asked = 0

    def horizontalAdvance(self, text: str) -> int:  # type: ignore[override]
        self.asked += 1
        return super().horizontalAdvance(text)


def test_a_thousand_words_are_not_measured_one_after_the_other(qapp: QApplication) -> None:
    metrics = Counting(qapp.font())
    fitted(" ".join(f"word{i}" for i in range(1000)), " more", metrics, 300)
    assert metrics.asked < 50
