"""The tables of formats and of pictures: every row works, and whoever lists them reads the rows."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from tests.figures.shipped import trace as shipped
from txviz.cli import main
from txviz.figures.export import Export, export
from txviz.figures.formats import FORMATS, LOOK, Format
from txviz.figures.lazy import load
from txviz.figures.marks import Figure
from txviz.figures.presets import SCREEN
from txviz.figures.settings import Settings
from txviz.figures.views import VIEWS

SHIPPED = ("sentence-guide", "digits")


@pytest.mark.parametrize("row", FORMATS.values(), ids=lambda row: row.suffix)
def test_every_format_has_its_writer_and_known_options(row: Format) -> None:
    assert callable(load(f"writers.{row.written_by}"))
    assert set(row.options) <= {each.name for each in fields(Settings)}
    assert set(LOOK) <= set(row.options) or not row.options
    assert row.about[0].isupper()


def test_names_are_unique() -> None:
    assert len({row.about for row in FORMATS.values()}) == len(FORMATS)
    assert len({row.about for row in VIEWS.values()}) == len(VIEWS)
    assert len({row.drawn_by for row in VIEWS.values()}) == len(VIEWS)


@pytest.mark.parametrize("name", VIEWS)
def test_every_picture_exists_for_some_shipped_step_and_is_drawn_there(name: str) -> None:
    view = VIEWS[name]
    where = [(trace, step) for trace in map(shipped, SHIPPED) for step in trace if view.exists(trace, step)]
    assert where
    for trace, step in where[::5]:
        assert isinstance(Export(trace, [step], "svg", SCREEN, name).figure(step), Figure)


def test_a_new_format_is_a_row_and_a_function(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import txviz.figures.writers.tables as module

    monkeypatch.setattr(module, "write_names", lambda wanted: wanted.steps[0].name.encode(), raising=False)
    monkeypatch.setitem(FORMATS, "names", Format("names", "Names", "tables.write_names", False, ()))
    grid = "sentence-guide", "The cat sat.", "--steps", "tokens", "-o", str(tmp_path / "x.names")
    assert main(["export", *grid]) == 0
    assert (tmp_path / "x.names").read_text() == "tokens"


def test_a_cell_is_outlined_where_there_is_one_step_in_every_format(tmp_path: Path) -> None:
    trace = shipped("sentence-guide")
    many = Export(trace, list(trace), "pptx", SCREEN, cell=(0, 2, 4))
    assert export(many, tmp_path / "all.pptx"), "the cell is one of another step than most"


@pytest.mark.parametrize("option", ["resolution", "transparent", "seconds", "loop", "view"])
def test_the_command_line_says_which_formats_an_option_is_for(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["export", "--help"])
    said = " ".join(capsys.readouterr().out.split())
    assert f"for {', '.join(name for name, row in FORMATS.items() if option in row.options)}" in said
