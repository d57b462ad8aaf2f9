"""Live plots beside the stage: one module each, with a ``Plot`` whose title a row of ``figures.views.VIEWS`` names."""

from txviz.figures.views import VIEWS
from txviz.gui.plots.attention import Attention
from txviz.gui.plots.distribution import Distribution
from txviz.gui.plots.panel import PlotPanel
from txviz.gui.plots.plot import Plot
from txviz.gui.plots.softmax import Softmax
from txviz.gui.plots.tokens import Tokens

_BY_TITLE: dict[str, type[Plot]] = {plot.title: plot for plot in (Attention, Softmax, Tokens, Distribution)}

PLOTS = tuple(_BY_TITLE[title] for title in dict.fromkeys(view.plot for view in VIEWS.values()) if title)

__all__ = ["PLOTS", "Plot", "PlotPanel"]
