"""Where a token stands: learned or sinusoidal, along a line or on a grid, or not told at all.

Letters: T tokens, d features; an image has rows × columns patches, and perhaps a [CLS] token before them.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from txviz import ops
from txviz.nets.parameters import Shapes
from txviz.trace import Run, Step
from txviz.trace.leaves import Leaf, add_headings, declare

declare(
    "embed",
    {
        "positions": Leaf("P", "A vector for each position, so that it matters where a token stands."),
        "rows_of_patches": Leaf("i", "Which row of the grid each patch stands in."),
        "columns_of_patches": Leaf("j", "Which column of the grid each patch stands in."),
        "rows": Leaf(r"P_{\mathrm{rows}}", "A vector for the row that each patch stands in."),
        "columns": Leaf(r"P_{\mathrm{columns}}", "A vector for the column that each patch stands in."),
        "grid": Leaf(r"P_{\mathrm{grid}}", "Row and column together: where on the image each patch stands."),
        "sum": Leaf("x", "What the first layer reads: the meaning of each token plus its position.", key="once"),
        "positions.table": Leaf(r"P_{\mathrm{table}}"),
        "rows.table": Leaf(r"P_{\mathrm{row}}"),
        "columns.table": Leaf(r"P_{\mathrm{col}}"),
        "cls.position": Leaf(r"P_{\mathrm{cls}}"),
    },
)
add_headings(
    "embed",
    {
        "positions": "Positions: where each token stands",
        "rows_of_patches": "Rows: which row of the image each patch is in",
        "columns_of_patches": "Columns: which column of the image each patch is in",
        "rows": "Row positions: a vector for each patch’s row",
        "columns": "Column positions: a vector for each patch’s column",
        "grid": "Positions in 2D: where on the image each patch stands",
        "sum": "Embedding: what each token means, and where it stands",
    },
)

Line = Literal["learned", "sinusoidal", "sinusoidal_halves", "none"]
"""In the order of halves all sines come first and then all cosines, as Marian has them."""
Grid = Literal["learned", "sinusoidal", "sinusoidal_halves", "learned_2d", "sinusoidal_2d", "none"]

_AXES = "token feature"


def line_shapes(kind: Grid, longest: int, d_model: int) -> Shapes:
    return {"embed.positions.table": (longest, d_model)} if kind == "learned" else {}


def grid_shapes(kind: Grid, rows: int, columns: int, d_model: int, cls: bool) -> Shapes:
    shapes = line_shapes(kind, rows * columns + cls, d_model)
    if kind == "learned_2d":
        shapes = {"embed.rows.table": (rows, d_model), "embed.columns.table": (columns, d_model)}
    return {**shapes, "embed.cls.position": (1, d_model)} if kind.endswith("2d") and cls else shapes


def add_line(run: Run, x: Step, kind: Grid, start: int = 0) -> Step:  # (T,d) -> (T,d)
    """x plus the positions start, start + 1, …; x alone where the model is told none."""
    if kind == "none":
        return x
    if kind == "learned":
        span = [start, start + x.value.shape[-2]]
        place = run(ops.select, "positions", run.parameter("positions.table"), at=span, axes=_AXES, like=x)
    else:
        place = waves(run, x, start, **({"halves": True, "single": True} if kind == "sinusoidal_halves" else {}))
    return run(ops.add, "sum", x, place, axes=_AXES)


def waves(run: Run, x: Step, start: int = 0, **order: bool) -> Step:  # (T,d) -> (T,d)
    """Fixed patterns for as many places as x has."""
    length, width = x.value.shape[-2:]
    shape = {"length": length, "width": width, "start": start, "dtype": run.dtype, **order}
    return run(ops.sinusoid, "positions", **shape, axes=_AXES, like=x)


def add_grid(run: Run, x: Step, kind: Grid, patches: Step, columns: int) -> Step:  # (T,d), (patches,·) -> (T,d)
    """The patches' positions by row and column. A [CLS] token stands outside the grid and has a position of its own."""
    if not kind.endswith("2d"):
        return add_line(run, x, kind)
    cls = run.present("cls.position")
    name = "grid" if cls else "positions"
    rows = patches.value.shape[-2] // columns
    if kind == "learned_2d":
        by_row = _by_place(run, "rows", np.repeat(np.arange(rows), columns), patches)
        by_column = _by_place(run, "columns", np.tile(np.arange(columns), rows), patches)
        place = run(ops.add, name, by_row, by_column, axes=_AXES)
    else:
        wave = {"rows": rows, "columns": columns, "width": x.value.shape[-1], "dtype": run.dtype}
        place = run(ops.sinusoid_2d, name, **wave, axes=_AXES, like=patches)
    if cls:
        place = run(ops.concat, "positions", *cls, place, axes=_AXES, like=x)
    return run(ops.add, "sum", x, place, axes=_AXES)


def _by_place(run: Run, name: str, places: ops.Array, patches: Step) -> Step:  # (T,) -> (T,d)
    given = run.given(f"{name}_of_patches", places, axes="token", like=patches)
    return run(ops.lookup, name, given, run.parameter(f"{name}.table"), axes=_AXES)
