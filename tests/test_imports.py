"""The house's arrow, read from the sources: no cycle, and inside figures no import that goes up."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Mapping
from pathlib import Path

import txviz

PACKAGE = "txviz.figures"
ROOT = Path(txviz.__file__).parent.parent

Graph = Mapping[str, set[str]]


def modules(package: str = PACKAGE) -> dict[str, Path]:
    found = {}
    for path in ROOT.joinpath(*package.split(".")).rglob("*.py"):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def graph() -> Graph:
    """Which modules each module imports, those inside functions and for types included."""
    known = modules()
    return {
        name: {wanted for wanted in imported(ast.parse(path.read_text(encoding="utf-8")), known) if wanted != name}
        for name, path in known.items()
    }


def imported(tree: ast.AST, known: Mapping[str, object]) -> set[str]:
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            whole = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {name if name in known else node.module for name in whole}
    return found & known.keys()


def loaded() -> Graph:
    """Which modules each module of txviz needs before it is there itself, and so the packages that those are in."""
    known = modules("txviz")
    edges = {}
    for name, path in known.items():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        wanted = imported(ast.Module([each for each in tree.body if runs_at_once(each)], []), known)
        edges[name] = {each for one in wanted for each in packages(one) if each in known and not within(name, each)}
    return edges


def runs_at_once(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Import | ast.ImportFrom)


def packages(module: str) -> list[str]:
    """A module and all packages that it is in."""
    parts = module.split(".")
    return [".".join(parts[: i + 1]) for i in range(len(parts))]


def within(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


def cycle(edges: Graph) -> list[str]:
    """Some modules that import each other in a ring; nothing where there is no ring."""
    done: set[str] = set()

    def follow(name: str, path: list[str]) -> list[str]:
        if name in path:
            return [*path[path.index(name) :], name]
        if name not in done:
            for wanted in sorted(edges[name]):
                if ring := follow(wanted, [*path, name]):
                    return ring
            done.add(name)
        return []

    return next((ring for name in sorted(edges) if (ring := follow(name, []))), [])


def layers() -> dict[str, int]:
    """How high each part stands, as the import linter has it: the lowest is 0."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    (found,) = [contract["layers"] for contract in contracts if contract.get("containers") == [PACKAGE]]
    return {part: i for i, line in enumerate(reversed(found)) for part in line.split(" | ")}


def part(module: str) -> str:
    return module.removeprefix(f"{PACKAGE}.").partition(".")[0]


def test_no_modules_import_each_other_in_a_ring() -> None:
    assert cycle(graph()) == []
    assert cycle(loaded()) == []
    assert cycle({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c", "b"]


def test_every_import_goes_down() -> None:
    height = layers()
    up = [
        f"{name} imports {wanted}"
        for name, all_wanted in graph().items()
        for wanted in all_wanted
        if wanted != PACKAGE and part(name) != part(wanted) and height[part(name)] <= height[part(wanted)]
    ]
    assert up == []


def test_only_painters_know_qt() -> None:
    qt = {name for name, path in modules().items() if "PySide6" in path.read_text(encoding="utf-8")}
    assert {name.removeprefix(f"{PACKAGE}.") for name in qt} == {
        "painter",
        "writers.raster",
        "writers.png",
        "writers.pdf",
        "writers.video",
    }
