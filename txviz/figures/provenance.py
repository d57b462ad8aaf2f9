"""Where the numbers of a figure are from, in one small line."""

from __future__ import annotations

from txviz.figures.naming import counted
from txviz.figures.pair import facts
from txviz.trace import Trace
from txviz.version import __version__


def provenance(trace: Trace, other: Trace | None = None) -> str:
    """``21 of 21 steps replayed · Sentence guide · “The cat sat.” · txviz 0.2.0``: each step is really run again.

    Of two runs, A goes first.
    """
    runs = [run for run in (other, trace) if run is not None]
    counts = [f"{run.replayed} of {counted(len(run), 'step')}" for run in runs]
    replayed = counts[0] if other is None else "A: {}, B: {}".format(*counts)
    known = dict.fromkeys(fact for run in runs for fact in facts(run))
    return " · ".join([f"{replayed} replayed", *known, f"txviz {__version__}"])
