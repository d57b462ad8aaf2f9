"""The window's plots are those that the list of pictures names, and have something to show where the pictures have."""

from __future__ import annotations

import pytest

from tests.figures.shipped import trace as shipped
from txviz.figures.views import VIEWS
from txviz.gui.plots import PLOTS, Plot


def test_every_picture_but_the_stage_has_a_plot() -> None:
    assert {plot.title for plot in PLOTS} == {view.plot for view in VIEWS.values()} - {""}
    assert [name for name, view in VIEWS.items() if not view.plot] == ["stage"]


@pytest.mark.parametrize("plot", PLOTS, ids=lambda plot: plot.title)
@pytest.mark.parametrize("kind", ["sentence-guide", "digits", "translator"])
def test_a_plot_shows_the_steps_of_its_picture(plot: type[Plot], kind: str) -> None:
    trace = shipped(kind)
    views = [view for view in VIEWS.values() if view.plot == plot.title]
    for step in trace:
        shown = (view.steps(trace, step) for view in views)
        assert plot.steps(trace, step) == next(filter(None, shown), ()), step.name
