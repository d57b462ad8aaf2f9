"""The guides' models built otherwise: against plain NumPy, in all combinations, and with the truth told about them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors import safe_open

import txviz
from tests.figures.levels import test_map as maps
from tests.figures.levels.checks import PAGES, check_picture, check_reads, drawn, nodes, unlike
from tests.figures.levels.test_all_pictures import PICTURES
from tests.reference.make_guides import CASES, TARGET, case, described
from txviz.cli import main
from txviz.errors import TxvizError
from txviz.figures.export import Export
from txviz.figures.marks import Text
from txviz.models import find
from txviz.models.options import Choice, Option
from txviz.ops import Array

GUIDES = ("sentence-guide", "vit-guide-3x2", "vit-guide-2x2")
Options = dict[str, Any]


def values(option: Option) -> tuple[Any, ...]:
    """All that an option of a guide can be."""
    if isinstance(option, Choice):
        return option.choices
    return (False, True) if option.default is False else (1, 2, 3, 4)


def options_of(model: str) -> dict[str, tuple[Any, ...]]:
    return {name: values(option) for name, option in find(model).options.items()}


def chosen(model: str) -> st.SearchStrategy[Options]:
    return st.fixed_dictionaries({name: st.sampled_from(each) for name, each in options_of(model).items()})


def pairwise(model: str) -> list[Options]:
    """A few combinations in which any two values of any two options meet."""
    known = options_of(model)
    names = list(known)
    open_pairs = {
        (a, x, b, y) for i, a in enumerate(names) for b in names[i + 1 :] for x, y in product(known[a], known[b])
    }
    found = []
    while open_pairs:
        best = max(
            (dict(zip(names, each, strict=True)) for each in _few(known)), key=lambda o: len(_met(o, open_pairs))
        )
        if not _met(best, open_pairs):
            a, x, b, y = min(open_pairs, key=str)
            best = {**{name: each[0] for name, each in known.items()}, a: x, b: y}
        open_pairs -= _met(best, open_pairs)
        found.append(best)
    return found


def _few(known: dict[str, tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    rng = np.random.default_rng(0)
    for _ in range(60):
        yield tuple(each[rng.integers(len(each))] for each in known.values())


def _met(options: Options, pairs: set[tuple[Any, ...]]) -> set[tuple[Any, ...]]:
    return {(a, x, b, y) for a, x, b, y in pairs if options[a] == x and options[b] == y}


def example(model: str, **options: Any) -> txviz.Trace:
    return txviz.trace(model, find(model).example, **options)


@pytest.mark.parametrize("i", range(len(CASES)))
def test_with_the_defaults_all_is_as_it_was(i: int) -> None:
    """The last bits may differ from one processor to the other."""
    trace = case(i)
    with safe_open(TARGET, "numpy") as file:
        assert described(trace) == json.loads(file.metadata()["described"])[i]
        for step in trace:
            np.testing.assert_allclose(step.value, file.get_tensor(f"{i}/{step.name}"), rtol=1e-12, atol=1e-14)


# Against plain NumPy


def waves(length: int, width: int) -> Array:
    """Written out, one number after the other."""
    return np.array(
        [
            [(np.cos if j % 2 else np.sin)(pos / 10000 ** ((j - j % 2) / width)) for j in range(width)]
            for pos in range(length)
        ]
    )


def softmax(x: Array) -> Array:
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return np.asarray(e / e.sum(axis=-1, keepdims=True))


def norm(x: Array) -> Array:
    """Without ε; a row of equal numbers becomes zeros."""
    spread = x.std(axis=-1, keepdims=True)
    return np.where(spread < 1e-12, 0, (x - x.mean(axis=-1, keepdims=True)) / np.where(spread < 1e-12, 1, spread))


def attend(x: Array, weights: dict[str, Array], options: Options) -> Array:
    q, k, v = (x @ weights[f"attention.{role}.weight"] for role in ("query", "key", "value"))
    size = x.shape[1] // int(options["heads"])
    found = []
    for begin in range(0, x.shape[1], size):
        here = slice(begin, begin + size)
        scores = q[:, here] @ k[:, here].T / (np.sqrt(size) if options["scaled"] else 1)
        found.append(softmax(scores) @ v[:, here])
    return np.concatenate(found, axis=1)


def feed_forward(x: Array, weights: dict[str, Array]) -> Array:
    hidden = np.maximum(x @ weights["ffn.hidden.weight"] + weights["ffn.hidden.bias"], 0)
    return np.asarray(hidden @ weights["ffn.output.weight"] + weights["ffn.output.bias"])


def layer(x: Array, weights: dict[str, Array], options: Options) -> Array:
    if options["block_order"] == "guide":
        return norm(x + feed_forward(attend(x, weights, options), weights))
    if options["block_order"] == "post-norm":
        x = norm(x + attend(x, weights, options))
        return norm(x + feed_forward(x, weights))
    x = x + attend(norm(x), weights, options)
    return np.asarray(x + feed_forward(norm(x), weights))


def pooled(x: Array, parameters: dict[str, Array], options: Options) -> Array:
    for i in range(options["layers"]):
        own = f"encoder.{i}."
        weights = {name.removeprefix(own): value for name, value in parameters.items() if name.startswith(own)}
        x = layer(x, weights, options)
    x = norm(x) if options["block_order"] == "pre-norm" else x
    return np.asarray(x[0] if options["pooling"] == "cls" else x.mean(axis=0))


def positions(kind: str, table: Array, tokens: int, grid: tuple[int, int], width: int) -> Array:
    if kind == "none":
        return np.zeros((tokens, width))
    if kind == "2d":
        rows, columns = waves(grid[0], width // 2), waves(grid[1], width // 2)
        places = [np.concatenate([rows[i], columns[j]]) for i in range(grid[0]) for j in range(grid[1])]
        return np.array([table[0], *places])
    return waves(tokens, width) if kind == "sinusoidal" else table[:tokens]


def image_by_hand(model: str, options: Options, parameters: dict[str, Array]) -> Array:
    guide: Any = find(model)
    pixels, (high, wide) = np.array(guide.guide["image"]), map(int, options["patch"].split("x"))
    grid = 6 // high, 6 // wide
    if model == "vit-guide-3x2" and options["patch"] == "3x2":
        grid = 1, 3  # the guide uses the top row only
    cut = [
        pixels[i * high : (i + 1) * high, j * wide : (j + 1) * wide].ravel()
        for i in range(grid[0])
        for j in range(grid[1])
    ]
    x = np.concatenate([parameters["embed.cls.vector"], np.array(cut) @ parameters["embed.projection.weight"]])
    kind = options["positions"]
    table = (
        parameters["embed.positions.table" if kind == "learned" else "embed.cls.position"]
        if kind in ("learned", "2d")
        else x
    )
    return pooled(x + positions(kind, table, len(x), grid, 4), parameters, options)


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(GUIDES[1:]).flatmap(lambda model: st.tuples(st.just(model), chosen(model))))
def test_an_image_by_hand(case: tuple[str, Options]) -> None:
    model, options = case
    trace = example(model, **options)
    name = f"pool.{options['pooling']}"
    np.testing.assert_allclose(trace[name].value, image_by_hand(model, options, trace.parameters), atol=1e-9)


@settings(max_examples=15, deadline=None)
@given(chosen("sentence-guide"))
def test_a_sentence_by_hand(options: Options) -> None:
    trace = txviz.trace("sentence-guide", "the cat sat on the mat .", **options)
    parameters, ids = trace.parameters, trace["tokens"].value
    table = parameters.get("embed.positions.table", np.zeros((0, 3)))
    x = parameters["embed.tokens.table"][ids] + positions(options["positions"], table, len(ids), (0, 0), 3)
    np.testing.assert_allclose(trace[f"pool.{options['pooling']}"].value, pooled(x, parameters, options), atol=1e-9)


# All that is shown, for any combination


@pytest.mark.parametrize("model", GUIDES)
def test_every_two_choices_together_replay_and_are_explained(model: str) -> None:
    for options in pairwise(model):
        trace = example(model, **options)
        assert trace.verify() == [], options
        for step in trace:
            assert np.isfinite(step.value).all(), (options, step.name)
            last = tuple(n - 1 for n in step.value.shape)
            assert step.explain(last).result == pytest.approx(float(step.value[last]), abs=1e-12)
            assert step.text
            assert step.formula or step.op == "given"
        for node in trace.outline:
            assert "{" not in str(node.why)


@pytest.mark.parametrize("model", GUIDES)
def test_every_two_choices_together_are_drawn(model: str) -> None:
    for options in pairwise(model)[::6]:
        trace = example(model, **options)
        for picture in PICTURES:
            for node in unlike(nodes(trace, picture)):
                made = drawn(trace, node, PAGES[0], kind=picture)
                check_picture(made, trace, node, PAGES[0], f"{options}: {node.name}", picture)
                check_reads(made, trace)
        maps.check(maps.drawn(trace), trace, maps.PAGES[0])


def test_the_pictures_of_a_run_are_there_without_positions() -> None:
    with_, without = example("vit-guide-2x2"), example("vit-guide-2x2", positions="none")
    assert without.outline.pictures == with_.outline.pictures
    assert "positions" not in without.outline.find("embed").pictures
    assert "Positions are left out" in str(without.outline.find("embed").why)
    assert "Positions are left out" not in str(with_.outline.find("embed").why)


# What is said


def test_the_command_line_says_it_too(capsys: pytest.CaptureFixture[str]) -> None:
    image = find("vit-guide-2x2").example
    assert main(["show", "vit-guide-2x2", image, "--scaled", "--heads", "2", "--step", "head.prediction"]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[-1].startswith("Not the guide's: 2 heads, scores divided by √d_k.")
    assert main(["show", "vit-guide-2x2", image, "--step", "head.prediction"]) == 0
    assert "Not the guide's" not in capsys.readouterr().out


def test_a_figure_says_it_at_its_foot() -> None:
    for options, told in (({"heads": 2}, 1), ({}, 0)):
        trace = example("vit-guide-2x2", **options)
        figure = Export(trace, [trace["pool.cls"]], "svg").figure(trace["pool.cls"])
        written = [mark.text for mark in figure.flat() if isinstance(mark, Text)]
        assert sum(text.startswith("Not the guide's: 2 heads.") for text in written) == told


def test_what_is_made_up_is_told_and_is_the_same_every_time() -> None:
    options: Options = {"patch": "1x1", "layers": 3, "heads": 2, "positions": "learned"}
    one, two = example("vit-guide-2x2", **options), example("vit-guide-2x2", **options)
    assert [step.value.tobytes() for step in one] == [step.value.tobytes() for step in two]
    note = one.about["note"]
    assert note == (
        "Not the guide's: 1×1 patches, 3 layers, 2 heads. The numbers are no longer those of the guide. Made up, "
        "repeatably: all of layers 1 to 2, the projection of the patches, the positions from 10 on."
    )
    assert one["image"].note == note
    assert one.outline.title == "Guide: cat, dog or bird, changed"
    made = {step.name for step in one if "made up" in step.note}
    reading = {
        step.name
        for step in one
        for name, source in zip(step.inputs, step.operands, strict=False)
        if name in one.learned and not _is_the_guides(name, source)
    }
    assert made - {"image"} == reading


def _is_the_guides(name: str, value: Array) -> bool:
    guide: Any = find("vit-guide-2x2")
    return name in guide.parameters and np.array_equal(guide.parameters[name], value)


@pytest.mark.parametrize("model", GUIDES)
def test_with_the_defaults_nothing_is_said(model: str) -> None:
    assert "note" not in example(model).about
    assert "note" not in example(model, pooling=find(model).options["pooling"].default).about


def test_pooling_is_the_sentence_guides_own_choice() -> None:
    assert "note" not in example("sentence-guide", pooling="cls").about
    assert "mean pooling" in example("vit-guide-2x2", pooling="mean").about["note"]


@pytest.mark.parametrize(
    ("options", "kept", "gone"),
    [
        ({"positions": "none"}, {"patches", "embed.projection"}, {"embed.sum", "encoder.0.attention.scores"}),
        ({"pooling": "mean"}, {"embed.sum", "encoder.0.norm_2"}, {"head.logits", "head.probabilities"}),
        ({"block_order": "post-norm"}, {"encoder.0.attention.weights"}, {"encoder.0.norm_2", "head.logits"}),
        ({"layers": 2}, {"encoder.0.norm_2"}, {"head.logits"}),
        ({"patch": "3x3"}, set(), {"patches", "embed.projection", "embed.sum"}),
    ],
)
def test_what_the_guide_prints_stands_only_where_it_is_still_so(
    options: Options, kept: set[str], gone: set[str]
) -> None:
    printed = {step.name for step in example("vit-guide-2x2", **options) if step.printed}
    own = {step.name for step in example("vit-guide-2x2") if step.printed}
    assert kept <= printed <= own
    assert not gone & printed


def test_a_note_that_is_no_longer_true_is_left_out() -> None:
    both = example("vit-guide-2x2", block_order="post-norm", scaled=True, layers=2)
    for step in ("encoder.0.residual_2", "encoder.0.attention.scores"):
        assert example("vit-guide-2x2")[step].note
        assert not both[step].note
    for step in ("encoder.0.norm_2", "pool.cls"):
        assert both[step].note == example("vit-guide-2x2")[step].note


@pytest.mark.parametrize(
    ("model", "options", "said"),
    [
        ("vit-guide-2x2", {"heads": 3}, "heads is 3; it can be 1 or 2 or 4"),
        ("sentence-guide", {"heads": "2"}, "heads is '2'; it can be 1 or 3"),
        ("vit-guide-2x2", {"patch": "4x4"}, "patch is '4x4'; it can be 2x2 or 1x1 or 3x2 or 2x3 or 3x3 or 6x6"),
        ("vit-guide-2x2", {"layers": 13}, "layers is 13; it must be a whole number from 1 to 12"),
        ("sentence-guide", {"positions": "2d"}, "positions is '2d'; it can be learned or none or sinusoidal"),
        ("masked-attention-guide", {"layers": 2}, "masked-attention-guide has no option layers; it takes none"),
    ],
)
def test_what_can_not_be_chosen(model: str, options: Options, said: str) -> None:
    with pytest.raises(TxvizError, match=f"^{said}$"):
        example(model, **options)
