"""make kills: a writer is killed at any moment, and what it was writing is as it was before, or new, and whole.

A moment is a time, or the n-th time that the writer opens, moves or removes a file: nothing changes between those.
make kills SEED=3 N=100 ARGS="state model" takes another seed, fewer kills, some of the targets.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, NoReturn

from threadpoolctl import threadpool_limits

import txviz
from txviz.figures.export import Export, export
from txviz.figures.lecture import write_lecture
from txviz.figures.settings import Settings
from txviz.files import LEFT_BEHIND, finish
from txviz.gui import saved_state
from txviz.models import find, registry
from txviz.training.train import course, train_model

EVENTS = ("open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.chmod")
"""What Python tells of before it does it; see the documentation of ``sys.addaudithook``."""

SENTENCES = ("The cat sat.", "A dog sleeps.")


class Target(NamedTuple):
    write: Callable[[Path, int], object]
    """Writes version 0 or version 1 into a folder."""

    read: Callable[[Path], object]
    """What the folder holds, as the program that wants it next reads it; an exception where it is not whole."""


@cache
def _traced(version: int) -> txviz.Trace:
    return txviz.trace("sentence-guide", SENTENCES[version])


def _save_trace(folder: Path, version: int) -> None:
    _traced(version).save(folder / "it.safetensors")


def _save_compact(folder: Path, version: int) -> None:
    _traced(version).save(folder / "it.safetensors", compact=True)


def _read_trace(folder: Path) -> object:
    found = txviz.load(folder / "it.safetensors")
    return found.about["input"], [step.value.tobytes() for step in found], found.verify()


def _export_one(folder: Path, version: int) -> None:
    made = _traced(version)
    export(Export(made, made.find("*.scores"), "svg"), folder / "it.svg")


def _export_many(folder: Path, version: int) -> None:
    made = _traced(version)
    export(Export(made, made.find("encoder.0.attention.*"), "csv"), folder)


SHORT: dict[str, Any] = {"seconds": 0.1, "frames": 2.0, "resolution": 0.1}


def _film(folder: Path, version: int) -> None:
    """With its subtitles."""
    made = _traced(version)
    export(Export(made, made.find("*.scores"), "mp4", **SHORT), folder / "it.mp4")


def _worksheet(folder: Path, version: int) -> None:
    made = _traced(version)
    export(Export(made, made.find("*.scores"), "pdf", worksheet="cells"), folder / "it.pdf")


def _lecture(folder: Path, version: int) -> None:
    write_lecture(_traced(version), folder, Settings(**SHORT))


def _read_many(folder: Path) -> object:
    """Nobody reads figures but their user, so it is the next export that finishes what was begun."""
    finish(folder)
    return _read_files(folder)


def _read_files(folder: Path) -> object:
    return {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.startswith(".")}


def _save_state(folder: Path, version: int) -> None:
    saved_state.save(folder / "state.json", {"step": f"encoder.{version}", "recent": ["x" * 1000 * (version + 1)]})


def _read_state(folder: Path) -> object:
    remembered, problem = saved_state.load(folder / "state.json")
    if problem:
        raise ValueError(problem)
    return remembered


def _train(folder: Path, version: int) -> None:
    """One or two steps of training, and so other weights, figures and another card."""
    train_model(course("digits", folder), lambda _: None, steps=1 + version)


def _read_model(folder: Path) -> object:
    registry.forget()
    made = txviz.trace(str(folder), find("digits").example)
    said = (folder / "figures.json").read_bytes(), (folder / "card.md").read_bytes().split(b"minutes")[1]
    return [step.value.tobytes() for step in made], said


TARGETS = {
    "trace": Target(_save_trace, _read_trace),
    "compact": Target(_save_compact, _read_trace),
    "one": Target(_export_one, _read_files),
    "many": Target(_export_many, _read_many),
    "film": Target(_film, _read_many),
    "worksheet": Target(_worksheet, _read_files),
    "lecture": Target(_lecture, _read_many),
    "state": Target(_save_state, _read_state),
    "model": Target(_train, _read_model),
}


class Kill(NamedTuple):
    """When: after some seconds, or before the n-th event."""

    seconds: float = 0.0
    event: int = 0


NEVER = Kill()
FAILED = 255


def write_and_kill(target: Target, folder: Path, version: int, when: Kill) -> int:
    """Writes in another process, which is killed: -9, or the number of events where it had come to its end before."""
    with warnings.catch_warnings(action="ignore", category=DeprecationWarning):
        child = os.fork()  # Python warns where there are threads; ours belong to NumPy, and wait
    if child == 0:
        _write(target, folder, version, when)
    if when.seconds:
        time.sleep(when.seconds)
        os.kill(child, signal.SIGKILL)
    ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if ended == FAILED:
        raise ValueError("writing failed, and nobody was killed")
    return ended


def _write(target: Target, folder: Path, version: int, when: Kill) -> NoReturn:
    """The other process."""
    counted, code = 0, FAILED

    def count(event: str, _: tuple[Any, ...]) -> None:
        nonlocal counted
        if event in EVENTS:
            counted += 1
            if counted == when.event:
                os.kill(os.getpid(), signal.SIGKILL)

    try:
        sys.addaudithook(count)
        target.write(folder, version)
        code = min(counted, FAILED - 1)
    finally:
        os._exit(code)


def try_target(target: Target, kills: int, rng: Random) -> tuple[Counter[str], list[str]]:
    """How often the old or the new was found after a kill, and everything that should not be."""
    counts, problems = Counter[str](), list[str]()
    with tempfile.TemporaryDirectory() as root:
        whole = [_written(target, Path(root, str(version)), version) for version in (0, 1)]
        seconds, events = _measured(target, Path(root, "measured"))
        for number in range(kills):
            folder, old = Path(root, f"kill {number}"), rng.choice((None, 0, 1))
            new = 1 - old if old is not None else rng.choice((0, 1))
            when = Kill(event=rng.randint(1, events)) if rng.random() < 0.7 else Kill(seconds=rng.random() * seconds)
            try:
                counts[_outcome(target, folder, old, new, when, whole)] += 1
            except Exception as error:
                problems.append(f"{when}, from {old} to {new}: {type(error).__name__}: {error}")
    return counts, problems


def _written(target: Target, folder: Path, version: int) -> object:
    """What is read where nobody was killed; writing twice gives the same."""
    folder.mkdir()
    target.write(folder, version)
    return target.read(folder)


def _measured(target: Target, folder: Path) -> tuple[float, int]:
    """How long writing takes, and how many events it has."""
    folder.mkdir()
    target.write(folder, 0)
    started = time.monotonic()
    events = write_and_kill(target, folder, 1, NEVER)
    return time.monotonic() - started, events


def _outcome(target: Target, folder: Path, old: int | None, new: int, when: Kill, whole: Sequence[object]) -> str:
    """Old, new or nothing at all, where nothing was; and no trace of the killed one after the next write."""
    folder.mkdir()
    if old is not None:
        target.write(folder, old)
    died = write_and_kill(target, folder, new, when) < 0
    found = _found(target, folder, old, whole)
    for path in folder.iterdir():
        os.utime(path, (time.time() - 2 * LEFT_BEHIND,) * 2)
    target.write(folder, new)
    left = [path.name for path in folder.iterdir() if path.name.startswith(".")]
    if target.read(folder) != whole[new] or left:
        raise ValueError(f"after the next write there is still {', '.join(left) or 'something else'}")
    return f"{'killed' if died else 'too late'}, {'new' if found == new else 'old' if found == old else 'nothing'}"


def _found(target: Target, folder: Path, old: int | None, whole: Sequence[object]) -> int | None:
    """Which version there is."""
    names = [path.name for path in folder.iterdir() if not path.name.startswith(".")]
    if old is None and not names:
        return None
    found = target.read(folder)
    if found not in whole:
        raise ValueError("neither the old nor the new")
    return whole.index(found)


def main() -> int:
    parser = argparse.ArgumentParser(prog="make kills", description=__doc__)
    parser.add_argument("targets", nargs="*", default=[*TARGETS], metavar="TARGET", help=", ".join(TARGETS))
    parser.add_argument("--seed", type=int, default=int(time.time()), help="the same kills again (default: the time)")
    parser.add_argument("--kills", type=int, default=500, help="of all targets together (default: %(default)s)")
    chosen = parser.parse_args()
    print(f"seed {chosen.seed}", flush=True)
    with threadpool_limits(1):
        return report({name: TARGETS[name] for name in chosen.targets}, chosen.kills, chosen.seed)


def report(targets: Mapping[str, Target], kills: int, seed: int) -> int:
    wrong = 0
    for name, target in targets.items():
        counts, problems = try_target(target, kills // len(targets), Random(f"{name} {seed}"))
        told = ", ".join(f"{what} {count}" for what, count in sorted(counts.items()))
        print(f"{name:<6} {told}; {len(problems)} wrong", *problems[:10], sep="\n  ", flush=True)
        wrong += len(problems)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
