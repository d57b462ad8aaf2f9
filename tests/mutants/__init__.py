"""Mutants: mistakes that are put in by hand, of which the tests must catch every one. ``make mutants`` runs them."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]


class Mutant(NamedTuple):
    """A row of ``mutants.toml``."""

    name: str
    file: str
    """Below ``txviz/``."""

    old: str
    new: str
    tests: str
    """What pytest is told, below ``tests/``."""

    @property
    def path(self) -> Path:
        """From the project's folder."""
        return Path("txviz", self.file)

    def applied(self, source: str) -> str | None:
        """The file with the mistake in it; None where the old text does not stand in it exactly once."""
        return source.replace(self.old, self.new) if source.count(self.old) == 1 else None


def mutants() -> list[Mutant]:
    rows = tomllib.loads(Path(__file__).with_name("mutants.toml").read_text("utf-8"))
    return [Mutant(**row) for row in rows["mutant"]]
