"""Training that is watched is the training of the command line, step by step."""

from __future__ import annotations

from errno import ENOSPC
from io import BytesIO
from itertools import islice
from multiprocessing import Pipe
from os import strerror
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest

import txviz
from txviz.errors import NO_MEMORY, TxvizError
from txviz.models import find
from txviz.models.registry import lend
from txviz.models.trained import TrainedModel
from txviz.nets.parameters import initialise
from txviz.trace.machine import one_thread
from txviz.training import worker
from txviz.training.lesson import Lesson, Plan
from txviz.training.train import course, train_model
from txviz.training.trainer import Progress, Trainer


def test_it_learns_what_the_command_line_learns() -> None:
    """The same weights, bit for bit, after the same steps."""
    learning = course("digits")
    config, words = learning.blueprint()
    start = initialise(learning.model.shapes(config), 0, dtype="float32")
    trainer = Trainer(start, learning.recipe, lambda run, batch: learning.loss(run, config, batch, 0.0))
    with one_thread():
        wanted = [trainer.learn(batch) for batch in islice(learning.batches(words, learning.recipe), 3)]
        lesson = Lesson(Plan("digits"))
        assert [lesson.learn() for _ in range(3)] == wanted
    assert lesson.step == 3
    for name, value in trainer.parameters.items():
        assert (lesson.parameters[name] == value).all()


def test_a_plan_can_start_elsewhere_and_go_another_way() -> None:
    shipped, other = Lesson(Plan("digits", shipped=True)), Lesson(Plan("digits", seed=1, rate=0.5, optimiser="sgd"))
    assert shipped.glance() > 0.95
    assert other.glance() < 0.5
    assert (other.recipe.rate, other.recipe.optimiser, other.recipe.seed) == (0.5, "sgd", 1)
    model = find("digits")
    assert isinstance(model, TrainedModel)
    assert (shipped.parameters["head.weight"] == model.parameters["head.weight"].astype("float32")).all()


def test_what_is_kept_opens_again(tmp_path: Path) -> None:
    lesson = Lesson(Plan("digits"))
    lesson.learn()
    lesson.keep(tmp_path / "mine")
    trace = txviz.trace(str(tmp_path / "mine"), find("digits").example)
    weight = next(source for source in trace["head.logits"].sources if source.name == "head.weight")
    assert np.allclose(weight.value, lesson.parameters["head.weight"])
    assert "1 steps of" in (tmp_path / "mine" / "card.md").read_text("utf-8")
    with pytest.raises(TxvizError, match=r"can't write .*: File name too long"):
        lesson.keep(tmp_path / ("x" * 300))
    with pytest.raises(TxvizError, match="is there already"):
        lesson.keep(tmp_path / "mine")


def test_a_model_that_learns_goes_by_its_name_for_a_while() -> None:
    model = find("digits")
    assert isinstance(model, TrainedModel)
    other = model.with_parameters({name: value * 0 for name, value in model.parameters.items()}, "in training, step 1")
    before = txviz.trace("digits", model.example)
    lend("digits", other)
    try:
        during = txviz.trace("digits", model.example)
    finally:
        lend("digits", None)
    assert during["head.probabilities"].value == pytest.approx(np.full(10, 0.1))
    assert during.about["title"].endswith("(in training, step 1)")
    assert (txviz.trace("digits", model.example)["head.logits"].value == before["head.logits"].value).all()


@pytest.mark.parametrize("error", [MemoryError(), TxvizError(NO_MEMORY)])
def test_what_ends_the_training_is_told(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(plan: Plan) -> Lesson:
        raise error

    monkeypatch.setattr(worker, "Lesson", fails)
    here, there = Pipe()
    worker.work(there, Plan("digits"))
    assert here.recv() == worker.Failed(NO_MEMORY)


def test_a_full_disk_is_told_before_anything_is_learnt(tmp_path: Path) -> None:
    class Full(BytesIO):
        def write(self, _: object) -> int:
            raise OSError(ENOSPC, strerror(ENOSPC))

    told: list[Progress] = []
    with patch("tempfile.TemporaryFile", lambda **_: Full()), pytest.raises(TxvizError, match="No space left"):
        train_model(course("digits", tmp_path / "new"), told.append, steps=3)
    assert told == []
