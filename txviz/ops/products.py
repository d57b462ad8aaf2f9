"""Matrix products.

Letters: n rows, k the summed axis, m columns; (...) any axes before them, which broadcast.
"""

from __future__ import annotations

import numpy as np

from txviz.ops.arithmetic import sum_of_products
from txviz.ops.base import Array, Gradient, Index, Op, Reads, Source, Worked, along, seen_from
from txviz.ops.latex import transposed
from txviz.ops.sums import sum_to

SHARED_OUT = 128 * 128
"""So many cells, and OpenBLAS gives each matrix of a stack to several threads."""


def times_matrix(a: Array, b: Array) -> Array:  # (...,n,k), (...,k,m) -> (...,n,m)
    """a b; where one matrix b serves a whole batch, as one large product instead of many small ones."""
    if b.ndim == 2 and a.ndim > 2:
        return np.asarray((a.reshape(-1, a.shape[-1]) @ b).reshape(*a.shape[:-1], b.shape[-1]))
    if a.ndim > 2 and a.shape[-2] * b.shape[-1] >= SHARED_OUT and a.shape[-2] <= b.shape[-1]:
        return _by_halves(a, b)
    return np.asarray(a @ b)


def turned(b: Array) -> Array:  # (...,m,k) -> (...,k,m)
    """Each matrix transposed. Those of a batch are small and many: laid out anew, their products take half the time."""
    return np.ascontiguousarray(np.swapaxes(b, -1, -2)) if b.ndim > 3 else np.swapaxes(b, -1, -2)


def _by_halves(a: Array, b: Array) -> Array:  # (...,n,k), (...,k,m) -> (...,n,m)
    """The left columns, then the right ones. OpenBLAS shares a product that is taller than wide out by rows, and its
    threads need not wait for each other; those of a square one do, which takes longer than one thread alone."""
    half = b.shape[-1] // 2
    before = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    result = np.empty((*before, a.shape[-2], b.shape[-1]), dtype=np.result_type(a, b))
    np.matmul(a, b[..., :half], out=result[..., :half])
    np.matmul(a, b[..., half:], out=result[..., half:])
    return result


class MatMul(Op):
    """A B, or A Bᵀ with ``transpose``: queries against keys, or weights against values."""

    name = "matmul"
    about = "Each cell is a row of the first matrix times a column of the second, summed."

    def compute(self, a: Array, b: Array, transpose: bool = False) -> Array:  # (...,n,k), (...,k,m) -> (...,n,m)
        return times_matrix(a, turned(b) if transpose else b)

    def formula(self, a: str, b: str, transpose: bool = False) -> str:
        return rf"{a} \, {transposed(b) if transpose else b}"

    def worked(self, index: Index, a: Array, b: Array, transpose: bool = False) -> Worked:
        row, stack = a[seen_from(index[:-1], a.shape[:-1])], b[seen_from(index[:-2], b.shape[:-2])]
        column = stack[index[-1]] if transpose else stack[:, index[-1]]
        return sum_of_products(row.tolist(), column.tolist())

    def reads(self, index: Index, a: Array, b: Array, transpose: bool = False) -> Reads:
        row = seen_from(index[:-1], a.shape[:-1])
        stack, column = seen_from(index[:-2], b.shape[:-2]), index[-1]
        count = a.shape[-1]
        return [along(row, count), along((*stack, column), count) if transpose else along(stack, count, (column,))]

    def gradients(
        self, grad: Source, out: Source, a: Source, b: Source, transpose: bool = False
    ) -> list[Gradient | None]:
        of_a = Gradient(matmul, (grad, b), {"transpose": not transpose})
        left, right = (grad, a) if transpose else (a, grad)
        return [of_a, Gradient(product_left, (left, right), {"shared": b.value.ndim == 2})]


class Linear(Op):
    """x W + b, with W stored as (in, out); the bias may be left out."""

    name = "linear"
    about = "A learned layer: each output feature is a weighted sum of the input features, plus a bias."

    def describe(self, x: Array, weight: Array, bias: Array | None = None) -> str:
        return self.about if bias is not None else self.about.replace(", plus a bias", "")

    def compute(self, x: Array, weight: Array, bias: Array | None = None) -> Array:  # (...,k), (k,m), (m,) -> (...,m)
        product = times_matrix(x, weight)
        if bias is not None:
            product += bias
        return product

    def formula(self, x: str, weight: str, bias: str | None = None) -> str:
        return rf"{x} \, {weight}" if bias is None else rf"{x} \, {weight} + {bias}"

    def worked(self, index: Index, x: Array, weight: Array, bias: Array | None = None) -> Worked:
        plus = None if bias is None else float(bias[index[-1]])
        return sum_of_products(x[index[:-1]].tolist(), weight[:, index[-1]].tolist(), plus)

    def reads(self, index: Index, x: Array, weight: Array, bias: Array | None = None) -> Reads:
        cells: Reads = [along(index[:-1], x.shape[-1]), along((), x.shape[-1], index[-1:])]
        return cells if bias is None else [*cells, [(index[-1],)]]

    def gradients(
        self, grad: Source, out: Source, x: Source, weight: Source, bias: Source | None = None
    ) -> list[Gradient | None]:
        of_x = Gradient(matmul, (grad, weight), {"transpose": True})
        of_weight = Gradient(product_left, (x, grad), {"shared": True})
        return [of_x, of_weight, Gradient(sum_to, (grad,), {"shape": list(out.value.shape[-1:])})]


class ProductLeft(Op):
    """Aᵀ B: how a matrix on the right of a product learns. A ``shared`` matrix sums over everything it was used for."""

    name = "matmul_left"
    about = "Each cell is a column of the first matrix times a column of the second, summed over all the rows."

    def compute(self, a: Array, b: Array, shared: bool = False) -> Array:  # (...,t,n), (...,t,m) -> (...,n,m) or (n,m)
        if shared:
            return np.asarray(a.reshape(-1, a.shape[-1]).T @ b.reshape(-1, b.shape[-1]))
        return np.asarray(np.swapaxes(a, -1, -2) @ b)

    def formula(self, a: str, b: str, shared: bool = False) -> str:
        return rf"{transposed(a)} \, {b}"

    def worked(self, index: Index, a: Array, b: Array, shared: bool = False) -> Worked:
        left, right = self.reads(index, a, b, shared)
        return sum_of_products([float(a[i]) for i in left], [float(b[i]) for i in right])

    def reads(self, index: Index, a: Array, b: Array, shared: bool = False) -> Reads:
        *stack, row, column = index
        if shared:
            rows: list[Index] = list(np.ndindex(*a.shape[:-1]))
            return [[(*place, row) for place in rows], [(*place, column) for place in rows]]
        of_a, of_b = seen_from(tuple(stack), a.shape[:-2]), seen_from(tuple(stack), b.shape[:-2])
        return [[(*of_a, t, row) for t in range(a.shape[-2])], [(*of_b, t, column) for t in range(b.shape[-2])]]


class Dot(Op):
    """a · b: of two vectors of length 1, the cosine of the angle between them."""

    name = "dot"
    about = "The two vectors are multiplied number by number, and summed."

    def compute(self, a: Array, b: Array) -> Array:  # (n,), (n,) -> ()
        return np.asarray(a @ b)

    def formula(self, a: str, b: str) -> str:
        return rf"{a} \cdot {b}"

    def worked(self, index: Index, a: Array, b: Array) -> Worked:
        return sum_of_products(a.tolist(), b.tolist())

    def reads(self, index: Index, a: Array, b: Array) -> Reads:
        return [[(k,) for k in range(len(a))]] * 2

    def gradients(self, grad: Source, out: Source, a: Source, b: Source) -> list[Gradient | None]:
        return [Gradient(stretch, (grad, b)), Gradient(stretch, (grad, a))]


class Stretch(Op):
    """One number times a vector."""

    name = "stretch"
    about = "Every number is multiplied by the gradient."

    def compute(self, grad: Array, x: Array) -> Array:  # (), (n,) -> (n,)
        return np.asarray(grad * x)

    def formula(self, grad: str, x: str) -> str:
        return rf"{grad} \, {x}"

    def worked(self, index: Index, grad: Array, x: Array) -> Worked:
        return sum_of_products([float(grad)], [float(x[index])])

    def reads(self, index: Index, grad: Array, x: Array) -> Reads:
        return [[()], [index]]


product_left = ProductLeft()
dot = Dot()
stretch = Stretch()
matmul = MatMul()
linear = Linear()
