"""How each operation looks: one row for what stands between its operands, which of them share their colours, its
shapes, and what is said about it."""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import dataclass
from sys import maxsize
from typing import Literal

from txviz.figures import shapes
from txviz.figures.remarks import answers, inputs, layers, learning, searching, weights
from txviz.figures.remarks.shown import Shown, largest
from txviz.trace import Step

RESULT = -1
ALL = range(RESULT, maxsize)
"""Every operand and the result: what is added, copied, cut, joined or masked."""

FIRST, BIAS, COMPARED = (0, RESULT), (2, RESULT), (0, 1)
"""What is changed, before and after; what is added to a product; two that are compared."""

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

    together: Container[int] = ()
    """Which operands have one scale of colours, since the same number means the same in them: by their places, and
    ``RESULT`` for what is made of them. What is multiplied has a scale of its own."""

    rescales: bool = False
    """Whether all numbers become so many times as large: before and after have one scale where they stand side by side,
    and their own in a picture of many steps, where the smaller ones would be too pale."""

    bend: str = ""
    """What an activation is called in words, and in small letters as a function; nothing where it is none."""


def look(step: Step) -> Look:
    return LOOKS.get(step.op, _PLAIN)


_PLAIN = Look()

LOOKS: dict[str, Look] = {
    "given": Look(weights.put_in),
    "sinusoid": Look(inputs.waves),
    "sinusoid_2d": Look(inputs.waves),
    "causal_mask": Look(weights.masked),
    "padding_mask": Look(weights.masked),
    "distance_buckets": Look(inputs.buckets),
    "bucket_bias": Look(inputs.by_distance, shapes.rows_of_table, ("→",), together=(1, RESULT)),
    "bucket_bias_gradient": Look(together=FIRST),
    "lookup": Look(inputs.looked_up, shapes.rows_of_table, ("→",), picks_rows=True, together=ALL),
    "patchify": Look(inputs.patches, together=ALL),
    "unpatchify": Look(together=ALL),
    "concat": Look(inputs.joined, shapes.stack, together=ALL),
    "stack": Look(searching.stacked, shapes.rows, alone=True, together=ALL),
    "select": Look(inputs.selected, shapes.some, together=ALL),
    "place": Look(together=ALL),
    "split_heads": Look(weights.split, shapes.split, all_heads="output", together=ALL),
    "merge_heads": Look(weights.merged, shapes.merge, all_heads="inputs", together=ALL),
    "matmul": Look(weights.product, shapes.product, ("×",), equal=True, multiplies=True),
    "matmul_left": Look(largest, shapes.product_left, ("×",), equal=True, turned=True),
    "linear": Look(layers.linear, shapes.layer, ("×", "+"), equal=True, multiplies=True, together=BIAS),
    "dot": Look(answers.similar, shapes.dot, ("·",), equal=True, together=COMPARED),
    "stretch": Look(largest, signs=("×",), equal=True),
    "add": Look(layers.added, shapes.sum_of, ("+",), equal=True, together=ALL),
    "mask": Look(weights.masked, shapes.sum_of, ("+",), equal=True, together=ALL),
    "scale": Look(weights.scaled, together=ALL, rescales=True),
    "softmax": Look(weights.softmax),
    "softmax_gradient": Look(),
    "log": Look(weights.log),
    "log_gradient": Look(),
    "layer_norm": Look(layers.norm, shapes.norm, ("⊙", "+"), together=BIAS),
    "layer_norm_gradient": Look(),
    "gain_gradient": Look(),
    "unit": Look(answers.unit),
    "unit_gradient": Look(),
    "relu": Look(layers.relu, together=ALL, bend="ReLU"),
    "relu_gradient": Look(together=FIRST),
    "gelu_tanh": Look(layers.gelu, together=ALL, bend="GELU"),
    "gelu_tanh_gradient": Look(),
    "gelu_erf": Look(layers.gelu, together=ALL, bend="GELU"),
    "gelu_erf_gradient": Look(),
    "silu": Look(layers.silu, together=ALL, bend="SiLU"),
    "silu_gradient": Look(),
    "tanh": Look(layers.tanh, together=ALL),
    "tanh_gradient": Look(),
    "multiply": Look(largest, shapes.products, ("⊙",), equal=True),
    "rms_norm": Look(layers.rms, shapes.norm, ("⊙",)),
    "rms_norm_gradient": Look(),
    "rms_gain_gradient": Look(),
    "rotate": Look(weights.rotated, together=ALL),
    "repeat_heads": Look(weights.repeated, shapes.repeat, all_heads="output", together=ALL),
    "repeat_heads_gradient": Look(together=ALL),
    "standardise": Look(inputs.standard),
    "mean_pool": Look(layers.pooled, together=ALL),
    "mean_pool_gradient": Look(),
    "argmax": Look(answers.chosen),
    "draw": Look(answers.chosen),
    "top_k": Look(answers.kept, together=ALL),
    "top_p": Look(answers.kept, together=ALL),
    "penalise": Look(searching.penalised, shapes.over_power, together=ALL),
    "best": Look(searching.ranked),
    "take": Look(searching.taken, together=ALL),
    "pick": Look(answers.picked, together=ALL),
    "pick_gradient": Look(together=ALL),
    "gather": Look(together=ALL),
    "cross_entropy": Look(learning.surprise),
    "cross_entropy_gradient": Look(),
    "average": Look(learning.mean_loss, together=ALL),
    "average_gradient": Look(),
    "squared_error": Look(learning.error, together=COMPARED),
    "squared_error_gradient": Look(together=(1, 2)),
    "sum_to": Look(together=ALL),
    "pass_on": Look(together=ALL),
    "length": Look(learning.clipping, shapes.all_of, alone=True),
    "clip": Look(together=FIRST),
    "blend": Look(together=(1, RESULT)),
    "sgd": Look(together=FIRST),
    "adam": Look(together=FIRST),
}
"""By the operation's name, as in traces and files."""


def shape_arithmetic(step: Step) -> str:
    """The shapes that the step reads, in the form of its operation, and the shape that it makes."""
    return look(step).shapes(step)
