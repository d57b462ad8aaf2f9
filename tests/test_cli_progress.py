"""On a terminal, a run that takes long tells how far it is; elsewhere nothing is written beside the answer."""

from __future__ import annotations

import io
import sys

import pytest

from tests.models.checkpoints.reference import path
from txviz import cli_progress
from txviz.cli import main


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stream", "delay", "tells"), [(Terminal, 0, True), (Terminal, 1e9, False), (io.StringIO, 0, False)]
)
def test_a_line_that_is_written_over(
    stream: type[io.StringIO],
    delay: float,
    tells: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    written = stream()
    monkeypatch.setattr(cli_progress, "DELAY", delay)
    monkeypatch.setattr(cli_progress, "INTERVAL", 0)
    monkeypatch.setattr(sys, "stderr", written)
    assert main(["show", path("bert-masked"), "The cat [MASK].", "--step", "tokens"]) == 0
    lines = written.getvalue().split("\r")
    assert any(line.startswith("Layer 2 of 2 · ") for line in lines) == tells
    assert (lines[-1] == "\033[K") == tells, "gone when it is done"
    assert lines == [""] or tells
    assert capsys.readouterr().out.startswith("tokens")
