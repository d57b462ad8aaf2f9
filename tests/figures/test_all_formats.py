"""Every step of every shipped model in every format, read back by something else. Long: make test-long."""

from __future__ import annotations

import os
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image
from PIL.GifImagePlugin import GifImageFile
from pptx import Presentation

import txviz
from txviz.figures import fonts
from txviz.figures.export import Export, export, file_name
from txviz.figures.formats import DRAWN, FILE_EACH
from txviz.figures.marks import Heat, Text
from txviz.figures.presets import SCREEN
from txviz.models import find
from txviz.trace import Trace

pytestmark = pytest.mark.skipif(not os.environ.get("TXVIZ_LONG"), reason="take minutes: make test-long")


@pytest.fixture(scope="module", params=txviz.models())
def trace(request: pytest.FixtureRequest) -> Trace:
    return txviz.trace(request.param, find(request.param).example)


def test_svg_has_every_text_and_nothing_outside(trace: Trace, tmp_path: Path) -> None:
    wanted = Export(trace, trace.steps, "svg", SCREEN)
    export(wanted, tmp_path)
    for step in trace:
        figure = wanted.figure(step)
        root = ElementTree.parse(tmp_path / file_name(trace, step, "svg")).getroot()
        written = {"".join(text.itertext()) for text in root.iter("{http://www.w3.org/2000/svg}text")}
        for mark in figure.flat():
            texts = (mark.text,) if isinstance(mark, Text) else mark.texts if isinstance(mark, Heat) else ()
            assert set(texts) <= written, step.name
            if isinstance(mark, Text) and not mark.turn:
                wide = fonts.width(mark.text, mark.size, bold=mark.bold)
                left = mark.x - {"start": 0.0, "middle": 0.5, "end": 1.0}[mark.anchor] * wide
                assert left >= -1, f"“{mark.text}” of {step.name} begins before the page"
                assert left + wide <= figure.width + 1, f"“{mark.text}” of {step.name} goes on beyond the page"


def test_png_and_arrays(trace: Trace, tmp_path: Path) -> None:
    for ending in ("png", "npy"):
        export(Export(trace, trace.steps, ending, SCREEN, resolution=1.0), tmp_path)
    for step in trace:
        with Image.open(tmp_path / file_name(trace, step, "png")) as image:
            assert image.size == (960, 600), step.name
        assert np.array_equal(np.load(tmp_path / file_name(trace, step, "npy")), step.value), step.name


@pytest.mark.parametrize("ending", [name for name in FILE_EACH if name not in DRAWN])
def test_tables(trace: Trace, ending: str, tmp_path: Path) -> None:
    assert all(path.stat().st_size for path in export(Export(trace, trace.steps, ending, SCREEN), tmp_path))


def test_one_file_for_all(trace: Trace, tmp_path: Path) -> None:
    for ending in ("pdf", "gif", "pptx", "html"):
        export(Export(trace, trace.steps, ending, SCREEN, resolution=0.5), tmp_path / f"all.{ending}")
    assert (tmp_path / "all.pdf").read_bytes().count(b"/Type /Page\n") == len(trace)
    with Image.open(BytesIO((tmp_path / "all.gif").read_bytes())) as image:
        assert isinstance(image, GifImageFile)
        assert image.n_frames == len(trace)
    slides = Presentation(str(tmp_path / "all.pptx")).slides
    assert [slide.shapes.title.text_frame.text for slide in slides][1:] == [step.title for step in trace]
    page = (tmp_path / "all.html").read_text(encoding="utf-8")
    assert all(step.name in page for step in trace)
