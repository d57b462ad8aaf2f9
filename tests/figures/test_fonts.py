"""How wide texts are, and that they are cut where there is no room for them."""

from __future__ import annotations

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from PySide6.QtGui import QFont, QRawFont

from txviz import resources
from txviz.figures import fonts

WORDS = "How much each token looks at each other one, before the softmax makes weights of it."


@pytest.mark.parametrize("text", [WORDS, "WAVE To AV", "日本語のテキスト", "مرحبا بالعالم", "e\u0301" * 20, "i" * 40])
def test_as_much_is_kept_as_there_is_room_for(text: str) -> None:
    for room in range(0, 400, 7):
        shown = fonts.elided(text, 12, room)
        fits = [text[:kept] for kept in range(1, len(text)) if fonts.width(f"{text[:kept]}…", 12) <= room]
        whole = fonts.width(text, 12) <= room
        assert shown == (text if whole else f"{fits[-1].rstrip() if fits else ''}…")


def test_a_title_of_a_book_takes_no_time() -> None:
    started = time.process_time()
    assert fonts.elided("a " * 20_000, 12, 500).endswith("a…")
    assert time.process_time() - started < 1


@given(st.text(st.characters(max_codepoint=0x17F, exclude_categories=["Cc"]), max_size=20))
@example("WAVE To AV")
@example("−0.55")
def test_a_text_is_as_wide_as_its_letters(text: str) -> None:
    """As the file of the font has them, on every machine: neither its hints nor a library of the system's count."""
    face = QRawFont(
        str(resources.path("fonts", "IBMPlexSans-Regular.ttf")), 1000, QFont.HintingPreference.PreferNoHinting
    )
    advances = face.advancesForGlyphIndexes(face.glyphIndexesForString(text))
    assert fonts.width(text, 1000) == pytest.approx(sum(each.x() for each in advances))
