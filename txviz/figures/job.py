"""An export as data: which steps or levels, in which format, and how it is to look. Writers read it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeAlias

from txviz.errors import TxvizError
from txviz.figures.edited_foot import with_edits
from txviz.figures.formats import FORMATS
from txviz.figures.lazy import load
from txviz.figures.levels import LEVELS, kinds
from txviz.figures.levels.picture import Beside, NodeScene, Picture
from txviz.figures.marks import Figure
from txviz.figures.naming import WORDS
from txviz.figures.pair import SIDES, Pair, Sides
from txviz.figures.place import is_cell
from txviz.figures.presets import SLIDE, Preset
from txviz.figures.scene import Scene
from txviz.figures.settings import Settings
from txviz.figures.stage import Stage
from txviz.figures.views import VIEWS
from txviz.ops import Index
from txviz.trace import Step, Trace
from txviz.trace.outline import Node

Shown: TypeAlias = Step | Node
"""What a figure can be of: a step, or a node of the outline above the steps."""

Watch = Callable[[int, int], object]
"""Called with how many figures are done, and of how many; stops the export by raising."""


def _unwatched(done: int, total: int) -> None:
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

    resolution: float | None = Settings.resolution
    transparent: bool = Settings.transparent
    seconds: float | None = Settings.seconds
    frames: float | None = Settings.frames
    loop: bool = Settings.loop
    worksheet: str = Settings.worksheet
    ready: Figure | None = None
    """Drawn already, in place of the view: a plot as the window shows it, temperature and all."""

    beside: tuple[Beside, ...] | None = None
    """Other runs of the same input, for a picture that compares them."""

    other: Trace | None = None
    """A run to compare with: it is A, and ``trace`` is B."""

    sides: Sides = "all"
    """What is shown of the two."""

    watch: Watch = field(default=_unwatched)

    @classmethod
    def chosen(cls, settings: Settings, trace: Trace, shown: Sequence[Shown], **more: Any) -> Export:
        names = ("view", "resolution", "transparent", "seconds", "frames", "loop", "worksheet")
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
        return replace(self, shown=[shown], cell=self.outlined, watch=_unwatched)

    @cached_property
    def pair(self) -> Pair | None:
        """Both runs, where two are compared."""
        return None if self.other is None else Pair(self.other, self.trace)

    @property
    def drawn(self) -> list[Shown]:
        """What is a picture as a whole: levels, and all that is compared."""
        return list(self.nodes if self.other is None else self.shown)

    def figure(self, shown: Shown) -> Figure:
        if isinstance(shown, Node) and self.ready is None:
            return self.picture(shown).figure
        return with_edits(self.ready or self._drawn(shown), self.trace, self.preset.style)

    def _drawn(self, shown: Shown) -> Figure:
        return self._view(shown) if isinstance(shown, Step) and self.pair is None else self.picture(shown).figure

    def picture(self, shown: Shown, current: Step | None = None) -> Picture:
        """Of a level: the picture that was asked for, else the one that the window shows first. With a current step,
        what comes after it is pale. Of a step, where two runs are compared."""
        if isinstance(shown, Step):
            return Picture(self._compared(shown).figure, ())
        node = shown
        has, page = kinds(node), self.preset
        kind = has[0] if self.view == Settings.view else self.view
        if kind not in has:
            called = node.name or "the whole run"
            raise TxvizError(f"{called} has nothing to show as {kind}; it can be shown as {', '.join(has)}")
        scene = NodeScene(self.trace, node, self.place, current, page.width, page.height, page.style)
        if self.pair is not None:
            picture: Picture = load("levels.pair.draw_pair")(scene, self.pair, kind, self.sides)
        else:
            picture = LEVELS[kind].draw(scene._replace(beside=self.beside))
        return replace(picture, figure=with_edits(picture.figure, self.trace, page.style))

    def _compared(self, step: Step) -> Stage:
        from txviz.figures.comparison import compared_stage  # few compare

        assert self.pair is not None
        page = self.preset
        made = compared_stage(self.pair, step, self.place, page.width, page.height, page.style, self.sides)
        if self.outlined is None or not is_cell(made.step, self.outlined):
            return made
        around = made.outlines(self.outlined, made.step.explain(self.outlined))
        return replace(made, figure=replace(made.figure, marks=(*made.figure.marks, *around)))

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
        view, page = VIEWS[self.view], self.preset
        if not view.exists(self.trace, step):
            raise TxvizError(f"{step.name} has nothing to show as {self.view}; choose another step or view")
        return view.draw(Scene(self.trace, step, self.place, self.outlined, page.width, page.height, page.style))

    def figures(self) -> Iterator[Figure]:
        """One after the other, telling how far it is."""
        return (self.figure(each) for each in self.watched())

    def watched(self) -> Iterator[Shown]:
        total = len(self.shown)
        for done, each in enumerate(self.shown):
            self.watch(done, total)
            yield each
        self.watch(total, total)
