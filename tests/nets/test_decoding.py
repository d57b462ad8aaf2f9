"""Every way to decode: against brute force, against each other, and against the softmax it samples from."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest

from tests.nets.architectures import SOURCE, WORDS, block, given_tokens, lively
from txviz import ops
from txviz.nets import translator, writer
from txviz.nets.attention import Cache
from txviz.nets.decoding import NextLogits, Strategy, Written, last, write
from txviz.trace import Run, Step, Trace

START, END = 1, 2


class Model:
    """A small net with random weights that can go on with a sentence."""

    def __init__(self, kind: str, vocabulary: int = len(WORDS), seed: int = 1) -> None:
        self.kind, words = kind, WORDS[:vocabulary]
        if kind == "translator":
            self.config: Any = translator.Translator(block(), 1, 2, words, 30)
            self.parameters = lively(translator.shapes(self.config))
        else:
            self.config = writer.Writer(block(norm="pre"), 2, words, 30, positions="sinusoidal")
            self.parameters = lively(writer.shapes(self.config))
        rng = np.random.default_rng(seed)
        self.parameters = {name: value + 0.4 * rng.normal(size=value.shape) for name, value in self.parameters.items()}

    def next_logits(self, run: Run) -> NextLogits:
        memory: Step | None = None
        masks: Sequence[Step] = ()
        if self.kind == "translator":
            ids = SOURCE % len(self.config.vocabulary)
            memory, masks = translator.encode(run, self.config, given_tokens(run, "tokens", ids))

        def next_logits(run: Run, tokens: tuple[int, ...], cache: Cache | None) -> Step:
            start = cache.advance(len(tokens)) if cache else 0
            ids = np.array(tokens[start:])
            if memory is None:
                logits = writer.forward(run, self.config, given_tokens(run, "tokens", ids), cache, start)
            else:
                given = given_tokens(run, "tokens", ids, part="decoder")
                logits = translator.decode(run, self.config, given, memory, masks, cache, start)
            return last(run, logits)

        return next_logits

    def write(self, **strategy: Any) -> tuple[Written, Trace]:
        run = Run(self.parameters)
        written = write(run, self.next_logits(run), (START,), END, Strategy(**strategy))
        return written, Trace(run.steps, {}, run.steps[-1])

    def log_probability(self, tokens: tuple[int, ...]) -> float:
        """Of the tokens after the start, computed in one pass."""
        run = Run(self.parameters)
        following = self.next_logits(run)
        total = 0.0
        for i, token in enumerate(tokens):
            with run.at(time=i):
                total += float(np.log(ops.softmax.compute(following(run, (START, *tokens[:i]), None).value)[token]))
        return total


@pytest.fixture(params=["translator", "writer"])
def model(request: pytest.FixtureRequest) -> Model:
    return Model(request.param)


@pytest.mark.parametrize("kind", ["translator", "writer"])
@pytest.mark.parametrize("seed", range(3))
def test_a_beam_as_wide_as_the_search_space_finds_the_best(kind: str, seed: int) -> None:
    small, length = Model(kind, vocabulary=4, seed=seed), 4
    ended = [s for n in range(length) for s in product((0, 1, 3), repeat=n)]
    everything = [(*s, END) for s in ended] + list(product((0, 1, 3), repeat=length))
    likely = {sentence: small.log_probability(sentence) for sentence in everything}
    for penalty in (0.0, 1.5):
        best = max(everything, key=lambda sentence: likely[sentence] / len(sentence) ** penalty)
        written, _ = small.write(strategy="beam", beam_width=len(everything), max_steps=length, length_penalty=penalty)
        assert written.tokens == best
        assert written.log_probability == pytest.approx(likely[best])


def test_a_beam_of_one_is_greedy(model: Model) -> None:
    greedy, _ = model.write(max_steps=8)
    narrow, _ = model.write(strategy="beam", beam_width=1, max_steps=8)
    assert narrow.tokens == greedy.tokens
    assert narrow.log_probability == pytest.approx(greedy.log_probability)
    assert greedy.log_probability == pytest.approx(model.log_probability(greedy.tokens))


def test_top_1_and_a_cold_draw_are_greedy(model: Model) -> None:
    greedy, _ = model.write(max_steps=8)
    for seed in range(5):
        assert model.write(strategy="sample", top_k=1, max_steps=8, seed=seed)[0].tokens == greedy.tokens
        assert model.write(strategy="sample", temperature=0.01, max_steps=8, seed=seed)[0].tokens == greedy.tokens


@pytest.mark.parametrize("settings", [{}, {"temperature": 2.0}, {"top_k": 4}, {"top_p": 0.8}], ids=str)
def test_sampling_matches_the_softmax(settings: dict[str, Any]) -> None:
    draws, logits = 4000, np.random.default_rng(0).normal(size=9)

    def next_logits(run: Run, tokens: tuple[int, ...], cache: Cache | None) -> Step:
        with run.at(part="head"):
            return run.given("last", logits, axes="vocabulary")

    counts = np.zeros(len(logits))
    for seed in range(draws):
        run = Run({})
        strategy = Strategy("sample", max_steps=1, seed=seed, **settings)
        counts[write(run, next_logits, (START,), END, strategy).tokens[0]] += 1
    likely = next(step for step in run.steps if step.name == "time.1.head.probabilities").value
    possible = likely > 0
    assert (counts[~possible] == 0).all()
    expected = draws * likely[possible]
    chi_square = ((counts[possible] - expected) ** 2 / expected).sum()
    assert chi_square < 26  # at most 8 degrees of freedom: beyond 26 in one of a thousand


def test_what_sampling_does_to_the_logits_is_recorded(model: Model) -> None:
    _, trace = model.write(strategy="sample", temperature=0.5, top_k=3, top_p=0.9, max_steps=1)
    logits, tempered = trace["time.1.head.last"].value, trace["time.1.head.tempered"].value
    np.testing.assert_allclose(tempered, logits / 0.5)
    assert np.isfinite(trace["time.1.head.top_k"].value).sum() == 3
    assert trace["time.1.choice.token"].op == "draw"
    assert 0 <= trace["time.1.choice.chance"].value < 1
    assert trace.verify() == []


def test_the_same_seed_draws_the_same(model: Model) -> None:
    one, two = (model.write(strategy="sample", seed=7, max_steps=8)[0] for _ in range(2))
    assert one == two


@pytest.mark.parametrize("strategy", ["greedy", "beam", "sample"])
def test_a_cache_changes_no_number(model: Model, strategy: str) -> None:
    plain, trace = model.write(strategy=strategy, max_steps=8, seed=3)
    cached, short = model.write(strategy=strategy, max_steps=8, seed=3, cache=True)
    assert cached.tokens == plain.tokens
    assert cached.log_probability == pytest.approx(plain.log_probability, abs=1e-12)
    for step in short.find("*.head.last"):
        np.testing.assert_allclose(step.value, trace[step.name].value, atol=1e-12)
    assert short.verify() == []


def test_a_cache_computes_each_key_once(model: Model) -> None:
    _, trace = model.write(max_steps=6, cache=True)
    last = max(int(step.name.split(".")[1]) for step in trace.find("time.*"))
    name = f"time.{last}.decoder.0.self_attention"
    assert last > 1
    assert trace[f"{name}.key"].value.shape[1] == 1
    assert trace[f"{name}.keys"].value.shape[1] == last
    assert trace[f"{name}.weights"].axes == ("head", "query", "key")
    assert len(trace[f"{name}.weights"].labels[2]) == last
    if model.kind == "translator":
        key: object = f"time.{last}.decoder.0.cross_attention.key"  # no step itself, but a trace knows names, too
        assert key not in trace


def test_every_time_step_is_there(model: Model) -> None:
    written, trace = model.write(max_steps=6)
    for time in range(1, len(written.tokens) + 1):
        prefix = f"time.{time}."
        tokens = trace[prefix + ("decoder.tokens" if model.kind == "translator" else "tokens")]
        assert len(tokens.value) == time
        assert trace[prefix + "decoder.0.self_attention.masked"].value.shape[1:] == (time, time)
        assert int(trace[prefix + "choice.token"].value) == written.tokens[time - 1]
        assert trace[prefix + "choice.probability"].value == trace[prefix + "head.probabilities"].value.max()
    assert trace.verify() == []


def test_a_beam_tells_what_became_of_every_hypothesis(model: Model) -> None:
    written, trace = model.write(strategy="beam", beam_width=3, max_steps=6)
    for told in written.hypotheses:
        assert told.log_probability == pytest.approx(model.log_probability(told.tokens))
        if told.time > 1:
            parents = [h for h in written.hypotheses if h.time == told.time - 1 and h.state != "dropped"]
            assert told.parent is not None
            parent = parents[told.parent]
            assert told.tokens == parent.tokens or told.tokens[:-1] == parent.tokens
        assert (told.state == "finished") <= (told.tokens[-1] == END)
    times = {told.time for told in written.hypotheses}
    for time in times:
        kept = [h.score for h in written.hypotheses if h.time == time and h.state != "dropped"]
        dropped = [h.score for h in written.hypotheses if h.time == time and h.state == "dropped"]
        assert len(kept) <= 3
        assert min(kept) >= max(dropped, default=-np.inf)
    assert trace["time.1.beam.0.choice.totals"].op == "add"
    assert trace.verify() == []


def test_a_length_penalty_favours_longer_sentences() -> None:
    model = Model("writer", seed=3)
    short, _ = model.write(strategy="beam", beam_width=8, max_steps=10)
    long, _ = model.write(strategy="beam", beam_width=8, max_steps=10, length_penalty=3.0)
    assert len(long.tokens) >= len(short.tokens)


@pytest.mark.parametrize("penalty", [0.5, 1.0, 2.0])
def test_every_score_counts_all_tokens_that_were_written(penalty: float) -> None:
    """The end token is one of them; a finished sentence keeps its score for as long as it stays in the race."""
    likely = np.array([0.1, 0.2, 0.4, 0.3])

    def next_logits(run: Run, tokens: tuple[int, ...], cache: Cache | None) -> Step:
        with run.at(part="head"):
            return run.given("last", np.log(likely), axes="vocabulary")

    strategy = Strategy("beam", beam_width=6, length_penalty=penalty, max_steps=4)
    written = write(Run({}), next_logits, (START, 0, 0), END, strategy)
    for told in written.hypotheses:
        total = float(np.log(likely[list(told.tokens)]).sum())
        assert told.score == pytest.approx(total / len(told.tokens) ** penalty)
    assert [told.time for told in written.hypotheses if told.tokens == (END,)][:2] == [1, 2]
    best = max((told for told in written.hypotheses if told.time == 4), key=lambda told: told.score)
    assert written.tokens == best.tokens


def test_it_stops_at_the_end_or_at_the_longest(model: Model) -> None:
    for steps in (1, 3, 9):
        written, _ = model.write(max_steps=steps)
        assert written.tokens[-1] == END or len(written.tokens) == steps
        assert END not in written.tokens[:-1]


def test_untraced_decoding_is_the_same(model: Model) -> None:
    _, trace = model.write(max_steps=4)
    run = Run(model.parameters, record=False)
    written = write(run, model.next_logits(run), (START,), END, Strategy(max_steps=4))
    assert [int(step.value) for step in trace.find("*.choice.token")] == list(written.tokens)
