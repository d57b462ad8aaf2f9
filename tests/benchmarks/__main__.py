from pathlib import Path

from tests.benchmarks import engine
from tests.benchmarks.measure import report

report(list(engine.results()), Path("build/bench.json"))
