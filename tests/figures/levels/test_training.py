"""One step of training on one page: every bar, number and word against the trace, computed again by NumPy alone."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest

import txviz
from tests.figures import shipped
from tests.figures.kinds import all_of
from tests.figures.levels.checks import PAGES, all_marks, bounds, check_picture, drawn, heats_of, words
from txviz import Trace
from txviz.figures.levels.picture import Picture
from txviz.figures.marks import Arrow, Box, Group, Heat, Line, Mark, Text
from txviz.figures.numerals import decimal, percent
from txviz.figures.presets import PRESETS
from txviz.figures.theme import DARK
from txviz.models import find
from txviz.ops import Array
from txviz.ops.arithmetic import number
from txviz.trace import Parameter, Step

WORDS = ("a training step of the translator", "a training step of the writer")
RUNS = (*WORDS, "a training step of digits", "a training step of the sentence encoder")
LONG = " ".join(["il gatto nero dorme sulla sedia"] * 6)


def picture_of(trace: Trace, **how: object) -> Picture:
    return drawn(trace, trace.outline, kind="training", **how)  # type: ignore[arg-type]


@cache
def shown(kind: str) -> Picture:
    return picture_of(shipped.trace(kind))


def marks(picture: Picture, name: str) -> list[Mark]:
    found = [mark for mark in picture.figure.marks if isinstance(mark, Group) and mark.name == name]
    return list(all_marks(found))


def boxes(picture: Picture, name: str) -> list[Box]:
    return all_of(Box, marks(picture, name))


def texts(picture: Picture, name: str) -> list[str]:
    return [mark.text for mark in all_of(Text, marks(picture, name))]


def probabilities(trace: Trace) -> Array:  # -> (positions,V)
    logits = trace["head.logits"].value
    powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return np.atleast_2d(powers / powers.sum(axis=-1, keepdims=True))


def goals(trace: Trace) -> Array:  # -> (positions,V)
    """What the probabilities should be: 1 for the label, less what smoothing takes from it and gives to all."""
    likely, part = probabilities(trace), trace["loss.positions"].params["smoothing"]
    wanted = np.full(likely.shape, part / likely.shape[1])
    wanted[np.arange(len(wanted)), trace["labels"].value] += 1 - part
    return wanted


def cross_entropies(trace: Trace) -> Array:  # -> (positions,)
    return np.asarray(-(goals(trace) * np.log(probabilities(trace))).sum(axis=1))


def gradients(trace: Trace) -> dict[str, Step]:
    """Of all parameters, by their names, in the order of the updates."""
    names = [step.name.replace("update", "backward", 1) for step in trace if _is_update(step)]
    return {name: trace[name] for name in names}


@pytest.mark.parametrize("kind", shipped.KINDS)
def test_only_a_training_step_has_it(kind: str) -> None:
    trace = shipped.trace(kind)
    found = {node.name for node in trace.outline if "training" in node.pictures}
    assert found == ({""} if kind in RUNS else set())
    assert trace.outline.pictures[0] == "map"


@pytest.mark.parametrize("kind", WORDS)
def test_bars_are_the_probabilities_of_the_right_words(kind: str) -> None:
    trace, picture = shipped.trace(kind), shown(kind)
    likely = probabilities(trace)
    right = likely[np.arange(len(likely)), trace["labels"].value]
    bars = boxes(picture, "probability of it")
    numbers = all_of(Text, marks(picture, "probability of it in numbers"))
    assert [text.text for text in numbers] == [percent(float(share)) for share in right]
    (foot, *_) = {bar.y + bar.height for bar in bars}
    whole = foot - numbers[0].y - 0.3 * numbers[0].size
    assert [bar.height / whole for bar in bars] == pytest.approx(right.tolist())


@pytest.mark.parametrize("kind", WORDS)
def test_bars_are_the_cross_entropies_and_a_line_their_mean(kind: str) -> None:
    trace, picture = shipped.trace(kind), shown(kind)
    costs = cross_entropies(trace)
    bars = boxes(picture, "cross-entropy")
    assert [bar.height / bars[0].height for bar in bars] == pytest.approx((costs / costs[0]).tolist())
    assert texts(picture, "cross-entropy in numbers") == [decimal(float(cost), 2) for cost in costs]
    (line,) = all_of(Line, marks(picture, "mean"))
    foot = bars[0].y + bars[0].height
    assert (foot - line.y1) / bars[0].height == pytest.approx(costs.mean() / costs[0])
    assert float(trace["loss.mean"].value) == pytest.approx(costs.mean())
    assert number(costs.mean()) in texts(picture, "the mean")


def test_label_smoothing_is_worked_out_in_words() -> None:
    trace = shipped.trace(WORDS[0])
    said = " ".join(texts(shown(WORDS[0]), "sentences"))
    likely, costs = probabilities(trace), cross_entropies(trace)
    worst = int(costs.argmax())
    label, count = int(trace["labels"].value[worst]), likely.shape[1]
    assert f"should get 0.9 + 0.1 / {count:,} ≈ {number(goals(trace)[worst, label])}" in said
    own, every = -np.log(likely[worst, label]), -np.log(likely[worst]).mean()
    worked = f"0.9 × {number(own)} + 0.1 × {number(every)} ≈ {number(costs[worst])}"
    assert f"the loss at “{trace['labels'].labels[0][worst]}” is" in said
    assert worked in said
    assert 0.9 * own + 0.1 * every == pytest.approx(costs[worst])
    (line,) = all_of(Line, marks(shown(WORDS[0]), "goal"))
    bars = boxes(shown(WORDS[0]), "probability of it")
    share = likely[0, trace["labels"].value[0]] / goals(trace)[worst, label]
    assert bars[0].height / (bars[0].y + bars[0].height - line.y1) == pytest.approx(share)


def test_nothing_is_said_of_smoothing_where_there_is_none() -> None:
    said = " ".join(texts(shown(WORDS[1]), "sentences"))
    costs = cross_entropies(shipped.trace(WORDS[1]))
    assert "smoothing" not in said
    assert f"−ln {number(np.exp(-costs.max()))} ≈ {number(costs.max())}" in said


@pytest.mark.parametrize("kind", WORDS)
def test_labels_are_the_input_shifted_by_one(kind: str) -> None:
    """An arrow from each label but the last to the next position's input, which is the same word."""
    trace, picture = shipped.trace(kind), shown(kind)
    given = next(step for step in trace if step.op == "given" and step.labels == trace["loss.positions"].labels)
    cells = {}
    for step in (given, trace["labels"]):
        found = marks(picture, step.name)
        cells[step.name] = [mark for mark in found if isinstance(mark, Box)]
        assert [mark.text for mark in found if isinstance(mark, Text)] == list(step.labels[0])
    lines = all_of(Arrow, marks(picture, "shifted by one"))
    assert len(lines) == len(given.value) - 1
    for i, line in enumerate(lines):
        start, end = cells["labels"][i], cells[given.name][i + 1]
        assert [x for x, _ in line.points] == pytest.approx([start.x + start.width / 2, end.x + end.width / 2])
        assert given.labels[0][i + 1] == trace["labels"].labels[0][i]
    assert given.labels[0][0] == "<SOS>"


@pytest.mark.parametrize("kind", WORDS)
def test_one_pass_of_training_beside_a_pass_for_each_word(kind: str) -> None:
    trace, picture = shipped.trace(kind), shown(kind)
    count = len(trace["labels"].value)
    new = [mark for mark in marks(picture, "new word") if isinstance(mark, Box)]
    read = [mark for mark in marks(picture, "read again") if isinstance(mark, Box)]
    rows = sorted({box.y for box in new})
    assert len(new) == len(rows) == count
    assert [sum(box.y == y for box in read) for y in rows] == list(range(1, count + 1))
    at_once = [mark for mark in marks(picture, "answered at once") if isinstance(mark, Box)]
    assert len(at_once) == count
    assert len({box.y for box in at_once}) == 1
    assert {"Training: 1 pass", f"Inference: {count} passes"} <= set(words(picture))


@pytest.mark.parametrize("kind", RUNS)
def test_bars_are_the_norms_of_the_gradients(kind: str) -> None:
    trace, picture = shipped.trace(kind), shown(kind)
    squares: dict[tuple[object, ...], float] = {}
    for step in gradients(trace).values():
        site = step.site
        layer = (site.part, site.layer, None if site.layer is not None else site.block)
        squares[layer] = squares.get(layer, 0.0) + float((step.value**2).sum())
    norms = np.sqrt(list(squares.values()))
    bars = boxes(picture, "norms")
    assert [bar.width for bar in bars] == pytest.approx((norms / norms.max() * max(bar.width for bar in bars)).tolist())
    assert texts(picture, "norms in numbers") == [number(norm, 2) for norm in norms]
    together = float(np.sqrt(sum(squares.values())))
    assert any(f"norm {number(together, 3)}" in said for said in words(picture))
    assert together == pytest.approx(float(trace["update.length"].value))


@pytest.mark.parametrize("kind", RUNS)
def test_each_matrix_has_a_map_of_its_gradient(kind: str) -> None:
    """In its shape; of a long table the rows with the strongest gradients. Where the map is dark, the gradient is."""
    trace, picture = shipped.trace(kind), shown(kind)
    for name, step in gradients(trace).items():
        found = heats_of(picture, name)
        if step.value.ndim < 2:
            assert not found
            continue
        (heat,) = found
        rows, columns = step.value.shape
        together = columns // heat.columns
        assert columns == heat.columns * together
        assert together == 1 or heat.cell_width < 0.5, "only what can't be told apart is drawn together"
        strong = np.argsort(-np.abs(step.value).max(axis=1), kind="stable")[: heat.rows * together]
        order = np.arange(rows) if heat.rows * together == rows else strong
        assert len(order) == rows or (rows > 200 and heat.rows <= 16)
        assert not np.delete(step.value, order, axis=0).any() or len(order) in (rows, 16)
        drawn = step.value[order].reshape(heat.rows, -1, heat.columns, together).mean(axis=(1, 3))
        assert _lightness_follows(heat, drawn)
    check_picture(picture, trace, trace.outline, PAGES[0], kind)


def _lightness_follows(heat: Heat, values: Array) -> bool:
    """On a light page, the larger a number is, the further is its colour from white."""
    colours = np.frombuffer(heat.colours, np.uint8).reshape(-1, 3).astype(float)
    away, size = (255 - colours).sum(axis=1), np.abs(values).ravel()
    order = np.argsort(size, kind="stable")
    low, high = away[order[: len(order) // 4]], away[order[-max(len(order) // 4, 1) :]]
    return bool(size.max() == 0 or low.mean() < high.mean())


@pytest.mark.parametrize("optimizer", ["adam", "sgd"])
@pytest.mark.parametrize("model", ["digits", "sentence", "translator"])
def test_the_number_that_changes_most_before_and_after(model: str, optimizer: str) -> None:
    target = {"digits": "3", "sentence": "0.5", "translator": "ti amo"}[model]
    source = "I love you" if model == "translator" else find(model).example
    trace = txviz.trace(model, source, target=target, optimizer=optimizer)
    changes = {step.name: _change(step) for step in trace if _is_update(step)}
    most = max(float(change.max()) for change in changes.values())
    picture = picture_of(trace)
    before, gradient, after = texts(picture, "in digits")
    said = " ".join(words(picture))
    matching = [
        (name, tuple(index))
        for name, change in changes.items()
        for index in np.argwhere(change >= most * (1 - 1e-6))
        if trace[name].explain(tuple(index)).text in said
    ]
    assert matching, "the arithmetic is that of a cell that changed most"
    name, index = matching[0]
    start = trace[name].sources[0]
    assert (before, after) == _digits(float(start.value[index]), float(trace[name].value[index]))
    assert gradient == number(float(trace[name.replace("update", "backward", 1)].value[index]))
    assert start.site.title in said


def _is_update(step: Step) -> bool:
    return step.site.pass_ == "update" and bool(step.sources) and isinstance(step.sources[0], Parameter)


def _change(step: Step) -> Array:
    return np.asarray(np.abs(step.value - step.sources[0].value))


def _digits(before: float, after: float) -> tuple[str, str]:
    """With as many digits as tell them apart, four at least."""
    pairs = [(number(before, n), number(after, n)) for n in range(4, 12)]
    return next(pair for pair in pairs if pair[0] != pair[1])


@pytest.mark.parametrize("kind", RUNS)
def test_the_loss_again_is_lower(kind: str) -> None:
    trace, picture = shipped.trace(kind), shown(kind)
    before, after = (
        float(next(step for step in reversed(trace) if step.site.pass_ == "loss").value),
        trace["after.loss"],
    )
    bars = boxes(picture, "loss")
    assert bars[1].width / bars[0].width == pytest.approx(float(after.value) / before)
    assert texts(picture, "losses") == [number(before, 6), number(float(after.value), 6)]
    assert f"Lower by {percent(1 - float(after.value) / before)}." in " ".join(words(picture))


def test_padding_is_not_written_word_by_word() -> None:
    trace = txviz.trace("translator", "I love you very much", target="ti amo molto", pad=12)
    said = words(drawn(trace, trace.outline, kind="training"))
    assert "Inference: 4 passes" in said
    assert "Training: 1 pass" in said


def test_a_step_that_is_too_long_is_called_so() -> None:
    trace = txviz.trace("digits", find("digits").example, target="0", learning_rate=3.0)
    assert float(trace["after.loss"].value) > float(trace["loss.mean"].value)
    said = " ".join(words(picture_of(trace)))
    assert "Higher by" in said
    assert "a smaller learning rate may help" in said


@pytest.mark.parametrize(
    "name", ["head.probabilities", "update.length", "update.decoder.norm.gain", "encoder.0.norm_1"]
)
def test_numbers_put_in_by_hand(name: str) -> None:
    """What was put in has no sources; all else is shown, with the probabilities that the loss was made from."""
    trace = txviz.trace("translator", "I love you", target="ti amo", overrides={name: lambda value: value * 0.5})
    picture = picture_of(trace)
    check_picture(picture, trace, trace.outline, PAGES[0], name)
    likely = probabilities(trace)
    right = likely[np.arange(len(likely)), trace["labels"].value]
    assert texts(picture, "probability of it in numbers") == [percent(float(share)) for share in right]


def test_a_loss_put_in_by_hand_teaches_nothing() -> None:
    trace = txviz.trace("translator", "I love you", target="ti amo", overrides={"loss.mean": lambda value: value * 0})
    assert "training" not in trace.outline.pictures


def test_a_class_among_all_classes() -> None:
    trace, picture = shipped.trace("a training step of digits"), shown("a training step of digits")
    bars = boxes(picture, "probability of the class")
    likely = probabilities(trace)[0]
    assert [bar.height / max(bar.height for bar in bars) for bar in bars] == pytest.approx(
        (likely / likely.max()).tolist()
    )
    bold = [mark for mark in marks(picture, "classes") if isinstance(mark, Text) and mark.bold]
    assert [mark.text for mark in bold] == ["3"]
    assert f"cross-entropy = −ln {number(likely[3])} ≈ {number(-np.log(likely[3]))}" in words(picture)


def test_the_surprise_at_a_sure_answer_is_what_is_printed() -> None:
    """−ln 0.9998 is 0.0002, and not 0.0002346."""
    trace = txviz.trace("digits", find("digits").example, target=0)
    said = " ".join(words(drawn(trace, trace.outline, kind="training")))
    found = re.findall(r"−ln (\d\.\d+) ≈ (\d\.\d+)", said)
    assert len(found) == 2
    for share, loss in found:
        assert number(-np.log(float(share))) == loss


def test_a_pair_and_its_cosines() -> None:
    kind = "a training step of the sentence encoder"
    trace, picture = shipped.trace(kind), shown(kind)
    is_, should = (float(trace[f"similarity.{name}"].value) for name in ("cosine", "target"))
    bars = boxes(picture, "cosine")
    assert bars[0].width / bars[1].width == pytest.approx(is_ / should)
    said = words(picture)
    assert {"first: the cat sleeps on the sofa", "second: the dog sleeps on the sofa"} <= set(said)
    assert any(number(4 * (is_ - should) ** 2) in text for text in said if text.startswith("loss"))


@pytest.mark.parametrize("kind", RUNS)
def test_what_comes_later_is_pale(kind: str) -> None:
    """Nothing of a later pass is drawn before it is computed; frames and titles stay where they are."""
    trace = shipped.trace(kind)
    loss = next(step for step in trace if step.site.pass_ == "loss")
    last = {pass_: [step for step in trace if step.site.pass_ == pass_][-1] for pass_ in ("loss", "backward", "update")}
    for at, drawn_now in ((trace[0], set()), (loss, set()), (last["loss"], {"loss"})):
        picture = picture_of(trace, current=at)
        assert {name for name in ("norms", "loss") if marks(picture, name)} == drawn_now
        assert not any(heats_of(picture, name) for name in gradients(trace))
        assert texts(picture, "title") == texts(shown(kind), "title")
        check_picture(picture, trace, trace.outline, PAGES[0], f"{kind} at {at.name}")
    picture = picture_of(trace, current=last["backward"])
    assert len(boxes(picture, "norms")) == len(boxes(shown(kind), "norms"))
    assert len(texts(picture, "in digits")) == 2, "before and gradient"
    picture = picture_of(trace, current=last["update"])
    assert len(texts(picture, "in digits")) == 3
    assert len(boxes(picture, "loss")) == 1


def test_the_row_of_the_layer_lights_up() -> None:
    """One row alone: a layer is inside its part, whose row is about what stands in no layer."""
    trace = shipped.trace(WORDS[0])
    picture = picture_of(trace, current=trace["backward.decoder.0.ffn.hidden"])
    layers = [spot for spot in picture.spots if trace.outline.find(spot.node).children]
    rows = {spot.node: spot.area for spot in layers if spot.node.startswith("backward.")}
    lights = [bounds(box) for box in boxes(picture, "current")]
    lit = [name for name, row in rows.items() if any(light.top < row.centre[1] < light.bottom for light in lights)]
    assert len(rows) == 8
    assert lit == ["backward.decoder.0"]


@pytest.mark.parametrize("page", [*PAGES, (670, 440), (980, 440)])
@pytest.mark.parametrize("kind", RUNS)
def test_nothing_leaves_its_frame(kind: str, page: tuple[int, int]) -> None:
    trace = shipped.trace(kind)
    check_frames(picture_of(trace, page=page, theme=DARK), f"{kind} {page}")


@pytest.mark.parametrize("page", [*PAGES, (670, 440), (980, 440)])
def test_long_sentences(page: tuple[int, int]) -> None:
    """As many positions as fit; how many are left out is said."""
    for trace in (_long("translator", LONG), _long("writer", LONG.replace("il", "the"))):
        picture = picture_of(trace, page=page)
        check_picture(picture, trace, trace.outline, page, f"{page}")
        check_frames(picture, f"{page}")
        left_out = len(trace["labels"].value) - len(boxes(picture, "cross-entropy"))
        assert f"{left_out} more …" in words(picture)


@pytest.mark.parametrize("page", [(680, 340), (680, 320), (1000, 340)])
@pytest.mark.parametrize("kind", RUNS)
def test_a_page_that_is_too_low_gets_higher(kind: str, page: tuple[int, int]) -> None:
    """Nothing lies on anything else, as in a column of a paper."""
    trace = shipped.trace(kind)
    picture = picture_of(trace, page=page, style=PRESETS["paper"].style)
    high = picture.figure.height
    assert page[1] < high < 1.5 * page[1] or kind not in WORDS
    check_picture(picture, trace, trace.outline, (page[0], high), f"{kind} {page}")
    check_frames(picture, f"{kind} {page}")


@cache
def _long(model: str, target: str) -> Trace:
    return txviz.trace(model, "the cat sleeps", target=target)


def check_frames(picture: Picture, what: str) -> None:
    """Each mark inside the frame of one of the parts, or outside of all."""
    frames = [bounds(box) for box in boxes(picture, "section")]
    assert len(frames) == 5
    for mark in picture.figure.flat():
        left, top, right, bottom = bounds(mark)
        for frame in frames:
            meets = left < frame.right and frame.left < right and top < frame.bottom and frame.top < bottom
            inside = frame.left - 1 <= left and right <= frame.right + 1 and frame.top - 1 <= top
            assert not meets or (inside and bottom <= frame.bottom + 1), f"{what}: {mark}"


def test_each_part_can_be_gone_to() -> None:
    spots = {spot.node for spot in shown(WORDS[0]).spots}
    parts = {"tokens", "decoder.tokens", "labels", "embed", "encoder", "decoder", "head", "loss", "loss.positions"}
    assert parts | {"loss.mean", "backward", "update", "after.loss", "update.length", "backward.decoder.1"} <= spots
