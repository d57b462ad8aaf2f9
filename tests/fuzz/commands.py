"""Command lines, in a folder with some files: success, or one line on stderr, exit code 2 and nothing written."""

from __future__ import annotations

import io
import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from random import Random
from unittest.mock import patch
from xml.etree import ElementTree
from zipfile import ZipFile

import av
from PIL import Image

import txviz
from tests.fuzz.checks import FindingError
from tests.fuzz.mutate import as_bytes, changed_words, odd
from tests.fuzz.runs import changed_option
from tests.fuzz.traces import OLDER
from tests.fuzz.windows import application
from tests.models.checkpoints.reference import FOLDER
from txviz import TxvizError
from txviz.cli import main
from txviz.figures.formats import FORMATS
from txviz.figures.presets import PRESETS
from txviz.figures.views import VIEWS
from txviz.models import find
from txviz.models.options import ABOUT

FILES = ("cat.safetensors", "old.safetensors", "six.png", "large.png", "broken.png", "folder", "pipe", "old.svg", "no")
"""All but the last are there."""

SMALL = ("sentence-guide", "vit-guide-3x2", "masked-attention-guide")
CHECKPOINTS = ("bert-masked", "gpt2", "marian")
"""Of others; they read any text."""


def enter(given: bytes) -> None:
    application()
    _furnish()
    words, before = json.loads(given), _files()
    with _terminal() as (out, err), patch("txviz.training.train.train_model", lambda *_: {}):
        try:
            code: object = main(words)
        except SystemExit as end:  # of --help and --version
            code = end.code
        said, told = out.getvalue().decode(), err.getvalue().decode()
    if code in (0, None) or (code == 1 and words[0] == "verify"):
        _check_written(before)
        if "--json" in words and not code:
            json.loads(said)
        return
    if code != 2 or told.count("\n") != 1 or said or _files() != before:
        raise FindingError(f"exit code {code}, {len(said)} letters on stdout, and on stderr: {told}")
    raise TxvizError(told.strip())


def _furnish() -> None:
    drawing = Image.new("L", (6, 6))
    drawing.save("six.png")
    drawing.resize((60, 60)).save("large.png")
    Path("broken.png").write_bytes(Path("six.png").read_bytes()[:40])
    txviz.trace("sentence-guide", "The cat sat.").save("cat.safetensors")
    shutil.copy(OLDER[0], "old.safetensors")
    Path("folder").mkdir()
    Path("old.svg").write_text("<svg/>", encoding="utf-8")
    os.mkfifo("pipe")
    for name in CHECKPOINTS:
        Path(name).symlink_to(FOLDER / name)


@contextmanager
def _terminal() -> Iterator[tuple[io.BytesIO, io.BytesIO]]:
    """What is written to stdout and to stderr, where there is no screen."""
    written = io.BytesIO(), io.BytesIO()
    out, err = (io.TextIOWrapper(each, encoding="utf-8", write_through=True) for each in written)
    hidden = dict.fromkeys(("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"), "")
    with patch.dict(os.environ, hidden), redirect_stdout(out), redirect_stderr(err):
        yield written


def _files() -> dict[Path, bytes]:
    return {path: path.read_bytes() if path.is_file() else b"" for path in Path.cwd().rglob("*")}


def _check_written(before: dict[Path, bytes]) -> None:
    """Everything that is new is whole, by what it begins with."""
    for path, content in _files().items():
        if path.is_file() and content != before.get(path):
            whole = next((check for start, check in WHOLE.items() if content.startswith(start)), len)
            if path.name.startswith(".") or not whole(content):
                raise FindingError(f"{path.name} is left behind, or is not whole")


def _is_picture(content: bytes) -> bool:
    with Image.open(io.BytesIO(content)) as image:
        return image.load() is not None


def _is_film(content: bytes) -> bool:
    with av.open(io.BytesIO(content), "r") as film:
        return next(film.decode(video=0), None) is not None


WHOLE: dict[bytes, Callable[[bytes], object]] = {
    b"<svg": lambda content: ElementTree.fromstring(content).tag,
    b"\x89PNG": _is_picture,
    b"GIF": _is_picture,
    b"RIFF": _is_picture,
    b"\0\0\0": _is_film,  # MP4
    b"\x1aE\xdf\xa3": _is_film,  # WebM
    b"PK": lambda content: ZipFile(io.BytesIO(content)).testzip() is None,
    b"%PDF": lambda content: content.rstrip().endswith(b"%%EOF"),
    b"%": lambda content: content.rstrip().endswith((b"%%EOF", b"\\txvizend", b"\\end{tabular}")),
    b"<!DOCTYPE": lambda content: content.rstrip().endswith(b"</html>"),
}


def command(rng: Random) -> bytes:
    """The words after ``txviz``. No word begins with a slash, so that nothing is written elsewhere."""
    words = rng.choice((_show, _export, _trace, _other))(rng)
    changed = words if rng.random() < 0.5 else changed_words(rng, words)
    return as_bytes([word for word in changed if not word.startswith("/")])


def _input(rng: Random) -> list[str]:
    name = rng.choice((*SMALL * 4, *txviz.models()))
    return [name, rng.choice((*[find(name).example] * 9, *FILES)), *_flags(rng, name)]


def _flags(rng: Random, name: str) -> list[str]:
    known = find(name).options
    chosen = rng.sample(sorted(known), k=min(len(known), rng.choice((0, 0, 1, 2))))
    words = [word for each in chosen for word in (f"--{each.replace('_', '-')}", str(changed_option(rng, known[each])))]
    own = ["--option", f"{rng.choice((*ABOUT, 'dtype', 'watch', 'model', 'source', 'x'))}={odd(rng)}"]
    return [*words, *(own if rng.random() < 0.1 else [])]


def _show(rng: Random) -> list[str]:
    globs = ("*", "tokens", "*.scores", "pool.*", "time.1.*", "[", "none")
    how: tuple[list[str], ...] = (["--json"], ["--outline"], ["--why"], ["--key-steps"], [], [])
    return ["show", *_input(rng), "--step", rng.choice(globs), *rng.choice(how)]


def _trace(rng: Random) -> list[str]:
    return ["trace", *_input(rng), "-o", rng.choice(("new.safetensors", "new", *FILES))]


def _export(rng: Random) -> list[str]:
    name = rng.choice(SMALL)
    still = [each for each, row in FORMATS.items() if not row.frames]  # films of all steps take as long as they last
    formats = [each for each in still for _ in range(1 if each in ("gif", "html", "pptx", "pdf") else 3)]
    path = rng.choice((*(f"new.{rng.choice(formats)}" for _ in range(5)), "new", *FILES))
    steps = rng.choice(("*.scores", "*.weights", "pool.*", "*"))
    saved = ["cat.safetensors"] if rng.random() < 0.8 else [rng.choice(FILES), "The cat sat."]
    given = saved if rng.random() < 0.3 else [name, find(name).example]
    return ["export", *given, "--steps", steps, "-o", path, *_look(rng)]


def _look(rng: Random) -> list[str]:
    numbers = ("nan", "inf", "-1", "0", "1", "0.01", "2", "25", "96", "1e9", "20000", "x", "1e-9", "640")
    sizes = ("width", "height", "text-size", "resolution", "dpi", "seconds")
    flags: tuple[list[str], ...] = (
        *([f"--{each}", rng.choice(numbers)] for each in sizes),
        ["--format", rng.choice([*FORMATS, "x"])],
        ["--view", rng.choice([*VIEWS, "x"])],
        ["--preset", rng.choice([*PRESETS, "x"])],
        ["--theme", rng.choice(("light", "dark", "paper", "x"))],
        ["--scale", rng.choice(("auto", "shared", "each", "fixed:-1,1", "fixed:2,1", "fixed:nan,x", "x"))],
        ["--head", rng.choice(("0", "1", "-99", "9", "x", "9" * 30))],
        ["--cell", rng.choice(("0,0,0", "0,2,4", "0", "-1,-1,-1", "9,9,9", "a,b", ",", "1" * 30))],
        *([flag] for flag in ("--transparent", "--once", "--no-title", "--no-formula", "--no-numbers", "--no-labels")),
    )
    return [word for each in rng.sample(flags, k=rng.choice((0, 1, 2, 3))) for word in each]


def _other(rng: Random) -> list[str]:
    lines: tuple[list[str], ...] = (
        ["verify", rng.choice(FILES)],
        ["open", rng.choice(FILES)],
        ["models"],
        ["audit", *rng.choice(([], ["--json"]))],
        [],
        ["--model", rng.choice((*SMALL, "no")), "The cat sat."],
        ["--version"],
        [*rng.choice(([], ["show"], ["export"])), "--help"],
        ["train", "digits", "--steps", rng.choice(("0", "-1", "x", "1"))],
        ["train", rng.choice(("cat", "sentence-guide", *FILES)), "-o", "new"],
    )
    return list(rng.choice(lines))
