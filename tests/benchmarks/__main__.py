from pathlib import Path

from tests.benchmarks import engine, learning
from tests.benchmarks.measure import report

report([*engine.results(), *learning.results()], Path("build/bench.json"))
