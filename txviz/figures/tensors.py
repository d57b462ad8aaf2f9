"""Which tensors a step puts on the stage, and how their cells become the rows and columns of grids.

A grid shows one matrix: all of a tensor of rank 2 or less, or the matrix at one ``place`` of its leading axes (head 2).
An axis too long to be read, such as a vocabulary, is cut down to the entries that matter in this step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from txviz.analysis.ranking import first_places
from txviz.figures.colour_scale import extent, reach
from txviz.figures.grid import FIRST_HEAD, Axis, Grid, Labels, is_all
from txviz.figures.looks import look
from txviz.figures.naming import ANSWERS
from txviz.figures.numerals import cell_form, common_decimals, readable
from txviz.figures.photographs import COLOURS, is_cut_photograph, is_photograph, raster
from txviz.figures.place import full_place
from txviz.ops import Array, Index
from txviz.trace import Step
from txviz.trace.kept import kept_for_array
from txviz.trace.site import Site
from txviz.trace.step import Parameter, numbered

LONGEST_VOCABULARY, LONGEST_AXIS = 100, 1024
"""Words and classes are cut sooner than tokens and features: of these one wants to read the likeliest, of features to
see the pattern."""

LONGEST_ROW = 10
"""Token numbers, one beside the other; more of them stand upright, so that they can be read."""

PIXELS = (Site("image"), Site("all_patches"), Site("patches"))
"""What has the pixels of the input themselves, and is shown in grey."""

SEPARATOR = " · "
"""Between the parts of what is said about a shape."""

EXCERPT = 16
MOST_HEADS = 12

Entries = Mapping[Axis, Array]
"""Which entries of some axes are shown; of the others, all."""

NONE_LEFT_OUT: Entries = {}

Shown = tuple[list[Grid], list[Grid]]
"""What a step read, and what it made."""


def grids(
    step: Step, place: Index, decimals: int | None = None, entries: Entries = NONE_LEFT_OUT, cell: Index | None = None
) -> Shown:
    """What the step read and what it made, with so many decimals; its own where nothing is said. Of long axes only some
    ``entries`` may be shown; those of a ``cell`` always are."""
    decimals = common_decimals([step.value]) if decimals is None else decimals
    kept, shows_all = _kept(step, cell), look(step).all_heads

    def drawn(source: Step | Parameter, k: int | None, every_head: bool) -> list[Grid]:
        if isinstance(source, Step) and _is_image(source, made=k is None):
            return [_image_grid(step, source, k is None, place, entries)]
        return _grids(step, source, k, _places(source, place, every_head), kept, decimals, entries)

    inputs = [
        grid
        for k, source in enumerate(() if look(step).alone else step.sources)
        for grid in drawn(source, k, shows_all == "inputs")
    ]
    made = drawn(step, None, shows_all == "output")
    return inputs, made if cell is None else [replace(grid, marked=grid.find(cell)) for grid in made]


def result_at(step: Step, place: Index, entries: Entries = NONE_LEFT_OUT) -> Grid:
    """The matrix at the place, of those that the step made; of some axes only these entries."""
    if _is_image(step, made=True):
        return _image_grid(step, step, True, place, entries)
    return _grids(step, step, None, _places(step, place, every_head=False), _kept(step), 0, entries)[0]


def rows_at(step: Step) -> Grid:
    """The same as a matrix, also where it is the patches of an image, each of which is a row."""
    return _grids(step, step, None, _places(step, (), every_head=False), _kept(step), 0)[0]


def _places(source: Step | Parameter, place: Index, every_head: bool) -> list[Index]:
    """The matrices to show: the chosen one, or one for each head."""
    shape = source.value.shape[:-2]
    if every_head and np.prod(shape, dtype=int) <= MOST_HEADS:
        return list(np.ndindex(*shape))
    return [full_place(place, shape)]


def _grids(
    step: Step,
    source: Step | Parameter,
    k: int | None,
    places: Sequence[Index],
    kept: dict[int, Array],
    decimals: int,
    entries: Entries = NONE_LEFT_OUT,
) -> list[Grid]:
    """The matrices of a tensor at some places; ``k`` counts what the step reads, and is None for what it made."""
    value, transposed = source.value, _is_transposed(step, k)
    turned = transposed or _stands_upright(step, value, kept)
    labels = source.labels if isinstance(source, Step) else _parameter_labels(step, source)
    axes = source.axes if isinstance(source, Step) else ()
    drawn = _axes(step, k, turned, labels, value.ndim)
    own = zip(value.shape[-2:], (drawn[::-1] if turned else drawn)[-value.ndim :], strict=False)
    ids = [entries.get(axis, kept.get(n, np.arange(n))) for n, axis in own]
    (row_labels, rows), (column_labels, columns) = _rows_and_columns(source, labels, ids, turned)
    picture = source.site in PIXELS and not is_cut_photograph(source)
    whole, form = reach(source), cell_form(value, decimals) if readable(value) else ""

    def at(place: Index) -> Grid:
        matrix = _matrix(value[place], ids, turned)
        return Grid(
            source.name,
            k is None,
            _caption(source.site, step.site, transposed, place if len(places) > 1 else ()),
            _shape(value, axes if place == places[0] else (), place if len(places) == 1 else (), ids, transposed),
            matrix,
            row_labels,
            column_labels,
            rows,
            columns,
            place,
            value.ndim,
            turned,
            picture,
            picture and axes == ("row", "column"),
            whole,
            form or cell_form(matrix, decimals),
            *drawn,
        )

    return [at(place) for place in places]


def _is_transposed(step: Step, k: int | None) -> bool:
    return bool(k == 1 and step.params.get("transpose")) or (k == 0 and look(step).turned)


def _stands_upright(step: Step, value: Array, kept: dict[int, Array]) -> bool:
    """A vector of words, or of more token numbers than can be read in a row."""
    if value.ndim != 1:
        return False
    return len(value) in kept or (value.dtype.kind == "i" and (look(step).picks_rows or len(value) > LONGEST_ROW))


def _rows_and_columns(
    source: Step | Parameter, labels: Sequence[Labels], ids: Sequence[Array], turned: bool
) -> list[tuple[Labels, Array]]:
    """The labels and the places of both, as they are drawn. A vector has one row, and a number one column, too."""
    shown = [
        (names if is_all(which, len(names)) else tuple(names[i] for i in which), which)
        for names, which in zip(labels[-2:], ids, strict=True)
    ]
    one = np.zeros(1, int)
    both = [(("",), one), *(shown or [(_word(source), one)])][-2:]
    return both[::-1] if turned else both


def _matrix(value: Array, ids: Sequence[Array], turned: bool) -> Array:  # (), (n,) or (n,m) -> (rows,columns)
    """These entries of it, as they are drawn; where they are all, the tensor's own numbers and no copy of them."""
    every = all(is_all(which, n) for which, n in zip(ids, value.shape, strict=True))
    cut = np.atleast_2d(value if every else value[np.ix_(*ids)])
    return cut.T if turned else cut


def _is_image(source: Step | Parameter, made: bool) -> bool:
    """Whether it is drawn as a picture in colour: an image, and its patches where they are cut. Read by others, patches
    are the rows of a matrix."""
    return is_photograph(source) or (made and is_cut_photograph(source))


def _image_grid(reader: Step, step: Step, output: bool, place: Index, entries: Entries) -> Grid:
    """All of its pixels, without labels; ``place`` is the colour that is looked at."""
    image = raster(step, *full_place(place, (COLOURS,)))
    drawn = [(side, tuple(map(str, range(n)))) for side, n in zip(("row", "column"), image.colours.shape, strict=False)]
    rows, columns = (entries.get(axis, np.arange(len(axis[1]))) for axis in drawn)
    return Grid(
        step.name,
        output,
        _caption(step.site, reader.site, False, ()),
        f"{'×'.join(map(str, step.value.shape))}{SEPARATOR}{' × '.join(step.axes)}",
        image.cells(step.value)[np.ix_(rows, columns)],
        ("",) * len(rows),
        ("",) * len(columns),
        rows,
        columns,
        (),
        step.value.ndim,
        turned=False,
        picture=True,
        square=True,
        extent=extent(step.value),
        row_axis=drawn[0],
        column_axis=drawn[1],
        raster=image,
    )


def _axes(step: Step, k: int | None, turned: bool, labels: Sequence[Labels], rank: int) -> tuple[Axis, Axis]:
    """Of the rows and of the columns, as they are drawn."""
    rows, columns = ([("",)] * 2 + [tuple(names) for names in labels])[-2:] if rank else (("",), ("",))
    if turned:
        rows, columns = columns, rows
    inner = look(step).multiplies or look(step).turned
    return ("inner" if inner and k == 1 else "row", rows), ("inner" if inner and k == 0 else "column", columns)


def _word(source: Step | Parameter) -> Labels:
    """What one number stands for, where it is a choice."""
    return ((isinstance(source, Step) and source.chosen) or "",)


def _caption(site: Site, reader: Site, transposed: bool, head: Index) -> str:
    """What it is called inside its block, and whose it is where it comes from the other sentence. Of many heads, the
    others just say which one they are."""
    if any(head):
        return f"head {head[-1]}"
    *before, last = site.path
    kind = last in ("weight", "bias", "gain", "table", "vector") and before and isinstance(before[-1], str)
    words = f"{before[-1]} {last}" if kind else str(last)
    whose = f"{site.sentence} " if site.sentence and site.sentence != reader.sentence else ""
    gradient = "∇ " if site.pass_ == "backward" else ""
    return whose + gradient + words.replace("_", " ") + ("ᵀ" if transposed else "") + (FIRST_HEAD if head else "")


def _shape(value: Array, axes: tuple[str, ...], place: Index, ids: Sequence[Array], turned: bool) -> str:
    """As it is drawn: ``5×3 · token × feature``, ``head 2 · 5×5 · query × key``, or ``16 of 1,185 · vocabulary``."""
    if value.ndim == 0:
        return "one number"
    way = -1 if turned else 1
    sizes = list(zip(ids, value.shape[-2:], strict=True))[::way]
    cut = [f"{len(i)} of {n:,}" if len(i) < n else str(n) for i, n in sizes]
    text = " × ".join(cut) if any(len(i) < n for i, n in sizes) else "×".join(cut)
    named = f"{text}{SEPARATOR}{' × '.join(axes[-2:][::way])}" if axes else text
    heads = [f"{axis} {i}" for axis, i, n in zip(axes, place, value.shape, strict=False) if n > 1]
    return SEPARATOR.join([*heads, named])


def _parameter_labels(step: Step, source: Parameter) -> tuple[Labels, ...]:
    """A parameter has no labels of its own; some of its axes are those of what it is multiplied with or added to."""
    shape = source.value.shape
    numbers = tuple(map(numbered, shape))
    first = step.sources[0]
    if look(step).picks_rows and isinstance(first, Step):
        rows = list(numbers[0])
        for i, word in zip(first.value.ravel().tolist(), first.labels[-1], strict=False):
            rows[i] = word
        return (tuple(rows), *numbers[1:])
    if look(step).multiplies and len(shape) == 2 and isinstance(first, Step):
        outer, inner = step.labels[-1], first.labels[-1]
        return (outer, inner) if step.params.get("transpose") else (inner, outer)
    if step.value.shape[step.value.ndim - len(shape) :] == shape:
        return step.labels[step.value.ndim - len(shape) :]
    return numbers


def _kept(step: Step, cell: Index | None = None) -> dict[int, Array]:
    """For each size of axis that is too long to show: which of its entries are shown, those of the cell included."""
    kept = _longest_cut(step)
    for n, i in zip(step.value.shape[-2:], (cell or ())[-2:], strict=False):
        if n in kept and i not in kept[n]:
            kept[n] = np.append(kept[n], i)
    return kept


def _longest_cut(step: Step) -> dict[int, Array]:
    if look(step).picks_rows:
        table, ids = step.sources[1].value, step.sources[0].value
        return {len(table): np.unique(ids)} if len(table) > LONGEST_VOCABULARY else {}
    kept: dict[int, Array] = {}
    for source in (step, *step.sources):
        value = source.value
        if value.dtype.kind == "i" and value.ndim == 1:  # a larger number of a token is no more than another
            continue
        axes = source.axes if isinstance(source, Step) else ("",) * value.ndim
        for axis, size in enumerate(value.shape[-2:], start=max(value.ndim - 2, 0)):
            longest = LONGEST_VOCABULARY if axes[axis] in ANSWERS else LONGEST_AXIS
            if size > longest and size not in kept:
                kept[size] = _largest(value, axis, signed=source.site.pass_ not in ("backward", "update"))
    return kept


@kept_for_array
def _largest(value: Array, axis: int, signed: bool) -> Array:  # -> (EXCERPT,)
    """The places along an axis that hold the largest numbers, largest first; sizes where the sign is no matter."""
    others = tuple(i for i in range(value.ndim) if i != axis)
    most = value.max(axis=others) if signed else np.maximum(value.max(axis=others), -value.min(axis=others))
    if not np.isfinite(most).all():  # few have such numbers, and leaving them out takes several times as long
        finite = np.where(np.isfinite(value), value if signed else np.abs(value), -np.inf)
        most = finite.max(axis=others)
    return first_places(most, EXCERPT)
