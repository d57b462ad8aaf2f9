"""The corpus and a few fresh cases of every kind; and that the fuzzer does find what it looks for."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import warnings
from pathlib import Path
from random import Random

import pytest

from tests.fuzz.checks import FindingError
from tests.fuzz.doors import DOORS, Door
from tests.fuzz.runner import CORPUS, Case, Tried, attempts
from txviz import TxvizError

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the fuzzer needs signals and limits of Unix")


def test_the_corpus_and_some_fresh_cases() -> None:
    """In a process of its own, as ``make fuzz`` does it; what is found is told in full."""
    command = [sys.executable, "-m", "tests.fuzz", "--seed", "0", "--cases", "500"]
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


def misbehave(given: bytes) -> None:
    """Some of the ways in which a door can fail."""
    match given:
        case b"refuse":
            raise TxvizError("this is not what it should be; give something else")
        case b"two lines":
            error = TxvizError("one line")
            error.args = ("one line\nand another",)
            raise error
        case b"traceback":
            raise KeyError("nobody expects this")
        case b"warn":
            warnings.warn("a line on stderr", RuntimeWarning, stacklevel=1)
        case b"slow":
            time.sleep(60)
        case b"hang":
            _swallow_alarms()
        case b"memory":
            bytearray(400 * 2**20)
        case b"crash":
            os.abort()
        case b"half":
            raise FindingError("a file is half-written")


def _swallow_alarms() -> None:
    """Nobody gets through to it: as in a loop of C."""
    end = time.monotonic() + 600
    while time.monotonic() < end:
        try:
            time.sleep(600)
        except BaseException:
            continue


def word(rng: Random) -> bytes:
    raise AssertionError("the words come from the test")


class Word(Case):
    """A case that says what it is."""

    def content(self, doors: object) -> bytes:
        return self.name.encode()


def tried(*names: str) -> list[Tried]:
    doors = {"misbehave": Door(word, misbehave, 100, seconds=1, megabytes=350)}
    return list(attempts([Word("misbehave", name) for name in names], doors))


def test_what_is_taken_and_what_is_refused_in_a_sentence_is_well() -> None:
    assert [(each.refused, each.problem) for each in tried("take", "refuse", "take")] == [
        (False, ""),
        (True, ""),
        (False, ""),
    ]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("two lines", "the refusal is not one sentence"),
        ("traceback", "KeyError: 'nobody expects this'"),
        ("warn", "RuntimeWarning: a line on stderr"),
        ("slow", "takes more than 1 seconds"),
        ("memory", "MB, more than 350"),
        ("crash", "the process died with exit code -6"),
        ("half", "a file is half-written"),
    ],
)
def test_everything_else_is_found_and_the_next_case_tried(name: str, told: str) -> None:
    bad, after = tried(name, "take")
    assert told in bad.problem
    assert after.problem == ""


def test_what_can_not_be_interrupted_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.fuzz.runner.GRACE", 10)
    bad, after = tried("hang", "take")
    assert bad.problem == "hangs, and had to be killed"
    assert after.problem == ""
