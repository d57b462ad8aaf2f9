"""The corpus and a few fresh cases of every kind; and that the fuzzer does find what it looks for."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fuzz.doors import DOORS
from tests.fuzz.runner import CORPUS, Case

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the fuzzer needs signals and limits of Unix")


def test_the_corpus_and_some_fresh_cases() -> None:
    """In a process of its own, as ``make fuzz`` does it; what is found is told in full."""
    command = [sys.executable, "-m", "tests.fuzz", "--seed", "0", "--cases", "300"]
    found = subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parents[2], check=False)
    assert found.returncode == 0, found.stdout + found.stderr
    assert all(f"\n{kind} " in found.stdout for kind in DOORS)


def test_every_case_of_the_corpus_has_its_door() -> None:
    assert {path.parent.name for path in CORPUS.glob("*/*")} <= set(DOORS)


@pytest.mark.parametrize("kind", DOORS)
def test_a_case_comes_again(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    made = [Case(kind, "", seed, number).content(DOORS) for seed, number in ((1, 0), (1, 0), (1, 1), (2, 0))]
    assert made[0] == made[1]
    assert len(set(made)) > 1
