"""What went into the model, what should come out, how likely that was, and what it costs: the loss."""

from __future__ import annotations

from txviz.figures import fonts
from txviz.figures.levels.board import Board
from txviz.figures.levels.reads import read
from txviz.figures.levels.sections import bar_colour, section
from txviz.figures.levels.training_positions import Positions
from txviz.figures.levels.training_steps import TrainingSteps
from txviz.figures.levels.training_words import in_digits
from txviz.figures.marks import Box, Line, Text
from txviz.figures.naming import quoted
from txviz.figures.numerals import percent
from txviz.figures.tensors import result_at
from txviz.figures.theme import mixed
from txviz.figures.views.page import MIDDLE, Area, bar_length
from txviz.ops.arithmetic import number
from txviz.trace import Step

LINE, CLASS = 1.5, 5.0
"""A line of text, and the most that the bar of a class is wide. By the size of the text."""

ERRORS = {
    "squared_error": "squared error",
    "average": "mean, here of one pair",
    "scale": "loss, the error with its weight",
}


def draw_answers(board: Board, steps: TrainingSteps, area: Area) -> None:
    inside = section(board, area, "1 · Forward pass and loss", [steps.trace.outline.find("loss")])
    if steps.inputs is not None:
        Positions(board, steps, inside).draw()
    elif steps.logits is not None:
        _draw_classes(board, steps, inside)
    else:
        _draw_pair(board, steps, inside)


def _draw_classes(board: Board, steps: TrainingSteps, area: Area) -> None:
    """The input, a bar for each class with the right one marked, and the loss."""
    size, image = board.size, steps.trace[0]
    if image.axes[:2] == ("row", "column") and image.value.ndim == 2:
        side = min(area.height, area.width * 0.3)
        board.plate(image, result_at(image, ()), Area(area.x, area.y + (area.height - side) / 2, side, side))
        left = area.x + side + size * 1.5
        area = area._replace(x=left, width=area.right - left)
    right = steps.answers[0]
    name = f"The right answer is {quoted(right)}. "
    board.write(area.x, area.y + size, name, board.theme.text)
    room = Area(area.x, area.y + size * 2, area.width, area.height - size * (2 + 2 * LINE))
    _class_bars(board, steps, room)
    board.spot(steps.labels, Area(area.x, area.y, fonts.width(name, size), size * 1.3))
    _say_loss(board, steps, area._replace(y=area.bottom - size * LINE, height=size * LINE))


def _class_bars(board: Board, steps: TrainingSteps, area: Area) -> None:
    size, classes, right, shares = board.size, steps.scores.labels[-1], int(steps.labels.value), steps.shares[0]
    pitch, high = min(area.width / len(classes), CLASS * size), area.height - size * 1.4
    best, known = int(shares.argmax()), board.computed(steps.likely)
    board.add("foot", Line(area.x, area.bottom, area.x + pitch * len(classes), area.bottom, board.theme.muted, 1))
    for i, (name, share) in enumerate(zip(classes, shares.tolist(), strict=True)):
        middle, ink = area.x + (i + 0.5) * pitch, board.theme.accent if i == right else board.theme.muted
        shown = fonts.elided(name, size, pitch)
        board.add("classes", Text(middle, area.bottom + size * 1.2, shown, size, ink, "middle", bold=i == right))
        long = bar_length(high, share)
        bar = Area(middle - pitch * 0.35, area.bottom - long, pitch * 0.7, long)
        if known:
            board.add("probability of the class", Box(*bar, mixed(ink, board.theme.panel, 0.55)))
        if known and i in (right, best):
            board.add("shares", Text(middle, bar.y - size * 0.35, percent(share), size, ink, "middle"))
    board.spot(steps.likely, area)


def _say_loss(board: Board, steps: TrainingSteps, area: Area) -> None:
    """The cross-entropy of the only answer, which is the loss."""
    size, share = board.size, float(steps.right[0])
    text = f"cross-entropy = −ln {in_digits(share)} ≈ {number(float(steps.each.value.reshape(-1)[0]))}"
    if steps.smoothing or not board.computed(steps.each):
        text = "cross-entropy" + (f" = {number(float(steps.each.value))}" if board.computed(steps.each) else "")
    place = board.write(area.x, area.y + size, text, board.ink(steps.each))
    board.spot(steps.each, place)
    mean = f"loss = {number(float(steps.loss.value))}" if board.computed(steps.loss) else "loss"
    board.spot(steps.loss, board.write(place.right + size * 2, area.y + size, mean, board.ink(steps.loss)))


def _draw_pair(board: Board, steps: TrainingSteps, area: Area) -> None:
    """Two sentences, the cosine of their vectors and the one that it should be, and the error."""
    size, y, line = board.size, area.y, min(area.height / 8.2, board.size * 2.6)
    for step in (step for step in steps.trace if step.site.leaf == "tokens" and step.op == "given"):
        text = fonts.elided(f"{step.site.sentence}: {' '.join(step.labels[0])}", size, area.width)
        board.spot(step, board.write(area.x, y + size, text, board.ink(step)))
        y += line
    names = "its cosine is", "it should be"
    lead = max(fonts.width(name, size) for name in names) + size
    scale = Area(area.x + lead, y + line * 0.2, area.width - lead - size * 5, line * 1.2)
    for name, source in zip(names, (read(steps.each, 0), steps.labels), strict=True):
        _signed_bar(board, source, name, scale, area.x)
        scale = scale._replace(y=scale.y + line * 1.5)
    y = scale.y + line * 0.1
    for step in steps.losses:
        worked = f" = {step.explain(()).text}" if board.computed(step) else ""
        text = fonts.elided(f"{ERRORS.get(step.op, step.site.leaf)}{worked}", size, area.width)
        board.spot(step, board.write(area.x, y + size, text, board.ink(step)))
        y += line


def _signed_bar(board: Board, step: Step, name: str, area: Area, left: float) -> None:
    """From 0 to a cosine, on a line from −1 to 1."""
    size, middle = board.size, area.centre[0]
    y = area.centre[1] + size * MIDDLE
    board.add("cosines", Text(left, y, name, size, board.ink(step)), area.box(board.theme.line))
    if board.computed(step):
        value = float(step.value)
        long = value * area.width / 2
        board.add("cosine", Box(middle + min(long, 0.0), area.y, abs(long), area.height, bar_colour(board, step.site)))
        board.add("cosines", Text(area.right + size * 0.5, y, number(value), size, board.theme.text))
    board.add("cosines", Line(middle, area.y, middle, area.bottom, board.theme.muted, 1))
    board.spot(step, area)
