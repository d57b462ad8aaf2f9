"""Two models stage by stage: a sentence beside an image, of which only the ends differ, or the same text in both."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import NamedTuple

import numpy as np

from txviz.figures import fonts, theme
from txviz.figures.answer import answers
from txviz.figures.area import Area
from txviz.figures.by_word import by_word
from txviz.figures.levels.board import Board
from txviz.figures.levels.layer_positions import positions_in_layers
from txviz.figures.levels.picture import NodeScene, Picture
from txviz.figures.levels.tile import tile
from txviz.figures.marks import Box, Mark, Text
from txviz.figures.naming import counted, listed, quoted
from txviz.figures.numerals import percent
from txviz.figures.pair import Pair, layer_counts
from txviz.figures.shapes import written
from txviz.figures.views.page import LINE, wrapped
from txviz.trace import Parameter, Step, Trace
from txviz.trace.pictures import is_weights

NAMES, TILE = 0.13, 0.3
"""Of the width: the names of the stages, and of a column, the numbers."""


class Cell(NamedTuple):
    """One stage of one run: in words, and the numbers of a step."""

    said: str
    step: Step | None = None


class Row(NamedTuple):
    name: str
    cells: tuple[Cell, Cell]
    same: bool = False
    """Whether both do the same."""


def draw_table(scene: NodeScene, pair: Pair) -> Picture:
    """A on the left, B on the right."""
    board = Board(scene._replace(style=replace(scene.style, formula=False), current=None))
    unlike = "A sentence beside an image: only the ends differ"
    board.heading(unlike if _reads_both(pair) else "Two models, stage by stage", colours=False)
    board.sentences(verdict(pair))
    rows, size = table(pair), board.size
    area = board.area
    columns = _columns(area)
    head = size * 2.0
    for name, trace, column in zip("AB", (pair.a, pair.b), columns, strict=True):
        kind = "image" if _reads_image(trace) else "text"
        title = fonts.elided(f"{name} · {kind}: {trace.outline.title}", size * 1.1, column.width, bold=True)
        board.add(f"{name} is", Text(column.x, area.y + size * 1.2, title, size * 1.1, board.theme.text, bold=True))
    high = (area.height - head) / len(rows)
    for i, row in enumerate(rows):
        _draw(board, pair, row, Area(area.x, area.y + head + i * high, area.width, high), columns)
    return board.picture()


def _columns(area: Area) -> tuple[Area, Area]:
    wide = area.width * (1 - NAMES) / 2
    left = area.x + area.width * NAMES
    return area._replace(x=left, width=wide * 0.97), area._replace(x=left + wide, width=wide)


def _draw(board: Board, pair: Pair, row: Row, area: Area, columns: Sequence[Area]) -> None:
    size, colours = board.size, board.theme
    if row.same:
        fill = theme.mixed(colours.accent, colours.panel, 0.1)
        board.add(f"{row.name} is the same", Box(*area._replace(height=area.height - size * 0.2), fill=fill))
    lines = [row.name, *(["the same"] if row.same else [])]
    marks: list[Mark] = []
    for i, line in enumerate(lines):
        y = area.centre[1] + (i - (len(lines) - 1) / 2) * size * LINE + size * 0.36
        shown = fonts.elided(line, size, columns[0].x - area.x - size * 0.6, bold=not i)
        marks.append(Text(area.x + size * 0.3, y, shown, size, colours.accent if i else colours.text, bold=not i))
    board.add(f"name of {row.name}", *marks)
    for name, cell, column in zip("AB", row.cells, columns, strict=True):
        _draw_cell(board, pair, name, cell, Area(column.x, area.y, column.width, area.height))


def _draw_cell(board: Board, pair: Pair, name: str, cell: Cell, area: Area) -> None:
    """The numbers on the left where there are some, the words beside them."""
    size, left = board.size, area.x
    if cell.step is not None and cell.step.value.dtype.kind == "f" and cell.step.value.size:
        room = Area(area.x, area.y + size * 0.3, area.width * TILE, area.height - size * 0.8)
        plain = replace(board.style, numbers=False, extents=None)
        made = tile(cell.step, room, plain, board.scene.place, square=False)
        board.add(f"{name}: {cell.step.name}", *made.marks)
        if pair.b.outline.get(cell.step.name) is not None:
            board.offer(made.spot._replace(hint=f"{name}: {cell.step.title}, {cell.step.dimensions}"))
    left += area.width * TILE + size * 0.8
    lines = wrapped(cell.said, size, area.right - left)[: max(1, int(area.height / (size * LINE)))]
    top = area.centre[1] - (len(lines) - 1) / 2 * size * LINE + size * 0.36
    marks = (Text(left, top + i * size * LINE, line, size, board.theme.text) for i, line in enumerate(lines))
    board.add(f"{name} in words", *marks)


def table(pair: Pair) -> list[Row]:
    """The guides' table, with the numbers of these two runs."""
    runs = pair.a, pair.b

    def row(name: str, cell: Callable[[Trace], Cell], same: bool = False) -> Row:
        return Row(name, (cell(runs[0]), cell(runs[1])), same)

    return [
        row("Input", _input),
        row("Pieces", _pieces),
        row("Embedding", _embedding),
        row("Positions", _positions),
        row("Read by layer 0", _stream),
        *([] if _reads_both(pair) else [row("Layers", _layers)]),
        row("Attention", _attention, _is_same(pair, "attention")),
        *([row("Cross-attention", _cross_attention)] if _reads_both(pair) else []),
        row("Feed-forward", _feed_forward, _is_same(pair, "ffn")),
        row("Answer", _answer),
    ]


def _reads_both(pair: Pair) -> bool:
    """Whether the one reads a text and the other an image."""
    return _reads_image(pair.a) != _reads_image(pair.b)


def _reads_image(trace: Trace) -> bool:
    return any(step.op == "patchify" for step in trace)


def _find(trace: Trace, leaf: str, block: str | None = None) -> Step | None:
    """In a decoder the attention of a block is called self-attention."""
    blocks = (block, "self_attention") if block == "attention" else (block,)
    named = (step for step in trace if step.site.leaf == leaf)
    return next((step for step in named if block is None or {step.site.block, step.site.part} & {*blocks}), None)


def _input(trace: Trace) -> Cell:
    image = _find(trace, "image")
    if image is not None:
        return Cell(f"an image of {written(image.value.shape)} pixels", image)
    given = trace.about.get("input", "")
    return Cell(f"a sentence: {quoted(given if isinstance(given, str) else ' | '.join(map(str, given)))}")


def _pieces(trace: Trace) -> Cell:
    patches = _find(trace, "patches")
    if patches is not None:
        size, read = f"{patches.value.shape[-1]} pixels each", _find(trace, "tokens", "embed")
        more = " and [CLS]" if read is not None and "[CLS]" in read.labels[0] else ""
        return Cell(f"{counted(len(patches.value), 'patch')} of {size}{more}", patches)
    tokens = _find(trace, "tokens")
    words = () if tokens is None else tokens.labels[-1]
    return Cell(f"{counted(len(words), 'token')}: {' '.join(words)}", tokens)


def _embedding(trace: Trace) -> Cell:
    step = _find(trace, "projection", "embed") or _find(trace, "tokens", "embed")
    learned = next((source for source in step.sources if isinstance(source, Parameter)), None) if step else None
    if step is None or learned is None:
        return Cell("given", step)
    shape = written(learned.value.shape)
    said = "its row of a table" if step.op == "lookup" else "its pixels times a matrix"
    return Cell(f"for each {'token' if step.op == 'lookup' else 'patch'} {said}, {shape}, learned", step)


def _positions(trace: Trace) -> Cell:
    """Those that are added to the embedding, and those that each layer has for itself; MPNet has both."""
    step, inside = _find(trace, "grid", "embed") or _find(trace, "positions", "embed"), positions_in_layers(trace)
    if step is None:
        return Cell("none") if inside is None else Cell(f"{inside.kind}: {inside.said}", inside.step)
    made = "sines and cosines of it" if step.op == "sinusoid" else "a row of numbers for each"
    if _reads_image(trace):
        in_line = "1D: the place in the image, row after row"
        where = "2D: its row and its column" if step.site.leaf == "grid" else in_line
    else:
        where = f"1D: the place in the sentence, 0 to {len(step.value) - 1}"
    return Cell(f"{where}; {made}{f'; and {inside.kind}: {inside.said}' if inside else ''}", step)


def _stream(trace: Trace) -> Cell:
    """The last of the embedding, which may have been normalised after it was added up."""
    before = takewhile(lambda step: step.site.layer is None, trace)
    found = [step for step in before if "embed" in (step.site.part, step.site.block)]
    if not found:
        return Cell("")
    added = next((len(step.sources) for step in found if step.site.leaf == "sum"), 1)
    made = {1: "the embedding by itself", 2: "the sum of both"}.get(added, f"the sum of all {added}")
    normalised = ", normalised" if found[-1].op in ("layer_norm", "rms_norm") else ""
    return Cell(f"{written(found[-1].value.shape)}: {made}{normalised}", found[-1])


def _layers(trace: Trace) -> Cell:
    """How many of them each part has, and how wide they are."""
    last = {step.site.part: step for step in trace if step.site.layer is not None and step.axes == ("token", "feature")}
    found = layer_counts(trace)
    parts = [f"{counted(found[part], 'layer')} in the {part}" for part in last if part in found]
    wide = sorted({step.value.shape[-1] for step in last.values()})
    return Cell(
        f"{listed(parts)}, d = {', '.join(map(str, wide))}" if parts else "none", next(iter(last.values()), None)
    )


def _attention(trace: Trace) -> Cell:
    step = _find(trace, "weights", "attention")
    if step is None:
        return Cell("none")
    causal = step.site.part == "decoder" and np.allclose(np.triu(step.value[0], 1), 0)
    whom = "itself and those before it" if causal else "each token"
    each = "patch looks at each patch" if _reads_image(trace) else f"token looks at {whom}"
    heads = counted(step.value.shape[0], "head") if step.value.ndim > 2 else "one head"
    return Cell(f"{heads}, {written(step.value.shape[-2:])} weights: each {each}", step)


def _cross_attention(trace: Trace) -> Cell:
    step = _find(trace, "weights", "cross_attention")
    if step is not None:
        return Cell(f"{written(step.value.shape[-2:])} weights: the target asks the source", step)
    uses = "words ask patches: captions, search by text" if _reads_image(trace) else "translation, dialogue, retrieval"
    return Cell(f"none here; elsewhere it joins two inputs ({uses})")


def _feed_forward(trace: Trace) -> Cell:
    hidden, output = _find(trace, "activation", "ffn"), _find(trace, "output", "ffn")
    if hidden is None or output is None:
        return Cell("none")
    wide, inner = output.value.shape[-1], hidden.value.shape[-1]
    return Cell(f"{wide} → {inner} → {wide} numbers, for each row alone", output)


def _answer(trace: Trace) -> Cell:
    pooled = next((step for step in trace if step.site.part == "pool"), None)
    how = {"mean": "the mean of all rows", "cls": "the row of [CLS]"}.get(pooled.site.leaf, "") if pooled else ""
    said = answers(trace)(len(trace) - 1)
    likely = f", {percent(said.bars[0].share)}" if said.bars else ""
    return Cell(f"{how + ': ' if how else ''}{said.said}{likely}", pooled)


def _is_same(pair: Pair, block: str) -> bool:
    a, b = (_operations(run, block) for run in (pair.a, pair.b))
    return bool(a) and a == b


def _operations(trace: Trace, block: str | None = None) -> list[tuple[str, str]]:
    """Of the layers, in order: names and operations. Of those that are run again and again, the first time."""
    blocks = (None,) if block is None else (block, "self_attention") if block == "attention" else (block,)
    layers = (step for step in trace if step.site.layer is not None and step.site.pass_ == "forward")
    first = (step for step in layers if step.site.time in (None, 1) and not step.site.beam)
    return [(step.name, step.op) for step in first if block is None or step.site.block in blocks]


def verdict(pair: Pair) -> str:
    """What the two have in common."""
    if not _reads_both(pair):
        return " ".join(filter(None, (_depths(pair), _same_words(pair)))) or "Their layers go together one by one."
    a, b = _operations(pair.a), _operations(pair.b)
    if a and a == b:
        return (
            f"Between the ends both run the same {len(a)} steps, with the same names and operations, in the same order:"
            " a block does not know whether its rows were words or patches."
        )
    shared = len(set(a) & set(b))
    return f"Of the {len(b)} steps of the encoder of B, {shared} are the same operations in A."


def _depths(pair: Pair) -> str:
    """Which layers stand beside each other."""
    a, b = pair.layers
    if not set(a) & set(b):
        each = [f"{name} has {_named(parts)}" for name, parts in (("A", a), ("B", b))]
        return f"{' and '.join(each)}: their layers do not correspond, only what comes before and after them."
    unlike = [part for part in b if part in a and a[part] != b[part]]
    said = [f"The {part} of A has {counted(a[part], 'layer')}, that of B {b[part]}" for part in unlike]
    alone = [f"B has no {part}." for part in a if part not in b] + [f"A has no {part}." for part in b if part not in a]
    return " ".join(([f"{'; '.join(said)}: layers go together by depth."] if said else []) + alone)


def _named(parts: Iterable[str]) -> str:
    """
    >>> _named(["encoder", "decoder"]), _named([])
    ('an encoder and a decoder', 'no layers')
    """
    return listed([f"{'an' if part[0] in 'aeiou' else 'a'} {part}" for part in parts] or ["no layers"])


def _same_words(pair: Pair) -> str:
    """How much of the attention goes to the same words, in the first layer and in the last."""
    steps = [step for step in pair.b if is_weights(step) and step.site.block != "cross_attention"]
    found = [by_word(twin, step) for step in (steps[:1] + steps[-1:]) if (twin := pair.twin(step)) is not None]
    shares = [percent(each.shared) for each in found if each is not None]
    if len(shares) < 2:
        return ""
    return f"Of their attention {shares[0]} goes to the same words in the first layer, {shares[1]} in the last."
