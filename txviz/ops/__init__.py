"""The operations, by name. NumPy only; see ``base`` for what an operation is."""

from txviz.ops.base import Array, Gradient, Index, Op, Reads, Source, Worked
from txviz.ops.choices import (
    argmax,
    cross_entropy,
    cross_entropy_gradient,
    gather,
    lookup,
    mean_pool,
    mean_pool_gradient,
    pick,
    pick_gradient,
)  # fmt: skip
from txviz.ops.elementwise import (
    add,
    gelu_erf,
    gelu_erf_gradient,
    gelu_tanh,
    gelu_tanh_gradient,
    log,
    log_gradient,
    mask,
    pass_on,
    relu,
    relu_gradient,
    scale,
)  # fmt: skip
from txviz.ops.normalise import (
    gain_gradient,
    layer_norm,
    layer_norm_gradient,
    softmax,
    softmax_gradient,
    unit,
    unit_gradient,
)  # fmt: skip
from txviz.ops.products import linear, matmul, product_left
from txviz.ops.shapes import concat, merge_heads, patchify, place, select, split_heads, unpatchify
from txviz.ops.sources import causal_mask, given, padding_mask, sinusoid, sinusoid_2d
from txviz.ops.sums import average, average_gradient, sum_to
from txviz.ops.updates import adam, blend, sgd

BY_NAME: dict[str, Op] = {value.name: value for value in list(globals().values()) if isinstance(value, Op)}

__all__ = [
    "BY_NAME", "Array", "Gradient", "Index", "Op", "Reads", "Source", "Worked",
    "adam", "add", "argmax", "average", "average_gradient", "blend", "causal_mask", "concat", "cross_entropy",
    "cross_entropy_gradient", "gain_gradient", "gather", "gelu_erf", "gelu_erf_gradient", "gelu_tanh",
    "gelu_tanh_gradient", "given", "layer_norm", "layer_norm_gradient", "linear", "log", "log_gradient", "lookup",
    "mask", "matmul", "mean_pool", "mean_pool_gradient", "merge_heads", "padding_mask", "pass_on", "patchify", "pick",
    "pick_gradient", "place", "product_left", "relu", "relu_gradient", "scale", "select", "sgd", "sinusoid",
    "sinusoid_2d", "softmax", "softmax_gradient", "split_heads", "sum_to", "unit", "unit_gradient", "unpatchify",
]  # fmt: skip
