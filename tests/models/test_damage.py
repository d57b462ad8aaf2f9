"""A model whose files are not what they were is called damaged in one sentence, and nothing is computed with it."""

from __future__ import annotations

import json
import random
import re
import shutil
from pathlib import Path

import pytest

import txviz
from txviz import TxvizError, resources
from txviz.cli import main
from txviz.models import check_files, find, models, registry
from txviz.models.damage import DamagedError
from txviz.models.registry import TRAINED

GUIDES = [name for name in models() if name not in TRAINED]


def flip(content: bytes, bit: int) -> bytes:
    flipped = bytearray(content)
    flipped[bit // 8] ^= 1 << bit % 8
    return bytes(flipped)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A trained model somewhere else than where it ships."""
    return Path(shutil.copytree(resources.path("models", "digits"), tmp_path / "mine"))


def without_checksum(file: Path) -> list[tuple[str, object]]:
    """All but the first entry, which may have another name in a damaged file."""
    return list(json.loads(file.read_bytes()).items())[1:]


def complaint(model: str, source: str) -> str:
    """What is said when the model is run, by somebody who has not read its files before; nothing if it runs."""
    registry.forget()
    try:
        txviz.trace(model, source)
    except TxvizError as error:
        return str(error)
    finally:
        registry.forget()
    return ""


@pytest.mark.parametrize("name", TRAINED)
def test_every_flipped_bit_of_the_weights_is_found(shipped: Path, name: str) -> None:
    example, file = find(name).example, shipped / name / "weights.safetensors"
    whole = file.read_bytes()
    assert complaint(name, example) == ""
    for bit in random.Random(name).sample(range(8 * len(whole)), 30):
        file.write_bytes(flip(whole, bit))
        said = complaint(name, example)
        pattern = (
            rf"the model {name} can't be run: {re.escape(str(file))} is damaged \(its checksum is \w+, not \w+\); "
        )
        assert re.fullmatch(pattern + "installing txviz again should help", said)
        with pytest.raises(DamagedError, match=re.escape(said)):
            check_files(name)


@pytest.mark.parametrize("name", GUIDES)
def test_a_flipped_bit_of_a_guide_is_found_or_harmless(shipped: Path, name: str) -> None:
    example, file = find(name).example, shipped / name / "guide.json"
    whole = file.read_bytes()
    content = without_checksum(file)
    for bit in random.Random(name).sample(range(8 * len(whole)), 200):
        file.write_bytes(flip(whole, bit))
        said = complaint(name, example)
        assert said.startswith(f"the model {name} can't be run: {file} is damaged (") or (
            said == "" and without_checksum(file) == content
        )
        assert "\n" not in said


@pytest.mark.parametrize("name", TRAINED)
def test_a_flipped_bit_of_a_configuration_is_found_or_harmless(shipped: Path, name: str) -> None:
    example, file = find(name).example, shipped / name / "config.json"
    whole = file.read_bytes()
    content = without_checksum(file)
    for bit in random.Random(name).sample(range(8 * len(whole)), 100):
        file.write_bytes(flip(whole, bit))
        said = complaint(name, example)
        assert said.startswith(f"the model {name} can't be run: {file} is damaged (") or (
            said == "" and without_checksum(file) == content
        )


@pytest.mark.parametrize("file", ["weights.safetensors", "config.json", "examples.json"])
@pytest.mark.parametrize(
    "content", [None, b"", b"{}", b"[]", b"[[]]", b"\xff\xfe", b'{"weights_crc32": 5}', b"[" * 100_000]
)
def test_a_folder_that_lacks_a_file_or_has_a_broken_one(folder: Path, file: str, content: bytes | None) -> None:
    model, path = find(str(folder)), folder / file
    path.unlink() if content is None else path.write_bytes(content)

    def use() -> None:
        model.prepare(model.example, {"target": None})

    with pytest.raises(DamagedError) as error:
        use()
    what = "is missing" if content is None else r"is damaged \(.+\)"
    where = rf"/mine/({re.escape(file)}|weights.safetensors)"
    assert re.fullmatch(rf"the model .+/mine can't be run: .+{where} {what}; copy or train it again", str(error.value))


def test_a_folder_of_an_older_version_has_no_checksum_and_runs(folder: Path) -> None:
    config = json.loads((folder / "config.json").read_text("utf-8"))
    del config["crc32"], config["weights_crc32"]
    (folder / "config.json").write_text(json.dumps(config))
    assert complaint(str(folder), find("digits").example) == ""


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"gelu_tanh"', '"swish"', "activation is 'swish'; it can be relu or gelu_tanh or gelu_erf"),
        ('"mean"', '"max"', "pooling is 'max'; it can be mean or cls"),
        ('"layers": 2', '"layers": 3', "the weights have no encoder.2.attention.query.weight"),
        ('"d_ff": 76', '"d_ff": 75', "encoder.0.ffn.hidden.weight has shape (16, 76); the model needs (16, 75)"),
    ],
)
def test_a_configuration_that_somebody_has_changed(folder: Path, old: str, new: str, said: str) -> None:
    config = json.loads((folder / "config.json").read_text("utf-8"))
    del config["crc32"], config["weights_crc32"]
    changed = json.dumps(config).replace(old, new)
    assert changed != json.dumps(config)
    (folder / "config.json").write_text(changed)
    told = complaint(str(folder), find("digits").example)
    assert told.startswith(f"the model {folder} can't be run: ")
    assert said in told


def test_the_list_marks_what_is_damaged_and_hides_no_other(shipped: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("digits", "sentence-guide"):
        (file,) = [path for path in (shipped / name).iterdir() if path.name in ("weights.safetensors", "guide.json")]
        file.write_bytes(flip(file.read_bytes(), 4000))
    assert main(["models"]) == 0
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert err == ""
    assert [line.split()[0] for line in lines] == models()
    marked = [line.split()[0] for line in lines if line.split()[1] == "damaged:"]
    assert marked == ["sentence-guide", "digits"]
    assert sum("example:" in line for line in lines) == len(models()) - 2


def test_the_command_line_says_it_in_one_line(shipped: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = shipped / "digits" / "weights.safetensors"
    file.write_bytes(flip(file.read_bytes(), 100_000))
    assert main(["show", "digits", find("digits").example]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert err.startswith(f"txviz: the model digits can't be run: {file} is damaged (its checksum is ")
