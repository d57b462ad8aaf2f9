"""The command that makes a figure, to be found again in the file: model, input, options, edits, steps and look.

It is made from the run and from what was chosen, so that it is the same whether a person exported the figure on the
command line, in the window or in Python. Folders of this machine are left out.
"""

from __future__ import annotations

import shlex
from collections.abc import Container, Iterator, Mapping
from dataclasses import fields
from typing import Any

from txviz.figures.colour_scale import Span
from txviz.figures.crop import crop_name
from txviz.figures.file_names import suggested_name, without_folder
from txviz.figures.formats import FORMATS
from txviz.figures.job import Export
from txviz.figures.presets import PRESETS
from txviz.figures.settings import Settings
from txviz.trace import Trace

LONGEST = 2000
"""Letters of an input: more than that is a picture of many pixels."""

SETTINGS = {each.name for each in fields(Settings)} - {"view"}
LECTURE_LOOK = {"theme", "builds", "seconds", "frames", "resolution"}
"""What ``txviz export`` and ``txviz lecture`` take; a view is said with what is shown."""


def command(wanted: Export) -> str:
    """One line for a shell; nothing where the run does not say what it was computed from."""
    if not all(_is_known(run.about) for run in (wanted.trace, wanted.other) if run is not None):
        return ""
    words = ["txviz", *(_lecture(wanted) if _is_lecture(wanted) else _export(wanted))]
    left_out = "; ".join(_left_out(wanted))
    return shlex.join(words) + (f"  # {left_out}" if left_out else "")


def _export(wanted: Export) -> list[str]:
    run = ["export", *_run(wanted.trace)]
    if wanted.other is not None:
        run = _compared(wanted.other, wanted.trace)
    return [*run, *_selected(wanted), *_look(wanted), "-o", suggested_name(wanted)]


def _is_lecture(wanted: Export) -> bool:
    """Whether it is the slides or the film of one, which hold what no other command puts into one file."""
    return [*wanted.shown] == [wanted.trace.outline, *wanted.trace.key_steps] and not wanted.recorded


def _lecture(wanted: Export) -> list[str]:
    """The command that makes the file beside others, in a folder."""
    return ["lecture", *_run(wanted.trace), *_look(wanted, LECTURE_LOOK), "-o", _model(wanted.trace)]


def _is_known(about: Mapping[str, Any]) -> bool:
    """Whether all is as a run says it: a file may say nonsense."""
    given, edits = about.get("given", about.get("options", {})), about.get("edits", [])
    kinds = isinstance(about.get("model"), str), isinstance(given, dict), isinstance(edits, list)
    return all(kinds) and isinstance(about.get("input"), str | list)


def _run(trace: Trace) -> list[str]:
    given = trace.about["input"]
    two = isinstance(given, list) and len(given) == 2 and all(isinstance(each, str) for each in given)
    words = [_model(trace), *(given if two else [_input(trace)])]
    return [*words, *_options("--option", _chosen(trace)), *_edits(trace)]


def _compared(a: Trace, b: Trace) -> list[str]:
    words = ["compare", _model(a), _input(a), *([_input(b)] if _input(b) != _input(a) else [])]
    words += ["--model2", _model(b)] if _model(b) != _model(a) else []
    own = {name: value for name, value in _all_options(b).items() if _all_options(a).get(name) != value}
    return [*words, *_options("--option", _chosen(a)), *_options("--option2", own), *_edits(b)]


def _model(trace: Trace) -> str:
    return without_folder(trace.about["model"])


def _input(trace: Trace) -> str:
    """A sentence, rows of numbers, or the name of a picture's file; a large picture is left out."""
    text = _text(trace)
    return text if len(text) <= LONGEST else "INPUT"


def _text(trace: Trace) -> str:
    given = trace.about["input"]
    if isinstance(given, str):
        return given if trace.get("image") is None else without_folder("; ".join(given.strip().splitlines()))
    rows = [" ".join(map(str, row)) if isinstance(row, list) else str(row) for row in given]
    return (" | " if all(isinstance(row, str) for row in given) else "; ").join(rows)


def _all_options(trace: Trace) -> dict[str, Any]:
    found = trace.about.get("options", {})
    return {name: value for name, value in found.items() if value is not None} if isinstance(found, dict) else {}


def _chosen(trace: Trace) -> dict[str, Any]:
    """Those that are not the model's own; of an older file, all of them."""
    return dict(trace.about["given"]) if "given" in trace.about else _all_options(trace)


def _options(flag: str, options: Mapping[str, Any]) -> Iterator[str]:
    for name, value in options.items():
        yield from (flag, f"{name}={value}")


def _edits(trace: Trace) -> Iterator[str]:
    for edit in trace.about.get("edits", []):
        yield from ("--set", str(edit))


def _selected(wanted: Export) -> Iterator[str]:
    """Which steps or levels, which head, cell and token."""
    shown = wanted.shown
    if wanted.nodes:
        yield from _levels(wanted)
    elif wanted.asked:
        yield from wanted.asked
    elif len(shown) != len(wanted.trace) or wanted.other is not None:
        yield from (word for each in shown for word in ("--steps", each.name))
    if wanted.view != FORMATS[wanted.format].view or wanted.nodes:
        yield from () if wanted.nodes and wanted.view == Settings.view else ("--view", wanted.view)
    if any(wanted.place):
        yield from ("--head", str(wanted.place[-1]))
    if wanted.outlined is not None:
        yield from ("--cell", ",".join(map(str, wanted.outlined)))
    if wanted.token is not None and wanted.view == "lens":
        yield from ("--token", str(wanted.token))
    if wanted.other is not None and wanted.sides != Export.sides:
        yield from ("--sides", wanted.sides)


def _levels(wanted: Export) -> Iterator[str]:
    """By the first step of each; that of the whole run needs none."""
    nodes = wanted.nodes
    if [node.name for node in nodes] == [""] and wanted.view in ("map", Settings.view):
        yield from () if wanted.view == "map" else ("--view", "map")
        return
    yield from ("--level", nodes[0].level)
    yield from (word for node in nodes if node.name for word in ("--steps", node.first.name))


def _look(wanted: Export, offered: Container[str] = SETTINGS) -> Iterator[str]:
    """Whatever is not as it would be without saying, of what the command offers."""
    page, own, row = wanted.preset, PRESETS.get(wanted.preset.name), FORMATS[wanted.format]
    if own is None:
        return
    known: dict[str, object] = {
        "preset": page.name,
        "theme": page.style.theme.name if page.theme_chosen else None,
        "width": page.width if page.width != own.width else None,
        "height": page.height if page.height != own.height else None,
        "text_size": page.style.size if page.style.size != own.style.size else None,
        "crop": crop_name(page.style.crop) if page.style.crop != own.style.crop else None,
        "scale": page.style.scale.text if isinstance(page.style.scale, Span) else page.style.scale,
        "resolution": wanted.scale if wanted.scale != row.resolution else None,
        "seconds": wanted.seconds_each if wanted.seconds_each != row.seconds else None,
        "frames": wanted.rate if wanted.rate != row.frames else None,
    }
    for each in fields(Settings):
        value = known[each.name] if each.name in known else _chosen_look(wanted, each.name)
        if value != each.default and each.name in row.options and each.name in offered:
            yield from _flag(each.name, value)


def _chosen_look(wanted: Export, name: str) -> object:
    """A setting is a part of the style, or one of the export."""
    style = wanted.preset.style
    return getattr(style if name in {each.name for each in fields(style)} else wanted, name)


def _flag(name: str, value: object) -> list[str]:
    """
    >>> _flag("title", False), _flag("transparent", True), _flag("text_size", 12.0), _flag("loop", False)
    (['--no-title'], ['--transparent'], ['--text-size', '12'], ['--once'])
    """
    flag = name.replace("_", "-")
    if isinstance(value, bool):
        return [f"--{flag}" if value else "--once" if name == "loop" else f"--no-{flag}"]
    whole = isinstance(value, float) and value.is_integer()
    return [f"--{flag}", f"{value:.0f}" if whole else str(value)]


def _left_out(wanted: Export) -> Iterator[str]:
    """What no command can say."""
    if wanted.recorded:
        yield "recorded in the window"
    for run, name in ((wanted.other, "A "), (wanted.trace, "B " if wanted.other is not None else "")):
        about = run.about if run is not None else {}
        if about.get("overrides"):
            yield f"{name}with overrides of {', '.join(map(str, about['overrides']))}"
        if run is not None and len(_text(run)) > LONGEST:
            yield f"{name}with an input that is too long for a line"
        if about.get("dtype", "float64") != "float64":
            yield f"{name}in {about['dtype']}"
    if wanted.other is not None and wanted.other.about.get("edits"):
        yield f"A with {'; '.join(map(str, wanted.other.about['edits']))}"
