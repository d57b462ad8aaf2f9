"""Reading English with the grammar that makes it: all choices are tried that the words of the sentence allow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

from txviz.data.translation import english
from txviz.data.translation.phrases import DeadEndError, Opening
from txviz.data.translation.sentences import sentence
from txviz.data.translation.syntax import Sentence

T = TypeVar("T")


class _Trial:
    """A chooser that goes down one path of the tree of choices, and remembers how wide the tree was at each."""

    def __init__(self, path: list[int], text: str) -> None:
        self.path = path
        self.widths: list[int] = []
        self._text = text

    def __call__(self, options: Sequence[T], /) -> T:
        audible = [option for option in dict.fromkeys(options) if self._hears(option)]
        if not audible:
            raise DeadEndError
        depth = len(self.widths)
        if depth == len(self.path):
            self.path.append(0)
        self.widths.append(len(audible))
        return audible[self.path[depth]]

    def _hears(self, option: object) -> bool:
        """Whether the text has one of the option's cues; what has no cues can't be ruled out."""
        cues = getattr(option, "cues", ())
        heard = not cues or any(f" {cue} " in self._text for cue in cues)
        return heard and (not isinstance(option, Opening) or self._hears(option.determiner))


def readings(text: str) -> Iterator[Sentence]:
    """All trees whose English is the text: lower-case, with spaces around its signs, and without a full stop."""
    path: list[int] = []
    while True:
        trial = _Trial(path, f" {text} ")
        try:
            tree = sentence(trial)
            if " ".join(english.words(tree)) == text:
                yield tree
        except DeadEndError:
            pass
        del path[len(trial.widths) :]
        while path and path[-1] + 1 == trial.widths[len(path) - 1]:
            path.pop()
        if not path:
            return
        path[-1] += 1
