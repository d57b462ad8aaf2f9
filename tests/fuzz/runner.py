"""Tries cases in a process of its own, so that a hang, a crash or a flood of memory is a finding like any other."""

from __future__ import annotations

import os
import resource
import signal
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from shutil import rmtree
from typing import NamedTuple

from txviz import TxvizError

CORPUS = Path(__file__).parent / "corpus"
BATCH = 2000
"""Cases after which a new process goes on."""

LONGEST_SENTENCE = 600
GRACE = 180
"""Seconds by the clock that pass, after those that a door may take, before a process that does not answer is ended: it
has to start, and others may want the processor, too."""


class Door(NamedTuple):
    make: Callable[[Random], bytes]
    """A case: a good one that is changed, or one that is bad by design. Always bytes, as in a file."""

    enter: Callable[[bytes], object]
    """Tries it in an empty folder: returns, or raises a ``TxvizError``."""

    share: float
    """Of all cases, in hundredths."""

    seconds: float = 20
    megabytes: int = 700
    """The most that a case may take: of the processor's time, and of the whole process's memory."""


class Case(NamedTuple):
    """One of the corpus, or one that comes from a seed and a number."""

    kind: str
    name: str
    seed: int = 0
    number: int = -1

    def content(self, doors: Mapping[str, Door]) -> bytes:
        if self.number < 0:
            return (CORPUS / self.kind / self.name).read_bytes()
        return doors[self.kind].make(Random(f"{self.kind} {self.seed} {self.number}"))


class Tried(NamedTuple):
    case: Case
    refused: bool = False
    problem: str = ""
    """What must not be; nothing where all is well."""


class TooLongError(BaseException):
    """Not an ``Exception``: nobody on the way is to take it for one of the usual errors."""


def corpus(kind: str) -> list[Case]:
    return [Case(kind, path.name) for path in sorted((CORPUS / kind).glob("*"))]


def fresh(kind: str, seed: int, count: int) -> list[Case]:
    return [Case(kind, f"{seed}-{number}", seed, number) for number in range(count)]


def attempts(wanted: Sequence[Case], doors: Mapping[str, Door]) -> Iterator[Tried]:
    """What came of each case, in order."""
    left = list(wanted)
    while left:
        done = 0
        for tried in _batch(left[:BATCH], doors):
            done += 1
            yield tried
        left = left[done:]


def _batch(wanted: Sequence[Case], doors: Mapping[str, Door]) -> Iterator[Tried]:
    """As many as one process lives through; one that dies or hangs does so in the case that it had begun."""
    context = get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_work, args=(wanted, doors, theirs), daemon=True)
    process.start()
    theirs.close()
    for case in wanted:
        try:
            if not ours.poll(doors[case.kind].seconds + GRACE):
                process.kill()
                yield Tried(case, problem="hangs, and had to be killed")
                break
            tried: Tried = ours.recv()
        except EOFError:
            process.join()
            yield Tried(case, problem=f"the process died with exit code {process.exitcode}")
            break
        yield tried
        if tried.problem:
            break  # what went wrong once may have left something behind
    process.kill()
    process.join()
    ours.close()


def _work(wanted: Sequence[Case], doors: Mapping[str, Door], results: Connection) -> None:
    """The other process: a folder of its own, and neither a screen nor a home."""
    with tempfile.TemporaryDirectory() as root:
        here = Path(root, "in", "some", "folder")  # a path with dots in it stays inside
        os.environ |= {"HOME": root, "XDG_CONFIG_HOME": root, "XDG_STATE_HOME": root, "QT_QPA_PLATFORM": "offscreen"}
        signal.signal(signal.SIGPROF, _stop)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with suppress(BrokenPipeError), _stderr(Path(root, "stderr")) as said:
            for case in wanted:
                here.mkdir(parents=True)
                os.chdir(here)
                tried = attempt(case, doors)
                told = said()
                results.send(tried if tried.problem or not told else tried._replace(problem=f"writes: {told}"))
                os.chdir(root)
                rmtree(here)


@contextmanager
def _stderr(path: Path) -> Iterator[Callable[[], str]]:
    """What has come to stderr since the last call, from Python or from below it."""
    with path.open("w+b", buffering=0) as file:
        os.dup2(file.fileno(), sys.stderr.fileno())

        def since() -> str:
            file.seek(0)
            told = file.read().decode(errors="replace")
            file.truncate(0)
            file.seek(0)
            return told.strip()

        yield since


def _stop(*_: object) -> None:
    raise TooLongError


def attempt(case: Case, doors: Mapping[str, Door]) -> Tried:
    """Tries one case in the folder that this process is in."""
    door, refused = doors[case.kind], False
    given = case.content(doors)
    try:
        with warnings.catch_warnings(record=True) as warned, _bounded(door):
            warnings.simplefilter("always")
            warnings.simplefilter("ignore", DeprecationWarning)  # as Python does by itself
            door.enter(given)
    except TxvizError as error:
        refused, problem = True, _unfit(str(error))
    except TooLongError:
        return Tried(case, problem=f"takes more than {door.seconds:g} seconds\n{_where()}")
    except BaseException:
        return Tried(case, problem=_where())
    else:
        problem = ""
    if warned:
        problem = f"{warned[0].category.__name__}: {warned[0].message} ({warned[0].filename}:{warned[0].lineno})"
    peak = _peak()
    if peak > door.megabytes:
        problem = f"takes {peak} MB, more than {door.megabytes}"
    return Tried(case, refused, problem)


def _peak() -> int:
    """Megabytes, at the most so far. On Linux of this program alone: what is told of a process begins with the most
    that the process had which started it."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) // 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // (2**20 if sys.platform == "darwin" else 2**10)


@contextmanager
def _bounded(door: Door) -> Iterator[None]:
    signal.setitimer(signal.ITIMER_PROF, door.seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _unfit(sentence: str) -> str:
    """What is wrong with a refusal: it is one line of a sensible length that every terminal can show."""
    if "\n" in sentence or len(sentence) > LONGEST_SENTENCE or not sentence.strip():
        return f"the refusal is not one sentence: {sentence[:LONGEST_SENTENCE]!r}"
    return ""


def _where() -> str:
    """The end of the traceback that is being handled."""
    return "".join(traceback.format_exc(limit=-6))[-3000:]
