"""What the pages say about the model at hand: what it reads, its sizes and its blocks.

A page writes {d_k}; the function of that name gives what stands there. Where a run has no such thing it raises a
LookupError, and the sentence is left out.
"""

from __future__ import annotations

import numpy as np

from txviz.nets.why.finding import (
    counted,
    embedded,
    first,
    has,
    near,
    only_if,
    places_in_layers,
    root,
    short,
    size,
    which,
)
from txviz.trace import Parameter, Step
from txviz.trace.learned import learned_numbers, parameters_of
from txviz.trace.outline import Node
from txviz.trace.why import fact

# What is read


@fact
def token(node: Node) -> str:
    return "patch" if has(node, "patches") else "token"


@fact
def tokens(node: Node) -> str:
    return "patches" if has(node, "patches") else "tokens"


@fact
def length(node: Node) -> str:
    """How many tokens the first layer reads."""
    return counted(size(embedded(node), "token"), "token")


@fact
def image(node: Node) -> str:
    step = near(node, "image")
    return f"{size(step, 'row')}×{size(step, 'column')}"


@fact
def all_pixels(node: Node) -> str:
    return f"{near(node, 'image').value.size:,}"


@fact
def patch(node: Node) -> str:
    return "×".join(map(str, _cut(node).params["patch"]))


@fact
def patches(node: Node) -> int:
    return size(near(node, "patches"), "token")


@fact
def all_patches(node: Node) -> int:
    return size(_cut(node), "token")


@fact
def pixels(node: Node) -> int:
    """How many numbers a patch has."""
    return size(near(node, "patches"), "pixel")


@fact
def middle(node: Node) -> str:
    """The patch in the middle of the image, where there is one."""
    picture = near(node, "image")
    height, width = map(int, _cut(node).params["patch"])
    rows, columns = size(picture, "row") // height, size(picture, "column") // width
    inside = rows % 2 == columns % 2 == 1 < min(rows, columns) and rows * columns == patches(node)
    return only_if(inside, near(node, "patches").labels[0][rows * columns // 2])


def _cut(node: Node) -> Step:
    return near(node, "all_patches") if has(node, "all_patches") else near(node, "patches")


@fact
def sentence(node: Node) -> str:
    return only_if(node.first.site.sentence is not None, node.first.site.sentence or "")


@fact
def source_tokens(node: Node) -> str:
    """Of the sentence that cross-attention looks at."""
    return counted(size(first(step for step in node.run if _is_cross(step) and "key" in step.axes), "key"), "token")


def _is_cross(step: Step) -> bool:
    return step.site.block == "cross_attention"


# Sizes of the model


@fact
def d_model(node: Node) -> int:
    return size(embedded(node), "feature")


@fact
def root_d_model(node: Node) -> str:
    return root(d_model(node))


@fact
def d_ff(node: Node) -> int:
    return size(near(node, "hidden"), "hidden")


@fact
def wider(node: Node) -> str:
    """How many times as wide the hidden layer of the feed-forward network is."""
    return short(d_ff(node) / d_model(node))


@fact
def d_k(node: Node) -> int:
    return size(near(node, "query"), "feature")


@fact
def root_d_k(node: Node) -> str:
    return root(d_k(node))


@fact
def heads(node: Node) -> str:
    number = size(near(node, "query"), "head")
    return only_if(number > 1, f"{number} heads")


@fact
def one_head(node: Node) -> str:
    return only_if(size(near(node, "query"), "head") == 1, "one head")


@fact
def split(node: Node) -> str:
    query = near(node, "query")
    number, width = size(query, "head"), size(query, "feature")
    return only_if(number > 1, f"{number} × {width} = {number * width}")


@fact
def unscaled(node: Node) -> str:
    """Why there is none: the guide has none, and T5 makes its weights small from the start."""
    why = "left out; this model starts with smaller queries" if has(node, "biased") else "left out, as in the guide"
    return only_if(has(node, "scores") and not has(node, "scaled"), why)


@fact
def queries(node: Node) -> int:
    return size(near(node, "weights"), "query")


@fact
def keys(node: Node) -> int:
    return size(near(node, "weights"), "key")


@fact
def pairs(node: Node) -> str:
    return f"{queries(node) * keys(node):,}"


@fact
def open_pairs(node: Node) -> str:
    """Where the mask lets somebody look."""
    masked = near(node, "masked")
    return f"{int(np.isfinite(masked.value[0]).sum()):,}"


@fact
def kept_keys(node: Node) -> int:
    """Those of earlier time steps, where keys are kept."""
    return size(near(node, "keys"), "key") - size(near(node, "key"), "key")


@fact
def layers(node: Node) -> str:
    return counted(_depth(node), "layer")


@fact
def layer(node: Node) -> str:
    number = node.first.site.layer
    return only_if(number is not None, which(number or 0, _depth(node), "layer"))


def _depth(node: Node) -> int:
    """How many layers the part has that the node stands in, or that of the run which comes first."""
    stacked = [step.site for step in node.run if step.site.layer is not None and step.site.pass_ == "forward"]
    part = node.first.site.part
    found = [site for site in stacked if site.part == part] or [
        site for site in stacked if site.part == stacked[0].part
    ]
    return only_if(bool(found), len({site.layer for site in found}))


@fact
def learned(node: Node) -> str:
    """How many numbers of the model the steps below read."""
    found = learned_numbers(parameters_of(node.steps))
    return only_if(found > 0, counted(found, "learned number"))


@fact
def table(node: Node) -> str:
    """How many tokens have a row in the table of vectors."""
    tables = [source for source in near(node, "tokens").sources if isinstance(source, Parameter)]
    return only_if(bool(tables), f"{tables[0].value.shape[0]:,}" if tables else "")


@fact
def learned_positions(node: Node) -> str:
    step = near(node, "positions")
    return only_if(step.op == "select", f"{step.sources[0].value.shape[0]:,}" if step.sources else "")


@fact
def waves(node: Node) -> str:
    return only_if(near(node, "positions").op == "sinusoid", "waves")


@fact
def left_out(node: Node) -> str:
    """Of positions, where the model has none."""
    return only_if(not (has(node, "positions") or places_in_layers(node)), "left out")


@fact
def average(node: Node) -> str:
    """Of all tokens, where that is what the answer is read from."""
    return only_if(near(node, "mean").site.part == "pool", "average of all tokens")


@fact
def answers(node: Node) -> str:
    """Among how many the head chooses."""
    step = near(node, "logits")
    number = step.value.shape[-1]
    return f"{number:,} classes" if step.axes[-1] == "class" else f"all {number:,} entries of the vocabulary"


# Blocks of a layer


_BLOCKS = {
    "attention": "attention",
    "self_attention": "self-attention",
    "cross_attention": "cross-attention",
    "ffn": "the feed-forward network",
}


@fact
def sublayer(node: Node) -> str:
    """The block that a residual adds, or that a norm stands before or after."""
    number = node.first.site.owner.leaf.rpartition("_")[2]
    try:
        return _BLOCKS[near(node, f"residual_{number}").sources[-1].site.block or ""]
    except LookupError:  # a sum that was put in by hand reads nothing
        return "the block"


@fact
def pre_norm(node: Node) -> str:
    return only_if(has(node, "residual_1") and not _is_post(node), "before the block")


@fact
def post_norm(node: Node) -> str:
    return only_if(has(node, "residual_1") and _is_post(node), "after the sum")


@fact
def one_sum(node: Node) -> str:
    """As in the guides."""
    return only_if(not has(node, "residual_1") and has(node, "residual_2"), "one sum and one norm only")


def _is_post(node: Node) -> bool:
    """Whether the norms of its layers read the sums."""
    norm = first(step for step in (*node.steps, *node.run) if step.site.leaf in ("norm_1", "norm_2"))
    summed = f"residual_{norm.site.leaf[-1]}", norm.site.layer
    return any((source.site.leaf, source.site.layer) == summed for source in norm.sources)
