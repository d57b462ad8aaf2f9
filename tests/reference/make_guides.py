"""Makes tests/reference/guides.safetensors: every step of the guides' models as the guides have them.

It was made before these models had options for another architecture, and shows that the defaults are still the guides'.
From the repository's root:

    python -m tests.reference.make_guides
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from safetensors.numpy import save_file

import txviz
from txviz.models import find

TARGET = Path(__file__).parent / "guides.safetensors"
SEVEN = "0 0 0 0 0 0; 0 1 1 1 1 0; 0 0 0 1 0 0; 0 0 1 0 0 0; 0 1 0 0 0 0; 0 0 0 0 0 0"
CASES: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("sentence-guide", "", {}),
    ("sentence-guide", "", {"pooling": "cls"}),
    ("sentence-guide", "the zebra sat on a very long mat , and slept .", {}),
    ("vit-guide-3x2", "", {}),
    ("vit-guide-2x2", "", {}),
    ("vit-guide-2x2", SEVEN, {}),
    ("masked-attention-guide", "", {}),
    ("masked-attention-guide", "YOUR CAT IS", {}),
)
"""A model, its input (nothing for its example) and its options."""


def case(i: int) -> txviz.Trace:
    model, source, options = CASES[i]
    return txviz.trace(model, source or find(model).example, **options)


def described(trace: txviz.Trace) -> list[list[Any]]:
    """What was computed from what, and what the guide prints of it, as JSON can hold it; words may be better put."""
    steps = [[step.name, step.op, list(step.inputs), step.formula, [*map(list, step.labels)]] for step in trace]
    prints = [[step.name, entry.where, entry.agrees] for step in trace for entry in step.printed]
    return [steps, prints, [str(trace.about["title"])]]


if __name__ == "__main__":
    traces = [case(i) for i in range(len(CASES))]
    arrays = {f"{i}/{step.name}": step.value.copy() for i, trace in enumerate(traces) for step in trace}
    save_file(arrays, TARGET, {"described": json.dumps([described(trace) for trace in traces])})
