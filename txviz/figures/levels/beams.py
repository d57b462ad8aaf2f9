"""What a beam considered, as a tree: time runs to the right, lines carry tokens, boxes sums of log-probabilities.

start ── il 90 % ── [−0.11] ── ne 38 % ── [−1.09] …
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

from txviz.figures import fonts
from txviz.figures.heading import heading
from txviz.figures.levels.beam_layout import BeamLayout
from txviz.figures.levels.beam_legend import THICK, Key, dashes, frame, greedy_colour, legend, strip
from txviz.figures.levels.beam_story import hints, story
from txviz.figures.levels.beam_tree import BeamTree, Candidate, beam_tree
from txviz.figures.levels.board import HEADING, LINE_WIDTH, PALE, Board, Point
from txviz.figures.levels.picture import NodeScene, Picture
from txviz.figures.marks import Colour, Line, Mark, Text
from txviz.figures.numerals import decimal, percent
from txviz.figures.theme import mixed
from txviz.figures.views.page import MIDDLE, Area
from txviz.trace.outline import Node

THIN, STRIP, BESIDE = 0.06, 0.7, 0.3
"""The line to what is dropped, the strip for the cross-attention, and how far below a line that of greedy runs, by the
size of the text."""


def draw(scene: NodeScene) -> Picture:
    board = Board(scene)
    _Drawing(board, beam_tree(scene.trace)).draw()
    return board.picture()


@dataclass(frozen=True, eq=False)
class _Drawing:
    board: Board
    tree: BeamTree

    def draw(self) -> None:
        self._heading()
        self.board.sentences(story(self.tree, self.known))
        self._left_out()
        self._beginning()
        for time in self.layout.times:
            self._column(time)
        self._follow("best", self.best)
        self._follow("greedy", [each for each in self.tree.greedy if each.time <= self.known])

    # what is known

    @cached_property
    def known(self) -> int:
        """The last time step that the reader has come to the end of."""
        times = range(1, len(self.tree.times) + 1)
        return max((time for time in times if self.board.computed(self._node(f"time.{time}").steps[-1])), default=0)

    @cached_property
    def best(self) -> list[Candidate]:
        return self.tree.path(self.tree.leader(self.known)) if self.known else []

    def _is_best(self, candidate: Candidate) -> bool:
        return len(self.best) >= candidate.time and self.best[candidate.time - 1] is candidate

    @cached_property
    def layout(self) -> BeamLayout:
        """On what is left of the page: it is asked for when all around the tree is drawn."""
        return self._laid_out()

    def _laid_out(self) -> BeamLayout:
        current = self.board.scene.current
        around = None if current is None else current.site.time
        return BeamLayout(self.tree, self.board.area, self.board.size, around or self.tree.parting)

    def _node(self, name: str) -> Node:
        return self.board.scene.trace.outline.find(name)

    # around the tree

    def _heading(self) -> None:
        board, page = self.board, self.board.scene
        count = max(len(self.tree.beam(time + 1)) for time in range(len(self.tree.times)))
        penalty = f", length penalty {self.tree.penalty:g}" if self.tree.penalty else ""
        title = f"Beam search: the {'best is' if count == 1 else f'{count} best are'} kept{penalty}"
        plain = replace(page.style, formula=False)
        made = heading(title, "", page.width, page.height, plain, board.size * HEADING)
        marks, bottom = legend(self._keys, board.area._replace(y=made.bar[1]), board.style)
        board.title = title
        board.add("heading", *made.marks)
        board.add("legend", *marks)
        board.area = board.area._replace(y=bottom, height=board.area.bottom - bottom)

    @property
    def _keys(self) -> list[Key]:
        score = f", and its score, the sum / length^{self.tree.penalty:g}" if self.tree.penalty else ""
        keys = [
            Key("kept", f"kept, with the sum of its log-probabilities{score}"),
            Key("finished", "finished"),
            Key("dropped", "dropped"),
            Key("best", "the best" if self.known == len(self.tree.times) else "the best so far"),
            Key("greedy", "always the likeliest (greedy)"),
        ]
        return [*keys, Key("attention", "its cross-attention")] if self._attention(0, 0) else keys

    def _left_out(self) -> None:
        """Which time steps find no room, each to be gone to."""
        board, size, shown = self.board, self.board.size, self._laid_out().times
        others = [time for time in range(1, len(self.tree.times) + 1) if time not in shown]
        if not others:
            return
        y = board.area.bottom - size * 0.3
        said = board.write(
            board.area.x, y, f"There is no room for time step{'s' * (len(others) > 1)}", board.theme.muted
        )
        x = said.right + size * 0.6
        for time in others:
            area = board.write(x, y, str(time), board.theme.accent)
            board.node_spot(self._node(f"time.{time}"), area)
            x = area.right + size * 0.6
        board.area = board.area._replace(height=board.area.height - size * 2)

    # the tree

    def _beginning(self) -> None:
        """What the first column goes on from: the start, or those that were kept before it."""
        layout, time = self.layout, self.layout.times[0] - 1
        if time:
            for row, candidate in enumerate(layout.shown[time]):
                self._box(candidate, layout.box(time, row))
            return
        area, size = layout.box(0, 0), self.board.size
        marks = [*frame(area, self.board.theme.muted, size, LINE_WIDTH, finished=False)]
        middle = area.centre[1] + size * MIDDLE
        marks.append(Text(area.centre[0], middle, "start", size, self.board.theme.text, "middle"))
        self.board.add("start", *marks)
        self._opens(0, 0, area, "what can come first")

    def _column(self, time: int) -> None:
        board, layout, column = self.board, self.layout, self.layout.column(time)
        middle, size = column.centre[0], board.size
        board.write(middle, column.y + size * 1.1, f"time step {time}", board.theme.muted, "middle")
        wide = fonts.width(f"time step {time}", size)
        board.node_spot(self._node(f"time.{time}"), Area(middle - wide / 2, column.y + size * 0.1, wide, size * 1.4))
        for row, candidate in enumerate(layout.shown[time]):
            self._edge(candidate, row)
            self._box(candidate, layout.box(time, row))
        if layout.left_out(time) and time <= self.known:
            said = f"and {layout.left_out(time)} more"
            board.write(middle, column.bottom - size * 0.4, said, board.theme.muted, "middle")

    def _points(self, candidate: Candidate, row: int) -> list[Point]:
        """From the box that it goes on from, over the gutter, to its own."""
        layout = self.layout
        left, right = layout.line(candidate.time)
        end = layout.middle(row)
        before = candidate.time - 1
        start = layout.rows.get((before, candidate.parent)) if before else 0
        if start is None:
            return [(left, end), (right, end)]
        return [(layout.box(before, start).right, layout.middle(start)), (left, end), (right, end)]

    def _edge(self, candidate: Candidate, row: int) -> None:
        board, size = self.board, self.board.size
        width = THIN if candidate.state == "dropped" else LINE_WIDTH
        ink = self._ink(candidate, board.theme.muted)
        lines = [Line(*a, *b, ink, size * width) for a, b in pairwise(self._points(candidate, row))]
        board.add("edge", *lines, *(self._said(candidate, row) if candidate.time <= self.known else ()))

    def _said(self, candidate: Candidate, row: int) -> list[Mark]:
        """The token above the line, and how likely it was below."""
        board, size = self.board, self.board.size
        left, right = self.layout.line(candidate.time)
        middle, y, room = (left + right) / 2, self.layout.middle(row), right - left - size * 0.2
        if candidate.probability is None:
            return [Text(middle, y - size * 0.45, "stays", size, board.theme.muted, "middle")]
        bold, ink = self._is_best(candidate), self._ink(candidate, board.theme.text)
        token = fonts.elided(candidate.token, size, room, bold=bold)
        likely = board.scene.trace[f"time.{candidate.time}.beam.{candidate.parent}.head.probabilities"]
        area = Area(left, y - size * 1.3, right - left, size * 2.9)
        board.spot(likely, area, hints(self.tree, candidate).line)
        return [
            Text(middle, y - size * 0.45, token, size, ink, "middle", bold=bold),
            Text(middle, y + size * 1.35, _share(candidate.probability, size, room), size, board.theme.muted, "middle"),
        ]

    def _box(self, candidate: Candidate, area: Area) -> None:
        board, size, best = self.board, self.board.size, self._is_best(candidate)
        ink = board.theme.accent if best else self._ink(candidate, board.theme.muted)
        marks: list[Mark] = []
        if candidate.state != "dropped":
            width = LINE_WIDTH * (2.2 if best else 1.0)
            marks += frame(area, ink, size, width, finished=candidate.state == "finished")
        if candidate.time <= self.known:
            marks += self._numbers(candidate, area)
        board.add(f"{candidate.time}.{candidate.rank}", *marks)
        said = hints(self.tree, candidate).box if candidate.time <= self.known else "not computed yet"
        self._opens(candidate.time, candidate.rank if candidate.state == "kept" else None, area, said)

    def _numbers(self, candidate: Candidate, area: Area) -> list[Mark]:
        board, size, best = self.board, self.board.size, self._is_best(candidate)
        dropped = candidate.state == "dropped"
        strip = STRIP * size if self._attention(candidate.time, candidate.rank) and not dropped else 0.0
        x, y = area.x + (area.width - strip) / 2, area.centre[1] + size * MIDDLE
        numbers = [decimal(candidate.total, 2), *([decimal(candidate.score, 2)] if self.tree.penalty else [])]
        ink = board.theme.accent if best else board.theme.muted if dropped else board.theme.text
        said = [f"× {numbers[0]}", *numbers[1:]] if dropped else numbers
        top = y - size * 0.58 * (len(said) - 1)
        return [Text(x, top + i * size * 1.16, each, size, ink, "middle", bold=best) for i, each in enumerate(said)]

    def _ink(self, candidate: Candidate, colour: Colour) -> Colour:
        known = candidate.time <= self.known
        return colour if known else mixed(colour, self.board.theme.panel, PALE)

    # where a click goes

    def _opens(self, time: int, beam: int | None, area: Area, said: str) -> None:
        """A sentence that goes on opens its own logits, and its cross-attention in a strip; another one the search."""
        board, trace = self.board, self.board.scene.trace
        head = None if beam is None else trace.outline.get(f"time.{time + 1}.beam.{beam}.head")
        if head is None:
            place = f"time.{time}.search" if trace.outline.get(f"time.{time}.search") else f"time.{time}"
            board.node_spot(self._node(place), area, said, lights=False)
            return
        board.node_spot(head, area, said, lights=False)
        current = board.scene.current
        if current is not None and (current.site.time, current.site.beam) == (time + 1, beam):
            board.light(area)
        attention = self._attention(time, beam or 0)
        if attention is not None:
            wide = STRIP * board.size
            inside = Area(area.right - wide, area.y, wide, area.height)
            board.add("cross-attention", strip(inside, board.ink(attention.first)))
            board.node_spot(attention, inside, lights=False)

    def _attention(self, time: int, beam: int) -> Node | None:
        """The last cross-attention of what goes on from a hypothesis."""
        block = self._last_attention
        return self.board.scene.trace.outline.get(f"time.{time + 1}.beam.{beam}.{block}") if block else None

    @cached_property
    def _last_attention(self) -> str:
        """What it is called inside of a hypothesis; nothing in a model that has none."""
        sites = [step.site for step in self._node("time.1.beam.0").steps if step.site.block == "cross_attention"]
        return sites[-1]._replace(leaf="", time=None, beam=None).name if sites else ""

    def _follow(self, name: str, path: Sequence[Candidate]) -> None:
        """A line along a path: thick to the best, and dashed, a little below, where greedy goes."""
        size, theme, marks = self.board.size, self.board.theme, list[Mark]()
        for candidate in path:
            if candidate.time not in self.layout.times:
                continue
            points = self._points(candidate, self.layout.rows[candidate.place])
            if name == "best":
                marks += [Line(*a, *b, theme.accent, size * THICK) for a, b in pairwise(points)]
            else:
                marks += dashes([(x, y + size * BESIDE) for x, y in points], greedy_colour(theme), size)
        self.board.add(name, *marks)


def _share(probability: float, size: float, room: float) -> str:
    """A probability, with fewer digits where there is little room."""
    whole = percent(probability)
    if fonts.width(whole, size) <= room:
        return whole
    return "> 99 %" if probability > 0.5 else "< 1 %"
