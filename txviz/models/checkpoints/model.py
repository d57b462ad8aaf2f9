"""What all checkpoints share: their files, their names, and how the window and the command line see them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

from txviz.models.checkpoints.config import Config
from txviz.models.checkpoints.names import Row, renamed
from txviz.models.checkpoints.pieces import Pieces, open_pieces
from txviz.models.checkpoints.weights import Weights, open_weights
from txviz.models.folders import folder_title
from txviz.models.model import InputKind, Prepared, Token
from txviz.models.options import Option
from txviz.nets.parameters import Shapes
from txviz.ops import Array


class Net(NamedTuple):
    """How a family's checkpoint becomes one of our nets."""

    family: str
    """What people call it: BERT."""

    config: Any
    """The net's configuration."""

    shapes: Shapes
    names: Sequence[Row]
    layers: int
    heads: int
    width: int
    prefix: str
    """What may stand before their names."""


class Checkpoint(ABC):
    """A model from somebody else. Subclasses say what it is asked and how it answers."""

    options: ClassVar[Mapping[str, Option]] = {}
    by_reference: ClassVar[bool] = True
    """Its weights are large, and stay where they are: a saved trace refers to them."""

    does: ClassVar[str]
    """What it does, for the line about it."""

    def __init__(self, name: str, config: Config) -> None:
        self.name = name
        self.folder = config.folder
        self.described = config

    @cached_property
    @abstractmethod
    def net(self) -> Net: ...

    @abstractmethod
    def prepare(self, source: object, options: Mapping[str, Any]) -> Prepared:
        """The model and one input, ready to run."""

    @property
    @abstractmethod
    def examples(self) -> tuple[str, ...]: ...

    @property
    def takes(self) -> InputKind:
        return InputKind("sentence")

    @property
    def title(self) -> str:
        return folder_title(self.name)

    @property
    def summary(self) -> str:
        net = self.net
        return f"{net.family}, {net.layers} layers of {net.heads} heads, d = {net.width}: {self.does}"

    @property
    def example(self) -> str:
        return self.examples[0]

    @property
    def captions(self) -> tuple[str, ...]:
        return self.examples

    def tokens(self, text: object, options: Mapping[str, Any]) -> list[Token]:
        return []

    def check_files(self) -> None:
        """A TxvizError unless all that running needs is there."""
        self.parameters  # noqa: B018

    @cached_property
    def weights(self) -> Weights:
        return open_weights(self.folder)

    @cached_property
    def parameters(self) -> dict[str, Array]:
        net = self.net
        return renamed(self.weights, net.names, net.shapes, net.layers, net.prefix, self.folder)

    @cached_property
    def pieces(self) -> Pieces:
        return open_pieces(self.folder, self.described.vocabulary)
