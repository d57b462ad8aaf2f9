"""Traces of every kind that the shipped models make: all their steps must have a formula and words."""

from __future__ import annotations

from functools import cache
from typing import Any

import txviz
from txviz.models import find

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
def trace(kind: str) -> txviz.Trace:
    model, options = KINDS[kind]
    return txviz.trace(model, find(model).example, **options)
