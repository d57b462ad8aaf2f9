"""The tree of a beam: what stands on its lines and in its boxes is what the trace says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import txviz
from tests.figures.levels.checks import PAGES, check_picture, drawn, words
from tests.nets.test_beam_search import by_table
from txviz import Trace, ops
from txviz.figures.levels.beam_legend import THICK
from txviz.figures.levels.beam_tree import beam_tree
from txviz.figures.levels.picture import Picture, Spot
from txviz.figures.marks import Box, Group, Line, Mark, Text
from txviz.figures.numerals import decimal, percent
from txviz.figures.theme import DARK, LIGHT, PAPER
from txviz.trace import Step
from txviz.training.translator import BEAM_EXAMPLE

WIDE = (1920.0, 1080.0)

RUNS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "the example": ("translator", BEAM_EXAMPLE, {}),
    "a penalty": ("translator", BEAM_EXAMPLE, {"length_penalty": 0.6}),
    "many": ("translator", "The house is big", {"beam_width": 40, "max_steps": 6}),
    "long": ("writer", "tom found a map", {"beam_width": 3, "max_steps": 18, "cache": True}),
    "one": ("writer", "tom found a map", {"beam_width": 1, "max_steps": 2}),
}


@cache
def trace_of(which: str) -> Trace:
    model, text, options = RUNS[which]
    return txviz.trace(model, text, strategy="beam", **options)


def tree(trace: Trace, current: Step | None = None, page: tuple[float, float] = WIDE) -> Picture:
    return drawn(trace, trace.outline.find("time"), page, current=current)


def groups(picture: Picture, name: str) -> list[tuple[Mark, ...]]:
    return [mark.marks for mark in picture.figure.marks if isinstance(mark, Group) and mark.name == name]


def texts(marks: tuple[Mark, ...]) -> list[str]:
    return [mark.text for mark in marks if isinstance(mark, Text)]


def told(trace: Trace) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """What the run itself tells of its hypotheses: time step, place there, and the rest."""
    for time in range(1, max(each["time"] for each in trace.about["hypotheses"]) + 1):
        yield from (
            (time, rank, each)
            for rank, each in enumerate(each for each in trace.about["hypotheses"] if each["time"] == time)
        )


def chance(trace: Trace, time: int, each: dict[str, Any]) -> str:
    likely = trace[f"time.{time}.beam.{each['parent'] or 0}.head.probabilities"]
    return percent(float(likely.value[likely.labels[-1].index(each["tokens"][-1])]))


def box_of(picture: Picture, time: int, rank: int) -> Box:
    (marks,) = groups(picture, f"{time}.{rank}")
    return next(mark for mark in marks if isinstance(mark, Box))


def middle(box: Box) -> float:
    return box.y + box.height / 2


@pytest.mark.parametrize("which", ["the example", "a penalty"])
def test_lines_carry_tokens_and_boxes_sums(which: str) -> None:
    trace = trace_of(which)
    picture, finished = tree(trace), set[tuple[int, int]]()
    edges = iter(groups(picture, "edge"))
    for time, rank, each in told(trace):
        (box,) = groups(picture, f"{time}.{rank}")
        numbers = [each["log_probability"], *([each["score"]] if which == "a penalty" else [])]
        dropped = each["state"] == "dropped"
        assert texts(box) == [f"{'× ' if dropped and not i else ''}{decimal(n, 2)}" for i, n in enumerate(numbers)]
        assert sum(isinstance(mark, Box) for mark in box) == {"kept": 1, "finished": 2, "dropped": 0}[each["state"]]
        stays = (time - 1, each["parent"]) in finished
        assert texts(next(edges)) == (["stays"] if stays else [each["tokens"][-1], chance(trace, time, each)])
        if each["state"] == "finished":
            finished.add((time, rank))
    assert len(finished) > 4


def test_lines_start_at_the_box_that_is_continued() -> None:
    trace = trace_of("the example")
    picture = tree(trace)
    edges = groups(picture, "edge")
    for (time, _, each), marks in zip(told(trace), edges, strict=True):
        first = next(mark for mark in marks if isinstance(mark, Line))
        if time > 1:
            before = box_of(picture, time - 1, each["parent"])
            assert first.x1 == before.x + before.width
            assert first.y1 == pytest.approx(middle(before))


def path(picture: Picture, name: str) -> list[Line]:
    (marks,) = groups(picture, name)
    return [mark for mark in marks if isinstance(mark, Line)]


def test_the_thick_line_leads_to_the_answer() -> None:
    """Through the boxes of the sentence that the run gave, word by word."""
    trace = trace_of("the example")
    picture, lines = tree(trace), path(tree(trace), "best")
    assert all(line.width == max(line.width for line in lines) for line in lines)
    assert lines[0].width > 3 * max(mark.width for mark in groups(picture, "edge")[0] if isinstance(mark, Line))
    answer = ["il", "ne", "m'", "a", "pas", "aidé", "<EOS>"]
    assert trace.output == "il ne m'a pas aidé"
    for time, rank, each in told(trace):
        if each["state"] != "dropped":
            box = box_of(picture, time, rank)
            reached = any(line.x2 == box.x and line.y2 == pytest.approx(middle(box)) for line in lines)
            assert reached == (each["tokens"] == answer[:time])


def test_greedy_is_drawn_in_and_compared() -> None:
    trace, greedy = trace_of("the example"), txviz.trace("translator", BEAM_EXAMPLE)
    picture, dashes = tree(trace), path(tree(trace), "greedy")
    chosen = [step.chosen for step in greedy.find("*.choice.token")]
    for time, rank, each in told(trace):
        if each["state"] != "dropped":
            box = box_of(picture, time, rank)
            near = [d for d in dashes if box.x - 30 < d.x2 < box.x and abs(d.y2 - middle(box)) < box.height / 4]
            assert bool(near) == (each["tokens"] == chosen[:time])
    totals = [decimal(run.about["log_probability"], 2) for run in (greedy, trace)]
    said = f"Greedy gives “il n' m' a pas aidé” ({totals[0]}), the beam “il ne m' a pas aidé” ({totals[1]})."
    parted = "They part at time step 2: greedy takes “n'” (40 %), the best sentence has “ne” (38 %)."
    (sentences,) = groups(picture, "sentences")
    assert " ".join(texts(sentences)) == f"{said} {parted}"


def test_where_greedy_leaves_the_beam_is_said() -> None:
    """After “a”, which is the likeliest, anything may follow, so that sentences with “b” are likelier as a whole."""
    likely = {(): [0.55, 0.44, 0.005, 0.005], (0,): [0.26, 0.25, 0.25, 0.24], (1,): [0.48, 0.49, 0.02, 0.01]}
    _, trace = by_table(likely, beam_width=2, max_steps=3)
    assert trace["time.2.search.kept"].value.tolist() == [[1, 1], [1, 0]]  # both go on from “b”
    said = " ".join(texts(groups(tree(trace), "sentences")[0]))
    assert said.startswith("The beam gives “b b ")
    assert said.endswith("Greedy's sentence is dropped at time step 2, with “a”.")


def test_a_greedy_token_that_is_not_even_ranked_is_said() -> None:
    """Greedy's “a” is followed by anything: six continuations of the others are likelier than its best."""
    others = [0.333, 0.333, 0.001, 0.333]
    _, trace = by_table({(): [0.36, 0.33, 0.001, 0.309], (1,): others, (3,): others}, beam_width=3, max_steps=2)
    assert {beam for beam, _ in trace["time.2.search.ranked"].value.tolist()} == {1, 2}
    said = " ".join(texts(groups(tree(trace), "sentences")[0]))
    assert said.endswith("leaves the beam at time step 2: its next token is not among the best candidates.")
    assert path(tree(trace), "greedy")  # up to there


def test_the_same_sentence_is_said_once() -> None:
    trace = txviz.trace("translator", "The house is big", strategy="beam", beam_width=2)
    (sentences,) = groups(tree(trace), "sentences")
    total = decimal(trace.about["log_probability"], 2)
    assert texts(sentences) == [f"Greedy and the beam give the same: “la casa è grande” ({total})."]


def spot_at(picture: Picture, box: Box, share: float = 0.4) -> Spot:
    spot = picture.spot_at(box.x + box.width * share, middle(box))
    assert spot is not None
    return spot


def test_a_box_opens_its_own_scores_and_attention() -> None:
    trace = trace_of("a penalty")
    picture = tree(trace)
    box = box_of(picture, 2, 1)
    assert spot_at(picture, box).node == "time.3.beam.1.head"
    assert spot_at(picture, box, 0.97).node == "time.3.beam.1.decoder.1.cross_attention"
    assert spot_at(picture, box).hint == (
        "“il ne” · kept, 2nd of its time step · (−0.9747) + (−0.1109) ≈ −1.086 · score −1.086 / 2^0.6 ≈ −0.7162"
    )
    before = picture.spot_at(box.x - 20, middle(box) - 10)
    assert before is not None
    assert before.node == "time.2.beam.0.head.probabilities"
    assert before.hint == "“ne” after “il”: 38 % · ln 0.3773 ≈ −0.9747"
    assert spot_at(picture, box_of(picture, 6, 2)).node == "time.6.search"  # finished
    assert "finished, 3rd of its time step" in spot_at(picture, box_of(picture, 6, 2)).hint
    assert "the sum stays −3.63" in spot_at(picture, box_of(picture, 7, 2)).hint


def test_what_was_dropped_opens_the_search() -> None:
    trace = trace_of("the example")
    picture = tree(trace)
    ((*_, number),) = groups(picture, "3.5")
    assert isinstance(number, Text)
    spot = picture.spot_at(number.x, number.y - 3)
    assert spot is not None
    assert spot.node == "time.3.search"
    assert spot.hint.startswith("“il non m'” · dropped, 6th of its time step · ")


def test_later_time_steps_are_empty() -> None:
    trace = trace_of("the example")
    picture = tree(trace, trace["time.3.search.kept_totals"])
    for time, rank, _ in told(trace):
        marks = groups(picture, f"{time}.{rank}")
        assert bool(marks and texts(marks[0])) == (time <= 3)
    assert "the best so far" in words(picture)
    (sentences,) = groups(picture, "sentences")
    assert texts(sentences) == ["After time step 3 the best is “il ne m'” (−1.33)."]
    early = tree(trace, trace["time.3.search.kept"])  # not over yet
    assert not texts(groups(early, "3.0")[0])


def test_the_hypothesis_that_is_continued_is_lit() -> None:
    trace = trace_of("the example")
    picture = tree(trace, trace["time.4.beam.1.decoder.0.norm_1"])
    (marks,) = groups(picture, "current")
    lit = [mark for mark in marks if isinstance(mark, Box)]
    box = box_of(picture, 3, 1)
    assert any(mark.x < box.x < mark.x + mark.width and mark.y < box.y < mark.y + mark.height for mark in lit)
    assert len(lit) == 2  # and the name of the time step


def test_of_many_the_best_are_shown_and_the_rest_is_counted() -> None:
    trace = trace_of("many")
    for page in PAGES:
        picture = tree(trace, page=page)
        names = [mark.name for mark in picture.figure.marks if isinstance(mark, Group)]
        for time in range(1, 7):
            shown = sum(name.startswith(f"{time}.") for name in names)
            considered = sum(each["time"] == time for each in trace.about["hypotheses"])
            assert f"and {considered - shown} more" in words(picture)
        assert path(picture, "best")
        assert path(picture, "greedy")


def test_time_steps_without_room_can_be_gone_to() -> None:
    trace = trace_of("long")
    picture = tree(trace, trace["time.9.search.kept_totals"], PAGES[2])
    columns = [text for text in words(picture) if text.startswith("time step ")]
    assert "time step 9" in columns
    last = max(each["time"] for each in trace.about["hypotheses"])
    others = [time for time in range(1, last + 1) if f"time step {time}" not in columns]
    assert len(others) + len(columns) == last
    assert "There is no room for time steps" in words(picture)
    for time in others:
        assert any(spot.node == f"time.{time}" for spot in picture.spots)


@pytest.mark.parametrize("which", RUNS)
def test_everything_fits(which: str) -> None:
    trace = trace_of(which)
    node = trace.outline.find("time")
    assert node.pictures[0] == "beams"
    pages = (*PAGES, (670, 440), (980, 440))
    for i, page in enumerate(pages):
        current = (trace[-1], None, node.steps[len(node.steps) // 2], trace[0])[i % 4]
        theme = (LIGHT, DARK, PAPER)[i % 3]
        check_picture(drawn(trace, node, page, theme, current), trace, node, page, f"{which} {page} {current}")


def older(trace: Trace) -> Trace:
    """As it was recorded before searches were: a finished hypothesis had no steps, and a sum was given."""
    ended = {step.site._replace(leaf="", part=None) for step in trace.find("*.after_end")}
    steps = [
        replace(step, operation=ops.given, sources=(), params={}) if step.site.leaf == "so_far" else step
        for step in trace
        if step.site.part != "search" and step.site._replace(leaf="", part=None) not in ended
    ]
    known = {step.name: step for step in steps}
    whole = [replace(step, sources=tuple(known.get(source.name, source) for source in step.sources)) for step in steps]
    return Trace(whole, trace.about, str(trace.output))


@pytest.mark.parametrize("which", ["the example", "a penalty"])
def test_an_older_file_has_the_same_tree(which: str, tmp_path: Path) -> None:
    trace = trace_of(which)
    older(trace).save(tmp_path / "older.safetensors")
    opened = txviz.load(tmp_path / "older.safetensors")
    assert not opened.find("*search*")
    one, other = tree(trace), tree(opened)
    assert one.figure == other.figure
    assert beam_tree(opened).greedy_ends
    check_picture(other, opened, opened.outline.find("time"), (1920, 1080), "older")


def test_it_is_there_only_for_beams() -> None:
    assert "beams" not in txviz.trace("translator", "I love you").outline.find("time").pictures
    beam = trace_of("the example").outline
    assert [node.name for node in beam if "beams" in node.pictures] == ["time"]


def test_shapes_tell_apart_what_colours_do() -> None:
    """In one ink: the kinds of lines differ in width or dashes, the kinds of boxes in their frames."""
    picture = tree(trace_of("the example"))
    size = next(mark.size for mark in groups(picture, "edge")[0] if isinstance(mark, Text))
    kept, dropped = (
        next(mark for mark in marks if isinstance(mark, Line)).width
        for marks in (groups(picture, "edge")[0], groups(picture, "edge")[7])
    )
    assert dropped < kept < THICK * size
    lengths = [np.hypot(line.x2 - line.x1, line.y2 - line.y1) for line in path(picture, "greedy")]
    assert max(lengths) < size
