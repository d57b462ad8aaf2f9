"""An export as data: which steps, in which format, and how it is to look. Writers read it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from txviz.errors import TxvizError
from txviz.figures.formats import FORMATS
from txviz.figures.marks import Figure
from txviz.figures.presets import SLIDE, Preset
from txviz.figures.scene import Scene
from txviz.figures.settings import Settings
from txviz.figures.views import VIEWS
from txviz.ops import Index
from txviz.trace import Step, Trace

Watch = Callable[[int, int], object]
"""Called with how many steps are done, and of how many; stops the export by raising."""


def _unwatched(done: int, total: int) -> None:
    """Nobody wants to know."""


@dataclass(frozen=True)
class Export:
    """What is to be exported, and how it is to look; for what is not explained here, see ``Settings``."""

    trace: Trace
    steps: Sequence[Step]
    format: str
    preset: Preset = SLIDE
    view: str = Settings.view
    place: Index = ()
    """Which matrix of larger tensors: (2,) is head 2."""

    cell: Index | None = None
    """A cell to outline, where there is one step."""

    resolution: float | None = Settings.resolution
    transparent: bool = Settings.transparent
    seconds: float = Settings.seconds
    loop: bool = Settings.loop
    ready: Figure | None = None
    """Drawn already, in place of the view: a plot as the window shows it, temperature and all."""

    watch: Watch = field(default=_unwatched)

    @classmethod
    def chosen(cls, settings: Settings, trace: Trace, steps: Sequence[Step], **more: Any) -> Export:
        same = {name: getattr(settings, name) for name in ("view", "resolution", "transparent", "seconds", "loop")}
        return cls(trace, steps, settings.format, settings.page(), **{**same, **more})

    @property
    def scale(self) -> float:
        """Pixels for each unit of the page."""
        return self.resolution or FORMATS[self.format].resolution

    @property
    def outlined(self) -> Index | None:
        """The cell, where there is one step that it can be of."""
        return self.cell if len(self.steps) == 1 else None

    def only(self, step: Step) -> Export:
        """The same for one of its steps."""
        return replace(self, steps=[step], cell=self.outlined, watch=_unwatched)

    def figure(self, step: Step) -> Figure:
        if self.ready is not None:
            return self.ready
        view, page = VIEWS[self.view], self.preset
        if not view.exists(self.trace, step):
            raise TxvizError(f"{step.name} has nothing to show as {self.view}; choose another step or view")
        return view.draw(Scene(self.trace, step, self.place, self.outlined, page.width, page.height, page.style))

    def figures(self) -> Iterator[Figure]:
        """One after the other, telling how far it is."""
        return (self.figure(step) for step in self.watched())

    def watched(self) -> Iterator[Step]:
        for done, step in enumerate(self.steps):
            self.watch(done, len(self.steps))
            yield step
        self.watch(len(self.steps), len(self.steps))
