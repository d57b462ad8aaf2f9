"""Runs of models: texts, options and grids of numbers, as somebody types them or another program hands them over."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from random import Random
from typing import Any
from xml.etree import ElementTree

import txviz
from tests.fuzz.checks import FindingError, look
from tests.fuzz.mutate import LETTERS, ODD_TEXTS, as_bytes, changed_json, changed_text, few, odd
from tests.models.checkpoints import reference
from txviz import TxvizError
from txviz.figures.export import Export, content
from txviz.models import find
from txviz.models.options import ABOUT, Choice, Number
from txviz.models.reading import read_tokens

READERS = tuple(name for name in txviz.models() if find(name).takes.kind != "image")
PHOTOGRAPH = "photograph"
"""What stands for the one of the reference, which is elsewhere on every machine."""

ODD_PLACES = (
    "[1]", "[:]", "[0,:,1]", "[::]", "[1:2]", "[-1]", "[9999999999999]", "[]", "[a]", "[[0]]", "[0,0,0,0,0]",
)  # fmt: skip
ODD_VALUES = (
    "-1", "0.5", "amo", "<EOS>", "-inf", "inf", "nan", "1e308", "1,2", "", "guide", "uniform", "@1", "@2", "@0", "@99",
    "@", "@@1", "@tokens", "@embed.sum", "@head.weight",
)  # fmt: skip
VIEWERS = tuple(name for name in txviz.models() if find(name).takes.kind == "image")


def enter(given: bytes) -> None:
    """What comes out replays, and can be looked at and drawn."""
    asked = json.loads(given)
    name, source, options = _where(asked["model"]), asked["source"], asked["options"]
    source = reference.source("vit") if source == PHOTOGRAPH else source
    if isinstance(source, str):
        with suppress(TxvizError):
            read_tokens(name, source, options)
    made = txviz.trace(name, source, edits=asked.get("edits", ()), **options)
    if wrong := made.verify():
        raise FindingError(f"does not replay: {wrong[0]}")
    look(made[-1])
    ElementTree.fromstring(content(Export(made, [made[0]], "svg")))


def _where(model: str) -> str:
    """The folder of a checkpoint, and else the name."""
    return reference.path(model) if model in reference.ALL else model


def _example(rng: Random, model: str) -> Any:
    if model in reference.ALL:
        return PHOTOGRAPH if model in reference.IMAGES else reference.source(model)
    return rng.choice(find(model).examples)


def _options(model: str) -> Mapping[str, Any]:
    return find(_where(model)).options


def _asked(model: str, source: Any, **options: Any) -> bytes:
    return as_bytes({"model": model, "source": source, "options": options})


def text(rng: Random) -> bytes:
    model = rng.choice((*READERS, *READERS, *reference.ENCODERS, *reference.WRITERS, *reference.TRANSLATORS))
    short = {"max_steps": 2} if model in reference.ALL and "max_steps" in _options(model) else {}
    good = _example(rng, model)
    return _asked(model, _changed(rng, good if isinstance(good, str) else good[0]), **short)


def _changed(rng: Random, good: str) -> Any:
    kinds: tuple[Callable[[], Any], ...] = (
        lambda: changed_text(rng, good),
        lambda: changed_text(rng, good),
        lambda: " ".join(rng.choices((*good.split(), *ODD_TEXTS), k=rng.choice((1, 2, 5, 30)))),
        lambda: "".join(rng.choices(LETTERS, k=rng.choice((1, 3, 20, 200)))),
        lambda: "".join(chr(rng.randrange(0x110000)) for _ in range(rng.choice((1, 2, 10)))),
        lambda: odd(rng),
        lambda: [good, changed_text(rng, good)],
    )
    return rng.choice(kinds)()


def options(rng: Random) -> bytes:
    model = rng.choice((*txviz.models() * 3, *reference.ALL))
    known = _options(model)
    names = rng.sample([*known], k=rng.randint(0, min(4, len(known))))
    chosen = {name: changed_option(rng, known[name]) for name in names}
    if rng.random() < 0.1:
        chosen[rng.choice((*ABOUT, "cat", "", "\ud800"))] = odd(rng)
    if "max_steps" in known:  # else a beam of 64 writes for seconds
        chosen.setdefault("max_steps", rng.choice((1, 2, 5)))
    return _asked(model, _example(rng, model), **chosen)


def changed_option(rng: Random, option: Any) -> Any:
    """Good, at an end, beyond it, as a text, or nonsense."""
    if isinstance(option, Choice):
        return rng.choice((*option.choices * 2, changed_text(rng, option.default), odd(rng)))
    if isinstance(option, Number):
        ends = (option.default, option.lowest, option.highest, (option.lowest + option.highest) / 2)
        near = rng.choice(ends) + rng.choice((0, 0, 1, -1, 1e-9))
        return rng.choice((near, near, str(near), odd(rng)))
    return rng.choice((True, "True", "0.5", "7", "ti amo molto", "and then", odd(rng)))


@cache
def _names(model: str, **options: Any) -> list[str]:
    """Of steps, twice as often as of parameters; and globs of some."""
    source = reference.source(model) if model in reference.ALL else find(model).example
    trace = txviz.trace(_where(model), source, **options)
    steps = [step.name for step in trace]
    globs = ["*", "*.weights", "time.*.masked", "encoder.*", "*.bias", "no.*"]
    return [*steps, *steps, *trace.learned, *globs * (len(steps) // 20)]


def edits(rng: Random) -> bytes:
    """Good ones, and such with another step, place or value."""
    model = rng.choice((*("sentence-guide", "digits", "translator", "writer") * 4, *reference.ALL))
    chosen: dict[str, Any] = {"max_steps": 2} if "max_steps" in _options(model) else {}
    made = [_edit(rng, rng.choice(_names(model, **chosen))) for _ in range(rng.choice((1, 1, 2, 5)))]
    source = _example(rng, model) if model in reference.ALL else find(model).example
    asked = {"model": model, "source": source, "options": chosen, "edits": made}
    return as_bytes(asked)


def _edit(rng: Random, step: str) -> Any:
    places = (*("", "", "[0]", "[0,0]", "[:,0]") * 6, *ODD_PLACES)
    values = (*("0", "1", "17", "untouched") * 8, *ODD_VALUES, f"@{step}", "0," * 300)
    good = f"{step}{rng.choice(places)}{rng.choice(('=', '=', '*='))}{rng.choice(values)}"
    return rng.choice((*(good,) * 8, f"{step}={rng.choice(ODD_TEXTS)}", changed_text(rng, good), odd(rng)))


def grid(rng: Random) -> bytes:
    model = rng.choice(VIEWERS)
    good = rng.choice(find(model).examples)
    rows: list[list[Any]] = [row.split() for row in good.split(";")]
    match rng.randrange(4):
        case 0:
            return _asked(model, changed_text(rng, good))
        case 1:
            return _asked(model, changed_json(rng, [[float(cell) for cell in row] for row in rows]))
    for _ in few(rng):
        row = rng.choice(rows)
        row[rng.randrange(len(row))] = rng.choice((*ODD_TEXTS, "0", "0.5", "1"))
    between, after = rng.choice((" ", ",", ", ", "\t")), rng.choice((";", "\n", "; ", "],["))
    return _asked(model, after.join(between.join(row) for row in rows))
