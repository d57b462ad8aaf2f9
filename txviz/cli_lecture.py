"""``txviz lecture MODEL INPUT -o FOLDER``: slides, a film, a worksheet and a web page of one run."""

from __future__ import annotations

import argparse
from dataclasses import fields
from pathlib import Path

from txviz.cli_figures import add_input, progress, traced
from txviz.cli_output import print_out, tell
from txviz.errors import one_line

EPILOG = """The slides begin with the map of the model for this very input; then come the key steps, which build up on
click with their arithmetic. The film (MP4, with subtitles) has the same scenes, the worksheet (PDF) blanks in them and
the answers on its last pages, and the web page every step of the run."""


def add(command: argparse.ArgumentParser) -> None:
    command.epilog = EPILOG
    add_input(command)
    command.add_argument("-o", "--output", metavar="FOLDER", type=Path, required=True, help="where the files go")
    look = command.add_argument_group("look", argument_default=argparse.SUPPRESS)
    look.add_argument("--theme", help="light, dark or paper; a worksheet is always light")
    look.add_argument("--no-builds", dest="builds", action="store_false", help="nothing comes on click")
    look.add_argument("--seconds", "--seconds-per-step", type=float, help="of each scene of the film (default: 4)")
    look.add_argument("--frames", type=float, help="of the film, a second (default: 30)")
    look.add_argument(
        "--resolution", type=float, help="pixels for each unit of a page (default: 1080 lines in the film)"
    )
    command.set_defaults(run=_lecture)


def _lecture(chosen: argparse.Namespace) -> int:
    from txviz.figures.lecture import write_lecture  # with all that draws
    from txviz.figures.settings import Settings

    trace = traced(chosen)
    given = {each.name: getattr(chosen, each.name) for each in fields(Settings) if hasattr(chosen, each.name)}
    written, left_out = write_lecture(trace, chosen.output, Settings(**given), progress)
    for reason in left_out:
        tell(one_line(f"txviz: {reason}"))
    for path in written:
        print_out(one_line(str(path)))
    return 0
