"""Runs of the same input beside each other: how each came about, what it says, and how likely the model finds that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from txviz.figures import fonts
from txviz.figures.levels.board import Board
from txviz.figures.levels.decoding_steps import DecodingSteps
from txviz.figures.levels.picture import Beside, Spot
from txviz.figures.marks import Box, Mark, Text
from txviz.figures.numerals import decimal
from txviz.figures.theme import mixed
from txviz.figures.views.page import MIDDLE, Area
from txviz.trace import Trace

WIDTH, SHARE, PITCH, CAPTION, GAP = 27.0, 0.36, 1.35, 1.6, 2.0
"""How wide the list is by the size of the text, and by the page at most; a row, the caption, and the gap before it."""

USUAL = 5
"""Greedy, a beam, and three samples."""


def beside_of(trace: Trace) -> Beside:
    """A run in one line."""
    steps = DecodingSteps(trace, trace.outline.find("time"))
    options = trace.about.get("options", {})
    how = options.get("strategy", "greedy")
    title = {"beam": f"beam of {options.get('beam_width')}", "sample": f"sample, seed {options.get('seed')}"}.get(
        how, how
    )
    forced = [column.word for column in steps.columns if column.forced]
    return Beside(f"forced: {', '.join(forced)}" if forced else title, _written(trace, steps), steps.log_probability)


def _written(trace: Trace, steps: DecodingSteps) -> str:
    """The output; of one that goes on with the input, what it adds."""
    said, given = str(trace.output), str(trace.about.get("input", ""))
    goes_on = steps.memory is None and said.lower().startswith(given.lower())
    return f"… {said[len(given) :].lstrip()}" if goes_on else said


@dataclass(frozen=True, eq=False)
class BesideList:
    board: Board
    runs: Sequence[Beside]
    area: Area

    @classmethod
    def width(cls, board: Board, page: float) -> float:
        """With the gap before it; nothing where there are no other runs."""
        return 0.0 if board.scene.beside is None else min(WIDTH * board.size, page * SHARE) + GAP * board.size

    @classmethod
    def height(cls, board: Board) -> float:
        """That it takes where there is room; those that are yet to come count, too."""
        runs = board.scene.beside
        return 0.0 if runs is None else (CAPTION + PITCH * max(len(runs), USUAL)) * board.size + 0.1

    def draw(self) -> None:
        board, size = self.board, self.board.size
        shown = self._fitting()
        hidden = len(self.runs) - len(shown)
        left = f" ({hidden} left out)" if hidden else ""
        caption = f"The same input otherwise, log-probability{left}"
        board.write(self.area.x, self.area.y + size, fonts.elided(caption, size, self.area.width), board.theme.text)
        top = self.area.y + CAPTION * size
        for row, i in enumerate(shown):
            self._row(i, self.runs[i], Area(self.area.x, top + row * PITCH * size, self.area.width, PITCH * size))

    def _fitting(self) -> list[int]:
        """As many as there is room for, the one that is shown now among them."""
        most = max(1, int((self.area.height - CAPTION * self.board.size) / (PITCH * self.board.size)))
        now = [i for i, run in enumerate(self.runs) if run.shown]
        others = [i for i, run in enumerate(self.runs) if not run.shown]
        return sorted([*now, *others][:most])

    @property
    def _titles(self) -> float:
        widest = max(fonts.width(run.title, self.board.size, bold=run.shown) for run in self.runs)
        return min(widest, self.area.width * 0.4)

    def _row(self, i: int, run: Beside, place: Area) -> None:
        """The one that is shown now is framed and bold."""
        board, size, ink = self.board, self.board.size, self.board.theme.text
        y, number = place.centre[1] + size * MIDDLE, decimal(run.log_probability, 2)
        start = place.x + size * 0.4 + self._titles + size * 0.8
        room = place.right - size * 0.4 - fonts.width("−00.00", size) - start
        marks: list[Mark] = []
        if run.shown:
            fill = mixed(board.theme.accent, board.theme.panel, 0.12)
            marks.append(Box(*place.grown(-size * 0.05), fill, board.theme.accent, size * 0.14, size * 0.3))
        title = fonts.elided(run.title, size, self._titles, bold=run.shown)
        marks.append(
            Text(place.x + size * 0.4, y, title, size, ink if run.shown else board.theme.muted, bold=run.shown)
        )
        marks.append(Text(start, y, fonts.elided(run.said, size, room), size, ink))
        marks.append(Text(place.right - size * 0.4, y, number, size, ink, "end"))
        board.add(f"run {i}: {run.title}", *marks)
        what = "is shown" if run.shown else "a click shows this run"
        board.offer(
            Spot(place, board.scene.node.name, f"{run.title}: {run.said}, log-probability {number} · {what}", run=i)
        )
