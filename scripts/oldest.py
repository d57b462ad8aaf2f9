"""Prints the lowest version that pyproject.toml allows of everything that txviz and its tests need, as pins for pip."""

from __future__ import annotations

import tomllib
from pathlib import Path

from pip._vendor.packaging.requirements import Requirement


def pin(requirement: Requirement) -> str:
    """numpy>=2.0,<3 as numpy==2.0; a requirement that states no lowest version is an error."""
    lowest = [bound.version for bound in requirement.specifier if bound.operator == ">="]
    if len(lowest) != 1:
        raise SystemExit(f"pyproject.toml: {requirement} has no one lowest version")
    return f"{requirement.name}=={lowest[0]}"


def pins(pyproject: Path) -> list[str]:
    """One pin for each requirement that this Python has."""
    project = tomllib.loads(pyproject.read_text(encoding="utf-8"))["project"]
    requirements = map(Requirement, [*project["dependencies"], *project["optional-dependencies"]["test"]])
    return [pin(each) for each in requirements if each.marker is None or each.marker.evaluate()]


if __name__ == "__main__":
    print(*pins(Path(__file__).parents[1] / "pyproject.toml"), sep="\n")
