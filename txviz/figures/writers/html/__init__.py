"""A trace as one HTML page that steps through it in any browser, offline: nothing in it is fetched from anywhere.

The page draws the same marks as the window, and everything it says is computed here: its script lays nothing out and
works nothing out. Each step is a packed piece of the file that the browser unpacks when it is first looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from txviz.figures.command import command
from txviz.figures.job import Export, Shown
from txviz.figures.levels import kinds
from txviz.figures.patches import find_drawing
from txviz.figures.presets import Preset
from txviz.figures.settings import Settings
from txviz.figures.style import Style
from txviz.figures.writers.html import level
from txviz.figures.writers.html.amount import Amount, measured
from txviz.figures.writers.html.frame import Block, Blocks, frame, packed
from txviz.figures.writers.html.level import Links
from txviz.figures.writers.html.picture import Pictures
from txviz.figures.writers.html.plots import plots
from txviz.figures.writers.html.step import Extents, Setting, Values, encoded
from txviz.ops import Index
from txviz.trace import Step, Trace
from txviz.trace.outline import Node

PAGE = Preset("page", 1040, 520, Style(size=12, growth=1.5))
"""As wide for its height as the room for the figure is in most browsers."""

NARROW = 400.0, 600.0
"""The page of a figure on a telephone, where the title stands above it, on as many lines as it needs."""

LARGE, BLOCK, FEW = 600, 12, 8
"""Steps of a level that are all in the file. Of a larger one, such as the tree of a beam, those are that its picture
leads to: of a block the key steps, of a smaller part all."""


def html(trace: Trace, shown: Sequence[Shown], preset: Preset = PAGE, place: Index = ()) -> str:
    """The whole page. ``place`` is the head to show where there is no room for all of them."""
    return "".join(parts(Export(trace, shown, "html", preset, place=place)))


def parts(wanted: Export, made_by: str = "") -> Iterator[str]:
    """The page piece by piece: its beginning, each step or level, its end. Joined, they are the file.

    ``made_by`` is the command that makes it.
    """
    links = Links(wanted.trace.outline, {each.name: i for i, each in enumerate(wanted.shown)})
    before, after = frame(wanted, links, made_by)
    wanted = replace(wanted, caption="", provenance=False)  # which the page says itself
    yield before
    yield from packed(_blocks(wanted, links))
    yield after


def _blocks(wanted: Export, links: Links) -> Iterator[list[Block]]:
    """Of each step or level."""
    amount = measured([] if wanted.as_pictures else wanted.steps, wanted.place)
    style = replace(wanted.preset.style, dots=amount.dots)
    wanted = replace(wanted, preset=replace(wanted.preset, style=style))
    blocks, made = Blocks(), _steps(amount, wanted, links)
    for each in wanted.shown:
        if isinstance(each, Node) or wanted.as_pictures:
            own = _own(each, wanted)
            yield blocks.of(level.encoded(each, own, links), level.others(each, own, links))
        else:
            yield blocks.of(*next(made))


def _own(shown: Shown, wanted: Export) -> Export:
    """Where the map was asked for, blocks are still shown as blocks."""
    begins_with_map = not wanted.shown[0].name
    return replace(wanted, view=Settings.view) if begins_with_map and shown.name else wanted


def _steps(amount: Amount, wanted: Export, links: Links) -> Iterator[tuple[dict[str, Any], list[Pictures]]]:
    setting = Setting(
        links.positions,
        (),
        find_drawing(wanted.trace),
        wanted.trace,
        Values(amount.most_numbers),
        Extents(),
    )
    for step, at, all_cells in zip(amount.steps, amount.places, amount.explained, strict=True):
        own = setting._replace(layouts=_layouts(step, wanted))
        yield encoded(step, at, all_cells, own), list(plots(step, at, wanted))


def _layouts(step: Step, wanted: Export) -> tuple[Preset, Preset]:
    """A page can be zoomed, and has the arithmetic of all cells."""
    preset = wanted.page_of(step).whole()
    small = replace(preset.style, size=12.0, growth=1.25, title=False)
    return preset, Preset("narrow", *NARROW, small)


def write(wanted: Export) -> bytes:
    total = len(wanted.shown)
    pieces: list[str] = []
    for done, piece in enumerate(parts(replace(wanted, shown=pages(wanted)), command(wanted))):
        wanted.watch(min(done, total), total)
        pieces.append(piece)
    return "".join(pieces).encode()


def pages(wanted: Export) -> list[Shown]:
    """What is wanted, and what its pictures lead to: their steps. A page of the whole run begins with the map, and
    has the picture of each block before its steps."""
    if wanted.as_pictures:
        return list(wanted.shown)
    found: dict[str, Shown] = {}
    for each in wanted.shown:
        found[each.name] = each
        found.update({step.name: step for step in _below(each, wanted)} if isinstance(each, Node) else {})
    if not all(step.name in found for step in wanted.trace):
        return list(found.values())
    own = [node for node in wanted.trace.outline if node.name and node.children and kinds(node)[0] != "map"]
    whole: list[Shown] = [wanted.trace.outline]
    for step in wanted.trace:
        whole += [*(node for node in own if node.first is step), step]
    return whole


def _below(node: Node, wanted: Export) -> list[Step]:
    """The steps that go with a level; the map brings all of them."""
    if len(node.steps) <= LARGE or not node.name:
        return list(node.steps)
    reached = [wanted.trace.outline.find(name) for name in {spot.node for spot in wanted.picture(node).spots}]
    small = [each for each in reached if len(each.steps) <= BLOCK]
    near = {step.name for each in small for step in each.steps if step.key or len(each.steps) <= FEW}
    return [step for step in node.steps if step.name in near]
