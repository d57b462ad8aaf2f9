"""Steps in plain language: every sentence about a shipped model reads well, and says what the numbers say."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

import txviz
from tests.figures.shipped import KINDS, trace
from txviz.figures.looks import shape_arithmetic
from txviz.figures.numerals import percent
from txviz.figures.prints import prints
from txviz.figures.remarks.shown import shown_at
from txviz.figures.sentences import _remark, of_patches, remarks, sentences
from txviz.figures.views.histogram import summary
from txviz.ops.arithmetic import number
from txviz.trace import Parameter, Step

EVEN, WHITE, BLACK = [0.5] * 4, [1.0] * 4, [0.0] * 4
"""The pixels of patches."""


def said(step: Step, place: tuple[int, ...] = ()) -> str:
    return " ".join(sentences(step, place))


def share(value: float) -> str:
    return f"{value * 100:.0f} %"


def changed(kind: str, name: str, value: object) -> Step:
    """A step as it is, but for its numbers."""
    step = trace(kind)[name]
    return replace(step, value=np.broadcast_to(np.asarray(value, dtype=float), step.value.shape))


@pytest.mark.parametrize("kind", KINDS)
def test_every_step_reads_well(kind: str) -> None:
    for step in trace(kind):
        for place in ((), (1,), (99,), (-1,)):
            found = sentences(step, place)
            assert 1 <= len(found) <= 4, (step.name, found)
            for sentence in found:
                check(sentence)


@pytest.mark.parametrize("kind", KINDS)
def test_there_is_something_to_say_about_every_step_that_a_model_makes(kind: str) -> None:
    """``remarks`` says nothing where that fails: it must not, but for files that no model made."""
    for step in trace(kind):
        _remark(step)(shown_at(step, ()))


def test_a_step_that_no_model_makes_has_no_remark() -> None:
    step = trace("digits")["encoder.0.attention.merged"]
    strange = replace(step, sources=(Parameter("x", step.sources[0].value, step.site),))
    assert remarks(strange, ()) == []
    assert remarks(step, ()) != []


def check(sentence: str) -> None:
    assert sentence.endswith("."), sentence
    assert len(sentence) < 220, sentence
    assert sentence[0] == sentence[0].upper()
    assert not re.search(r"\bnan\b|None|  |−0 %|array\(|\.\.| ,", sentence), sentence
    assert sentence.count("“") == sentence.count("”"), sentence
    assert not BARE_SIGN.search(sentence), sentence


BARE_SIGN = re.compile(r"[×÷/^+−]\s*−")
"""A sign between two numbers, and the second is negative and has no brackets: 0.1 × −0.25."""


@pytest.mark.parametrize("kind", KINDS)
def test_a_negative_number_after_a_sign_has_brackets(kind: str) -> None:
    """In the arithmetic of the first, the middle and the last cell of every step, and in the histogram's summary."""
    for step in trace(kind):
        cells = list(np.ndindex(*step.value.shape))
        for cell in (cells[0], cells[len(cells) // 2], cells[-1]):
            assert not BARE_SIGN.search(step.explain(cell).text), step.name
        assert not BARE_SIGN.search(summary(step.value)), step.name


@pytest.mark.parametrize("kind", KINDS)
def test_every_step_has_its_shapes(kind: str) -> None:
    for step in trace(kind):
        line = shape_arithmetic(step)
        assert line == line.strip()
        made = line.rpartition("→ ")[2]
        sizes = [int(n) for n in re.findall(r"\d+", made)]
        if step.sources:
            assert tuple(sizes) in ((step.value.shape or (1,)), step.value.shape[-2:]), (step.name, line)


def test_what_a_guide_has_is_not_said_of_what_was_put_in_its_place() -> None:
    table = "decoder.0.self_attention.table"
    cat = txviz.trace("masked-attention-guide", "YOUR CAT IS A LOVELY CAT", edits=[f"{table}[0,0,0]=0.9"])
    assert "as it is printed" not in said(cat[table])
    assert "As the guide prints it" not in said(cat[table])


# Attention


def test_where_a_token_looks() -> None:
    step = trace("sentence-guide")["encoder.0.attention.weights"]
    weights = step.value[0]
    assert weights.max() == weights[2, 2]
    assert f"“cat” gives {share(weights[2, 2])} of its attention to itself, more than to anything else." in said(step)
    mean = weights.mean(axis=0)
    assert mean.argmax() == 2
    assert f"Over all 5 queries, “cat” gets most: {share(mean[2])}." in said(step)
    assert "In head" not in said(step), "there is only one"


def test_the_head_that_is_shown() -> None:
    step = trace("digits")["encoder.0.attention.weights"]
    for head in range(4):
        query, key = np.unravel_index(step.value[head].argmax(), step.value[head].shape)
        looks, at = (f"patch {step.labels[1][i]}" for i in (query, key))
        where = "itself" if query == key else at
        amount = step.value[head, query, key]
        amount_said = percent(amount)
        assert f"In head {head}, {looks} gives {amount_said} of its attention to {where}" in said(step, (head,))
    assert sentences(step, (0,)) == sentences(step)
    assert sentences(step, (7,)) == sentences(step, (3,))


def test_how_near_a_patch_looks_is_told_with_as_many_decimals_each() -> None:
    step = trace("digits")["encoder.0.attention.weights"]
    rows, columns = np.divmod(np.arange(9), 3)
    apart = np.maximum(abs(rows[:, None] - rows), abs(columns[:, None] - columns))
    for head in range(4):
        shares = (step.value[head][where].mean() for where in (apart == 1, apart > 1, apart == 0))
        near, far, own = (f"{100 * share:.1f} %" for share in shares)
        (told,) = of_patches(trace("digits"), step, (head,))
        assert told.endswith(f" gives {near} to one that touches it, {far} to one farther away, {own} to itself.")


def test_of_two_equal_words_it_says_which() -> None:
    step = trace("masked-attention-guide")["decoder.0.self_attention.weights"]
    assert f"“CAT” (1st) gives {share(step.value[0, 1, 1])} of its attention to itself" in said(step)


def test_while_writing_it_is_the_last_token_that_looks() -> None:
    step = trace("writer")["time.1.decoder.0.self_attention.weights"]
    row = step.value[2, -1]
    labels = step.labels[-1]
    assert labels[-1] == "table"
    assert f"In head 2, “table” gives {share(row.max())} of its attention to" in said(step, (2,))


def test_cross_attention_never_looks_at_itself() -> None:
    for step in trace("translator").find("*cross_attention.weights"):
        assert all("itself" not in said(step, (head,)) for head in range(4))


def test_even_attention() -> None:
    step = changed("sentence-guide", "encoder.0.attention.weights", 0.2)
    assert "looks at all 5 keys that it sees alike, with 20 % each." in said(step)
    assert "gets most" not in said(step)


def test_a_row_that_sees_nothing() -> None:
    step = changed("sentence-guide", "encoder.0.attention.weights", 0.0)
    assert "nobody has a choice" in said(step).casefold()


def test_what_fits_best() -> None:
    step = trace("sentence-guide")["encoder.0.attention.scores"]
    assert step.value.max() == step.value[0, 2, 2]
    assert "“cat” fits itself best: 0.98; the worst fit is −0.09." in said(step)
    assert "the best fit, 3, is found in 25 cells." in said(changed("sentence-guide", step.name, 3.0)).casefold()
    assert "No cell is open." in said(changed("sentence-guide", step.name, -np.inf))


def test_what_the_mask_hides() -> None:
    step = trace("masked-attention-guide")["decoder.0.self_attention.masked"]
    assert np.isneginf(step.value).sum() == 15
    assert "15 of 36 cells are hidden. “YOUR” sees only itself." in said(step)


def test_where_the_values_come_from() -> None:
    weights = trace("sentence-guide")["encoder.0.attention.weights"].value[0]
    step = trace("sentence-guide")["encoder.0.attention.context"]
    assert f"“cat” takes {share(weights[2, 2])} from its own value." in said(step)


# Layers


def test_what_relu_lets_through() -> None:
    step = trace("translator")["encoder.0.ffn.activation"]
    assert step.op == "relu"
    assert f"{share((step.value == 0).mean())} of the cells are 0: ReLU let nothing negative through." in said(step)
    assert "Every cell is 0" in said(changed("translator", step.name, 0.0))
    assert "changed nothing" in said(changed("translator", step.name, 1.0))


def test_what_gelu_does() -> None:
    step = trace("digits")["encoder.0.ffn.activation"]
    negative = (trace("digits")["encoder.0.ffn.hidden"].value < 0).mean()
    assert f"{share(negative)} of the numbers were negative; after GELU the lowest is −0.17." in said(step)


def test_mean_and_variance_before_a_norm() -> None:
    trace_ = trace("sentence-guide")
    before = trace_["encoder.0.residual_2"].value
    row = before.var(axis=-1).argmax()
    assert row == 2
    had = f"had mean {before[row].mean():.2g} and variance {before[row].var():.2g}"
    assert f"The row of “cat” {had}; the norm makes them 0 and 1." in said(trace_["encoder.0.norm_2"])
    assert "learned gain and bias" in said(trace("digits")["encoder.0.norm_1"])


def test_which_token_a_residual_changes_most() -> None:
    trace_ = trace("sentence-guide")
    lengths = np.linalg.norm(trace_["encoder.0.ffn.output"].value, axis=-1)
    assert lengths.argmax() == 1
    step = trace_["encoder.0.residual_2"]
    assert f"“The” changes most: a vector of length {lengths[1]:.3g} is added" in said(step)


def test_brightness_and_contrast() -> None:
    step = trace("vit-guide-2x2")["patches"]
    means, spreads = step.value.mean(axis=1), step.value.std(axis=1)
    bright, dark, rich = (step.labels[0][i] for i in (means.argmax(), means.argmin(), spreads.argmax()))
    ends = f"Patch {bright} is the brightest (mean {means.max():.3g}), patch {dark} the darkest ({means.min():.3g})"
    most = f"patch {rich} has the most contrast (standard deviation {spreads.max():.3g})"
    assert f"{ends}, and {most}." in said(step)
    image = trace("vit-guide-2x2")["image"]
    light = f"brightness (mean) is {image.value.mean():.3g}, its contrast (standard deviation) {image.value.std():.3g}."
    assert light in said(image)
    assert "Patch A is the brightest" in said(trace("vit-guide-3x2")["patches"]), "of those that are used"


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (
            [EVEN] * 9,
            "All patches are equally bright (mean 0.5), and all have the same contrast (standard deviation 0).",
        ),
        (
            [WHITE] * 2 + [BLACK] * 7,
            "Patches A and B are the brightest (mean 1), 7 patches the darkest (0), and all have",
        ),
        (
            [[0, 1, 0, 1], *[EVEN] * 8],
            "equally bright (mean 0.5), and patch A has the most contrast (standard deviation",
        ),
    ],
)
def test_patches_that_are_alike(rows: list[list[float]], words: str) -> None:
    assert words in said(changed("digits", "patches", rows))


def test_of_numbers_that_are_too_large_nothing_is_said() -> None:
    assert "bright" not in said(changed("digits", "patches", [[1e300, -1e300, 0, 0]] * 9))
    assert "bright" not in said(changed("digits", "image", np.inf))


def test_tokens_and_patches() -> None:
    assert "There are 5 tokens: [CLS], “The”, “cat”, “sat” and “.”." in said(trace("sentence-guide")["tokens"])
    assert "There are 5 tokens, each with 3 numbers." in said(trace("sentence-guide")["embed.tokens"])
    assert "“the” stands there twice" in said(trace("sentence")["first.embed.tokens"])
    assert "There are 9 patches of 2×2 pixels, 4 numbers each." in said(trace("digits")["patches"])
    assert "[CLS] comes first, then 9 patches" in said(trace("vit-guide-2x2")["embed.tokens"])
    assert "16 features are dealt out to 4 heads, 4 to each." in said(trace("digits")["encoder.0.attention.query"])
    one = txviz.trace("sentence-guide", "cat", pooling="cls")
    assert "There are 2 tokens: [CLS] and “cat”." in said(one["tokens"])


# What the model says


def test_how_sure_the_model_is() -> None:
    step = trace("vit-guide-2x2")["head.probabilities"]
    likely = dict(zip(step.labels[0], step.value.tolist(), strict=True))
    assert sorted(likely, key=lambda name: -likely[name])[:2] == ["bird", "cat"]
    bird, cat = share(likely["bird"]), share(likely["cat"])
    assert f"The model is {bird} sure of “bird”; next comes “cat” with {cat}." in said(step)
    assert "3 answers share the first place, with 33 % each." in said(changed("vit-guide-2x2", step.name, 1 / 3))


def test_the_chosen_token() -> None:
    likely = trace("translator")["time.1.head.probabilities"].value.max()
    assert f"It is “ti”, the likeliest, with {share(likely)}." in said(trace("translator")["time.1.choice.token"])
    assert f"It gave “ti” {share(likely)}." in said(trace("translator")["time.1.choice.probability"])


def test_sampling() -> None:
    trace_ = trace("sampling")
    kept = trace_["time.1.head.top_k"].value
    assert np.isfinite(kept).sum() == 5
    assert "5 of 395 answers stay: " in said(trace_["time.1.head.top_k"])
    assert "At temperature 0.8 the lead of" in said(trace_["time.1.head.tempered"])
    assert "In the draw, " in said(trace_["time.1.head.probabilities"])
    assert "The chance 0.08565 falls into the share of" in said(trace_["time.1.choice.token"])


# Learning


def test_the_surprise() -> None:
    step = trace("a training step of the translator")["loss.positions"]
    assert step.value.argmax() == 1
    assert f"It is largest after “ti”, where “amo” is right: {step.value[1]:.3g}." in said(step)
    one = trace("a training step of digits")["loss.positions"]
    assert np.exp(-one.value) < 0.005
    assert "it gave “3”, which is right, < 0.01 %." in said(one)


def test_where_the_gradient_is_strongest() -> None:
    step = trace("a training step of digits")["backward.encoder.1.attention.output"]
    token, feature = np.unravel_index(np.abs(step.value).argmax(), step.value.shape)
    where = f"patch {step.labels[0][token]}, feature {feature}"
    assert f"It is strongest at {where}: " in said(step)
    better = "larger" if step.value[token, feature] < 0 else "smaller"
    assert f"a slightly {better} number there would make the loss smaller." in said(step)
    assert "It is 0 everywhere" in said(changed("a training step of digits", step.name, 0.0))
    patches = trace("a training step of digits")["backward.embed.projection"]
    strongest = patches.labels[0][np.unravel_index(np.abs(patches.value).argmax(), patches.value.shape)[0]]
    assert f"patch {strongest}" in said(patches)


def test_a_gradient_that_is_only_rounding() -> None:
    """Adding the same number to all keys changes no attention weight."""
    assert "0 but for rounding" in said(trace("a training step of digits")["backward.encoder.1.attention.key.bias"])


def test_the_largest_change() -> None:
    trace_ = trace("a training step of digits")
    step = trace_["update.head.bias"]
    change = np.abs(step.value - trace_.parameters["head.bias"])
    assert f"The largest change is {number(change.max(), 3)}; " in said(step)


def test_clipping_and_the_loss_after_the_step() -> None:
    short, long = (trace(f"a training step of {name}")["update.length"] for name in ("the translator", "the writer"))
    assert f"It is {number(float(short.value), 3)}, within the limit of 1, so the gradients stay" in said(short)
    assert f"so every gradient is divided by {number(float(long.value), 3)}." in said(long)
    assert "with the new parameters" in said(trace("a training step of digits")["after.loss"])


def test_label_smoothing_is_said() -> None:
    smoothed = trace("a training step of the translator")["loss.positions"]
    assert "10 % of each right answer is spread over all" in said(smoothed)
    assert "smoothing" not in said(trace("a training step of digits")["loss.positions"])


# Odd numbers


def test_numbers_that_are_none() -> None:
    for step in trace("sentence-guide"):
        if step.value.dtype.kind == "f":
            strange = replace(step, value=np.full_like(step.value, np.nan))
            assert "100 % of its cells are not numbers." in said(strange)


def test_nothing_at_all() -> None:
    step = trace("sentence-guide")["embed.tokens"]
    assert "There is nothing in it." in said(replace(step, value=np.zeros((0, 3))))


@pytest.mark.parametrize("number", [0.0, 1.0, -1.0, -np.inf, np.inf])
@pytest.mark.parametrize("kind", ["sentence-guide", "digits", "masked-attention-guide", "sampling"])
def test_the_same_number_everywhere(kind: str, number: float) -> None:
    with np.errstate(all="ignore"):
        for step in trace(kind):
            if step.value.dtype.kind == "f":
                for sentence in sentences(replace(step, value=np.full_like(step.value, number)), (1,)):
                    check(sentence)


@pytest.mark.parametrize("name", ["norm_2", "ffn.activation", "residual_2", "attention.context", "attention.weights"])
def test_what_an_operation_does_is_not_said_of_numbers_that_it_did_not_make(name: str) -> None:
    """The norm makes them 0 and 1, ReLU changed nothing: not where somebody has put in others."""
    plain, edited = (
        txviz.trace("sentence-guide", "The cat sat.", edits=edits) for edits in ([], [f"encoder.0.{name}=0.3"])
    )
    before, after = (remarks(each[f"encoder.0.{name}"], ()) for each in (plain, edited))
    assert before
    assert not set(before) & set(after)
    assert sentences(edited[f"encoder.0.{name}"])[1].endswith("Put in by hand, in place of the computed value.")


def test_steps_that_were_put_in_by_hand() -> None:
    by_hand = {"encoder.0.attention.weights": lambda w: 0 * w + 0.2, "encoder.0.norm_2": lambda x: 0 * x}
    for step in txviz.trace("sentence-guide", "The cat sat.", overrides=by_hand):
        for sentence in sentences(step):
            check(sentence)


# Shapes and prints


@pytest.mark.parametrize(
    ("kind", "name", "line"),
    [
        ("digits", "encoder.0.attention.scores", "4 heads: (9×4)(4×9) → 9×9"),
        ("digits", "encoder.0.attention.context", "4 heads: (9×9)(9×4) → 9×4"),
        ("digits", "encoder.0.ffn.hidden", "(9×16)(16×76) + 76 → 9×76"),
        ("digits", "encoder.0.residual_1", "9×16 + 9×16 → 9×16"),
        ("digits", "encoder.0.attention.query", "9×16 → 4 heads × 9×4"),
        ("digits", "encoder.0.attention.merged", "4 heads × 9×4 → 9×16"),
        ("digits", "encoder.0.norm_1", "9×16 ⊙ 16 + 16 → 9×16"),
        ("vit-guide-2x2", "embed.tokens", "1×4 ; 9×4 → 10×4"),
        ("vit-guide-2x2", "pool.cls", "10×4 [0] → 4"),
        ("digits", "head.logits", "(16)(16×10) + 10 → 10"),
        ("digits", "head.prediction", "10 → 1"),
        ("digits", "image", "6×6"),
        ("translator", "embed.tokens", "8 rows of 1185×64 → 8×64"),
        ("translator", "time.2.decoder.0.self_attention.masked", "4 heads: 2×2 + 2×2 → 2×2"),
        ("translator", "time.2.head.last", "2×1185 [last] → 1185"),
        ("sentence", "similarity.cosine", "48 · 48 → 1"),
        ("a training step of digits", "backward.head.weight", "(16×1)(1×10) → 16×10"),
    ],
)
def test_shapes(kind: str, name: str, line: str) -> None:
    assert shape_arithmetic(trace(kind)[name]) == line


def test_what_the_guide_prints() -> None:
    step = trace("sentence-guide")["encoder.0.attention.weights"]
    (verdict,) = prints(step)
    assert not verdict.agrees
    assert verdict.mark == "✗"
    assert "it prints 0.12, 0.08, 0.46, 0.24, 0.1; computed: 0.1522, 0.1284, 0.3742, 0.2033, 0.1419." in verdict.text
    (right,) = prints(trace("sentence-guide")["encoder.0.attention.scores"])
    assert right == (True, "The guide's “scores of 'cat' (row 2)” is right.")


def test_large_prints_are_counted() -> None:
    (verdict,) = prints(trace("vit-guide-2x2")["embed.projection"])
    assert verdict.text == (
        "The guide's “projection of A..I” is wrong: 26 of 36 numbers differ from those computed, by up to 0.12. "
        "Only A and E are right."
    )


def test_inherited_errors_are_told_apart() -> None:
    """What the guide prints, what follows from its own inputs, and what the model gives, are three things."""
    guide = trace("vit-guide-2x2")
    (right,) = prints(guide["encoder.0.residual_2"])
    assert right.agrees
    assert right.text == (
        "The guide's “residual” follows from its own inputs; the model gives 0.3048, 0.4639, 0.4343, 0.2899."
    )
    (wrong,) = prints(guide["encoder.0.ffn.output"])
    assert wrong.text == (
        "The guide's “hidden W2 + b2” is wrong: it prints 0.31, 0.26, 0.35, 0.18; "
        "from its own inputs follows 0.2182, 0.2523, 0.2728, 0.3076; the model gives 0.1948, 0.2339, 0.2643, 0.2799."
    )


def test_every_wrong_print_has_a_verdict() -> None:
    verdicts = [verdict for kind in txviz.models() for step in trace(kind) for verdict in prints(step)]
    assert len(verdicts) == 23
    assert sum(not verdict.agrees for verdict in verdicts) == 13
    assert all(verdict.text.endswith(".") and "−0 " not in verdict.text for verdict in verdicts)
