"""A photograph as a vision transformer of others reads it: in colour, and standardised. DeiT's second token, too.

Letters: rows × columns pixels with C colours, T tokens (patches, [CLS] and [DIST]), d features, K classes.
"""

from __future__ import annotations

from collections.abc import Sequence

from txviz import ops
from txviz.nets import positions, stacks, vit
from txviz.nets.layers import linear, linear_shapes
from txviz.nets.parameters import Shapes
from txviz.nets.vit import ViT
from txviz.ops import Array
from txviz.trace import Run, Step
from txviz.trace.leaves import Leaf, add_headings, declare

declare(
    "input",
    {
        "photograph": Leaf("J", "The photograph at the size that the model reads: three colours, each from 0 to 255."),
        "standardised": Leaf(r"\hat{I}", "The colours as in training: around 0, and about as far from it as usual."),
    },
)
declare("embed", {"distillation.vector": Leaf(r"e_{\mathrm{dist}}")})
declare(
    "pool",
    {"distillation": Leaf("c_2", "The vector of [DIST], the token that learnt from a teacher.", "[DIST]", key="once")},
)
declare(
    "head",
    {
        "class_logits": Leaf("z_1", "A score for each class, from [CLS]."),
        "distillation_logits": Leaf("z_2", "A score for each class, from [DIST]."),
        "sum": Leaf("z_+", "Both scores of each class, added."),
        "class.weight": Leaf("W_1"),
        "class.bias": Leaf("b_1"),
        "distillation.weight": Leaf("W_2"),
        "distillation.bias": Leaf("b_2"),
    },
)
add_headings(
    "input",
    {
        "photograph": "Photograph: three colours for each pixel",
        "standardised": "Standardised colours: as in training",
    },
)
add_headings("pool", {"distillation": "[DIST]: one vector, as a teacher would have it"})
add_headings(
    "head",
    {
        "class_logits": "Class logits: a score for each class, from [CLS]",
        "distillation_logits": "Distillation logits: a score for each class, from [DIST]",
        "sum": "Sum: both scores of each class",
    },
)

_AXES = "row column colour"
BRIGHTEST = 255


def standardised(run: Run, pixels: Array, mean: Sequence[float], spread: Sequence[float]) -> Step:  # (rows,columns,C)
    """From 0…255 to 0…1, and from there to the colours' usual mean and spread."""
    named = {"colour": ("red", "green", "blue")}
    photograph = run.given("photograph", pixels.astype(run.dtype), axes=_AXES, labels=named)
    image = run(ops.scale, "image", photograph, base=BRIGHTEST, exponent=-1, axes=_AXES)
    return run(ops.standardise, "standardised", image, mean=list(mean), spread=list(spread), axes=_AXES)


def standardised_greys(
    run: Run, pixels: Array, mean: Sequence[float], spread: Sequence[float]
) -> Step:  # (rows,columns)
    """The same for a drawing, whose greys go from 0 to 1."""
    image = run.given("image", pixels.astype(run.dtype), axes="row column")
    return run(ops.standardise, "standardised", image, mean=list(mean), spread=list(spread), axes="row column")


def two_token_shapes(config: ViT) -> Shapes:
    """DeiT: a ViT with a second token before the patches."""
    shared, width = vit.shapes(config), config.block.d_model
    places = shared["embed.positions.table"][0] + 1
    return {**shared, "embed.distillation.vector": (1, width), "embed.positions.table": (places, width)}


def distilled_shapes(config: ViT) -> Shapes:
    """With a head for each of both."""
    width, classes = config.block.d_model, len(config.classes)
    heads = {"head.weight", "head.bias"}
    return {
        **{name: shape for name, shape in two_token_shapes(config).items() if name not in heads},
        **linear_shapes("head.class", width, classes),
        **linear_shapes("head.distillation", width, classes),
    }


def undistilled(run: Run, config: ViT, image: Step) -> Step:  # (rows,columns,C) -> (K,)
    """[DIST] is looked at by the others, but has no head: a score for each class, from [CLS] alone."""
    return stacks.logits(run, stacks.pool(run, encode(run, config, image), "cls"), "class", config.classes)


def distilled(run: Run, config: ViT, image: Step) -> Step:  # (rows,columns,C) -> (K,)
    """The mean of what two heads say, one about [CLS] and one about [DIST]."""
    x = encode(run, config, image)
    with run.at(part="pool"):
        pooled = [run(ops.select, name, x, at=i, axes="feature") for i, name in enumerate(("cls", "distillation"))]
    return _mean_of_heads(run, config, *pooled)


def encode(run: Run, config: ViT, image: Step) -> Step:  # (rows,columns,C) -> (T,d)
    """Both tokens and the patches."""
    patches = vit.cut(run, image, config.patch, config.colours)
    with run.at(part="embed"):
        x = linear(run, "projection", patches, axes="token feature")
        special = (run.parameter("cls.vector"), run.parameter("distillation.vector"))
        labels = {"token": ("[CLS]", "[DIST]", *vit.patch_names(x.value.shape[-2]))}
        x = run(ops.concat, "tokens", *special, x, axes="token feature", labels=labels)
        x = positions.add_line(run, x, config.positions)
    return stacks.encoder(run, x, config.block, config.layers)


def _mean_of_heads(run: Run, config: ViT, cls: Step, distillation: Step) -> Step:  # (d,), (d,) -> (K,)
    named = {"class": config.classes}
    with run.at(part="head"):
        one = linear(run, "class_logits", cls, axes="class", layer="class", labels=named)
        other = linear(run, "distillation_logits", distillation, axes="class", layer="distillation", labels=named)
        both = run(ops.add, "sum", one, other, axes="class")
        return run(ops.scale, "logits", both, base=2, exponent=-1, axes="class")
