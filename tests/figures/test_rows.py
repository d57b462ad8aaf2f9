"""The row of a chosen token in words, against the numbers themselves."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

import txviz
from tests.figures.shipped import KINDS, trace
from tests.figures.test_sentences import check as check_words
from txviz.figures.remarks.rows import row
from txviz.figures.remarks.shown import shown_at
from txviz.figures.sentences import of_patches, of_row, remarks
from txviz.models import find
from txviz.trace import Step

NAMES = ("[CLS]", *"ABCDEFGHI")


def guide(name: str) -> Step:
    return trace("vit-guide-2x2")[name]


def check(sentence: str) -> None:
    """But for the guide's own words."""
    check_words(re.sub("“[^”]*”", "“…”", sentence))


def numbers(sentence: str) -> list[float]:
    return [float(each.replace("−", "-")) for each in re.findall(r"(?<![\w.])−?\d+(?:\.\d+)?", sentence)]


@pytest.mark.parametrize("kind", KINDS)
def test_every_row_reads_well(kind: str) -> None:
    for step in trace(kind):
        if step.value.ndim < 2:
            assert of_row(step, (0,) * step.value.ndim) == []
            continue
        for place in {0, step.value.shape[-2] // 2, step.value.shape[-2] - 1}:
            found = of_row(step, (*(0,) * (step.value.ndim - 2), place, 0))
            if step.value.dtype.kind == "f":
                row(shown_at(step, ()), place)  # must not fail; ``of_row`` would say nothing
            assert len(found) <= 2
            for sentence in found:
                check(sentence)


def test_whom_a_patch_fits() -> None:
    step = guide("encoder.0.attention.scores")
    for query, name in enumerate(NAMES):
        line = step.value[0, query]
        ranked = [key for _, key in sorted(zip(-line, range(10), strict=True))]
        (said,) = of_row(step, (0, query, 0))
        named = re.findall(r"(itself|\[CLS\]|patch ([A-I])) \(", said)
        found = [name if whole == "itself" else letter or whole for whole, letter in named]
        own = [query] if 2 < ranked.index(query) < 9 else []
        assert found == [NAMES[key] for key in (*ranked[:3], ranked[-1], *own)]
        if own:
            assert f"itself ({line[query]:.3g}) comes {ranked.index(query) + 1}" in said
    assert of_row(step, (0, 5, 0)) == [
        "Patch E fits best with patch H (0.208), then patch D (0.183) and patch G (0.174), and least with [CLS] (0.011)"
        "; itself (0.094) comes 9th of 10."
    ]


def test_a_row_of_weights_leaves_out_what_is_hidden() -> None:
    step = trace("masked-attention-guide")["decoder.0.self_attention.weights"]
    assert of_row(step, (0, 0, 0)) == []
    (said,) = of_row(step, (0, 1, 0))
    first, second = sorted(step.value[0, 1, :2], reverse=True)
    assert f"({first:.0%})".replace("%", " %") in said
    assert f"({second:.0%})".replace("%", " %") in said
    assert "IS" not in said


def test_keys_that_are_looked_at_alike() -> None:
    step = guide("encoder.0.attention.weights")
    weights = np.full((1, 10, 10), 0.05)
    weights[0, :, 3] = 0.55
    (said,) = of_row(replace(step, value=weights, printed=()), (0, 5, 0))
    assert said == "Patch E looks most at patch C (55 %), and at all others alike (5.0 %)."
    assert of_row(replace(step, value=np.full((1, 10, 10), 0.1), printed=()), (0, 5, 0)) == []


def test_a_patch_has_a_bright_side() -> None:
    """As the guide describes them: bright top, dim bottom, uniform …"""
    told = {name: of_row(guide("patches"), (i, 0))[0] for i, name in enumerate(NAMES[1:])}
    assert told["D"].endswith(" goes from 0.1 to 0.9; it is brighter at the top (mean 0.85) than at the bottom (0.15).")
    assert told["H"].endswith(" goes from 0.2 to 0.9; it is brighter at the bottom (mean 0.85) than at the top (0.25).")
    assert told["B"].endswith(" goes from 0.3 to 0.4; its sides are equally bright (mean 0.35).")
    assert "on the left (mean 0.55) than on the right (0.4)" in told["F"]
    black = replace(guide("patches"), value=np.zeros((9, 4)), printed=())
    assert of_row(black, (0, 0)) == ["Patch A, top left, pixels (0, 0) to (1, 1), is 0 everywhere."]


def test_a_patch_has_a_place() -> None:
    """As the guide tells it: a name, and the coordinates of its first and its last pixel."""
    step = guide("patches")
    for i, where in enumerate(
        [
            "Patch A, top left, pixels (0, 0) to (1, 1), goes",
            "Patch B, top centre, pixels (0, 2) to (1, 3), goes",
            "Patch C, top right, pixels (0, 4) to (1, 5), goes",
            "Patch D, middle left, pixels (2, 0) to (3, 1), goes",
            "Patch E, middle centre, pixels (2, 2) to (3, 3), goes",
            "Patch F, middle right, pixels (2, 4) to (3, 5), goes",
            "Patch G, bottom left, pixels (4, 0) to (5, 1), goes",
            "Patch H, bottom centre, pixels (4, 2) to (5, 3), goes",
            "Patch I, bottom right, pixels (4, 4) to (5, 5), goes",
        ]
    ):
        assert of_row(step, (i, 0))[0].startswith(where)
    used = of_row(trace("vit-guide-3x2")["patches"], (1, 0))[0]
    assert used.startswith("Patch B, top centre, pixels (0, 2) to (2, 3), goes from 0.1 to 0.4")
    single = txviz.trace("vit-guide-2x2", find("vit-guide-2x2").example, patch="1x1")["patches"]
    assert of_row(single, (7, 0)) == ["Patch H, pixel (1, 1), is 0.5."]


@pytest.mark.parametrize("size", ["1x1", "3x2", "2x3", "3x3", "6x6"])
def test_patches_of_any_size_have_sides(size: str) -> None:
    """The middle row or column of an odd size is on neither side."""
    step = txviz.trace("vit-guide-2x2", find("vit-guide-2x2").example, patch=size)["patches"]
    high, wide = map(int, size.split("x"))
    if step.value.shape[0] == 1 or size == "1x1":
        assert [numbers(each)[2:] for each in of_row(step, (0, 0))] == ([[0.1]] if size == "1x1" else [])
        return
    pixels = step.value[0].reshape(high, wide)
    top, bottom, left, right = (
        each.mean()
        for each in (pixels[: high // 2], pixels[-(high // 2) :], pixels[:, : wide // 2], pixels[:, -(wide // 2) :])
    )
    means = (top, bottom) if abs(top - bottom) > abs(left - right) else (left, right)
    assert numbers(of_row(step, (0, 0))[0])[6:] == pytest.approx(sorted(means, reverse=True), abs=6e-4)


def test_what_a_patch_was_and_what_it_becomes() -> None:
    step = guide("encoder.0.attention.context")
    (said,) = of_row(step, (0, 5, 0))
    own, mixed = guide("embed.sum").value[5], step.value[0, 5]
    lengths = np.linalg.norm([own, mixed], axis=1)
    assert numbers(said) == pytest.approx([*own, *mixed, *lengths], abs=6e-4)
    assert "its length goes from 0.307 to 0.481." in said, "significantly enhanced, the guide says"
    assert "length goes" not in of_row(trace("translator")["encoder.0.attention.context"], (0, 1, 0))[0]
    writing = trace("translator")["time.2.decoder.0.cross_attention.context"]
    assert of_row(writing, (0, 1, 0)) == []  # the target has no value of its own there


def test_a_vector_beside_the_others() -> None:
    step = guide("embed.projection")
    lengths = np.linalg.norm(step.value, axis=1)
    for place, vector in enumerate(step.value):
        said = of_row(step, (place, 0))[0]
        rank = int((lengths > lengths[place]).sum()) + 1
        which = {1: "largest of 9", 9: "smallest of 9"}.get(rank, f"{rank}")
        assert f"highest in feature {vector.argmax()} ({vector.max():.3g})" in said
        assert f"lowest in feature {vector.argmin()} ({vector.min():.3g})" in said
        assert f"is the {which}" in said
    assert "is that of all 10" in of_row(guide("encoder.0.norm_2"), (5, 0))[0]
    lengths = np.linalg.norm(guide("embed.positions").value, axis=1)
    most = int(np.isclose(lengths, lengths.max()).sum())
    assert of_row(guide("embed.positions"), (5, 0))[0].endswith(f", is the largest of 10, shared by {most}.")


def test_the_row_that_a_guide_prints_where_it_differs() -> None:
    step = guide("embed.projection")
    said = [of_row(step, (place, 0))[1:] for place in range(9)]
    assert [i for i, each in enumerate(said) if not each] == [0, 4]  # A and E are right
    assert said[1] == ["The guide's “projection of A..I” prints 0.24, 0.22, 0.32, 0.08 here."]


def test_whether_neighbours_get_more() -> None:
    """The guide says so of its model, where it is not so; digits has learned it."""
    for kind, first in (("vit-guide-2x2", 1), ("digits", 0)):
        step = trace(kind)["encoder.0.attention.weights"]
        weights: dict[int, list[float]] = {0: [], 1: [], 2: []}
        for i in range(9):
            for j in range(9):
                apart = max(abs(i // 3 - j // 3), abs(i % 3 - j % 3))
                weights[apart].append(float(step.value[0, i + first, j + first]))
        own, near, far = (100 * np.mean(each) for each in weights.values())
        (said,) = of_patches(trace(kind), step, (0,))
        shown = [float(each) for each in re.findall(r"([\d.]+) %", said)]
        assert shown == pytest.approx([near, far, own], abs=0.05 + 1e-9)
        assert (near > far) == (kind == "digits")
    assert of_patches(trace("sentence-guide"), trace("sentence-guide")["encoder.0.attention.weights"]) == []


def test_a_mean_lies_between_what_it_is_taken_of() -> None:
    step, values = guide("encoder.0.attention.context"), guide("encoder.0.attention.value")
    ends = [values.value.min(), values.value.max(), step.value.min(), step.value.max()]
    assert numbers(remarks(step, ())[-1]) == pytest.approx(ends, abs=6e-4)


def test_what_softmax_shares_out() -> None:
    """With the guide's [CLS], the powers and the sum are those that it prints."""
    run = txviz.trace("vit-guide-2x2", find("vit-guide-2x2").example, edits=["pool.cls=guide"])
    said = remarks(run["head.probabilities"], ())[-1]
    assert said.startswith("The powers e^score are "), "a capital E is the matrix of the patches"
    assert numbers(said) == pytest.approx([6.17, 0.79, 24.29, 31.25], abs=5e-3)
    large = txviz.trace("vit-guide-2x2", find("vit-guide-2x2").example, edits=["head.logits=900,1,2"])
    assert len(remarks(large["head.probabilities"], ())) == 1


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf, 1e308, 0.0])
@pytest.mark.parametrize("name", ["embed.projection", "encoder.0.attention.scores", "encoder.0.attention.context"])
def test_numbers_that_are_none_or_too_large(name: str, number: float) -> None:
    step = guide(name)
    value = step.value.copy()
    value[..., 1, :] = number
    for sentence in of_row(replace(step, value=value), (*(0,) * (value.ndim - 2), 1, 0)):
        check(sentence)
