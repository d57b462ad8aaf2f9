"""What the model would answer if it ended after each layer: its own last norm, pooling and head, read early.

Known as the logit lens. The reading after the last layer is the model's own answer. Between the last layer and the
answer each token is read by itself, so that any of them can be read without the others: 50,000 words for each of 1,000
tokens after each of 12 layers would be gigabytes.

Letters: T tokens, d features, V answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from txviz import ops
from txviz.analysis.again import again
from txviz.analysis.streams import Stream, depths, stream_to
from txviz.ops import Array
from txviz.trace import Step
from txviz.trace.ancestors import ancestors
from txviz.trace.kept import kept
from txviz.trace.pictures import is_one_row

MOST = 3
"""Of the likeliest answers of a token that are kept."""

BLOCK = 64
"""Tokens whose answers are computed at once."""


class Likely(NamedTuple):
    """The likeliest answers of one token's vector, the first of them first."""

    answers: tuple[int, ...]
    shares: tuple[float, ...]


class Reading(NamedTuple):
    """One depth of the model, and what its head makes of the vectors there."""

    stream: Step
    """(T,d): the embedding, or what a layer ends with."""

    last: Step
    """(T,d): what the last layer ends with, in whose place the stream is read."""

    answer: Step
    """The model's own probabilities: (V,), or (T,V) where each token has its own."""

    @property
    def own(self) -> Array:  # -> (V,) or (T,V)
        """In the place of the model's own answer, out of all tokens as it reads them."""
        if self.stream is self.last or _put_in(self.answer):
            return self.answer.value
        place = read_place(self.answer)
        if place is None:
            return again(self.answer, {self.last: self.stream.value}).value
        return np.asarray(_answers(self, self.stream.value[[place]], [place])[0])

    def of_tokens(self) -> Array:  # -> (T,V)
        """Of each token's vector alone."""
        return _answers(self, self.stream.value, range(len(self.stream.value)))


def readings(answer: Step) -> tuple[Reading, ...]:
    """Of the probabilities ``answer``, after the embedding and after each layer; none where no stream leads there."""
    through = _through(answer)
    if not through or (answer.value.ndim == 1 and not _choosers(answer)):
        return ()
    return tuple(Reading(depth, through[-1], answer) for depth in through)


def shares(read: Sequence[Reading], place: int | None) -> Array:  # -> (n,V)
    """How likely each answer is after each of these depths: of the token at this place, or of the model as it reads."""
    if place is None or (_put_in(read[0].answer) and place == read_place(read[0].answer)):
        return np.stack([each.own for each in read])
    kept_place, found = _shown(read[0].answer).get(len(read), (None, None))
    if kept_place != place or found is None:
        vectors = np.stack([each.stream.value[place] for each in read])
        found = _answers(read[0], vectors, [place] * len(read))
        _shown(read[0].answer)[len(read)] = place, found
    return found


def likeliest(read: Sequence[Reading], places: Sequence[int]) -> list[list[Likely]]:
    """For each of the readings, of each of the tokens at these places; what was read before is kept with the answer."""
    found = _known(read[0].answer) if read else {}
    wanted = [(each, place) for each in read for place in places if (each.stream.name, place) not in found]
    for start in range(0, len(wanted), BLOCK):
        block = wanted[start : start + BLOCK]
        vectors = np.stack([each.stream.value[place] for each, place in block])
        shares = _answers(block[0][0], vectors, [place for _, place in block])
        found |= zip(((each.stream.name, place) for each, place in block), _most(shares), strict=True)
    return [[found[each.stream.name, place] for place in places] for each in read]


def read_place(answer: Step) -> int | None:
    """Which token's row is read, where it is one: [CLS] or the last. None for a mean, or where each has its answer."""
    found = _choosers(answer)
    if len(found) != 1 or found[0].operation is not ops.select:
        return None
    return int(found[0].params["at"]) % len(found[0].sources[0].value)


def chooser(answer: Step) -> Step | None:
    """The step that makes one row out of those of all tokens: their mean, [CLS] alone, or the last one."""
    return next(iter(_choosers(answer)), None)


def _choosers(answer: Step) -> list[Step]:
    """The same; a model with two heads chooses a row for each. The last one first."""
    found = [step for step in reversed(ancestors(answer)) if is_one_row(step)]
    return [step for step in found if step.sources[0] is found[0].sources[0]]


def _put_in(answer: Step) -> bool:
    """Whether the row that is read was changed by hand: it stays so, whatever the layers make."""
    return any(step.edited for step in _choosers(answer))


@kept
def _known(answer: Step) -> dict[tuple[str, int], Likely]:
    """What has been read, by the stream and the token."""
    return {}


@kept
def _shown(answer: Step) -> dict[int, tuple[int, Array]]:
    """The token that was last looked at, and all its answers; by how many depths were."""
    return {}


@kept
def _through(answer: Step) -> Stream:
    return depths(stream_to(answer))


def _answers(reading: Reading, vectors: Array, places: Sequence[int]) -> Array:  # (n,d) -> (n,V)
    """What the head makes of vectors in the place of what the last layer ends with, each alone; ``places`` are those of
    their tokens."""
    answer, last = reading.answer, reading.last
    if answer.value.ndim == 2:
        return _rows(answer, last, vectors, places)
    choosers = _choosers(answer)
    every = choosers[0].sources[0]
    assert isinstance(every, Step)
    rows = _rows(every, last, vectors, places)
    return np.stack([again(answer, dict.fromkeys(choosers, row)).value for row in rows])


def _rows(step: Step, last: Step, vectors: Array, places: Sequence[int]) -> Array:  # -> (n,V)
    """The step as these vectors make it. What was put in by hand on the way to it stays so, whatever is read."""
    found = again(step, {last: vectors})
    return found.value if found is not step else step.value[list(places)]


def _most(shares: Array) -> list[Likely]:  # (n,V)
    count = min(MOST, shares.shape[-1])
    some = np.argpartition(shares, -count, axis=-1)[:, -count:]
    found = np.take_along_axis(shares, some, axis=-1)
    order = np.argsort(-found, axis=-1, kind="stable")
    answers, likely = (np.take_along_axis(each, order, axis=-1).tolist() for each in (some, found))
    return [Likely(tuple(a), tuple(b)) for a, b in zip(answers, likely, strict=True)]
