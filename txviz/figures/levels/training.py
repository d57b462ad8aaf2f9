"""One step of training on one page: what went in and what should come out, the loss, the gradients, one number that
changes, and the loss once more; and beside it, why one pass is enough."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import ceil

from txviz.figures.levels.board import Board
from txviz.figures.levels.picture import NodeScene, Picture
from txviz.figures.levels.sections import FRAME, GAP, INSIDE, columns
from txviz.figures.levels.training_answers import draw_answers
from txviz.figures.levels.training_gradients import draw_gradients
from txviz.figures.levels.training_passes import draw_passes, passes_height
from txviz.figures.levels.training_positions import LOWEST
from txviz.figures.levels.training_steps import TrainingSteps
from txviz.figures.levels.training_update import draw_loss_again, draw_update
from txviz.figures.levels.training_words import sentences

UPPER, ROOMY, MOST = 0.47, 17.0, 0.53
"""How much of the height the upper row has; what is enough, by the size of the text, where that is not more than so
much."""

LOWER_LEAST = 9.2
"""What the lower row needs, by the size of the text."""

WORDS, ONE_ANSWER, LOWER = (0.56, 0.44), (0.76, 0.24), (0.47, 0.35, 0.18)
"""How the parts of the upper row share the width, for many answers or for one, and those of the lower row."""


LOW = 560.0
"""A page that is lower has no formulas, so that all else has room."""


def draw(scene: NodeScene) -> Picture:
    """On a higher page where the parts would lie over each other."""
    if scene.height < LOW:
        scene = scene._replace(style=replace(scene.style, formula=False))
    board, steps = Board(scene), TrainingSteps(scene.trace)
    formulas = [step.formula for step in steps.losses if step.op != "squared_error"]
    board.heading(f"{scene.node.title} · one step of training", *formulas)
    board.sentences(*sentences(board, steps))
    area, gap = board.area, board.size * GAP
    shares = WORDS if steps.inputs is not None else ONE_ANSWER
    free, least = area.height - gap, _upper_least(board, steps, shares)
    lacking = least + LOWER_LEAST * board.size - free
    if lacking > 0:
        return draw(scene._replace(height=scene.height + ceil(lacking)))
    high = max(min(max(free * UPPER, ROOMY * board.size), free * MOST), least)
    answers, passes = columns(area._replace(height=high), shares, gap)
    lower = area._replace(y=area.y + high + gap, height=area.height - high - gap)
    gradients, update, again = columns(lower, LOWER, gap)
    draw_answers(board, steps, answers)
    draw_passes(board, steps, passes)
    draw_gradients(board, steps, gradients)
    draw_update(board, steps, update)
    draw_loss_again(board, steps, again)
    return board.picture()


def _upper_least(board: Board, steps: TrainingSteps, shares: Sequence[float]) -> float:
    """How high the upper row must be."""
    _, passes = columns(board.area, shares, board.size * GAP)
    positions = LOWEST * board.size if steps.inputs is not None else 0.0
    return FRAME * board.size + max(positions, passes_height(board, steps, passes.grown(-INSIDE * board.size)))
