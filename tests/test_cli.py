"""The command line: what is printed, and what a shell sees."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import txviz
from txviz.cli import main
from txviz.models import find


def output(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(arguments) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def test_models_are_listed_one_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    lines = output(capsys, "models").splitlines()
    assert [line.split()[0] for line in lines] == txviz.models()
    assert 'example: "The cat sat."' in lines[0]


@pytest.mark.usefixtures("plugin")
class TestModelsOfOtherPackages:
    def test_one_that_can_not_be_loaded_hides_no_other(self, capsys: pytest.CaptureFixture[str]) -> None:
        lines = output(capsys, "models").splitlines()
        assert [line.split()[0] for line in lines] == txviz.models()
        assert lines[-1].endswith("can't be loaded: no weights here")

    def test_their_own_options(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        asked = ["trace", "digits-again", find("digits").example, "-o", str(tmp_path / "x.safetensors")]
        output(capsys, *asked, "--temperature", "2", "--option", "two_eyes=True")
        chosen = txviz.load(tmp_path / "x.safetensors").about["options"]
        assert (chosen["temperature"], chosen["two_eyes"]) == (2.0, True)
        assert main([*asked, "--option", "two_eyes"]) == 2
        assert "it must be a name and a value" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("model", "inputs"), [("sentence-guide", ["The cat sat.", "The dog sat."]), ("digits", ["a.png", "b.png"])]
)
def test_one_input_and_no_more(model: str, inputs: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", model, *inputs]) == 2
    said = f"txviz: {model} reads one input, not 2; put a text that has blanks in quotes\n"
    assert capsys.readouterr().err == said


def test_unknown_words_are_told_beside_what_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    """Also where their step is not shown: the answer means nothing then."""
    assert main(["show", "translator", "the houze is big", "--step", "time.1.choice.token", "--json"]) == 0
    found = capsys.readouterr()
    assert json.loads(found.out)[0]["name"] == "time.1.choice.token"
    assert found.err == "txviz: translator does not know “houze” (nearest: house, houses, home)\n"
    assert main(["compare", "sentence", "the cat sleeps", "the xyzzy sleeps"]) == 0
    assert "“xyzzy”" in capsys.readouterr().err
    assert main(["show", "translator", "the houze is big", "--step", "nothing.*"]) == 2
    assert capsys.readouterr().err.count("\n") == 1, "what can't be done is one line"


def test_show_prints_labelled_aligned_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    shown = output(capsys, "show", "sentence-guide", "The cat sat.", "--step", "*.scores")
    assert shown.splitlines()[:2] == [
        "encoder.0.attention.scores  [head 1 × query 5 × key 5]",
        "  matmul(encoder.0.attention.query, encoder.0.attention.key)",
    ]
    assert "    cat     0.08  −0.09   0.98  0.37  0.01" in shown
    assert "✓ The guide's “scores of 'cat' (row 2)” is right." in shown


def test_show_tells_a_wrong_print_from_one_that_inherits_errors(capsys: pytest.CaptureFixture[str]) -> None:
    shown = output(capsys, "show", "vit-guide-2x2", find("vit-guide-2x2").example, "--step", "embed.*")
    assert (
        "✗ The guide's “projection of A..I” is wrong: 26 of 36 numbers differ from those computed, by up to 0.12."
        in shown
    )
    assert "✓ The guide's “x0 = projection + position” follows from its own inputs; 26 of 40 numbers differ" in shown


def test_infinity_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    shown = output(capsys, "show", "masked-attention-guide", "YOUR CAT", "--step", "*.masked")
    assert "    YOUR  −1.3168       −∞" in shown


def test_every_step_of_every_example_can_be_shown(capsys: pytest.CaptureFixture[str]) -> None:
    for name in txviz.models():
        example = find(name).example
        shown = output(capsys, "show", name, example)
        for step in txviz.trace(name, example):
            assert f"{step.name}  [{step.dimensions}]" in shown


def test_json_is_a_list_of_steps(capsys: pytest.CaptureFixture[str]) -> None:
    steps: list[dict[str, Any]] = json.loads(output(capsys, "show", "masked-attention-guide", "YOUR CAT", "--json"))
    told = {"name", "op", "axes", "labels", "inputs", "shape", "value", "edited"}
    assert [set(step) for step in steps] == [told] * len(steps)
    masked = next(step for step in steps if step["name"].endswith("masked"))
    assert masked["value"][0][0][1] == "-inf"
    assert masked["shape"] == [1, 2, 2]
    assert masked["labels"][1] == ["YOUR", "CAT"]
    trace = txviz.trace("masked-attention-guide", "YOUR CAT")
    for step, recorded in zip(steps, trace, strict=True):
        np.testing.assert_array_equal(np.array(step["value"], dtype=float), recorded.value)


def test_the_outline_is_a_tree(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("show", "sentence-guide", "The cat sat.", "--outline", "--key-steps", "--pooling", "cls")
    assert output(capsys, *asked).splitlines() == [
        "Guide: a sentence as a vector                     8 steps",
        "├─ tokens            tokens                       [token 5]  given",
        "├─ embed             embed                        1 step",
        "│  └─ sum            embed.sum                    [token 5 × feature 3]  add",
        "├─ encoder           encoder                      5 steps",
        "│  └─ layer 0        encoder.0                    5 steps",
        "│     ├─ attention   encoder.0.attention          3 steps",
        "│     │  ├─ scores   encoder.0.attention.scores   [head 1 × query 5 × key 5]  matmul",
        "│     │  ├─ weights  encoder.0.attention.weights  [head 1 × query 5 × key 5]  softmax",
        "│     │  └─ context  encoder.0.attention.context  [head 1 × query 5 × feature 3]  matmul",
        "│     ├─ ffn         encoder.0.ffn                1 step",
        "│     │  └─ output   encoder.0.ffn.output         [token 5 × feature 3]  linear",
        "│     └─ residual 2  encoder.0.residual_2         [token 5 × feature 3]  add",
        "└─ pool              pool                         1 step",
        "   └─ [CLS]          pool.cls                     [feature 3]  select",
    ]


def test_every_node_of_every_outline_has_its_line(capsys: pytest.CaptureFixture[str], example: txviz.Trace) -> None:
    asked = (str(example.about["model"]), str(example.about["input"]))
    lines = output(capsys, "show", *asked, "--outline").splitlines()
    assert len(lines) == sum(1 for _ in example.outline)
    for line, node in zip(lines, example.outline, strict=True):
        found = re.fullmatch(r"[│├└─ ]*(\S.*?)(?: {2,}(\S+))? {2,}(\[.+?\] {2}\w+|[\d,]+ steps?)", line)
        assert found, line
        size = f"[{node.first.dimensions}]  {node.first.op}" if node.level == "step" else f"{len(node.steps)} step"
        assert found[1] == node.title
        assert (found[2] or "") == node.name
        assert found[3].removesuffix("s") == size.removesuffix("s")


def test_the_outline_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    tree = json.loads(output(capsys, "show", "masked-attention-guide", "YOUR CAT", "--outline", "--json"))
    trace = txviz.trace("masked-attention-guide", "YOUR CAT")
    found: list[dict[str, Any]] = []

    def walk(node: dict[str, Any]) -> None:
        found.append(node)
        for child in node.get("children", ()):
            walk(child)

    walk(tree)
    assert [(node["level"], node["name"], node["title"]) for node in found] == [
        (node.level, node.name, node.title) for node in trace.outline
    ]
    assert [node["name"] for node in found if node["level"] == "step"] == [step.name for step in trace]
    assert found[-1] == {
        "level": "step",
        "name": "decoder.0.self_attention.weights",
        "title": "weights",
        "key": True,
        "op": "softmax",
        "axes": ["head", "query", "key"],
        "shape": [1, 2, 2],
    }
    assert tree["steps"] == len(trace)


def test_only_the_key_steps(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("sentence-guide", "The cat sat.")
    keys = [step.name for step in txviz.trace(*asked).key_steps]
    steps = json.loads(output(capsys, "show", *asked, "--key-steps", "--json"))
    assert [step["name"] for step in steps] == keys
    weights = json.loads(output(capsys, "show", *asked, "--key-steps", "--step", "*.attention.*", "--json"))
    assert [step["name"] for step in weights] == [name for name in keys if ".attention." in name]
    output(capsys, "export", *asked, "--key-steps", "--format", "svg", "-o", str(tmp_path / "keys"))
    assert [path.stem.partition("-")[2] for path in sorted((tmp_path / "keys").iterdir())] == keys


def test_no_key_step_matches(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "sentence-guide", "The cat sat.", "--step", "*_projection", "--key-steps"]) == 2
    said = 'txviz: no key step matches "*_projection"; leave out --key-steps to get all that do (3)\n'
    assert capsys.readouterr().err == said


def test_why_prints_pages_of_steps_and_of_blocks(capsys: pytest.CaptureFixture[str]) -> None:
    shown = output(capsys, "show", "sentence-guide", "The cat sat.", "--why", "--step", "encoder.0.attention*")
    pages = shown.split("\n\n")
    trace = txviz.trace("sentence-guide", "The cat sat.")
    wanted = [node for node in trace.outline if fnmatchcase(node.name, "encoder.0.attention*")]
    assert {node.level for node in wanted} == {"step", "block"}
    for page, node in zip(pages, wanted, strict=True):
        head, *lines = page.splitlines()
        assert head == f"{node.name}  ({node.level})"
        assert " ".join(" ".join(lines).split()) == " ".join(str(node.why).split())
        assert max(map(len, lines)) <= 100


def test_why_of_the_run_itself(capsys: pytest.CaptureFixture[str]) -> None:
    shown = output(capsys, "show", "sentence-guide", "The cat sat.", "--why", "--step", "")
    assert shown.startswith("Guide: a sentence as a vector  (run)\n  A sentence transformer turns a text")


def test_why_of_key_steps_and_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("show", "sentence-guide", "The cat sat.", "--why", "--json")
    trace = txviz.trace("sentence-guide", "The cat sat.")
    pages = json.loads(output(capsys, *asked))
    assert [page["name"] for page in pages] == [node.name for node in trace.outline]
    scores = next(page for page in pages if page["name"] == "encoder.0.attention.scores")
    page = trace.outline.find("encoder.0.attention.scores").why
    assert scores == {
        "level": "step",
        "name": "encoder.0.attention.scores",
        "title": "scores",
        "text": page.text,
        "reasons": list(page.reasons),
        "here": list(page.here),
        "at_large": "",
    }
    keys = json.loads(output(capsys, *asked, "--key-steps"))
    assert [page["name"] for page in keys] == [step.name for step in trace.key_steps]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (
            ["--why", "--step", "encoder.0.atention"],
            r'nothing .* matches "encoder.0.atention"; did you mean "encoder.0',
        ),
        (["--why", "--key-steps", "--step", "encoder"], 'no step matches "encoder"'),
        (["--why", "--outline"], "argument --outline: not allowed with argument --why; see txviz show --help"),
    ],
)
def test_why_of_nothing(asked: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "sentence-guide", "The cat sat.", *asked]) == 2
    assert re.match(f"txviz: {said}", capsys.readouterr().err)


def test_a_step_is_changed_by_hand(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    asked = ["translator", "I love you very much", "--set", "time.2.choice.token=ama", "--set", "encoder.norm[0]=0"]
    shown = json.loads(output(capsys, "show", *asked, "--step", "time.3.decoder.tokens", "--json"))
    edits = ["time.2.choice.token=ama", "encoder.norm[0]=0"]
    wanted = txviz.trace("translator", "I love you very much", edits=edits)["time.3.decoder.tokens"]
    assert shown[0]["value"] == wanted.value.tolist()
    path = tmp_path / "forced.safetensors"
    output(capsys, "trace", *asked, "-o", str(path))
    assert txviz.load(path).about["edits"] == edits
    assert main(["show", *asked[:2], "--set", "time.2.choice.token"]) == 2
    assert capsys.readouterr().err.startswith('txviz: the edit is "time.2.choice.token"; it must be NAME=VALUES, ')


def test_what_was_changed_by_hand_is_told(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    step, weight = "pool.mean[0]*=2", "encoder.0.ffn.output.weight=0"
    asked, path = ["sentence-guide", "The cat sat.", "--set", step, "--set", weight], tmp_path / "cat.safetensors"
    told = f"edited: {step}; {weight}"
    assert output(capsys, "show", *asked).splitlines()[-1] == told
    assert "edited" not in output(capsys, "show", *asked[:2]).splitlines()[-1]
    assert output(capsys, "trace", *asked, "-o", str(path)).rstrip().endswith(f" steps; {told}")
    said = output(capsys, "verify", str(path)).rstrip()
    assert said.endswith(f"replay to the recorded numbers, bit for bit; {told}")
    found = {each["name"]: each["edited"] for each in json.loads(output(capsys, "show", *asked, "--json"))}
    edited = {"pool.mean": {"pool.mean": [[0]]}, "encoder.0.ffn.output": {"encoder.0.ffn.output.weight": [[]]}}
    assert found == {name: edited.get(name, {}) for name in found}


def test_the_board_of_decoding_has_other_runs_beside_it(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "board.svg"
    asked = ["export", "translator", "I love you very much", "--seed", "1", "--strategy", "sample", "-o", str(path)]
    output(capsys, *asked, "--view", "decoding")
    assert all(title in path.read_text() for title in ("greedy", "beam of 4", "sample, seed 0", "sample, seed 1"))
    assert main([*asked, "--view", "decoding", "--target", "ti amo"]) == 2
    assert "that can be shown as decoding" in capsys.readouterr().err


def test_audit(capsys: pytest.CaptureFixture[str]) -> None:
    assert output(capsys, "audit").endswith(
        "13 of 23 printed results are wrong, computed from the guides' own printed inputs.\n"
    )
    rows = json.loads(output(capsys, "audit", "--json"))
    assert [set(row) for row in rows] == [{"model", "where", "printed", "computed", "agrees"}] * 23
    assert sum(not row["agrees"] for row in rows) == 13


def test_trace_then_verify(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = str(tmp_path / "cat.safetensors")
    assert (
        output(capsys, "trace", "sentence-guide", "The cat sat.", "--pooling", "cls", "-o", path)
        == f"{path}: 21 steps\n"
    )
    assert output(capsys, "verify", path) == f"{path}: all 21 steps replay to the recorded numbers, bit for bit\n"
    assert txviz.load(path)[-1].name == "pool.cls"


def test_verify_names_the_first_wrong_step(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "cat.safetensors"
    trace = txviz.trace("sentence-guide", "The cat sat.")
    trace.save(path)
    whole = path.read_bytes()
    scores = trace["encoder.0.attention.scores"].value
    path.write_bytes(whole.replace(scores.tobytes(), (scores + 1).tobytes()))
    assert main(["verify", str(path)]) == 1
    err = capsys.readouterr().err
    assert (
        f"{path}: encoder.0.attention.scores: cell (0, 0, 0) is recorded as 1.01, the replay gives 0.01 (1 more)" in err
    )


def shell(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "txviz.cli", *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, **environment}, timeout=300, check=False
    )


def test_in_a_real_shell() -> None:
    assert shell("models").returncode == 0
    assert shell("--version").stdout.startswith("txviz 0.")
    assert "COMMAND" in shell("--help").stdout
    bad = shell("show", "nothing", "x")
    assert (bad.returncode, bad.stdout) == (2, "")
    assert "Traceback" not in bad.stderr


def test_a_terminal_that_knows_no_unicode() -> None:
    shown = shell("show", "sentence-guide", "The cat sat.", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert shown.returncode == 0
    assert "Traceback" not in shown.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")
def test_a_closed_pipe_is_no_error() -> None:
    command = f"{sys.executable} -m txviz.cli show sentence-guide 'The cat sat.' | head -n 1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert done.stdout == "tokens  [token 5]\n"
    assert done.stderr == ""


def test_importing_txviz_imports_no_window() -> None:
    code = "import sys, txviz; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    imported = {module.partition(".")[0] for module in done.stdout.split()}
    assert "numpy" in imported
    assert not imported & {"PySide6", "pyqtgraph", "PIL", "safetensors"}


def test_the_package_is_the_command() -> None:
    found = subprocess.run([sys.executable, "-m", "txviz", "--version"], capture_output=True, text=True, check=True)
    assert re.fullmatch(rf"txviz {re.escape(txviz.__version__)}( \(commit [0-9a-f]{{7,}}\))?\n", found.stdout)


def test_a_word_is_looked_up_in_every_softmax_over_words(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["show", "translator", "The house is big", "--word", "Casa"]
    assert main(asked) == 0
    head, *lines = capsys.readouterr().out.splitlines()
    assert head.split() == ["word", "number", "probability", "rank", "score"]
    likely = [step for step in txviz.trace("translator", "The house is big") if step.op == "softmax"]
    over_words = [step for step in likely if step.axes[-1] == "vocabulary"]
    assert [line.split()[0] for line in lines] == [step.name for step in over_words]
    assert "1 of 1,185" in lines[1]
    assert main([*asked, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [each["probability"] for each in found] == [step.standing("casa")[0].probability for step in over_words]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (["translator", "The house", "--word", "xyzzy"], "none of the 1,185 entries of time.1.head.probabilities"),
        (["sentence-guide", "The cat", "--word", "cat"], 'no step that matches "*" is a softmax over words or classes'),
        (["sentence-guide", "The cat", "--pad", "9"], "sentence-guide has no option pad"),
    ],
)
def test_a_word_that_can_not_be_looked_up(asked: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", *asked]) == 2
    assert said in capsys.readouterr().err
