"""Screens of another scale, and screens that are gone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from tests.gui.conftest import Compute, settle
from tests.gui.shown import Checker, pixels
from txviz.gui.window import Window

FIRST, SECOND = range(2)
needs_two = pytest.mark.skipif(
    "screens.json" not in os.environ.get("QT_QPA_PLATFORM", ""), reason="needs screens that can be arranged"
)


def move(window: Window, screen: int) -> None:
    """To the upper left of a screen of ``screens.json``; the second has 1.5 times as many pixels on its width."""
    window.move(QGuiApplication.screens()[screen].availableGeometry().topLeft() + QPoint(100, 40))
    settle()


@needs_two
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("node", ["encoder.0.attention.weights", "encoder.0.attention", ""])
def test_what_is_painted_is_as_sharp_as_the_screen(window: Window, theme: str, node: str) -> None:
    window.choose_theme(theme)
    window.session.go_to("encoder.0.attention.weights")
    window.session.show_node(node)
    settle()
    coarse = pixels(window.area.shown.viewport())
    for screen in (SECOND, FIRST, SECOND):
        move(window, screen)
        assert window.devicePixelRatio() == QGuiApplication.screens()[screen].devicePixelRatio()
        assert Checker().disagreements(window) == []
    fine = pixels(window.area.shown.viewport())
    assert fine.shape[1] == pytest.approx(1.5 * coarse.shape[1], abs=2)


@needs_two
def test_a_presentation_and_lists_open_on_the_screen_of_the_window(window: Window, compute: Compute) -> None:
    compute(window, "translator", "The house is big")
    move(window, SECOND)
    place = QGuiApplication.screens()[SECOND].geometry()
    window.input.page.options.click()
    popup = QApplication.activePopupWidget()
    assert popup is not None
    assert place.contains(popup.geometry())
    popup.close()
    window.overlays.present()
    settle()
    assert window.overlays.presentation is not None
    assert window.overlays.presentation.geometry() == place
    window.overlays.presentation.close()


START = """
import json, sys
from pathlib import Path
from PySide6.QtCore import QTimer
from PySide6.QtTest import QTest
from txviz.gui.app import make_application, make_window
app = make_application()
window = make_window(Path(sys.argv[1]))
window.show()
QTest.qWaitForWindowExposed(window)
if len(sys.argv) > 2:
    where = app.screens()[-1].availableGeometry()
    window.move(where.topLeft() + where.center() / 20)
    window.docks["Plots"].setFloating(True)
    window.docks["Plots"].move(where.center())
    QTest.qWait(100)
windows = [window, *(dock for dock in window.docks.values() if dock.isFloating())]
print(json.dumps([each.geometry().getRect() for each in windows]))
window.close()
"""


@pytest.mark.parametrize("left", [(1024, 700), (1920, 1080)])
def test_a_window_on_a_screen_that_is_gone_opens_on_the_one_that_is_there(
    tmp_path: Path, left: tuple[int, int]
) -> None:
    def start(screens: list[tuple[int, int, int]], *arguments: str) -> list[QRect]:
        config, state = tmp_path / "screens.json", tmp_path / "state.json"
        names = ("name", "x", "y", "width", "height", "logicalDpi", "logicalBaseDpi", "dpr")
        made = [(f"screen {x}", x, 0, width, height, 96, 96, 1) for x, width, height in screens]
        config.write_text(json.dumps({"screens": [dict(zip(names, each, strict=True)) for each in made]}))
        known = os.environ | {"QT_QPA_PLATFORM": f"offscreen:configfile={config}"}
        command = [sys.executable, "-c", START, str(state), *arguments]
        done = subprocess.run(command, env=known, capture_output=True, text=True, check=True, timeout=120)
        return [QRect(*each) for each in json.loads(done.stdout)]

    assert all(each.left() >= left[0] for each in start([(0, *left), (left[0], 1920, 1080)], "far"))
    there = QRect(0, 0, *left).adjusted(-2, -2, 2, 2)  # the frame that the platform without a screen makes up
    for place in start([(0, *left)]):
        assert there.contains(place), place
