"""Models as large as real ones: whether the window is as quick with them as with a toy, and what their traces take.

The checkpoints are made here, with random weights under the names that Hugging Face has. Window and toy are measured in
one process, turn about, by the clock: what replays a large step does so in a thread of its own, and holds nobody up.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from time import perf_counter, thread_time
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("QT_LOGGING_RULES", "*.warning=false")

import numpy as np
from PIL import Image
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from safetensors.numpy import save_file

import txviz
from tests.benchmarks.measure import Result
from txviz.gui.app import FIRST, make_application, make_window
from txviz.gui.window import Window
from txviz.models import find
from txviz.models.request import Request, compute
from txviz.trace import Trace
from txviz.trace.outline import Node

Shapes = Mapping[str, tuple[int, ...]]

STEPS, TURNS, BEAM = 60, 4, 64


def results() -> Iterator[Result]:
    app = QApplication.instance() or make_application()
    assert isinstance(app, QApplication)
    with tempfile.TemporaryDirectory() as folder:
        yield from _measured(app, Path(folder))


def _measured(app: QApplication, folder: Path) -> Iterator[Result]:
    window = make_window(folder / "state.json", None, FIRST)
    window.resize(1280, 800)
    window.show()
    toy = txviz.trace("translator", find("translator").example)
    for name, make in LARGE.items():
        if name != "ViT-Base" and find_spec("tokenizers") is None:
            print(f"large: {name} skipped, since tokenizers is not installed (pip install 'txviz[checkpoints]')")
            continue
        before = _memory()
        trace = make(folder / name)
        if name.startswith("MiniLM"):
            yield Result(f"large: memory of a trace, weights mapped: {name}", _memory() - before, "MB", 100.0)
        yield from _compared(app, window, name, trace, toy)
        yield from _files(name, trace, folder)
    for name, make in LONG.items() if find_spec("tokenizers") else ():
        yield from _long(app, window, name, make(folder / name))
    beam = txviz.trace("translator", "the house is big", strategy="beam", beam_width=BEAM, max_steps=38)
    yield from _compared(app, window, f"a beam of {len(beam):,} steps", beam, toy)
    window.close()


def _compared(app: QApplication, window: Window, name: str, large: Trace, toy: Trace) -> Iterator[Result]:
    """What a hand does with the large one and with the toy; the first turn sets formulas, and is not counted."""
    found: dict[str, tuple[list[float], list[float]]] = {}
    for turn in range(TURNS):
        for which, trace in enumerate((large, toy)):
            for what, took in _used(app, window, trace).items():
                found.setdefault(what, ([], []))[which].extend(took if turn else [])
    for what, (own, toys) in found.items():
        yield Result(f"large: {what}, median / translator: {name}", median(own) / median(toys), "×", 2.0)
        high, why = float(np.percentile(own, 99)), WHY.get(what, "")
        yield Result(f"large: {what}, median: {name}", median(own) * 1000, "ms", TARGETS[what][0], why)
        yield Result(f"large: {what}, 99th percentile: {name}", high * 1000, "ms", TARGETS[what][1], why)


TARGETS = {"next step": (16.0, 50.0), "map": (16.0, 50.0), "hover": (5.0, 16.0), "head": (16.0, 50.0)}
"""Milliseconds: the median, and the 99th percentile."""

WHY = {"map": "the layer that is looked at is unfolded, so that all boxes are laid out anew"}
FIRST_LOOK = "of a tensor all numbers are looked at when it is first shown, and the largest have millions"
"""Why what misses its target does so, where that is known."""


def _used(app: QApplication, window: Window, trace: Trace) -> dict[str, list[float]]:
    session = window.session
    session.show_trace(trace, None)
    session.show_node(session.step.name)

    def pressed(key: Qt.Key) -> float:
        return _seconds(lambda: (QTest.keyClick(window.area.shown, key), app.processEvents()))

    session.go_to(len(trace) // 3)
    app.processEvents()
    steps = [pressed(Qt.Key.Key_Right) for _ in range(STEPS)]
    maps = []
    for place in np.linspace(0, len(trace) - 1, 8).round().astype(int).tolist():
        session.go_to(place)
        app.processEvents()
        maps.append(pressed(Qt.Key.Key_M))
        pressed(Qt.Key.Key_M)
    session.go_to(next(step.name for step in trace if step.site.leaf == "weights"))
    session.choose_place((0,) * len(session.place))
    app.processEvents()
    heads = [pressed(Qt.Key.Key_Down) for _ in range(3)]
    return {"next step": steps, "map": maps, "hover": _hovered(app, window), "head": heads}


def _hovered(app: QApplication, window: Window) -> list[float]:
    panel, view = window.stage.stage.panels[-1], window.stage.viewport()
    spots = np.random.default_rng(0).random((30, 2)) * (panel.right - panel.x, panel.bottom - panel.y)
    points = [QPoint(round(panel.x + x), round(panel.y + y)) for x, y in spots.tolist()]

    def point_at(spot: QPoint) -> None:
        QTest.mouseMove(view, spot)
        app.processEvents()

    return [_seconds(partial(point_at, spot)) for spot in points]


def _long(app: QApplication, window: Window, name: str, trace: Trace) -> Iterator[Result]:
    """Every step, by the clock and by this thread's own time; the slowest is named, and so is the slowest picture."""
    _ = trace.not_finite  # as the thread that computes it does
    session = window.session
    session.show_trace(trace, None)
    session.show_node(session.step.name)
    session.go_to(0)
    app.processEvents()
    steps = {step.name: _both(partial(_next, app, window)) for step in trace.steps[1:]}
    yield from _told(f"long: next step: {name}", steps, 50.0)
    pictures = {}
    for node in _unlike(trace.outline):
        for kind in node.pictures:
            session.go_to(node.steps[-1].name)
            session.show_node(session.step.name)
            app.processEvents()
            seen = partial(_see, app, window, node.name, kind)
            seen()  # sets the formulas
            session.show_node(session.step.name)
            app.processEvents()
            pictures[f"{kind} of {node.name or 'the run'}"] = _both(seen)
    yield from _told(f"long: a picture: {name}", pictures, 50.0)
    session.show_node(next(step.name for step in trace if step.site.leaf == "weights"))
    app.processEvents()
    hovered = _hovered(app, window)
    yield Result(f"long: hover, median: {name}", median(hovered) * 1000, "ms", TARGETS["hover"][0])
    for suffix in ("png", "svg", "pdf"):
        took = _seconds(partial(txviz.figure(session.step).save, str(Path(tempfile.mkdtemp()) / f"step.{suffix}")))
        yield Result(f"long: weights as {suffix}: {name}", took, "s", 1.0)


def _next(app: QApplication, window: Window) -> None:
    QTest.keyClick(window.area.shown, Qt.Key.Key_Right)
    app.processEvents()


def _see(app: QApplication, window: Window, node: str, kind: str) -> None:
    window.session.show_node(node)
    window.session.choose_picture(kind)
    app.processEvents()


def _unlike(outline: Node) -> list[Node]:
    """One of all nodes that have the same pictures of the same steps."""
    found = {(node.pictures, tuple(s.site.leaf for s in node.steps[:3])): node for node in outline if node.children}
    return list(found.values())


def _both(call: Callable[[], object]) -> tuple[float, float]:
    """Seconds by the clock, and of this thread."""
    start = thread_time()
    return _seconds(call), thread_time() - start


def _told(name: str, took: Mapping[str, tuple[float, float]], most: float) -> Iterator[Result]:
    for way, what in enumerate(("by the clock", "of the thread")):
        times = {each: both[way] * 1000 for each, both in took.items()}
        slowest = max(times, key=lambda each: times[each])
        yield Result(f"{name}, mean {what}", float(np.mean([*times.values()])), "ms", 16.0, FIRST_LOOK)
        yield Result(f"{name}, slowest {what} ({slowest})", times[slowest], "ms", most, FIRST_LOOK)


def _files(name: str, trace: Trace, folder: Path) -> Iterator[Result]:
    whole, compact = folder / "trace.safetensors", folder / "compact.safetensors"
    yield Result(f"large: save: {name}", _seconds(lambda: trace.save(whole)), "s", 1.0)
    yield Result(f"large: save compact: {name}", _seconds(lambda: trace.save(compact, compact=True)), "s", 1.0)
    yield Result(f"large: size of the compact file: {name}", compact.stat().st_size / 2**20, "MB", 1.0)
    other = compute(replace(Request.of_trace(trace), edits=("*attention.scores*=2",)))
    yield Result(f"large: diff: {name}", _seconds(lambda: [change.count for change in trace.diff(other)]), "s", 1.0)
    whole.unlink()


def _seconds(call: Callable[[], object]) -> float:
    start = perf_counter()
    call()
    return perf_counter() - start


def _memory() -> float:
    """Megabytes that are this process's own: what is mapped from a file is not."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("RssAnon"))


# --- the checkpoints ---


def _bert(folder: Path, tokens: int = 128) -> Trace:
    width, layers, inner, words = 384, 6, 1536, 30_522
    shapes = {
        "embeddings.word_embeddings.weight": (words, width),
        "embeddings.position_embeddings.weight": (512, width),
        "embeddings.token_type_embeddings.weight": (2, width),
        **_norm("embeddings.LayerNorm", width),
    }
    for i in range(layers):
        block = f"encoder.layer.{i}"
        for leaf in ("self.query", "self.key", "self.value", "output.dense"):
            shapes |= _linear(f"{block}.attention.{leaf}", width, width)
        shapes |= _norm(f"{block}.attention.output.LayerNorm", width) | _norm(f"{block}.output.LayerNorm", width)
        shapes |= _linear(f"{block}.intermediate.dense", inner, width) | _linear(f"{block}.output.dense", width, inner)
    config = {"model_type": "bert", "architectures": ["BertModel"], "vocab_size": words, "hidden_size": width}
    sizes = {"num_hidden_layers": layers, "num_attention_heads": 12, "intermediate_size": inner}
    more = {"hidden_act": "gelu", "max_position_embeddings": 512, "type_vocab_size": 2, "layer_norm_eps": 1e-12}
    _write(folder, {**config, **sizes, **more}, shapes)
    _write_words(folder, words)
    return txviz.trace(str(folder), _text(tokens))


def _gpt2(folder: Path, tokens: int = 128, layers: int = 12) -> Trace:
    width, words = 768, 50_257
    shapes = {"wte.weight": (words, width), "wpe.weight": (1024, width), **_norm("ln_f", width)}
    for i in range(layers):
        shapes |= _norm(f"h.{i}.ln_1", width) | _norm(f"h.{i}.ln_2", width)
        for leaf, inside, outside in (
            ("attn.c_attn", 1, 3),
            ("attn.c_proj", 1, 1),
            ("mlp.c_fc", 1, 4),
            ("mlp.c_proj", 4, 1),
        ):
            shapes[f"h.{i}.{leaf}.weight"] = (inside * width, outside * width)
            shapes[f"h.{i}.{leaf}.bias"] = (outside * width,)
    config = {"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "vocab_size": words, "n_embd": width}
    sizes = {"n_layer": layers, "n_head": 12, "n_positions": 1024, "activation_function": "gelu_new"}
    _write(folder, {**config, **sizes, "layer_norm_epsilon": 1e-5}, shapes)
    _write_words(folder, words)
    return txviz.trace(str(folder), _text(tokens), max_steps=1)


def _text(tokens: int) -> str:
    return " ".join(f"word{i}" for i in range(tokens))


def _vit(folder: Path) -> Trace:
    width, layers, inner = 768, 12, 3072
    shapes = {
        "vit.embeddings.cls_token": (1, 1, width),
        "vit.embeddings.position_embeddings": (1, 197, width),
        "vit.embeddings.patch_embeddings.projection.weight": (width, 3, 16, 16),
        "vit.embeddings.patch_embeddings.projection.bias": (width,),
        **_norm("vit.layernorm", width),
        **_linear("classifier", 1000, width),
    }
    for i in range(layers):
        block = f"vit.encoder.layer.{i}"
        for leaf in ("attention.query", "attention.key", "attention.value", "output.dense"):
            shapes |= _linear(f"{block}.attention.{leaf}", width, width)
        shapes |= _norm(f"{block}.layernorm_before", width) | _norm(f"{block}.layernorm_after", width)
        shapes |= _linear(f"{block}.intermediate.dense", inner, width) | _linear(f"{block}.output.dense", width, inner)
    config = {
        "model_type": "vit",
        "architectures": ["ViTForImageClassification"],
        "hidden_size": width,
        "hidden_act": "gelu",
    }
    sizes = {
        "num_hidden_layers": layers,
        "num_attention_heads": 12,
        "intermediate_size": inner,
        "layer_norm_eps": 1e-12,
    }
    more = {"image_size": 224, "patch_size": 16, "num_channels": 3, "qkv_bias": True}
    labels = {str(i): f"class {i}" for i in range(1000)}
    _write(folder, {**config, **sizes, **more, "id2label": labels}, shapes)
    read = {"do_resize": True, "size": {"height": 224, "width": 224}, "resample": 2, "do_rescale": True}
    shades = {"rescale_factor": 1 / 255, "do_normalize": True, "image_mean": [0.5] * 3, "image_std": [0.5] * 3}
    (folder / "preprocessor_config.json").write_text(json.dumps({**read, **shades}))
    photograph = np.random.default_rng(0).integers(0, 256, (480, 640, 3), dtype=np.uint8)
    Image.fromarray(photograph).save(folder / "photograph.png")
    return txviz.trace(str(folder), str(folder / "photograph.png"))


LARGE: dict[str, Callable[[Path], Trace]] = {
    "MiniLM, 128 tokens": _bert,
    "GPT-2 small, 128 tokens": _gpt2,
    "ViT-Base": _vit,
}

LONG: dict[str, Callable[[Path], Trace]] = {
    "MiniLM, 512 tokens": partial(_bert, tokens=512),
    "GPT-2 small, 1,023 tokens and one more": partial(_gpt2, tokens=1023),
}
"""As many tokens as the model reads."""


def _linear(name: str, rows: int, columns: int) -> dict[str, tuple[int, ...]]:
    return {f"{name}.weight": (rows, columns), f"{name}.bias": (rows,)}


def _norm(name: str, width: int) -> dict[str, tuple[int, ...]]:
    return {f"{name}.weight": (width,), f"{name}.bias": (width,)}


def _write(folder: Path, config: Mapping[str, Any], shapes: Shapes) -> None:
    """Weights as small as those of a model that has not learned yet."""
    folder.mkdir()
    rng = np.random.default_rng(0)
    weights = {name: (rng.random(shape, dtype=np.float32) - 0.5) * 0.07 for name, shape in shapes.items()}
    save_file(weights, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps(config))


def _write_words(folder: Path, count: int) -> None:
    """A tokenizer of whole words."""
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *(f"word{i}" for i in range(count - 5))]
    model = {"type": "WordLevel", "vocab": {word: i for i, word in enumerate(words)}, "unk_token": "[UNK]"}
    empty: dict[str, Any] = dict.fromkeys(("truncation", "padding", "normalizer", "post_processor", "decoder"))
    content = {"version": "1.0", **empty, "added_tokens": [], "pre_tokenizer": {"type": "Whitespace"}, "model": model}
    (folder / "tokenizer.json").write_text(json.dumps(content))
