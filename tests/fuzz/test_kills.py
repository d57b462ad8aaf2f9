"""A few kills of every writer; and that a writer which is not careful is found out."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from tests.fuzz.kills import TARGETS, Target, try_target

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="kill -9 is of Unix")


@pytest.mark.parametrize(("targets", "kills"), [(set(TARGETS) - {"model"}, 40), ({"model"}, 4)], ids=["files", "model"])
def test_what_a_killed_writer_leaves_is_whole(targets: set[str], kills: int) -> None:
    command = [sys.executable, "-m", "tests.fuzz.kills", "--seed", "0", "--kills", str(kills), *sorted(targets)]
    found = subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parents[2], check=False)
    assert found.returncode == 0, found.stdout + found.stderr
    assert found.stdout.count("; 0 wrong") == len(targets)
    assert "killed, old" in found.stdout


def careless(folder: Path, version: int) -> None:
    """Half of it, and then the other half."""
    for mode in ("w", "a"):
        with (folder / "it").open(mode) as file:
            file.write(str(version) * 1000)


def one_by_one(folder: Path, version: int) -> None:
    """Each file by itself is whole, but not all of them together."""
    for name in ("a", "b", "c"):
        (folder / f"{name}.new").write_text(str(version))
        (folder / f"{name}.new").replace(folder / name)


def read(folder: Path) -> object:
    return {path.name: path.read_text() for path in folder.iterdir() if path.suffix != ".new"}


@pytest.mark.parametrize("write", [careless, one_by_one])
def test_a_writer_that_is_not_careful_is_found_out(write: object) -> None:
    assert callable(write)
    _, problems = try_target(Target(write, read), 20, Random(0))
    assert problems
