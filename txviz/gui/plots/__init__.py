"""Live plots beside the stage. A new plot is one module with a ``Plot`` in it, and one entry in ``PLOTS``."""

from txviz.gui.plots.attention import Attention
from txviz.gui.plots.panel import PlotPanel
from txviz.gui.plots.plot import Plot
from txviz.gui.plots.softmax import Softmax

PLOTS: tuple[type[Plot], ...] = (Attention, Softmax)

__all__ = ["PLOTS", "Plot", "PlotPanel"]
