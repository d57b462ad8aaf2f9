"""Exports: names, folders, all or nothing, and the same bytes each time."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from math import inf, nan
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image
from pptx import Presentation

import txviz
from txviz.cli import main
from txviz.errors import TxvizError
from txviz.figures.export import Export, check, export, file_name
from txviz.figures.formats import FILE_EACH, FORMATS, LEVELED, ONE_FILE
from txviz.figures.presets import SCREEN, SLIDE, make_page
from txviz.trace import Trace

FILMS: dict[str, dict[str, Any]] = {
    name: {"seconds": 0.5, "frames": 4.0} if row.frames else {} for name, row in FORMATS.items()
}
"""Short ones, or else these would be minutes of film."""

SECOND_FILES = {name: row.beside[0] for name, row in FORMATS.items() if row.beside}

MAGIC = {"png": b"\x89PNG", "pdf": b"%PDF", "gif": b"GIF89a", "pptx": b"PK", "npy": b"\x93NUMPY"}


@pytest.fixture(scope="module")
def trace() -> Trace:
    return txviz.trace("sentence-guide", "The cat sat.")


@pytest.fixture
def memory_of_2_gigabytes() -> Iterator[None]:
    """On top of what is in use, so that a test that fails does not take all there is."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + 2**31, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_AS, before)


@pytest.mark.parametrize("ending", FORMATS)
def test_every_format_writes_one_step(trace: Trace, tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"scores.{ending}"
    wanted = Export(trace, trace.find("*.scores"), ending, SCREEN, **FILMS[ending])
    assert export(wanted, path)[0] == path
    first = path.read_bytes()
    assert first.startswith(MAGIC.get(ending, b""))
    export(wanted, path)
    assert path.read_bytes() == first, "the same input gives the same bytes"


@pytest.mark.parametrize("ending", FILE_EACH)
def test_many_steps_are_numbered_files_that_sort(trace: Trace, tmp_path: Path, ending: str) -> None:
    folder = tmp_path / "figures"
    steps = trace.find("encoder.0.attention.*")[-3:]
    written = export(Export(trace, steps, ending, SCREEN), folder)
    assert sorted(written) == written == sorted(folder.iterdir())
    assert [path.name.partition("-")[2] for path in written] == [f"{step.name}.{ending}" for step in steps]
    assert file_name(trace, trace["encoder.0.attention.scores"], "svg") == "011-encoder.0.attention.scores.svg"


@pytest.mark.parametrize("ending", ONE_FILE)
def test_many_steps_in_one_file(trace: Trace, tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"steps.{ending}"
    seen: list[tuple[int, int]] = []
    steps = trace.find("embed.*")
    wanted = Export(trace, steps, ending, SCREEN, watch=lambda done, total: seen.append((done, total)))
    export(replace(wanted, **FILMS[ending]), path)
    assert path.stat().st_size > 1000
    assert list(dict.fromkeys(seen)) == [(i, len(steps)) for i in range(len(steps) + 1)]


@pytest.mark.parametrize("ending", FORMATS)
def test_cancelled_leaves_what_was_there(trace: Trace, tmp_path: Path, ending: str) -> None:
    path = tmp_path / ("old" if ending in FILE_EACH else f"old.{ending}")
    if ending in ONE_FILE:
        path.write_text("old")

    def stop(done: int, total: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        export(Export(trace, trace.find("embed.*"), ending, SCREEN, watch=stop, **FILMS[ending]), path)
    left = list(tmp_path.iterdir())
    assert left == ([path] if ending in ONE_FILE else [])
    if ending in ONE_FILE:
        assert path.read_text() == "old"


def test_a_failed_export_of_many_files_leaves_none(trace: Trace, tmp_path: Path) -> None:
    steps = trace.find("embed.*")
    there = tmp_path / "there"
    (there / file_name(trace, steps[-1], "csv")).mkdir(parents=True)
    with pytest.raises(TxvizError, match="it is a folder, not a file"):
        export(Export(trace, steps, "csv"), there)
    assert len(list(there.iterdir())) == 1
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, before[1]))
    try:
        with pytest.raises(TxvizError, match="File too large"):
            export(Export(trace, steps, "csv"), tmp_path / "new" / "folder")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert list(tmp_path.iterdir()) == [there]


def test_where_nothing_can_be_written_is_said_before_any_work(trace: Trace, tmp_path: Path) -> None:
    def worked(done: int, total: int) -> None:
        raise AssertionError

    os.mkfifo(tmp_path / "pipe.svg")
    for path, said in (
        ("pipe.svg", "it is a pipe"),
        ("x" * 300, "File name too long"),
        ("pipe.svg/x", "Not a directory"),
    ):
        with pytest.raises(TxvizError, match=f"can't write .*{said}"):
            export(Export(trace, [trace[0]], "svg", watch=worked), tmp_path / path)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        *(
            ({"resolution": x}, "the resolution is .*; it must be from 0.01 to 25")
            for x in (nan, inf, -inf, 0, -1, 1e9)
        ),
        *(({"seconds": x}, "the number of seconds is .*; it must be from 0.01 to 600") for x in (nan, inf, 0, -1, 1e9)),
    ],
)
@pytest.mark.parametrize("ending", FORMATS)
def test_numbers_have_bounds(trace: Trace, tmp_path: Path, ending: str, wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(TxvizError, match=said):
        export(Export(trace, [trace[0]], ending, **wrong), tmp_path / f"x.{ending}")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("bad", [nan, inf, -inf, 0, -1, 1e9])
@pytest.mark.parametrize("name", ["width", "height", "size"])
def test_pages_have_bounds(trace: Trace, name: str, bad: Any) -> None:
    with pytest.raises(TxvizError, match=f"{name} is .*; it must be from 1 to "):
        txviz.figure(trace[0], **{name: bad})


@pytest.mark.parametrize("how", [{"seconds": 0.01}, {"seconds": 600}, {"resolution": 0.01}, {"resolution": 25}])
def test_the_bounds_themselves_can_be_had(trace: Trace, tmp_path: Path, how: dict[str, Any]) -> None:
    page = replace(make_page("screen", title=False, formula=False, labels=False, numbers=False), width=1, height=1)
    (path,) = export(Export(trace, trace.find("pool.*"), "gif", page, **how), tmp_path / "x.gif")
    assert path.read_bytes().startswith(b"GIF89a")


@pytest.mark.parametrize("ending", ["png", "gif", "pptx"])
def test_a_picture_that_takes_too_much_memory_is_refused_before_it_is_made(
    trace: Trace, tmp_path: Path, ending: str, memory_of_2_gigabytes: None
) -> None:
    for width, height, scale in ((20_000, 20_000, 1), (8_000, 8_000, 10), (1_000, 1_001, 10)):
        page = replace(SCREEN, width=width, height=height)
        said = f"a picture of {width * scale:,} × {height * scale:,} pixels is too large"
        with pytest.raises(TxvizError, match=said):
            export(Export(trace, [trace[0]], ending, page, resolution=scale), tmp_path / f"x.{ending}")
    with pytest.raises(TxvizError, match="40,000 × 40,000 pixels is too large"):
        txviz.figure(trace[0], width=20_000, height=20_000)._repr_png_()
    check(Export(trace, [trace[0]], ending, replace(SCREEN, width=1_000, height=1_000), resolution=10))


def test_a_drawing_has_no_pixels_to_count(trace: Trace, tmp_path: Path) -> None:
    page = replace(SCREEN, width=20_000, height=20_000)
    export(Export(trace, [trace[0]], "svg", page), tmp_path / "x.svg")
    assert (tmp_path / "x.svg").stat().st_size < 1_000_000


def test_what_cannot_be_done_is_a_sentence(trace: Trace, tmp_path: Path) -> None:
    with pytest.raises(TxvizError, match='no format is called "bmp"; there are png'):
        export(Export(trace, [trace[0]], "bmp"), tmp_path / "x.bmp")
    with pytest.raises(TxvizError, match="a file for each of the 21 steps; give a folder"):
        export(Export(trace, list(trace), "svg"), tmp_path / "x.svg")
    with pytest.raises(TxvizError, match="pdf makes one file"):
        export(Export(trace, list(trace), "pdf"), tmp_path)
    with pytest.raises(TxvizError, match="no step matches"):
        export(Export(trace, [], "svg"), tmp_path / "x.svg")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("view", ["attention", "lines", "softmax", "tokens", "values"])
def test_views_are_exported_too(trace: Trace, tmp_path: Path, view: str) -> None:
    path = tmp_path / f"{view}.svg"
    export(Export(trace, trace.find("*.weights"), "svg", SCREEN, view), path)
    assert "cat" in path.read_text(encoding="utf-8") or view == "values"
    with pytest.raises(TxvizError, match="has no view but the stage"):
        export(Export(trace, trace.find("*.weights"), "csv", SCREEN, view), tmp_path / "x.csv")


def test_a_view_with_nothing_to_show_is_a_sentence(trace: Trace, tmp_path: Path) -> None:
    """A view shows the nearest of its kind that is computed by then; at the first step there is none."""
    with pytest.raises(TxvizError, match="tokens has nothing to show as attention"):
        export(Export(trace, [trace["tokens"]], "svg", SCREEN, "attention"), tmp_path / "x.svg")
    with pytest.raises(TxvizError, match="nothing to show as image"):
        export(Export(trace, trace.find("*.weights"), "svg", SCREEN, "image"), tmp_path / "x.svg")


def test_the_python_way(trace: Trace, tmp_path: Path) -> None:
    figure = txviz.figure(trace["encoder.0.attention.scores"], cell=(0, 2, 4), theme="dark")
    figure.save(tmp_path / "scores.svg")
    assert "<svg" in (tmp_path / "scores.svg").read_text(encoding="utf-8")
    assert figure._repr_png_().startswith(b"\x89PNG")
    assert figure._repr_svg_().count("<svg") == 1
    assert (figure.marks.width, figure.marks.height) == (SLIDE.width, SLIDE.height)
    with pytest.raises(TxvizError, match="no ending that is known"):
        figure.save(tmp_path / "scores.doc")
    with pytest.raises(TxvizError, match='no preset is called "banner"'):
        txviz.figure(trace[0], preset="banner")


def test_two_runs_side_by_side(trace: Trace, tmp_path: Path) -> None:
    name = "encoder.0.attention.weights"
    even = txviz.trace("sentence-guide", "The cat sat.", overrides={name: lambda w: 0 * w + 0.2})
    txviz.figure(trace["pool.mean"], even["pool.mean"]).save(tmp_path / "both.svg")
    difference = even["pool.mean"].value - trace["pool.mean"].value
    assert f"{difference[0]:.4f}".replace("-", "−") in (tmp_path / "both.svg").read_text(encoding="utf-8")
    can = "written as png, svg, tikz, pdf, gif, mp4, webm, webp, pptx and html, not as csv"
    with pytest.raises(TxvizError, match=can):
        txviz.figure(trace[0], even[0]).save(tmp_path / "both.csv")
    with pytest.raises(TxvizError, match="a step can be compared with a step"):
        txviz.figure(trace[0], even)


def test_a_step_alone_has_its_patches_pictures() -> None:
    from txviz.models import find

    trace = txviz.trace("digits", find("digits").example)
    step = trace["encoder.0.norm_1"]
    alone = txviz.figure(step, preset="screen").marks
    assert alone == Export(trace, [step], "png", SCREEN).figure(step)


def test_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cat = ["export", "sentence-guide", "The cat sat.", "--preset", "screen"]
    assert main([*cat, "--steps", "*.scores", "-o", str(tmp_path / "scores.svg"), "--cell", "0,2,4"]) == 0
    assert capsys.readouterr().out == f"{tmp_path / 'scores.svg'}\n"
    assert main([*cat, "--steps", "embed.*", "--format", "npy", "-o", str(tmp_path / "arrays")]) == 0
    assert capsys.readouterr().out == f"3 files in {tmp_path / 'arrays'}\n"
    assert main([*cat, "--steps", "*.scores", "--dpi", "288", "-o", str(tmp_path / "print.png")]) == 0
    with Image.open(tmp_path / "print.png") as image:
        assert image.size == (3 * 960, 3 * 600)
    loaded = np.load(tmp_path / "arrays" / "004-embed.sum.npy")
    assert np.array_equal(loaded, txviz.trace("sentence-guide", "The cat sat.")["embed.sum"].value)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--steps", "*.nothing", "-o", "x.svg"], 'no step matches "*.nothing"'),
        (["--steps", "*.scores", "-o", "x.xyz"], 'no format is called "xyz"'),
        (["--steps", "*.scores", "-o", "x.svg", "--cell", "a"], 'the cell is "a"'),
        (["--steps", "*.scores", "-o", "x.svg", "--cell", "9,9"], "is not one of its cells"),
        (["--steps", "*.scores", "-o", "x.svg", "--theme", "pink"], 'no theme is called "pink"'),
        (["-o", "x.pdf", "--head", "-99"], "head -99 is not one of them"),
        (["-o", "x.pdf", "--width", "nan"], "the width is nan; it must be from 1 to 20,000"),
        (["-o", "x.pdf", "--text-size", "inf"], "the text size is inf; it must be from 1 to 1,000"),
        (["-o", "x.gif", "--resolution", "nan"], "the resolution is nan; it must be from 0.01 to 25"),
        (["-o", "x.gif", "--dpi", "0"], "the dpi is 0; it must be from 0.96 to 2,400"),
        (["-o", "x.gif", "--dpi", "inf"], "the dpi is inf"),
        (["-o", "x.gif", "--seconds", "-1"], "the number of seconds is -1; it must be from 0.01 to 600"),
        (["-o", "x.gif", "--width", "20000", "--height", "20000"], "it can have 100,000,000 pixels"),
    ],
)
def test_bad_arguments_are_one_line(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["export", "sentence-guide", "The cat sat.", *arguments]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert said in told.err
    assert told.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


REPEATED = """
import sys
from pathlib import Path
import txviz
from txviz.figures.export import Export, export
from txviz.figures.formats import FILE_EACH, FORMATS, LEVELED
from txviz.figures.presets import SCREEN

trace = txviz.trace("sentence-guide", "The cat sat.")
trace.save("it.safetensors")
for ending in FORMATS:
    steps = trace.find("*.scores" if ending in FILE_EACH else "embed.*")
    film = {"seconds": 0.5, "frames": 4.0} if FORMATS[ending].frames else {}
    export(Export(trace, steps, ending, SCREEN, **film), Path(f"it.{ending}"))
for ending in LEVELED:
    film = {"seconds": 0.5, "frames": 4.0} if FORMATS[ending].frames else {}
    export(Export(trace, [trace.outline], ending, SCREEN, **film), Path(f"map.{ending}"))
for view in sys.argv[1:]:
    export(Export(trace, trace.find("*.weights"), "svg", SCREEN, view=view), Path(f"{view}.svg"))
"""
"""Everything that can be written of a trace."""


def test_another_process_in_another_folder_writes_the_same_bytes(tmp_path: Path) -> None:
    root = str(Path(txviz.__file__).parents[1])
    views = ["attention", "lines", "softmax", "values"]
    written = []
    for seed in ("1", "2"):
        folder = tmp_path / seed
        folder.mkdir()
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": root}
        subprocess.run([sys.executable, "-c", REPEATED, *views], cwd=folder, env=environment, check=True)
        written.append({path.name: path.read_bytes() for path in folder.iterdir()})
    names = {"it.safetensors", *(f"it.{ending}" for ending in FORMATS), *(f"{view}.svg" for view in views)}
    names |= {f"{kind}.{ending}" for kind in ("it", "map") for ending in SECOND_FILES.values()}
    assert set(written[0]) == names | {f"map.{ending}" for ending in LEVELED}
    assert [name for name in written[0] if written[0][name] != written[1].get(name)] == []


CAT = ["export", "sentence-guide", "The cat sat.", "--preset", "screen"]


def test_steps_can_be_asked_for_again_and_again(tmp_path: Path) -> None:
    """In their order; each once."""
    path = tmp_path / "two.pptx"
    assert main([*CAT, "--steps", "*.scores", "--steps", "tokens", "--steps", "*.sc*", "-o", str(path)]) == 0
    titles = [slide.shapes.title.text_frame.text for slide in Presentation(str(path)).slides]
    assert titles == [
        "Guide: a sentence as a vector",
        "Attention scores: who fits whom (encoder 0 · attention · scores)",
        "Tokens: the sentence in pieces (tokens)",
    ]


@pytest.mark.parametrize(
    ("output", "more", "written"),
    [
        ("new/", ["--steps", "*.scores", "--format", "svg"], "new/011-encoder.0.attention.scores.svg"),
        ("new/", ["--format", "pdf"], "new/sentence-guide.pdf"),
        ("new/deep/cat.svg", ["--steps", "*.scores"], "new/deep/cat.svg"),
        ("new/", ["--steps", "embed.*", "--format", "svg"], "new/002-embed.tokens.svg"),
    ],
)
def test_folders_are_made(tmp_path: Path, output: str, more: list[str], written: str) -> None:
    assert main([*CAT, *more, "-o", f"{tmp_path}/{output}"]) == 0
    assert (tmp_path / written).is_file()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--format", "pdf", "-o", "x.png"], "x.png ends as png, but --format says pdf; change one of them"),
        (["-o", "new/"], "new/ has no ending that tells the format; give one, or --format"),
        (
            ["-o", "x.svg", "--width", "8 miles"],
            '"8 miles" is no length; it must be a number, with px, in, cm, mm, pt or none',
        ),
        (["-o", "x.svg", "--no-title", "--title", "Scores"], "argument --title: not allowed with argument --no-title"),
        (["-o", "x.svg", "--crop", "2,2", "--no-crop"], "argument --no-crop: not allowed with argument --crop"),
        (
            ["-o", "x.png", "--dpi", "300", "--resolution", "2"],
            "argument --resolution: not allowed with argument --dpi",
        ),
    ],
)
def test_what_does_not_go_together_is_said(
    arguments: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with suppress(SystemExit):
        assert main([*CAT, "--steps", "*.scores", *arguments]) == 2
    assert said in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_pages_in_centimetres(tmp_path: Path) -> None:
    """Of a width for one column of a paper, as it is read from the file."""
    path = tmp_path / "cat.svg"
    assert main([*CAT, "--steps", "*.scores", "--width", "12.7cm", "--height", "3in", "-o", str(path)]) == 0
    root = ElementTree.parse(path).getroot()
    assert (root.get("width"), root.get("height")) == ("480", "288")
