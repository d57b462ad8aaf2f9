"""Puts each mutant into a copy of the project and runs its tests there: ``python -m tests.mutants [part of a name]…``.

The tests must pass in the copy as it is, and one of them must fail with the mutant. Two run at a time.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory

from tests.mutants import ROOT, Mutant, mutants

COPIED = ("txviz", "tests", "resources", "scripts", "pyproject.toml", "Makefile", "README.md", "CONTRIBUTING.md")
AT_ONCE = 2
PATIENCE = 600
"""Seconds; tests that take longer hang."""

PASSED, FAILED = 0, 1
"""What pytest ends with. With other numbers it found no tests, or could not import them: then a row is wrong."""


def main(words: Sequence[str]) -> int:
    every = mutants()
    chosen = [mutant for mutant in every if not words or any(word.lower() in _about(mutant) for word in words)]
    if not chosen:
        print(f"no mutant is called {' or '.join(words)}; there are {len(every)}", file=sys.stderr)
        return 2
    with TemporaryDirectory(prefix="txviz-mutants-") as scratch:
        copies: SimpleQueue[Path] = SimpleQueue()
        for i in range(AT_ONCE):
            copies.put(_copy(Path(scratch, str(i))))
        tests = list(dict.fromkeys(mutant.tests for mutant in chosen))
        print(f"{len(chosen)} mutants; first the tests as they are, in {len(tests)} parts", flush=True)
        with ThreadPoolExecutor(AT_ONCE) as workers:
            broken = [said for said in workers.map(lambda each: _sound(copies, each), tests) if said]
            if broken:
                print(*broken, sep="\n", file=sys.stderr)
                return 1
            verdicts = []
            for mutant, verdict in zip(chosen, workers.map(lambda mutant: _judge(copies, mutant), chosen), strict=True):
                print(f"{verdict:<9} {mutant.name} ({mutant.file})", flush=True)
                verdicts.append(verdict)
    caught = sum(verdict in ("caught", "hangs", "crashes") for verdict in verdicts)
    print(f"\n{caught} of {len(verdicts)} mutants are caught")
    return 0 if caught == len(verdicts) else 1


def _about(mutant: Mutant) -> str:
    return f"{mutant.name} {mutant.file}".lower()


def _copy(to: Path) -> Path:
    """The project as it is here, committed or not; never the project itself."""
    to.mkdir()
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, to / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(source, to / name)
    return to


@contextmanager
def _borrowed(copies: SimpleQueue[Path]) -> Iterator[Path]:
    copy = copies.get()
    try:
        yield copy
    finally:
        copies.put(copy)


def _sound(copies: SimpleQueue[Path], tests: str) -> str:
    """A sentence unless the tests pass without a mutant."""
    with _borrowed(copies) as copy:
        code = _run(copy, tests)
    return "" if code == PASSED else f"without any mutant, pytest ends with {code}: {tests}"


def _judge(copies: SimpleQueue[Path], mutant: Mutant) -> str:
    with _borrowed(copies) as copy:
        file = copy / mutant.path
        before = file.read_text("utf-8")
        changed = mutant.applied(before)
        if changed is None:
            return "NOT FOUND"
        file.write_text(changed, "utf-8")
        try:
            code = _run(copy, mutant.tests)
        finally:
            file.write_text(before, "utf-8")
    return _verdict(code)


def _verdict(code: int | None) -> str:
    if code is None:
        return "hangs"
    if code < 0:
        return "crashes"
    return {PASSED: "SURVIVED", FAILED: "caught"}.get(code, "BROKEN")


def _run(copy: Path, tests: str) -> int | None:
    """What pytest ends with; None where it does not end."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(copy),
        "PYTHONDONTWRITEBYTECODE": "1",
        "QT_QPA_PLATFORM": "offscreen",
    }
    command = [sys.executable, "-m", "pytest", "-x", "-q", "--no-header", "-p", "no:cacheprovider", *shlex.split(tests)]
    try:
        done = subprocess.run(
            command, cwd=copy / "tests", env=environment, capture_output=True, timeout=PATIENCE, check=False
        )
    except subprocess.TimeoutExpired:
        return None
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
