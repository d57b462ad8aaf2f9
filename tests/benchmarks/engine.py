"""What recording costs, what the engine costs beside its matrix products, and what importing txviz costs."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

import numpy as np

from tests.benchmarks.measure import Result, compiled, products_of, ratio
from txviz.models import find
from txviz.models.options import read_options
from txviz.models.registry import SHIPPED, TRAINED
from txviz.models.request import Request, compute
from txviz.models.tracing import keep_freed_memory
from txviz.nets import sentence_encoder
from txviz.nets.blocks import Block
from txviz.nets.parameters import initialise
from txviz.ops import Array
from txviz.trace import Run
from txviz.trace.standing import WordList

RELU = Block(d_model=384, heads=12, d_ff=1536)
TOKENS = np.arange(128)
LAST_LAYER = [
    ("digits", "encoder.1.residual_2[0,0]=1"),
    ("digits", "encoder.1.attention.weights[0,0,0]=1"),
    ("translator", "time.4.decoder.1.residual_3[0,0]=1"),
    ("translator", "time.4.decoder.1.self_attention.weights[0,0,0]=1"),
]


SMALL = "much of so small a model lies behind its last layer's weights"
MODULES = "what is more is our own modules, and dataclasses"


def results() -> Iterator[Result]:
    keep_freed_memory()
    for name in (name for name in SHIPPED if name not in TRAINED):
        model = find(name)
        prepared = model.prepare(model.example, read_options(name, model.options, {}))
        yield _recording(name, prepared.parameters, prepared.forward, "float64", times=200)
    as_in_paper, gelu = _encoder(RELU), _encoder(replace(RELU, activation="gelu_tanh"))
    yield _recording("6×384 encoder, 128 tokens", *as_in_paper, "float32", times=1)
    products = "untraced / its matrix products: 6×384 encoder"
    yield Result(f"{products}, ReLU as in the paper", _beside_products(*as_in_paper), "×", 1.6)
    yield Result(f"{products}, GELU", _beside_products(*gelu), "×")
    for name, edit in LAST_LAYER:
        yield Result(
            f"edited in the last layer / the whole run: {name}, {edit}", _downstream(name, edit), "×", 0.5, SMALL
        )
    yield Result("a word found among 250,000 / their probabilities sorted", _search_ratio(), "×", 1.0)
    yield Result("import txviz / import numpy", _import_ratio(), "×", 1.4, MODULES)


def _encoder(block: Block) -> tuple[dict[str, Array], Callable[[Run], object]]:
    config = sentence_encoder.SentenceEncoder(block, layers=6, vocabulary=1000, longest=128)
    parameters = initialise(sentence_encoder.shapes(config), seed=0, dtype="float32")
    return parameters, lambda run: sentence_encoder.forward(run, config, run.given("tokens", TOKENS, axes="token"))


def _recording(
    name: str, parameters: Mapping[str, Array], forward: Callable[[Run], object], dtype: str, times: int
) -> Result:
    kept: list[Run] = []

    def traced() -> None:
        """The last trace stays until the next is there, as it does in the window: its memory is then used again."""
        run = Run(parameters, dtype=dtype)
        forward(run)
        kept[:] = [run]

    def untraced() -> None:
        forward(Run(parameters, dtype=dtype, record=False))

    return Result(f"traced / untraced: {name}", ratio(traced, untraced, times), "×", 1.25)


def _beside_products(parameters: Mapping[str, Array], forward: Callable[[Run], object]) -> float:
    """A model untraced, over nothing but the matrix products that its trace has."""
    run = Run(parameters, dtype="float32")
    forward(run)

    def untraced() -> None:
        forward(Run(parameters, dtype="float32", record=False))

    return ratio(untraced, products_of(run.steps))


def _downstream(model: str, edit: str) -> float:
    """An edited run that takes over what the run without edits has, over one that computes all of it."""
    request = Request(model, find(model).example, edits=(edit,))
    plain = compute(replace(request, edits=()))
    return ratio(lambda: compute(request, known=plain), lambda: compute(request), times=10, rounds=31)


def _search_ratio() -> float:
    """Made-up words of the letters that are frequent; the likeliest come first."""
    drawn = np.random.default_rng(0)
    letters, weights = drawn.choice(list("etaoinsrhldc"), (250_000, 6)), drawn.random(250_000)
    words = WordList(["".join(row) for row in letters])
    return ratio(lambda: words.find("cat", weights), lambda: np.argsort(-weights, kind="stable"))


def _import_ratio() -> float:
    def importing(module: str) -> Callable[[], object]:
        return lambda: subprocess.run([sys.executable, "-c", f"import {module}"], check=True, env=compiled())

    return ratio(importing("txviz"), importing("numpy"), rounds=11)
