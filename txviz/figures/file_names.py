"""What the file of a step, of a level or of many is called."""

from __future__ import annotations

from pathlib import PurePath

from txviz.figures.job import Export, Shown
from txviz.figures.levels import kinds
from txviz.trace import Trace
from txviz.trace.outline import Node


def file_name(trace: Trace, shown: Shown, ending: str) -> str:
    """``012-encoder.0.attention.scores.svg``: names that sort as the steps do; a level has its first step's number."""
    if not shown.name:
        return f"{called(shown)}.{ending}"
    first = shown.first if isinstance(shown, Node) else shown
    number = next(i for i, step in enumerate(trace, 1) if step is first)
    return f"{number:0{max(3, len(str(len(trace))))}d}-{shown.name}.{ending}"


def called(shown: Shown) -> str:
    """The name of a step or of a level; the run has none, and is called as its picture is: map."""
    return shown.name or kinds(shown)[0] if isinstance(shown, Node) else shown.name


def suggested_name(wanted: Export) -> str:
    """Of one file. A model may be a folder somewhere else."""
    model = without_folder(str(wanted.trace.about.get("model", "steps")))
    name = called(wanted.shown[0]) if len(wanted.shown) == 1 else model
    return f"{name}.{wanted.format}"


def without_folder(path: str) -> str:
    """
    >>> without_folder("models/digits"), without_folder("C:\\\\me\\\\a.png"), without_folder("0 1; 1 0")
    ('digits', 'a.png', '0 1; 1 0')
    """
    return PurePath(path.replace("\\", "/")).name or path
