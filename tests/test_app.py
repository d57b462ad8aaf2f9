"""The folder that runs without Python does what the program does. ``make app`` runs this; other tests leave it out."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

import txviz
from txviz.figures.formats import FORMATS

APP = os.environ.get("TXVIZ_APP", "")
CHECKPOINTS = Path(__file__).parent / "reference" / "checkpoints"

pytestmark = pytest.mark.skipif(not APP, reason="run by make app, on what it makes")


def run(home: Path, *arguments: str) -> str:
    """With nothing of this machine's Python in reach."""
    environment = {"HOME": str(home), "PATH": "", "LC_ALL": "C.UTF-8"}
    done = subprocess.run([APP, *arguments], env=environment, cwd=home, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout


def test_it_says_its_version_and_commit(tmp_path: Path) -> None:
    found = re.fullmatch(rf"txviz {re.escape(txviz.__version__)} \(commit ([0-9a-f]+)\)\n", run(tmp_path, "--version"))
    assert found


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_is_written(name: str, tmp_path: Path) -> None:
    steps = ("--steps", "encoder.0.attention.weights")
    run(tmp_path, "export", "sentence-guide", "The cat sat.", *steps, "--format", name, "-o", "figures/")
    written = [path for path in (tmp_path / "figures").iterdir() if path.stat().st_size > 20]
    assert any(path.name.endswith(name) for path in written)


def test_it_computes_what_the_package_computes(tmp_path: Path) -> None:
    run(tmp_path, "trace", "translator", "the cat sleeps", "-o", "cat.safetensors")
    mine, other = txviz.trace("translator", "the cat sleeps"), txviz.load(tmp_path / "cat.safetensors")
    assert other.output == mine.output
    assert [step.name for step in other] == [step.name for step in mine]
    assert "bit for bit" in run(tmp_path, "verify", "cat.safetensors")


def test_it_opens_checkpoints(tmp_path: Path) -> None:
    said = run(tmp_path, "show", str(CHECKPOINTS / "gpt2"), "the cat", "--step", "*.weights")
    assert f"output: {txviz.trace(str(CHECKPOINTS / 'gpt2'), 'the cat').output}" in said


def test_it_trains_and_makes_lectures(tmp_path: Path) -> None:
    assert "written to" in run(tmp_path, "train", "digits", "--steps", "5", "-o", "digits")
    run(tmp_path, "lecture", "sentence-guide", "The cat sat.", "--seconds", "0.5", "-o", "lecture")
    assert {path.suffix for path in (tmp_path / "lecture").iterdir()} >= {".pptx", ".pdf", ".html", ".mp4"}


def test_licences_of_all_that_ships_lie_beside_it(tmp_path: Path) -> None:
    text = Path(APP).with_name("LICENCES.txt").read_text("utf-8")
    shipped = {path.name.partition("-")[0].lower() for path in Path(APP).parent.glob("_internal/*.dist-info")}
    titles = {line.lower().replace("-", "_") for line in text.splitlines()}
    assert shipped
    assert [name for name in shipped if not any(title.startswith(f"{name} ") for title in titles)] == []


def test_the_desktop_starts_the_app(tmp_path: Path) -> None:
    run(tmp_path, "install-desktop")
    entry = (tmp_path / ".local" / "share" / "applications" / "txviz.desktop").read_text("utf-8")
    assert f'Exec="{APP}" open %f' in entry
