"""Pages of some traces, and where on the screen things are in them."""

from __future__ import annotations

import json
from functools import cache

import numpy as np

from tests.figures.shipped import trace as shipped
from tests.figures.writers.chromium import Browser
from txviz import ops
from txviz.figures.export import Export, content
from txviz.figures.patches import find_drawing
from txviz.figures.presets import Preset
from txviz.figures.stage import Stage, stage
from txviz.figures.writers.html import PAGE
from txviz.ops import Index
from txviz.trace import Run, Step, Trace

ODD = (
    "</script><script>alert(1)</script>",
    "<b>&amp;",
    "🙂🏽",
    "שלום",
    "مرحبا, 1",
    "a\nb",
    "$title ${x}",
    "--> <!--",
    '"><img src=x onerror=alert(1)>',
    "\ud800",
)


def odd_trace() -> Trace:
    """Tokens that a careless page would run, lose or show in the wrong order."""
    run = Run({})
    values = np.random.default_rng(0).normal(size=(2, len(ODD), len(ODD)))
    labels = {"query": ODD, "key": ODD}
    scores = run.given("scores", values, axes="head query key", labels=labels)
    run(ops.softmax, "weights", scores, axes="head query key")
    return Trace(run.steps, {"model": "<odd> & “model”", "input": " ".join(ODD)}, ODD[0])


@cache
def whole(kind: str) -> str:
    """As the command line writes it."""
    trace = shipped(kind)
    return content(Export(trace, list(trace), "html", PAGE)).decode()


def drawn(trace: Trace, step: Step, place: Index = (), preset: Preset = PAGE) -> Stage:
    return stage(step, place, preset.width, preset.height, preset.style, find_drawing(trace))


def cell_centre(browser: Browser, shown: Stage, index: Index, output: bool = True) -> tuple[float, float]:
    """Where on the screen a cell of the result is, or of what it was made from."""
    panels = [panel for panel in shown.panels if panel.grid.output == output]
    panel, at = next((panel, at) for panel in panels if (at := panel.grid.find(index)))
    x, y, width, height = panel.box([at])
    point = f"new DOMPoint({x + width / 2}, {y + height / 2})"
    screen = f"{point}.matrixTransform(document.querySelector('#figure svg').getScreenCTM())"
    found = browser.evaluate(f"(() => {{ const at = {screen}; return [at.x, at.y]; }})()")
    return found[0], found[1]


def at_step(browser: Browser, name: str) -> None:
    browser.wait(f"document.body.dataset.shown === {json.dumps(name)}")
