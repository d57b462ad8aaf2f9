"""Every operation has a row that says how it looks."""

from __future__ import annotations

import pytest

import txviz
from tests.figures.shipped import trace as shipped
from txviz import ops
from txviz.figures.looks import LOOKS, shape_arithmetic
from txviz.figures.marks import Text
from txviz.figures.stage import stage
from txviz.figures.tensors import grids
from txviz.models import find


def test_every_operation_has_a_row_and_every_row_an_operation() -> None:
    assert list(LOOKS.keys() ^ ops.BY_NAME.keys()) == []


@pytest.mark.parametrize("name", sorted(LOOKS))
def test_a_sign_stands_between_two_operands_at_least(name: str) -> None:
    look = LOOKS[name]
    assert look.signs
    assert all(look.signs)
    assert not look.equal or look.signs != (",",), "a list of things is not equal to what is made of it"


def test_a_product_with_its_first_operand_turned_is_drawn_so() -> None:
    trace = txviz.trace("digits", find("digits").example, target="7")
    steps = [step for step in trace if step.operation is ops.product_left]
    assert steps
    for step in steps:
        (left, right), (made,) = grids(step, ())
        assert left.turned
        assert left.caption.endswith("ᵀ")
        assert (left.values.shape[0], right.values.shape[1]) == made.values.shape
        (rows, inner), columns = left.values.shape, right.values.shape[1]
        if left.rank == 2:
            assert f"({rows}×{inner})({inner}×{columns}) → {rows}×{columns}" in shape_arithmetic(step)
        words = [mark.text for mark in stage(step).figure.flat() if isinstance(mark, Text)]
        assert [word for word in words if word in ("×", "=", "→", ",")] == ["×", "="]


def test_heads_come_and_go_side_by_side() -> None:
    digits = shipped("digits")
    split, merge = (next(step for step in digits if step.op == name) for name in ("split_heads", "merge_heads"))
    assert [len(some) for some in grids(split, ())] == [1, 4]
    assert [len(some) for some in grids(merge, ())] == [4, 1]
