"""Command lines that draw: figures, worksheets and films of one run under all settings, and comparisons of two."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from random import Random
from typing import Any

import txviz
from tests.fuzz.commands import CHECKPOINTS, SMALL
from tests.fuzz.mutate import ODD_TEXTS, as_bytes
from tests.models.checkpoints.reference import path, source
from txviz.figures.formats import DEPTHS, FORMATS, PAGES, TEXTS
from txviz.figures.levels import LEVELS, kinds
from txviz.figures.pair import SIDES
from txviz.figures.presets import PRESETS, THEMES
from txviz.figures.views import VIEWS
from txviz.models import find

SAVED = "cat.safetensors"
RUNS: tuple[tuple[str, dict[str, Any]], ...] = (
    *((name, {}) for name in (*SMALL, *SMALL, "vit-guide-2x2", "sentence", SAVED)),
    *((name, {"max_steps": 2} if name != "bert-masked" else {}) for name in CHECKPOINTS),
    ("digits", {"target": "3"}),
    ("writer", {"max_steps": 2, "strategy": "beam", "beam_width": 2}),
    ("writer", {"max_steps": 2, "strategy": "sample", "top_k": 5}),
    ("translator", {"max_steps": 2}),
)
MOVING = ("gif", "mp4", "webm", "webp")
STILL = [each for each in FORMATS if each not in MOVING]
VALUES = ("0", "1", "0.5", "-inf", "inf", "nan", "1e308", "1e-320", "-1e300", "uniform")
LOOKS: dict[str, tuple[str, ...]] = {
    "preset": (*PRESETS,),
    "theme": (*THEMES,),
    "width": ("8.4cm", "1", "60", "300", "1500", "3in"),
    "height": ("1", "50", "200", "900", "11cm"),
    "text_size": ("1", "5", "12", "12", "40", "1000", "0.5"),
    "crop": ("auto", "none", "2,2", "1,", ",3", "0:2,1:3", "1:,:2", "5:9,5:9", "0,0", "3:1,", "x", "9,9,9"),
    "scale": ("auto", "shared", "each", "fixed:-1,1", "fixed:0,1e-300", "fixed:-1e308,1e308", "fixed:5,6"),
    "text": TEXTS,
    "resolution": ("0.01", "0.3", "1"),
}
"""By the names of ``Settings``."""

FLAGS = {"loop": "--once", "builds": "--no-builds", "cover": "--no-cover"}
PARTS = ("title", "formula", "numbers", "labels")


def figure(rng: Random) -> bytes:
    """One run in any format that stands still."""
    return as_bytes(_one(rng, rng.choice(STILL), []))


def film(rng: Random) -> bytes:
    """So short that it is made at once; or a worksheet, which like a film is of all that is shown."""
    if rng.random() < 0.4:
        return as_bytes(_one(rng, "pdf", ["--worksheet", rng.choice([*DEPTHS])]))
    return as_bytes(_one(rng, rng.choice(MOVING), _short(rng)))


def comparison(rng: Random) -> bytes:
    """Two runs that differ in their input, an option, what was changed by hand, or the model; in words or drawn."""
    run = rng.choice(RUNS)
    words = ["compare", run[0], *_input(rng, run[0]), *_other(rng, run), *_options(run)]
    if rng.random() < 0.4:
        return as_bytes([*words, *rng.choice(([], ["--json"], ["--key-steps"], ["--steps", rng.choice(_steps(run))]))])
    ending = rng.choice(PAGES)
    short = _short(rng) if ending in MOVING else []
    return as_bytes([*words, "--sides", rng.choice([*SIDES]), *_shown(rng, run), *short, *_drawn(rng, ending)])


def _one(rng: Random, ending: str, how: list[str]) -> list[str]:
    run = rng.choice(RUNS)
    edits = [] if run[0] == SAVED else _edits(rng, run, rng.choice((0, 0, 0, 1, 2)))
    words = ["export", run[0], *_input(rng, run[0]), *_options(run), *edits]
    return [*words, *_shown(rng, run), *how, *_drawn(rng, ending)]


def _short(rng: Random) -> list[str]:
    """Of a film: 0 and nan are refused, mostly."""
    frames, size = rng.choice(("1", "1", "2.5", "7", "0", "nan")), rng.choice(("0.01", "0.05", "0.2"))
    return ["--seconds", rng.choice(("0.01", "0.1", "0.3")), "--frames", frames, "--resolution", size]


@cache
def _trace(model: str, options: tuple[tuple[str, Any], ...]) -> txviz.Trace:
    """The run as it is when nothing is changed: which steps and levels it has."""
    if model in CHECKPOINTS:
        return txviz.trace(path(model), source(model), **dict(options))
    name = "sentence-guide" if model == SAVED else model
    return txviz.trace(name, find(name).example, **dict(options))


def _run(run: tuple[str, dict[str, Any]]) -> txviz.Trace:
    return _trace(run[0], tuple(run[1].items()))


def _steps(run: tuple[str, dict[str, Any]]) -> Sequence[str]:
    return [step.name for step in _run(run)]


def _options(run: tuple[str, dict[str, Any]]) -> list[str]:
    return [word for name, value in run[1].items() for word in (f"--{name.replace('_', '-')}", str(value))]


def _input(rng: Random, model: str) -> list[str]:
    """Checkpoints of others read any text; what is saved needs none."""
    if model == SAVED:
        return []
    if model in CHECKPOINTS:
        return [rng.choice(("The cat sat.", *ODD_TEXTS, " ".join(rng.choices(ODD_TEXTS, k=3))))[:30]]
    return [rng.choice(find(model).examples)]


def _edits(rng: Random, run: tuple[str, dict[str, Any]], count: int) -> list[str]:
    edits = (f"{rng.choice(_steps(run))}{rng.choice(('=', '*='))}{rng.choice(VALUES)}" for _ in range(count))
    return [word for each in edits for word in ("--set", each)]


def _other(rng: Random, run: tuple[str, dict[str, Any]]) -> list[str]:
    if run[0] == SAVED:
        return [rng.choice((SAVED, "old.safetensors"))]
    match rng.randrange(4):
        case 0:
            return _input(rng, run[0])
        case 1:
            return _edits(rng, run, rng.choice((1, 2)))
        case 2:
            return ["--model2", rng.choice(RUNS)[0]]
    known = [] if run[0] in CHECKPOINTS else [*find(run[0]).options.items()]
    name, option = rng.choice([*known, ("strategy", None)])
    return ["--option2", f"{name}={rng.choice((*getattr(option, 'choices', ()), 'beam', '1', '0.3', 'True'))}"]


def _shown(rng: Random, run: tuple[str, dict[str, Any]]) -> list[str]:
    """Some steps, plots of one, or the pictures of a level."""
    step = rng.choice(_steps(run))
    nodes = [node for node in _run(run).outline if kinds(node)]
    node = rng.choice(nodes)
    view = rng.choice(kinds(node))
    match rng.randrange(7):
        case 0:
            return ["--steps", f"*.{step.rpartition('.')[2]}" if "." in step else step]
        case 1:
            plots = [name for name, each in VIEWS.items() if each.exists(_run(run), _run(run)[step])]
            return ["--view", rng.choice([*plots, *plots, *VIEWS]), "--steps", step]
        case 2 | 3:
            return ["--level", node.level, "--view", view, *_head(rng, view == "lens")]
        case 4:
            return ["--view", rng.choice((view, view, *LEVELS))]
        case 5:
            cell = ",".join(str(rng.choice((0, n - 1, rng.randrange(-1, n + 1)))) for n in _run(run)[step].value.shape)
            return ["--steps", step, *([f"--cell={cell}"] if rng.random() < 0.7 else [])]
    return ["--key-steps"]


def _head(rng: Random, lens: bool) -> list[str]:
    return rng.choice(
        ([], ["--head", rng.choice("0013")], ["--token", rng.choice(("0", "1", "-1", "99"))] if lens else [])
    )


def _drawn(rng: Random, ending: str) -> list[str]:
    """Where to, and how it is to look: some settings that matter for the format."""
    looks = [
        [f"--{name.replace('_', '-')}", rng.choice(values)] for name, values in LOOKS.items() if _matters(name, ending)
    ]
    looks += [[f"--{name}"] for name in ("provenance", "separate", "transparent") if _matters(name, ending)]
    looks += [[flag] for name, flag in FLAGS.items() if _matters(name, ending)]
    looks += [[f"--no-{part}"] for part in PARTS] + [[f"--{name}={_text(rng)}"] for name in ("title", "caption")]
    chosen = rng.sample(looks, k=rng.choice((0, 1, 2, 3, 5)))
    path = rng.choice(("new/", "new/", "new/", f"new.{ending}", f"new/{ending}.{ending}"))
    return ["--format", ending, "-o", path, *(word for each in chosen for word in each)]


def _matters(name: str, ending: str) -> bool:
    return name in FORMATS[ending].options and not (name == "resolution" and ending in MOVING)


def _text(rng: Random) -> str:
    return rng.choice(("{title}", "{name}", "{number}", "{", "{x}", "")) + rng.choice(ODD_TEXTS)
