"""make bench: all of them, or those that are named: make bench ARGS=window."""

import sys
from importlib import import_module
from pathlib import Path

from tests.benchmarks.measure import report

ALL = "engine learning window editing watching export large against_torch learning_against_torch"
chosen = sys.argv[1:] or ALL.split()
results = [result for name in chosen for result in import_module(f"tests.benchmarks.{name}").results()]
report(results, Path("build/bench.json"))
