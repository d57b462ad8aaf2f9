"""Tokens in 2D: the principal components, the right stream for each step, and clicks that lead to steps."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage, QPainter
from pytestqt.qtbot import QtBot

from tests.figures.shipped import trace
from tests.gui.conftest import settle
from tests.gui.plots.conftest import Shown
from txviz import Trace
from txviz.figures.views.plane import principal_plane
from txviz.gui.plots import charts
from txviz.gui.plots.tokens import Tokens


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


def test_what_is_drawn(shown: Shown, digits: Trace) -> None:
    """The layers that are computed, in the plane of all of them."""
    plot = shown(Tokens, digits, "encoder.1.ffn.hidden")
    assert [step.name for step in plot.stream] == [
        "embed.sum", "encoder.0.residual_2", "encoder.1.residual_2", "encoder.norm"
    ]  # fmt: skip
    plane = principal_plane(np.concatenate([step.value for step in plot.stream]))
    assert np.allclose(np.stack(plot.points.getData(), axis=1), plane.places[:20])
    axis = plot.chart.getPlotItem().getAxis("bottom")
    assert axis.labelText == f"component 1 ({round(100 * plane.shares[0])} %)"
    assert plot.heading.text() == "After encoder 0 · residual 2 (the large dots)"
    assert plot.points.data["size"].reshape(2, 10).argmax(axis=0).tolist() == [1] * 10


def test_paths_grow_with_the_step(shown: Shown, digits: Trace) -> None:
    """And shrink again on the way back. The axes grow with them, and all dots lie inside."""
    for name, layer in [
        ("embed.sum", 0), ("encoder.0.residual_2", 1), ("encoder.1.ffn.hidden", 1), ("head.logits", 3),
        ("encoder.0.norm_1", 0),
    ]:  # fmt: skip
        plot = shown(Tokens, digits, name)
        assert plot.layer == layer
        sizes = plot.points.data["size"].reshape(layer + 1, 10)
        assert sizes[layer].min() > 10
        assert sum(len(path.getData()[0]) for path in plot._paths if path.getData()[0] is not None) == 2 * layer * 10
        for values, (low, high) in zip(plot.points.getData(), plot.chart.getPlotItem().vb.viewRange(), strict=True):
            assert low < values.min()
            assert values.max() < high
            assert np.ptp(values) > 0.6 * (high - low)


def test_the_axes_have_the_minus_sign_of_all_other_numbers(shown: Shown, digits: Trace) -> None:
    chart = shown(Tokens, digits, "head.logits").chart.getPlotItem()
    image = QImage(400, 400, QImage.Format.Format_RGB32)
    with QPainter(image) as painter:
        specs = [chart.getAxis(side).generateDrawSpecs(painter) for side in ("left", "bottom")]
    for _, _, texts in specs:
        told = [text for _, _, text in texts]
        assert any(text.startswith("−") for text in told), told
        assert not any("-" in text for text in told)


def test_labels_do_not_lie_on_each_other(shown: Shown, qtbot: QtBot) -> None:
    plot = shown(Tokens, trace("digits"), "encoder.0.residual_2")
    settle()
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
    plot = shown(Tokens, cat, "pool.mean")
    settle()
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
