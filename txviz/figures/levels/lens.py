"""What the model would answer after each layer: a column for each, with the likeliest answers of one token, and below
what every token alone says. A click on a word goes to the vector that says so."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from txviz.analysis.lens import Likely, Reading, likeliest, read_place, readings, shares
from txviz.figures import fonts
from txviz.figures.followed import place_in
from txviz.figures.levels.board import Board
from txviz.figures.levels.composed import composed
from txviz.figures.levels.picture import NodeScene, Picture
from txviz.figures.marks import Box, Mark, Text
from txviz.figures.naming import MASKS, counted, quoted, sees_patches
from txviz.figures.numerals import percent
from txviz.figures.theme import mixed
from txviz.figures.views.page import MIDDLE, Area, bar_length
from txviz.ops import Array
from txviz.trace import Step
from txviz.trace.ancestors import ancestors

MOST = 8
"""Answers that are shown."""

ROW, TALLEST, CAPTION, WORD = 1.5, 2.6, 2.4, 9.0
"""The height of a row at least and at most, of a caption, and how wide a word at the left may be."""

GAP, NARROW_GAP = 2.0, 0.25
"""Between columns, where they are wide and where they are narrow."""

LEAST, WIDE = 4.6, 12.0
"""How wide a column is at least, and from when on it has bars, and shares beside words; all by the text's size."""

TOKENS, ANSWER = 0.53, 2.0
"""How much of the height the tokens may take; and more where that leaves so much for each answer."""

MANY = 12
"""More tokens than these need the height, which the formula then leaves to them."""

STRENGTH = 0.5
"""Of the colour of a certain answer."""


def draw(scene: NodeScene) -> Picture:
    answer = next(step for step in scene.node.steps if step.site.leaf == "probabilities" and step.site.part == "head")
    board, read = Board(scene), readings(answer)
    if not read:
        raise ValueError("no layers lead to its answer")
    drawing = _Drawing(board, read, answer)
    when = f" · {scene.node.title}" if scene.node.name else ""
    low = len(drawing.all_tokens) > MANY
    board.heading(f"What would it answer here?{when}", drawing.formula, colours=False, low=low)
    board.sentences(drawing.sentence)
    drawing.draw()
    return board.picture()


@dataclass(frozen=True, eq=False)
class _Drawing:
    board: Board
    all_read: tuple[Reading, ...]
    answer: Step

    def draw(self) -> None:
        for i, each in enumerate(self.read):
            column = self._column(i)
            target = self.answer if each.stream is each.last else each.stream
            caption, base = self._captions[i], column.y + self.board.size * 1.3
            self.board.write(column.x, base, caption, self._ink(each), size=1.05 if self.wide else 1.0)
            self.board.spot(target, column, self._hint(i))
            self._bars(i, column)
            self._votes(i, column)
        self._words(self.names, self.board.area.y + CAPTION * self.board.size, self.pitch)
        self._words(self.tokens, self.lower, self.row)
        self._lead()

    @property
    def formula(self) -> str:
        """From a layer's vectors, once they are normed, to the answer."""
        after = ancestors(self.answer)
        return composed(self.answer, [step for step in after if step.site.part == "head"])

    @property
    def sentence(self) -> str:
        """When the answer is first the one that is given in the end."""
        last = self.all_read[-1].last
        normed = any("norm" in step.op for step in ancestors(self.answer, {last}))
        reads = "The last norm and the head read" if normed else "The head reads"
        told = f"{reads} each layer's vectors, as if it were the last one. "
        seen = [i for i, each in enumerate(self.all_read) if self.board.computed(each.stream)]
        if not seen:
            return f"{told}At this step nothing of it is computed yet; End goes to the last one."
        if len(seen) < len(self.all_read):
            return told
        best = self.all_shares.argmax(axis=-1).tolist()
        first = next(i for i in seen if len(set(best[i:])) == 1)
        layer, share = self.all_read[first].stream.site.layer, percent(float(self.all_shares[-1].max()))
        since = "from the embedding on" if layer is None else f"from layer {layer} on"
        begins = f"At {quoted(self.all_tokens[self.focus])}, {since}" if self.apart else since.capitalize()
        return f"{told}{begins} it is {quoted(self.labels[best[-1]])}, in the end with {share}."

    # what there is

    @cached_property
    def all_tokens(self) -> tuple[str, ...]:
        return self.all_read[0].stream.labels[-2]

    @property
    def labels(self) -> tuple[str, ...]:
        """Of all answers."""
        return self.answer.labels[-1]

    @cached_property
    def focus(self) -> int:
        """The token whose answers are shown: the one that is followed, or that is read, or that is masked; −1 where the
        mean of all is read."""
        token, stream = self.board.scene.token, self.all_read[-1].stream
        found = place_in(stream, token) if token is not None else None
        if found is None:
            found = read_place(self.answer)
        if found is None and self.answer.value.ndim > 1:
            found = _asked(self.all_tokens)
        return -1 if found is None else found

    @property
    def apart(self) -> bool:
        """Whether the answers that are shown are not the model's own."""
        return self.focus >= 0 and self.focus != read_place(self.answer)

    @cached_property
    def all_shares(self) -> Array:  # (depths,V)
        return shares(self.all_read, self.focus if self.focus >= 0 else None)

    @cached_property
    def read(self) -> tuple[Reading, ...]:
        """The depths that there is room for, the first and the last among them."""
        return tuple(self.all_read[i] for i in self.depths)

    @cached_property
    def depths(self) -> list[int]:
        size, count = self.board.size, len(self.all_read)
        room = self.board.area.width - self.words
        most = max(2, int((room + NARROW_GAP * size) / ((LEAST + NARROW_GAP) * size)))
        return list(range(count)) if count <= most else np.linspace(0, count - 1, most).round().astype(int).tolist()

    @cached_property
    def order(self) -> list[int]:  # -> (answers,)
        """Those that are the likeliest anywhere, the likeliest in the end first."""
        most = self.all_shares.max(axis=0)
        some = np.argpartition(-most, min(MOST, len(most)) - 1)[:MOST]
        return sorted(some.tolist(), key=lambda i: (-float(self.all_shares[-1, i]), i))

    @cached_property
    def names(self) -> list[str]:
        return [self.labels[i] for i in self.order]

    @cached_property
    def shown(self) -> range:
        """The tokens that there is room for: around the one that is looked at, or else the last ones."""
        count = len(self.all_tokens)
        some = min(count, max(1, int(self.free / (ROW * self.board.size))))
        middle = self.focus if self.focus >= 0 else count
        start = max(0, min(middle - some // 2, count - some))
        return range(start, start + some)

    @cached_property
    def tokens(self) -> list[str]:
        return [self.all_tokens[i] for i in self.shown]

    @cached_property
    def likely(self) -> list[list[Likely]]:
        """Of each depth that is shown and computed, of each token."""
        return likeliest([each for each in self.read if self.board.computed(each.stream)], self.shown)

    # in words

    @cached_property
    def _captions(self) -> list[str]:
        """Of the columns, as long as all of them have room for."""
        layers = [each.stream.site.layer for each in self.read]
        room = self._column(0).width + (GAP if self.wide else NARROW_GAP) * self.board.size * 0.6
        forms = (("after the embedding", "after layer {}"), ("embedding", "layer {}"), ("embed", "{}"))
        made = [[first if layer is None else rest.format(layer) for layer in layers] for first, rest in forms]
        fits = (names for names in made if all(fonts.width(n, self.board.size * 1.05) <= room for n in names))
        return next(fits, made[-1])

    def _name(self, each: Reading) -> str:
        layer = each.stream.site.layer
        return "after the embedding" if layer is None else f"after layer {layer}"

    def _hint(self, i: int) -> str:
        each = self.read[i]
        if not self.board.computed(each.stream):
            return f"{self._name(each)}: not computed yet"
        here = self.all_shares[self.depths[i]]
        best = int(here.argmax())
        return f"{self._name(each)} it would be {quoted(self.labels[best])}, {percent(float(here[best]))}"

    def _vote_hint(self, each: Reading, token: int, likely: Likely) -> str:
        found = zip(likely.answers, likely.shares, strict=True)
        said = ", ".join(f"{quoted(self.labels[answer])} {percent(share)}" for answer, share in found)
        return f"{quoted(self.all_tokens[token])} {self._name(each)}: {said}"

    # where everything goes

    @cached_property
    def words(self) -> float:
        """The room for names at the left."""
        size, names = self.board.size, {*self.names, *self.all_tokens}
        return min(max(fonts.width(name, size) for name in names), WORD * size) + size * 1.6

    @property
    def wide(self) -> bool:
        return self.board.area.width - self.words >= len(self.depths) * (WIDE + GAP) * self.board.size

    def _column(self, i: int) -> Area:
        area, count = self.board.area, len(self.depths)
        gap = (GAP if self.wide else NARROW_GAP) * self.board.size
        across = (area.width - self.words - gap * (count - 1)) / count
        return Area(area.x + self.words + i * (across + gap), area.y, across, area.height)

    @cached_property
    def free(self) -> float:
        """The height for the tokens."""
        size, high = self.board.size, self.board.area.height
        return max(high * TOKENS - CAPTION * size, high - (2 * CAPTION + ANSWER * len(self.order)) * size)

    @cached_property
    def row(self) -> float:
        """The height of a token's row."""
        return min(self.free / len(self.shown), TALLEST * self.board.size)

    @property
    def lower(self) -> float:
        """Where the tokens begin."""
        return self.board.area.bottom - self.row * len(self.shown)

    @cached_property
    def pitch(self) -> float:
        free = self.lower - 2 * CAPTION * self.board.size - self.board.area.y
        return min(free / len(self.order), TALLEST * self.board.size)

    # what is drawn there

    def _ink(self, each: Reading) -> str:
        return self.board.theme.text if self.board.computed(each.stream) else self.board.ink(each.stream)

    def _words(self, names: list[str], top: float, pitch: float) -> None:
        size, x = self.board.size, self.board.area.x + self.words - self.board.size * 0.8
        for i, name in enumerate(names):
            shown = fonts.elided(name, size, self.words - size * 1.5)
            self.board.write(x, top + (i + 0.5) * pitch + size * MIDDLE, shown, self.board.theme.muted, "end")

    def _bars(self, i: int, column: Area) -> None:
        """How likely each answer is: bars, or where there is little room cells, the likelier the stronger."""
        board, each, here = self.board, self.read[i], self.all_shares[self.depths[i]]
        top = column.y + CAPTION * board.size
        if not board.computed(each.stream):
            area = Area(column.x, top, column.width, self.pitch * len(self.order))
            board.add(each.stream.name, area.box(board.theme.line))
            return
        best, marks = int(here.argmax()), list[Mark]()
        for row, which in enumerate(self.order):
            area = Area(column.x, top + row * self.pitch, column.width, self.pitch)
            marks += (self._bar if self.wide else self._tinted)(area, float(here[which]), which == best)
        board.add(each.stream.name, *marks)

    def _bar(self, area: Area, share: float, strong: bool) -> list[Mark]:
        board, size = self.board, self.board.size
        room = fonts.width("> 99.99 %", size, bold=True) + size * 0.6
        middle, thick, long = area.centre[1], self.pitch * 0.66, bar_length(area.width - room, share)
        fill = mixed(
            board.theme.accent if strong else board.theme.stages[0], board.theme.panel, 0.75 if strong else 0.35
        )
        ink = board.theme.text if strong else board.theme.muted
        return [
            Box(area.x, middle - thick / 2, max(long, 0.5), thick, fill),
            Text(area.x + long + size * 0.4, middle + size * MIDDLE, percent(share), size, ink, bold=strong),
        ]

    def _tinted(self, area: Area, share: float, strong: bool) -> list[Mark]:
        size, colours = self.board.size, self.board.theme
        fill, ink = mixed(colours.accent, colours.panel, STRENGTH * share), colours.text if strong else colours.muted
        said = fonts.elided(percent(share), size, area.width - size * 0.4)
        base = area.centre[1] + size * MIDDLE
        return [
            Box(area.x, area.y + 1, area.width, area.height - 2, fill),
            Text(area.x + size * 0.3, base, said, size, ink, bold=strong),
        ]

    def _votes(self, i: int, column: Area) -> None:
        """What each token alone would say, the surer the stronger."""
        board, each = self.board, self.read[i]
        if not board.computed(each.stream):
            area = Area(column.x, self.lower, column.width, self.row * len(self.shown))
            board.add(f"tokens of {each.stream.name}", area.box(board.theme.line))
            return
        marks: list[Mark] = []
        for row, (token, likely) in enumerate(zip(self.shown, self.likely[i], strict=True)):
            area = Area(column.x, self.lower + row * self.row, column.width, self.row)
            marks += self._vote(area, token, likely)
            board.place(each.stream, area, self._vote_hint(each, token, likely), (token, 0))
        board.add(f"tokens of {each.stream.name}", *marks)

    def _vote(self, area: Area, token: int, likely: Likely) -> list[Mark]:
        size, colours, strong = self.board.size, self.board.theme, token == self.focus
        fill, base = mixed(colours.accent, colours.panel, STRENGTH * likely.shares[0]), area.centre[1] + size * MIDDLE
        frame = colours.highlight if strong else None
        marks: list[Mark] = [
            Box(area.x, area.y + 1, area.width, area.height - 2, fill, frame, size * 0.16, size * 0.3),
        ]
        share = percent(likely.shares[0]) if self.wide else ""
        pad = size * (0.5 if self.wide else 0.3)
        room = area.width - 2 * pad - (fonts.width(share, size) + size * 0.6 if share else 0)
        word = fonts.elided(self.labels[likely.answers[0]], size * (1.06 if strong else 1.0), room)
        marks.append(Text(area.x + pad, base, word, size, colours.text, bold=strong))
        return [*marks, *([Text(area.right - pad, base, share, size, colours.text, "end")] if share else [])]

    def _lead(self) -> None:
        """What the lower rows are."""
        size, kind = self.board.size, "patch" if self._are_patches else "token"
        count, left = len(self.all_tokens), len(self.all_read) - len(self.read)
        some = [f"{len(self.shown)} of {counted(count, kind)}"] if len(self.shown) < count else []
        some += [f"{len(self.read) - 1} of {counted(len(self.all_read) - 1, 'layer')}"] if left else []
        said = f"What each {kind}'s own vector would say" + (f" ({', '.join(some)})" if some else "")
        if self.answer.value.ndim > 1 or self.apart:
            said += ": the marked row is the one above"
        elif self.focus >= 0:
            said += ": the marked row is the one that is read"
        else:
            said += ": their vectors are averaged, and the mean is read"
        shown = fonts.elided(said, size, self.board.area.width)
        self.board.write(self.board.area.x, self.lower - size * 0.7, shown, self.board.theme.text)

    @property
    def _are_patches(self) -> bool:
        """All of them: [CLS] is none."""
        return sees_patches(self.all_read[0].stream) and all(quoted(token) != token for token in self.all_tokens)


def _asked(tokens: tuple[str, ...]) -> int:
    """The first masked word; where none is, the last one that is a word."""
    masked = (i for i, token in enumerate(tokens) if token in MASKS)
    words = (i for i in reversed(range(len(tokens))) if quoted(tokens[i]) != tokens[i])
    return next(masked, next(words, 0))
