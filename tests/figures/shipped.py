"""Traces of every kind that the shipped models make: all their steps must have a formula and words."""

from __future__ import annotations

from functools import cache
from typing import Any

import txviz
from txviz.models import find
from txviz.models.images import read_image
from txviz.nets import stacks, vit
from txviz.nets.blocks import Block
from txviz.nets.parameters import initialise
from txviz.trace import Run, Trace

KINDS: dict[str, tuple[str, dict[str, Any]]] = {
    **{name: (name, {}) for name in txviz.models()},
    "pooling by [CLS]": ("sentence-guide", {"pooling": "cls"}),
    "a training step of digits": ("digits", {"target": "3"}),
    "a training step of the translator": ("translator", {"target": "ti amo molto"}),
    "a training step of the writer": ("writer", {"target": "and then"}),
    "a training step of the sentence encoder": ("sentence", {"target": "0.5"}),
    "a beam": ("translator", {"strategy": "beam", "beam_width": 2, "max_steps": 3}),
    "a cache": ("writer", {"cache": True, "max_steps": 3}),
    "sampling": (
        "writer",
        {"strategy": "sample", "temperature": 0.8, "top_k": 5, "top_p": 0.9, "seed": 3, "max_steps": 3},
    ),
}


@cache
def vit_with_cls() -> Trace:
    """Like `digits`, but with a [CLS] token beside its patches, and numbers that nobody learned."""
    block = Block(d_model=16, heads=4, d_ff=32, norm="pre", activation="gelu_tanh")
    config = vit.ViT(block, layers=2, image=(6, 6), patch=(2, 2), classes=tuple("0123456789"))
    drawing = find("digits").example
    run = Run({name: 4 * value for name, value in initialise(vit.shapes(config), seed=0).items()})
    image = run.given("image", read_image(drawing, (6, 6)), axes="row column")
    said = stacks.predict(run, stacks.probabilities(run, vit.forward(run, config, image)), config.classes)
    return Trace(run.steps, {"model": "digits", "input": drawing, "options": {}}, said)


@cache
def trace(kind: str) -> txviz.Trace:
    model, options = KINDS[kind]
    return txviz.trace(model, find(model).example, **options)
