"""Traces as files: what was saved comes back, and a damaged file is told in one sentence."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tracemalloc
from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors import safe_open
from safetensors.numpy import save_file

import txviz
from txviz import Trace, TxvizError
from txviz.trace.step import equal_bits


def assert_same(a: Trace, b: Trace, *, since: Mapping[str, object] | None = None) -> None:
    """``since`` is what ``b`` says about itself and the older ``a`` does not."""
    assert len(a) == len(b)
    assert {**a.about, **(since or {})} == b.about
    assert np.array_equal(a.output, b.output)
    for one, other in zip(a, b, strict=True):
        assert equal_bits(one.value, other.value)
        same = ["name", "op", "inputs", "axes", "labels", "title", "formula", "text", "printed"]
        assert [getattr(one, field) for field in same] == [getattr(other, field) for field in same]


def test_save_then_load_is_the_identity(example: Trace, tmp_path: Path) -> None:
    example.save(tmp_path / "it.safetensors")
    loaded = txviz.load(tmp_path / "it.safetensors")
    assert_same(example, loaded)
    assert loaded.verify() == []
    index = tuple(n - 1 for n in example[-1].value.shape)
    assert loaded[-1].explain(index) == example[-1].explain(index)


@given(
    st.lists(st.text(st.characters(categories=["L", "N", "P", "S"]), min_size=1, max_size=8), min_size=1, max_size=6)
)
def test_any_sentence_survives(tmp_path_factory: pytest.TempPathFactory, words: list[str]) -> None:
    path = tmp_path_factory.mktemp("any") / "it.safetensors"
    trace = txviz.trace("sentence-guide", " ".join(words))
    trace.save(path)
    assert_same(trace, txviz.load(path))


def test_an_overridden_trace_comes_back_too(tmp_path: Path) -> None:
    trace = txviz.trace("sentence-guide", "The cat sat.", overrides={"embed.sum": lambda x: x * 2})
    trace.save(tmp_path / "it.safetensors")
    assert_same(trace, txviz.load(tmp_path / "it.safetensors"))


def test_the_same_trace_gives_the_same_bytes(tmp_path: Path) -> None:
    """Of each of six files: chance would have the same order of their metadata now and then."""
    files = [tmp_path / str(i) for i in range(6)]
    for file in files:
        txviz.trace("sentence-guide", "The cat sat.").save(file)
    txviz.load(files[0]).save(tmp_path / "again")
    assert len({path.read_bytes() for path in tmp_path.iterdir()}) == 1


def test_other_tools_can_read_the_arrays(cat_file: Path) -> None:
    with safe_open(cat_file, framework="np") as file:
        np.testing.assert_allclose(file.get_tensor("encoder.0.attention.scores")[0, 2, 4], 0.01)
        assert "encoder.0.ffn.hidden.weight" in file.keys()  # noqa: SIM118


@pytest.fixture
def cat_file(tmp_path: Path) -> Path:
    path = tmp_path / "cat.safetensors"
    txviz.trace("sentence-guide", "The cat sat.").save(path)
    return path


def test_every_cut_is_noticed(cat_file: Path) -> None:
    whole = cat_file.read_bytes()
    for length in [0, 1, 7, 8, 9, 100, len(whole) // 2, len(whole) - 8, len(whole) - 1]:
        cat_file.write_bytes(whole[:length])
        with pytest.raises(TxvizError, match=r"cat\.safetensors is not a whole safetensors file"):
            txviz.load(cat_file)


def test_a_flipped_byte_in_the_header_is_an_error_or_harmless(cat_file: Path) -> None:
    whole = cat_file.read_bytes()
    header = 8 + int.from_bytes(whole[:8], "little")
    rng = np.random.default_rng(0)
    said = []
    places = [*range(16), *rng.integers(16, header, size=400)]
    for place in places:
        flipped = bytearray(whole)
        flipped[place] ^= 1 << int(rng.integers(8))
        cat_file.write_bytes(flipped)
        try:
            txviz.load(cat_file).verify()
        except TxvizError as error:
            said.append(str(error))
    assert len(said) > 0.9 * len(places)
    assert not any("\n" in sentence for sentence in said)


def test_a_flipped_bit_in_the_numbers_is_found_by_verify(cat_file: Path) -> None:
    whole = bytearray(cat_file.read_bytes())
    with safe_open(cat_file, framework="np") as file:
        weights = file.get_tensor("encoder.0.attention.weights").tobytes()
    whole[bytes(whole).index(weights)] ^= 1
    cat_file.write_bytes(whole)
    assert txviz.load(cat_file).verify()[0].name == "encoder.0.attention.weights"


def rewritten(path: Path, change: Callable[[dict[str, Any]], None], **metadata: str) -> None:
    """The same file with its graph changed, and a checksum that fits."""
    with safe_open(path, framework="np") as file:
        old = file.metadata()
        arrays = {name: file.get_tensor(name).copy() for name in file.keys()}  # noqa: SIM118
    graph = json.loads(old["graph"])
    change(graph)
    text = json.dumps(graph)
    save_file(arrays, path, {**old, "graph": text, "sha256": sha256(text.encode()).hexdigest(), **metadata})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda g: g["steps"][4].update(name="nowhere"), "names the step nowhere, which the file does not hold"),
        (lambda g: g["steps"][4].update(inputs=["nowhere"]), "reads nowhere, which the file does not hold before it"),
        (
            lambda g: g["steps"][4].update(inputs=["pool.mean"]),
            "reads pool.mean, which the file does not hold before it",
        ),
        (lambda g: g["steps"][4].update(op="magic"), "has the operation magic, which this txviz does not know"),
        (lambda g: g["steps"].append(g["steps"][0]), "same name"),
        (lambda g: g["steps"][4].pop("axes"), "its graph can't be read"),
        (lambda g: g.update(steps=7), "it has no steps"),
        (lambda g: g.update(output={"step": "nowhere"}), "its graph can't be read"),
        (lambda g: g["about"].update(hypotheses=7), "what its beam considered makes no sense"),
        (lambda g: g["about"].update(hypotheses=[{"time": 1}]), "what its beam considered makes no sense"),
        (lambda g: g["steps"][4].update(axes=["a", "b", "c", "d"]), "4 axes are named"),
        (lambda g: g["steps"][4].update(edited=7), "its graph can't be read"),
        (lambda g: g["steps"][4].update(edited=[7]), "its graph can't be read"),
        (lambda g: g["steps"][4].update(edited=[[99]]), r"the place \[99\] was changed by hand, which is not there"),
        (lambda g: g["steps"][4].update(edited=[[0] * 9]), "was changed by hand, which is not there"),
        (lambda g: g["steps"][4].update(edited=["a"]), "the place a was changed by hand, which is not there"),
        (lambda g: g["steps"][4].update(edited=[[True]]), "was changed by hand, which is not there"),
        (lambda g: g["steps"][4].update(edited=[[]] * 100_001), "more than 100,000 places of one step"),
        (lambda g: g.update(edited_parameters=7), "its graph can't be read"),
        (lambda g: g.update(edited_parameters={"embed.tokens.table": [[0, -1]]}), "which is not there"),
    ],
)
def test_a_graph_that_makes_no_sense(cat_file: Path, change: Callable[[dict[str, Any]], None], message: str) -> None:
    rewritten(cat_file, change)
    with pytest.raises(TxvizError, match=message):
        txviz.load(cat_file)


def renamed(path: Path, old: str, new: str) -> None:
    """The same file with another name for one of its steps, wherever that is named."""
    with safe_open(path, framework="np") as file:
        metadata = file.metadata()
        arrays = {name.replace(old, new): file.get_tensor(name).copy() for name in file.keys()}  # noqa: SIM118
    graph = metadata["graph"].replace(json.dumps(old)[1:-1], json.dumps(new)[1:-1])
    save_file(arrays, path, {**metadata, "graph": graph, "sha256": sha256(graph.encode()).hexdigest()})


HARMFUL = ["../../etc/passwd", r"\input{x}", "=cmd()", "<img src=x>", "a" * 10_000, "a b", "a..b", ""]


@pytest.mark.parametrize("name", HARMFUL, ids=lambda name: name[:20])
def test_a_name_that_could_do_harm(cat_file: Path, name: str) -> None:
    renamed(cat_file, "pool.mean", name)
    with pytest.raises(TxvizError, match=r"names are lower-case words with dots|is damaged") as refused:
        txviz.load(cat_file)
    assert len(str(refused.value)) < 500


@pytest.mark.parametrize("old", ["pool.mean", "encoder.0.ffn.hidden.weight"])
@pytest.mark.parametrize("name", HARMFUL[:6], ids=lambda name: name[:20])
def test_a_name_that_could_do_harm_in_a_file_that_agrees_with_itself(cat_file: Path, name: str, old: str) -> None:
    """Of a step and of a parameter: where it stands is said to be called the same."""

    def agree(graph: dict[str, Any]) -> None:
        for entry in (each for each in graph["steps"] if each["name"] == name):
            entry["site"] = {"leaf": name}
        if name in graph["parameters"]:
            graph["parameters"][name] = {"leaf": name}

    renamed(cat_file, old, name)
    rewritten(cat_file, agree)
    with pytest.raises(TxvizError, match="names are lower-case words with dots"):
        txviz.load(cat_file)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda step: step["params"].update(exponent=1e30), "takes 1e\\+30 as exponent, which is out of bounds"),
        (lambda step: step["params"].update(exponent=1000), "takes 1000 as exponent, which is out of bounds"),
        (lambda step: step["params"].update(length=3 * 10**8), "takes 300000000 as length, which is out of bounds"),
        (lambda step: step["params"].update(base=10**400), "as base, which is out of bounds"),
        (lambda step: step["params"].update(base=float("nan")), "takes nan as base"),
        (lambda step: step["params"].update(dtype="x" * 1000), "takes a dtype that is far too long"),
        (lambda step: step.update(axes=["head", "head", "head"]), "its axes are called"),
        (lambda step: step.update(axes=["head", "query", "<b>"]), "its axes are called"),
        (lambda step: step["labels"].update(query=["one"]), "the labels of its axis 'query' do not fit it"),
        (lambda step: step["labels"].update(query=[1, 2, 3, 4, 5]), "the labels of its axis 'query' do not fit it"),
        (lambda step: step["labels"].update(query=["x" * 10**6] * 5), "the labels of its axis 'query' do not fit it"),
        (lambda step: step["labels"].update(query=99), "the labels of a step are row 99 of a table that has 1"),
        (lambda step: step["labels"].update(query=-1), "the labels of a step are row -1 of a table that has 1"),
        (lambda step: step.update(note=7), "its note is no text"),
        (lambda step: step["site"].update(layer="0"), "the place of a step in the model makes no sense"),
        (lambda step: step["site"].update(reader={"leaf": "a", "reader": {"leaf": "b", "reader": {}}}), "is damaged"),
    ],
)
def test_a_step_that_could_do_harm(cat_file: Path, change: Callable[[dict[str, Any]], None], message: str) -> None:
    def changed(graph: dict[str, Any]) -> None:
        change(next(step for step in graph["steps"] if step["name"] == "encoder.0.attention.scores"))

    rewritten(cat_file, changed)
    with pytest.raises(TxvizError, match=message) as refused:
        txviz.load(cat_file)
    assert len(str(refused.value)) < 500


def test_a_step_with_nothing_in_it(cat_file: Path) -> None:
    with safe_open(cat_file, framework="np") as file:
        metadata = file.metadata()
        arrays = {name: file.get_tensor(name).copy() for name in file.keys()}  # noqa: SIM118
    arrays["pool.mean"] = np.zeros(0)
    save_file(arrays, cat_file, metadata)
    with pytest.raises(TxvizError, match="every axis must have something in it"):
        txviz.load(cat_file)


PRINTED = {"where": "x", "at": [9], "printed": [1], "computed": [1], "agrees": True, "note": ""}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda step: step.update(params={"heads": "two"}), "its operation matmul does not fit it"),
        (
            lambda step: step.update(op="relu", params={}, inputs=["tokens"]),
            r"does not fit it \(it gives int64 of the shape",
        ),
        (lambda step: step.update(op="argmax", inputs=[step["inputs"][0]]), "its operation argmax does not fit it"),
        (lambda step: step.update(inputs=step["inputs"][:1]), "its operation matmul does not fit it"),
        (lambda step: step.update(printed=[PRINTED]), "what its guide printed does not stand anywhere in it"),
        (lambda step: step.update(note="a\ud800b"), r"the text 'a\\ud800b' has U\+D800 in it, which is not text"),
        (lambda step: step.update(note="a\x00b"), r"has U\+0000 in it, which is not text"),
    ],
)
def test_a_step_that_nobody_could_have_computed(
    cat_file: Path, change: Callable[[dict[str, Any]], None], message: str
) -> None:
    rewritten(cat_file, lambda g: change(next(s for s in g["steps"] if s["name"] == "encoder.0.attention.scores")))
    with pytest.raises(TxvizError, match=message):
        txviz.load(cat_file)


@pytest.mark.parametrize(
    ("op", "params", "shapes"),
    [
        ("matmul", {}, [(20_000, 1), (1, 20_000)]),
        ("matmul", {"transpose": True}, [(20_000, 1), (20_000, 1)]),
        ("matmul_left", {}, [(1, 20_000), (1, 20_000)]),
        ("linear", {}, [(20_000, 1), (1, 20_000)]),
        ("lookup", {}, [(20_000,), (1, 20_000)]),
        ("gather", {"rows": 20_000}, [(1, 20_000), (1,)]),
        ("pick_gradient", {"width": 20_000}, [(20_000,), (20_000,)]),
        ("mean_pool_gradient", {"length": 20_000}, [(20_000,)]),
        ("place", {"at": 0, "length": 20_000}, [(20_000,)]),
        ("squared_error", {}, [(20_000, 1), (1, 20_000)]),
        ("add", {}, [(20_000, 1), (20_000,)]),
        ("bucket_bias", {}, [(200, 100), (1, 20_000)]),
        ("bucket_bias_gradient", {"rows": 20_000}, [(20_000, 1, 1), (1, 1)]),
        ("distance_buckets", {"queries": 20_000, "keys": 20_000, "buckets": 8, "farthest": 9, "both_ways": True}, []),
        ("causal_mask", {"queries": 20_000, "keys": 20_000}, []),
        ("sinusoid", {"length": 20_000, "width": 20_000}, []),
        ("sinusoid_2d", {"rows": 5, "columns": 10, "width": 20_000_000}, []),
    ],
)
def test_a_small_file_does_not_fill_the_memory(
    cat_file: Path, op: str, params: dict[str, Any], shapes: list[tuple[int, ...]]
) -> None:
    """A step that says it made a little, of an operation that would make a lot."""
    with safe_open(cat_file, framework="np") as file:
        metadata = file.metadata()
        arrays = {name: file.get_tensor(name).copy() for name in file.keys()}  # noqa: SIM118
    read = {f"x{i}": np.zeros(shape, np.uint8) for i, shape in enumerate(shapes)}
    largest = {"pool.mean": np.zeros((max(params.get("width", 1), params.get("length", 1), 20_000),), np.uint8)}
    save_file({**arrays, **read, **largest}, cat_file, metadata)

    def changed(graph: dict[str, Any]) -> None:
        graph["steps"][-1].update(op=op, params=params, inputs=[*read], labels={})

    rewritten(cat_file, changed)
    tracemalloc.start()
    with pytest.raises(TxvizError, match="it would make far more numbers than the file holds"):
        txviz.load(cat_file)
    assert tracemalloc.get_traced_memory()[1] < 2e8
    tracemalloc.stop()


def test_version_1_which_had_no_sites_still_opens() -> None:
    old = txviz.load(Path(__file__).parents[1] / "reference" / "trace-version-1.safetensors")
    new = txviz.trace("sentence-guide", "The cat sat.")
    assert [step.site for step in old] == [step.site for step in new]
    assert {name: parameter.site for name, parameter in old.learned.items()} == {
        name: parameter.site for name, parameter in new.learned.items()
    }
    assert [step.formula for step in old] == [step.formula for step in new]
    assert old.verify() == []


def test_version_2_which_had_labels_at_every_step_still_opens() -> None:
    old = txviz.load(Path(__file__).parents[1] / "reference" / "trace-version-2.safetensors")
    new = txviz.trace("sentence-guide", "The cat sat.", edits=["encoder.0.attention.weights[0,1]=0.2"])
    assert_same(old, new, since={"given": {}})
    assert old.edited.keys() == new.edited.keys()
    assert old.verify() == []


def test_a_vocabulary_is_in_a_file_once(tmp_path: Path) -> None:
    txviz.trace("writer", "anna", max_steps=3).save(tmp_path / "it.safetensors")
    with safe_open(tmp_path / "it.safetensors", framework="np") as file:
        graph = file.metadata()["graph"]
    assert graph.count('"yellow"') == 1
    table = json.loads(graph)["labels"]
    assert len({tuple(row) for row in table}) == len(table)


def test_a_site_that_is_not_its_name(cat_file: Path) -> None:
    rewritten(cat_file, lambda g: g["steps"][4]["site"].update(layer=7))
    with pytest.raises(TxvizError, match=r"is damaged: the place of .* in the model reads encoder\.7\."):
        txviz.load(cat_file)


def test_a_file_has_its_words_in_a_program_that_ran_no_model(tmp_path: Path) -> None:
    """What steps are called is declared beside the nets, which nobody but ``load`` may have imported."""
    trace = txviz.trace("sentence", "the cat sleeps | the dog sleeps", target="0.9")
    trace.save(tmp_path / "it.safetensors")
    script = "import sys, txviz; [print(step.formula, step.text) for step in txviz.load(sys.argv[1])]"
    command = [sys.executable, "-c", script, str(tmp_path / "it.safetensors")]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    assert found.stdout.splitlines() == [f"{step.formula} {step.text}" for step in trace]


def test_other_threads_may_differ_in_the_last_bits(tmp_path: Path) -> None:
    """A BLAS with another number of threads sums in another order: verify allows that, and says so."""
    path = tmp_path / "it.safetensors"
    compute = [sys.executable, "-c", f"import txviz; txviz.trace('translator', 'I love you').save({str(path)!r})"]
    subprocess.run(compute, check=True, env={**os.environ, "OPENBLAS_NUM_THREADS": "2"})
    command = [sys.executable, "-m", "txviz.cli", "verify", str(path)]
    for threads, said in (("2", "bit for bit"), ("1", "up to rounding")):
        env = {**os.environ, "OPENBLAS_NUM_THREADS": threads}
        found = subprocess.run(command, capture_output=True, text=True, env=env)
        assert found.returncode == 0, found.stderr
        assert said in found.stdout


def test_a_newer_version(cat_file: Path) -> None:
    rewritten(cat_file, lambda g: None, version="7")
    with pytest.raises(TxvizError, match="has trace format 7, and this txviz reads 1, 2, 3"):
        txviz.load(cat_file)


def test_some_other_safetensors_file(tmp_path: Path) -> None:
    save_file({"x": np.zeros(3)}, tmp_path / "x.safetensors")
    with pytest.raises(TxvizError, match="not a txviz trace"):
        txviz.load(tmp_path / "x.safetensors")


def test_no_file_and_no_folder(tmp_path: Path) -> None:
    with pytest.raises(TxvizError, match="there is no file"):
        txviz.load(tmp_path / "none.safetensors")
    with pytest.raises(TxvizError, match=r"can't read .*: it is a folder, not a file"):
        txviz.load(tmp_path)
    trace = txviz.trace("sentence-guide", "The cat sat.")
    with pytest.raises(TxvizError, match=r"can't write .*: No such file or directory"):
        trace.save(tmp_path / "none" / "it.safetensors")
    assert list(tmp_path.iterdir()) == []


def test_a_failed_save_leaves_the_old_file(cat_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = cat_file.read_bytes()

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(TxvizError, match="No space left on device"):
        txviz.trace("sentence-guide", "Another.").save(cat_file)
    assert cat_file.read_bytes() == old
    assert list(cat_file.parent.iterdir()) == [cat_file]
