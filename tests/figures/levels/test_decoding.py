"""The board of decoding, held against the trace: bars, marks, the draw, and where each token looked."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import txviz
from tests.figures.levels.checks import (
    all_marks,
    arrows,
    check_picture,
    check_reads,
    heats_of,
    texts_of,
    words,
)
from txviz import Trace
from txviz.figures.levels import LEVELS
from txviz.figures.levels.beside import beside_of
from txviz.figures.levels.picture import Beside, NodeScene, Picture
from txviz.figures.marks import Box, Group, Heat, Mark, Text
from txviz.figures.style import Style
from txviz.figures.theme import DARK, LIGHT

LOVE, KEYS = "I love you very much", "the keys on the table"
LARGE, WINDOW = (1280.0, 720.0), (668.0, 440.0)
SAMPLED = {"strategy": "sample", "temperature": 2.5, "top_k": 3, "seed": 0}


@cache
def run(model: str = "translator", source: str = LOVE, edits: tuple[str, ...] = (), **options: Any) -> Trace:
    return txviz.trace(model, source, edits=edits, **options)


def board(
    trace: Trace,
    page: tuple[float, float] = LARGE,
    current: str | None = None,
    place: tuple[int, ...] = (),
    style: Style | None = None,
) -> Picture:
    node = trace.outline.find("time")
    scene = NodeScene(trace, node, place, None if current is None else trace[current], *page, style or Style())
    return LEVELS["decoding"].draw(scene)


def group(picture: Picture, name: str) -> list[Mark]:
    found = [mark for mark in picture.figure.marks if isinstance(mark, Group) and mark.name == name]
    return list(all_marks(found))


def boxes(picture: Picture, name: str) -> list[Box]:
    return [mark for mark in group(picture, name) if isinstance(mark, Box)]


def bar_words(picture: Picture, trace: Trace, time: int) -> list[str]:
    start = f"time.{time}.head.probabilities: "
    groups = [mark.name for mark in picture.figure.marks if isinstance(mark, Group)]
    return [name.removeprefix(start) for name in groups if name.startswith(start)]


@pytest.mark.parametrize("page", [LARGE, WINDOW, (980.0, 440.0), (1920.0, 1080.0), (640.0, 400.0)])
@pytest.mark.parametrize(
    "options",
    [
        {},
        SAMPLED,
        {"strategy": "beam"},
        {"strategy": "beam", "cache": True, "length_penalty": 1.0},
        {"cache": True},
        {"max_steps": 2},
        {"max_steps": 1},
    ],
    ids=str,
)
def test_nothing_overlaps(options: dict[str, Any], page: tuple[float, float]) -> None:
    trace = run(**options)
    for current in (None, "time.1.decoder.tokens" if options.get("strategy") != "beam" else None):
        made = board(trace, page, current, style=Style(theme=DARK if page == WINDOW else LIGHT))
        check_picture(made, trace, trace.outline.find("time"), page, f"{options}")
        check_reads(made, trace)


@pytest.mark.parametrize("model", ["translator", "writer"])
def test_a_bar_is_as_long_as_the_probability(model: str) -> None:
    """All bars of the board have the same scale, and the number beside each is its own."""
    trace = run(model, LOVE if model == "translator" else KEYS, max_steps=4)
    made = board(trace)
    found = []
    for time in (1, 2, 3, 4):
        likely = trace[f"time.{time}.head.probabilities"]
        names = bar_words(made, trace, time)
        assert names == [likely.labels[-1][i] for i in np.argsort(-likely.value, kind="stable")[: len(names)]]
        assert len(names) >= 4
        for name in names:
            share = float(likely.value[likely.labels[-1].index(name)])
            (bar,) = boxes(made, f"{likely.name}: {name}")
            found.append((bar.width, share))
            shown = texts_of(made, f"{likely.name}: {name}")[-1]
            assert float(shown.strip("<> %")) == pytest.approx(100 * share, rel=0.06, abs=0.01)
    scale = max(width for width, _ in found) / max(share for _, share in found)
    assert [width for width, _ in found] == pytest.approx([max(share * scale, 0.5) for _, share in found])


def test_the_chosen_token_is_framed_and_bold_and_joins_the_next_column() -> None:
    trace = run()
    made = board(trace)
    for time, word in enumerate(("ti", "amo", "molto", "<EOS>"), 1):
        (text,) = [mark for mark in group(made, f"token of time.{time}") if isinstance(mark, Text)]
        (frame,) = boxes(made, f"token of time.{time}")
        assert (text.text, text.bold) == (word, True)
        assert frame.stroke == LIGHT.accent
        assert texts_of(made, f"time.{time}.decoder.tokens") == list(trace[f"time.{time}.decoder.tokens"].labels[-1])
    joined = [(arrow.source, arrow.target) for arrow in arrows(made) if arrow.source.startswith("token of")]
    assert joined == [(f"token of time.{t}", f"time.{t + 1}.decoder.tokens") for t in (1, 2, 3)]


def test_the_encoders_output_goes_into_every_column() -> None:
    trace = run()
    made = board(trace)
    assert len(heats_of(made, "encoder.norm")) == 1
    assert [a.target for a in arrows(made) if a.source == "encoder.norm"] == [f"time.{t}" for t in (1, 2, 3, 4)]
    assert "computed once," in " ".join(words(made))
    alone = board(run("writer", KEYS))
    assert not [arrow for arrow in arrows(alone) if "encoder" in arrow.source]


def test_the_row_that_is_read_is_framed() -> None:
    trace = run()
    made = board(trace)
    for time in (1, 2, 3):
        (heat,) = heats_of(made, f"time.{time}.decoder.norm")
        (frame,) = boxes(made, f"last position of time.{time}.decoder.norm")
        assert heat.rows == time
        assert frame.y + frame.height == pytest.approx(heat.y + heat.height)
        assert frame.height == pytest.approx(heat.cell_height)
    assert "softmax of the last position" in words(made)


@pytest.mark.parametrize("place", [(), (2,)])
def test_where_each_token_looked(place: tuple[int, ...]) -> None:
    """The mean of the heads, or one of them; the numbers in the cells are those of the last layer's weights."""
    trace = run()
    made = board(trace, place=place)
    for time in (1, 2, 3, 4):
        weights = trace[f"time.{time}.decoder.1.cross_attention.weights"].value[:, -1]
        wanted = weights[place[0]] if place else weights.mean(axis=0)
        (heat,) = [mark for mark in group(made, f"alignment of time.{time}") if isinstance(mark, Heat)]
        np.testing.assert_allclose([float(text) for text in heat.texts], wanted, atol=0.0051)
    labels = texts_of(made, "words of the alignment")
    assert labels == list(trace["tokens"].labels[-1])
    said = "head 2" if place else "the mean of 4 heads"
    assert f"cross-attention of the last layer, {said}" in " ".join(words(made))


def test_a_writer_looks_at_its_own_tokens() -> None:
    trace = run("writer", KEYS, max_steps=4)
    made = board(trace)
    widths = []
    for time in (1, 2, 3, 4):
        weights = trace[f"time.{time}.decoder.1.self_attention.weights"].value[:, -1].mean(axis=0)
        (heat,) = [mark for mark in group(made, f"alignment of time.{time}") if isinstance(mark, Heat)]
        np.testing.assert_allclose([float(text) for text in heat.texts], weights, atol=0.0051)
        widths.append(heat.columns)
    assert widths == [6, 7, 8, 9]


def test_what_sampling_cuts_off_stays_in_grey() -> None:
    """Behind each bar is the model's own probability; a token that is cut off has only that."""
    trace = run(**SAMPLED)
    made = board(trace)
    last, likely = trace["time.1.head.last"].value, trace["time.1.head.probabilities"]
    own = np.exp(last - last.max())
    own /= own.sum()
    names = bar_words(made, trace, 1)
    lengths = []
    for name in names:
        token = likely.labels[-1].index(name)
        drawn = boxes(made, f"{likely.name}: {name}")
        assert len(drawn) == (2 if likely.value[token] else 1)
        assert ("cut off" in texts_of(made, f"{likely.name}: {name}")) == (likely.value[token] == 0)
        lengths.append((drawn[0].width, float(own[token])))
    scale = lengths[0][0] / lengths[0][1]
    for width, share in lengths:
        assert width == pytest.approx(max(share * scale, 0.5))
    assert sum("cut off" in texts_of(made, f"{likely.name}: {name}") for name in names) == len(names) - 3


@pytest.mark.parametrize("seed", [0, 3, 4])
def test_the_random_number_is_a_point_in_the_share_of_the_token(seed: int) -> None:
    trace = run(**{**SAMPLED, "seed": seed})
    made = board(trace)
    for time in range(1, len(trace.outline.find("time").children) + 1):
        if not group(made, f"time.{time}.choice.chance"):
            continue
        frame, *shares, point = boxes(made, f"time.{time}.choice.chance")
        chance = float(trace[f"time.{time}.choice.chance"].value)
        assert point.x + point.width / 2 == pytest.approx(frame.x + chance * frame.width)
        (mine,) = [share for share in shares if share.stroke == LIGHT.accent]
        assert mine.x <= point.x + point.width / 2 <= mine.x + mine.width
        token = int(trace[f"time.{time}.choice.token"].value)
        share = trace[f"time.{time}.head.probabilities"].value[token]
        assert mine.width == pytest.approx(share * frame.width)
        assert sum(each.width for each in shares) <= frame.width + 0.01


def test_it_ends_with_eos_or_says_that_the_maximum_was_reached() -> None:
    assert "Time step 4 writes <EOS>, and that is the end." in " ".join(words(board(run())))
    assert "the maximum was reached" in " ".join(words(board(run(max_steps=2))))


def test_a_beam_shows_the_path_of_the_winner() -> None:
    """Each column is the hypothesis that the next one continues; the tokens are those of the answer."""
    trace = run(strategy="beam", beam_width=3)
    made = board(trace)
    shown = [texts_of(made, f"token of time.{time}")[0] for time in (1, 2, 3, 4)]
    assert " ".join(shown) == f"{trace.output} <EOS>"
    best = max(trace.about["hypotheses"], key=lambda each: (each["time"], each["state"] == "finished", each["score"]))
    assert best["tokens"] == shown
    assert "path of the winner" in " ".join(words(made))
    assert not [spot for spot in made.spots if spot.edit]


def test_many_time_steps_are_narrow_around_the_current_one() -> None:
    trace = run("writer", KEYS)
    count = len(trace.outline.find("time").children)
    made = board(trace, WINDOW, current="time.7.head.probabilities")
    wide = [t for t in range(1, count + 1) if group(made, f"title of time.{t}")]
    narrow = [t for t in range(1, count + 1) if group(made, f"time.{t}")]
    assert 7 in wide
    assert sorted([*wide, *narrow]) == list(range(1, count + 1))
    for time in narrow:
        assert texts_of(made, f"time.{time}") == [f"{time}: {trace[f'time.{time}.choice.token'].chosen}"]
    assert f"{len(narrow)} time steps show their token alone" in " ".join(words(made))


def test_what_comes_later_is_pale() -> None:
    trace = run()
    made = board(trace, current="time.2.head.probabilities")
    frames = [boxes(made, f"token of time.{time}")[0].stroke for time in (1, 2, 3)]
    assert frames[0] == LIGHT.accent
    assert frames[1] == frames[2] != LIGHT.accent
    assert heats_of(made, "time.2.decoder.norm")
    assert not heats_of(made, "time.3.decoder.norm")
    assert not [mark for mark in group(made, "alignment of time.3") if isinstance(mark, Heat)]


def test_a_candidate_can_be_forced_and_a_forced_one_let_go() -> None:
    trace = run()
    likely = trace["time.2.head.probabilities"]
    offered = {spot.edit for spot in board(trace).spots if spot.edit.startswith("time.2.")}
    best = np.argsort(-likely.value)
    assert f"time.2.choice.token={best[1]}" in offered
    assert f"time.2.choice.token={best[0]}" not in offered
    edit = f"time.2.choice.token={best[1]}"
    forced = board(run(edits=(edit,)))
    assert texts_of(forced, "title of time.2")[-1] == "forced"
    assert {edit, f"time.2.choice.token={best[0]}"} <= {spot.edit for spot in forced.spots}
    assert texts_of(forced, "time.3.decoder.tokens")[-1] == likely.labels[-1][best[1]]


RUNS = (
    Beside("greedy", "ti amo molto", -0.54),
    Beside("beam of 4", "ti amo molto", -0.54, shown=True),
    Beside("sample, seed 0", "ti ama <b>& un'altra lunga storia di parole senza fine", -12.5),
    Beside("forced: casa", "ti casa", float("-inf")),
)


@pytest.mark.parametrize("page", [LARGE, WINDOW, (640.0, 400.0)])
@pytest.mark.parametrize("count", [0, 1, 4, 12])
def test_other_runs_stand_beside_it(page: tuple[float, float], count: int) -> None:
    """As many as there is room for, the one that is shown always; that one is framed and bold."""
    trace, runs = run(), (RUNS * 3)[:count]
    node = trace.outline.find("time")
    made = LEVELS["decoding"].draw(NodeScene(trace, node, (), None, *page, Style(), beside=runs))
    check_picture(made, trace, node, page, f"{count} runs")
    listed = [spot.run for spot in made.spots if spot.run is not None]
    assert len(listed) >= min(count, 2)
    assert listed == sorted(listed)
    for i in listed:
        title, said, number = texts_of(made, f"run {i}: {runs[i].title}")[-3:]
        assert (runs[i].title.startswith(title.rstrip("…")), runs[i].said.startswith(said.rstrip("…"))) == (True, True)
        assert number == ("−∞" if runs[i].log_probability == -np.inf else f"−{-runs[i].log_probability:.2f}")
        if page == LARGE and count == 4:
            assert len(boxes(made, f"run {i}: {runs[i].title}")) == runs[i].shown
    if len(listed) < count:
        assert f"({count - len(listed)} left out)" in " ".join(words(made)) or page != LARGE


def test_a_run_in_one_line() -> None:
    """Its log-probability is by the model's own probabilities, whatever sampling made of them."""
    for options, title in (
        ({}, "greedy"),
        ({"strategy": "beam"}, "beam of 4"),
        (SAMPLED, "sample, seed 0"),
    ):
        trace = run(**options)
        line = beside_of(trace)
        assert (line.title, line.said) == (title, trace.output)
        if options is not SAMPLED:
            assert line.log_probability == pytest.approx(trace.about["log_probability"])
    assert beside_of(run(edits=("time.2.choice.token=ama",))).title == "forced: ama"
    writer = run("writer", KEYS)
    assert beside_of(writer).said == str(writer.output).replace(KEYS, "…")
    sampled, total = run(**SAMPLED), 0.0
    for step in sampled.find("time.*.head.last"):
        token = int(sampled[step.name.replace("head.last", "choice.token")].value)
        total += step.value[token] - np.log(np.exp(step.value).sum())
    assert beside_of(sampled).log_probability == pytest.approx(total)


def test_a_node_alone_can_be_drawn(tmp_path: Any) -> None:
    """Without its trace, which knows what the beam kept."""
    trace = run(strategy="beam")
    figure = txviz.figure(trace.outline.find("time"), view="decoding")
    figure.save(tmp_path / "board.svg")
    assert "molto" in (tmp_path / "board.svg").read_text()
