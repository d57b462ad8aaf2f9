"""How each operation looks: one row for what stands between its operands, its shapes, and what is said about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from txviz.figures import shapes
from txviz.figures.remarks import answers, inputs, layers, learning, searching, weights
from txviz.figures.remarks.shown import Shown, largest
from txviz.trace import Step

Remark = Callable[[Shown], list[str]]


@dataclass(frozen=True)
class Look:
    remark: Remark = largest
    """What is remarkable in its numbers, in a sentence or two."""

    shapes: Callable[[Step], str] = shapes.side_by_side
    """How its shapes go together."""

    signs: tuple[str, ...] = (",",)
    """Between its operands; the last one is repeated."""

    equal: bool = False
    """Whether "=" stands before the result, and not "→"."""

    all_heads: Literal["", "inputs", "output"] = ""
    """Where all heads stand side by side, and not one alone."""

    turned: bool = False
    """Whether the first operand is multiplied transposed, and drawn so."""

    multiplies: bool = False
    """Whether the second operand has the axes of what is read and of what is made."""

    alone: bool = False
    """Whether the result stands alone: it is made from more tensors than a page can hold."""

    picks_rows: bool = False
    """Whether the first operand names rows of the second: only those are shown, by their names."""


def look(step: Step) -> Look:
    return LOOKS.get(step.op, _PLAIN)


_PLAIN = Look()

LOOKS: dict[str, Look] = {
    "given": Look(weights.put_in),
    "sinusoid": Look(inputs.waves),
    "sinusoid_2d": Look(inputs.waves),
    "causal_mask": Look(weights.masked),
    "padding_mask": Look(weights.masked),
    "lookup": Look(inputs.looked_up, shapes.rows_of_table, ("→",), picks_rows=True),
    "patchify": Look(inputs.patches),
    "unpatchify": Look(),
    "concat": Look(inputs.joined, shapes.stack),
    "stack": Look(searching.stacked, shapes.rows, alone=True),
    "select": Look(inputs.selected, shapes.some),
    "place": Look(),
    "split_heads": Look(weights.split, shapes.split, all_heads="output"),
    "merge_heads": Look(weights.merged, shapes.merge, all_heads="inputs"),
    "matmul": Look(weights.product, shapes.product, ("×",), equal=True, multiplies=True),
    "matmul_left": Look(largest, shapes.product_left, ("×",), equal=True, turned=True),
    "linear": Look(layers.linear, shapes.layer, ("×", "+"), equal=True, multiplies=True),
    "dot": Look(answers.similar, shapes.dot, ("·",), equal=True),
    "stretch": Look(largest, signs=("×",), equal=True),
    "add": Look(layers.added, shapes.sum_of, ("+",), equal=True),
    "mask": Look(weights.masked, shapes.sum_of, ("+",), equal=True),
    "scale": Look(weights.scaled),
    "softmax": Look(weights.softmax),
    "softmax_gradient": Look(),
    "log": Look(weights.log),
    "log_gradient": Look(),
    "layer_norm": Look(layers.norm, shapes.norm, ("⊙", "+")),
    "layer_norm_gradient": Look(),
    "gain_gradient": Look(),
    "unit": Look(answers.unit),
    "unit_gradient": Look(),
    "relu": Look(layers.relu),
    "relu_gradient": Look(),
    "gelu_tanh": Look(layers.gelu),
    "gelu_tanh_gradient": Look(),
    "gelu_erf": Look(layers.gelu),
    "gelu_erf_gradient": Look(),
    "mean_pool": Look(layers.pooled),
    "mean_pool_gradient": Look(),
    "argmax": Look(answers.chosen),
    "draw": Look(answers.chosen),
    "top_k": Look(answers.kept),
    "top_p": Look(answers.kept),
    "penalise": Look(searching.penalised, shapes.over_power),
    "best": Look(searching.ranked),
    "take": Look(searching.taken),
    "pick": Look(answers.picked),
    "pick_gradient": Look(),
    "gather": Look(),
    "cross_entropy": Look(learning.surprise),
    "cross_entropy_gradient": Look(),
    "average": Look(learning.mean_loss),
    "average_gradient": Look(),
    "squared_error": Look(learning.error),
    "squared_error_gradient": Look(),
    "sum_to": Look(),
    "pass_on": Look(),
    "length": Look(learning.clipping, shapes.all_of, alone=True),
    "clip": Look(),
    "blend": Look(),
    "sgd": Look(),
    "adam": Look(),
}
"""By the operation's name, as in traces and files."""


def shape_arithmetic(step: Step) -> str:
    """The shapes that the step reads, in the form of its operation, and the shape that it makes."""
    return look(step).shapes(step)
