"""make fuzz: the corpus, then fresh cases.

make fuzz SEED=3 N=1000 ARGS="trace state" takes another seed, fewer cases, some of the kinds.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterable
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
    whole = sum(DOORS[kind].share for kind in chosen.kinds)
    counts = {kind: round(chosen.cases * DOORS[kind].share / whole) for kind in chosen.kinds}
    cases = [case for kind, count in counts.items() for case in fresh(kind, chosen.seed, count)]
    return report(attempts([*corpus(chosen.kinds), *cases], DOORS))


def report(results: Iterable[Tried]) -> int:
    """Tells what is found as it is found, keeps it, and sums up."""
    started, tried, refused, found = time.monotonic(), Counter[str](), Counter[str](), Counter[str]()
    known: set[str] = set()
    for case, was_refused, problem in results:
        tried[case.kind] += 1
        refused[case.kind] += was_refused
        found[case.kind] += bool(problem)
        if problem and problem.splitlines()[-1] not in known:
            known.add(problem.splitlines()[-1])
            told = f"\n{case.kind} {case.name}: {problem}\n{_keep(case)}"
            print(told.encode(errors="backslashreplace").decode(), flush=True)
    for kind, count in tried.items():
        print(f"{kind:<8} {count:>7,} cases  {refused[kind]:>7,} refused  {found[kind]:>3} found", flush=True)
    print(f"{sum(tried.values()):,} cases in {time.monotonic() - started:.0f} s, {sum(found.values())} found")
    return 1 if found.total() else 0


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
