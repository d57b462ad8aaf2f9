"""Shared by all tests: hypothesis without deadlines (machines differ), and one trace of each model's example."""

from __future__ import annotations

import shutil
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from threadpoolctl import threadpool_limits

import txviz
from txviz import resources
from txviz.models import find, registry

settings.register_profile("txviz", deadline=None, derandomize=True, print_blob=False)
settings.load_profile("txviz")

threadpool_limits(1)  # small matrices are quicker on one thread, and the tests don't fight over the cores


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """In one line, what was left out and what it would need."""
    skipped = Counter(report.longrepr[2] for report in terminalreporter.stats.get("skipped", ()))
    if skipped:
        reasons = (f"{count} ({reason.removeprefix('Skipped: ')})" for reason, count in skipped.most_common())
        terminalreporter.write_line(f"Not run: {', '.join(reasons)}.")


@pytest.fixture(scope="session", params=txviz.models())
def example(request: pytest.FixtureRequest) -> txviz.Trace:
    """The trace of each shipped model's example."""
    return txviz.trace(request.param, find(request.param).example)


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Copies of the models' folders, to be damaged."""
    root = tmp_path / "resources"
    root.mkdir()
    for folder in resources.path().iterdir():
        shutil.copytree(folder, root / folder.name) if folder.name == "models" else (root / folder.name).symlink_to(
            folder
        )
    monkeypatch.setattr(resources, "_ROOTS", (root,))
    registry.forget()
    yield root / "models"
    registry.forget()


PLUGIN = """
from txviz import resources
from txviz.models.digits import Digits
from txviz.models.options import Number, Switch

class Again(Digits):
    options = {**Digits.options, "temperature": Number(1.0, 0.1, 5.0), "two_eyes": Switch()}

def make():
    return Again("digits-again", resources.path("models", "digits"))

def broken():
    raise RuntimeError("no weights here")

class Half:
    name = title = summary = example = "half"
    examples = ("half",)
"""


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A package that offers two models: one with options of its own, and one that can't be loaded."""
    (tmp_path / "some_models.py").write_text(PLUGIN)
    info = tmp_path / "some_models-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: some-models\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[txviz.models]\ndigits-again = some_models:make\nno-digits = some_models:broken\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    registry._installed.cache_clear()
    registry.forget()
    yield
    registry._installed.cache_clear()
    registry.forget()
    sys.modules.pop("some_models", None)
