"""What is packed for others is enough to run it, test it and change it, and what the files say of make is true."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import txviz

ROOT = Path(txviz.__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")
DOCUMENTS = ("README.md", "CONTRIBUTING.md")
TARGETS = set(re.findall(r"^([a-z][a-z-]*):", MAKEFILE, re.MULTILINE)) - {"clean"}


def read(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


def needed() -> set[str]:
    """Every file and folder that the Makefile, its scripts, pyproject.toml and the documents speak of."""
    scripts = re.findall(r"\bscripts/[\w-]+\.(?:sh|py)", MAKEFILE)
    tests = re.findall(r"\btests/[\w/]+\.py", MAKEFILE)
    sourced = [f"scripts/{name}" for path in scripts for name in re.findall(r'/([\w-]+\.sh)"', read(path))]
    links = [name for document in DOCUMENTS for name in re.findall(r"\]\(([\w/.-]+)\)", read(document))]
    project, wheel = PROJECT["project"], PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]
    named = {project["readme"], *project["license-files"], *wheel["packages"], *wheel["force-include"]}
    return {*scripts, *tests, *sourced, *links, *named, "Makefile", "tests"}


def test_the_source_package_has_all_that_make_needs() -> None:
    packed = [path.removeprefix("/") for path in PROJECT["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]]
    wanted = needed()
    assert {"scripts/make-venv.sh", "scripts/apt.sh", "scripts/qt-libraries.sh", "resources", "txviz"} <= wanted
    assert [path for path in (*packed, *wanted) if not (ROOT / path).exists()] == []
    assert [
        path for path in sorted(wanted) if not any(path == top or path.startswith(f"{top}/") for top in packed)
    ] == []


def test_the_map_of_the_house_has_every_room() -> None:
    drawn = re.findall(r"```\n(txviz/\n.*?)```", read("README.md"), re.DOTALL)[0]
    built = [path for path in (ROOT / "txviz").iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()]
    rooms = {path.name if path.is_file() else f"{path.name}/" for path in built} - {"__init__.py", "__main__.py"}
    assert rooms ^ (set(re.findall(r"\b\w+\.py|(?<=\n  )\w+/", drawn))) == set()


def test_every_target_is_explained_at_the_top_of_the_makefile() -> None:
    explained = re.findall(r"^# make ([\w-]+) +\S", MAKEFILE, re.MULTILINE)
    phony = re.findall(r"^\.PHONY: (.+)", MAKEFILE, re.MULTILINE)[0].split()
    assert sorted(explained) == sorted(TARGETS)
    assert set(phony) == TARGETS | {"clean"}


@pytest.mark.parametrize("document", [*DOCUMENTS, ".ci/run"])
def test_no_document_speaks_of_a_target_that_is_not_there(document: str) -> None:
    if not (ROOT / document).exists():
        pytest.skip(f"{document} is not packed")
    spoken = set(re.findall(r"(?:`|^|\n)make\s([a-z][a-z-]*)", read(document)))
    assert spoken
    assert spoken <= TARGETS


def test_the_documents_speak_of_every_target() -> None:
    both = "".join(map(read, DOCUMENTS))
    assert [target for target in sorted(TARGETS) if not re.search(rf"make\s{target}\b", both)] == []


@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")
@pytest.mark.parametrize(
    ("wanted", "make", "code", "said"),
    [
        ("HERE", "true", 0, "pass with Python: HERE; fail with: none; not on this machine: none"),
        ("HERE 9.9", "true", 0, "pass with Python: HERE; fail with: none; not on this machine: 9.9"),
        ("9.9 HERE", "false", 1, "pass with Python: none; fail with: HERE; not on this machine: 9.9"),
        ("9.8 9.9", "true", 1, "pass with Python: none; fail with: none; not on this machine: 9.8 9.9"),
    ],
)
def test_every_python_that_is_there_is_tried(tmp_path: Path, wanted: str, make: str, code: int, said: str) -> None:
    """With something that always passes or always fails in place of make."""
    here = f"{sys.version_info.major}.{sys.version_info.minor}"
    (tmp_path / f"python{here}").symlink_to(sys.executable)
    (tmp_path / "python9.9").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')  # which is another version
    (tmp_path / "python9.9").chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "PYENV_ROOT": str(tmp_path), "MAKE": make}
    command = ["bash", "scripts/test-pythons.sh", *wanted.replace("HERE", here).split()]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (code, "")
    assert done.stdout.endswith(f"{said.replace('HERE', here)}\n")
