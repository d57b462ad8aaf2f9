"""Scroll bars that are there when a figure is larger than the view, and do not change what is drawn when they come."""

from __future__ import annotations

from PySide6.QtWidgets import QAbstractScrollArea

from txviz.figures.marks import Figure


def set_bars(view: QAbstractScrollArea, figure: Figure) -> None:
    """For a figure that is laid out for ``view.maximumViewportSize()``, which is without the bars: where it fits they
    go, since what they would take is only its margin."""
    size, whole = view.viewport().size(), view.maximumViewportSize()
    for bar, full, seen, most in (
        (view.horizontalScrollBar(), figure.width, size.width(), whole.width()),
        (view.verticalScrollBar(), figure.height, size.height(), whole.height()),
    ):
        bar.setRange(0, round(full) - seen if round(full) > most else 0)
        bar.setPageStep(seen)
        bar.setSingleStep(24)
