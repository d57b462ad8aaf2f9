"""The short form of ``make monkey``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.gui.monkey import play
from txviz.gui.window import Window


@pytest.mark.parametrize("seed", [1, 2])
def test_a_monkey_finds_nothing(
    start: Callable[..., Window], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    play(seed, 150, start, tmp_path, print)
