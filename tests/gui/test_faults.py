"""Errors where nobody expects them: the window lives on, and what was drawn or typed is still there."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from tests.gui.conftest import Compute
from txviz.gui.window import Window
from txviz.models import find


def broken(*_: object, **__: object) -> None:
    raise RuntimeError("a fault that was put in")


@pytest.mark.parametrize(
    "where",
    [
        "txviz.gui.stage_view.paint",
        "txviz.gui.stage_view.stage",
        "txviz.gui.scrubber.Scrubber._lay_out",
        "txviz.gui.inputs.board.greys",
        "txviz.gui.explanation.sentences",
        "txviz.gui.plots.canvas.paint",
    ],
)
def test_a_fault_in_a_painter_or_a_view(
    window: Window, qtbot: QtBot, compute: Compute, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    drawing = find("digits").examples[4]
    compute(window, "digits", drawing)
    window.plots_holder.build()
    with qtbot.captureExceptions() as caught, monkeypatch.context() as fault:
        fault.setattr(where, broken)
        window.session.go_to("encoder.0.attention.weights")
        window.update()
        window.input.page.editor.update()
        for child in window.findChildren(type(window.timeline.scrubber)):
            child.update()
        window.repaint()
        qtbot.wait(60)
    assert all("a fault that was put in" in str(error) for _, error, _ in caught)
    window.session.go_to("encoder.1.attention.weights")
    qtbot.wait(60)
    assert window.isVisible()
    assert window.stage.stage.step.name == "encoder.1.attention.weights"
    assert window.input.request().source == drawing
    assert not window.stage.grab().isNull()
