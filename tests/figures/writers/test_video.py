"""Films, decoded again by PyAV, frame by frame."""

from __future__ import annotations

import sys
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import av
import numpy as np
import pytest
from PIL import Image, ImageSequence

from tests.figures import shipped
from tests.figures.writers import tools
from txviz.cli import main
from txviz.errors import TxvizError
from txviz.figures.export import Export, content, export
from txviz.figures.film import film
from txviz.figures.presets import SLIDE
from txviz.figures.writers.png import png
from txviz.ops import Array

NAMES = ("embed.sum", "encoder.0.attention.weights")


def wanted(ending: str, **how: Any) -> Export:
    trace = shipped.trace("sentence-guide")
    return Export(trace, [trace[name] for name in NAMES], ending, seconds=1.0, **how)


def decoded(file: bytes) -> tuple[list[Array], float]:
    with av.open(BytesIO(file), "r") as container:
        (stream,) = container.streams.video
        assert stream.average_rate is not None
        return [frame.to_ndarray(format="rgb24") for frame in container.decode(stream)], float(stream.average_rate)


@pytest.mark.parametrize("ending", ["mp4", "webm"])
def test_a_film_is_its_figures(ending: str) -> None:
    job = wanted(ending, resolution=0.5, frames=10.0)
    frames, rate = decoded(content(job))
    assert rate == 10
    assert len(frames) == 40, "a second for each step, and two for the end"
    assert {frame.shape for frame in frames} == {(360, 640, 3)}
    for shot, last in zip(film(job), (9, 39), strict=True):
        figure = tools.pixels(png(shot.end, 0.5))[..., :3].astype(int)
        away = np.abs(frames[last].astype(int) - figure)
        assert away.mean() < 3
        assert np.quantile(away, 0.99) < 60, "colours have half of the picture's resolution in a film"
    assert np.abs(frames[0].astype(int) - 255).mean() < 3, "it begins with an empty page"


def test_animated_webp_plays_for_ever_or_once() -> None:
    for loop in (True, False):
        image = Image.open(BytesIO(content(wanted("webp", resolution=0.5, frames=10.0, loop=loop))))
        assert image.size == (640, 360)
        assert sum(1 for _ in ImageSequence.Iterator(image)) > 10
        assert image.info["loop"] == (0 if loop else 1)


def test_a_gif_moves_where_frames_are_asked_for() -> None:
    still, moving = (Image.open(BytesIO(content(wanted("gif", frames=rate)))) for rate in (None, 10.0))
    assert sum(1 for _ in ImageSequence.Iterator(still)) == 2
    durations = [frame.info["duration"] for frame in ImageSequence.Iterator(moving)]
    assert len(durations) > 10
    assert sum(durations) == 4000


@pytest.mark.parametrize("ending", ["gif", "mp4", "webm", "webp"])
def test_letters_that_no_file_can_hold_are_left_out(ending: str) -> None:
    """Half of a character in a caption, and one that XML has no place for: the command is in the file all the same."""
    file = content(wanted(ending, resolution=0.1, frames=2.0, caption="a \ud800 b \x1b c"))
    assert b"--caption" in file
    if ending == "webp":
        with Image.open(BytesIO(file)) as image:
            source = ElementTree.fromstring(image.info["xmp"])[0][0].get("{http://purl.org/dc/elements/1.1/}source")
        assert "--caption 'a ? b   c'" in str(source)


def test_a_film_of_less_than_a_pixel_has_one() -> None:
    page = replace(SLIDE, height=1.0, fixed=False)
    with Image.open(BytesIO(content(wanted("gif", resolution=0.01, frames=1.0, preset=page)))) as image:
        assert image.size == (13, 1)


def test_even_sides_and_full_size() -> None:
    job = wanted("mp4", frames=1.0)
    frames, _ = decoded(content(job))
    assert frames[0].shape == (1080, 1920, 3)


def test_subtitles_lie_beside_the_film(tmp_path: Path) -> None:
    path = tmp_path / "cat.mp4"
    assert export(wanted("mp4", resolution=0.25, frames=5.0), path) == [path, tmp_path / "cat.srt"]
    assert "00:00:01,000 --> 00:00:04,000" in (tmp_path / "cat.srt").read_text()


def test_without_pyav_one_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "av", None)
    with pytest.raises(TxvizError, match=r"mp4 needs PyAV, which is not installed: pip install 'txviz\[video\]'"):
        export(wanted("mp4"), tmp_path / "cat.mp4")
    assert not list(tmp_path.iterdir())


def test_a_gif_can_be_stopped_after_its_last_frame_is_painted() -> None:
    """Its colours are found and its frames packed only then."""
    calls: list[tuple[int, int]] = []
    job = wanted("gif", resolution=0.5, frames=10.0)
    content(replace(job, watch=lambda *told: calls.append(told)))
    painted = max(place for place, told in enumerate(calls) if told[0] < len(NAMES))
    assert len(calls) - painted > 2 * 40, "each of 40 frames, when it gets its colours and when it is packed"


def test_stopped_on_the_way_it_leaves_nothing(tmp_path: Path) -> None:
    calls = []

    def watch(done: int, total: int) -> None:
        calls.append((done, total))
        if len(calls) > 20:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        export(wanted("mp4", watch=watch, resolution=0.25), tmp_path / "cat.mp4")
    assert {total for _, total in calls} == {2}
    assert not list(tmp_path.iterdir())


def test_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "cat.webm"
    asked = ["--steps", "embed.sum", "--seconds-per-step", "0.5", "--frames", "4", "--resolution", "0.25"]
    assert main(["export", "sentence-guide", "The cat sat.", *asked, "-o", str(path)]) == 0
    frames, rate = decoded(path.read_bytes())
    assert (len(frames), rate) == (10, 4)
    assert main(["export", "sentence-guide", "The cat sat.", "--frames", "1000", "-o", str(path)]) == 2
    assert "the number of frames a second is 1000; it must be from 1 to 120" in capsys.readouterr().err


@pytest.mark.parametrize("ending", ["mp4", "webm", "webp"])
def test_a_film_without_frames_is_refused(ending: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / f"x.{ending}"
    assert main(["export", "sentence-guide", "The cat sat.", "-o", str(path), "--frames", "0"]) == 2
    assert capsys.readouterr().err == "txviz: the number of frames a second is 0; it must be from 1 to 120\n"
    assert not path.exists()
