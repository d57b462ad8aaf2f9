"""What a model is to the rest of txviz: something that reads an input and makes it ready to run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from txviz.models.options import Option
from txviz.ops import Array
from txviz.trace import Printed, Run, Step
from txviz.trace.editor import GuideNumbers


@dataclass(frozen=True)
class InputKind:
    """One sentence, a pair of sentences parted by a bar (the second may be missing), an image of a few grey pixels,
    which can be drawn, a painting of a few pixels in colour, or a photograph of any size, by the name of its file."""

    kind: Literal["sentence", "pair", "image", "painting", "photograph"]
    size: tuple[int, int] = (0, 0)
    """Rows and columns of an image or a painting."""

    pixels: Callable[[object], Array] | None = None
    """A picture of any size (its file, its colours, or these as text) as a painting that the model reads."""

    not_drawn: str = ""
    """Why a photograph can't be drawn, in a sentence."""


@dataclass(frozen=True)
class Token:
    """One token of a sentence, as the model reads it."""

    text: str
    number: int | None = None
    """What stands for it in the model's vocabulary; None where there is no vocabulary."""

    known: bool = True
    nearest: tuple[str, ...] = ()
    """Known words that look like an unknown one."""

    word: str = ""
    """The word that it is a piece of, as it was typed, where words are cut into pieces."""

    joins: bool = False
    """Whether it goes on with the word of the token before it."""

    letter: str = ""
    """The letter that it is a part of, where it is less than one: some of its bytes."""

    special: bool = False
    """Whether it stands for no text: it marks the start, the end, what is hidden."""

    part: int = 0
    """Which of two texts it belongs to."""


@dataclass(frozen=True)
class Prepared:
    """A model and one input, ready to run any number of times: ``forward(Run(parameters))``."""

    parameters: Mapping[str, Array]
    forward: Callable[[Run], str | Step]
    """Runs the model; returns what it says: a text, or the step that holds an array."""

    notes: Mapping[str, str] = field(default_factory=dict)
    prints: Mapping[str, tuple[Printed, ...]] = field(default_factory=dict)
    guide: GuideNumbers = field(default_factory=dict)
    """All numbers that the guide has at its steps, for those who want to go on from them."""

    dtype: Literal["float64", "float32"] = "float64"
    """What it is computed in, unless somebody asks for another type."""


class Model(Protocol):
    """One that ships, is in a folder, or comes with another package."""

    @property
    def name(self) -> str: ...

    @property
    def title(self) -> str:
        """What people call it."""

    @property
    def summary(self) -> str:
        """What it is, in one line that goes on after the title."""

    @property
    def example(self) -> str: ...

    @property
    def examples(self) -> Sequence[str]:
        """Inputs for the menu; the first is the example."""

    @property
    def captions(self) -> Sequence[str]:
        """What the menu calls each of the examples."""

    @property
    def takes(self) -> InputKind: ...

    @property
    def options(self) -> Mapping[str, Option]: ...

    def tokens(self, text: object, options: Mapping[str, Any]) -> list[Token]:
        """The tokens that it reads in a sentence; none in an image."""

    def prepare(self, source: object, options: Mapping[str, Any]) -> Prepared: ...
