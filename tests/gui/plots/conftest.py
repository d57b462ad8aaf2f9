"""A panel with all plots, shown, and traces to show in it."""

from __future__ import annotations

from typing import Protocol, TypeVar

import numpy as np
import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

import txviz
from tests.figures.shipped import vit_with_cls
from tests.gui.conftest import settle
from txviz import Trace, ops
from txviz.figures.theme import LIGHT, Theme
from txviz.gui.plots import PLOTS, Plot, PlotPanel
from txviz.models import find
from txviz.ops import Index
from txviz.trace import Run

Kind = TypeVar("Kind", bound=Plot)
Thing = TypeVar("Thing")


class Shown(Protocol):
    def __call__(self, kind: type[Kind], trace: Trace, name: str, place: Index = (), theme: Theme = LIGHT) -> Kind: ...


def there(thing: Thing | None) -> Thing:
    """What must be there by now."""
    assert thing is not None
    return thing


def point_at(qtbot: QtBot, widget: QWidget, where: QPoint) -> None:
    """Moves the pointer there, from elsewhere."""
    qtbot.mouseMove(widget, QPoint(1, 1))
    qtbot.mouseMove(widget, where)
    settle()


@pytest.fixture
def panel(qtbot: QtBot) -> PlotPanel:
    panel = PlotPanel(PLOTS)
    panel.resize(380, 640)
    qtbot.addWidget(panel)
    with qtbot.waitExposed(panel):
        panel.show()
    return panel


@pytest.fixture
def shown(panel: PlotPanel) -> Shown:
    """Opens a plot at a step of a trace, in a panel of the usual size."""

    def show(kind: type[Kind], trace: Trace, name: str, place: Index = (), theme: Theme = LIGHT) -> Kind:
        panel.choose(kind.title)
        panel.show_step(trace, trace[name], place, theme)
        assert isinstance(panel.plot, kind)
        return panel.plot

    return show


def _example(model: str) -> Trace:
    return txviz.trace(model, find(model).example)


@pytest.fixture(scope="session")
def cat() -> Trace:
    return _example("sentence-guide")


@pytest.fixture(scope="session")
def digits() -> Trace:
    return vit_with_cls()


@pytest.fixture(scope="session")
def translator() -> Trace:
    return _example("translator")


@pytest.fixture(scope="session")
def masked() -> Trace:
    return _example("masked-attention-guide")


@pytest.fixture(scope="session")
def large() -> Trace:
    """Attention as large as a real image model's: 12 heads, 197 tokens."""
    run, tokens = Run({}), ("[CLS]", *(f"patch {i}" for i in range(196)))
    scores = np.random.default_rng(0).normal(size=(12, 197, 197))
    labels = {"query": tokens, "key": tokens}
    with run.at(part="encoder", layer=0, block="attention"):
        scaled = run.given("scaled", scores, axes="head query key", labels=labels)
        run(ops.softmax, "weights", scaled, axes="head query key")
    return Trace(run.steps, {}, "")
