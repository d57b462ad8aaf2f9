"""The pictures of docs/, each made by the command that stands beside it. Started by: make guide."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
import tempfile
from pathlib import Path

from txviz.cli import main

ROOT = Path(__file__).parents[1]
CHECKPOINT = ROOT / "tests" / "reference" / "checkpoints" / "gpt2"


def commands(page: Path) -> list[list[str]]:
    """What a reader would type: the lines of blocks that are marked as ``sh``."""
    blocks = re.findall(r"```sh\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
    return [shlex.split(line) for block in blocks for line in block.splitlines()]


def pictures(page: Path) -> list[str]:
    return re.findall(r"\]\(pictures/([\w.-]+)\)", page.read_text("utf-8"))


def opens_window(command: list[str]) -> bool:
    return command[1:2] in ([], ["open"], ["--model"])


def run_page(page: Path, folder: Path) -> None:
    """All its commands, in an empty folder with a checkpoint in it."""
    (folder / "gpt2").symlink_to(CHECKPOINT)
    os.chdir(folder)
    for command in commands(page):
        if not opens_window(command) and main(command[1:]):
            raise SystemExit(f"{page.name}: {shlex.join(command)} fails")


if __name__ == "__main__":
    for each in sorted((ROOT / "docs").glob("*.md")):
        with tempfile.TemporaryDirectory() as made:
            run_page(each, Path(made))
            for name in pictures(each):
                shutil.copy(Path(made, name), ROOT / "docs" / "pictures" / name)
            os.chdir(ROOT)
    sys.exit(0)
