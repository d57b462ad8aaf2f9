"""Operations that move numbers and change none: heads, tokens and patches are cut, joined and picked.

Letters: T tokens, d features, H heads, D = d/H features of one head; rows × columns an image, C its colours.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from txviz.errors import TxvizError
from txviz.ops.arithmetic import number
from txviz.ops.base import Array, Gradient, Index, Op, Reads, Source, Worked

Span = int | list[int] | tuple[int, int]

MOST_ROWS = 5
"""In a formula; of more, the first ones and the last."""


class Move(Op):
    """Shared by all here: an output cell is a copy of one input cell, which ``origin`` finds."""

    def origin(self, index: Index, *inputs: Any, **params: Any) -> tuple[int, Index]:
        """Which input, and which of its cells, the output cell at ``index`` is a copy of."""
        raise TypeError(f"{self.name} has no origin")

    def worked(self, index: Index, *inputs: Array, **params: Any) -> Worked:
        which, cell = self.origin(index, *inputs, **params)
        result = float(inputs[which][cell])
        return Worked(f"copied from [{', '.join(map(str, cell))}]: {number(result)}", result)

    def reads(self, index: Index, *inputs: Array, **params: Any) -> Reads:
        which, cell = self.origin(index, *inputs, **params)
        return [[cell] if i == which else [] for i in range(len(inputs))]


def _pieces(x: Array, size: int) -> Array:  # (...,n) -> (...,n/size)
    """Each run of so many numbers as one piece: to move those takes half the time."""
    return np.ascontiguousarray(x).view(np.dtype((np.void, size * x.itemsize)))


class SplitHeads(Move):
    """The features are dealt out to the heads in consecutive groups."""

    name = "split_heads"
    about = "The features are dealt out to the heads, in groups of equal size; no number changes."

    def compute(self, x: Array, heads: int) -> Array:  # (...,T,d) -> (...,H,T,D)
        *before, length, width = x.shape
        dealt = np.ascontiguousarray(_pieces(x, width // heads).swapaxes(-1, -2))
        return dealt.view(x.dtype).reshape(*before, heads, length, width // heads)

    def formula(self, x: str, heads: int) -> str:
        return rf"\mathrm{{split}}_{{{heads}}}({x})" if heads > 1 else x

    def origin(self, index: Index, x: Array, heads: int) -> tuple[int, Index]:
        *before, head, token, feature = index
        return 0, (*before, token, head * (x.shape[-1] // heads) + feature)

    def gradients(self, grad: Source, out: Source, x: Source, heads: int) -> list[Gradient | None]:
        return [Gradient(merge_heads, (grad,))]


class MergeHeads(Move):
    name = "merge_heads"
    about = "The heads' results are laid side by side again; no number changes."

    def compute(self, x: Array) -> Array:  # (...,H,T,D) -> (...,T,d)
        *before, heads, length, width = x.shape
        beside = np.ascontiguousarray(_pieces(x, width)[..., 0].swapaxes(-1, -2))
        return beside.view(x.dtype).reshape(*before, length, heads * width)

    def formula(self, x: str) -> str:
        return rf"\mathrm{{concat}}_{{\mathrm{{heads}}}}({x})"

    def origin(self, index: Index, x: Array) -> tuple[int, Index]:
        *before, token, feature = index
        return 0, (*before, feature // x.shape[-1], token, feature % x.shape[-1])

    def gradients(self, grad: Source, out: Source, x: Source) -> list[Gradient | None]:
        return [Gradient(split_heads, (grad,), {"heads": x.value.shape[-3]})]


class Concat(Move):
    """One after the other along the token axis: [CLS] before the patches, cached keys before a new one."""

    name = "concat"
    about = "The rows of one stand below those of the other."

    def compute(self, *blocks: Array) -> Array:  # (...,T₁,d), (...,T₂,d)… -> (...,T₁+T₂+…,d)
        if len({block.shape[:-2] for block in blocks}) == 1:
            return np.concatenate(blocks, axis=-2)
        before = np.broadcast_shapes(*(block.shape[:-2] for block in blocks))
        return np.concatenate([np.broadcast_to(block, before + block.shape[-2:]) for block in blocks], axis=-2)

    def formula(self, *blocks: str) -> str:
        return r"\left[\, " + r" \,;\, ".join(blocks) + r" \,\right]"

    def origin(self, index: Index, *blocks: Array) -> tuple[int, Index]:
        *before, row, feature = index
        for which, block in enumerate(blocks):
            if row < block.shape[-2]:
                shared = before[len(before) - (block.ndim - 2) :]
                return which, (*shared, row, feature)
            row -= block.shape[-2]
        raise IndexError(index)

    def gradients(self, grad: Source, out: Source, *blocks: Source) -> list[Gradient | None]:
        found: list[Gradient | None] = []
        start = 0
        for block in blocks:
            stop = start + block.value.shape[-2]
            found.append(Gradient(select, (grad,), {"at": [start, stop]}))
            start = stop
        return found


class Stack(Move):
    """Vectors as the rows of one matrix."""

    name = "stack"
    about = "The vectors become the rows of one matrix; no number changes."

    def compute(self, *rows: Array) -> Array:  # (...,d), (...,d)… -> (...,n,d)
        return np.stack(rows, axis=-2)

    def formula(self, *rows: str) -> str:
        shown = rows if len(rows) <= MOST_ROWS else (*rows[: MOST_ROWS - 2], r"\ldots", rows[-1])
        return r"\left[\, " + r" \,;\, ".join(shown) + r" \,\right]"

    def origin(self, index: Index, *rows: Array) -> tuple[int, Index]:
        *before, row, feature = index
        return row, (*before, feature)

    def gradients(self, grad: Source, out: Source, *rows: Source) -> list[Gradient | None]:
        return [Gradient(select, (grad,), {"at": i}) for i in range(len(rows))]


class Select(Move):
    """One row (its axis goes) or the rows from start up to stop, along the token axis."""

    name = "select"
    about = "Some rows are picked out; no number changes."

    def compute(self, x: Array, at: Span) -> Array:  # (...,T,d) -> (...,d) or (...,t,d)
        return np.ascontiguousarray(x[..., at, :] if isinstance(at, int) else x[..., at[0] : at[1], :])

    def formula(self, x: str, at: Span) -> str:
        first, last = (at, at) if isinstance(at, int) else (at[0], at[1] - 1)
        row = str(first) if first >= 0 else f"T - {-first}"
        return f"{x}[{row}]" if first == last else rf"{x}[{row} \ldots {last}]"

    def origin(self, index: Index, x: Array, at: Span) -> tuple[int, Index]:
        if isinstance(at, int):
            return 0, (*index[:-1], at % x.shape[-2], index[-1])
        return 0, (*index[:-2], index[-2] + at[0], index[-1])

    def gradients(self, grad: Source, out: Source, x: Source, at: Span) -> list[Gradient | None]:
        return [Gradient(place, (grad,), {"at": at, "length": x.value.shape[-2]})]


class Place(Op):
    """Rows back where they were picked from, among zeros: the gradient of select."""

    name = "place"
    about = "The rows go back to the places they were picked from; all other rows are 0."

    def compute(self, grad: Array, at: Span, length: int) -> Array:  # (...,d) or (...,t,d) -> (...,T,d)
        before = grad.shape[:-1] if isinstance(at, int) else grad.shape[:-2]
        whole = np.zeros((*before, length, grad.shape[-1]), dtype=grad.dtype)
        if isinstance(at, int):
            whole[..., at, :] = grad
        else:
            whole[..., at[0] : at[1], :] = grad
        return whole

    def formula(self, grad: str, at: Span, length: int) -> str:
        return rf"\mathrm{{place}}({grad})"

    def worked(self, index: Index, grad: Array, at: Span, length: int) -> Worked:
        cells = self.reads(index, grad, at, length)[0]
        if not cells:
            return Worked("this row was not picked: 0", 0.0)
        return Worked(f"handed on: {number(grad[cells[0]])}", float(grad[cells[0]]))

    def reads(self, index: Index, grad: Array, at: Span, length: int) -> Reads:
        *before, row, feature = index
        if isinstance(at, int):
            return [[(*before, feature)] if row == at % length else []]
        return [[(*before, row - at[0], feature)] if at[0] <= row < at[1] else []]


class Patchify(Move):
    """An image cut into patches, row by row, each flattened row by row. A colour image has its colours last."""

    name = "patchify"
    about = "The image is cut into patches, and each patch is written out as one row of pixels."

    def compute(self, image: Array, patch: Index, colours: int = 1) -> Array:  # (...,rows,columns[,C]) -> (...,T,d)
        rows, columns = _grid(image.shape, patch, colours)
        before = image.shape[: image.ndim - (2 if colours == 1 else 3)]
        tiles = image.reshape(*before, rows, patch[0], columns, patch[1], colours)
        return np.ascontiguousarray(tiles.swapaxes(-4, -3)).reshape(*before, rows * columns, -1)

    def formula(self, image: str, patch: Index, colours: int = 1) -> str:
        return rf"\mathrm{{patches}}_{{{patch[0]} \times {patch[1]}}}({image})"

    def origin(self, index: Index, image: Array, patch: Index, colours: int = 1) -> tuple[int, Index]:
        _, columns = _grid(image.shape, patch, colours)
        *before, token, pixel = index
        (down, across), (place, colour) = divmod(token, columns), divmod(pixel, colours)
        inner = divmod(place, patch[1])
        cell = (*before, down * patch[0] + inner[0], across * patch[1] + inner[1])
        return 0, cell if colours == 1 else (*cell, colour)

    def gradients(
        self, grad: Source, out: Source, image: Source, patch: Index, colours: int = 1
    ) -> list[Gradient | None]:
        size = list(image.value.shape[-2:] if colours == 1 else image.value.shape[-3:-1])
        return [Gradient(unpatchify, (grad,), {"size": size, "patch": patch, "colours": colours})]


class Unpatchify(Move):
    """The inverse of patchify: the image back from its patches."""

    name = "unpatchify"
    about = "The patches are laid back in their places."

    def compute(
        self, x: Array, size: Index, patch: Index, colours: int = 1
    ) -> Array:  # (...,T,d) -> (...,rows,columns[,C])
        rows, columns = _grid(tuple(size), patch, 1)
        before = x.shape[:-2]
        tiles = x.reshape(*before, rows, columns, patch[0], patch[1], colours).swapaxes(-4, -3)
        return np.ascontiguousarray(tiles).reshape(*before, *size, *([] if colours == 1 else [colours]))

    def formula(self, x: str, size: Index, patch: Index, colours: int = 1) -> str:
        return rf"\mathrm{{patches}}_{{{patch[0]} \times {patch[1]}}}^{{-1}}({x})"

    def origin(self, index: Index, x: Array, size: Index, patch: Index, colours: int = 1) -> tuple[int, Index]:
        *before, row, column, colour = index if colours > 1 else (*index, 0)
        (down, inner_row), (across, inner_column) = divmod(row, patch[0]), divmod(column, patch[1])
        pixel = (inner_row * patch[1] + inner_column) * colours + colour
        return 0, (*before, down * (size[1] // patch[1]) + across, pixel)

    def gradients(
        self, grad: Source, out: Source, x: Source, size: Index, patch: Index, colours: int = 1
    ) -> list[Gradient | None]:
        return [Gradient(patchify, (grad,), {"patch": patch, "colours": colours})]


def _grid(shape: tuple[int, ...], patch: Index, colours: int) -> tuple[int, int]:
    """How many patches go down and across."""
    height, width = shape[-2:] if colours == 1 else shape[-3:-1]
    high, wide = patch
    if height % high or width % wide:
        raise TxvizError(f"an image of {height}×{width} can't be cut into whole patches of {high}×{wide}")
    return height // high, width // wide


split_heads = SplitHeads()
merge_heads = MergeHeads()
concat = Concat()
stack = Stack()
select = Select()
place = Place()
patchify = Patchify()
unpatchify = Unpatchify()
