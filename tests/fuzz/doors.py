"""Where input comes in. Each door takes a case or refuses it with a ``TxvizError``; all else is a finding."""

from __future__ import annotations

import io
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterable
from functools import partial
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from random import Random
from typing import Any, NamedTuple
from unittest.mock import patch
from xml.etree import ElementTree
from zipfile import ZipFile

import numpy as np
from PIL import Image

import txviz
from tests.fuzz import cases
from txviz import Step, TxvizError, resources
from txviz.cli import main
from txviz.figures import terminal
from txviz.figures.export import Export, content
from txviz.figures.formats import DRAWN
from txviz.figures.views import VIEWS
from txviz.models import find
from txviz.models.images import read_image, read_picture, reduce_picture
from txviz.models.reading import read_tokens
from txviz.models.request import Request, compute


class Door(NamedTuple):
    make: Callable[[Random], bytes]
    """A case."""

    enter: Callable[[bytes], object]
    """Tries it, in an empty folder."""

    share: float
    """Of all cases, in hundredths."""

    seconds: float = 20
    megabytes: int = 700
    """The most that a case may take; the memory is that of the whole process."""


class Finding(Exception):
    """Something that must not be, though nothing was raised."""


def every(calls: Iterable[Callable[[], object]]) -> None:
    """Makes all calls, and only then hands on that one was refused."""
    refusals: list[TxvizError] = []
    for call in calls:
        try:
            call()
        except TxvizError as error:
            refusals.append(error)
    if refusals:
        raise refusals[-1]


# --- runs ---


def run(given: bytes) -> None:
    """A model on an input, with options."""
    asked = json.loads(given)
    name, source, options = asked["model"], asked["source"], asked["options"]
    if isinstance(source, str) and find(name).takes.kind != "image":
        with suppress(TxvizError):
            read_tokens(name, source, options)
    made = txviz.trace(name, source, **options)
    if wrong := made.verify():
        raise Finding(f"does not replay: {wrong[0]}")
    look(made[-1])
    ElementTree.fromstring(content(Export(made, [made[0]], "svg")))


def look(step: Step) -> None:
    """All that can be asked of a step."""
    terminal.describe(step)
    _ = step.title, step.formula, step.text, step.labels, step.parts, step.chosen, repr(step)
    for index in (tuple(0 for _ in step.value.shape), tuple(n - 1 for n in step.value.shape)):
        step.explain(index)


# --- images ---


def image(given: bytes) -> None:
    path = Path("case.png")
    path.write_bytes(given)
    every((lambda: read_image(path, (6, 6)), lambda: reduce_picture(read_picture(path), (6, 6))))


# --- traces ---


def trace(given: bytes) -> None:
    """Opened, replayed, looked at, drawn, and saved again."""
    path = Path("case.safetensors")
    path.write_bytes(given)
    made = txviz.load(path)
    with np.errstate(all="ignore"):  # as the command line and the window have it
        _look_at_all(made)
    made.save(path)
    txviz.load(path)


def _look_at_all(made: txviz.Trace) -> None:
    made.verify()
    _ = made.output, made.outline
    with suppress(TxvizError):
        Request.of_trace(made)
    spread = made[:: max(1, len(made) // 12)]
    every(partial(look, step) for step in spread)
    every(partial(_draw, made, step) for step in spread[:: max(1, len(spread) // 3)])


def _draw(made: txviz.Trace, step: Step) -> None:
    for name, view in VIEWS.items():
        if view.exists(made, step):
            ElementTree.fromstring(content(Export(made, [step], "svg", view=name)))
    for ending in ("csv", "md", "tex", "html"):
        content(Export(made, [step], ending))


# --- saved states ---


def state(given: bytes) -> None:
    """Whatever is in it, something sensible is remembered."""
    from txviz.gui import saved_state  # with Qt, which the doors above need not
    from txviz.gui.export_settings import ExportSettings

    path = Path("state.json")
    path.write_bytes(given)
    remembered, problem = saved_state.load(path)
    if "\n" in problem:
        raise Finding(f"more than a sentence: {problem}")
    ExportSettings.from_json(remembered.get("export")).page()
    saved_state.save(path, remembered)
    if saved_state.load(path) != (remembered, ""):
        raise Finding("what was remembered does not come back")
    compute(Request.from_json(remembered.get("request")))


# --- folders of models ---


def model(given: bytes) -> None:
    asked = json.loads(given)
    folder = Path("model")
    folder.mkdir()
    for file in resources.path("models", asked["model"]).iterdir():
        (folder / file.name).symlink_to(file)
    changed = folder / asked["file"]
    changed.unlink()
    changed.write_bytes(asked["content"].encode("latin-1"))
    find.cache_clear()
    found = find(str(folder))
    every((lambda: [found.summary, found.examples, found.captions], lambda: txviz.trace(str(folder), found.example)))
    look(txviz.trace(str(folder), find(asked["model"]).example)[-1])


# --- command lines ---


def furnish() -> None:
    """The files that command lines name."""
    drawing, cat = Image.new("L", (6, 6)), txviz.trace("sentence-guide", "The cat sat.")
    drawing.save("six.png")
    drawing.resize((60, 60)).save("large.png")
    Path("broken.png").write_bytes(Path("six.png").read_bytes()[:40])
    cat.save("cat.safetensors")
    shutil.copy(cases.HERE.parent / "reference" / "trace-version-1.safetensors", "old.safetensors")
    Path("folder").mkdir()
    Path("old.svg").write_text("<svg/>")
    os.mkfifo("pipe")


def command(given: bytes) -> None:
    """Success, or one line on stderr, exit code 2 and nothing written."""
    furnish()
    words, before = json.loads(given), _files()
    with _terminal() as (out, err), patch("txviz.training.train.train_model", lambda *_: {}):
        try:
            code = main(words)
        except SystemExit as end:  # of --help and --version
            code = end.code if isinstance(end.code, int) else 2
    said = err().splitlines()
    if code == 0 or (code == 1 and words[0] == "verify"):
        _check_written(before)
        if "--json" in words and code == 0:
            json.loads(out())
    elif code != 2 or len(said) != 1 or out() or _files() != before:
        raise Finding(f"exit code {code}, {len(said)} lines on stderr, {len(out())} letters on stdout: {err()}")
    if code == 2:
        raise TxvizError(said[0])


@contextmanager
def _terminal() -> Any:
    """stdout and stderr as a terminal without a screen has them, to be read afterwards."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    hidden = dict.fromkeys(("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"), "")
    with patch.dict(os.environ, hidden), redirect_stdout(out), redirect_stderr(err):
        yield tuple(lambda stream=stream: stream.buffer.getvalue().decode() for stream in (out, err))


def _files() -> dict[str, bytes]:
    found = Path.cwd().rglob("*")
    return {str(path): path.read_bytes() if path.is_file() else b"" for path in found}


def _check_written(before: dict[str, bytes]) -> None:
    """Everything that is new is whole, by what it begins with."""
    for name, written in _files().items():
        if written != before.get(name):
            path = Path(name)
            if path.name.startswith("."):
                raise Finding(f"{path.name} is left behind")
            if path.is_file():
                next((read for start, read in WHOLE.items() if written.startswith(start)), _not_empty)(path)


def _half(path: Path) -> None:
    raise Finding(f"{path.name} is not whole")


def _not_empty(path: Path) -> None:
    if not path.stat().st_size:
        _half(path)


def _ends(ending: bytes) -> Callable[[Path], object]:
    return lambda path: path.read_bytes().rstrip().endswith(ending) or _half(path)


WHOLE: dict[bytes, Callable[[Path], object]] = {
    b"<svg": ElementTree.parse,
    b"\x89PNG": lambda path: Image.open(path).load(),
    b"GIF": lambda path: Image.open(path).load(),
    b"PK": lambda path: ZipFile(path).testzip() and _half(path),
    b"%PDF": _ends(b"%%EOF"),
    b"<!doctype": _ends(b"</html>"),
}


# --- the window ---


def window_starts(given: bytes) -> None:
    from tests.fuzz import windows

    windows.start(given)


def window_opens(given: bytes) -> None:
    from tests.fuzz import windows

    windows.open_trace(given)


DOORS = {
    "text": Door(cases.text, run, 22),
    "options": Door(cases.options, run, 20),
    "grid": Door(cases.grid, run, 15),
    "image": Door(cases.image, image, 15),
    "trace": Door(cases.trace, trace, 12),
    "state": Door(cases.state, state, 10),
    "command": Door(cases.command, command, 4, megabytes=2000),
    "model": Door(cases.model, model, 1.6),
    "start": Door(cases.state, window_starts, 0.2),
    "open": Door(cases.shown_trace, window_opens, 0.2),
}
