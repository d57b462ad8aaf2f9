"""Pictures of levels as figures and files: the map, a block, a layer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import txviz
from tests.figures.shipped import trace as shipped
from tests.models.checkpoints.reference import FOLDER, path
from txviz.cli import main
from txviz.errors import TxvizError
from txviz.figures.export import Export, export, file_name
from txviz.figures.formats import FORMATS, LEVELED
from txviz.figures.levels import LEVELS
from txviz.figures.levels.picture import NodeScene
from txviz.figures.marks import Figure, Group, Text
from txviz.figures.presets import SCREEN, SLIDE, Preset
from txviz.trace import Trace
from txviz.trace.outline import Node

BLOCK = "encoder.0.attention"
CAT = ["export", "sentence-guide", "The cat sat.", "--preset", "screen"]


@pytest.fixture(scope="module")
def trace() -> Trace:
    return shipped("sentence-guide")


def drawn(trace: Trace, node: Node, kind: str, page: Preset = SLIDE, head: int = 0) -> Figure:
    scene = NodeScene(trace, node, (head,), None, page.width, page.height, page.style)
    return LEVELS[kind].draw(scene).figure


def test_a_trace_is_its_map_and_a_node_its_own_picture(trace: Trace) -> None:
    block = trace.outline.find(BLOCK)
    assert txviz.figure(trace).marks == drawn(trace, trace.outline, "map")
    assert txviz.figure(trace.outline).marks == txviz.figure(trace).marks
    assert txviz.figure(block).marks == drawn(trace, block, "attention-block")
    assert txviz.figure(block, view="map").marks == drawn(trace, block, "map")
    assert txviz.figure(trace.outline.find("encoder.0")).marks.marks
    scores = f"{BLOCK}.scores"
    assert txviz.figure(trace.outline.find(scores)).marks == txviz.figure(trace[scores]).marks


def test_a_head_is_chosen_for_a_block() -> None:
    trace = shipped("digits")
    block = trace.outline.find(BLOCK)
    figure = txviz.figure(block, place=(2,)).marks
    assert figure == drawn(trace, block, "attention-block", head=2)
    titles = [mark.text for mark in figure.flat() if isinstance(mark, Text)]
    assert "encoder 0 · attention · head 2" in titles
    with pytest.raises(TxvizError, match="head 9 is not one of them"):
        txviz.figure(block, place=(9,))


def test_what_a_level_cannot_be_is_a_sentence(trace: Trace, tmp_path: Path) -> None:
    block = trace.outline.find(BLOCK)
    for node, view, said in (
        (
            block,
            "feed-forward",
            f"{BLOCK} has nothing to show as feed-forward; it can be shown as attention-block, map",
        ),
        (trace.outline, "attention-block", "the whole run has nothing to show as attention-block"),
        (block, "softmax", f"{BLOCK} has nothing to show as softmax"),
    ):
        with pytest.raises(TxvizError, match=said):
            txviz.figure(node, view=view).save(tmp_path / "x.svg")
    with pytest.raises(TxvizError, match="is a step; map is the picture of a level"):
        txviz.figure(trace[0], view="map").save(tmp_path / "x.svg")
    with pytest.raises(TxvizError, match="csv has the numbers of a step; pictures of levels go into png"):
        txviz.figure(trace).save(tmp_path / "x.csv")
    with pytest.raises(TxvizError, match="only a step has cells"):
        txviz.figure(block, cell=(0, 0, 0))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ending", LEVELED)
def test_every_format_that_can_writes_the_map_and_a_block_the_same_each_time(
    trace: Trace, tmp_path: Path, ending: str
) -> None:
    path = tmp_path / f"level.{ending}"
    written = []
    for node in (trace.outline, trace.outline.find(BLOCK), trace.outline.find(BLOCK)):
        film: dict[str, Any] = {"seconds": 0.5, "frames": 4.0} if FORMATS[ending].frames else {}
        export(Export(trace, [node], ending, SCREEN, **film), path)
        written.append(path.read_bytes())
    assert written[0] != written[1] == written[2]


def test_names_of_files(trace: Trace, tmp_path: Path) -> None:
    nodes = [node for node in trace.outline if node.children]
    assert file_name(trace, trace.outline, "svg") == "map.svg"
    assert file_name(trace, trace.outline.find(BLOCK), "svg") == f"005-{BLOCK}.svg"
    assert trace[4].name.startswith(BLOCK)
    written = export(Export(trace, nodes, "svg", SCREEN), tmp_path / "all")
    assert len(set(written)) == len(nodes)
    with pytest.raises(TxvizError, match=f"a file for each of the {len(nodes)} pictures; give a folder"):
        export(Export(trace, nodes, "svg", SCREEN), tmp_path / "all.svg")


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        (["--view", "map", "-o", "map.svg"], ["map.svg"]),
        (["--view", "map", "--level", "block", "--steps", "*.attention.*", "-o", "one.svg"], ["one.svg"]),
        (["--view", "attention-block", "-o", "block.png"], ["block.png"]),
        (["--level", "part", "--format", "svg", "-o", "."], ["002-embed.svg", "005-encoder.svg", "021-pool.svg"]),
        (["--level", "part", "--key-steps", "--steps", "*.sum", "--format", "svg", "-o", "."], ["002-embed.svg"]),
        (["--level", "block", "-o", "blocks.pdf"], ["blocks.pdf"]),
        (["--format", "mermaid", "-o", "readme.txt"], ["readme.txt"]),
        (["-o", "map.mmd"], ["map.mmd"]),
    ],
)
def test_on_the_command_line(
    arguments: list[str], names: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([*CAT, *arguments]) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == names


@pytest.mark.parametrize("view", ["heads", "lens", "seeing"])
def test_a_picture_of_the_run_is_one_file_where_no_level_is_said(view: str, tmp_path: Path) -> None:
    """The encoder has the same heads as the run, and is not shown again."""
    given = ["export", path("vit"), str(FOLDER / "photograph.png"), "--view", view]
    assert main([*given, "-o", str(tmp_path / "all.svg")]) == 0
    assert (tmp_path / "all.svg").read_text("utf-8").startswith("<")
    if view == "heads":
        assert main([*given, "--level", "part", "-o", str(tmp_path / "encoder.svg")]) == 0


@pytest.mark.parametrize("ending", ["png", "svg", "pdf", "pptx"])
def test_a_training_step_and_a_mask_on_the_command_line(ending: str, tmp_path: Path) -> None:
    """Each is one page; a run that is no training step has no such page, and says which it has."""
    how = ["export", "translator", "I love you", "--target", "ti amo"]
    path = tmp_path / f"training.{ending}"
    assert main([*how, "--view", "training", "-o", str(path)]) == 0
    assert path.stat().st_size > 10_000
    if ending == "svg":
        assert "one step of training" in path.read_text(encoding="utf-8")
    masked = tmp_path / f"mask.{ending}"
    assert main([*how, "--steps", "decoder.0.*", "--view", "mask", "-o", str(masked)]) == 0
    assert main([*how[:3], "--view", "training", "-o", str(tmp_path / "none.png")]) == 2
    assert sorted(tmp_path.iterdir()) == sorted([path, masked])


def test_a_slide_says_which_picture_it_shows() -> None:
    trace = shipped("a training step of the translator")
    block = trace.outline.find("decoder.0.self_attention")
    titles = {view: Export(trace, [], "pptx", SCREEN, view=view).title(block) for view in ("stage", "map", "mask")}
    assert titles["stage"] == titles["map"] == "decoder · layer 0 · self-attention"
    assert titles["mask"] == "decoder · layer 0 · self-attention · mask"
    assert (
        Export(trace, [], "pptx", SCREEN, view="training").title(trace.outline) == f"{trace.outline.title} · training"
    )


def test_the_head_of_a_block_on_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "block.svg"
    how = ["--steps", "*encoder.0.*", "--view", "attention-block", "--head", "1", "-o", str(path)]
    assert main(["export", "sentence", "a cat sat on the mat", "a dog", *how]) == 2, "two sentences, two pictures"
    how[1] = "first.encoder.0.*"
    assert main(["export", "sentence", "a cat sat on the mat", "a dog", *how]) == 0
    assert "attention · head 1" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--level", "beam"], "there is no beam with a step *; there are run (map), run (cost), part (embedding)"),
        (
            ["--view", "attention-block", "--steps", "pool.*"],
            "no level with a step pool.* that can be shown as attention-",
        ),
        (
            ["--view", "softmax", "--level", "block"],
            'no level can be shown as "softmax"; --view can be map, training, ',
        ),
        (["--view", "map", "--cell", "0,0"], "--cell outlines a cell of a step"),
        (["--view", "map", "--head", "7"], "7 is not one of them"),
        (["--view", "maps"], 'no view is called "maps"; there are stage, '),
    ],
)
def test_bad_arguments_are_one_line(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main([*CAT, *arguments, "-o", str(tmp_path / "x.svg")]) == 2
    told = capsys.readouterr().err
    assert said in told
    assert told.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_every_picture_of_a_level_is_a_choice_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["export", "--help"])
    said = " ".join(capsys.readouterr().out.split()).replace("- ", "-")  # argparse breaks lines at hyphens
    assert f"the picture of a level: {', '.join(LEVELS)}" in said
    assert all(name in said for name in (*FORMATS, "mermaid"))


def test_groups_of_a_map_are_its_boxes(trace: Trace) -> None:
    names = {mark.name for mark in txviz.figure(trace).marks.marks if isinstance(mark, Group)}
    assert {"tokens", "embed", BLOCK, "pool"} <= names
