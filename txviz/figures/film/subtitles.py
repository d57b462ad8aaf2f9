"""What is said in a film, in the form that players read beside it (SRT)."""

from __future__ import annotations

from txviz.figures.film.shots import LAST
from txviz.figures.job import Export, Shown
from txviz.figures.sentences import sentences
from txviz.trace import Step

READ = 15.0
"""Characters a second that a viewer can follow."""


def subtitles(wanted: Export) -> str:
    """As many sentences of each shot as can be read while it lasts, the first one in any case."""
    texts, start = [], 0.0
    for number, (scene, each) in enumerate(zip(wanted.scenes, wanted.shown, strict=True), 1):
        end = start + scene.seconds_each + (LAST if number == len(wanted.shown) else 0.0)
        words = _words(scene, each)
        if words:
            texts.append(f"{_time(start)} --> {_time(end)}\n{_readable(words, end - start)}\n")
        start = end
    return "\n".join(f"{number}\n{text}" for number, text in enumerate(texts, 1))


def _words(wanted: Export, each: Shown) -> str:
    return " ".join(sentences(each, wanted.place)) if isinstance(each, Step) else str(each.why)


def _readable(words: str, seconds: float) -> str:
    first, *others = words.replace("\n", " ").split(". ")
    said = first
    for sentence in others:
        if len(said) + len(sentence) > READ * seconds:
            return f"{said}."
        said = f"{said}. {sentence}"
    return said


def _time(seconds: float) -> str:
    """
    >>> _time(3661.5)
    '01:01:01,500'
    """
    whole = round(seconds * 1000)
    return f"{whole // 3_600_000:02}:{whole // 60_000 % 60:02}:{whole // 1000 % 60:02},{whole % 1000:03}"
