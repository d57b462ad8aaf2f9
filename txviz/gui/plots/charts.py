"""Charts with number axes, made with pyqtgraph. Its traps are dealt with here and nowhere else.

A chart has the theme's colours and the application's font, no context menu, no "A" button, and stays as it is when
the mouse is dragged or its wheel turned: nobody gets lost in it.
"""

from __future__ import annotations

from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QFont, QFontInfo, QFontMetrics
from PySide6.QtWidgets import QApplication

from txviz.figures.theme import Theme

pg.setConfigOptions(antialias=True, imageAxisOrder="row-major")


class _Axis(pg.AxisItem):  # type: ignore[misc]
    """With the minus sign that all other numbers have."""

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        return [text.replace("-", "−") for text in super().tickStrings(values, scale, spacing)]


def chart(name: str) -> Any:
    """An empty chart, to be read out as ``name``."""
    widget = pg.PlotWidget(axisItems={side: _Axis(side) for side in ("left", "bottom")})
    widget.setAccessibleName(name)
    item = widget.getPlotItem()
    item.setMenuEnabled(False)
    # Not when garbage is collected, which may be while Qt goes through all widgets.
    widget.destroyed.connect(item.ctrlMenu.deleteLater)
    item.hideButtons()
    item.setMouseEnabled(x=False, y=False)
    item.vb.disableAutoRange()
    for side in ("left", "bottom"):
        item.getAxis(side).enableAutoSIPrefix(False)
    widget.setMinimumSize(120, 80)
    widget.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # a click must not take the arrow keys away from the window
    return widget


def apply_theme(widget: Any, theme: Theme) -> None:
    """Gives the chart the theme's colours."""
    widget.setBackground(theme.panel)
    for side in ("left", "bottom"):
        axis = widget.getPlotItem().getAxis(side)
        axis.setPen(pg.mkPen(theme.line))
        axis.setTextPen(pg.mkPen(theme.muted))
        axis.setStyle(tickFont=small())


def name_axes(widget: Any, bottom: str, left: str, theme: Theme) -> None:
    style = {"font-size": f"{small().pointSizeF():.1f}pt", "color": theme.muted}
    for side, text in (("bottom", bottom), ("left", left)):
        widget.getPlotItem().getAxis(side).setLabel(text, **style)


def set_ticks(widget: Any, ticks: list[tuple[float, str]]) -> None:
    """The numbers beside the chart, and what is written there."""
    widget.getPlotItem().getAxis("left").setTicks([ticks])


def set_left_width(widget: Any, text: str) -> None:
    """Room for such a number, whatever the numbers are."""
    axis = widget.getPlotItem().getAxis("left")
    axis.setWidth(QFontMetrics(small()).horizontalAdvance(text) + 2 * axis.style["tickTextOffset"][0])


def set_ranges(widget: Any, across: tuple[float, float], up: tuple[float, float]) -> None:
    widget.getPlotItem().vb.setRange(xRange=across, yRange=up, padding=0)


def small() -> QFont:
    """The application's font, a little smaller: for labels."""
    font = QApplication.font()
    font.setPointSizeF(font.pointSizeF() * 0.85)
    return font


def text_size() -> float:
    """Of the labels, in pixels."""
    return float(QFontInfo(small()).pixelSize())


def pen(colour: str, width: float = 1.0, opacity: float = 1.0) -> Any:
    return pg.mkPen(_colour(colour, opacity), width=width)


def brush(colour: str, opacity: float = 1.0) -> Any:
    return pg.mkBrush(_colour(colour, opacity))


def bars() -> Any:
    return pg.BarGraphItem(x=[], height=[], width=1)


def upright_line() -> Any:
    return pg.InfiniteLine(angle=90)


def curve() -> Any:
    return pg.PlotCurveItem(connect="pairs")


def points() -> Any:
    return pg.ScatterPlotItem(hoverable=True, tip=None, pxMode=True)


def label(text: str, colour: str) -> Any:
    item = pg.TextItem(f"  {text}  ", color=colour, anchor=(0, 0.5))
    item.setFont(small())
    return item


def point(x: float, y: float) -> QPointF:
    return QPointF(float(x), float(y))


def _colour(colour: str, opacity: float) -> QColor:
    result = QColor(colour)
    result.setAlphaF(opacity)
    return result
