"""What docs/ tells people to do works: every command, every picture, every link, every notebook."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from scripts.guide import ROOT, commands, opens_window, pictures, run_page
from scripts.notebooks import NOTEBOOKS, run
from txviz.errors import TxvizError

pytestmark = pytest.mark.usefixtures("qapp")  # what paints would else make one that other tests can't use
PAGES = sorted((ROOT / "docs").glob("*.md"))
MANUAL = [ROOT / "README.md", *sorted((ROOT / "docs/manual").glob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_its_commands_work_and_make_its_pictures(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run_page(page, tmp_path)
    assert [name for name in pictures(page) if not (tmp_path / name).is_file()] == []


@pytest.mark.parametrize("page", [*PAGES, *MANUAL], ids=lambda page: page.stem)
def test_what_it_links_to_is_there(page: Path) -> None:
    links = re.findall(r"\]\(([\w./-]+)\)", page.read_text("utf-8"))
    assert [link for link in links if not (page.parent / link).is_file()] == []


@pytest.mark.parametrize("page", MANUAL, ids=lambda page: page.stem)
def test_the_command_line_takes_every_command_of_the_manual(page: Path) -> None:
    """What stands behind two spaces is said about it."""
    from txviz.cli import _parser

    lines = re.findall(r"^txviz (\S.+)$", page.read_text("utf-8"), re.MULTILINE)
    for line in lines:
        _parser().parse_args(shlex.split(re.split(r" {2,}", line.rstrip())[0]))  # else it ends the program
    assert lines or page.stem in ("window", "figures")


def test_what_is_to_be_read_first_is_there() -> None:
    named = re.findall(r"`(txviz/[\w/]+\.py)`", (ROOT / "docs" / "adding.md").read_text("utf-8"))
    assert len(named) > 6
    assert [name for name in named if not (ROOT / name).is_file()] == []


def test_no_picture_lies_about_unused() -> None:
    used = {name for page in PAGES for name in pictures(page)}
    assert {path.name for path in (ROOT / "docs" / "pictures").iterdir()} == used
    shown = re.findall(r"\]\(resources/screenshots/([\w.-]+)\)", (ROOT / "README.md").read_text("utf-8"))
    assert {path.name for path in (ROOT / "resources" / "screenshots").iterdir()} == set(shown)


def test_the_window_is_opened_with_what_there_is() -> None:
    from txviz.cli import _asked_for  # what would be shown, without the window

    opened = [command for page in PAGES for command in commands(page) if opens_window(command)]
    assert opened
    for command in opened:
        if command[1:2] == ["--model"]:
            assert _asked_for(command[2:]).source


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_shows_what_is_kept_in_it(notebook: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(notebook.parent)
    kept, made = json.loads(notebook.read_text("utf-8")), run(notebook)
    assert outputs(made, "text") == outputs(kept, "text")
    assert len(outputs(made, "image")) == len(outputs(kept, "image")) > 1


def outputs(notebook: dict[str, Any], kind: str) -> list[str]:
    found = [output for cell in notebook["cells"] for output in cell.get("outputs", [])]
    if kind == "image":
        return [output["data"]["image/png"] for output in found if "image/png" in output.get("data", {})]
    return ["".join(output["text"]) for output in found if "text" in output]


def test_there_are_three_notebooks_and_they_raise_when_they_are_wrong(tmp_path: Path) -> None:
    assert len(NOTEBOOKS) == 3
    page = tmp_path / "page.md"
    page.write_text("```sh\ntxviz show nothing here\n```\n")
    (tmp_path / "in").mkdir()
    with pytest.raises((SystemExit, TxvizError)):
        run_page(page, tmp_path / "in")
