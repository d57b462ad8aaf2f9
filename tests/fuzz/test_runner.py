"""The fuzzer finds what it looks for, and goes on with the next case."""

from __future__ import annotations

import os
import time
import warnings
from random import Random

import pytest

from tests.fuzz.__main__ import kind_of
from tests.fuzz.runner import Case, Door, Tried, attempts
from txviz import TxvizError

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the fuzzer needs signals and limits of Unix")


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
        case b"write":
            os.write(2, b"a decoder prints what it thinks\n")
        case b"slow":
            while True:
                pass
        case b"hang":
            _swallow_alarms()
        case b"memory":
            bytearray(400 * 2**20)
        case b"crash":
            os.abort()


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
    """The first word may be about time."""
    seconds = 2 if names[0] in ("slow", "hang") else 60
    doors = {"misbehave": Door(word, misbehave, 100, seconds, megabytes=350)}
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
        ("write", "writes: a decoder prints what it thinks"),
        ("slow", "takes more than 2 seconds"),
        ("memory", "MB, more than 350"),
        ("crash", "the process died with exit code -6"),
    ],
)
def test_everything_else_is_found_and_the_next_case_tried(name: str, told: str) -> None:
    bad, after = tried(name, "take")
    assert told in bad.problem
    assert after.problem == ""


def test_what_can_not_be_interrupted_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.fuzz.runner.GRACE", 5)
    bad, after = tried("hang", "take")
    assert bad.problem == "hangs, and had to be killed"
    assert after.problem == ""


def test_one_thing_is_told_once_and_another_one_as_well() -> None:
    slow = 'takes more than 20 seconds\n  File "/x/txviz/figures/{0}.py", line {1}, in {0}\nTooLongError'
    panic = "writes: thread 'x' ({}) panicked at {}\nnote: some details are omitted"
    assert kind_of(slow.format("fonts", 1)) == kind_of(slow.format("fonts", 2)) != kind_of(slow.format("gif", 1))
    assert kind_of(panic.format(7, "a:1")) == kind_of(panic.format(8, "a:2")) != kind_of(panic.format(7, "b:1"))
    assert kind_of("KeyError: 'a'") != kind_of("KeyError: 'b'")
