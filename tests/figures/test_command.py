"""The command in a file: put in again, it makes the very same file. And it is in every format that has room for it."""

from __future__ import annotations

import re
import shlex
from dataclasses import fields, replace
from io import BytesIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from zipfile import ZipFile

import pytest
from PIL import Image

import txviz
from txviz.cli import _parser, main
from txviz.cli_figures import settings_of
from txviz.figures.command import command
from txviz.figures.export import Export, content, name_in
from txviz.figures.formats import FORMATS
from txviz.figures.job import Shown
from txviz.figures.presets import SCREEN, SLIDE
from txviz.figures.settings import Settings
from txviz.models import find
from txviz.trace import Trace

DRAWING = "; ".join(["0 1 0.5 0 0 1"] * 6)

ASKED = {
    "one step": ["sentence-guide", "The cat sat.", "--steps", "*.scores", "--cell", "0,2,4"],
    "a sentence with a quote": ["sentence-guide", 'it\'s a "cat" $HOME `ls`', "--steps", "pool.mean"],
    "options and edits": [
        "translator",
        "I love you",
        "--strategy",
        "beam",
        "--max-steps",
        "3",
        "--cache",
        "--set",
        "time.1.search.kept=0",
        "--steps",
        "time.1.search.kept",
    ],
    "a head of two sentences": [
        "sentence",
        "the cat sleeps",
        "the dog sleeps",
        "--head",
        "2",
        "--steps",
        "first.encoder.0.attention.weights",
    ],
    "a drawing": ["digits", DRAWING, "--steps", "patches"],
    "a plot": ["digits", DRAWING, "--view", "image", "--steps", "encoder.0.attention.weights", "--head", "1"],
    "the map": ["sentence-guide", "The cat sat.", "--view", "map"],
    "a block": ["sentence-guide", "The cat sat.", "--level", "block", "--steps", "encoder.0.attention.*"],
    "a picture of a level": ["translator", "I love you", "--target", "ti amo", "--view", "training"],
    "a look": [
        "sentence-guide",
        "The cat sat.",
        "--steps",
        "*.scores",
        "--preset",
        "paper",
        "--theme",
        "dark",
        "--width",
        "8.4cm",
        "--text-size",
        "9.5",
        "--no-formula",
        "--title",
        "It's {number}",
        "--caption",
        "a\nb",
    ],
    "a variant": ["vit-guide-2x2", DRAWING, "--patch", "3x3", "--scaled", "--steps", "embed.sum", "--provenance"],
}

COMPARED = {
    "two sentences": ["sentence-guide", "The cat sat.", "The dog sat.", "--steps", "*.scores", "--cell", "0,2,4"],
    "an edit": ["sentence-guide", "The cat sat.", "--set", "embed.positions=0", "--steps", "pool.mean"],
    "an option": ["sentence-guide", "The cat sat.", "--option2", "pooling=cls", "--view", "map", "--sides", "b"],
    "models": ["vit-guide-2x2", DRAWING, "--model2", "vit-guide-3x2", "--steps", "patches"],
}


def written(asked: list[str], path: Path) -> bytes:
    assert main([*asked, "-o", str(path)]) == 0
    return path.read_bytes()


def command_in_png(file: bytes) -> str:
    image = Image.open(BytesIO(file))
    image.load()
    return str(image.info["Command"])


def again(file: bytes, folder: Path) -> bytes:
    """What the command in a file makes, in a folder of its own."""
    program, *words = shlex.split(command_in_png(file))
    assert program == "txviz"
    assert words[-2] == "-o"
    return written(words[:-2], folder / words[-1])


@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
def test_the_command_makes_the_same_file(asked: list[str], tmp_path: Path) -> None:
    first = written(["export", *asked], tmp_path / "a.png")
    assert again(first, tmp_path) == first


@pytest.mark.parametrize("asked", COMPARED.values(), ids=COMPARED)
def test_the_command_makes_the_same_comparison(asked: list[str], tmp_path: Path) -> None:
    first = written(["compare", *asked], tmp_path / "a.png")
    assert again(first, tmp_path) == first


SAID: dict[str, Any] = {
    "preset": "paper", "theme": "dark", "width": 500.0, "height": 417.5, "text_size": 9.0, "title": "Mine",
    "caption": "Below", "text": "outlines", "scale": "fixed:-1.0,2.0", "crop": "0:8,2:16",
    "resolution": 3.0, "seconds": 2.5, "frames": 5.0, "worksheet": "cells",
}  # fmt: skip


def test_every_setting_can_be_said_and_is_read_back() -> None:
    trace = txviz.trace("sentence-guide", "The cat sat.")
    for each in fields(Settings):
        if each.name in ("format", "view"):
            continue
        value = SAID.get(each.name, not each.default)
        ending = next(name for name, row in FORMATS.items() if each.name in row.options)
        settings = Settings(format=ending, **{each.name: value})
        words = shlex.split(command(Export.chosen(settings, trace, [trace["pool.mean"]])))
        read = settings_of(_parser().parse_args(words[1:]))
        assert getattr(read, each.name) == value, f"{each.name} in {words}"


def test_no_folder_of_the_machine_is_in_it(tmp_path: Path) -> None:
    Image.new("L", (6, 6), 128).save(tmp_path / "my drawing.png")
    source = str(tmp_path / "my drawing.png")
    trace = txviz.trace("digits", source)
    assert command(Export(trace, [trace["image"]], "svg")) == (
        "txviz export digits 'my drawing.png' --steps image -o image.svg"
    )
    file = content(Export(trace, [trace["image"]], "svg"))
    assert str(tmp_path).encode() not in file


def test_a_file_is_called_as_the_folder_of_its_model_and_does_not_go_there(tmp_path: Path) -> None:
    """With many steps in one file, which is called as the model is."""
    cat = txviz.trace("sentence-guide", "The cat sat.")
    trace = Trace(cat.steps, {**cat.about, "model": str(tmp_path / "models" / "mine")}, "")
    wanted = Export(trace, list(trace.key_steps), "pdf")
    assert command(wanted).startswith("txviz export mine 'The cat sat.' --steps ")
    assert command(wanted).endswith(" -o mine.pdf")
    assert name_in(tmp_path / "talk", wanted) == tmp_path / "talk" / "mine.pdf"


def test_what_no_command_can_say_is_said(tmp_path: Path) -> None:
    changed = txviz.trace("sentence-guide", "The cat sat.", overrides={"pool.mean": [0, 0, 0]}, dtype="float32")
    made = command(Export(changed, [changed["pool.mean"]], "svg"))
    assert made.endswith("-o pool.mean.svg  # with overrides of pool.mean; in float32")
    large = Trace(changed.steps, {**changed.about, "input": [[0.5] * 100] * 100}, "")
    assert "export sentence-guide INPUT" in command(Export(large, [large["pool.mean"]], "svg"))


def test_a_film_of_what_the_window_showed_says_that_it_was_recorded() -> None:
    trace = txviz.trace("sentence-guide", "The cat sat.")
    shown: list[Shown] = [trace.outline, trace["pool.mean"]]
    scenes = tuple(Export(trace, [each], "mp4") for each in shown)
    assert command(Export(trace, shown, "mp4", recorded=scenes)).endswith(
        " -o sentence-guide.mp4  # recorded in the window"
    )


@pytest.mark.parametrize("about", [{}, {"model": 3, "input": "x"}, {"model": "x", "input": {}, "options": []}])
def test_a_run_that_says_nothing_has_none(about: dict[str, Any]) -> None:
    trace = txviz.trace("sentence-guide", "The cat sat.")
    assert command(Export(Trace(trace.steps, about, ""), [trace["pool.mean"]], "svg")) == ""


def test_python_and_the_command_line_say_the_same(tmp_path: Path) -> None:
    step = txviz.trace("translator", "I love you", max_steps=3)["encoder.0.attention.scores"]
    txviz.figure(step, theme="dark", cell=(0, 1, 2), caption="x").save(tmp_path / "a.png")
    assert command_in_png((tmp_path / "a.png").read_bytes()) == (
        "txviz export translator 'I love you' --option max_steps=3 --steps encoder.0.attention.scores --cell 0,1,2"
        " --theme dark --caption x -o encoder.0.attention.scores.png"
    )


def test_it_survives_a_saved_trace(tmp_path: Path) -> None:
    trace = txviz.trace("sentence-guide", "The cat sat.", pooling="cls")
    trace.save(tmp_path / "cat.safetensors")
    loaded = txviz.load(tmp_path / "cat.safetensors")
    made = [command(Export(run, [run["pool.cls"]], "svg")) for run in (trace, loaded)]
    assert made[0] == made[1]
    txviz.figure(loaded["pool.cls"]).save(tmp_path / "a.png")
    assert command_in_png((tmp_path / "a.png").read_bytes()) == made[0].replace("svg", "png")


COMMAND = "txviz export sentence-guide 'The cat sat.' --steps pool.mean"


def test_every_format_has_it() -> None:
    trace = txviz.trace("sentence-guide", "The cat sat.")
    files = {
        ending: content(Export(trace, [trace["pool.mean"]], ending, SLIDE))
        for ending in ("png", "svg", "tikz", "pdf", "gif", "pptx", "html", "xlsx")
    }
    assert command_in_png(files["png"]).startswith(COMMAND)
    root = ElementTree.fromstring(files["svg"])
    source = root.find(".//{http://purl.org/dc/elements/1.1/}source")
    assert source is not None
    assert str(source.text).startswith(COMMAND)
    assert f"\n% {COMMAND}" in files["tikz"].decode()
    assert ("feff" + COMMAND.encode("utf-16-be").hex()).encode() in files["pdf"]
    assert COMMAND.encode() in Image.open(BytesIO(files["gif"])).info["comment"]
    for ending in ("pptx", "xlsx"):
        with ZipFile(BytesIO(files[ending])) as archive:
            core = ElementTree.fromstring(archive.read("docProps/core.xml"))
        said = core.find("{http://purl.org/dc/elements/1.1/}description")
        assert said is not None
        assert COMMAND in str(said.text)
    (meta,) = re.findall(rb'<meta name="txviz-command" content="([^"]*)">', files["html"])
    assert COMMAND.replace("'", "&#x27;").encode() in meta


def test_many_steps_are_said_as_they_were_asked_for(tmp_path: Path) -> None:
    asked = ["export", "sentence-guide", "The cat sat.", "--steps", "*.scores", "--steps", "*.weights"]
    main([*asked, "-o", str(tmp_path / "a.pdf")])
    words = "txviz export sentence-guide 'The cat sat.' --steps '*.scores' --steps '*.weights' -o sentence-guide.pdf"
    assert words.encode("utf-16-be").hex().encode() in (tmp_path / "a.pdf").read_bytes()
    main([*asked, "--format", "png", "-o", str(tmp_path / "all")])
    commands = [command_in_png(path.read_bytes()) for path in sorted((tmp_path / "all").iterdir())]
    assert [shlex.split(each)[4:6] for each in commands] == [
        ["--steps", "encoder.0.attention.scores"],
        ["--steps", "encoder.0.attention.weights"],
    ]


def test_a_key_of_the_run_is_no_path_of_the_machine() -> None:
    trace = txviz.trace("digits", find("digits").example)
    named = Trace(trace.steps, {**trace.about, "model": "build/models/mine"}, "")
    assert "export mine " in command(replace(Export(trace, [trace["image"]], "svg"), trace=named))


@pytest.mark.parametrize("ending", ["mp4", "webm"])
def test_films_have_it_too(ending: str) -> None:
    av = pytest.importorskip("av")
    trace = txviz.trace("sentence-guide", "The cat sat.")
    made = content(Export(trace, [trace["pool.mean"]], ending, SCREEN, seconds=0.5, frames=4.0))
    with av.open(BytesIO(made)) as film:
        said = {name.lower(): text for name, text in film.metadata.items()}
    assert said["comment"].startswith(COMMAND)
    assert said["title"] == "Mean: one vector for the whole input (pool · mean)"


def test_an_animated_picture_has_it_too() -> None:
    pytest.importorskip("av")
    trace = txviz.trace("sentence-guide", "The cat sat.")
    titled = replace(SCREEN, style=replace(SCREEN.style, title="a < b & c"))
    wanted = Export(trace, [trace["pool.mean"]], "webp", titled, seconds=0.5, frames=4.0)
    with Image.open(BytesIO(content(wanted))) as film:
        film.seek(1)
        said = ElementTree.fromstring(film.info["xmp"])
    (described,) = said.iter("{http://www.w3.org/1999/02/22-rdf-syntax-ns#}Description")
    assert described.get("{http://purl.org/dc/elements/1.1/}source", "").startswith(COMMAND)
    assert "".join(described.itertext()).startswith("a < b & c")


ONE = "--cell outlines a cell of one step; "


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--key-steps", "-o", "a.pptx"], ONE + "8 are shown: say which by --steps"),
        (["--steps", "*.scores", "--worksheet", "cells", "-o", "a.pdf"], ONE + "a worksheet chooses its own"),
    ],
)
def test_a_cell_is_never_passed_over(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", "sentence-guide", "The cat sat.", "--cell", "0,2,4", *words]) == 2
    assert said in capsys.readouterr().err
    assert not Path(words[-1]).exists()
