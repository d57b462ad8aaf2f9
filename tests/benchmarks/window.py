"""The window: how soon it is there, how quickly it steps and lights up, and whether it grows."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter

import numpy as np

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("QT_LOGGING_RULES", "*.warning=false")

from PySide6.QtCore import QEventLoop, QPoint, Qt
from PySide6.QtGui import QPainter, QPixmap
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

import txviz
from tests.benchmarks.measure import Result, compiled
from txviz import ops
from txviz.figures.painter import paint
from txviz.gui.app import FIRST, make_application, make_window
from txviz.gui.picture_controls import SliderControl
from txviz.gui.window import Window
from txviz.models import find
from txviz.models.request import Request, compute
from txviz.nets.blocks import Block
from txviz.nets.parameters import initialise
from txviz.nets.sentence_encoder import SentenceEncoder, forward, shapes
from txviz.trace import Run, Trace
from txviz.training.translator import BEAM_EXAMPLE

MODULES = "what is more is the window's own modules, which are all of them needed for its first picture"
BOARD = "the whole board is laid out and painted anew"

BARE = """
import numpy as np, pyqtgraph as pg
from PySide6.QtWidgets import QApplication
app = QApplication([])
class Bare(pg.PlotWidget):
    def paintEvent(self, event):
        super().paintEvent(event)
        app.quit()
view = Bare()
view.addItem(pg.ImageItem(np.random.default_rng(0).random((32, 32))))
view.resize(1280, 800)
view.show()
app.exec()
"""

OURS = """
import sys, tempfile
from pathlib import Path
from txviz.gui import screen
screen.problem()
from txviz.gui.app import FIRST, make_application, make_window
app = make_application()
window = make_window(Path(tempfile.mkdtemp()) / "state.json", None, FIRST)
window.stage.first_painted.connect(app.quit)
window.show()
app.exec()
import os; os._exit(0)
"""

NEWCOMER = """
import sys, tempfile
from pathlib import Path
from PySide6.QtCore import QEvent, QObject
from txviz.gui import screen
screen.problem()
from txviz.gui.app import make_application, make_window
app = make_application()
window = make_window(Path(tempfile.mkdtemp()) / "state.json")
class Painted(QObject):
    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint:
            app.quit()
        return False
painted = Painted()
window.overlays.start_page.cards[0].installEventFilter(painted)
window.show()
app.exec()
import os; os._exit(0)
"""


def results() -> Iterator[Result]:
    yield Result("window: start to first stage / bare Qt + pyqtgraph window", _start_ratio(OURS), "×", 1.6)
    page = "window: start to the start page / bare Qt + pyqtgraph window"
    yield Result(page, _start_ratio(NEWCOMER), "×", 1.3, MODULES)
    app = QApplication.instance() or make_application()
    assert isinstance(app, QApplication)
    with tempfile.TemporaryDirectory() as folder:
        window = make_window(Path(folder) / "state.json", None, FIRST)
        window.resize(1280, 800)
        window.show()
        _settle(app, 1.5)
        for name, trace in _traces():
            yield from _stepping(app, window, name, trace)
        for name, trace in _deep_traces():
            yield from _levels(app, window, name, trace)
        for name, kind, node, trace in _pictures():
            yield _opening(app, window, f"window: open {name}, median", kind, node, trace)
        for name, first, second in _compared_traces():
            yield from _comparing(app, window, name, first, second)
        yield _sliding(app, window)
        yield from _hovering(app, window)
        yield _growth(app, window)
        window.close()


def _start_ratio(ours: str, rounds: int = 9) -> float:
    """The quickest of several starts over the quickest of the bare window, turn about."""

    def start(script: str) -> float:
        begin = perf_counter()
        subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, env=compiled())
        return perf_counter() - begin

    start(BARE), start(ours)
    took = [(start(ours), start(BARE)) for _ in range(rounds)]
    return min(mine for mine, _ in took) / min(bare for _, bare in took)


def _settle(app: QApplication, seconds: float = 0.05) -> None:
    end = perf_counter() + seconds
    while perf_counter() < end:
        app.processEvents()


def _traces() -> Iterator[tuple[str, Trace]]:
    for model in ("digits", "translator"):
        yield model, txviz.trace(model, find(model).example)
    yield "12×197×197 attention", _large()


def _large() -> Trace:
    """The attention of a ViT-Base on an image of 224×224."""
    rng = np.random.default_rng(0)
    run = Run({}, dtype="float32")
    with run.at(block="attention"):
        scores = run.given("scores", rng.normal(size=(12, 197, 197)).astype("float32"), axes="head query key")
        scaled = run(ops.scale, "scaled", scores, base=64, exponent=-0.5, axes="head query key")
        step = run(ops.softmax, "weights", scaled, axes="head query key")
    return Trace(run.steps, {"model": "vit", "input": "", "options": {}}, step)


def _stepping(app: QApplication, window: Window, name: str, trace: Trace) -> Iterator[Result]:
    """Key press to painted, over painting the same figure with QPainter alone: of each step the quickest of several
    walks, since now and then another program is given the core."""
    window.session.show_trace(trace, None)

    def walk() -> list[tuple[float, float]]:
        window.session.go_to(0)
        _settle(app)
        return [
            (
                _timed(lambda: (QTest.keyClick(window.stage, Qt.Key.Key_Right), app.processEvents())),
                _timed(lambda: _draw(window)),
            )
            for _ in range(len(trace) - 1)
        ]

    walk()  # sets the formulas
    steps, drawing = np.min([walk() for _ in range(3 if len(trace) > 20 else 30)], axis=0).T
    for label, share in (("median", 50), ("99th percentile", 99)):
        took, plain = np.percentile(steps, share), np.percentile(drawing, share)
        yield Result(f"window: next step / drawing alone, {label}: {name}", float(took / plain), "×")
        yield Result(f"window: next step, {label}: {name}", float(took * 1000), "ms", {50: 16.0, 99: 33.0}[share])


def _deep_traces() -> Iterator[tuple[str, Trace]]:
    yield "translator", txviz.trace("translator", find("translator").example)
    block = Block(d_model=96, heads=12, d_ff=192, norm="pre", activation="gelu_erf")
    config = SentenceEncoder(block, layers=12, vocabulary=50, longest=20)
    run = Run(initialise(shapes(config), seed=0))
    tokens = run.given("tokens", np.arange(16), axes="token", labels={"token": tuple(f"word {i}" for i in range(16))})
    step = forward(run, config, tokens)
    yield "12 layers", Trace(run.steps, {"model": "deep", "input": "", "options": {}}, step)


def _levels(app: QApplication, window: Window, name: str, trace: Trace) -> Iterator[Result]:
    """Key press to painted: to the map, one level out or in, and the next step while the map is in sight."""
    session = window.session
    session.show_trace(trace, None)
    places = [round(i) for i in np.linspace(0, len(trace) - 1, 25)]

    def pressed(key: Qt.Key) -> float:
        return _timed(lambda: (QTest.keyClick(window.area.shown, key), app.processEvents()))

    opening: list[float] = []
    moving: list[float] = []
    for _ in range(2):  # the first time sets the formulas
        opening.clear()
        moving.clear()
        for place in places:
            session.go_to(place)
            session.show_node(session.step.name)
            _settle(app)
            opening.append(pressed(Qt.Key.Key_M))
            pressed(Qt.Key.Key_M)
            while session.node.name:
                moving.append(pressed(Qt.Key.Key_Backspace))
            while not session.shows_step:
                moving.append(pressed(Qt.Key.Key_Return))
    yield Result(f"window: open the map, median: {name}", median(opening) * 1000, "ms", 16.0)
    yield Result(f"window: one level out or in, median: {name}", median(moving) * 1000, "ms", 16.0)
    session.go_to(0)
    session.show_node("")
    _settle(app)
    steps = [pressed(Qt.Key.Key_Right) for _ in range(min(len(trace) - 1, 300))]
    for label, share, target in (("median", 50, 16.0), ("99th percentile", 99, 33.0)):
        took = float(np.percentile(steps, share)) * 1000
        yield Result(f"window: next step with the map in sight, {label}: {name}", took, "ms", target)
    session.show_node(session.step.name)


def _pictures() -> Iterator[tuple[str, str, str, Trace]]:
    """What is opened, as which kind of picture, of which node."""
    learning = txviz.trace("translator", find("translator").example, target="ti amo molto")
    yield "the training picture: translator", "training", "", learning
    yield "the mask: translator", "mask", "decoder.1.self_attention", learning
    beam = txviz.trace("translator", BEAM_EXAMPLE, strategy="beam", length_penalty=0.6)
    yield "the beam tree: translator", "beams", "time", beam
    sampled = txviz.trace("translator", find("translator").example, strategy="sample", temperature=1.5, top_k=5)
    yield "the decoding board: translator", "decoding", "time", sampled
    digits = txviz.trace("digits", find("digits").example)
    yield "the answer after each layer: digits", "lens", "", digits
    yield "all heads: digits", "heads", "", digits
    yield "the parts of the score: digits", "parts", "", digits
    yield "attention on the image: digits", "seeing", "", digits
    yield "the cost: digits", "cost", "", digits
    yield "words that are alike: translator", "words", "embed", sampled
    yield "positions: translator", "positions", "embed", sampled


def _opening(app: QApplication, window: Window, name: str, kind: str, node: str, trace: Trace) -> Result:
    """Key press to painted: V, from another picture of the same node to this one."""
    session = window.session
    session.show_trace(trace, None)
    steps = trace.outline.find(node).steps
    took: list[float] = []
    for step in steps[:: max(1, len(steps) // 25)]:
        session.go_to(step.name)
        session.show_node(node)
        session.choose_picture(next(other for other in session.node.pictures if other != kind))
        while session.picture != kind:
            _settle(app)
            last = _timed(lambda: (QTest.keyClick(window.area.shown, Qt.Key.Key_V), app.processEvents()))
        took.append(last)
    session.show_node(session.step.name)
    return Result(name, median(took) * 1000, "ms", 16.0)


def _compared_traces() -> Iterator[tuple[str, Trace, Trace]]:
    digits, translator = find("digits").examples, find("translator").examples
    yield "digits", txviz.trace("digits", digits[0]), txviz.trace("digits", digits[3])
    yield "translator", txviz.trace("translator", translator[0]), txviz.trace("translator", translator[1])


def _comparing(app: QApplication, window: Window, name: str, first: Trace, second: Trace) -> Iterator[Result]:
    """Key press to painted while two runs are side by side: the next step, and the map of both."""
    session = window.session
    session.show_trace(second, None)
    session.show_node(session.step.name)
    session.compared.keep(first)
    steps: list[float] = []
    opening: list[float] = []

    def pressed(key: Qt.Key) -> float:
        return _timed(lambda: (QTest.keyClick(window.area.shown, key), app.processEvents()))

    for _ in range(2):  # the first walk measures texts
        session.go_to(0)
        _settle(app)
        steps = [pressed(Qt.Key.Key_Right) for _ in range(min(len(second) - 1, 100))]
        opening.clear()
        for place in np.linspace(0, len(second) - 1, 15).round().astype(int).tolist():
            session.go_to(place)
            _settle(app)
            opening.append(pressed(Qt.Key.Key_M))
            pressed(Qt.Key.Key_M)
    session.compared.keep(None)
    yield Result(f"window: next step side by side, median: {name}", median(steps) * 1000, "ms", 16.0)
    yield Result(f"window: open the map of two runs, median: {name}", median(opening) * 1000, "ms", 16.0)


def _sliding(app: QApplication, window: Window) -> Result:
    """A slider above the decoding board moves: the run is computed anew in its thread, and the board painted. Up to a
    temperature of 1, where the sentence is as long as usual."""
    request = Request("translator", find("translator").example, {"strategy": "sample", "temperature": 1.5})
    window.input.show_request(request)
    window.session.show_trace(compute(request), request)
    window.session.go_to(len(window.session.trace) - 1)
    window.session.show_node("time")
    _settle(app, 1.0)
    control = window.controls.controls["temperature"]
    assert isinstance(control, SliderControl)

    waiting = QEventLoop()  # which leaves Python to the thread that computes
    window.session.trace_changed.connect(waiting.quit)

    def move(place: int) -> None:
        control.slider.setValue(place)
        waiting.exec()
        app.processEvents()

    took = []
    for place in range(-60, 1, 2):
        took.append(_timed(partial(move, place)))
        _settle(app)
    return Result("window: a slider of the decoding board, median: translator", median(took) * 1000, "ms", 16.0, BOARD)


def _draw(window: Window) -> None:
    pixmap = QPixmap(window.stage.viewport().size())
    painter = QPainter(pixmap)
    paint(painter, window.stage.stage.figure.marks)
    painter.end()


def _timed(call: Callable[[], object]) -> float:
    start = perf_counter()
    call()
    return perf_counter() - start


def _hovering(app: QApplication, window: Window) -> Iterator[Result]:
    window.session.show_trace(txviz.trace("digits", find("digits").example), None)
    window.session.go_to("encoder.0.attention.scores")
    window.session.show_node(window.session.step.name)
    _settle(app, 0.3)
    panel = window.stage.stage.panels[-1]
    spots = [
        QPoint(round(panel.x + (j + 0.5) * panel.cell_width), round(panel.y + (i + 0.5) * panel.cell_height))
        for i in range(10)
        for j in range(10)
    ]
    view = window.stage.viewport()

    def point_at(spot: QPoint) -> None:
        QTest.mouseMove(view, spot)
        app.processEvents()

    times = np.min([[_timed(partial(point_at, spot)) for spot in spots] for _ in range(3)], axis=0).tolist()
    drawing = [min(_timed(lambda: _draw(window)) for _ in range(3)) for _ in range(20)]
    yield Result("window: hover to highlight / drawing alone, median", median(times) / median(drawing), "×")
    yield Result("window: hover to highlight, median", median(times) * 1000, "ms")


def _growth(app: QApplication, window: Window) -> Result:
    """Memory after ten walks over all steps of all models, over that after one."""
    traces = [txviz.trace(model, find(model).example) for model in txviz.models()]

    def walk() -> None:
        for trace in traces:
            window.session.show_trace(trace, None)
            for position in range(len(trace)):
                window.session.go_to(position)
                app.processEvents()

    walk()
    before = _memory()
    for _ in range(9):
        walk()
    return Result("window: memory after ten walks / after one", _memory() / before, "×", 1.05)


def _memory() -> int:
    """Resident pages of this process."""
    return int(Path("/proc/self/statm").read_text().split()[1])
