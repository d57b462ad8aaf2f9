"""make fuzz: the corpus, then fresh cases.

make fuzz SEED=3 N=1000 ARGS="trace state" takes another seed, fewer cases, some of the kinds.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

from tests.fuzz.doors import DOORS
from tests.fuzz.runner import CORPUS, Case, Tried, attempts, corpus, fresh

FOUND = Path("build", "fuzz")


def main() -> int:
    parser = argparse.ArgumentParser(prog="make fuzz", description=__doc__)
    parser.add_argument("kinds", nargs="*", default=[*DOORS], metavar="KIND", help=", ".join(DOORS))
    parser.add_argument("--seed", type=int, default=int(time.time()), help="the same cases again (default: the time)")
    parser.add_argument("--cases", type=int, default=100_000, help="of all kinds together (default: %(default)s)")
    chosen = parser.parse_args()
    print(f"seed {chosen.seed}", flush=True)
    started = time.monotonic()
    results = attempts(list(_cases(chosen.kinds, chosen.cases, chosen.seed)), DOORS)
    counts = [report(kind, tried) for kind, tried in groupby(results, key=lambda tried: tried.case.kind)]
    tried, found = map(sum, zip(*counts, strict=True))
    print(f"{tried:,} cases in {time.monotonic() - started:.0f} s, {found} found")
    return 1 if found else 0


def _cases(kinds: Iterable[str], count: int, seed: int) -> Iterator[Case]:
    whole = sum(DOORS[kind].share for kind in kinds)
    for kind in kinds:
        yield from corpus(kind)
        yield from fresh(kind, seed, max(1, round(count * DOORS[kind].share / whole)))


def report(kind: str, results: Iterable[Tried]) -> tuple[int, int]:
    """Tells what is found as it is found, each thing once, and sums up: how many cases, and in how many something."""
    started, count, refused, known, found = time.monotonic(), 0, 0, set[tuple[str, ...]](), 0
    for tried in results:
        count += 1
        refused += tried.refused
        found += bool(tried.problem)
        what = kind_of(tried.problem)
        if tried.problem and what not in known:
            known.add(what)
            told = f"\n{kind} {tried.case.name}: {tried.problem}\n{_keep(tried.case)}"
            print(told.encode(errors="backslashreplace").decode(), flush=True)
    each = (time.monotonic() - started) / count * 1000
    print(f"{kind:<8} {count:>7,} cases  {refused:>7,} refused  {each:>6.1f} ms each  {found:>3} found", flush=True)
    return count, found


def kind_of(problem: str) -> tuple[str, ...]:
    """What tells one finding from another: how it begins and ends, without numbers, and where in txviz it was."""
    ends = problem.splitlines()[:1] + problem.splitlines()[-1:]
    ours = re.findall(r'/txviz/(\S+)", line \d+, in (\w+)', problem)[-1:]
    return *(re.sub(r"\d+", "", end) for end in ends), *(word for place in ours for word in place)


def _keep(case: Case) -> str:
    """Writes the case to a file, and says how it stays in the corpus."""
    if case.number < 0:
        return f"(in {CORPUS.name})"
    path = FOUND / case.kind / case.name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(case.content(DOORS))
    return f"when it is mended, keep it: mv {path} {Path('tests', 'fuzz', 'corpus', case.kind)}/WHAT-IT-IS"


if __name__ == "__main__":
    sys.exit(main())
