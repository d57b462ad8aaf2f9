"""How the shapes of a step go together: ``(5×3)(3×4) + 4 → 5×4``. ``looks`` says which operation has which form."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from txviz.trace import Step

Shape = tuple[int, ...]
Form = Callable[[Step], str]


def written(shape: Shape) -> str:
    """
    >>> written((5, 3)), written(())
    ('5×3', '1')
    """
    return "×".join(map(str, shape)) or "1"


def _makes_its_shape(left: Form) -> Form:
    """What is read, an arrow, and what is made; for one head, where the step is made head by head."""

    @wraps(left)
    def form(step: Step) -> str:
        if not step.sources:
            return written(step.value.shape)
        made = f"{left(step)} → {written(_matrix(step, step.value.shape))}"
        return f"{_heads(step.value.shape[0])}: {made}" if _by_head(step) else made

    return form


def _by_head(step: Step) -> bool:
    return step.axes[:1] == ("head",)


def _matrix(step: Step, shape: Shape) -> Shape:
    """The shape for one head, where the step is made head by head."""
    return shape[-2:] if _by_head(step) else shape


def _heads(count: int) -> str:
    return "1 head" if count == 1 else f"{count} heads"


def _shapes(step: Step) -> list[str]:
    return [written(_matrix(step, source.value.shape)) for source in step.sources]


@_makes_its_shape
def side_by_side(step: Step) -> str:
    return ", ".join(_shapes(step))


@_makes_its_shape
def sum_of(step: Step) -> str:
    return " + ".join(_shapes(step))


@_makes_its_shape
def stack(step: Step) -> str:
    return " ; ".join(_shapes(step))


@_makes_its_shape
def rows(step: Step) -> str:
    return f"{len(step.sources)} × {written(step.sources[0].value.shape)}"


@_makes_its_shape
def over_power(step: Step) -> str:
    return " / ".join(_shapes(step))


@_makes_its_shape
def products(step: Step) -> str:
    return " ⊙ ".join(_shapes(step))


@_makes_its_shape
def dot(step: Step) -> str:
    return " · ".join(_shapes(step))


@_makes_its_shape
def product(step: Step) -> str:
    left, right = (_matrix(step, source.value.shape) for source in step.sources)
    return f"({written(left)})({written(right[::-1] if step.params.get('transpose') else right)})"


@_makes_its_shape
def product_left(step: Step) -> str:
    left, right = (source.value for source in step.sources)
    if step.params.get("shared"):
        left, right = left.reshape(-1, left.shape[-1]), right.reshape(-1, right.shape[-1])
    a, b = left.shape[-2:], right.shape[-2:]
    return f"({written(a[::-1])})({written(b)})"


@_makes_its_shape
def layer(step: Step) -> str:
    x, weight, *bias = _shapes(step)
    return f"({x})({weight})" + "".join(f" + {size}" for size in bias)


@_makes_its_shape
def norm(step: Step) -> str:
    x, *learned = _shapes(step)
    return x + "".join(f" {sign} {size}" for sign, size in zip("⊙+", learned, strict=False))


@_makes_its_shape
def rows_of_table(step: Step) -> str:
    count, table = (source.value.shape for source in step.sources)
    return f"{written(count)} {'row' if count == (1,) else 'rows'} of {written(table)}"


@_makes_its_shape
def some(step: Step) -> str:
    at, (source,) = step.params["at"], _shapes(step)
    first, last = (at, at) if isinstance(at, int) else (at[0], at[1] - 1)
    if first == last:
        return f"{source} [{'last' if first == -1 else first}]"
    return f"{source} [{first}…{last}]"


@_makes_its_shape
def all_of(step: Step) -> str:
    count = sum(source.value.size for source in step.sources)
    return f"{count:,} numbers of {len(step.sources)} tensors"


def split(step: Step) -> str:
    heads, *matrix = step.value.shape[-3:]
    return f"{written(step.sources[0].value.shape)} → {_heads(heads)} × {written(tuple(matrix))}"


def repeat(step: Step) -> str:
    heads, *matrix = step.sources[0].value.shape[-3:]
    return f"{_heads(heads)} → {_heads(heads * step.params['times'])} × {written(tuple(matrix))}"


def merge(step: Step) -> str:
    heads, *matrix = step.sources[0].value.shape[-3:]
    return f"{_heads(heads)} × {written(tuple(matrix))} → {written(step.value.shape)}"
