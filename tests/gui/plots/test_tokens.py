"""Tokens in 2D: the principal components, the right stream for each step, and clicks that lead to steps."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

import txviz
from tests.figures.shipped import trace
from tests.gui.plots.conftest import Shown
from txviz import Trace
from txviz.figures.views.streams import find_streams, principal_plane, stream_at
from txviz.gui.plots import charts
from txviz.gui.plots.tokens import Tokens
from txviz.models import find


def names_at(trace: Trace, name: str) -> list[str]:
    return [step.name for step in stream_at(trace, find_streams(trace), trace[name])]


def test_the_plane_against_an_eigen_decomposition() -> None:
    points = np.random.default_rng(3).normal(size=(40, 6)) @ np.diag([5, 3, 1, 1, 0.5, 0.1])
    plane = principal_plane(points)
    sizes, directions = np.linalg.eigh(np.cov(points.T, bias=True))
    for i in (0, 1):
        expected = (points - points.mean(axis=0)) @ directions[:, -1 - i]
        assert np.allclose(np.abs(plane.places[:, i]), np.abs(expected))
        assert plane.shares[i] == pytest.approx(sizes[-1 - i] / sizes.sum())


def test_the_plane_is_never_mirrored() -> None:
    points = np.random.default_rng(4).normal(size=(12, 5))
    assert np.allclose(principal_plane(points).places, principal_plane(points.astype(np.float32)).places, atol=1e-4)
    more = principal_plane(np.concatenate([points, points.mean(axis=0, keepdims=True)]))
    assert np.allclose(principal_plane(points).places, more.places[:-1])


@pytest.mark.parametrize("points", [np.ones((3, 4)), np.ones((1, 4)), np.arange(6.0).reshape(6, 1)])
def test_points_with_no_plane(points: np.ndarray) -> None:
    plane = principal_plane(points)
    assert plane.places.shape == (len(points), 2)
    assert np.isfinite(plane.places).all()
    assert np.isfinite(plane.shares).all()


def test_the_stream_of_each_step(translator: Trace, digits: Trace) -> None:
    encoder = ["embed.sum", "encoder.0.residual_2", "encoder.1.residual_2", "encoder.norm"]
    assert names_at(digits, "head.logits") == encoder
    for name in ("tokens", "encoder.1.attention.weights", "encoder.norm"):
        assert names_at(translator, name) == encoder
    second = ["embed.sum", "0.residual_3", "1.residual_3", "norm"]
    for name in ("time.2.decoder.tokens", "time.2.decoder.1.ffn.hidden", "time.2.choice.token"):
        assert names_at(translator, name) == [f"time.2.decoder.{end}" for end in second]


def test_the_streams_of_two_sentences() -> None:
    pair = txviz.trace("sentence", find("sentence").example)
    assert names_at(pair, "second.tokens")[0] == "second.embed.sum"
    assert names_at(pair, "similarity.cosine")[0] == "second.embed.sum"
    assert names_at(pair, "first.pool.mean")[0] == "first.embed.sum"


def test_what_is_drawn(shown: Shown, digits: Trace) -> None:
    plot = shown(Tokens, digits, "encoder.0.ffn.hidden")
    stacked = np.concatenate([step.value for step in plot.stream])
    plane = principal_plane(stacked)
    assert np.allclose(np.stack(plot.points.getData(), axis=1), plane.places)
    axis = plot.chart.getPlotItem().getAxis("bottom")
    assert axis.labelText == f"component 1 ({round(100 * plane.shares[0])} %)"
    assert plot.heading.text() == "After embed · sum (the large dots)"
    assert plot.points.data["size"].reshape(4, 10).argmax(axis=0).tolist() == [0] * 10


def test_the_layer_follows_the_step(shown: Shown, digits: Trace) -> None:
    for name, layer in [("image", 0), ("encoder.0.residual_2", 1), ("encoder.1.ffn.hidden", 1), ("head.logits", 3)]:
        plot = shown(Tokens, digits, name)
        assert plot.layer == layer
        assert plot.points.data["size"].reshape(4, 10)[layer].min() > 10


def test_labels_do_not_lie_on_each_other(shown: Shown, qtbot: QtBot) -> None:
    plot = shown(Tokens, trace("digits"), "encoder.0.residual_2")
    qtbot.wait(50)
    plot._place_labels()
    visible = [item for item in plot.labels if item.isVisible()]
    boxes = [item.mapRectToScene(item.boundingRect()).adjusted(8, 4, -8, -4) for item in visible]
    assert len(visible) >= 5
    assert not any(a.intersects(b) for i, a in enumerate(boxes) for b in boxes[:i])


def click(plot: Tokens, qtbot: QtBot, layer: int, token: int) -> None:
    place = plot._places()[layer, token]
    spot = plot.chart.mapFromScene(plot.chart.getPlotItem().vb.mapViewToScene(charts.point(*place)))
    qtbot.mouseMove(plot.chart.viewport(), spot)
    qtbot.mouseClick(plot.chart.viewport(), Qt.MouseButton.LeftButton, pos=spot)


def test_a_click_on_a_dot_asks_for_its_step(shown: Shown, cat: Trace, qtbot: QtBot) -> None:
    plot = shown(Tokens, cat, "tokens")
    qtbot.wait(50)
    with qtbot.waitSignal(plot.step_requested) as asked:
        click(plot, qtbot, 1, 2)
    assert asked.args == ["encoder.0.norm_2"]


def test_a_cell_brings_its_token_forward(shown: Shown, cat: Trace) -> None:
    plot = shown(Tokens, cat, "encoder.0.attention.weights")
    plot.show_cell((0, 2, 4))
    opaque = [brush.color().alphaF() for brush in plot.points.data["brush"]]
    assert [round(alpha, 2) for alpha in opaque[:5]] == [0.35, 0.35, 1.0, 0.35, 0.35]
    plot.show_cell(None)
    assert {brush.color().alphaF() for brush in plot.points.data["brush"]} == {1.0}
