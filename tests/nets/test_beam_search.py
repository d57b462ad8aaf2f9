"""What a beam keeps, against brute force from its own steps; and that choosing is part of the trace."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import txviz
from tests.nets.test_decoding import END, START, Model
from txviz import Trace, TxvizError
from txviz.nets.attention import Cache
from txviz.nets.decoding import Strategy, Written, write
from txviz.trace import Run, Step
from txviz.training.translator import BEAM_EXAMPLE

RUNS: list[tuple[str, str, dict[str, Any]]] = [
    ("translator", BEAM_EXAMPLE, {}),
    ("translator", BEAM_EXAMPLE, {"beam_width": 3, "length_penalty": 0.6}),
    ("translator", BEAM_EXAMPLE, {"beam_width": 9, "length_penalty": 2.0, "cache": True}),
    ("writer", "tom found a map", {"beam_width": 5, "length_penalty": 1.0, "max_steps": 7}),
]


def by_brute_force(trace: Trace, time: int, ended: dict[int, int], penalty: float) -> list[tuple[float, int, int]]:
    """Every continuation of every hypothesis at a time step, as (score, hypothesis, token), the best first.

    ``ended`` has the lengths of those that are finished: they are one candidate each, as they are.
    """
    found = []
    for beam in range(sum(step.site.time == time for step in trace.find("*.choice.totals"))):
        totals = trace[f"time.{time}.beam.{beam}.choice.totals"].value
        length = ended.get(beam, time)
        for token, total in enumerate(totals.tolist()):
            if total > -np.inf:
                found.append((total / length**penalty, beam, token))
    return sorted(found, key=lambda each: (-each[0], each[1], each[2]))


@pytest.mark.parametrize(("model", "text", "options"), RUNS, ids=[str(run[2]) for run in RUNS])
def test_what_is_kept_is_the_best_of_all(model: str, text: str, options: dict[str, Any]) -> None:
    trace = txviz.trace(model, text, strategy="beam", **options)
    width, penalty = options.get("beam_width", 4), options.get("length_penalty", 0.0)
    told, ended = trace.about["hypotheses"], dict[int, int]()
    for time in range(1, max(each["time"] for each in told) + 1):
        best = by_brute_force(trace, time, ended, penalty)
        here = f"time.{time}.search."
        assert trace[here + "ranked"].value.tolist() == [[beam, token] for _, beam, token in best[: 2 * width]]
        assert trace[here + "ranked_scores"].value.ravel().tolist() == [score for score, _, _ in best[: 2 * width]]
        kept = trace[here + "kept"].value.tolist()
        assert kept == [[beam, token] for _, beam, token in best[:width]]
        considered = [each for each in told if each["time"] == time]
        assert [each["score"] for each in considered] == [score for score, _, _ in best[: 2 * width]]
        totals = [float(trace[f"time.{time}.beam.{beam}.choice.totals"].value[token]) for beam, token in kept]
        assert [each["log_probability"] for each in considered[:width]] == totals
        assert trace[here + "kept_totals"].value.ravel().tolist() == totals
        ended = {i: len(each["tokens"]) for i, each in enumerate(considered[:width]) if each["tokens"][-1] == "<EOS>"}
    assert trace.about["log_probability"] == max(considered[:width], key=lambda each: each["score"])["log_probability"]


def test_equal_scores_go_by_hypothesis_then_by_token() -> None:
    written, trace = by_table({}, beam_width=3, max_steps=2)
    assert trace["time.1.search.kept"].value.tolist() == [[0, 0], [0, 1], [0, 2]]
    # of all that can follow, only the end adds nothing to a sentence that has it already
    assert trace["time.2.search.kept"].value.tolist() == [[2, END], [0, 0], [0, 1]]
    assert written.tokens == (END,)


def by_table(likely: dict[tuple[int, ...], list[float]], **strategy: Any) -> tuple[Written, Trace]:
    """A beam over four tokens whose probabilities after each beginning are given; even where they are not."""

    def next_logits(run: Run, tokens: tuple[int, ...], cache: Cache | None) -> Step:
        with run.at(part="head"):
            logits = np.log(likely.get(tokens[1:], [0.25] * 4))
            return run.given("last", logits, axes="vocabulary", labels={"vocabulary": ("a", "b", "<EOS>", "c")})

    run = Run({})
    written = write(run, next_logits, (START,), END, Strategy("beam", **strategy))
    return written, Trace(run.steps, {}, run.steps[-1])


def test_a_search_can_be_replayed_and_explained() -> None:
    trace = txviz.trace("translator", BEAM_EXAMPLE, strategy="beam", length_penalty=0.6)
    assert trace.verify() == []
    scores = trace["time.2.search.scores"]
    (row, column) = trace["time.2.search.kept"].value[1]
    cell = scores.explain((int(row), int(column)))
    assert cell.text == "−1.086 / 2^0.6 ≈ −0.7162"
    assert cell.reads == {"time.2.search.totals": [(row, column)], "time.2.search.lengths": [(row, 0)]}
    assert scores.labels[0] == ("il", "le", "elle", "un")
    assert trace["time.2.search.ranked_scores"].labels[0][:3] == ("il n'", "il ne", "il non")
    assert trace["time.3.beam.1.choice.so_far"].inputs == ("time.2.search.kept_totals",)


def test_only_a_beam_searches() -> None:
    for strategy in ("greedy", "sample"):
        assert not txviz.trace("translator", "I love you", strategy=strategy).find("*search*")


def test_a_finished_sentence_stays_as_it_is() -> None:
    trace = txviz.trace("translator", BEAM_EXAMPLE, strategy="beam")
    words = trace["time.7.search.totals"].labels[-1]
    for beam in (2, 3):  # at time step 6 two sentences were finished
        row = trace[f"time.7.beam.{beam}.choice.totals"].value
        (token,) = np.flatnonzero(row > -np.inf)
        assert words[token] == "<EOS>"
        assert row[token] == trace["time.6.search.kept_totals"].value[beam, 0]
        assert trace["time.7.search.lengths"].value[beam, 0] == trace["time.6.search.lengths"].value[beam, 0]
        assert f"time.7.beam.{beam}.head.probabilities" not in [step.name for step in trace]


def test_another_choice_by_hand_goes_on_from_there() -> None:
    plain = txviz.trace("translator", BEAM_EXAMPLE, strategy="beam", beam_width=2)
    kept = plain["time.2.search.kept"].value
    assert plain.output == "il ne m'a pas aidé"
    other = txviz.trace(
        "translator", BEAM_EXAMPLE, strategy="beam", beam_width=2, overrides={"time.2.search.kept": kept[[0, 0]]}
    )
    assert other.output == "il n'm'a pas aidé"
    with pytest.raises(TxvizError, match=r"time\.2\.search\.kept_totals.* places go from 0, 0"):
        txviz.trace(
            "translator", BEAM_EXAMPLE, strategy="beam", overrides={"time.2.search.kept": kept.repeat(2, 0) + 9}
        )


@pytest.mark.parametrize("kind", ["translator", "writer"])
def test_untraced_beams_write_the_same(kind: str) -> None:
    model = Model(kind)
    written, _ = model.write(strategy="beam", beam_width=3, max_steps=5, length_penalty=0.7)
    run = Run(model.parameters, record=False)
    strategy = Strategy("beam", beam_width=3, max_steps=5, length_penalty=0.7)
    assert write(run, model.next_logits(run), (START,), END, strategy) == written
