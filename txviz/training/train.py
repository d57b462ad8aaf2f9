"""Training a model from the start, and writing its folder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

from txviz.errors import TxvizError
from txviz.files import check_room
from txviz.models.registry import TRAINED, find
from txviz.nets.parameters import initialise
from txviz.trace.machine import one_thread
from txviz.training.course import Course
from txviz.training.trainer import Progress, Trainer, train


def course(name: str, folder: Path | None = None) -> Course[Any]:
    """How the model of this name learns; with a folder, it reads and writes there. Each has a module of its name."""
    if name not in TRAINED:
        find(name)  # which says so, where there is no such model at all
        raise TxvizError(f"{name} is not trained; those that are: {', '.join(TRAINED)}")
    model: Any = type(find(name))
    made: Course[Any] = import_module(f"{__package__}.{name}").COURSE(model(name, folder), name)
    return made


def train_model(
    learning: Course[Any], report: Callable[[Progress], None], steps: int | None = None
) -> dict[str, float]:
    """Trains, writes the model's folder and returns its held-out figures. Ctrl+C stops and keeps the best so far."""
    recipe = learning.recipe if steps is None else replace(learning.recipe, steps=steps)
    folder = learning.make_folder()
    with one_thread():
        config, words = learning.blueprint()
        start = initialise(learning.model.shapes(config), recipe.seed, dtype="float32")
        check_room(folder, sum(value.nbytes for value in start.values()))
        trainer = Trainer(start, recipe, lambda run, batch: learning.loss(run, config, batch, recipe.smoothing))
        best, lowest, minutes = trainer.parameters, float("inf"), 0.0
        try:
            for progress in train(trainer, learning.batches(words, recipe)):
                report(progress)
                minutes = progress.seconds / 60
                if progress.loss < lowest:
                    best, lowest = trainer.parameters, progress.loss
        except KeyboardInterrupt:
            pass
        figures = learning.measure(best, config, words)
        learning.save({**learning.contents(config, words, best), **learning.card(figures, best, minutes)})
    return figures
