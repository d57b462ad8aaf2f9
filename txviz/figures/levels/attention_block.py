"""An attention block on one page: one head large, from queries and keys to the context, and all heads small."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from txviz.figures import fonts
from txviz.figures.grid import Grid
from txviz.figures.levels.attention_layout import ABOVE, GAP, UPPER_ROW, AttentionLayout
from txviz.figures.levels.attention_steps import AttentionSteps, lineage
from txviz.figures.levels.board import Board, Plate
from txviz.figures.levels.picture import NodeScene, Picture
from txviz.figures.levels.titles import near_name, short_name
from txviz.figures.levels.verbs import verb
from txviz.figures.marks import Line
from txviz.figures.naming import counted
from txviz.figures.place import full_place
from txviz.figures.views.attention import heading
from txviz.figures.views.page import Area
from txviz.trace import Step

HEADS = 0.55
"""The most that the small heads take of the width, where their results stand beside them."""

Plates = dict[str, Plate]


def draw(scene: NodeScene) -> Picture:
    steps = AttentionSteps(scene.node)
    board = Board(scene)
    place = full_place(scene.place, steps.weights.value.shape[:-2])
    board.heading(heading(steps.weights, place), *steps.formulas)
    board.sentences(*sentences(steps))
    layout = AttentionLayout(board, steps, place)
    plates: Plates = {}
    for step in layout.row:
        plates[step.name] = _matrix(layout, step)
    _add_sources(layout, plates)
    _add_operands(layout, plates)
    for before, step in pairwise(layout.row):
        _step_across(board, plates, before, step)
    if layout.many:
        _add_heads(layout, plates)
    return board.picture()


_DONE = {"rms_norm": "normalised in each head", "rotate": "turned by where they stand"}
"""What may be done to queries and keys before they are compared, by operation."""


def sentences(steps: AttentionSteps) -> list[str]:
    """Who asks whom, what the mask is for, and what heads are."""
    asking, answering, said, here = steps.asking, steps.answering, [], steps.weights.site
    if steps.crosses and asking and answering:
        near = answering.site.part == here.part
        source = near_name(answering, here) if near else f"the {answering.site.part}'s output"
        who = f"Queries come from {near_name(asking, here)}, keys and values from {source}."
        said.append(f"Cross-attention: the target asks, the source answers. {who}")
    elif asking:
        said.append(
            f"Self-attention: tokens ask each other. Queries, keys and values all come from {near_name(asking, here)}."
        )
    inside = lineage(steps.query)[:-1] if steps.query is not None else []
    if done := [_DONE[step.op] for step in reversed(inside) if step.op in _DONE]:
        said.append(f"Queries and keys are {' and '.join(done)}.")
    if any(step.op == "add" for step in steps.chain):
        said.append("The scores get a number for each distance.")
    if any(step.op == "mask" for step in steps.chain):
        said.append("The mask makes scores −∞, which softmax makes 0.")
    if steps.heads > 1 and steps.query is not None:
        wide = counted(steps.query.value.shape[-1], "feature")
        said.append(f"Each of the {steps.heads} heads has {wide} of its own.")
    return [" ".join(said)]


def _matrix(layout: AttentionLayout, step: Step) -> Plate:
    """A step of the row, with its caption below."""
    board, area, steps = layout.board, layout.at(step), layout.steps
    uncovered = step in steps.chain and step is not steps.scores and not steps.added.get(step.name)
    rows, columns = layout.labels if step is layout.row[0] else 0.0, layout.key_labels if uncovered else 0.0
    plate = board.plate(step, layout.grid(step), area, rows=rows, columns=columns)
    beyond = -board.size if step is steps.context and layout.many else board.size  # where its arrow goes down
    board.caption(step, area.x, area.bottom + board.size * 1.5, area.width + beyond)
    return plate


def _step_across(board: Board, plates: Plates, before: Step, step: Step) -> None:
    """The arrow from a step of the row to the next."""
    if before.name in step.inputs:
        left, right = plates[before.name].area, plates[step.name].area
        y = left.centre[1]
        board.arrow(before, step, (left.right, y), (right.x, y), label=verb(step))


def _add_sources(layout: AttentionLayout, plates: Plates) -> None:
    """What the block read, above the queries."""
    board, size, steps = layout.board, layout.board.size, layout.steps
    if not layout.origins or steps.query is None:
        return
    column, heights = layout.at(steps.query), _source_heights(layout)
    bottom = column.y - GAP * size
    for step, high in reversed(list(zip(layout.origins, heights, strict=True))):
        area = Area(column.x, bottom - high, column.width, high)
        plates[step.name] = board.plate(step, layout.grid(step), area, rows=layout.labels)
        board.caption(step, area.x, area.y - size * 0.55, area.width + size * 0.3, layout.called(step))
        bottom = area.y - ABOVE * size
        if steps.crosses:
            said = "the target asks" if step is steps.asking else "the source answers"
            board.write(area.x, area.y - size * 1.85, said, board.theme.accent)
            bottom -= size * 1.3
    if steps.asking is not None:
        x, top = column.centre[0], plates[steps.asking.name].area.bottom
        board.arrow(steps.asking, steps.query, (x, top), (x, column.y))
        _learned(layout, steps.query, x + size * 0.5, (top + column.y) / 2 + size * 0.36)


def _source_heights(layout: AttentionLayout) -> list[float]:
    size, count = layout.board.size, len(layout.origins)
    words = (count - 1) * (ABOVE + 1.3) * size + (size * 1.3 if count > 1 else 0.0)
    room = (layout.bands.above + layout.key_labels - words) / count
    return [min(room, step.value.shape[-2] * UPPER_ROW * size) for step in layout.origins]


def _learned(layout: AttentionLayout, step: Step, x: float, y: float) -> None:
    """``× W_Q + b_Q`` at an arrow, which stands for the learned layer, and for what is done to its result before the
    step, such as turning it by its position."""
    board, made = layout.board, layout.steps.projection(step)
    area = board.formula(layout.learned(step), x, y, board.ink(made or step))
    if made is not None:
        before = lineage(step)
        for each in before[1 : before.index(made)]:
            board.behind(each, area.grown(1))
        board.spot(made, area.grown(1))


def _add_operands(layout: AttentionLayout, plates: Plates) -> None:
    """Keys, values, and what is added to scores, each above what it helps to make."""
    steps, size = layout.steps, layout.board.size
    if steps.scores is not None and steps.key is not None:
        _add_operand(layout, plates, steps.scores, steps.key, columns=layout.key_labels)
        _lead_to_keys(layout, plates, steps.key)
    for name, added in steps.added.items():
        _add_masks(layout, plates, layout.board.scene.trace[name], added)
    if steps.context is not None and steps.context.op == "matmul" and steps.value is not None:
        _add_operand(layout, plates, steps.context, steps.value, rows=layout.gap(steps.context) - size * 0.2)
        _lead_to_values(layout, plates, steps.value)


def _add_operand(
    layout: AttentionLayout, plates: Plates, reader: Step, step: Step, rows: float = 0.0, columns: float = 0.0
) -> None:
    board, size, grid = layout.board, layout.board.size, layout.operand(reader, step)
    area = layout.over(reader, len(grid.values))
    plates[step.name] = board.plate(step, grid, area, rows=rows, columns=columns)
    name, shape = short_name(step) + ("ᵀ" if grid.turned else ""), "×".join(map(str, grid.values.shape))
    board.caption(step, area.x, area.y - columns - size * 0.45, area.width - (size if rows else 0.0), name, shape)
    x = area.centre[0]
    board.arrow(step, reader, (x, area.bottom), (x, layout.at(reader).y))
    _mark_new(board, step, area, grid)


def _mark_new(board: Board, step: Step, area: Area, grid: Grid) -> None:
    """Of keys or values that are kept from time step to time step, those that are new."""
    new = step.sources[-1] if step.op == "concat" else None
    if not isinstance(new, Step):
        return
    share = new.value.shape[-2] / step.value.shape[-2]
    right = area._replace(x=area.right - area.width * share, width=area.width * share)
    lower = area._replace(y=area.bottom - area.height * share, height=area.height * share)
    part = right if grid.turned else lower
    board.add("new", part.box(board.theme.accent, board.size * 0.14))
    board.spot(new, part)


def _add_masks(layout: AttentionLayout, plates: Plates, masked: Step, masks: Sequence[Step]) -> None:
    """One above the other, with rows as high as those of the scores where they fit."""
    board, size, below = layout.board, layout.board.size, layout.at(masked)
    pitch = below.height / masked.value.shape[-2]
    room = (layout.bands.above - (len(masks) - 1) * ABOVE * size) / max(len(masks), 1)
    bottom = below.y - GAP * size
    for i, mask in enumerate(masks):
        high = min(room, mask.value.shape[-2] * pitch)
        area = Area(below.x, bottom - high, below.width, high)
        labels = layout.key_labels if i == len(masks) - 1 else 0.0
        plates[mask.name] = board.plate(mask, layout.grid(mask), area, columns=labels)
        board.caption(mask, area.x, area.y - labels - size * 0.45, area.width + size)
        bottom = area.y - ABOVE * size
    if masks:
        x = below.centre[0]
        board.arrow(masks[0], masked, (x, plates[masks[0].name].area.bottom), (x, below.y))


def _lead_to_keys(layout: AttentionLayout, plates: Plates, key: Step) -> None:
    """The arrow from what answers."""
    board, size, source = layout.board, layout.board.size, lineage(key)[-1]
    if source.name not in plates:
        return
    start, end = plates[source.name].area, plates[key.name].area
    x, y = start.right + size * 0.7, start.centre[1]
    level = min(max(y, end.y + size * 0.6), end.bottom - size * 0.3)
    turns = [] if level == y else [(x, y), (x, level)]
    board.arrow(source, key, (start.right, y), *turns, (end.x, level))
    _learned(layout, key, x + size * 0.3, level - size * 0.5)


def _lead_to_values(layout: AttentionLayout, plates: Plates, value: Step) -> None:
    """The arrow from what answers, along the top of the page."""
    board, size, source = layout.board, layout.board.size, lineage(value)[-1]
    if source.name not in plates:
        return
    start, end = plates[source.name].area, plates[value.name].area
    x, y, top, down = start.right + size * 0.7, start.centre[1], board.area.y + size * 1.2, end.right - size * 0.5
    board.arrow(source, value, (start.right, y), (x, y), (x, top), (down, top), (down, end.y))
    _learned(layout, value, down - size - board.formula_width(layout.learned(value)), top - size * 0.4)


def _add_heads(layout: AttentionLayout, plates: Plates) -> None:
    """All heads small, and what becomes of them together."""
    board, size, room = layout.board, layout.board.size, layout.below
    after = [step for step in (layout.steps.merged, layout.steps.output) if step]
    boxes = _head_boxes(layout, room._replace(width=room.width * (HEADS if after else 1.0)))
    for head, area in enumerate(boxes):
        _add_head(layout, head, area)
    left = boxes[-1].right + size * GAP
    gap = board.formula_width(verb(after[-1])) + size if after else 0.0
    wide = (room.right - left + gap) / max(len(after), 1) - gap
    for i, step in enumerate(after):
        area = Area(left + i * (wide + gap), room.y, wide, room.height)
        plates[step.name] = board.plate(step, layout.grid(step), area)
        board.caption(step, area.x, area.bottom + size * 1.5, area.width)
    for before, step in pairwise(after):
        _step_across(board, plates, before, step)
    if after and layout.steps.context is not None and layout.steps.context.name in after[0].inputs:
        _join_heads(layout, plates, layout.steps.context, after[0])


def _head_boxes(layout: AttentionLayout, room: Area) -> list[Area]:
    """As wide as high, more or less, and side by side."""
    heads, gap = layout.steps.heads, layout.board.size * 0.8
    rows, columns = layout.steps.weights.value.shape[-2:]
    wide = min((room.width + gap) / heads - gap, room.height / min(1.2, max(0.35, rows / columns)))
    return [room._replace(x=room.x + i * (wide + gap), width=wide) for i in range(heads)]


def _add_head(layout: AttentionLayout, head: int, area: Area) -> None:
    board, weights, size = layout.board, layout.steps.weights, layout.board.size
    mine = head == layout.place[-1]
    number, ink = weights.labels[-3][head], board.theme.accent if mine else board.theme.muted
    board.small_plate(weights, layout.head(head), area, f"{weights.title}, head {number}")
    long = f"head {number}"
    label = long if fonts.width(long, size) < area.width + size * 0.5 else number
    board.write(area.centre[0], area.bottom + size * 1.5, label, ink, "middle")
    if mine:
        board.add("chosen head", area.grown(size * 0.15).box(ink, size * 0.2))


def _join_heads(layout: AttentionLayout, plates: Plates, context: Step, merged: Step) -> None:
    """The context of each head has its own columns among those of all."""
    board, size, heads = layout.board, layout.board.size, layout.steps.heads
    area, source = plates[merged.name].area, plates[context.name].area
    wide = area.width / heads
    lines = (area.x + i * wide for i in range(1, heads))
    board.add("heads side by side", *(Line(x, area.y, x, area.bottom, board.theme.muted, 0.8) for x in lines))
    own = area._replace(x=area.x + layout.place[-1] * wide, width=wide)
    board.add("columns of the head", own.box(board.theme.accent, size * 0.16))
    x, level, end = source.right - size * 0.4, area.y - size * GAP * 0.45, own.centre[0]
    board.arrow(context, merged, (x, source.bottom), (x, level), (end, level), (end, area.y))
