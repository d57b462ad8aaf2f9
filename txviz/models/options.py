"""The options of a model: what they may be, and what they are when nobody says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from txviz.errors import TxvizError


class Choice(NamedTuple):
    """One of a few words; the first is the default."""

    choices: tuple[str, ...]

    @property
    def default(self) -> str:
        return self.choices[0]

    def read(self, name: str, value: Any) -> str:
        word = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
        if word not in self.choices:
            raise TxvizError(f"{name} is {value!r}; it can be {' or '.join(self.choices)}")
        return str(word)


class Number(NamedTuple):
    """A number between two ends; a whole one where the default is whole."""

    default: float
    lowest: float
    highest: float

    def read(self, name: str, value: Any) -> float:
        whole = isinstance(self.default, int)
        try:
            exact = float(value)
            found = int(value) if whole else exact
        except (TypeError, ValueError, OverflowError):
            exact, found = float("nan"), 0
        if isinstance(value, bool) or found != exact or not self.lowest <= found <= self.highest:
            kind = "a whole number" if whole else "a number"
            ends = f"{self.lowest:g} to {f'{self.highest:,}' if whole else f'{self.highest:g}'}"
            raise TxvizError(f"{name} is {_short(value)}; it must be {kind} from {ends}")
        return found


def _short(value: object) -> str:
    """What was given, in a sentence: the beginning of it where it is long."""
    if isinstance(value, int) and abs(value) > 10**20:
        return "far too large"  # Python refuses to write out very long numbers
    text = str(value)
    return text if len(text) <= 40 else f"{text[:40]}…"


class Switch(NamedTuple):
    """On or off; off when nobody says."""

    default: bool = False

    def read(self, name: str, value: Any) -> bool:
        if str(value) not in ("True", "False"):
            raise TxvizError(f"{name} is {value!r}; it can be True or False")
        return str(value) == "True"


class Text(NamedTuple):
    """Any text, or none."""

    default: None = None

    def read(self, name: str, value: Any) -> str:
        if not isinstance(value, str | int | float):
            raise TxvizError(f"{name} is {value!r}; it must be a text")
        return str(value)


Option = Choice | Number | Switch | Text

MOST_STEPS = 38
"""Time steps of one decoding."""

DECODING: dict[str, Option] = {
    "strategy": Choice(("greedy", "beam", "sample")),
    "beam_width": Number(4, 1, 64),
    "length_penalty": Number(0.0, 0.0, 5.0),
    "temperature": Number(1.0, 0.01, 100.0),
    "top_k": Number(0, 0, 100_000),
    "top_p": Number(1.0, 0.01, 1.0),
    "seed": Number(0, 0, 2**32 - 1),
    "max_steps": Number(20, 1, MOST_STEPS),
    "cache": Switch(),
}


class About(NamedTuple):
    """An option in plain words: its name in the window, and what it does."""

    label: str
    text: str
    is_switch: bool = False
    """Whether it is on or off, so that the command line needs no value for it."""


ABOUT = {
    "pooling": About("Pooling", "mean or cls: how a sentence or an image becomes one vector"),
    "patch": About(
        "Patches", "1x1, 2x2, 3x2, 2x3, 3x3 or 6x6: rows and columns of the patches that an image is cut into"
    ),
    "positions": About("Positions", "learned, none, sinusoidal or 2d: how a token is told where it stands"),
    "block_order": About(
        "Residuals and norms",
        "guide (one of each, at the end of a layer), post-norm or pre-norm (two, around attention and feed-forward)",
    ),
    "layers": About("Layers", "how many, from 1 to 12"),
    "heads": About("Heads", "1, 2 or 4 (of a sentence 1 or 3): into how many parts attention divides the features"),
    "scaled": About("Divide scores by √d_k", "divide scores by √d_k before softmax, as the paper does", is_switch=True),
    "pad": About("Pad to", "fill up a text with padding to so many tokens, which nobody looks at (0: no padding)"),
    "language": About("Language", "it or fr: what to translate into; <it> or <fr> before the sentence goes first"),
    "target": About("Target (makes it a training step)", "the right answer: makes it one step of training"),
    "learning_rate": About("Learning rate", "of the training step; by default that of the recipe's first step"),
    "optimizer": About("Optimiser", "adam or sgd: how the training step follows from the gradients"),
    "strategy": About("Strategy", "greedy, beam or sample: how the next token is chosen"),
    "beam_width": About("Beam width", "how many hypotheses a beam keeps"),
    "length_penalty": About("Length penalty", "how much a beam favours longer sentences (0: not at all)"),
    "temperature": About("Temperature", "below 1 sampling is bolder for the likeliest, above 1 for the others"),
    "top_k": About("Top k", "sample only from the k likeliest (0: from all)"),
    "top_p": About("Top p", "sample only from the likeliest that reach this probability together"),
    "seed": About("Seed", "of the random numbers for sampling"),
    "max_steps": About("Max steps", "the longest that may be written"),
    "cache": About("Cache", "keep keys and values between time steps", is_switch=True),
}
"""Every option of every model that ships."""

CHOICE_LABELS = {
    "it": "Italian",
    "fr": "French",
    "cls": "[CLS]",
    "sgd": "SGD",
    "2d": "2D",
    "guide": "As the guide has it",
    "post-norm": "Two of each, post-norm",
    "pre-norm": "Two of each, pre-norm",
    **{patch: patch.replace("x", "×") for patch in ("1x1", "2x2", "3x2", "2x3", "3x3", "6x6")},
}
"""Choices whose word needs another to be understood."""


def about(name: str) -> About:
    """An option in plain words; one that only a model of another package has is called by its name."""
    plain = name.replace("_", " ")
    return ABOUT.get(name) or About(plain.capitalize(), f"this model's own option, {plain}")


_OF_TRAINING = ("learning_rate", "optimizer")

_STRATEGY_OF = {
    "beam_width": "beam",
    "length_penalty": "beam",
    "temperature": "sample",
    "top_k": "sample",
    "top_p": "sample",
    "seed": "sample",
}


def matters(name: str, chosen: Mapping[str, Any]) -> bool:
    """Whether an option changes anything, beside what else is chosen: a training step, for one, writes nothing."""
    if name in _OF_TRAINING:
        return chosen.get("target") is not None
    if name in DECODING and chosen.get("target") is not None:
        return False
    return name not in _STRATEGY_OF or chosen.get("strategy", _STRATEGY_OF[name]) == _STRATEGY_OF[name]


def differences(known: Mapping[str, Option], chosen: Mapping[str, Any]) -> dict[str, Any]:
    """What is chosen other than the defaults."""
    return {name: value for name, value in chosen.items() if value != known[name].default}


def read_options(model: str, known: Mapping[str, Option], given: Mapping[str, Any]) -> dict[str, Any]:
    """The options as given, checked, and the defaults for those that are not."""
    for option in given:
        if option not in known:
            takes = f"it takes {', '.join(known)}" if known else "it takes none"
            raise TxvizError(f"{model} has no option {option}; {takes}")
    return {
        name: option.read(name, given[name]) if given.get(name) is not None else option.default
        for name, option in known.items()
    }
