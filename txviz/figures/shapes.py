"""How the shapes of a step go together: ``(5×3)(3×4) + 4 → 5×4``."""

from __future__ import annotations

from collections.abc import Callable

from txviz import ops
from txviz.trace import Step

Shape = tuple[int, ...]


def shape_arithmetic(step: Step) -> str:
    """The shapes that the step reads, in the form of its operation, and the shape that it makes."""
    if step.operation in SPECIAL:
        return SPECIAL[step.operation](step)
    if not step.sources:
        return _per_head(step, "", written(step.value.shape))
    form = FORMS.get(step.operation, _side_by_side)
    return _per_head(step, form(step), written(_matrix(step, step.value.shape)))


def written(shape: Shape) -> str:
    """
    >>> written((5, 3)), written(())
    ('5×3', '1')
    """
    return "×".join(map(str, shape)) or "1"


def _matrix(step: Step, shape: Shape) -> Shape:
    """The shape for one head, where the step is made head by head."""
    return shape[-2:] if step.axes[:1] == ("head",) else shape


def _per_head(step: Step, left: str, right: str) -> str:
    made = f"{left} → {right}" if left else right
    if step.axes[:1] != ("head",) or not left:
        return made
    return f"{_heads(step.value.shape[0])}: {made}"


def _heads(count: int) -> str:
    return "1 head" if count == 1 else f"{count} heads"


def _shapes(step: Step) -> list[str]:
    return [written(_matrix(step, source.value.shape)) for source in step.sources]


def _side_by_side(step: Step) -> str:
    return ", ".join(_shapes(step))


def _sum(step: Step) -> str:
    return " + ".join(_shapes(step))


def _stack(step: Step) -> str:
    return " ; ".join(_shapes(step))


def _product(step: Step) -> str:
    left, right = (_matrix(step, source.value.shape) for source in step.sources)
    return f"({written(left)})({written(right[::-1] if step.params.get('transpose') else right)})"


def _product_left(step: Step) -> str:
    left, right = (source.value for source in step.sources)
    if step.params.get("shared"):
        left, right = left.reshape(-1, left.shape[-1]), right.reshape(-1, right.shape[-1])
    a, b = left.shape[-2:], right.shape[-2:]
    return f"({written(a[::-1])})({written(b)})"


def _layer(step: Step) -> str:
    x, weight, *bias = _shapes(step)
    return f"({x})({weight})" + "".join(f" + {size}" for size in bias)


def _norm(step: Step) -> str:
    x, *learned = _shapes(step)
    return x + "".join(f" {sign} {size}" for sign, size in zip("⊙+", learned, strict=False))


def _rows(step: Step) -> str:
    count, table = (source.value.shape for source in step.sources)
    return f"{written(count)} {'row' if count == (1,) else 'rows'} of {written(table)}"


def _some(step: Step) -> str:
    at, (source,) = step.params["at"], _shapes(step)
    first, last = (at, at) if isinstance(at, int) else (at[0], at[1] - 1)
    if first == last:
        return f"{source} [{'last' if first == -1 else first}]"
    return f"{source} [{first}…{last}]"


def _dot(step: Step) -> str:
    return " · ".join(_shapes(step))


def _split(step: Step) -> str:
    heads, *matrix = step.value.shape[-3:]
    return f"{written(step.sources[0].value.shape)} → {_heads(heads)} × {written(tuple(matrix))}"


def _merge(step: Step) -> str:
    heads, *matrix = step.sources[0].value.shape[-3:]
    return f"{_heads(heads)} × {written(tuple(matrix))} → {written(step.value.shape)}"


FORMS: dict[ops.Op, Callable[[Step], str]] = {
    ops.matmul: _product,
    ops.product_left: _product_left,
    ops.linear: _layer,
    ops.layer_norm: _norm,
    ops.add: _sum,
    ops.mask: _sum,
    ops.concat: _stack,
    ops.lookup: _rows,
    ops.select: _some,
    ops.dot: _dot,
}
"""What stands on the left of the arrow."""

SPECIAL: dict[ops.Op, Callable[[Step], str]] = {ops.split_heads: _split, ops.merge_heads: _merge}
"""Where heads come or go."""
