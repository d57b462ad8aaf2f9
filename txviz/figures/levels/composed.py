"""A whole block as one formula, in LaTeX, put together from the formulas of its operations."""

from __future__ import annotations

from collections.abc import Collection

from txviz.figures.looks import look
from txviz.trace import Parameter, Step
from txviz.trace.symbols import symbol

LOOSE = {"add": " + ", "linear": " + ", "mask": " + ", "layer_norm": " + ", "multiply": r" \,\odot\, "}
"""Operations whose formula may end with something added, or multiplied cell by cell, and the sign of that."""


def composed(result: Step, inside: Collection[Step]) -> str:
    """``C = softmax(Q Kᵀ / √16) V``: each step of ``inside`` is written out, all else is its symbol."""
    return f"{symbol(result.site)} = {_written(result, inside, result)}"


def _written(step: Step | Parameter, inside: Collection[Step], result: Step) -> str:
    if isinstance(step, Parameter):
        return symbol(step.site)
    if step not in inside or not step.sources:
        return symbol(step.site, result.site)
    read = [_written(source, inside, result) for source in step.sources]
    if called := _called(step):
        return rf"\mathrm{{{called}}}\left({read[0]}\right)"
    return step.operation.formula(*_grouped(step, read), **step.params)


def _called(step: Step) -> str:
    """The name of an operation whose own formula is too long to stand inside another: it says twice what it reads."""
    if step.op == "softmax":
        return "softmax"
    bend, read = look(step).bend.lower(), r"\xi"
    return bend if bend and step.operation.formula(read, **step.params).count(read) > 1 else ""


def _grouped(step: Step, read: list[str]) -> list[str]:
    """A sum that is multiplied stands in brackets, and so does a product of cells."""
    if step.op not in ("linear", "matmul"):
        return read
    signs = (LOOSE.get(source.op) if isinstance(source, Step) else None for source in step.sources)
    return [rf"\left({text}\right)" if sign and sign in text else text for sign, text in zip(signs, read, strict=True)]
