"""An export as data: which steps or levels, in which format, and how it is to look. Writers read it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, TypeAlias

from txviz.errors import TxvizError
from txviz.figures.edited_foot import with_edits
from txviz.figures.fits import check_fits
from txviz.figures.followed import numbered
from txviz.figures.foot import CAPTION, PROVENANCE, WORKED, Foot, foot
from txviz.figures.formats import FORMATS
from txviz.figures.lazy import load
from txviz.figures.levels import LEVELS, kinds
from txviz.figures.levels.picture import Beside, NodeScene, Picture
from txviz.figures.marks import Figure
from txviz.figures.naming import WORDS
from txviz.figures.pair import SIDES, Pair, Sides
from txviz.figures.place import is_cell
from txviz.figures.presets import SLIDE, Preset
from txviz.figures.provenance import provenance
from txviz.figures.scene import Scene
from txviz.figures.settings import Settings
from txviz.figures.stage import Stage
from txviz.figures.views import VIEWS
from txviz.figures.worked import worked
from txviz.ops import Index
from txviz.trace import Step, Trace
from txviz.trace.outline import Node
from txviz.trace.pictures import why_none

Shown: TypeAlias = Step | Node
"""What a figure can be of: a step, or a node of the outline above the steps."""

Watch = Callable[[int, int], object]
"""Called with how many figures are done, and of how many; stops the export by raising."""


def unwatched(done: int, total: int) -> None:
    """Nobody wants to know."""


@dataclass(frozen=True)
class Export:
    """What is to be exported, and how it is to look; for what is not explained here, see ``Settings``."""

    trace: Trace
    shown: Sequence[Shown]
    format: str
    preset: Preset = SLIDE
    view: str = Settings.view
    place: Index = ()
    """Which matrix of larger tensors: (2,) is head 2."""

    cell: Index | None = None
    """A cell to outline, where there is one step."""

    token: int | None = None
    """The place of the token that a picture of a level is about, where it is about one."""

    resolution: float | None = Settings.resolution
    transparent: bool = Settings.transparent
    seconds: float | None = Settings.seconds
    frames: float | None = Settings.frames
    loop: bool = Settings.loop
    builds: bool = Settings.builds
    cover: bool = Settings.cover
    worksheet: str = Settings.worksheet
    caption: str = Settings.caption
    provenance: bool = Settings.provenance
    text: str = Settings.text
    separate: bool = Settings.separate
    ready: Figure | None = None
    """Drawn already, in place of the view: a plot as the window shows it, temperature and all."""

    beside: tuple[Beside, ...] | None = None
    """Other runs of the same input, for a picture that compares them."""

    other: Trace | None = None
    """A run to compare with: it is A, and ``trace`` is B."""

    sides: Sides = "all"
    """What is shown of the two."""

    asked: tuple[str, ...] = ()
    """The words that chose the steps on the command line, such as ``--steps "*.weights"``."""

    at: Step | None = None
    """How far the run is, in the picture of a level; to its end where nothing is said."""

    recorded: tuple[Export, ...] = ()
    """The scenes of a film, each with its own run and time; else they are what is shown, all alike."""

    watch: Watch = field(default=unwatched)

    @classmethod
    def chosen(cls, settings: Settings, trace: Trace, shown: Sequence[Shown], **more: Any) -> Export:
        own = {each.name for each in fields(cls)} - {"format", "preset"}
        names = [each.name for each in fields(Settings) if each.name in own]
        same = {name: getattr(settings, name) for name in names}
        return cls(trace, shown, settings.format, settings.page(), **{**same, **more})

    @property
    def steps(self) -> list[Step]:
        """Those of what is shown that are steps."""
        return [each for each in self.shown if isinstance(each, Step)]

    @property
    def nodes(self) -> list[Node]:
        """Those that are levels above the steps."""
        return [each for each in self.shown if isinstance(each, Node)]

    @property
    def scale(self) -> float:
        """Pixels for each unit of the page."""
        return self.resolution or FORMATS[self.format].resolution

    @property
    def seconds_each(self) -> float:
        return self.seconds or FORMATS[self.format].seconds

    @property
    def rate(self) -> float:
        """Frames a second; 0 where nothing moves."""
        return FORMATS[self.format].frames if self.frames is None else self.frames

    @property
    def outlined(self) -> Index | None:
        """The cell, where there is one step that it can be of."""
        return self.cell if len(self.shown) == 1 else None

    def only(self, shown: Shown) -> Export:
        """The same for one of its steps or levels."""
        return replace(self, shown=[shown], cell=self.outlined, asked=(), watch=unwatched)

    @cached_property
    def pair(self) -> Pair | None:
        """Both runs, where two are compared."""
        return None if self.other is None else Pair(self.other, self.trace)

    @property
    def as_pictures(self) -> bool:
        """Whether steps are pictures as a whole, as levels are: plots, and all that is compared."""
        return self.other is not None or self.ready is not None or (self.view in VIEWS and self.view != Settings.view)

    @property
    def scenes(self) -> Sequence[Export]:
        """What says how each of what is shown is to be filmed."""
        return self.recorded or [self] * len(self.shown)

    @property
    def one_file(self) -> bool:
        """Whether all figures go into one file."""
        return FORMATS[self.format].one_file and not self.separate

    def figure(self, shown: Shown) -> Figure:
        """On a page that it fits on: one that is too small is refused, where its size was chosen."""
        made = self._on_page(shown)
        if self.preset.fixed and self.ready is None:
            name = shown.name or "the whole run"
            check_fits(made, name, self.preset, lambda page: replace(self, preset=page)._on_page(shown))
        return made

    def _on_page(self, shown: Shown) -> Figure:
        """With what stands below it, and what was changed by hand in the run."""
        below = self.foot(shown)
        made = self.ready or self.above(below)._drawn(shown)
        return with_edits(below.below(made), self.trace, self.preset.style)

    def foot(self, shown: Shown) -> Foot:
        """The arithmetic of the chosen cell, the caption and the provenance; the picture above it is lower for it."""
        texts = {WORKED: self.worked(shown), CAPTION: self.filled(self.caption, shown)}
        texts |= {PROVENANCE: provenance(self.trace, self.other)} if self.provenance else {}
        return foot(texts, self.preset.width, self.preset.height, self.preset.style)

    def above(self, below: Foot) -> Export:
        """The same on the page that is left above it."""
        return replace(self, preset=replace(self.preset, height=below.room(self.preset.height)))

    def worked(self, shown: Shown) -> str:
        """The arithmetic of the chosen cell; a line for each of two runs."""
        cell = self.outlined
        if not isinstance(shown, Step) or cell is None or not is_cell(shown, cell):
            return ""
        return worked(self.trace, shown, cell, self.pair)

    def filled(self, text: str, shown: Shown) -> str:
        """A title or a caption with what this figure is called, and which step it is."""
        first = shown if isinstance(shown, Step) else shown.first
        number = next((i for i, step in enumerate(self.trace, 1) if step is first), 1) if "{number}" in text else 0
        called = shown.heading if isinstance(shown, Step) else self.title(shown)
        own = {"{title}": called, "{name}": shown.name or "map", "{number}": str(number)}
        return re.sub(r"\{(title|name|number)\}", lambda found: own[found[0]], text)

    def page_of(self, shown: Shown) -> Preset:
        """The page with the title that was asked for."""
        title = self.preset.style.title
        if not isinstance(title, str):
            return self.preset
        return replace(self.preset, style=replace(self.preset.style, title=self.filled(title, shown)))

    def _drawn(self, shown: Shown) -> Figure:
        if isinstance(shown, Node):
            return self._picture(shown).figure
        return self._view(shown) if self.pair is None or self.view != Settings.view else self._compared(shown).figure

    def picture(self, shown: Shown, current: Step | None = None) -> Picture:
        """Of a level: the picture that was asked for, else the one that the window shows first. With a current step,
        what comes after it is pale. Of a step, a plot or both runs."""
        below = self.foot(shown)
        made = self.above(below)._picture(shown, current)
        return replace(made, figure=with_edits(below.below(made.figure), self.trace, self.preset.style))

    def _picture(self, shown: Shown, current: Step | None = None) -> Picture:
        if isinstance(shown, Step):
            return Picture(self.ready or self._drawn(shown), ())
        node = shown
        has, page = kinds(node), self.page_of(node)
        kind = has[0] if self.view == Settings.view else self.view
        if kind not in has:
            called, why = node.name or "the whole run", why_none(self.trace.outline, kind)
            because = f" ({why})" if why else ""
            raise TxvizError(f"{called} has nothing to show as {kind}{because}; it can be shown as {', '.join(has)}")
        now = current or self.at
        scene = NodeScene(self.trace, node, self.place, now, page.width, page.height, page.style, folds=False)
        scene = scene if self.token is None else scene._replace(token=numbered(node, self.token))
        if self.pair is not None:
            picture: Picture = load("levels.pair.draw_pair")(scene, self.pair, kind, self.sides)
            return picture
        return LEVELS[kind].draw(scene._replace(beside=self.beside))

    def _compared(self, step: Step) -> Stage:
        from txviz.figures.comparison import compared_stage  # few compare

        assert self.pair is not None
        page = self.page_of(step)
        made = compared_stage(self.pair, step, self.place, page.width, page.height, page.style, self.sides)
        if self.outlined is None or not is_cell(made.step, self.outlined):
            return made
        around = made.outlines(self.outlined, made.step.explain(self.outlined))
        return replace(made, figure=replace(made.figure, marks=(*made.figure.marks, *around)))

    def full_title(self, shown: Shown) -> str:
        """Of a slide, a bookmark or a file: the one that was asked for, or else what it is called."""
        title = self.preset.style.title
        return self.filled(title, shown) if isinstance(title, str) else self.heading(shown)

    def heading(self, shown: Shown) -> str:
        """What the figure is called in words, and where in the model it stands; that of a slide or a bookmark."""
        if isinstance(shown, Step) and shown.heading != shown.title:
            sides = "" if self.other is None else f" · {SIDES[self.sides]}"
            return f"{shown.heading} ({shown.title}){sides}"
        return self.title(shown)

    def title(self, shown: Shown) -> str:
        """Of a slide or a page. A picture that a level does not show first is named, too."""
        if isinstance(shown, Step):
            return shown.title if self.other is None else f"{shown.title} · {SIDES[self.sides]}"
        path = self.trace.outline.path_to(shown.name)[1:]
        called = " · ".join(WORDS.get(node.title, node.title) for node in path) or self.trace.outline.title
        special = self.view in kinds(shown)[1:] and self.view != "map"
        called = f"{called} · {LEVELS[self.view].title.lower()}" if special else called
        return called if self.other is None else f"{called} · {SIDES[self.sides]}"

    def _view(self, step: Step) -> Figure:
        view, page = VIEWS[self.view], self.page_of(step)
        scene = Scene(self.trace, step, self.place, self.outlined, page.width, page.height, page.style)
        if self.pair is not None:
            both: Figure = load("levels.pair_plots.draw_plots")(scene, self.pair, view, self.sides)
            return both
        if not view.exists(self.trace, step):
            raise TxvizError(f"{step.name} has nothing to show as {self.view}; choose another step or view")
        return view.draw(scene)

    def figures(self) -> Iterator[Figure]:
        """One after the other, telling how far it is."""
        return (self.figure(each) for each in self.watched())

    def watched(self) -> Iterator[Shown]:
        total = len(self.shown)
        for done, each in enumerate(self.shown):
            self.watch(done, total)
            yield each
        self.watch(total, total)
