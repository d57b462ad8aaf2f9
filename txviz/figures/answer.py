"""What a model says, as far as it is known at a step: for a badge that is always in sight."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from txviz import ops
from txviz.figures.numerals import decimal, percent
from txviz.trace import Step, Trace
from txviz.trace.piece_signs import BLANK, BYTE

MOST_BARS = 3
FIRST_NUMBERS = 4


class Bar(NamedTuple):
    label: str
    share: float


class Answer(NamedTuple):
    caption: str
    """What kind of answer it is."""

    step: str
    """The step that it comes from."""

    said: str = ""
    """What the model has said up to this step."""

    coming: str = ""
    """What it will say in later steps."""

    bars: tuple[Bar, ...] = ()
    """How sure it is of the likeliest classes, the first of them first."""

    @property
    def text(self) -> str:
        """All of it in words, as it will be in the end."""
        shares = ", ".join(f"{label} {percent(share)}".strip() for label, share in self.bars)
        return f"{self.caption}: {self.said}{self.coming}" + (f" ({shares})" if self.bars else "")

    @property
    def short(self) -> str:
        """The same in few words: what is said, and how sure the model is of it."""
        return f"{self.said}{self.coming}" + (f"  {percent(self.bars[0].share)}" if self.bars else "")


AnswerAt = Callable[[int], Answer]


def answers(trace: Trace) -> AnswerAt:
    """From the position of a step to the answer as it stands there."""
    last, step = trace[-1].site, trace.output_step
    if last.time is not None:
        return _sentence(trace)
    if step is not None:
        return _known_from(trace, _numbers(step))
    if last.pass_ == "after":
        return _known_from(trace, Answer("loss", last.name, str(trace.output).removeprefix("loss ")))
    called = "answer" if last.part == "head" else last.labels[-1]
    return _known_from(trace, _choice(trace[-1]) or Answer(called, last.name, str(trace.output)))


def _known_from(trace: Trace, answer: Answer) -> AnswerAt:
    """An answer that one step gives: before it, all of the answer is yet to come."""
    start = next(i for i, step in enumerate(trace) if step.name == answer.step)
    before = answer._replace(said="", coming=answer.said)
    return lambda position: answer if position >= start else before


def _choice(step: Step) -> Answer | None:
    """The class that was chosen, and the likeliest ones."""
    likely = step.sources[0] if step.chosen is not None else None
    if not isinstance(likely, Step) or likely.operation is not ops.softmax:
        return None
    order = likely.value.argsort(kind="stable")[::-1][:MOST_BARS]
    bars = tuple(Bar(likely.labels[-1][i], float(likely.value[i])) for i in order)
    return Answer("answer", likely.name, str(step.chosen), bars=bars)


def _numbers(step: Step) -> Answer:
    """The shape of an array and its first numbers."""
    shape = "×".join(map(str, step.value.shape))
    called = f"vector, {shape} numbers" if step.value.ndim == 1 else f"{step.site.labels[-1]}, {shape}"
    first = [decimal(float(x), 2) for x in step.value.ravel()[:FIRST_NUMBERS]]
    return Answer(called, step.name, ", ".join([*first, *(["…"] if step.value.size > FIRST_NUMBERS else [])]))


def _sentence(trace: Trace) -> AnswerAt:
    """A sentence that grows word by word; a beam shows its own."""
    words = list(_chosen(trace))
    prompt = trace[0].labels[-1] if trace[0].site.time is not None else ()
    beams, text, last = _beams(trace.about.get("hypotheses", ())), str(trace.output), len(trace) - 1
    empty = Answer("answer", trace[-1].name)

    def at(position: int) -> Answer:
        site = trace[position].site
        if position == last:
            return empty._replace(said=text)
        written: Sequence[str] = [word for i, word in words if i <= position]
        if beams:  # where they are compared, the best one is shown
            written = beams.get((site.time or 0, site.beam or 0), ())
        said, coming = _split(text, (*prompt, *written))
        return empty._replace(said=said, coming=coming)

    return at


def _chosen(trace: Trace) -> Iterator[tuple[int, str]]:
    """Where each token was chosen, by the model or by hand: its probability is looked up just after."""
    words: tuple[str, ...] = ()
    for i, step in enumerate(trace):
        if step.operation is ops.pick and step.site.part == "choice" and isinstance(step.sources[0], Step):
            words = words or step.sources[0].labels[-1]
            yield i - 1, words[int(step.sources[1].value)]


def _beams(hypotheses: Sequence[dict[str, Any]]) -> dict[tuple[int, int], Sequence[str]]:
    """What each beam has written before a time step: those that were kept at the one before, in their order."""
    found: dict[tuple[int, int], Sequence[str]] = {}
    for each in hypotheses:
        if each["state"] != "dropped":
            time = each["time"] + 1
            found[time, sum(known == time for known, _ in found)] = each["tokens"]
    return found


@lru_cache(maxsize=8)  # most steps write no word
def _split(text: str, words: tuple[str, ...]) -> tuple[str, str]:
    """The part of the text that these words make, and the rest; the words alone where they begin another text.

    >>> _split("la casa è grande", ("la", "casa")), _split("la casa", ("una", "casa", "<EOS>"))
    (('la casa', ' è grande'), ('una casa', ''))
    >>> _split("The café sat", ("The", "·caf", "<0xC3>", "<0xA9>", "·", "s")), _split("The cat", ("A", "·do", "g"))
    (('The café s', 'at'), ('A dog', ''))
    """
    at, in_bytes = 0, False
    for word in words:
        body = word.replace(BLANK, " ").strip()
        if not body or _is_special(word):
            in_bytes |= BYTE in word
            continue
        at = text.find(body, at) if in_bytes else at + len(text[at:]) - len(text[at:].lstrip())
        if not text.startswith(body, max(at, 0)) or at < 0:
            return _joined([word for word in words if not _is_special(word)]), ""
        at, in_bytes = at + len(body), False
    return text[:at], text[at:]


def _is_special(word: str) -> bool:
    """Whether it is no text by itself: it marks an end, or is a part of a letter."""
    return BYTE in word or (word[:1] == "<" and word[-1:] == ">")


def _joined(words: Sequence[str]) -> str:
    """Words with blanks between them; pieces of words have theirs."""
    in_pieces = any(word.startswith(BLANK) for word in words)
    return "".join(words).replace(BLANK, " ").strip() if in_pieces else " ".join(words)
