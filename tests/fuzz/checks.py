"""What every door does with what it has let in: all that can be asked of a step is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from xml.etree import ElementTree

from txviz import Step, Trace, TxvizError
from txviz.figures import terminal
from txviz.figures.export import Export, content
from txviz.figures.levels import LEVELS
from txviz.figures.levels.picture import NodeScene
from txviz.figures.style import Style
from txviz.figures.views import VIEWS
from txviz.trace.outline import Node


class FindingError(Exception):
    """Something that must not be, though nothing was raised."""


def every(calls: Iterable[Callable[[], object]]) -> None:
    """Makes all calls, and only then hands on that one was refused."""
    refusals: list[TxvizError] = []
    for call in calls:
        try:
            call()
        except TxvizError as error:
            refusals.append(error)
    if refusals:
        raise refusals[-1]


def look(step: Step) -> None:
    """Its words, its formula, and the arithmetic of its first and its last cell."""
    terminal.describe(step)
    _ = step.title, step.formula, step.text, step.labels, step.parts, step.chosen, repr(step)
    for index in (tuple(0 for _ in step.value.shape), tuple(n - 1 for n in step.value.shape)):
        step.explain(index)


def draw(made: Trace, step: Step) -> None:
    """The step in every view that it has, as a drawing that other programs can read; and in words and numbers."""
    for name, view in VIEWS.items():
        if view.exists(made, step):
            ElementTree.fromstring(content(Export(made, [step], "svg", view=name)))
    for ending in ("csv", "md", "tex", "html"):
        content(Export(made, [step], ending))


def draw_node(made: Trace, node: Node) -> None:
    """The pictures of a level above the steps."""
    for picture in node.pictures:
        if picture in LEVELS:
            LEVELS[picture].draw(NodeScene(made, node, (), None, 1280, 720, Style()))
