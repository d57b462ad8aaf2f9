"""A guide's model built otherwise: what can be chosen, the numbers that it then needs, and what is said about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from txviz.models import made_up
from txviz.models.options import Choice, Number, Option, Switch
from txviz.nets.blocks import Block
from txviz.nets.guides import Guide, layer_shapes
from txviz.nets.parameters import under
from txviz.nets.positions import Grid
from txviz.ops import Array

PATCHES = ("1x1", "2x2", "3x2", "2x3", "3x3", "6x6")
MOST_LAYERS = 12

_GRIDS: dict[str, Grid] = {"2d": "sinusoidal_2d", "none": "none", "learned": "learned", "sinusoidal": "sinusoidal"}

_NOT_SO = {
    "patch": ("patches", "embed.projection", "encoder.0.attention.weights", "head.logits"),
    "block_order": ("encoder.0.residual_2",),
    "layers": ("head.logits",),
    "scaled": ("encoder.0.attention.scores",),
}
"""By the option that is changed: the steps whose note in the guide is no longer true."""


_WEIGHED = (
    *(f"attention.{role}_projection" for role in ("query", "key", "value")),
    *("ffn.product", "ffn.hidden", "ffn.output"),
)
"""The steps of a layer that read its weights."""


class Variant(NamedTuple):
    """A model as it is chosen to be; with the defaults, the guide's own."""

    guide: Guide
    parameters: dict[str, Array]
    notes: dict[str, str]
    made_up: list[str]
    """What has numbers that are not the guide's, in words."""


def layer_options(heads: tuple[str, ...]) -> dict[str, Option]:
    """Those that a model for words has, too."""
    return {
        "block_order": Choice(("guide", "post-norm", "pre-norm")),
        "layers": Number(1, 1, MOST_LAYERS),
        "heads": Choice(heads),
        "scaled": Switch(),
    }


def image_options(own: str) -> dict[str, Option]:
    """``own`` is the guide's patch."""
    return {
        "patch": Choice((own, *(patch for patch in PATCHES if patch != own))),
        "positions": Choice(("learned", "none", "sinusoidal", "2d")),
        **layer_options(("1", "2", "4")),
        "pooling": Choice(("cls", "mean")),
    }


def grid(positions: str) -> Grid:
    """What the nets call a choice of positions."""
    return _GRIDS[positions]


def build(
    parameters: Mapping[str, Array], notes: Mapping[str, str], changed: Mapping[str, Any], chosen: Mapping[str, Any]
) -> Variant:
    """The layers as they are chosen to be; those after the first are made up."""
    untrue = {step for option in changed for step in _NOT_SO.get(option, ())}
    guide = Guide(
        block=_block(parameters, chosen),
        layers=chosen["layers"],
        pooling=chosen["pooling"],
        both_residuals=chosen["block_order"] != "guide",
        scaled=chosen["scaled"],
    )
    found = Variant(guide, dict(parameters), {step: note for step, note in notes.items() if step not in untrue}, [])
    for i in range(1, guide.layers):
        _add_layer(found, i)
    if guide.layers > 1:
        last = f"layers 1 to {guide.layers - 1}" if guide.layers > 2 else "layer 1"
        found.made_up.append(f"all of {last}")
    return found


def _block(parameters: Mapping[str, Array], chosen: Mapping[str, Any]) -> Block:
    d_model, d_ff = parameters["encoder.0.ffn.hidden.weight"].shape
    norm: Literal["pre", "post"] = "pre" if chosen["block_order"] == "pre-norm" else "post"
    return Block(d_model, int(chosen["heads"]), d_ff, norm, epsilon=0)


def _add_layer(found: Variant, i: int) -> None:
    shapes = under("encoder", i, shapes=layer_shapes(found.guide.block))
    found.parameters.update({name: made_up.parameter(name, shape) for name, shape in shapes.items()})
    note = "The guide has one layer; the weights of this one are made up, repeatably."
    found.notes.update({f"encoder.{i}.{step}": note for step in _WEIGHED})


def give_patches(found: Variant, patch: str) -> None:
    """Another projection, for patches that are not the guide's."""
    rows, columns = size(patch)
    name, pixels = "embed.projection.weight", rows * columns
    found.parameters[name] = made_up.parameter(f"{name} {patch}", (pixels, found.guide.block.d_model))
    found.notes["embed.projection"] = f"The guide has no {shown(patch)} patches; these weights are made up, repeatably."
    found.made_up.append("the projection of the patches")


def give_positions(found: Variant, positions: str, tokens: int) -> None:
    """Learned ones for as many tokens as there are; [CLS], which stands outside a grid, keeps the guide's."""
    table = found.parameters["embed.positions.table"]
    if positions == "2d":
        found.parameters["embed.cls.position"] = table[:1]
        found.notes["embed.positions"] = "[CLS] stands nowhere on the image; its position is the guide's."
    later = range(len(table), tokens)
    if positions == "learned" and later:
        names = (f"position {i}" for i in later)
        found.parameters["embed.positions.table"] = made_up.extend(table, names, largest=0.1)
        found.notes["embed.positions"] = (
            f"The guide has {len(table)} positions; those after it are made up, repeatably."
        )
        found.made_up.append(f"the positions from {len(table)} on")


def about(title: str, found: Variant, changed: Mapping[str, Any], first: str) -> dict[str, str]:
    """What is told about the whole run, and at its first step, where it is not the guide's any more."""
    if not changed:
        return {}
    words = ", ".join(_in_words(option, value) for option, value in changed.items())
    made = f" Made up, repeatably: {', '.join(found.made_up)}." if found.made_up else ""
    found.notes[first] = f"Not the guide's: {words}. The numbers are no longer those of the guide.{made}"
    return {"title": f"{title}, changed", "note": found.notes[first]}


def _in_words(option: str, value: Any) -> str:
    if option == "layers":
        return f"{value} layers"
    if option == "heads":
        return f"{value} heads"
    if option == "patch":
        return f"{shown(value)} patches"
    return _WORDS[option][value]


_WORDS: dict[str, dict[Any, str]] = {
    "positions": {"none": "no positions", "sinusoidal": "sinusoidal positions", "2d": "2D positions"},
    "block_order": {
        "post-norm": "both residuals, post-norm",
        "pre-norm": "both residuals, pre-norm",
    },
    "scaled": {True: "scores divided by √d_k"},
    "pooling": {"mean": "mean pooling", "cls": "[CLS] pooling"},
}


def size(patch: str) -> tuple[int, int]:
    """
    >>> size("3x2")
    (3, 2)
    """
    rows, _, columns = patch.partition("x")
    return int(rows), int(columns)


def shown(patch: str) -> str:
    return patch.replace("x", "×")
