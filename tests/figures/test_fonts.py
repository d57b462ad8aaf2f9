"""Texts that are cut where there is no room for them."""

from __future__ import annotations

import time

import pytest

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
