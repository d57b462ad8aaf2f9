from __future__ import annotations

import gc
import time
from functools import partial
from threading import Event
from weakref import ref

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from tests.gui.conftest import PATIENCE
from txviz.errors import TxvizError
from txviz.gui.background import Background, Watch
from txviz.gui.window import Window


@pytest.fixture
def background(qtbot: QtBot) -> Background:
    return Background()


def test_only_the_last_of_several_is_delivered(background: Background, qtbot: QtBot) -> None:
    gate = Event()
    delivered: list[object] = []
    background.finished.connect(delivered.append)
    background.submit(lambda _: gate.wait(PATIENCE) and "first")
    for number in range(20):
        background.submit(partial(lambda number, _: number, number))
    gate.set()
    qtbot.waitUntil(lambda: not background.busy)
    assert delivered == [19]


def test_work_that_nobody_waits_for_is_stopped(background: Background, qtbot: QtBot) -> None:
    rounds: list[int] = []

    def forever(watch: Watch) -> None:
        while True:
            watch()
            rounds.append(1)
            time.sleep(0.001)

    background.submit(forever)
    qtbot.waitUntil(lambda: len(rounds) > 3)
    with qtbot.assertNotEmitted(background.failed), qtbot.waitSignal(background.busy_changed):
        background.cancel()
    assert not background.busy


@pytest.mark.parametrize("fails", [False, True])
def test_what_comes_after_cancel_is_thrown_away(background: Background, qtbot: QtBot, fails: bool) -> None:
    """Work may be done when somebody cancels it, and its result on the way."""
    gate, told = Event(), list[object]()
    background.finished.connect(told.append)
    background.failed.connect(told.append)
    background.submit(lambda _: gate.wait(PATIENCE) and (1 / 0 if fails else "done"))
    gate.set()
    time.sleep(0.05)
    background.cancel()
    qtbot.waitUntil(lambda: not background.busy)
    assert told == []


def test_a_file_that_is_there_in_spite_of_cancel_is_told(qtbot: QtBot) -> None:
    background, gate = Background(writes=True), Event()
    background.submit(lambda _: gate.wait(PATIENCE) and "written")
    gate.set()
    time.sleep(0.05)
    with qtbot.waitSignal(background.finished) as told:
        background.cancel()
    assert told.args == ["written"]


def test_after_the_end_nothing_is_begun(background: Background) -> None:
    """A timer may ask for it when the window is closed, and who would be told is gone when it is done."""
    done: list[int] = []
    background.end()
    background.submit(lambda _: done.append(1))
    assert not background.busy
    background.wait()
    assert done == []


def test_an_error_is_delivered(background: Background, qtbot: QtBot) -> None:
    def fail(_: Watch) -> None:
        raise TxvizError("no")

    with qtbot.waitSignal(background.failed) as told:
        background.submit(fail)
    assert str(told.args[0]) == "no"


@pytest.mark.parametrize("fails", [False, True])
def test_nothing_is_kept_of_work_that_is_done(background: Background, qtbot: QtBot, fails: bool) -> None:
    """Not what it needed, such as a trace that was exported, and not what came out."""

    class Large:
        pass

    def work(large: Large, _: Watch) -> Large:
        if fails:
            raise TxvizError("no")
        return large

    kept = []
    for _ in range(50):
        large = Large()
        kept.append(ref(large))
        with qtbot.waitSignal(background.failed if fails else background.finished):
            background.submit(partial(work, large))
    del large
    with qtbot.waitSignal(background.finished):
        background.submit(lambda _: None)
    gc.collect()
    assert sum(each() is not None for each in kept) == 0


def test_progress_is_told(background: Background, qtbot: QtBot) -> None:
    def count(watch: Watch) -> str:
        for _ in range(5):
            watch()
            time.sleep(0.06)
        return "done"

    told: list[int] = []
    background.progressed.connect(told.append)
    with qtbot.waitSignal(background.finished) as finished:
        background.submit(count)
    assert finished.args == ["done"]
    assert told == [1, 2, 3, 4, 5]


def test_how_far_a_film_is_does_not_go_by_its_frames(background: Background, qtbot: QtBot) -> None:
    """Which tell all the same scene, one after the other."""

    def film(watch: Watch) -> None:
        for scene in (0, 0, 0, 1, 1):
            watch(scene, 2)
            time.sleep(0.06)

    told: list[int] = []
    background.progressed.connect(told.append)
    with qtbot.waitSignal(background.finished):
        background.submit(film)
    assert told == [0, 0, 0, 1, 1]


def test_nobody_is_warned_of_what_is_not_a_number(background: Background, qtbot: QtBot) -> None:
    """It is shown; a warning would be an error here, and a line in the terminal elsewhere."""
    with qtbot.waitSignal(background.finished) as told:
        background.submit(lambda _: np.float32(np.inf) - np.float32(np.inf))
    assert np.isnan(told.args[0])


def test_a_window_that_closes_ends_all_that_works_for_it(window: Window, qtbot: QtBot) -> None:
    rounds: list[int] = []

    def forever(watch: Watch) -> None:
        while True:
            watch()
            rounds.append(1)
            time.sleep(0.001)

    all_of_it = window.findChildren(Background)
    for background in all_of_it:
        background.submit(forever)
    qtbot.waitUntil(lambda: len(rounds) > 20)
    window.close()
    done = len(rounds)
    assert len(all_of_it) >= 7
    for background in all_of_it:
        background.submit(forever)
    time.sleep(0.05)
    assert len(rounds) == done
