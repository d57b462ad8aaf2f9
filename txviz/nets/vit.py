"""The vision transformer: an image as a sentence of patches.

Letters: rows × columns pixels with C colours, T tokens (patches, and [CLS] where there is one), d features, K classes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from string import ascii_uppercase
from typing import Literal

from txviz import ops
from txviz.nets import positions, stacks
from txviz.nets.blocks import Block
from txviz.nets.layers import linear, linear_shapes
from txviz.nets.parameters import Shapes
from txviz.trace import Run, Step
from txviz.trace.leaves import Leaf, add_headings, declare

declare(
    "input",
    {
        "image": Leaf("I", "The image, one number for each pixel.", key="each"),
        "patches": Leaf("X", "The image as a sequence of patches, like the words of a sentence.", key="each"),
    },
)
declare(
    "embed",
    {
        "projection": Leaf(r"\bar{e}", "Each patch becomes a vector of the model's width."),
        "projection.weight": Leaf("E"),
        "projection.bias": Leaf("b_E"),
        "cls.vector": Leaf(r"e_{\mathrm{cls}}"),
    },
)
add_headings("input", {"image": "Image: a number for each pixel", "patches": "Patches: the image as a sequence"})
add_headings("embed", {"projection": "Patch embeddings: each patch as a vector"})


@dataclass(frozen=True)
class ViT:
    block: Block
    layers: int
    image: tuple[int, int]
    patch: tuple[int, int]
    classes: tuple[str, ...]
    colours: int = 1
    positions: positions.Grid = "learned"
    pooling: Literal["mean", "cls"] = "cls"

    @property
    def grid(self) -> tuple[int, int]:
        """How many patches go down and across."""
        return self.image[0] // self.patch[0], self.image[1] // self.patch[1]


def shapes(config: ViT) -> Shapes:
    width, cls = config.block.d_model, config.pooling == "cls"
    pixels = config.patch[0] * config.patch[1] * config.colours
    return {
        **linear_shapes("embed.projection", pixels, width),
        **({"embed.cls.vector": (1, width)} if cls else {}),
        **positions.grid_shapes(config.positions, *config.grid, width, cls),
        **stacks.stack_shapes(config.block, config.layers, "encoder"),
        **stacks.head_shapes(width, len(config.classes)),
    }


def forward(run: Run, config: ViT, image: Step) -> Step:  # (rows,columns[,C]) -> (K,)
    """A score for each class."""
    patches = cut(run, image, config.patch, config.colours)
    with run.at(part="embed"):
        x = positions.add_grid(run, project(run, patches), config.positions, patches, config.grid[1])
    x = stacks.encoder(run, x, config.block, config.layers)
    return stacks.logits(run, stacks.pool(run, x, config.pooling), "class", config.classes)


def cut(
    run: Run, image: Step, patch: tuple[int, int], colours: int = 1, name: str = "patches"
) -> Step:  # (rows,columns[,C]) -> (T,pixels)
    height, width = image.value.shape[-2:] if colours == 1 else image.value.shape[-3:-1]
    labels = {"token": patch_names(height // patch[0] * (width // patch[1]))}
    return run(ops.patchify, name, image, patch=patch, colours=colours, axes="token pixel", labels=labels)


def project(run: Run, patches: Step) -> Step:  # (T,pixels) -> (T,d) or (1+T,d)
    """Each patch to the model's width, and [CLS] before them where the model has one."""
    x = linear(run, "projection", patches, axes="token feature")
    cls = run.present("cls.vector")
    if not cls:
        return x
    labels = {"token": ("[CLS]", *patch_names(x.value.shape[-2]))}
    return run(ops.concat, "tokens", *cls, x, axes="token feature", labels=labels)


@cache
def patch_names(count: int) -> tuple[str, ...]:
    """
    >>> patch_names(3), patch_names(30)[26:28]
    (('A', 'B', 'C'), ('P26', 'P27'))
    """
    return tuple(ascii_uppercase[i] if i < len(ascii_uppercase) else f"P{i}" for i in range(count))
