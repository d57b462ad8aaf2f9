"""Steps to files: under which names, one or many. Nothing is written until all of it is made."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

from txviz.errors import TxvizError
from txviz.figures.formats import DRAWN, FORMATS
from txviz.figures.job import Export
from txviz.figures.lazy import load
from txviz.figures.naming import listed
from txviz.figures.presets import check_number, check_pixels
from txviz.figures.views import VIEWS
from txviz.files import saying, target, write_all
from txviz.trace import Step, Trace

__all__ = ["Export", "check", "check_path", "content", "export", "file_name"]


def export(wanted: Export, path: Path) -> list[Path]:
    """Writes the files and returns their paths. Stopped or failed on the way, it has written nothing."""
    check(wanted)
    check_path(wanted, path)
    folder = path if not FORMATS[wanted.format].one_file and is_folder(wanted, path) else None
    if folder is None:
        contents = {path: content(wanted)}
    else:
        contents = {
            folder / file_name(wanted.trace, step, wanted.format): content(wanted.only(step))
            for step in wanted.watched()
        }
    with nullcontext() if folder is None else _folder(folder):
        write_all(contents)
    return list(contents)


def content(wanted: Export) -> bytes:
    """A file: of all steps, or of the one step in a format that has a file for each."""
    made: bytes = load(f"writers.{FORMATS[wanted.format].written_by}")(wanted)
    return made


def check(wanted: Export) -> None:
    """One sentence about what can't be done, before any work is."""
    if wanted.format not in FORMATS:
        raise TxvizError(f'no format is called "{wanted.format}"; there are {", ".join(FORMATS)}')
    if wanted.view not in VIEWS:
        raise TxvizError(f'no view is called "{wanted.view}"; there are {", ".join(VIEWS)}')
    if (wanted.view != "stage" or wanted.ready) and wanted.format not in DRAWN:
        raise TxvizError(f"{wanted.format} has no view but the stage; {listed(DRAWN)} have all of them")
    if not wanted.steps:
        raise TxvizError("no step matches; try *.weights or encoder.0.*")
    check_number("resolution", wanted.resolution)
    check_number("number of seconds", wanted.seconds)
    if "resolution" in FORMATS[wanted.format].options:
        page = wanted.ready or wanted.preset
        check_pixels(page.width, page.height, wanted.scale)


def check_path(wanted: Export, path: Path) -> None:
    """Whether what is wanted fits into a file or a folder."""
    one_file = FORMATS[wanted.format].one_file
    with saying(path):
        folder, many = path.is_dir(), is_folder(wanted, path)
    if one_file and folder:
        raise TxvizError(f"{path} is a folder; {wanted.format} makes one file, so give its name")
    if not one_file and len(wanted.steps) > 1 and not many:
        raise TxvizError(
            f"{wanted.format} makes a file for each of the {len(wanted.steps)} steps; give a folder, not {path}"
        )
    if not folder:
        target(path)


def is_folder(wanted: Export, path: Path) -> bool:
    """A folder is one that is there, or a name without an ending where there is more than one step."""
    return path.is_dir() or (len(wanted.steps) > 1 and not path.suffix and not path.exists())


def file_name(trace: Trace, step: Step, ending: str) -> str:
    """``012-encoder.0.attention.scores.svg``: names that sort as the steps do."""
    number = next(i for i, other in enumerate(trace, 1) if other is step)
    return f"{number:0{max(3, len(str(len(trace))))}d}-{step.name}.{ending}"


@contextmanager
def _folder(folder: Path) -> Iterator[None]:
    """The folder is there for what follows; a new one goes again if that fails."""
    new = [each for each in (folder, *folder.parents) if not each.exists()]
    try:
        _make(folder)
        yield
    except BaseException:
        with suppress(OSError):
            for each in new:
                each.rmdir()
        raise


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise TxvizError(f"can't make the folder {folder}: {error.strerror}") from error
