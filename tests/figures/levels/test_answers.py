"""The pictures of an answer: after each layer, by its parts, and on the image. What they show is what was computed."""

from __future__ import annotations

import re

import numpy as np
import pytest

import txviz
from tests.figures.levels.checks import PAGES, all_marks, check_picture, drawn, heats_of, words
from txviz import Trace
from txviz.analysis.lens import readings
from txviz.analysis.parts import score
from txviz.analysis.rollout import rollouts
from txviz.analysis.without import without
from txviz.figures.levels.picture import Picture
from txviz.figures.marks import Box, Group, Heat
from txviz.figures.numerals import percent
from txviz.models import find


def traced(model: str) -> Trace:
    return txviz.trace(model, find(model).example)


def group(picture: Picture, name: str) -> Group:
    return next(mark for mark in picture.figure.marks if isinstance(mark, Group) and mark.name == name)


def hints(picture: Picture) -> list[str]:
    return [spot.hint for spot in picture.spots]


def test_bars_are_as_long_as_the_early_answers_are_likely() -> None:
    trace = traced("digits")
    picture = drawn(trace, trace.outline, kind="lens")
    read = readings(trace["head.probabilities"])
    longest = []
    for each in read:
        bars = [mark for mark in group(picture, each.stream.name).marks if isinstance(mark, Box)]
        shares = np.sort(each.own)[::-1]
        found = np.sort([bar.width for bar in bars])[::-1]
        longest.append(found[0] / shares[0])
        wanted = np.maximum(shares[: len(bars)] * longest[-1], 0.5)
        assert set(np.round(found[:3], 6)) <= set(np.round(wanted, 6))
    assert longest == pytest.approx([longest[0]] * len(read))  # one scale for all


def test_each_token_says_its_own_likeliest_answer() -> None:
    trace = traced("writer")
    node = trace.outline.find("time.2")
    picture = drawn(trace, node, kind="lens")
    answer = trace["time.2.head.probabilities"]
    said = words(picture)
    for each in readings(answer):
        for row in each.of_tokens():
            assert answer.labels[-1][int(row.argmax())] in said
            assert percent(float(row.max())) in said


@pytest.mark.parametrize(("model", "kind"), [("vit-guide-2x2", "token"), ("digits", "patch"), ("writer", "token")])
def test_all_tokens_are_shown_where_there_is_room_and_a_class_token_is_no_patch(model: str, kind: str) -> None:
    trace = traced(model)
    node = trace.outline if trace.outline.get("time.0") is None else trace.outline.find("time.0")
    picture = drawn(trace, node, kind="lens")
    (lead,) = (text for text in words(picture) if text.startswith("What each "))
    assert lead.startswith(f"What each {kind}'s own vector would say: ")
    tokens = readings(next(step for step in node.steps if step.site.leaf == "probabilities"))[0].stream.labels[-2]
    assert set(tokens) <= set(words(picture))


def test_what_is_not_computed_yet_is_not_read() -> None:
    trace = traced("digits")
    picture = drawn(trace, trace.outline, kind="lens", current=trace["encoder.0.residual_2"])
    (frame,) = group(picture, "encoder.1.residual_2").marks
    assert isinstance(frame, Box)
    assert frame.fill is None
    assert "after layer 1: not computed yet" in hints(picture)
    assert not any("it is" in text for text in words(picture))


@pytest.mark.parametrize("model", ["digits", "translator"])
def test_shares_stand_in_the_cells_and_add_up(model: str) -> None:
    trace = traced(model)
    node = trace.outline if model == "digits" else trace.outline.find("time.2")
    answer = next(step for step in node.steps if step.site.leaf == "probabilities")
    taken = score(answer, int(answer.value.argmax()))
    assert taken is not None
    picture = drawn(trace, node, kind="parts")
    tables = [mark for each in picture.figure.marks if isinstance(each, Group) and each.name == "shares"
              for mark in all_marks([each]) if isinstance(mark, Heat)]  # fmt: skip
    shown = [float(text.replace("−", "-")) for table in tables for text in table.texts]
    shares = [share for part in taken.parts for share in part.shares]
    assert sorted(shown) == pytest.approx(sorted(shares), abs=0.0051)
    assert sum(shown) + taken.biases == pytest.approx(taken.value, abs=0.005 * len(shown) + 0.005)
    assert any(f"The score is {taken.value:.2f}" in text for text in words(picture))


def test_features_are_ranked_and_worked_out() -> None:
    trace = traced("digits")
    picture = drawn(trace, trace.outline, kind="parts")
    answer = trace["head.probabilities"]
    taken = score(answer, int(answer.value.argmax()))
    assert taken is not None
    brought = taken.read * taken.counts
    first = int(np.abs(brought).argmax())
    assert next(text for text in words(picture) if text.startswith("feature ")) == f"feature {first}"
    wanted = f"feature {first}: {taken.read[first]:.3f} × {taken.counts[first]:.3f} = ".replace("-", "−")
    assert any(hint.startswith(wanted) for hint in hints(picture))


def test_heads_and_rollout_are_on_the_drawing() -> None:
    trace = traced("digits")
    picture = drawn(trace, trace.outline, kind="seeing")
    for weights, rolled in rollouts(trace, trace["encoder.0.attention.weights"]):
        columns = {f"head {h}": head for h, head in enumerate(weights.value)}
        columns |= {"mean of heads": weights.value.mean(axis=0), "through all layers": rolled}
        for name, matrix in columns.items():
            (heat,) = heats_of(picture, f"{weights.name} {name}")
            seen = [text for text in heat.texts if text]
            shares = matrix.mean(axis=0)
            assert [text for text in seen if text.isdigit()] == [f"{100 * share:.0f}" for share in shares]
            assert [text for text in seen if text.isalpha()] == list("ABCDEFGHI")
            hint = f"layer {weights.site.layer}, {name}: patch B (row 0, column 1) gets {percent(float(shares[1]))}"
            assert hint in hints(picture)


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("layers", [3, 12])
def test_layers_of_one_head_stand_in_columns_and_inside_the_page(layers: int, page: tuple[int, int]) -> None:
    """One below the other, twelve were as small as a word, and “through all layers” ended beyond the page."""
    trace = txviz.trace("vit-guide-2x2", find("vit-guide-2x2").example, layers=layers)
    picture = drawn(trace, trace.outline, page, kind="seeing")
    check_picture(picture, trace, trace.outline, page, f"{layers} layers", "seeing")
    lefts = {spot.area.x for spot in picture.spots if re.fullmatch(r"layer \d+, head 0", spot.hint)}
    assert len(lefts) > 1


def test_without_a_head_there_is_nothing_to_read_early() -> None:
    assert "lens" not in traced("sentence").outline.pictures
    assert "seeing" not in traced("writer").outline.pictures
    assert {"lens", "parts", "seeing"} <= set(traced("vit-guide-2x2").outline.pictures)


def test_of_a_thousand_places_the_one_that_is_pointed_at_is_said() -> None:
    trace = txviz.trace("writer", " ".join(["the cat"] * 20), max_steps=1)
    picture = drawn(trace, trace.outline.find("time.1.embed"), kind="positions")
    vectors = trace["time.1.embed.positions"].value
    count, (table,) = len(vectors), [spot for spot in picture.spots if spot.table]
    assert len(picture.spots) < 100 < 1000 < count * count
    for row, column in np.random.default_rng(0).integers(0, count, (20, 2)).tolist():
        area = table.area
        point = area.x + (column + 0.5) * area.width / count, area.y + (row + 0.5) * area.height / count
        spot = picture.spot_at(*point)
        assert spot is not None
        one, other = vectors[row], vectors[column]
        cosine = float(one @ other / np.linalg.norm(one) / np.linalg.norm(other))
        assert spot.hint.startswith(f"position {row} (")
        assert f" and position {column} (" in spot.hint
        assert float(spot.hint.rpartition(" ")[2].replace("−", "-")) == pytest.approx(cosine, abs=1e-4)
        assert spot.area.centre == pytest.approx(point)


def test_patches_without_a_part_of_their_own_show_what_is_lost_without_them() -> None:
    """In the guide nothing of a patch is added before attention has mixed it: nine zeros would say that none counts."""
    trace = traced("vit-guide-2x2")
    logits = trace["head.logits"].value
    lost = logits[2] - without(trace["patches"], trace["head.logits"], 2)
    picture = drawn(trace, trace.outline, kind="parts")
    (heat,) = [mark for mark in all_marks(group(picture, "drawing").marks) if isinstance(mark, Heat)]
    assert [text for text in heat.texts if text.startswith(("+", "−"))] == [f"+{share:.2f}" for share in lost]
    most, second = ("ABCDEFGHI"[i] for i in np.argsort(-lost)[:2])
    said = " ".join(words(picture))
    assert f"most without patch {most} " in said
    assert f"then patch {second} " in said
    assert f"patch {most} at 0: the score falls by {lost.max():.4f}" in hints(picture)
    edited = txviz.trace("vit-guide-2x2", find("vit-guide-2x2").example, edits=["pool.cls=guide"])
    assert "No patch counts" in " ".join(words(drawn(edited, edited.outline, kind="parts")))


def test_a_patch_without_which_the_score_rises_is_not_said_to_be_lost() -> None:
    trace = txviz.trace("vit-guide-2x2", find("vit-guide-2x2").example, positions="2d")
    at = int(trace["head.logits"].value.argmax())
    rise = without(trace["patches"], trace["head.logits"], at) - trace["head.logits"].value[at]
    most = int(np.abs(rise).argmax())
    picture = drawn(trace, trace.outline, kind="parts")
    assert f"the score changes most without patch {'ABCDEFGHI'[most]} (+{rise[most]:.2f})" in " ".join(words(picture))
    assert f"patch {'ABCDEFGHI'[most]} at 0: the score rises by {rise[most]:.4f}" in hints(picture)
