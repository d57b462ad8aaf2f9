"""The pictures of the README: the real window on a (virtual) screen, in three places, and three figures that the
command line makes. Started by: make screenshots."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QApplication

from txviz.cli import main
from txviz.gui.app import make_application, make_window
from txviz.models import find

FOLDER = Path(__file__).parent.parent / "resources" / "screenshots"
SHOTS: list[dict[str, Any]] = [
    {
        "name": "scores", "model": "sentence-guide", "step": "encoder.0.attention.scores", "cell": (0, 2, 4),
        "theme": "light", "plot": "Attention",
    },
    {
        "name": "digits", "model": "digits", "example": 3, "step": "encoder.1.attention.weights", "cell": (1, 0, 5),
        "theme": "dark", "plot": "Attention",
    },
    {
        "name": "translator", "model": "translator", "step": "time.3.decoder.1.cross_attention.weights",
        "cell": (1, 2, 5), "theme": "light", "plot": "Softmax",
    },
]  # fmt: skip

FIGURES = {
    "map": ("The house is big", "--view", "map", "--text-size", "8", "--resolution", "1.5"),
    "board": ("I love you very much", "--view", "decoding", "--resolution", "1"),
    "beams": (
        "<fr> He did not help me", "--strategy", "beam", "--length-penalty", "0.6", "--view", "beams",
        "--resolution", "1",
    ),
}  # fmt: skip
"""Of the translator: what it reads, and what is asked of the command line."""


def shoot(app: QApplication, shot: dict[str, Any], size: tuple[int, int]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        state = Path(folder) / "state.json"
        source = find(shot["model"]).examples[shot.get("example", 0)]
        request = {"model": shot["model"], "source": source, "options": {}}
        place = list(shot["cell"][:1])
        remembered = {"step": shot["step"], "place": place, "theme": shot["theme"], "plot": shot["plot"]}
        state.write_text(json.dumps({"version": 1, "request": request, **remembered}))
        window = make_window(state)
        window.resize(*size)
        window.show()
        settle(app, 1.5)
        window.session.pin(shot["cell"])
        settle(app, 0.5)
        path = FOLDER / f"{shot['name']}.png"
        window.screen().grabWindow(window.winId()).save(str(path), quality=0)
        window.close()
    print(path.relative_to(FOLDER.parent.parent), path.stat().st_size // 1024, "KB")


def draw(name: str, words: Sequence[str]) -> None:
    main(["export", "translator", *words, "--width", "1280", "--height", "720", "-o", str(FOLDER / f"{name}.png")])


def settle(app: QApplication, seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        app.processEvents()
        time.sleep(0.01)


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    application = make_application()
    wide, high = (int(n) for n in (sys.argv[1] if len(sys.argv) > 1 else "1280x800").split("x"))
    for each in SHOTS:
        shoot(application, each, (wide, high))
    for called, asked in FIGURES.items():
        draw(called, asked)
