"""Steps to files: which figure, in which format, under which name. Nothing is written until all of it is made."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from txviz.errors import TxvizError
from txviz.figures.formats import DRAWN, FILE_EACH, FORMATS, ONE_FILE, VIEWS
from txviz.figures.marks import Figure
from txviz.figures.presets import SLIDE, Preset
from txviz.figures.stage import pictures, stage
from txviz.figures.views.attention import Mode, attention
from txviz.figures.views.distribution import distribution
from txviz.figures.views.heads import pair_of
from txviz.figures.views.picture import find_drawing
from txviz.figures.views.softmax import softmax
from txviz.figures.views.tokens import tokens
from txviz.files import write_whole
from txviz.ops import Index
from txviz.trace import Step, Trace

Watch = Callable[[int, int], object]
"""Called with how many steps are done, and of how many; stops the export by raising."""


@dataclass(frozen=True)
class Export:
    """What is to be exported, and how it is to look."""

    trace: Trace
    steps: Sequence[Step]
    format: str
    preset: Preset = SLIDE
    view: str = "stage"
    place: Index = ()
    """Which matrix of larger tensors: (2,) is head 2."""

    cell: Index | None = None
    """A cell to outline, where there is one step."""

    resolution: float | None = None
    """Pixels for each unit of the page; when nobody says, 2 in a picture and 1 in an animation."""

    transparent: bool = False
    seconds: float = 1.0
    """How long an animation shows each step."""

    loop: bool = True
    ready: Figure | None = None
    """Drawn already, in place of the view: a plot as the window shows it, temperature and all."""

    watch: Watch = field(default=lambda done, total: None)

    def figure(self, step: Step) -> Figure:
        if self.ready is not None:
            return self.ready
        cell = self.cell if len(self.steps) == 1 else None
        if self.view == "stage":
            return step_figure(step, self.preset, self.place, cell, self.trace)
        found = view_figure(self.view, self.trace, step, self.preset, self.place, cell)
        if found is None:
            raise TxvizError(f"{step.name} has nothing to show as {self.view}; choose another step or view")
        return found

    def figures(self) -> Iterator[Figure]:
        """One after the other, telling how far it is."""
        return (self.figure(step) for step in self.watched())

    def watched(self) -> Iterator[Step]:
        for done, step in enumerate(self.steps):
            self.watch(done, len(self.steps))
            yield step
        self.watch(len(self.steps), len(self.steps))


def step_figure(
    step: Step, preset: Preset, place: Index = (), cell: Index | None = None, trace: Trace | None = None
) -> Figure:
    """A step as the window shows it, on a page of its own; with a cell and what it was made from outlined."""
    shown = stage(step, place, preset.width, preset.height, preset.style, pictures(trace) if trace else {})
    if cell is None:
        return shown.figure
    outlined = (*shown.figure.marks, *shown.outlines(cell, step.explain(cell)))
    return Figure(shown.figure.width, shown.figure.height, shown.figure.background, outlined)


def view_figure(
    view: str, trace: Trace, step: Step, preset: Preset, place: Index = (), cell: Index | None = None
) -> Figure | None:
    """What a plot of the window shows of a step; None where it has nothing to show."""
    page = preset.width, preset.height, preset.style
    if view == "softmax":
        return softmax(trace, step, place, *page)
    if view == "tokens":
        return tokens(trace, step, *page)
    if view == "values":
        return distribution(step, place, *page, cell=cell)
    modes: dict[str, Mode] = {"attention": "matrix", "lines": "lines", "image": "picture"}
    if view == "image" and find_drawing(trace) is None:
        return None
    return attention(trace, step, place, *page, mode=modes[view], pair=pair_of(step, cell))


def export(wanted: Export, path: Path) -> list[Path]:
    """Writes the files and returns their paths. Stopped or failed on the way, it has written nothing."""
    check(wanted)
    check_path(wanted, path)
    if wanted.format in ONE_FILE:
        content = _whole(wanted)
        write_whole(path, content)
        return [path]
    folder = path if is_folder(wanted, path) else None
    contents = {
        (path if folder is None else folder / file_name(wanted.trace, step, wanted.format)): _one(wanted, step)
        for step in wanted.watched()
    }
    if folder is not None:
        _make_folder(folder)
    for file, content in contents.items():
        write_whole(file, content)
    return list(contents)


def check(wanted: Export) -> None:
    """One sentence about what can't be done, before any work is."""
    if wanted.format not in FORMATS:
        raise TxvizError(f'no format is called "{wanted.format}"; there are {", ".join(FORMATS)}')
    if wanted.view not in VIEWS:
        raise TxvizError(f'no view is called "{wanted.view}"; there are {", ".join(VIEWS)}')
    if (wanted.view != "stage" or wanted.ready) and wanted.format not in DRAWN:
        raise TxvizError(f"{wanted.format} has no view but the stage; png, svg, pdf and gif have all of them")
    if not wanted.steps:
        raise TxvizError("no step matches; try *.weights or encoder.0.*")


def check_path(wanted: Export, path: Path) -> None:
    """Whether what is wanted fits into a file or a folder."""
    if wanted.format in ONE_FILE and path.is_dir():
        raise TxvizError(f"{path} is a folder; {wanted.format} makes one file, so give its name")
    if wanted.format in FILE_EACH and len(wanted.steps) > 1 and not is_folder(wanted, path):
        raise TxvizError(
            f"{wanted.format} makes a file for each of the {len(wanted.steps)} steps; give a folder, not {path}"
        )


def is_folder(wanted: Export, path: Path) -> bool:
    """A folder is one that is there, or a name without an ending where there is more than one step."""
    return path.is_dir() or (len(wanted.steps) > 1 and not path.suffix and not path.exists())


def file_name(trace: Trace, step: Step, ending: str) -> str:
    """``012-encoder.0.attention.scores.svg``: names that sort as the steps do."""
    number = next(i for i, other in enumerate(trace, 1) if other is step)
    return f"{number:0{max(3, len(str(len(trace))))}d}-{step.name}.{ending}"


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise TxvizError(f"can't make the folder {folder}: {error.strerror}") from error


def _one(wanted: Export, step: Step) -> bytes:
    """One step in a format that has a file for each."""
    if wanted.format in DRAWN:
        return drawn(wanted, [wanted.figure(step)])
    from txviz.figures.writers import tables

    if wanted.format == "npy":
        return tables.npy(step)
    if wanted.format == "csv":
        return tables.csv(step).encode()
    if wanted.format == "md":
        return tables.markdown(step, wanted.place).encode()
    return (tables.formula(step) + tables.latex(step, wanted.place)).encode()


def drawn(wanted: Export, figures: Iterable[Figure]) -> bytes:
    """Figures in one of the formats for drawings; a png or svg has just one."""
    if wanted.format == "pdf":
        from txviz.figures.writers.pdf import pdf

        return pdf(figures)
    if wanted.format == "gif":
        from txviz.figures.writers.gif import gif

        return gif(figures, wanted.seconds, wanted.loop, wanted.resolution or 1.0)
    (figure,) = figures
    if wanted.format == "svg":
        from txviz.figures.writers.svg import svg

        return svg(figure).encode()
    from txviz.figures.writers.png import png

    return png(figure, wanted.resolution or 2.0, wanted.transparent)


def _page(wanted: Export) -> Iterator[str]:
    """A web page piece by piece: its beginning, each step, its end."""
    from txviz.figures.writers.html import parts

    for done, piece in enumerate(parts(wanted.trace, wanted.steps, wanted.preset, wanted.place)):
        wanted.watch(min(done, len(wanted.steps)), len(wanted.steps))
        yield piece


def _whole(wanted: Export) -> bytes:
    """All steps in a format that has one file."""
    if wanted.format in DRAWN:
        return drawn(wanted, wanted.figures())
    if wanted.format == "html":
        return "".join(_page(wanted)).encode()
    from txviz.figures.slides import slide
    from txviz.figures.writers.png import png
    from txviz.figures.writers.pptx import pptx

    thumbnails = pictures(wanted.trace)
    slides = (slide(step, wanted.preset, wanted.place, wanted.cell, thumbnails) for step in wanted.watched())
    return pptx(slides, lambda figure: png(figure, wanted.resolution or 2.0))
