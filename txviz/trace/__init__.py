"""The record of a run: see ``run`` for how it is made and ``trace`` for what it is."""

from txviz.trace.overrides import Override
from txviz.trace.run import Run
from txviz.trace.step import Cell, Parameter, Printed, Step
from txviz.trace.trace import Trace

__all__ = ["Cell", "Override", "Parameter", "Printed", "Run", "Step", "Trace"]
