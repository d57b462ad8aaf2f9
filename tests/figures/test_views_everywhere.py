"""Plots, boards, trees, maps and comparisons in every format that is drawn, read back by other programs."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from pptx import Presentation

import txviz
from tests.figures.writers import tools
from txviz.errors import TxvizError
from txviz.figures.export import Export, export
from txviz.figures.formats import DRAWN, LEVELED, PAGES
from txviz.figures.presets import SCREEN
from txviz.figures.views import VIEWS
from txviz.trace import Trace

SHORT: dict[str, Any] = {"seconds": 0.5, "frames": 2.0}


@pytest.fixture(scope="module")
def cat() -> Trace:
    return txviz.trace("sentence-guide", "The cat sat.")


@pytest.fixture(scope="module")
def dog() -> Trace:
    return txviz.trace("sentence-guide", "The dog sat.")


def texts(path: Path) -> str:
    """All that is written on the slides."""
    shapes = [shape for slide in Presentation(str(path)).slides for shape in slide.shapes]
    inner = [each for shape in shapes for each in getattr(shape, "shapes", [shape])]
    return " ".join(shape.text_frame.text for shape in inner if shape.has_text_frame)


def test_every_format_of_pages_shows_every_view() -> None:
    assert set(DRAWN) == set(PAGES)
    assert set(PAGES) <= set(LEVELED)


@pytest.mark.parametrize("view", [name for name in VIEWS if name not in ("stage", "image")])
def test_a_plot_on_a_slide_is_shapes(cat: Trace, tmp_path: Path, view: str) -> None:
    path = tmp_path / "plot.pptx"
    export(Export(cat, cat.find("*.weights"), "pptx", SCREEN, view), path)
    figure = Export(cat, cat.find("*.weights"), "svg", SCREEN, view).figure(cat.find("*.weights")[0])
    (slide,) = Presentation(str(path)).slides
    assert slide.has_notes_slide
    assert len(list(slide.shapes)) > 2
    words = {mark.text for mark in figure.flat() if hasattr(mark, "text")} & {"cat", "sat", "exp", "[CLS]"}
    assert all(word in texts(path) for word in words)


@pytest.mark.parametrize("ending", ["html", "gif", "webp", "tikz"])
def test_a_plot_in_other_files(cat: Trace, tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"plot.{ending}"
    export(Export(cat, cat.find("*.weights"), ending, SCREEN, "softmax", **SHORT), path)
    assert path.stat().st_size > 1000


def test_a_plot_of_two_runs_shows_both(cat: Trace, dog: Trace, tmp_path: Path) -> None:
    path = tmp_path / "both.svg"
    wanted = Export(dog, dog.find("*.weights"), "svg", SCREEN, "attention", other=cat)
    export(wanted, path)
    drawn = path.read_text(encoding="utf-8")
    assert drawn.index(">A</text>") < drawn.index(">cat</text>") < drawn.index(">B</text>") < drawn.index(">dog</text>")
    export(Export(dog, dog.find("*.weights"), "pptx", SCREEN, "attention", other=cat), tmp_path / "both.pptx")
    assert re.search(r"\bcat\b.*\bdog\b", texts(tmp_path / "both.pptx"))
    only = Export(dog, dog.find("*.weights"), "svg", SCREEN, "attention", other=cat, sides="b")
    export(only, path)
    assert ">cat</text>" not in path.read_text(encoding="utf-8")
    with pytest.raises(TxvizError, match="a plot can't be drawn as B − A; --sides can be all, a or b"):
        export(Export(dog, dog.find("*.weights"), "svg", SCREEN, "attention", other=cat, sides="difference"), path)


@tools.needs("pdftotext", "poppler-utils")
@tools.needs("loimpress", "libreoffice-impress")
def test_a_plot_as_libreoffice_shows_it(cat: Trace, tmp_path: Path) -> None:
    export(Export(cat, cat.find("*.weights"), "pptx", SCREEN, "softmax"), tmp_path / "plot.pptx")
    home = f"-env:UserInstallation=file://{tmp_path / 'home'}"
    command = ["soffice", home, "--headless", "--convert-to", "pdf", "--outdir", ".", "plot.pptx"]
    subprocess.run(command, check=True, capture_output=True, cwd=tmp_path)
    read = tools.pdftotext((tmp_path / "plot.pdf").read_bytes())
    assert "exp" in read
    assert "0.214" in read
