"""Measuring two things against each other, and reporting."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from time import perf_counter, sleep

import numpy as np
from threadpoolctl import threadpool_info

from txviz.ops import Array
from txviz.trace import Step

REST = 0.1
"""Seconds after which the threads of a library that has nothing to do no longer turn on a core, waiting for work."""


@dataclass(frozen=True)
class Result:
    name: str
    value: float
    unit: str
    target: float | None = None
    """At most this, where there is one."""

    reason: str = ""
    """Why it may be more, where that is known."""

    @property
    def ok(self) -> bool:
        return self.target is None or self.value <= self.target


def seconds(call: Callable[[], object], times: int) -> float:
    start = perf_counter()
    for _ in range(times):
        call()
    return (perf_counter() - start) / times


def ratio(one: Callable[[], object], other: Callable[[], object], times: int = 1, rounds: int = 15) -> float:
    """How much longer ``one`` takes than ``other``: the median over rounds that measure both, turn about."""
    seconds(one, times), seconds(other, times)
    found = []
    for i in range(rounds):
        pair = (one, other) if i % 2 else (other, one)
        took = {call: seconds(call, times) for call in pair}
        found.append(took[one] / took[other])
    return median(found)


def ratio_of_best(one: Callable[[], object], other: Callable[[], object], rounds: int = 21, times: int = 1) -> float:
    """The quickest of many runs of ``one`` over the quickest of ``other``, turn about: for what takes many times
    as long whenever another program is given one of the cores."""
    took = [(_quickest(one, times), _quickest(other, times)) for _ in range(rounds)]
    return min(ours for ours, _ in took) / min(theirs for _, theirs in took)


def _quickest(call: Callable[[], object], times: int) -> float:
    """Of so many runs, after one that does not count and wakes the threads up: those of the library that had its turn
    before would still be waiting for work, on a core that this one needs."""
    sleep(REST)
    call()
    return min(seconds(call, 1) for _ in range(times))


def compiled() -> dict[str, str]:
    """The environment of a process whose start is measured: its modules are compiled once and kept, as those of every
    installed package are, even where this process runs without. Else the compiler would be measured."""
    kept = Path("build/compiled").resolve()
    return {**os.environ, "PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(kept)}


def products_of(steps: Iterable[Step]) -> Callable[[], None]:
    """A function that does the matrix products of these steps and nothing else."""
    pairs = [_pair(step) for step in steps if step.op in ("linear", "matmul", "matmul_left")]

    def products() -> None:
        for a, b in pairs:
            a @ b

    return products


def _pair(step: Step) -> tuple[Array, Array]:
    a, b = step.operands[:2]
    if step.op == "matmul_left":
        if step.params.get("shared"):
            a, b = a.reshape(-1, a.shape[-1]), b.reshape(-1, b.shape[-1])
        return np.swapaxes(a, -1, -2), b
    return a, np.swapaxes(b, -1, -2) if step.params.get("transpose") else b


def kernels() -> str:
    """What does the matrix products, on which many of the numbers depend."""
    pools = (pool for pool in threadpool_info() if pool["user_api"] == "blas")
    return ", ".join(f"{pool['internal_api']} {pool['version']}, {pool['architecture']} kernels" for pool in pools)


def _verdict(result: Result) -> str:
    if result.target is None:
        return ""
    missed = f"missed: {result.reason}" if result.reason else "missed"
    return f"  (target ≤ {result.target:g}: {'ok' if result.ok else missed})"


def report(results: list[Result], path: Path) -> None:
    print(f"NumPy {np.__version__}; {kernels()}")
    width = max((len(result.name) for result in results), default=0)
    for result in results:
        print(f"{result.name:<{width}}  {result.value:8.3f} {result.unit}{_verdict(result)}")
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps([{**asdict(result), "ok": result.ok} for result in results], indent=2) + "\n")
