"""Labels that stay in sight while one pans, beside the rows and above the columns that they name."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

import txviz
from tests.figures.shipped import trace as shipped
from tests.gui.conftest import Compute
from txviz.figures.area import Area
from txviz.figures.marks import Box, Heat, Text
from txviz.figures.panels import Panel
from txviz.figures.patches import find_drawing
from txviz.figures.stage import Stage, stage
from txviz.figures.style import Style
from txviz.gui.headers import headers
from txviz.gui.window import Window
from txviz.models import find

PAGE = (640, 430)


def zoomed(kind: str, name: str, zoom: float) -> Stage:
    trace = shipped(kind)
    return stage(trace[name], (), *PAGE, Style(zoom=zoom, growth=3), find_drawing(trace))


def windows(shown: Stage) -> list[Area]:
    """What is seen in the middle and at each corner of every tensor."""
    return [
        Area(x - PAGE[0] / 2, y - PAGE[1] / 2, *PAGE)
        for panel in shown.panels
        for x in (panel.x, (panel.x + panel.right) / 2, panel.right)
        for y in (panel.y, (panel.y + panel.bottom) / 2, panel.bottom)
    ]


def texts(shown: Stage, seen: Area) -> list[Text]:
    return [mark for mark in headers(shown, seen) if isinstance(mark, Text)]


def in_sight(panel: Panel, seen: Area) -> tuple[list[str], list[str]]:
    """The labels of the rows and of the columns whose middle is seen."""
    rows = [panel.y + (i + 0.5) * panel.cell_height for i in range(len(panel.grid.row_labels))]
    columns = [panel.x + (j + 0.5) * panel.cell_width for j in range(len(panel.grid.column_labels))]
    return (
        [label for label, y in zip(panel.grid.row_labels, rows, strict=True) if seen.y < y < seen.bottom],
        [label for label, x in zip(panel.grid.column_labels, columns, strict=True) if seen.x < x < seen.right],
    )


CASES = [
    ("translator", "encoder.0.attention.weights", 4),
    ("translator", "encoder.0.attention.query", 6),
    ("translator", "encoder.0.norm_1", 8),
    ("digits", "encoder.0.attention.query_projection", 5),
    ("sentence-guide", "encoder.0.attention.scores", 3),
]


@pytest.mark.parametrize(("kind", "name", "zoom"), CASES)
def test_every_row_and_column_in_the_middle_of_what_is_seen_has_its_label(kind: str, name: str, zoom: float) -> None:
    shown = zoomed(kind, name, zoom)
    for panel in shown.panels:
        seen = Area((panel.x + panel.right - PAGE[0]) / 2, (panel.y + panel.bottom - PAGE[1]) / 2, *PAGE)
        if panel.x > seen.x or panel.y > seen.y:
            continue
        said = {mark.text for mark in texts(shown, seen)}
        rows, columns = in_sight(panel, seen)
        covered = 3  # by the headers themselves, and where only every second or fifth is said
        assert len(said & {*rows}) >= min(1, len(rows) - covered), panel.grid.caption
        assert len(said & {*columns}) >= min(1, len(columns) - covered), panel.grid.caption


@pytest.mark.parametrize(("kind", "name", "zoom"), CASES)
def test_headers_stand_at_the_edge_in_line_with_their_cells(kind: str, name: str, zoom: float) -> None:
    shown = zoomed(kind, name, zoom)
    found = 0
    for seen in windows(shown):
        for mark in headers(shown, seen):
            if isinstance(mark, Box) and mark.fill:
                assert mark.x == seen.x or mark.y == seen.y
        for mark in texts(shown, seen):
            found += 1
            lines = [
                abs(mark.y - mark.size * 0.36 - (panel.y + (i + 0.5) * panel.cell_height)) < 0.01
                for panel in shown.panels
                for i in range(len(panel.grid.row_labels))
            ] + [
                abs(mark.x - (panel.x + (j + 0.5) * panel.cell_width)) < 0.01
                for panel in shown.panels
                for j in range(len(panel.grid.column_labels))
            ]
            assert any(lines), f"{mark.text} is in line with nothing"
    assert found


@pytest.mark.parametrize(("kind", "name", "zoom"), CASES)
def test_labels_that_are_seen_have_no_header(kind: str, name: str, zoom: float) -> None:
    assert headers(zoomed(kind, name, 1), Area(0, 0, *PAGE)) == []
    shown = zoomed(kind, name, zoom)
    assert headers(shown, Area(0, 0, shown.figure.width, shown.figure.height)) == []


def test_zoom_enlarges_the_numbers() -> None:
    step = txviz.trace("sentence-guide", "The cat sat.")["encoder.0.attention.scores"]
    sizes = [number_size(stage(step, (), *PAGE, Style(zoom=zoom))) for zoom in (1, 2, 4)]
    assert sizes[1] == pytest.approx(2 * sizes[0], rel=0.1)
    assert sizes[2] == pytest.approx(4 * sizes[0], rel=0.1)


def number_size(shown: Stage) -> float:
    """Of the numbers in the result."""
    panel = shown.panels[-1]
    heats = [mark for mark in shown.figure.flat() if isinstance(mark, Heat)]
    return next(heat.text_size for heat in heats if (heat.x, heat.y) == (panel.x, panel.y))


def strip(window: Window) -> QImage:
    """The left edge of what is painted, where the labels of rows stand."""
    return window.stage.viewport().grab().toImage().copy(0, 200, 40, 100)


def test_in_the_window_labels_stay_while_one_pans_and_the_zoomed_cell_stays_under_the_pointer(
    window: Window, qtbot: QtBot, compute: Compute
) -> None:
    compute(window, "translator", find("translator").example)
    window.session.go_to("encoder.0.attention.weights")
    view = window.stage
    panel = view.stage.panels[-1]
    spot = QPoint(round(panel.x + 4.5 * panel.cell_width), round(panel.y + 3.5 * panel.cell_height))
    view.zoom(6, spot.toPointF())
    qtbot.mouseMove(view.viewport(), spot + QPoint(1, 1))
    qtbot.mouseMove(view.viewport(), spot)
    assert window.session.cell == (0, 3, 4)
    before = strip(window)
    view.horizontalScrollBar().setValue(view.horizontalScrollBar().value() + 60)
    assert strip(window) == before, "the labels have not moved, the cells have"
    qtbot.mouseMove(view.viewport(), QPoint(3, 250))
    assert window.session.pinned is window.session.cell is None, "a header lies over the cells"


def test_bars_go_when_the_figure_fits_again(window: Window, qtbot: QtBot, compute: Compute) -> None:
    compute(window, "translator", find("translator").example)
    window.session.go_to("encoder.0.attention.weights")
    view = window.stage
    before = view.viewport().size()
    view.zoom(6)
    qtbot.waitUntil(lambda: view.viewport().size() != before)
    assert view.horizontalScrollBar().isVisible()
    window.session.move(1)
    qtbot.waitUntil(lambda: view.viewport().size() == before)
    assert not view.horizontalScrollBar().isVisible()
