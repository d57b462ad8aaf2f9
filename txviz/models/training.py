"""Training a shipped model again, from its data and its seed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from txviz.errors import TxvizError
from txviz.models.registry import TRAINED, find
from txviz.models.trained import TrainedModel
from txviz.nets.training import Progress, Trainer, train


def trainable(name: str, folder: Path | None) -> TrainedModel:
    """A trained model that reads and writes in ``folder``."""
    found = find(name)
    if not isinstance(found, TrainedModel):
        raise TxvizError(f"{name} is not trained; those that are: {', '.join(TRAINED)}")
    return type(found)(folder)


def train_model(model: TrainedModel, report: Callable[[Progress], None], steps: int | None = None) -> dict[str, float]:
    """Trains, writes the model's folder and returns its held-out figures. Ctrl+C stops and keeps the best so far.

    One thread does the matrix products: they are too small to share, and the same order of sums gives the same bits.
    """
    from threadpoolctl import threadpool_limits  # needed only here

    recipe = model.recipe if steps is None else replace(model.recipe, steps=steps)
    with threadpool_limits(1):
        config, vocabulary = model.blueprint()
        trainer = Trainer(
            model.fresh(config, recipe.seed),
            recipe,
            lambda run, batch: model.loss(run, config, batch, recipe.smoothing),
        )
        best, lowest, minutes = trainer.parameters, float("inf"), 0.0
        try:
            for progress in train(trainer, model.batches(config, vocabulary, recipe)):
                report(progress)
                minutes = progress.seconds / 60
                if progress.loss < lowest:
                    best, lowest = trainer.parameters, progress.loss
        except KeyboardInterrupt:
            pass
        model.save(config, vocabulary, best)
        figures = model.measure(best, config, vocabulary)
        model.save_card(figures, best, minutes)
    return figures
