"""Steps and pictures of levels to files: under which names, one or many. Nothing is written until all of it is made."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from txviz.errors import TxvizError
from txviz.figures.file_names import called, file_name, suggested_name
from txviz.figures.formats import DRAWN, FORMATS, LEVELED, PAGES, TEXTS, with_option
from txviz.figures.job import Export
from txviz.figures.lazy import load
from txviz.figures.levels import LEVELS
from txviz.figures.naming import counted, listed
from txviz.figures.presets import check_number, check_pixels
from txviz.figures.views import VIEWS
from txviz.files import saying, target, write_all

__all__ = ["Export", "called", "check", "check_path", "content", "export", "file_name", "suggested_name"]


def export(wanted: Export, path: Path) -> list[Path]:
    """Writes the files and returns their paths. Stopped or failed on the way, it has written nothing."""
    check(wanted)
    check_path(wanted, path)
    folder = path if not wanted.one_file and is_folder(wanted, path) else None
    if folder is None:
        contents = files(wanted, path)
    else:
        contents = {
            folder / file_name(wanted.trace, each, wanted.format): content(wanted.only(each))
            for each in wanted.watched()
        }
    return write_files(contents, path.parent if folder is None else folder)


def write_files(contents: dict[Path, bytes], folder: Path) -> list[Path]:
    """All of them or none, into a folder that is made where there is none."""
    with _folder(folder):
        write_all(contents)
    return list(contents)


def name_in(folder: Path, wanted: Export) -> Path:
    """The folder itself where it gets many files, else the file that belongs into it."""
    if len(wanted.shown) > 1 and not wanted.one_file:
        return folder
    alone = file_name(wanted.trace, wanted.shown[0], wanted.format)
    return folder / (alone if len(wanted.shown) == 1 else suggested_name(wanted))


def content(wanted: Export) -> bytes:
    """A file: of all that is shown, or of the one thing in a format that has a file for each."""
    made: bytes = load(f"writers.{FORMATS[wanted.format].written_by}")(wanted)
    return made


def files(wanted: Export, path: Path) -> dict[Path, bytes]:
    """The file, and the second one of a format that has two: the subtitles of a film."""
    row = FORMATS[wanted.format].beside
    beside = {path.with_suffix(f".{row[0]}"): load(f"writers.{row[1]}")(wanted)} if row else {}
    return {path: content(wanted), **beside}


def check(wanted: Export) -> None:
    """One sentence about what can't be done, before any work is."""
    if wanted.format not in FORMATS:
        raise TxvizError(f'no format is called "{wanted.format}"; there are {", ".join(FORMATS)}')
    if wanted.view not in {**VIEWS, **LEVELS}:
        raise TxvizError(f'no view is called "{wanted.view}"; there are {", ".join((*VIEWS, *LEVELS))}')
    _check_fit(wanted)
    if not wanted.shown:
        raise TxvizError("no step matches; try *.weights or encoder.0.*")
    if wanted.worksheet and "worksheet" not in FORMATS[wanted.format].options:
        raise TxvizError(f"a worksheet is made as {with_option('worksheet')}, not as {wanted.format}")
    if wanted.text not in TEXTS:
        raise TxvizError(f'the text is "{wanted.text}"; it can be {" or ".join(TEXTS)}')
    if wanted.separate and FORMATS[wanted.format].one_file and "separate" not in FORMATS[wanted.format].options:
        raise TxvizError(
            f"{wanted.format} has all figures in one file; {with_option('separate')} can have one for each"
        )
    check_number("resolution", wanted.resolution)
    check_number("number of seconds", wanted.seconds)
    still = not wanted.frames and not FORMATS[wanted.format].frames
    check_number("number of frames a second", None if still else wanted.rate)
    if "resolution" in FORMATS[wanted.format].options:
        page = wanted.ready or wanted.preset
        check_pixels(page.width, page.height, wanted.scale)


def _check_fit(wanted: Export) -> None:
    """Whether the format has room for what is shown, and the view is one of it."""
    if wanted.other is not None and wanted.format not in PAGES:
        raise TxvizError(f"a comparison can be written as {listed(PAGES)}, not as {wanted.format}")
    if wanted.other is not None and wanted.worksheet:
        raise TxvizError("a worksheet is made from one run; end the comparison first")
    if wanted.nodes and wanted.format not in LEVELED:
        raise TxvizError(f"{wanted.format} has the numbers of a step; pictures of levels go into {listed(LEVELED)}")
    if wanted.steps and wanted.view in LEVELS:
        raise TxvizError(f"{wanted.steps[0].name} is a step; {wanted.view} is the picture of a level above the steps")
    if ((wanted.steps and wanted.view != "stage") or wanted.ready) and wanted.format not in DRAWN:
        raise TxvizError(f"{wanted.format} has no view but the stage; {listed(DRAWN)} have all of them")


def check_path(wanted: Export, path: Path) -> None:
    """Whether what is wanted fits into a file or a folder."""
    one_file = wanted.one_file
    with saying(path):
        folder, many = path.is_dir(), is_folder(wanted, path)
    if one_file and folder:
        raise TxvizError(f"{path} is a folder; {wanted.format} makes one file, so give its name")
    if not one_file and len(wanted.shown) > 1 and not many:
        several = counted(len(wanted.shown), "picture" if wanted.nodes else "step")
        raise TxvizError(f"{wanted.format} makes a file for each of the {several}; give a folder, not {path}")
    if not folder:
        target(path)


def is_folder(wanted: Export, path: Path) -> bool:
    """A folder is one that is there, or a name without an ending where there is more than one figure."""
    return path.is_dir() or (len(wanted.shown) > 1 and not path.suffix and not path.exists())


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
