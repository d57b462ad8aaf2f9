"""txviz: step through a transformer, with every tensor and the arithmetic of every cell.

>>> import txviz
>>> trace = txviz.trace("sentence-guide", "The cat sat.")
>>> trace["encoder.0.attention.scores"].explain((0, 2, 4)).text
'0.8×0.1 + 0.3×0.1 + (−0.5)×0.2 = 0.01'
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from txviz.errors import TxvizError
from txviz.models import models, trace
from txviz.trace import Cell, Printed, Step, Trace
from txviz.version import __version__

if TYPE_CHECKING:
    from pathlib import Path

    from txviz.figures.api import SavableFigure
    from txviz.figures.lecture import Lecture
    from txviz.models.audit import Finding
    from txviz.trace.outline import Node


def load(path: str | Path) -> Trace:
    """The trace that ``trace.save(path)`` wrote; what a compact file leaves out is computed again, and compared.

    The weights of a checkpoint are read from its folder, where it was or beside the file.
    """
    from txviz.models.recompute import MODELS
    from txviz.nets import declare_all
    from txviz.trace import store  # safetensors is imported only when a file is read or written

    declare_all()
    return store.load(path, MODELS)


def audit() -> list[Finding]:
    """Every result that the guides print, computed again."""
    from txviz.models.audit import audit  # few ask for it

    return audit()


def figure(shown: Step | Node | Trace, other: Step | Node | Trace | None = None, **how: Any) -> SavableFigure:
    """A step as a figure: ``txviz.figure(trace["encoder.0.attention.scores"]).save("scores.svg")``.

    Of a trace it is the map of the model, of a node of ``trace.outline`` the picture of that block or layer. With
    ``other``, the same of another run stands beside it: A, B and B − A.

    See ``txviz.figures.api.figure`` for what can be chosen: preset, theme, head, cell, size.
    """
    from txviz.figures.api import figure  # fonts and layout are loaded for figures alone

    return figure(shown, other, **how)


def lecture(trace: Trace, folder: str | Path, **how: Any) -> Lecture:
    """Writes slides, a film, a worksheet with its answers and a web page of a run, and says which files.

    ``how`` has what can be chosen about an export: ``theme``, ``builds``, ``seconds``, ``frames``, ``resolution``.
    """
    from pathlib import Path

    from txviz.figures.lecture import write_lecture  # with all that draws
    from txviz.figures.settings import Settings

    return write_lecture(trace, Path(folder), Settings(**how))


__all__ = [
    "Cell",
    "Printed",
    "Step",
    "Trace",
    "TxvizError",
    "__version__",
    "audit",
    "figure",
    "lecture",
    "load",
    "models",
    "trace",
]
