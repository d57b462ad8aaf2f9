"""A lecture in one command: what is in its folder, read back, and that all of it is there or nothing."""

from __future__ import annotations

import shlex
import sys
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest
from pptx import Presentation

import txviz
from tests.figures.writers.tools import needs, pdftotext
from txviz.cli import main
from txviz.figures.lecture import write_lecture
from txviz.figures.settings import Settings
from txviz.models import find
from txviz.trace import Trace

QUICK = Settings(frames=1, resolution=0.2, seconds=1)
"""A film of few and small frames."""

pytestmark = pytest.mark.usefixtures("qapp")


@pytest.fixture(scope="module")
def guide() -> Trace:
    return txviz.trace("sentence-guide", "The cat sat.")


@pytest.fixture(scope="module")
def lecture(guide: Trace, qapp: object, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of one."""
    folder = tmp_path_factory.mktemp("lecture")
    write_lecture(guide, folder, QUICK)
    return folder


def test_one_command_gives_slides_a_film_a_worksheet_and_a_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("av")
    folder = tmp_path / "new" / "lecture"
    quick = ["--frames", "1", "--resolution", "0.2", "--seconds", "1"]
    assert main(["lecture", "sentence-guide", "The cat sat.", "-o", str(folder), *quick]) == 0
    out, err = capsys.readouterr()
    endings = (".pptx", ".mp4", ".srt", "-worksheet.pdf", ".html")
    assert out.splitlines() == [str(folder / f"sentence-guide{ending}") for ending in endings]
    assert err == ""
    assert sorted(folder.iterdir()) == sorted(map(Path, out.splitlines()))


def test_slides_begin_with_the_map_of_this_sentence_and_build_up(guide: Trace, lecture: Path) -> None:
    first, *others = Presentation(str(lecture / "sentence-guide.pptx")).slides
    assert first.shapes.title.text_frame.text == f"{guide.about['title']}: “The cat sat.”"
    assert {"encoder.0.attention", "pool"} <= {shape.name for shape in first.shapes}
    titles = [f"{step.heading} ({step.title})" for step in guide.key_steps]
    assert [slide.shapes.title.text_frame.text for slide in others] == titles
    for step, slide in zip(guide.key_steps, others, strict=True):
        assert ("worked" in [shape.name for shape in slide.shapes]) == bool(step.sources), step.name


def test_the_film_has_the_same_scenes(guide: Trace, lecture: Path) -> None:
    av = pytest.importorskip("av")
    with av.open(str(lecture / "sentence-guide.mp4")) as film:
        frames = sum(1 for _ in film.decode(video=0))
    scenes = 1 + len(guide.key_steps)
    assert frames == scenes + 2, "a second each, and two at the end"
    assert (lecture / "sentence-guide.srt").read_text().count(" --> ") == scenes


@needs("pdftotext", "poppler-utils")
def test_the_worksheet_has_blanks_and_its_answers(lecture: Path) -> None:
    pages = pdftotext((lecture / "sentence-guide-worksheet.pdf").read_bytes()).split("\f")[:-1]
    asked, solved = pages[: len(pages) // 2], pages[len(pages) // 2 :]
    assert all("Worksheet" in page and "______" in page for page in asked)
    assert all("Answers" in page and "______" not in page for page in solved)


def test_the_command_in_slides_and_film_makes_them_again(tmp_path: Path) -> None:
    av = pytest.importorskip("av")
    how = ["lecture", "sentence-guide", "The cat sat.", "--pooling", "cls", "--theme", "dark", "--no-builds"]
    how += ["--frames", "1", "--resolution", "0.2", "--seconds", "1"]
    assert main([*how, "-o", str(tmp_path / "first")]) == 0
    slides = tmp_path / "first" / "sentence-guide.pptx"
    with av.open(str(slides.with_suffix(".mp4"))) as film:
        said = {name.lower(): text for name, text in film.metadata.items()}["comment"]
    for path, made in (
        (slides, Presentation(str(slides)).core_properties.comments),
        (slides.with_suffix(".mp4"), said),
    ):
        *words, option, folder = shlex.split(made.splitlines()[-1])
        assert (words[:2], option, folder) == (["txviz", "lecture"], "-o", "sentence-guide")
        assert main([*words[1:], "-o", str(tmp_path / path.suffix)]) == 0
        assert (tmp_path / path.suffix / path.name).read_bytes() == path.read_bytes()


def test_without_what_a_film_needs_the_rest_is_there_and_it_is_told_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "av", None)
    assert main(["lecture", "masked-attention-guide", "YOUR CAT IS A LOVELY CAT", "-o", str(tmp_path)]) == 0
    out, err = capsys.readouterr()
    assert [Path(line).name.removeprefix("masked-attention-guide") for line in out.splitlines()] == [
        ".pptx",
        "-worksheet.pdf",
        ".html",
    ]
    assert err.splitlines() == [
        "txviz: no masked-attention-guide.mp4: mp4 needs PyAV, which is not installed: pip install 'txviz[video]'"
    ]


def test_what_goes_wrong_leaves_nothing_behind(
    tmp_path: Path, guide: Trace, capsys: pytest.CaptureFixture[str]
) -> None:
    class StoppedError(Exception):
        pass

    def stop(done: int, total: int) -> None:
        if done > total // 2:
            raise StoppedError

    with pytest.raises(StoppedError):
        write_lecture(guide, tmp_path / "new", QUICK, stop)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "file").write_text("old")
    for more, said in (
        (["-o", str(tmp_path / "file")], "is a file; a lecture is several files, so give a folder"),
        (["-o", str(tmp_path / "x"), "--theme", "pink"], 'no theme is called "pink"'),
        (["-o", str(tmp_path / "x"), "--frames", "1000"], "frames a second is 1000"),
        ([], "-o"),
    ):
        assert main(["lecture", "sentence-guide", "The cat sat.", *more]) == 2
        assert said in capsys.readouterr().err
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("file", "old")]


def test_in_the_dark_the_worksheet_stays_light_and_progress_is_told_once_for_all(
    tmp_path: Path, guide: Trace, lecture: Path
) -> None:
    told: list[tuple[int, int]] = []
    write_lecture(guide, tmp_path, replace(QUICK, theme="dark"), lambda done, total: told.append((done, total)))
    light, dark = ((folder / "sentence-guide-worksheet.pdf").read_bytes() for folder in (lecture, tmp_path))
    assert light == dark
    assert len({total for _, total in told}) == 1
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert told[0][0] == 0
    assert told[-1] == (told[0][1], told[0][1])


def test_an_image_is_not_told_by_its_numbers(tmp_path: Path) -> None:
    trace = txviz.trace("vit-guide-3x2", find("vit-guide-3x2").example)
    written, left_out = txviz.lecture(trace, tmp_path, frames=1, resolution=0.1, seconds=1)
    assert left_out == []
    first, *_ = Presentation(BytesIO(written[0].read_bytes())).slides
    assert first.shapes.title.text_frame.text == trace.about["title"]
