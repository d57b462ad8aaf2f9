"""Saved traces in the place of a model and its input, and pictures of levels by their name."""

from __future__ import annotations

from pathlib import Path

import pytest

import txviz
from txviz.cli import main


@pytest.fixture
def cat(tmp_path: Path) -> Path:
    return saved(tmp_path / "cat.safetensors", "The cat sat.")


def saved(path: Path, text: str) -> Path:
    txviz.trace("sentence-guide", text).save(path)
    return path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main([*arguments]) == 0
    return capsys.readouterr().out


def same(a: Path, b: Path) -> bool:
    return a.read_bytes() == b.read_bytes()


@pytest.mark.parametrize("what", [["--steps", "*.scores"], ["--level", "map"], ["--view", "attention-block"]])
def test_a_saved_trace_is_exported_as_the_run_that_it_was(
    cat: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], what: list[str]
) -> None:
    run(capsys, "export", str(cat), *what, "-o", str(tmp_path / "a.svg"))
    run(capsys, "export", "sentence-guide", "The cat sat.", *what, "-o", str(tmp_path / "b.svg"))
    assert same(tmp_path / "a.svg", tmp_path / "b.svg")


def test_the_map_by_its_level(cat: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "export", str(cat), "--level", "map", "-o", str(tmp_path / "a.svg"))
    run(capsys, "export", str(cat), "--view", "map", "-o", str(tmp_path / "b.svg"))
    assert same(tmp_path / "a.svg", tmp_path / "b.svg")


def test_a_saved_trace_is_shown(cat: Path, capsys: pytest.CaptureFixture[str]) -> None:
    how = ("--step", "*.weights")
    assert run(capsys, "show", str(cat), *how) == run(capsys, "show", "sentence-guide", "The cat sat.", *how)


def test_two_saved_traces_are_compared(cat: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dog = saved(tmp_path / "dog.safetensors", "The dog sat.")
    both = run(capsys, "compare", "sentence-guide", "The cat sat.", "The dog sat.")
    assert run(capsys, "compare", str(cat), str(dog)) == both
    run(capsys, "compare", str(cat), str(dog), "--steps", "*.weights", "-o", str(tmp_path / "both.svg"))
    assert "B − A" in (tmp_path / "both.svg").read_text(encoding="utf-8")


def test_python_draws_a_loaded_trace(cat: Path, tmp_path: Path) -> None:
    for trace, name in ((txviz.load(cat), "a.svg"), (txviz.trace("sentence-guide", "The cat sat."), "b.svg")):
        txviz.figure(trace).save(tmp_path / name)
    assert same(tmp_path / "a.svg", tmp_path / "b.svg")


def test_the_board_of_a_model_that_is_not_here(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = txviz.trace("translator", "I love you")
    txviz.Trace(made.steps, {**made.about, "model": "elsewhere"}, str(made.output)).save(tmp_path / "x.safetensors")
    run(capsys, "export", str(tmp_path / "x.safetensors"), "--view", "decoding", "-o", str(tmp_path / "board.svg"))
    assert "amo" in (tmp_path / "board.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["export", "{cat}", "The cat sat.", "-o", "x.svg"],
            "is a saved trace, which has its input already",
        ),
        (["export", "{cat}", "--pooling", "cls", "-o", "x.svg"], "leave out INPUT, --set and options"),
        (["show", "{cat}", "--set", "embed.sum=0"], "leave out INPUT, --set and options"),
        (["compare", "{cat}"], "it can be compared with another one, so give two FILE.safetensors"),
        (["compare", "{cat}", "The dog sat."], "it can be compared with another one, so give two FILE.safetensors"),
        (["export", "no.safetensors", "-o", "x.svg"], "there is no file no.safetensors"),
        (["export", "sentence-guide", "-o", "x.svg"], "INPUT is missing: what sentence-guide is to read"),
        (["show", "sentence-guide"], "INPUT is missing"),
    ],
)
def test_what_does_not_go_together_is_one_line(
    arguments: list[str], said: str, cat: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    assert main([each.format(cat=cat) for each in arguments]) == 2
    told = capsys.readouterr().err
    assert said in told
    assert told.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["cat.safetensors"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("x.pptx --transparent", "--transparent is for png, svg, tikz, pdf, not for pptx"),
        ("x.pdf --text outlines", "--text is for svg, not for pdf"),
        ("x.svg --no-builds", "--no-builds is for pptx, not for svg"),
        ("x.png --once", "--once is for gif, webp, not for png"),
        ("x.npy --dpi 300", "not for npy"),
    ],
)
def test_what_a_format_can_not_have_is_not_passed_over(
    options: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["export", "sentence-guide", "The cat sat.", "--steps", "embed.sum", "-o", *options.split()]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n"), list(tmp_path.iterdir())) == ("", 1, [])
    assert said in err
