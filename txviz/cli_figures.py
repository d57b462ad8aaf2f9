"""What commands share that run a model and draw: its input and options, which steps or levels, and how they look."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from txviz import load
from txviz.cli_output import print_out, tell
from txviz.cli_progress import trace_told
from txviz.errors import TxvizError, one_line
from txviz.figures.formats import DEPTHS, FORMATS, LOOK, OTHER_NAMES, TEXTS, with_option
from txviz.figures.levels import LEVELS, kinds
from txviz.figures.naming import listed
from txviz.figures.views import VIEWS
from txviz.models import find
from txviz.models.options import ABOUT
from txviz.models.request import Request, compute
from txviz.trace import Step, Trace, names
from txviz.trace.outline import Level, Node
from txviz.trace.pictures import why_none

if TYPE_CHECKING:
    from txviz.figures.levels.picture import Beside
    from txviz.figures.settings import Settings


SAVED = "FILE.safetensors"


def add_key_steps(command: argparse.ArgumentParser) -> None:
    about = "of these steps only those that tell the story: some 10 to 20 of a run"
    command.add_argument("--key-steps", action="store_true", help=about)


_LEVEL_VIEWS = f"or the picture of a level: {', '.join(LEVELS)}"


def add_export(command: argparse.ArgumentParser) -> None:
    add_input(command)
    add_steps(command, "all")
    command.add_argument("-o", "--output", metavar="PATH", required=True, help="a file, or a folder for many")
    add_look(command)
    command.set_defaults(run=_export)


def add_steps(command: argparse.ArgumentParser, otherwise: str) -> None:
    about = f'for example "*.weights"; can be repeated, in the order that they are to have (default: {otherwise})'
    command.add_argument("--steps", metavar="GLOB", action="append", help=about)


def add_look(command: argparse.ArgumentParser) -> None:
    """What is not given is left out, so that the defaults are those of ``Settings``."""
    add_key_steps(command)
    command.add_argument("--format", choices=[*FORMATS, *OTHER_NAMES], help="default: the ending of PATH")
    look = command.add_argument_group("look", argument_default=argparse.SUPPRESS)
    look.add_argument("--view", help=f"{', '.join(VIEWS)} (default: stage); for {with_option('view')}; {_LEVEL_VIEWS}")
    what = "the pictures of all nodes of this level that hold a step which matches --steps; map is that of the run"
    command.add_argument("--level", choices=["map", *get_args(Level)], default="step", help=what)
    look.add_argument("--preset", help="slide (default), paper, column (8.4 cm), text-width (17 cm), poster or screen")
    look.add_argument("--theme", help="light, dark or paper")
    look.add_argument("--width", type=_length, help="of the page: 8.4cm, 84mm, 3.3in, 238pt, or a number of pixels")
    look.add_argument("--height", type=_length, help="the same")
    look.add_argument("--text-size", type=float, help="of labels and numbers")
    part = "of large tensors: auto (what can be read; for slides), 6,8 (rows, columns), or 0:8,0:16 (of the result)"
    one = look.add_mutually_exclusive_group()
    one.add_argument("--crop", metavar="ROWS,COLUMNS", help=part)
    one.add_argument("--no-crop", dest="crop", action="store_const", const="none", help="all cells, however small")
    ends = "where colours end: auto (one scale for what is added, copied or compared), shared, each, or fixed:LO,HI"
    look.add_argument("--scale", metavar="SCALE", help=ends)
    look.add_argument("--head", type=int, default=None, help="which head of a larger tensor (default: 0)")
    look.add_argument("--cell", default=None, help="outline a cell and what it was made from, for example 0,2,4")
    which = "whose answers after each layer are shown, counted from 0 (default: the one that is read); for --view lens"
    look.add_argument("--token", type=int, default=None, help=which)
    sharp = f"pixels for each unit of the page (default: 2, in a gif 1); for {with_option('resolution')}"
    one = look.add_mutually_exclusive_group()
    one.add_argument("--resolution", type=float, help=sharp)
    one.add_argument("--dpi", type=float, help="the same as dots an inch, for print; a page has 96 units an inch")
    look.add_argument("--transparent", action="store_true", help=f"no background; for {with_option('transparent')}")
    each = f"of each step; for {with_option('seconds')}"
    look.add_argument("--seconds", "--seconds-per-step", type=float, help=each)
    rate = f"a second (default: 30, in a webp 15, in a gif 0: nothing moves); for {with_option('frames')}"
    look.add_argument("--frames", type=float, help=rate)
    blank = f"{', '.join(DEPTHS)}: what is left blank, with answers on the last pages; for {with_option('worksheet')}"
    look.add_argument("--worksheet", choices=[*DEPTHS], help=blank)
    look.add_argument("--once", dest="loop", action="store_false", help=f"stop at the end; for {with_option('loop')}")
    still = "nothing comes on click, and no slide turns into the next; for pptx"
    look.add_argument("--no-builds", dest="builds", action="store_false", help=still)
    look.add_argument("--no-cover", dest="cover", action="store_false", help="no slide with the title; for pptx")
    fields = "{title}, {name} and {number} stand for those of the step"
    one = look.add_mutually_exclusive_group()
    one.add_argument("--title", metavar="TEXT", help=f"in place of the figure's own; {fields}")
    one.add_argument("--no-title", dest="title", action="store_false", help="leave out the title")
    look.add_argument("--caption", metavar="TEXT", help=f"below the figure; {fields}")
    what = "a small line below: how many steps replay to the same numbers, the model, its input, and the version"
    look.add_argument("--provenance", action="store_true", help=what)
    font = f"outlines: letters as shapes, which need no font (default: text); for {with_option('text')}"
    look.add_argument("--text", choices=TEXTS, help=font)
    look.add_argument("--separate", action="store_true", help=f"a file for each step; for {with_option('separate')}")
    for part in ("formula", "numbers", "labels"):
        look.add_argument(f"--no-{part}", dest=part, action="store_false", help=f"leave out the {part}")


def add_input(command: argparse.ArgumentParser) -> None:
    second = "a second sentence, for a model that takes two"
    by_hand = (
        "change a step or a parameter by hand and go on from there; can be repeated. For example "
        '"pool.cls=2.3,-1.1,3.2,1.4", "encoder.0.attention.weights[1]=uniform", "time.*.masked=@1" (without the mask), '
        '"encoder.0.attention.query.weight*=0.5"'
    )
    add_inputs(command, second, by_hand)


def add_inputs(command: argparse.ArgumentParser, second: str, by_hand: str) -> None:
    """The model, its input and options; what a second input is for, and a change by hand, is said by the command."""
    known = f"a name from: txviz models; a folder with a checkpoint; or a saved trace, {SAVED}"
    command.add_argument("model", metavar="MODEL", help=known)
    read = "a sentence, a path to an image, or rows of numbers; nothing for a saved trace"
    command.add_argument("input", metavar="INPUT", nargs="?", help=read)
    command.add_argument("second", metavar="INPUT2", nargs="?", help=second)
    options = command.add_argument_group("options of some models")
    for name, about in ABOUT.items():
        flag: dict[str, Any] = {"action": "store_true", "default": None} if about.is_switch else {}
        options.add_argument(f"--{name.replace('_', '-')}", dest=name, help=about.text, **flag)
    own = "any other option, of a model from another package"
    options.add_argument("--option", metavar="NAME=VALUE", action="append", default=[], help=own)
    command.add_argument("--set", metavar="NAME[PLACE]=VALUES", action="append", default=[], help=by_hand)


def is_saved(model: str) -> bool:
    """Whether what stands in the place of a model is a saved trace."""
    return Path(model).suffix == Path(SAVED).suffix and not Path(model).is_dir()


def saved(path: str, chosen: argparse.Namespace, rest: Sequence[object]) -> Trace:
    """The trace in this file. ``rest`` has what was said beside it: nothing can be, since it is not computed again."""
    if any(each is not None for each in rest) or options_of(chosen) or chosen.set:
        raise TxvizError(f"{path} is a saved trace, which has its input already; leave out INPUT, --set and options")
    return load(path)


def needed(chosen: argparse.Namespace) -> str:
    """The input, which only a saved trace can do without."""
    if chosen.input is None:
        raise TxvizError(f"INPUT is missing: what {chosen.model} is to read; only a saved trace ({SAVED}) needs none")
    return str(chosen.input)


def traced(chosen: argparse.Namespace) -> Trace:
    if is_saved(chosen.model):
        return saved(chosen.model, chosen, [chosen.input, chosen.second])
    source = needed(chosen) if chosen.second is None else (chosen.input, chosen.second)
    check_inputs(chosen.model, [each for each in (chosen.input, chosen.second) if each is not None])
    return trace_told(chosen.model, source, options_of(chosen), chosen.notes, chosen.set)


def check_inputs(name: str, inputs: Sequence[str]) -> None:
    """One sentence about more of them than the model reads."""
    two = find(name).takes.kind == "pair"
    if len(inputs) > (2 if two else 1):
        most = "two sentences" if two else "one input"
        raise TxvizError(f"{name} reads {most}, not {len(inputs)}; put a text that has blanks in quotes")


def options_of(chosen: argparse.Namespace) -> dict[str, Any]:
    """Those of the model that were given."""
    given = {**{name: getattr(chosen, name) for name in ABOUT}, **dict(map(named, chosen.option))}
    return {name: value for name, value in given.items() if value is not None}


def named(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign:
        raise TxvizError(f'the option is "{text}"; it must be a name and a value, such as seed=3')
    return name, value


def matching(trace: Trace, globs: Sequence[str] | None, key_steps: bool) -> list[Step]:
    """The steps that match each of these, one after the other; all where nothing is said."""
    steps = list(dict.fromkeys(step for glob in globs or ["*"] for step in _found(trace, glob)))
    keys = {step.name for step in trace.key_steps} if key_steps else set()
    found = [step for step in steps if step.name in keys or not key_steps]
    if not found:
        wanted = " or ".join(f'"{glob}"' for glob in globs or ["*"])
        raise TxvizError(f"no key step matches {wanted}; leave out --key-steps to get all that do ({len(steps)})")
    return found


def _found(trace: Trace, glob: str) -> list[Step]:
    steps = trace.find(glob)
    if not steps:
        raise TxvizError(f'no step matches "{glob}"{names.suggestion(glob, [step.name for step in trace])}')
    return steps


def _export(chosen: argparse.Namespace) -> int:
    trace = traced(chosen)
    beside = _beside(trace) if getattr(chosen, "view", "") == "decoding" else None
    return write(trace, chosen, beside=beside)


def write(trace: Trace, chosen: argparse.Namespace, **more: Any) -> int:
    """The steps or levels that were asked for, as files."""
    from txviz.figures.export import Export, export, name_in
    from txviz.figures.place import check_place, place_of_cell

    steps = matching(trace, chosen.steps, chosen.key_steps)
    settings = settings_of(chosen)
    nodes = nodes_of(trace, steps, settings.view, chosen)
    place = () if chosen.head is None else (chosen.head,)
    check_place(place, [step for node in nodes for step in node.steps] or steps)
    if nodes and chosen.cell:
        raise TxvizError("--cell outlines a cell of a step; the picture of a level has none")
    if chosen.cell and (len(steps) > 1 or settings.worksheet):
        raise TxvizError(
            "--cell outlines a cell of one step; "
            + ("a worksheet chooses its own" if settings.worksheet else f"{len(steps)} are shown: say which by --steps")
        )
    cell = _cell(chosen.cell, steps[0]) if chosen.cell else None
    of_cell = place_of_cell(steps[0], cell) if cell else ()
    if of_cell and place and of_cell != place:
        raise TxvizError(f"--cell {chosen.cell} is not in head {chosen.head}; leave --head out")
    if chosen.token is not None and settings.view != "lens":
        raise TxvizError("--token is for the answers after each layer; it needs --view lens")
    more |= {"asked": _asked(chosen)} if len(steps) > 1 else {}
    wanted = Export.chosen(
        settings, trace, nodes or steps, place=place or of_cell, cell=cell, token=chosen.token, watch=progress, **more
    )
    path = Path(chosen.output)
    written = export(wanted, name_in(path, wanted) if _names_a_folder(chosen.output) else path)
    main, *others = written
    print_out(one_line(str(main) if main == path or not others else f"{len(written)} files in {main.parent}"))
    return 0


def _asked(chosen: argparse.Namespace) -> tuple[str, ...]:
    """The words that chose the steps."""
    globs = [word for glob in chosen.steps or [] for word in ("--steps", glob)]
    return (*globs, *(["--key-steps"] if chosen.key_steps else []))


def _beside(trace: Trace) -> tuple[Beside, ...] | None:
    """The same input written otherwise, and this run."""
    from txviz.figures.levels.beside import beside_of
    from txviz.models.alternatives import alternatives, run_key

    try:
        request = Request.of_trace(trace)
        others = alternatives(request)
    except TxvizError:  # a saved trace may be of a model that is not here
        return None
    runs = [trace if run_key(each) == run_key(request) else compute(each) for each in others]
    return tuple(beside_of(run)._replace(shown=run is trace) for run in runs) or None


def nodes_of(trace: Trace, steps: Sequence[Step], view: str, chosen: argparse.Namespace) -> list[Node]:
    """The levels to draw; none where steps are. Where no level is said, it is the run if that has such a picture."""
    if view not in LEVELS and chosen.level == "step":
        return []
    if view not in LEVELS and view != "stage":
        raise TxvizError(f'no level can be shown as "{view}"; --view can be {listed(list(LEVELS))}')
    whole = chosen.level == "map" or (chosen.level == "step" and view in kinds(trace.outline))
    level = "run" if whole else chosen.level
    matching = {step.name for step in steps}
    holding = [node for node in trace.outline if node.children and any(step.name in matching for step in node.steps)]
    found = [n for n in holding if level in ("step", n.level) and (view == "stage" or view in kinds(n))]
    if not found:
        wanted = f"{'level' if level == 'step' else level} with a step {' or '.join(chosen.steps or ['*'])}"
        shown = f" that can be shown as {view}" if view in LEVELS else ""
        there = dict.fromkeys(f"{node.level} ({kind})" for node in holding for kind in kinds(node))
        why = why_none(trace.outline, view)
        because = f" ({why})" if why else ""
        raise TxvizError(f"there is no {wanted}{shown}{because}; there are {', '.join(there)}")
    return found


def settings_of(chosen: argparse.Namespace) -> Settings:
    from txviz.figures.marks import PIXELS_PER_INCH
    from txviz.figures.presets import check_number
    from txviz.figures.settings import Settings

    given = {each.name: getattr(chosen, each.name) for each in fields(Settings) if hasattr(chosen, each.name)}
    given["format"] = _format(chosen)
    _check_matters(given, given["format"])
    if chosen.level == "map":
        given.setdefault("view", "map")
    elif chosen.level == "step" and given["format"] in FORMATS:
        given.setdefault("view", FORMATS[given["format"]].view)
    if hasattr(chosen, "dpi"):
        _check_matters(["resolution"], given["format"])
        check_number("dpi", chosen.dpi)
        given["resolution"] = chosen.dpi / PIXELS_PER_INCH
    return Settings(**given)


def _check_matters(given: Iterable[str], kind: str) -> None:
    """What only some formats can do is not passed over in silence; a page's look may go with numbers that have none."""
    row = FORMATS.get(kind)
    for name in given:
        if row is None or name in ("format", "view", "separate", *LOOK, *row.options):  # export says when not separate
            continue
        raise TxvizError(f"--{_FLAGS.get(name, name.replace('_', '-'))} is for {with_option(name)}, not for {kind}")


_FLAGS = {"loop": "once", "builds": "no-builds", "cover": "no-cover"}
"""What an option is called that takes something away."""


def _format(chosen: argparse.Namespace) -> str:
    """What is said, or else what the ending of the path says; it must not say another one."""
    ending = "" if _names_a_folder(chosen.output) else Path(chosen.output).suffix.lower().removeprefix(".")
    said, written = (OTHER_NAMES.get(name, name) for name in (chosen.format or "", ending))
    if said and written in FORMATS and written not in (said, *FORMATS[said].also):
        raise TxvizError(f"{chosen.output} ends as {ending}, but --format says {chosen.format}; change one of them")
    if not (said or written):
        raise TxvizError(f"{chosen.output} has no ending that tells the format; give one, or --format")
    return said or written


def _names_a_folder(output: str) -> bool:
    return output.endswith(("/", os.sep))


_UNITS = {"": 1.0, "px": 1.0, "in": 96.0, "cm": 96 / 2.54, "mm": 96 / 25.4, "pt": 96 / 72}
"""Pixels in each: a page has 96 to the inch."""


def _length(text: str) -> float:
    found = re.fullmatch(r"\s*([0-9.eE+-]+|nan|inf)\s*([a-z]*)\s*", text)
    try:
        return float(found[1]) * _UNITS[found[2]] if found else float("x")
    except (KeyError, ValueError):
        units = ", ".join(filter(None, _UNITS))
        raise argparse.ArgumentTypeError(f'"{text}" is no length; it must be a number, with {units} or none') from None


def progress(done: int, total: int) -> None:
    """A bar on a terminal, nothing elsewhere."""
    if sys.stderr.isatty() and total > 1:
        bar = "█" * (30 * done // total)
        tell(f"\r{bar:<30} {done} of {total} figures\033[K", end="" if done < total else "\n")


def _cell(text: str, step: Step) -> tuple[int, ...]:
    try:
        index = tuple(int(part) for part in text.split(","))
    except ValueError:
        raise TxvizError(f'the cell is "{text}"; it must be whole numbers with commas, such as 0,2,4') from None
    step.explain(index)
    return index
