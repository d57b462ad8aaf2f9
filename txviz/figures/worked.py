"""The arithmetic of a cell as a line, ``scores[cat, sat] = …``: in the window, below a figure, on a big screen."""

from __future__ import annotations

from txviz.figures import fonts
from txviz.figures.naming import cell_name
from txviz.figures.pair import Pair, corresponds
from txviz.figures.patches import place_of_pixel
from txviz.figures.place import is_cell
from txviz.ops import Index
from txviz.trace import Cell, Step, Trace

LEFT_OUT = " … "


def worked(trace: Trace, step: Step, cell: Index, pair: Pair | None = None, explained: Cell | None = None) -> str:
    """With the patch of a pixel. Where two runs are compared, a line for each. ``explained`` is the cell's explanation,
    for whoever has it already."""
    line = f"{cell_name(step, cell)} = {(explained or step.explain(cell)).text}"
    line = "  ·  ".join(filter(None, (line, place_of_pixel(trace, step, cell))))
    if pair is None:
        return line
    a = pair.of_a(step)
    if not corresponds(a, step) or not is_cell(a, cell):
        return f"A  has no such cell\nB  {line}"
    return f"A  {cell_name(a, cell)} = {a.explain(cell).text}\nB  {line}"


def shortened(text: str, size: float, room: float) -> str:
    """In the type of arithmetic, no wider than this: how a mean comes about can be left out, and then the middle of a
    long sum, but neither its beginning nor what it comes to."""
    for said in (text, text.partition(", where ")[0]):
        if not said or fonts.width(said, size, mono=True) <= room:
            return said
    letters = max(0, int(room / fonts.width("0", size, mono=True)) - len(LEFT_OUT))
    start, end = said[: letters * 2 // 3], said[len(said) - letters // 3 :]
    return f"{start.rpartition(' ')[0] or start}{LEFT_OUT}{end.partition(' ')[2] or end}"
