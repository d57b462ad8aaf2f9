"""The operations, by name. NumPy only; see ``base`` for what an operation is."""

from txviz.ops.base import Array, Index, Op, Reads, Worked
from txviz.ops.choices import argmax, cross_entropy, lookup, mean_pool, pick
from txviz.ops.elementwise import add, gelu_erf, gelu_tanh, log, mask, relu, scale
from txviz.ops.normalise import layer_norm, softmax
from txviz.ops.products import linear, matmul
from txviz.ops.shapes import concat, merge_heads, patchify, select, split_heads, unpatchify
from txviz.ops.sources import causal_mask, given, padding_mask, sinusoid, sinusoid_2d

BY_NAME: dict[str, Op] = {value.name: value for value in list(globals().values()) if isinstance(value, Op)}

__all__ = [
    "BY_NAME", "Array", "Index", "Op", "Reads", "Worked",
    "add", "argmax", "causal_mask", "concat", "cross_entropy", "gelu_erf", "gelu_tanh", "given", "layer_norm",
    "linear", "log", "lookup", "mask", "matmul", "mean_pool", "merge_heads", "padding_mask", "patchify", "pick",
    "relu", "scale", "select", "sinusoid", "sinusoid_2d", "softmax", "split_heads", "unpatchify",
]  # fmt: skip
