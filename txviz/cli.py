"""The command line: ``txviz show sentence-guide "The cat sat."`` and its siblings."""

from __future__ import annotations

import argparse
import io
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import fields
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TextIO, get_args

import numpy as np

import txviz
from txviz.errors import TxvizError, one_line
from txviz.figures import terminal
from txviz.figures.formats import FORMATS, OTHER_NAMES, with_option
from txviz.figures.levels import LEVELS, kinds
from txviz.figures.naming import listed
from txviz.figures.views import VIEWS
from txviz.files import check_file
from txviz.models import check_files, find
from txviz.models.damage import DamagedError
from txviz.models.options import ABOUT, SWITCHES
from txviz.models.request import Request, compute
from txviz.models.tracing import trace_with
from txviz.ops import Array
from txviz.trace import Parameter, Step, Trace, names
from txviz.trace.outline import Level, Node, outline

if TYPE_CHECKING:
    from txviz.figures.levels.picture import Beside
    from txviz.figures.settings import Settings
    from txviz.training.trainer import Progress


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command. Bad input is one line on stderr and exit code 2."""
    _open_streams()
    try:
        chosen = _parser().parse_args(arguments)
        with np.errstate(all="ignore"):  # ∞ and what is not a number are shown, so nobody has to be warned
            return int(chosen.run(chosen))
    except TxvizError as error:
        _tell(f"txviz: {error}")
        return 2
    except BrokenPipeError:  # the reader (head, less) has seen enough
        return 0
    except KeyboardInterrupt:
        return 130


def _open_streams() -> None:
    """Those that were closed (``>&-``) swallow what is written, so that no file is opened in their place."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115
        elif mode == "w" and isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without × and − shows a question mark, and no traceback


def _print(text: str) -> None:
    """What was asked for. That it can't be written, to a full disk for one, is an error, and told as such."""
    try:
        print(text, flush=True)
    except OSError as error:
        _silence(sys.stdout)
        if isinstance(error, BrokenPipeError):
            raise
        raise TxvizError(f"can't write what is to be printed: {error.strerror}") from error


def _tell(text: str, end: str = "\n") -> None:
    """Messages and progress, on stderr. Nothing fails because they can't be written."""
    try:
        print(text, end=end, file=sys.stderr, flush=True)
    except OSError:
        _silence(sys.stderr)


def _silence(stream: TextIO) -> None:
    """Python tries again when it ends; by then nothing is wrong any more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


class _Parser(argparse.ArgumentParser):
    """argparse, with its errors in one line like all others."""

    def error(self, message: str) -> NoReturn:
        raise TxvizError(f"{message}; see {self.prog} --help")

    def _print_message(self, message: str, file: object = None) -> None:
        """The help and the version: argparse does not mind when they can't be written."""
        _print(message.removesuffix("\n"))


def _parser() -> _Parser:
    parser = _Parser(prog="txviz", description="Step through a transformer: every tensor, every cell's arithmetic.")
    parser.add_argument("--version", action="version", version=f"txviz {txviz.__version__}")
    about = "open the window on this model at its first step, with this input or with its example"
    parser.add_argument("--model", nargs="+", metavar=("NAME", "INPUT"), help=about)
    parser.set_defaults(run=_window, file=None)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", parser_class=_Parser)

    opening = commands.add_parser("open", help="open the window on a saved trace")
    opening.add_argument("file", metavar="FILE", type=Path)
    opening.set_defaults(run=_window)

    listing = commands.add_parser("models", help="list the models, one line each, with an example input")
    listing.set_defaults(run=_models)

    show = commands.add_parser("show", help="print steps and their numbers")
    _add_input(show)
    show.add_argument("--step", metavar="GLOB", default="*", help='which steps, for example "*.weights" (default: all)')
    _add_key_steps(show)
    instead = show.add_mutually_exclusive_group()
    instead.add_argument("--outline", action="store_true", help="print no numbers, but the tree that the steps make")
    about = "print no numbers, but why they are there: steps, and blocks, layers and parts that match --step"
    instead.add_argument("--why", action="store_true", help=about)
    show.add_argument("--json", action="store_true", help="print JSON and nothing else")
    show.set_defaults(run=_show)

    trace = commands.add_parser("trace", help="compute a trace and save it")
    _add_input(trace)
    trace.add_argument("-o", "--output", metavar="FILE.safetensors", type=Path, required=True)
    trace.set_defaults(run=_trace)

    _add_export(commands.add_parser("export", help="write steps, or pictures of levels, as " + ", ".join(FORMATS)))

    verify = commands.add_parser("verify", help="replay a saved trace; the first wrong step, if any")
    verify.add_argument("file", metavar="FILE", type=Path)
    verify.set_defaults(run=_verify)

    train = commands.add_parser("train", help="train a shipped model again from its data and seed")
    train.add_argument("model", metavar="MODEL")
    train.add_argument(
        "-o", "--output", metavar="DIR", type=Path, help="where to write it (default: build/models/MODEL)"
    )
    train.add_argument("--steps", type=int, help="fewer steps than the model's recipe has")
    train.set_defaults(run=_train)

    audit = commands.add_parser("audit", help="what the guides print, beside what it should be")
    audit.add_argument("--json", action="store_true", help="print JSON and nothing else")
    audit.set_defaults(run=_audit)
    return parser


def _add_key_steps(command: argparse.ArgumentParser) -> None:
    about = "of these steps only those that tell the story"
    command.add_argument("--key-steps", action="store_true", help=about)


def _window(chosen: argparse.Namespace) -> int:
    from txviz.gui import screen  # Qt is loaded for the window alone

    problem = screen.problem()
    if problem:
        raise TxvizError(problem)
    if chosen.file is not None:
        check_file(chosen.file)
    request = _asked_for(chosen.model) if chosen.model else None
    from txviz.gui.app import run

    return run(chosen.file, request)


def _asked_for(words: list[str]) -> Request:
    """A model, and what it is to read: nothing, a text, an image, or two sentences."""
    name, *inputs = words
    model = find(name)
    if len(inputs) > 2 or (len(inputs) == 2 and model.takes.kind != "pair"):
        most = "two sentences" if model.takes.kind == "pair" else "one input"
        raise TxvizError(f"{name} reads {most}, not {len(inputs)}; put a text that has blanks in quotes")
    return Request(name, " | ".join(inputs) if inputs else model.example)


_LEVEL_VIEWS = f"or the picture of a level: {', '.join(LEVELS)}"


def _add_export(command: argparse.ArgumentParser) -> None:
    """What is not given is left out, so that the defaults are those of ``Settings``."""
    _add_input(command)
    command.add_argument("--steps", metavar="GLOB", default="*", help='for example "*.weights" (default: all)')
    _add_key_steps(command)
    command.add_argument("--format", choices=[*FORMATS, *OTHER_NAMES], help="default: the ending of PATH")
    command.add_argument(
        "-o", "--output", metavar="PATH", type=Path, required=True, help="a file, or a folder for many"
    )
    look = command.add_argument_group("look", argument_default=argparse.SUPPRESS)
    look.add_argument("--view", help=f"{', '.join(VIEWS)} (default: stage); for {with_option('view')}; {_LEVEL_VIEWS}")
    what = "the pictures of all nodes of this level that hold a step which matches --steps"
    command.add_argument("--level", choices=get_args(Level), default="step", help=what)
    look.add_argument("--preset", help="slide (default), paper or screen")
    look.add_argument("--theme", help="light, dark or paper")
    look.add_argument("--width", type=float, help="of the page")
    look.add_argument("--height", type=float, help="of the page")
    look.add_argument("--text-size", type=float, help="of labels and numbers")
    look.add_argument("--head", type=int, default=None, help="which head of a larger tensor (default: 0)")
    look.add_argument("--cell", default=None, help="outline a cell and what it was made from, for example 0,2,4")
    sharp = f"pixels for each unit of the page (default: 2, in a gif 1); for {with_option('resolution')}"
    look.add_argument("--resolution", type=float, help=sharp)
    look.add_argument("--dpi", type=float, help="the same as dots an inch, for print; a page has 96 units an inch")
    look.add_argument("--transparent", action="store_true", help=f"no background; for {with_option('transparent')}")
    each = f"of each step; for {with_option('seconds')}"
    look.add_argument("--seconds", "--seconds-per-step", type=float, help=each)
    rate = f"a second (default: 30, in a webp 15, in a gif 0: nothing moves); for {with_option('frames')}"
    look.add_argument("--frames", type=float, help=rate)
    look.add_argument("--once", dest="loop", action="store_false", help=f"stop at the end; for {with_option('loop')}")
    for part in ("title", "formula", "numbers", "labels"):
        look.add_argument(f"--no-{part}", dest=part, action="store_false", help=f"leave out the {part}")
    command.set_defaults(run=_export)


def _add_input(command: argparse.ArgumentParser) -> None:
    command.add_argument("model", metavar="MODEL", help="a name from: txviz models")
    command.add_argument("input", metavar="INPUT", help="a sentence, a path to an image, or rows of numbers")
    command.add_argument("second", metavar="INPUT2", nargs="?", help="a second sentence, for a model that takes two")
    options = command.add_argument_group("options of some models")
    for name, about in ABOUT.items():
        flag: dict[str, Any] = {"action": "store_true", "default": None} if name in SWITCHES else {}
        options.add_argument(f"--{name.replace('_', '-')}", dest=name, help=about.text, **flag)
    own = "any other option, of a model from another package"
    options.add_argument("--option", metavar="NAME=VALUE", action="append", default=[], help=own)
    by_hand = (
        "change a step or a parameter by hand and go on from there; can be repeated. For example "
        '"pool.cls=2.3,-1.1,3.2,1.4", "encoder.0.attention.weights[1]=uniform", "time.*.masked=@1" (without the mask), '
        '"encoder.0.attention.query.weight*=0.5"'
    )
    command.add_argument("--set", metavar="NAME[PLACE]=VALUES", action="append", default=[], help=by_hand)


def _traced(chosen: argparse.Namespace) -> Trace:
    given = {**{name: getattr(chosen, name) for name in ABOUT}, **dict(map(_named, chosen.option))}
    source = chosen.input if chosen.second is None else (chosen.input, chosen.second)
    options = {name: value for name, value in given.items() if value is not None}
    return trace_with(chosen.model, source, options, edits=chosen.set)


def _named(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign:
        raise TxvizError(f'the option is "{text}"; it must be a name and a value, such as seed=3')
    return name, value


def _models(_: argparse.Namespace) -> int:
    width = max(map(len, txviz.models()))
    for name in txviz.models():
        _print(f"{name:<{width}}  {_about(name)}")
    return 0


def _about(name: str) -> str:
    """In one line; what is damaged or can't be loaded hides no other."""
    try:
        check_files(name)
        model = find(name)
    except DamagedError as error:
        return f"damaged: {error}"
    except TxvizError as error:
        return str(error)
    return f'{model.title} ({model.summary}); example: "{model.example}"'


def _show(chosen: argparse.Namespace) -> int:
    trace = _traced(chosen)
    if chosen.why:
        return _explain(trace, chosen)
    steps = _matching(trace, chosen.step, chosen.key_steps)
    if chosen.outline:
        tree = outline(steps, trace.outline.title)
        _print(json.dumps(_node_as_json(tree), ensure_ascii=False) if chosen.json else terminal.tree(tree))
    elif chosen.json:
        _print(json.dumps([_as_json(step) for step in steps], ensure_ascii=False))
    else:
        _print("\n\n".join(terminal.describe(step) for step in steps))
        _print(f"\noutput: {_said(trace)}")
        if trace.edited_text:
            _print(one_line(trace.edited_text))
    return 0


def _explain(trace: Trace, chosen: argparse.Namespace) -> int:
    nodes = [node for node in trace.outline if fnmatchcase(node.name, chosen.step)]
    if not nodes:
        suggestion = names.suggestion(chosen.step, [node.name for node in trace.outline])
        raise TxvizError(f'nothing in the outline matches "{chosen.step}"{suggestion}')
    if chosen.key_steps:
        nodes = [trace.outline.find(step.name) for step in _matching(trace, chosen.step, key_steps=True)]
    if chosen.json:
        found = [{"level": each.level, "name": each.name, "title": each.title, **each.why._asdict()} for each in nodes]
        _print(json.dumps(found, ensure_ascii=False))
    else:
        _print("\n\n".join(map(terminal.page, nodes)))
    return 0


def _matching(trace: Trace, glob: str, key_steps: bool) -> list[Step]:
    steps = trace.find(glob)
    if not steps:
        raise TxvizError(f'no step matches "{glob}"{names.suggestion(glob, [step.name for step in trace])}')
    found = [step for step in steps if step.key or not key_steps]
    if not found:
        raise TxvizError(f'no key step matches "{glob}"; leave out --key-steps to get all that do ({len(steps)})')
    return found


def _said(trace: Trace) -> str:
    step = trace.output_step
    return str(trace.output) if step is None else f"{step.name}, {'×'.join(map(str, step.value.shape))} numbers"


def _trace(chosen: argparse.Namespace) -> int:
    trace = _traced(chosen)
    trace.save(chosen.output)
    _print(one_line(_with_edits(f"{chosen.output}: {len(trace)} steps", trace)))
    return 0


def _export(chosen: argparse.Namespace) -> int:
    from txviz.figures.export import Export, export
    from txviz.figures.place import check_place

    trace = _traced(chosen)
    steps = _matching(trace, chosen.steps, chosen.key_steps)
    settings = _settings(chosen)
    nodes = _nodes(trace, steps, settings.view, chosen)
    place = () if chosen.head is None else (chosen.head,)
    check_place(place, [step for node in nodes for step in node.steps] or steps)
    if nodes and chosen.cell:
        raise TxvizError("--cell outlines a cell of a step; the picture of a level has none")
    cell = _cell(chosen.cell, steps[0]) if chosen.cell else None
    beside = _beside(trace) if settings.view == "decoding" else None
    wanted = Export.chosen(settings, trace, nodes or steps, place=place, cell=cell, beside=beside, watch=_progress)
    written = export(wanted, chosen.output)
    _print(one_line(str(written[0]) if len(written) == 1 else f"{len(written)} files in {chosen.output}"))
    return 0


def _beside(trace: Trace) -> tuple[Beside, ...] | None:
    """The same input written otherwise, and this run."""
    from txviz.figures.levels.beside import beside_of
    from txviz.models.alternatives import alternatives, run_key

    request = Request.of_trace(trace)
    runs = [trace if run_key(each) == run_key(request) else compute(each) for each in alternatives(request)]
    return tuple(beside_of(run)._replace(shown=run is trace) for run in runs) or None


def _nodes(trace: Trace, steps: Sequence[Step], view: str, chosen: argparse.Namespace) -> list[Node]:
    """The levels to draw; none where steps are. A map is that of the run where no level is said."""
    if view not in LEVELS and chosen.level == "step":
        return []
    if view not in LEVELS and view != "stage":
        raise TxvizError(f'no level can be shown as "{view}"; --view can be {listed(list(LEVELS))}')
    level = "run" if view == "map" and chosen.level == "step" else chosen.level
    matching = {step.name for step in steps}
    holding = [node for node in trace.outline if node.children and any(step.name in matching for step in node.steps)]
    found = [n for n in holding if level in ("step", n.level) and (view == "stage" or view in kinds(n))]
    if not found:
        wanted = f"{'level' if level == 'step' else level} with a step {chosen.steps}"
        shown = f" that can be shown as {view}" if view in LEVELS else ""
        there = dict.fromkeys(f"{node.level} ({kind})" for node in holding for kind in kinds(node))
        raise TxvizError(f"there is no {wanted}{shown}; there are {', '.join(there)}")
    return found


def _settings(chosen: argparse.Namespace) -> Settings:
    from txviz.figures.marks import PIXELS_PER_INCH
    from txviz.figures.presets import check_number
    from txviz.figures.settings import Settings

    given = {each.name: getattr(chosen, each.name) for each in fields(Settings) if hasattr(chosen, each.name)}
    named = chosen.format or chosen.output.suffix.lower().removeprefix(".")
    given["format"] = OTHER_NAMES.get(named, named)
    if chosen.level == "step" and given["format"] in FORMATS:
        given.setdefault("view", FORMATS[given["format"]].view)
    if hasattr(chosen, "dpi"):
        check_number("dpi", chosen.dpi)
        given["resolution"] = chosen.dpi / PIXELS_PER_INCH
    return Settings(**given)


def _progress(done: int, total: int) -> None:
    """A bar on a terminal, nothing elsewhere."""
    if sys.stderr.isatty() and total > 1:
        bar = "█" * (30 * done // total)
        _tell(f"\r{bar:<30} {done} of {total} figures\033[K", end="" if done < total else "\n")


def _cell(text: str, step: Step) -> tuple[int, ...]:
    try:
        index = tuple(int(part) for part in text.split(","))
    except ValueError:
        raise TxvizError(f'the cell is "{text}"; it must be whole numbers with commas, such as 0,2,4') from None
    step.explain(index)
    return index


def _verify(chosen: argparse.Namespace) -> int:
    trace = txviz.load(chosen.file)
    wrong = trace.verify()
    if wrong:
        more = f" ({len(wrong) - 1} more)" if len(wrong) > 1 else ""
        _tell(one_line(f"{chosen.file}: {wrong[0]}{more}"))
        return 1
    how = "bit for bit" if trace.exact else "up to rounding: other threads or another processor computed them"
    told = f"{chosen.file}: all {len(trace)} steps replay to the recorded numbers, {how}"
    _print(one_line(_with_edits(told, trace)))
    return 0


def _with_edits(told: str, trace: Trace) -> str:
    return f"{told}; {trace.edited_text}" if trace.edited_text else told


def _train(chosen: argparse.Namespace) -> int:
    from txviz.training.train import course, train_model  # with what only training needs

    folder = chosen.output or Path("build", "models", chosen.model)
    learning = course(chosen.model, folder)
    if chosen.steps is not None and chosen.steps < 1:
        raise TxvizError(f"steps is {chosen.steps}; it must be at least 1")
    steps = chosen.steps or learning.recipe.steps

    def report(progress: Progress) -> None:
        speed = progress.step / progress.seconds
        minutes, seconds = divmod(round((steps - progress.step) / speed), 60)
        done = f"{progress.step:,} of {steps:,} steps  loss {progress.loss:.4f}  {speed:.0f} steps/s"
        line = f"{done}  {minutes} min {seconds} s left"
        _tell(f"\r{line}\033[K", end="") if sys.stderr.isatty() else _tell(line)

    figures = train_model(learning, report, chosen.steps)
    if sys.stderr.isatty():
        _tell("")
    for name, value in figures.items():
        _print(f"{name.replace('_', ' ')}: {value:.4f}")
    _print(one_line(f"written to {folder}"))
    return 0


def _audit(chosen: argparse.Namespace) -> int:
    found = txviz.audit()
    if chosen.json:
        rows = [
            {
                "model": entry.model,
                "where": entry.printed.where,
                "printed": entry.printed.printed,
                "computed": entry.printed.computed,
                "agrees": entry.printed.agrees,
            }
            for entry in found
        ]
        _print(json.dumps(rows, ensure_ascii=False))
        return 0
    _print("\n\n".join(terminal.finding(*entry) for entry in found))
    wrong = sum(not entry.printed.agrees for entry in found)
    _print(f"\n{wrong} of {len(found)} printed results are wrong, computed from the guides' own printed inputs.")
    return 0


def _as_json(step: Step) -> dict[str, Any]:
    return {
        "name": step.name,
        "op": step.op,
        "axes": step.axes,
        "labels": step.labels,
        "inputs": step.inputs,
        "shape": step.value.shape,
        "value": _finite(step.value),
        "edited": {each.name: each.edited for each in (step, *step.sources) if each.edited and _is_own(each, step)},
    }


def _is_own(source: Step | Parameter, step: Step) -> bool:
    """Whether the step would say that it was changed by hand: of itself, and of a parameter that it reads."""
    return source is step or isinstance(source, Parameter)


def _node_as_json(node: Node) -> dict[str, Any]:
    """A step says what it is, any other node how many steps it has; both hold what a person reads, too."""
    found: dict[str, Any] = {"level": node.level, "name": node.name, "title": node.title}
    if node.level == "step":
        step = node.first
        return {**found, "key": step.key, "op": step.op, "axes": step.axes, "shape": step.value.shape}
    return {**found, "steps": len(node.steps), "children": [_node_as_json(child) for child in node.children]}


def _finite(value: Array) -> Any:
    """Nested lists with −∞ written as "-inf", since JSON has no word for it."""
    if value.dtype.kind != "f":
        return value.tolist()
    if value.ndim == 0:
        x = float(value)
        return x if x - x == 0 else str(x)
    return [_finite(row) for row in value]


if __name__ == "__main__":
    sys.exit(main())
