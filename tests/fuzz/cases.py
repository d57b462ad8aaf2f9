"""How a case of each kind is made: a good one, changed, or one that is bad by design. Always bytes, as in a file."""

from __future__ import annotations

import io
import json
import struct
import zlib
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from PIL import Image
from safetensors import SafetensorError
from safetensors.numpy import load, save

import txviz
from tests.fuzz.mutate import (
    LETTERS, ODD_TEXTS, as_bytes, changed_bytes, changed_json, changed_text, changed_words, few, odd,
)  # fmt: skip
from txviz import ops, resources
from txviz.figures.formats import FORMATS
from txviz.figures.views import VIEWS
from txviz.models import find
from txviz.models.options import ABOUT, Choice, Number

READERS = tuple(name for name in txviz.models() if find(name).takes.kind != "image")
VIEWERS = tuple(name for name in txviz.models() if find(name).takes.kind == "image")
HERE = Path(__file__).parent


def run_case(model: str, source: Any, **options: Any) -> bytes:
    """A run of a model."""
    return as_bytes({"model": model, "source": source, "options": options})


# --- texts ---


def text(rng: Random) -> bytes:
    model = rng.choice(READERS)
    return run_case(model, _text(rng, rng.choice(find(model).examples)))


def _text(rng: Random, good: str) -> Any:
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


# --- options ---


def options(rng: Random) -> bytes:
    model = rng.choice(txviz.models())
    known = find(model).options
    names = rng.sample([*known], k=rng.randint(0, min(4, len(known))))
    chosen = {name: _option(rng, known[name]) for name in names}
    if rng.random() < 0.1:
        chosen[rng.choice((*ABOUT, "cat", "", "\ud800"))] = odd(rng)
    if "max_steps" in known:  # else a beam of 64 writes for seconds
        chosen.setdefault("max_steps", rng.choice((1, 2, 5)))
    return run_case(model, rng.choice(find(model).examples), **chosen)


def _option(rng: Random, option: Any) -> Any:
    """Good, at an end, beyond it, as a text, or nonsense."""
    if isinstance(option, Choice):
        return rng.choice((*option.choices * 2, changed_text(rng, option.default), odd(rng)))
    if isinstance(option, Number):
        ends = (option.default, option.lowest, option.highest, (option.lowest + option.highest) / 2)
        near = rng.choice(ends) + rng.choice((0, 0, 1, -1, 1e-9))
        return rng.choice((near, near, str(near), odd(rng)))
    return rng.choice((True, "True", "0.5", "7", "ti amo molto", "and then", odd(rng)))


# --- grids ---


def grid(rng: Random) -> bytes:
    model = rng.choice(VIEWERS)
    good = rng.choice(find(model).examples)
    rows: list[list[Any]] = [row.split() for row in good.split(";")]
    match rng.randrange(4):
        case 0:
            return run_case(model, changed_text(rng, good))
        case 1:
            return run_case(model, changed_json(rng, [[float(cell) for cell in row] for row in rows]))
    for _ in few(rng):
        row = rng.choice(rows)
        row[rng.randrange(len(row))] = rng.choice(ODD_TEXTS)
    between, after = rng.choice((" ", ",", ", ", "\t")), rng.choice((";", "\n", "; ", "],["))
    return run_case(model, after.join(between.join(row) for row in rows))


# --- images ---


def image(rng: Random) -> bytes:
    match rng.randrange(8):
        case 0:
            return rng.choice(_OTHER_FORMATS)
        case 1:
            return _promised(*(rng.choice((0, 1, 6, 60_000, 2**31 - 1)) for _ in range(2)), *rng.choices(range(17), k=2))
        case 2:
            first, second = _good_image(rng), _good_image(rng)
            return first[: rng.randrange(len(first))] + second[rng.randrange(len(second)) :]
        case 3:
            return _good_image(rng)
    return changed_bytes(rng, _good_image(rng))


def _good_image(rng: Random) -> bytes:
    kind = rng.choice(("PNG", "JPEG", "GIF", "BMP", "WEBP", "TIFF"))
    mode = rng.choice(("L", "RGB") if kind == "JPEG" else ("1", "L", "P", "RGB", "RGBA"))
    return _saved(kind, mode, rng.choice(((6, 6), (6, 6), (7, 5), (64, 48), (1, 1))), rng.randrange(9))


@cache
def _saved(kind: str, mode: str, size: tuple[int, int], turn: int) -> bytes:
    noise = np.random.default_rng(0).integers(0, 256, (size[1], size[0], 4), dtype=np.uint8)
    noise[..., 3] = 255
    exif = Image.Exif()
    exif[0x0112] = turn
    return _written(Image.fromarray(noise[..., [0, 0, 0, 3]] if turn % 2 else noise).convert(mode), kind, exif=exif)


def _written(picture: Image.Image, kind: str, **options: Any) -> bytes:
    buffer = io.BytesIO()
    picture.save(buffer, kind, **options)
    return buffer.getvalue()


def _promised(width: int, height: int, bits: int, colours: int) -> bytes:
    """A PNG whose header promises this, and nothing follows."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, bits, colours, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")


_OTHER_FORMATS = (
    *(_written(Image.new("RGB", (6, 6)), kind) for kind in ("DDS", "ICO", "PPM", "TGA", "PCX", "SGI", "MPO")),
    b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 6 6\n%%EndComments\n{} loop\n%%EOF\n",
    b"\0\0\0\x1cftypavif\0\0\0\0avifmif1miaf\0\0\0\x08meta",
    b"icns\0\0\0\x10ic07\0\0\0\x08",
    b"<svg xmlns='http://www.w3.org/2000/svg'/>",
    b"",
)


# --- traces ---


GOOD_TRACES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("masked-attention-guide", {}),
    ("masked-attention-guide", {}),
    ("sentence-guide", {}),
    ("vit-guide-2x2", {}),
    ("sentence", {}),
    ("digits", {"target": "3"}),
    ("writer", {"strategy": "beam", "beam_width": 2, "max_steps": 2}),
    ("writer", {"strategy": "sample", "top_k": 5, "top_p": 0.9, "max_steps": 2}),
)


def shown_trace(rng: Random) -> bytes:
    """One that is opened, mostly, and then has to be shown: with other texts and numbers, and the same form."""
    metadata, arrays = _parts(_good_trace(rng.randrange(len(GOOD_TRACES) + 1)))
    graph = json.loads(metadata["graph"])
    for _ in few(rng):
        name = rng.choice([*arrays])
        arrays[name] = _other_numbers(rng, arrays[name])
        _change_texts(rng, graph, rng.choice(graph["steps"]))
    return _file(graph, arrays, metadata)


def trace(rng: Random) -> bytes:
    """With a checksum that fits, mostly: else nothing behind it would ever be reached."""
    metadata, arrays = _parts(_good_trace(rng.randrange(len(GOOD_TRACES) + 1)))
    if rng.random() < 0.1:
        return changed_bytes(rng, save(arrays, metadata))
    graph = json.loads(metadata["graph"])
    for _ in few(rng):
        graph = _changed_graph(rng, graph, arrays)
    if rng.random() < 0.1:
        metadata["version"] = rng.choice(("1", "2", "3", "", "\x00", "9" * 5000))
    return _file(graph, arrays, metadata)


def _file(graph: Any, arrays: dict[str, Any], metadata: dict[str, str]) -> bytes:
    described = json.dumps(graph)
    return save(arrays, {**metadata, "graph": described, "sha256": sha256(described.encode()).hexdigest()})


@cache
def _good_trace(which: int) -> bytes:
    if which == len(GOOD_TRACES):
        return (HERE.parent / "reference" / "trace-version-1.safetensors").read_bytes()
    model, options = GOOD_TRACES[which]
    with TemporaryDirectory() as folder:
        path = Path(folder, "good.safetensors")
        txviz.trace(model, find(model).example, **options).save(path)
        return path.read_bytes()


def _parts(content: bytes) -> tuple[dict[str, str], dict[str, Any]]:
    """The metadata and the arrays of a safetensors file."""
    length = int.from_bytes(content[:8], "little")
    return json.loads(content[8 : 8 + length])["__metadata__"], load(content)


def _changed_graph(rng: Random, graph: Any, arrays: dict[str, Any]) -> Any:
    """The graph or an array of it changed, by kind: an operation, what it reads, what it takes, a shape, …"""
    if not isinstance(graph, dict) or not isinstance(graph.get("steps"), list) or not graph["steps"]:
        return odd(rng)
    at = rng.randrange(len(graph["steps"]))
    step = graph["steps"][at]
    if not isinstance(step, dict) or rng.random() < 0.2:
        return changed_json(rng, graph)
    match rng.randrange(10):
        case 0:
            step["op"] = rng.choice([*ops.BY_NAME])
        case 1:
            before = [each["name"] for each in graph["steps"][:at] if isinstance(each, dict) and "name" in each]
            step["inputs"] = rng.choices([*before, *arrays], k=rng.randrange(4))
        case 2:
            _change_parameters(rng, graph, step)
        case 3:
            rng.shuffle(graph["steps"]) if rng.random() < 0.1 else graph["steps"].pop(at)
        case 4:
            graph["steps"][at] = changed_json(rng, step)
        case 5:
            name = rng.choice([*arrays])
            arrays[name] = _changed_array(rng, arrays[name])
        case 6 | 7:
            _change_texts(rng, graph, step)
        case _:
            name = rng.choice([*arrays])
            arrays[name] = _other_numbers(rng, arrays[name])
    return graph


def _change_texts(rng: Random, graph: Any, step: dict[str, Any]) -> None:
    """What is shown of a trace: labels, notes, what was run and what came out."""
    labels = step.get("labels")
    match rng.randrange(4):
        case 0 if isinstance(labels, dict) and labels:
            axis = rng.choice([*labels])
            labels[axis] = [rng.choice(ODD_TEXTS) for _ in labels[axis]] if isinstance(labels[axis], list) else odd(rng)
        case 1:
            step["note"] = rng.choice(ODD_TEXTS)
        case 2 if isinstance(graph.get("about"), dict) and rng.random() < 0.5:
            graph["about"][rng.choice(("model", "input", "options", "hypotheses", "x"))] = odd(rng)
        case _:
            graph["output"] = rng.choice((odd(rng), *[{"text": rng.choice(ODD_TEXTS)}] * 4))


def _change_parameters(rng: Random, graph: Any, step: dict[str, Any]) -> None:
    """What an operation takes, of this step or of another."""
    others = [each["params"] for each in graph["steps"] if isinstance(each, dict) and isinstance(each.get("params"), dict)]
    taken = dict(rng.choice((step.get("params"), *others)) or {})
    name = rng.choice([*taken, "exponent", "length", "heads", "at", "dtype", "\ud800"])
    step["params"] = {**taken, name: odd(rng)} if rng.random() < 0.8 else taken


_THIN = (np.zeros((20_000, 1)), np.zeros((1, 20_000)))
"""Together they make 400 million numbers."""


def _changed_array(rng: Random, array: Any) -> Any:
    """Another shape or another type."""
    match rng.randrange(4):
        case 0:
            shapes = ((-1,), (1, -1), (-1, 1), (1, *array.shape), (*array.shape, 1), (1,) * 9 + array.shape)
            return array.reshape(rng.choice(shapes) if array.size else (0,))
        case 1:
            return np.ascontiguousarray(array.T)
        case 2:
            return rng.choice((np.atleast_1d(array)[:0], np.zeros(()), np.zeros((3, 0, 2)), *_THIN)).copy()
    with np.errstate(all="ignore"):
        return array.astype(rng.choice(("float32", "float16", "int64", "int8", "uint8", "bool", "uint64")))


def _other_numbers(rng: Random, array: Any) -> Any:
    """One or all of its numbers replaced by one that nobody expects."""
    if not array.size:
        return array
    numbers = (0, -1, 1e308, -1e308, 1e-320, np.nan, np.inf, -np.inf, 10**6, 0.5)
    changed = array.astype(float).copy() if rng.random() < 0.8 else array.copy()
    with np.errstate(all="ignore"):
        changed[rng.choice((..., tuple(rng.randrange(n) for n in array.shape)))] = np.array(rng.choice(numbers)).astype(
            changed.dtype
        )
    return changed


# --- saved states ---


def state(rng: Random) -> bytes:
    from txviz.gui import saved_state  # with Qt, which no other kind needs

    content = (HERE / "state.json").read_bytes()
    if rng.random() < 0.2:
        return changed_bytes(rng, content)
    changed = json.loads(content)
    places = (changed, changed["request"], changed["export"], changed["request"]["options"])
    for _ in few(rng):
        place = rng.choice(places)
        place[rng.choice([*saved_state._SOUND] if place is changed else [*place])] = odd(rng)
    return as_bytes(changed if rng.random() < 0.9 else changed_json(rng, changed))


# --- folders of models ---


def model(rng: Random) -> bytes:
    """One file of a model's folder, changed: which model, which file, and what is in it (a character for each byte)."""
    name = rng.choice(("digits", "digits", "digits", "sentence", "writer", "translator"))
    files = [each.name for each in resources.path("models", name).iterdir() if each.name != "card.md"]
    file = rng.choice(sorted(files))
    good = resources.path("models", name, file).read_bytes()
    if file.endswith(".json") and rng.random() < 0.7:
        content = as_bytes(changed_json(rng, json.loads(good)))
    elif file.endswith(".safetensors") and rng.random() < 0.7:
        content = _changed_weights(rng, good)
    else:
        content = changed_bytes(rng, good)
    return as_bytes({"model": name, "file": file, "content": content.decode("latin-1")})


def _changed_weights(rng: Random, good: bytes) -> bytes:
    try:
        arrays = load(good)
    except SafetensorError:
        return good
    name = rng.choice(sorted(arrays))
    arrays[name] = _changed_array(rng, arrays[name])
    return save(arrays)


# --- command lines ---


FILES = ("cat.safetensors", "old.safetensors", "six.png", "large.png", "broken.png", "folder", "pipe", "old.svg", "none")
"""What a command finds in its folder; see ``doors.furnish``."""

_SMALL = "sentence-guide", "vit-guide-3x2", "masked-attention-guide"


def command(rng: Random) -> bytes:
    """The words after ``txviz``."""
    words = rng.choice((_show, _export, _trace, _other))(rng)
    changed = words if rng.random() < 0.5 else changed_words(rng, words)
    return as_bytes([word for word in changed if not word.startswith("/")])


def _input(rng: Random) -> list[str]:
    name = rng.choice((*_SMALL * 4, *txviz.models()))
    return [name, rng.choice((find(name).example, find(name).example, *FILES)), *_flags(rng, name)]


def _flags(rng: Random, name: str) -> list[str]:
    known = find(name).options
    chosen = rng.sample(sorted(known), k=min(len(known), rng.choice((0, 0, 1, 2))))
    words = [word for each in chosen for word in (f"--{each.replace('_', '-')}", str(_option(rng, known[each])))]
    own = ["--option", f"{rng.choice((*ABOUT, 'dtype', 'watch', 'model', 'source', 'x'))}={odd(rng)}"]
    return [*words, *(own if rng.random() < 0.1 else [])]


def _show(rng: Random) -> list[str]:
    globs = ("*", "tokens", "*.scores", "pool.*", "time.1.*", "[", "none")
    return ["show", *_input(rng), "--step", rng.choice(globs), *rng.choice(([], ["--json"]))]


def _trace(rng: Random) -> list[str]:
    return ["trace", *_input(rng), "-o", rng.choice(("new.safetensors", "new", *FILES))]


def _export(rng: Random) -> list[str]:
    name = rng.choice(_SMALL)
    formats = [each for each in FORMATS for _ in range(1 if each in ("gif", "html", "pptx", "pdf") else 3)]
    path = rng.choice((f"new.{rng.choice(formats)}", f"new.{rng.choice(formats)}", "new", *FILES))
    words = ["export", name, find(name).example, "--steps", rng.choice(("*.scores", "*.weights", "pool.*", "*")), "-o", path]
    return [*words, *_look(rng)]


def _look(rng: Random) -> list[str]:
    numbers = ("nan", "inf", "-1", "0", "1", "0.01", "2", "25", "96", "1e9", "20000", "x", "1e-9", "640")
    flags: tuple[list[str], ...] = (
        *([f"--{each}", rng.choice(numbers)] for each in ("width", "height", "text-size", "resolution", "dpi", "seconds")),
        ["--format", rng.choice([*FORMATS, "x"])],
        ["--view", rng.choice([*VIEWS, "x"])],
        ["--preset", rng.choice(("slide", "paper", "screen", "x"))],
        ["--theme", rng.choice(("light", "dark", "paper", "x"))],
        ["--head", rng.choice(("0", "1", "-99", "9", "x", "9" * 30))],
        ["--cell", rng.choice(("0,0,0", "0,2,4", "0", "-1,-1,-1", "9,9,9", "a,b", ",", "1" * 30))],
        ["--transparent"], ["--once"], ["--no-title"], ["--no-formula"], ["--no-numbers"], ["--no-labels"],
    )  # fmt: skip
    return [word for each in rng.sample(flags, k=rng.choice((0, 1, 2, 3))) for word in each]


def _other(rng: Random) -> list[str]:
    lines = (
        ["verify", rng.choice(FILES)], ["open", rng.choice(FILES)], ["models"], ["audit"], ["audit", "--json"], [],
        ["--version"], ["--help"], ["show", "--help"], ["train", "digits", "--steps", rng.choice(("0", "-1", "x", "1"))],
        ["train", rng.choice(("cat", "sentence-guide", *FILES)), "-o", "new"],
    )  # fmt: skip
    return list(rng.choice(lines))
