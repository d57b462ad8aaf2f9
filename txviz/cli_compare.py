"""``txviz compare MODEL INPUT INPUT2``: two runs side by side, as text or as figures."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from typing import Any

from txviz.cli_figures import (
    SAVED,
    add_inputs,
    add_look,
    add_steps,
    is_saved,
    matching,
    named,
    needed,
    options_of,
    saved,
    write,
)
from txviz.cli_output import print_out
from txviz.cli_progress import trace_told
from txviz.errors import TxvizError
from txviz.figures.answer import answers
from txviz.figures.levels.stage_table import table, verdict
from txviz.figures.naming import cell_name, counted
from txviz.figures.pair import ONLY_IN_B, SIDES, Pair
from txviz.models import find
from txviz.ops.arithmetic import number
from txviz.trace import Step, Trace
from txviz.trace.diff import Change, Kind, diff
from txviz.trace.outline import Node

EPILOG = """A is MODEL with INPUT. B is the same but for what is said about it: INPUT2 is its input, --model2 its model,
--option2 its options, and --set what is changed by hand in it. All other options are for both. Two saved traces can be
compared, too: FILE.safetensors FILE2.safetensors."""


def add(command: argparse.ArgumentParser) -> None:
    command.epilog = EPILOG
    by_hand = 'change a step of B by hand, for example "embed.positions=0"; can be repeated'
    add_inputs(command, "the input of B (default: the same as A)", by_hand)
    command.add_argument("--model2", metavar="MODEL", help="the model of B (default: the same as A)")
    own = "an option of B alone, for example strategy=beam; can be repeated"
    command.add_argument("--option2", metavar="NAME=VALUE", action="append", default=[], help=own)
    add_steps(command, "all; in a figure, the map")
    one = command.add_mutually_exclusive_group()
    one.add_argument("-o", "--output", metavar="PATH", help="a file, or a folder for many")
    command.add_argument("--sides", choices=SIDES, default="all", help="what is drawn of the two (default: all)")
    one.add_argument("--json", action="store_true", help="print JSON and nothing else")
    add_look(command)
    command.set_defaults(run=_compare)


def _compare(chosen: argparse.Namespace) -> int:
    pair = _both(chosen)
    if chosen.output is None:
        print_out(_as_json(pair, chosen) if chosen.json else _in_words(pair, chosen))
        return 0
    some = chosen.steps is not None or chosen.key_steps
    if not some and not hasattr(chosen, "view") and chosen.level == "step":
        chosen.view = "map"
    return write(pair.b, chosen, other=pair.a, sides=chosen.sides)


def _both(chosen: argparse.Namespace) -> Pair:
    if is_saved(chosen.model):
        return _both_saved(chosen)
    if not (chosen.second is not None or chosen.model2 or chosen.option2 or chosen.set):
        raise TxvizError("there is nothing to compare with; give INPUT2, --set, --option2 or --model2")
    options = options_of(chosen)
    a = trace_told(chosen.model, needed(chosen), options, chosen.notes)
    source = chosen.input if chosen.second is None else chosen.second
    model = chosen.model2 or chosen.model
    shared = {name: value for name, value in options.items() if model == chosen.model or name in find(model).options}
    options = {**shared, **dict(map(named, chosen.option2))}
    return Pair(a, trace_told(model, source, options, chosen.notes, chosen.set))


def _both_saved(chosen: argparse.Namespace) -> Pair:
    """Two saved traces: the second stands in the place of the input."""
    if chosen.input is None or not is_saved(chosen.input):
        raise TxvizError(f"{chosen.model} is a saved trace; it can be compared with another one, so give two {SAVED}")
    more = (chosen.second, chosen.model2, *chosen.option2)
    return Pair(saved(chosen.model, chosen, more), saved(chosen.input, chosen, more))


def _changes(pair: Pair, chosen: argparse.Namespace) -> list[Change]:
    wanted = {step.name for step in matching(pair.b, chosen.steps, chosen.key_steps)}
    found = _by_twin(pair) if pair.two_models or pair.one_has_a_beam else diff(pair.a, pair.b)
    return [change for change in found if change.name in wanted]


def _by_twin(pair: Pair) -> Iterator[Change]:
    """Of two models, or with a beam in one of them: each step of B beside that of A to which it belongs."""
    for step in pair.b:
        twin = pair.twin(step)
        same_size = twin is not None and twin.value.shape == step.value.shape
        kind: Kind = "added" if twin is None else "changed" if same_size else "reshaped"
        if pair.change(step).differs:
            yield Change(twin, step, kind)


def _in_words(pair: Pair, chosen: argparse.Namespace) -> str:
    if pair.two_models and chosen.steps is None and not chosen.key_steps:
        return "\n".join([*_answers(pair), "", *_stages(pair)])
    told = [*_told(pair.b.outline, {change.name: change for change in _changes(pair, chosen)}, pair)]
    width = max((len(name) for name, _ in told), default=0)
    lines = [f"{name:<{width}}  {said}" for name, said in told]
    same = "" if lines else "all steps are the same"
    return "\n".join([*_answers(pair), "", *(lines or [same])])


def _told(node: Node, changes: dict[str, Change], pair: Pair) -> Iterator[tuple[str, str]]:
    """Each change by its step; what B has alone by the largest node that it makes up."""
    if not node.children:
        if node.name in changes:
            yield node.name, _said(pair, changes[node.name])
    elif all(step.name in changes and changes[step.name].kind == "added" for step in node.steps):
        yield node.name, f"{ONLY_IN_B}, {counted(len(node.steps), 'step')}"
    else:
        for child in node.children:
            yield from _told(child, changes, pair)


def _stages(pair: Pair) -> Iterator[str]:
    """Two models: what they have in common, and what not."""
    for row in table(pair):
        yield row.name + (": the same steps" if row.same else "")
        yield from (f"  {side}  {cell.said}" for side, cell in zip("AB", row.cells, strict=True))
    yield from ("", verdict(pair))


def _answers(pair: Pair) -> list[str]:
    runs = zip("AB", pair.told, (pair.a, pair.b), strict=True)
    return [f"{side}: {told} → {_answer(run)}" for side, told, run in runs]


def _answer(trace: Trace) -> str:
    return answers(trace)(len(trace) - 1).short


def _said(pair: Pair, change: Change) -> str:
    step = pair.b[change.name]
    if change.where is None:
        return pair.change(step).text
    assert change.before is not None
    before, after = (float(each.value[change.where]) for each in (change.before, step))
    cells = f"{change.count:,} of {step.value.size:,} cells"
    most = f"most at {cell_name(step, change.where)}: {number(before)} → {number(after)}"
    return f"{pair.change(step).text}, {cells}, {most}"


def _as_json(pair: Pair, chosen: argparse.Namespace) -> str:
    runs = ({"is": told, "answer": _answer(run)} for told, run in zip(pair.told, (pair.a, pair.b), strict=True))
    a, b = runs
    made: dict[str, Any] = {"a": a, "b": b, "steps": [_row(pair, change) for change in _changes(pair, chosen)]}
    if pair.two_models:
        stages = [{"name": row.name, "a": row.cells[0].said, "b": row.cells[1].said} for row in table(pair)]
        made |= {"stages": stages, "verdict": verdict(pair)}
    return json.dumps(made)


def _row(pair: Pair, change: Change) -> dict[str, Any]:
    step: Step = pair.b[change.name]
    size = pair.change(step).size
    return {
        "name": change.name,
        "kind": change.kind,
        "cells": change.count,
        "largest": change.largest if change.largest < float("inf") else "inf",
        "relative": size if size < float("inf") else "inf",
        "where": change.where,
    }
