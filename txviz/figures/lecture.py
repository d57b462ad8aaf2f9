"""A lecture from one run: slides that begin with the map and go on with the key steps, the same scenes as a film, a
worksheet of them with its answers, and the whole run as a web page for everybody."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from txviz import ops
from txviz.errors import TxvizError
from txviz.figures.export import check, files, write_files
from txviz.figures.job import Export, Shown, Watch, unwatched
from txviz.figures.settings import Settings
from txviz.files import saying, target
from txviz.trace import Trace


class Lecture(NamedTuple):
    written: list[Path]
    left_out: list[str]
    """Why something is not there, a sentence each."""


class _Piece(NamedTuple):
    ending: str
    """Of the file's name, after the model's."""

    wanted: Export
    can_be_missing: bool
    """Without a film or a worksheet it is a lecture still."""


def write_lecture(trace: Trace, folder: Path, settings: Settings | None = None, watch: Watch = unwatched) -> Lecture:
    """Writes the files into the folder: all that can be made, or nothing where something fails."""
    pieces = list(_pieces(trace, settings or Settings()))
    name = Path(str(trace.about.get("model", ""))).name or "lecture"
    paths = [folder / f"{name}{piece.ending}" for piece in pieces]
    _check(folder, paths)
    for piece in pieces:
        check(piece.wanted)
    contents: dict[Path, bytes] = {}
    left_out: list[str] = []
    for (_, wanted, can_be_missing), path, told in zip(pieces, paths, _told(pieces, watch), strict=True):
        try:
            contents |= files(replace(wanted, watch=told), path)
        except TxvizError as error:
            if not can_be_missing:
                raise
            left_out.append(f"no {path.name}: {error}")
    return Lecture(write_files(contents, folder), left_out)


def _check(folder: Path, paths: Sequence[Path]) -> None:
    """Before all the work: whether files of these names can be there."""
    with saying(folder):
        if folder.exists() and not folder.is_dir():
            raise TxvizError(f"{folder} is a file; a lecture is several files, so give a folder")
    for path in paths:
        target(path)


def _pieces(trace: Trace, settings: Settings) -> Iterator[_Piece]:
    """Nothing stands before the map. A worksheet is printed, so it is light; to find the largest number is no task."""
    scenes: list[Shown] = [trace.outline, *trace.key_steps]
    exercises: list[Shown] = [step for step in trace.key_steps if step.operation is not ops.argmax]

    def made(shown: list[Shown], kind: str, **how: object) -> Export:
        return Export.chosen(replace(settings, format=kind, **how), trace, shown)  # type: ignore[arg-type]

    yield _Piece(".pptx", made(scenes, "pptx", cover=False), False)
    yield _Piece(".mp4", made(scenes, "mp4"), True)
    yield _Piece("-worksheet.pdf", made(exercises, "pdf", worksheet="cells", theme=None), True)
    yield _Piece(".html", made(list(trace), "html"), False)


def _told(pieces: list[_Piece], watch: Watch) -> Iterator[Watch]:
    """Of each piece: how far the whole lecture is."""
    total, before = sum(len(piece.wanted.shown) for piece in pieces), 0
    for piece in pieces:
        yield _from(before, total, watch)
        before += len(piece.wanted.shown)


def _from(before: int, total: int, watch: Watch) -> Watch:
    return lambda done, _: watch(before + done, total)
