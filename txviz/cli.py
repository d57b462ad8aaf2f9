"""The command line: ``txviz show sentence-guide "The cat sat."`` and its siblings."""

from __future__ import annotations

import argparse
import io
import json
import os
import sys
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

import txviz
from txviz import cli_compare, cli_desktop, cli_lecture
from txviz.cli_figures import add_export, add_input, add_key_steps, check_inputs, matching, traced
from txviz.cli_output import print_out, tell
from txviz.errors import NO_MEMORY, TxvizError, one_line
from txviz.figures import terminal
from txviz.figures.formats import FORMATS
from txviz.files import check_file
from txviz.models import check_files, find
from txviz.models.damage import DamagedError
from txviz.models.folders import model_folder
from txviz.models.request import Request
from txviz.ops import Array
from txviz.trace import Parameter, Step, Trace, names
from txviz.trace.outline import Node, outline
from txviz.version import release

if TYPE_CHECKING:
    from txviz.training.trainer import Progress


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command. Bad input is one line on stderr and exit code 2."""
    _open_streams()
    try:
        chosen = _parser().parse_args(arguments)
        with np.errstate(all="ignore"):  # ∞ and what is not a number are shown, so nobody has to be warned
            code = int(chosen.run(chosen))
        for note in dict.fromkeys(chosen.notes):
            tell(note)
        return code
    except TxvizError as error:
        tell(f"txviz: {error}")
        return 2
    except MemoryError:
        tell(f"txviz: {NO_MEMORY}")
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


class _Parser(argparse.ArgumentParser):
    """argparse, with its errors in one line like all others."""

    def error(self, message: str) -> NoReturn:
        raise TxvizError(f"{message}; see {self.prog} --help")

    def _print_message(self, message: str, file: object = None) -> None:
        """The help and the version: argparse does not mind when they can't be written."""
        print_out(message.removesuffix("\n"))


class _Version(argparse.Action):
    """argparse's own wants the text before anybody has asked for it."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        print_out(f"txviz {release()}")
        parser.exit()


def _parser() -> _Parser:
    parser = _Parser(prog="txviz", description="Step through a transformer: every tensor, every cell's arithmetic.")
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and its commit")
    about = "open the window on this model at its first step, with this input or with its example"
    parser.add_argument("--model", nargs="+", metavar=("NAME", "INPUT"), help=about)
    parser.set_defaults(run=_window, file=None, notes=[])  # these are told when all went well
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", parser_class=_Parser)

    opening = commands.add_parser("open", help="open the window on a saved trace, or on a model in a folder")
    opening.add_argument("file", metavar="FILE|DIR", type=Path, nargs="?")
    opening.set_defaults(run=_window)

    listing = commands.add_parser("models", help="list the models, one line each, with an example input")
    listing.set_defaults(run=_models)

    _add_show(commands.add_parser("show", help="print steps and their numbers"))

    _add_trace(commands.add_parser("trace", help="compute a trace and save it"))

    add_export(commands.add_parser("export", help="write steps, or pictures of levels, as " + ", ".join(FORMATS)))

    cli_compare.add(commands.add_parser("compare", help="two runs side by side, and what differs: text or figures"))

    about = "write a lecture: slides, a film, a worksheet with its answers and a web page"
    cli_lecture.add(commands.add_parser("lecture", help=about))

    verify = commands.add_parser("verify", help="replay a saved trace; the first wrong step, if any")
    verify.add_argument("file", metavar="FILE", type=Path)
    verify.set_defaults(run=_verify)

    _add_train(commands.add_parser("train", help="train a shipped model again from its data and seed"))

    about = "an entry in the desktop's menu, with its icon, and traces that open with a double click"
    cli_desktop.add(commands.add_parser("install-desktop", help=about))

    audit = commands.add_parser("audit", help="what the guides print, beside what it should be")
    audit.add_argument("--json", action="store_true", help="print JSON and nothing else")
    audit.set_defaults(run=_audit)
    return parser


def _add_show(show: _Parser) -> None:
    add_input(show)
    show.add_argument("--step", metavar="GLOB", default="*", help='which steps, for example "*.weights" (default: all)')
    add_key_steps(show)
    instead = show.add_mutually_exclusive_group()
    instead.add_argument("--outline", action="store_true", help="print no numbers, but the tree that the steps make")
    about = "print no numbers, but why they are there: steps, and blocks, layers and parts that match --step"
    instead.add_argument("--why", action="store_true", help=about)
    about = "print no numbers, but where a word stands in each softmax over words: its probability, rank and score"
    instead.add_argument("--word", metavar="WORD", help=about)
    show.add_argument("--json", action="store_true", help="print JSON and nothing else")
    show.set_defaults(run=_show)


def _add_trace(trace: _Parser) -> None:
    add_input(trace)
    trace.add_argument("-o", "--output", metavar="FILE.safetensors", type=Path, required=True)
    about = "leave out the weights and what can be computed again: small, but whoever opens it needs the same model"
    trace.add_argument("--compact", action="store_true", help=about)
    trace.set_defaults(run=_trace)


def _add_train(train: _Parser) -> None:
    train.add_argument("model", metavar="MODEL")
    train.add_argument(
        "-o", "--output", metavar="DIR", type=Path, help="where to write it (default: build/models/MODEL)"
    )
    train.add_argument("--steps", type=int, help="fewer steps than the model's recipe has")
    train.set_defaults(run=_train)


def _window(chosen: argparse.Namespace) -> int:
    from txviz.gui import screen  # Qt is loaded for the window alone

    problem = screen.problem()
    if problem:
        raise TxvizError(problem)
    file, words = chosen.file, chosen.model
    folder = None if file is None else model_folder(file)
    if folder is not None:
        file, words = None, [str(folder.absolute())]
    if file is not None:
        check_file(file)
    request = _asked_for(words) if words else None
    from txviz.gui.app import run

    return run(file, request)


def _asked_for(words: list[str]) -> Request:
    """A model, and what it is to read: nothing, a text, an image, or two sentences."""
    name, *inputs = words
    check_inputs(name, inputs)
    return Request(name, " | ".join(inputs) if inputs else find(name).example)


def _models(_: argparse.Namespace) -> int:
    width = max(map(len, txviz.models()))
    for name in txviz.models():
        print_out(f"{name:<{width}}  {_about(name)}")
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
    trace = traced(chosen)
    if chosen.why:
        return _explain(trace, chosen)
    steps = matching(trace, [chosen.step], chosen.key_steps)
    if chosen.word is not None:
        return _find_word(steps, chosen)
    if chosen.outline:
        tree = outline(steps, trace.outline.title)
        print_out(json.dumps(_node_as_json(tree, trace), ensure_ascii=False) if chosen.json else terminal.tree(tree))
    elif chosen.json:
        print_out(json.dumps([_as_json(step) for step in steps], ensure_ascii=False))
    else:
        print_out("\n\n".join(terminal.describe(step) for step in steps))
        print_out(f"\noutput: {_said(trace)}")
        for line in filter(None, (trace.edited_text, *map(str, trace.odd_numbers))):
            print_out(one_line(line))
    return 0


def _explain(trace: Trace, chosen: argparse.Namespace) -> int:
    nodes = [node for node in trace.outline if fnmatchcase(node.name, chosen.step)]
    if not nodes:
        suggestion = names.suggestion(chosen.step, [node.name for node in trace.outline])
        raise TxvizError(f'nothing in the outline matches "{chosen.step}"{suggestion}')
    if chosen.key_steps:
        nodes = [trace.outline.find(step.name) for step in matching(trace, [chosen.step], key_steps=True)]
    if chosen.json:
        found = [{"level": each.level, "name": each.name, "title": each.title, **each.why._asdict()} for each in nodes]
        print_out(json.dumps(found, ensure_ascii=False))
    else:
        print_out("\n\n".join(map(terminal.page, nodes)))
    return 0


def _find_word(steps: Sequence[Step], chosen: argparse.Namespace) -> int:
    weighed = [step for step in steps if step.op == "softmax" and step.axes[-1] in ("vocabulary", "class")]
    if not weighed:
        raise TxvizError(f'no step that matches "{chosen.step}" is a softmax over words or classes')
    found = [(step, each) for step in weighed for each in step.standing(chosen.word)]
    if chosen.json:
        rows = [{"step": s.name, **each._asdict(), "score": _finite(np.array(each.score))} for s, each in found]
        print_out(json.dumps(rows, ensure_ascii=False))
    else:
        print_out("\n".join(terminal.standings(found)))
    return 0


def _said(trace: Trace) -> str:
    step = trace.output_step
    return str(trace.output) if step is None else f"{step.name}, {'×'.join(map(str, step.value.shape))} numbers"


def _trace(chosen: argparse.Namespace) -> int:
    trace = traced(chosen)
    trace.save(chosen.output, compact=chosen.compact)
    told = _with_edits(f"{chosen.output}: {len(trace)} steps", trace)
    print_out(one_line("; ".join((told, *map(str, trace.odd_numbers)))))
    return 0


def _verify(chosen: argparse.Namespace) -> int:
    trace = txviz.load(chosen.file)
    wrong = trace.verify()
    if wrong:
        more = f" ({len(wrong) - 1} more)" if len(wrong) > 1 else ""
        tell(one_line(f"{chosen.file}: {wrong[0]}{more}"))
        return 1
    how = "bit for bit" if trace.exact else f"up to rounding: {_OTHER_ORDER}"
    told = f"{chosen.file}: all {len(trace)} steps replay to the recorded numbers, {how}"
    print_out(one_line(_with_edits(told, trace)))
    return 0


_OTHER_ORDER = "sums had another order, by other threads or another processor, or as the weights lay in a checkpoint"


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
        tell(f"\r{line}\033[K", end="") if sys.stderr.isatty() else tell(line)

    figures = train_model(learning, report, chosen.steps)
    if sys.stderr.isatty():
        tell("")
    for name, value in figures.items():
        print_out(f"{name.replace('_', ' ')}: {value:.4f}")
    print_out(one_line(f"written to {folder}"))
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
        print_out(json.dumps(rows, ensure_ascii=False))
        return 0
    print_out("\n\n".join(terminal.finding(*entry) for entry in found))
    wrong = sum(not entry.printed.agrees for entry in found)
    print_out(f"\n{wrong} of {len(found)} printed results are wrong, computed from the guides' own printed inputs.")
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


def _node_as_json(node: Node, trace: Trace) -> dict[str, Any]:
    """A step says what it is, any other node how many steps it has; both hold what a person reads, too."""
    found: dict[str, Any] = {"level": node.level, "name": node.name, "title": node.title}
    if node.level == "step":
        step = node.first
        return {**found, "key": step in trace.key_steps, "op": step.op, "axes": step.axes, "shape": step.value.shape}
    return {**found, "steps": len(node.steps), "children": [_node_as_json(child, trace) for child in node.children]}


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
