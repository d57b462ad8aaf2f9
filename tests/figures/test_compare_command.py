"""``txviz compare``: what is printed, and figures of two runs that other programs read."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PIL import Image
from pptx import Presentation

import txviz
from tests.figures.writers import tools
from tests.models.checkpoints.reference import path
from txviz.cli import main

CAT, DOG = "The cat sat.", "The dog sat."
WEIGHTS = "encoder.0.attention.weights"


def output(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(("compare", *arguments)) == 0
    out, err = capsys.readouterr()
    assert err in ("", "txviz: sentence-guide does not know “dog”\n")
    return out


def test_answers_and_what_differs_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    first, second, empty, *steps = output(capsys, "sentence-guide", CAT, DOG).splitlines()
    assert first.startswith("A: “The cat sat.” → 0.72, −0.88, 0.16")
    assert second.startswith("B: “The dog sat.” → 0.61, −0.76, 0.15")
    assert not empty
    changes = txviz.trace("sentence-guide", CAT).diff(txviz.trace("sentence-guide", DOG))
    assert [line.split()[0] for line in steps] == [change.name for change in changes]
    (weights,) = [line for line in steps if line.startswith(WEIGHTS)]
    assert "20 of 25 cells, most at weights[head 0, dog, dog]: 0.3742 → 0.4619" in weights


def test_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(output(capsys, "sentence-guide", CAT, DOG, "--json", "--steps", "*.weights"))
    assert found["a"]["is"] == "“The cat sat.”"
    (row,) = found["steps"]
    assert (row["name"], row["cells"], row["where"]) == (WEIGHTS, 20, [0, 2, 2])


def test_a_change_by_hand_is_made_in_b_alone(capsys: pytest.CaptureFixture[str]) -> None:
    lines = output(capsys, "sentence-guide", CAT, "--set", "pool.mean=0").splitlines()
    assert lines[0] == "A: as it was → 0.72, −0.88, 0.16"
    assert lines[1] == "B: edited: pool.mean=0 → 0, 0, 0"
    assert [line.split()[0] for line in lines[3:]] == ["pool.mean"]


def test_other_options_and_another_model(capsys: pytest.CaptureFixture[str]) -> None:
    assert "B: pooling cls" in output(capsys, "sentence-guide", CAT, "--option2", "pooling=cls")
    both = output(capsys, "sentence-guide", CAT, "A cat sat", "--model2", "sentence")
    assert "Layers\n  A  1 layer in the encoder, d = 3\n  B  2 layers in the encoder, d = 48\n" in both
    assert "The encoder of A has 1 layer, that of B 2: layers go together by depth." in both


def test_nothing_to_compare_with(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "sentence-guide", CAT]) == 2
    assert capsys.readouterr().err == (
        "txviz: there is nothing to compare with; give INPUT2, --set, --option2 or --model2\n"
    )
    assert output(capsys, "sentence-guide", CAT, CAT).splitlines()[-1] == "all steps are the same"


def test_text_as_json_is_no_figure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "sentence-guide", CAT, DOG, "--json", "-o", str(tmp_path / "x.svg")]) == 2
    assert "argument -o/--output: not allowed with argument --json" in capsys.readouterr().err


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The map and a step of two runs in every format that can hold them."""
    folder, asked = tmp_path_factory.mktemp("compared"), ["compare", "sentence-guide", CAT, DOG]
    for ending in ("png", "svg", "pdf", "gif", "pptx", "html"):
        assert main([*asked, "-o", str(folder / f"map.{ending}")]) == 0
        assert main([*asked, "--steps", WEIGHTS, "-o", str(folder / f"step.{ending}")]) == 0
    return folder


def test_figures_are_read_by_other_programs(written: Path) -> None:
    for name in ("map", "step"):
        for ending in ("png", "gif"):
            with Image.open(written / f"{name}.{ending}") as image:
                assert image.size[0] >= 1280
        texts = " ".join(ElementTree.parse(written / f"{name}.svg").getroot().itertext())
        assert "“The dog sat.”" in texts
        (slide,) = Presentation(str(written / f"{name}.pptx")).slides
        assert slide.shapes.title.text.endswith("· A and B")
        assert "A: “The cat sat.”. B: “The dog sat.”." in slide.notes_slide.notes_text_frame.text
        assert "https://" not in (written / f"{name}.html").read_text(encoding="utf-8").partition("<body")[0]


@tools.needs("pdftotext", "poppler-utils")
def test_poppler_reads_the_words(written: Path) -> None:
    found = tools.pdftotext((written / "step.pdf").read_bytes())
    assert "20 of 25 cells differ" in found
    assert "0.4619" in found


@tools.needs("rsvg-convert", "librsvg2-bin")
def test_librsvg_draws_what_we_draw(written: Path, tmp_path: Path) -> None:
    drawn = tools.rsvg((written / "step.svg").read_text(encoding="utf-8"), tmp_path)
    assert tools.difference(drawn, tools.pixels((written / "step.png").read_bytes())) < tools.TOLERANCE


def test_one_side_and_levels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["sentence-guide", CAT, DOG, "--view", "attention-block"]
    for sides in ("all", "a", "b", "difference"):
        output(capsys, *asked, "--sides", sides, "-o", str(tmp_path / f"{sides}.svg"))
    assert len({(tmp_path / f"{sides}.svg").read_text(encoding="utf-8") for sides in ("all", "a", "b")}) == 3
    assert main(["compare", *asked, "-o", str(tmp_path / "x.csv")]) == 2
    assert "written as png, svg, tikz, pdf, gif, mp4, webm, webp, pptx and html, not as csv" in capsys.readouterr().err


def test_the_help_says_what_is_for_b_alone(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["compare", "--help"])
    told = " ".join(capsys.readouterr().out.split())
    assert "A is MODEL with INPUT. B is the same but for what is said about it" in told


def test_the_key_steps_of_both(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output(capsys, "sentence-guide", CAT, DOG, "--key-steps", "-o", str(tmp_path / "both.pptx"))
    keys = txviz.trace("sentence-guide", DOG).key_steps
    _, *slides = Presentation(str(tmp_path / "both.pptx")).slides
    assert len(slides) == len(keys)
    assert [slide.shapes.title.text.partition(":")[0] for slide in slides] == [
        step.heading.partition(":")[0] for step in keys
    ]


def test_an_option_that_only_one_of_two_models_has(capsys: pytest.CaptureFixture[str]) -> None:
    said = output(capsys, path("gpt2"), "the cat", "--max-steps", "2", "--model2", path("bert-masked"))
    assert "max steps 2" in said.splitlines()[0]
    assert "max steps" not in said.splitlines()[1]
