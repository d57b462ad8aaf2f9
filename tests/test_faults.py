"""Whatever goes wrong while something is written or read: one sentence, the old files as they were, and no others."""

from __future__ import annotations

import errno
import io
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from PIL import Image

import txviz
from tests.fuzz.kills import TARGETS
from tests.models.checkpoints.reference import ALL, FOLDER, source
from tests.models.checkpoints.test_folders import copied
from tests.test_files import files_of_at_most
from txviz import TxvizError
from txviz.cli import main
from txviz.figures.export import Export, export
from txviz.figures.formats import FORMATS
from txviz.gui import saved_state
from txviz.models import find, registry

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="limits and signals of Unix"),
    pytest.mark.usefixtures("qapp"),  # some formats are painted
]


@contextmanager
def failing(call: str, error: BaseException) -> Iterator[None]:
    """The call fails for what is being written, and for nothing else."""
    real = getattr(os, call)

    def fail(first: Any, *others: Any, **named: Any) -> Any:
        if isinstance(first, int) or str(first).endswith(".txviz-tmp"):
            raise error
        return real(first, *others, **named)

    with patch(f"os.{call}", fail):
        yield


FAULTS: dict[str, Callable[[], AbstractContextManager[None]]] = {
    "no leave to write": lambda: failing("open", PermissionError(errno.EACCES, "Permission denied")),
    "full": lambda: failing("fsync", OSError(errno.ENOSPC, "No space left on device")),
    "broken": lambda: failing("fsync", OSError(errno.EIO, "Input/output error")),
    "no leave to replace": lambda: failing("replace", PermissionError(errno.EACCES, "Permission denied")),
    "too large": lambda: files_of_at_most(10),
    "no memory": lambda: failing("fsync", MemoryError()),
}

SENTENCES = ("The cat sat.", "A dog sleeps.")


def write_format(ending: str, folder: Path, version: int) -> None:
    trace = txviz.trace("sentence-guide", SENTENCES[version])
    short: dict[str, Any] = {"seconds": 0.2, "frames": 2.0} if FORMATS[ending].frames else {}
    export(Export(trace, trace.find("*.scores"), ending, **short), folder / f"it.{ending}")


def write_compact(folder: Path, version: int) -> None:
    txviz.trace("sentence-guide", SENTENCES[version]).save(folder / "it.safetensors", compact=True)


WRITERS: dict[str, Callable[[Path, int], object]] = {
    **{f"format {ending}": partial(write_format, ending) for ending in FORMATS},
    **{name: target.write for name, target in TARGETS.items() if name != "model"},
    "compact": write_compact,
}


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def refused(write: Callable[[Path, int], object], folder: Path, version: int, fault: str) -> None:
    """Refused in one sentence, and nothing is changed."""
    before = files(folder)
    with pytest.raises((TxvizError, MemoryError)) as caught, FAULTS[fault]():
        write(folder, version)
    assert isinstance(caught.value, MemoryError) == (fault == "no memory")
    assert "\n" not in str(caught.value)
    assert fault == "no memory" or "can't write" in str(caught.value)
    assert files(folder) == before


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("name", WRITERS)
def test_every_writer_leaves_all_as_it_was(name: str, fault: str, tmp_path: Path) -> None:
    write = WRITERS[name]
    refused(write, tmp_path, 0, fault)
    write(tmp_path, 0)
    assert files(tmp_path)
    refused(write, tmp_path, 1, fault)
    write(tmp_path, 1)


@pytest.mark.parametrize("fault", ["full", "no leave to replace"])
def test_a_model_that_has_been_trained(fault: str, tmp_path: Path) -> None:
    TARGETS["model"].write(tmp_path, 0)
    refused(TARGETS["model"].write, tmp_path, 1, fault)


@contextmanager
def unreadable(file: Path, error: BaseException) -> Iterator[None]:
    """This file can't be read, as on a disk that fails: by Python, by NumPy or by a library in C."""
    real = io.open

    def fail(path: Any, *others: Any, **named: Any) -> Any:
        if not isinstance(path, int) and Path(path).resolve() == file.resolve():
            raise error
        return real(path, *others, **named)

    with patch("io.open", fail), patch("builtins.open", fail):
        yield


def read_checkpoint(name: str, folder: Path) -> object:
    registry.forget()
    short: dict[str, Any] = {"max_steps": 1} if "max_steps" in find(str(folder)).options else {}
    return txviz.trace(str(folder), source(name), **short)


READ = [
    (name, str(file.relative_to(FOLDER / name)))
    for name in ALL
    for file in sorted((FOLDER / name).rglob("*"))
    if file.suffix in (".json", ".safetensors", ".spm")
    and file.name not in ("tokenizer.json", "tokenizer_config.json", "target.spm")  # read by a library, or not at all
    and not (file.name == "generation_config.json" and name != "marian")
    and not (file.name == "vocab.json" and name != "marian")
]


@pytest.mark.parametrize(("name", "file"), READ)
def test_a_file_of_a_checkpoint_that_can_not_be_read(name: str, file: str, tmp_path: Path) -> None:
    folder = copied(name, tmp_path)
    with unreadable(folder / file, OSError(errno.EIO, "Input/output error")), pytest.raises(TxvizError) as caught:
        read_checkpoint(name, folder)
    assert str(caught.value) == f"can't read {folder / file}: Input/output error" or "source.spm" in str(caught.value)
    read_checkpoint(name, folder)


@pytest.mark.parametrize("file", ["config.json", "weights.safetensors", "examples.json"])
def test_a_file_of_a_trained_model_that_can_not_be_read(file: str, shipped: Path) -> None:
    registry.forget()
    failing_file = unreadable(shipped / "digits" / file, OSError(errno.EIO, "Input/output error"))
    with failing_file, pytest.raises(TxvizError, match=r"is damaged \(Input/output error\)"):
        txviz.trace("digits", find("digits").example)
    registry.forget()


def test_a_state_that_can_not_be_read(tmp_path: Path) -> None:
    """The window starts without it, and says so."""
    TARGETS["state"].write(tmp_path, 0)
    with unreadable(tmp_path / "state.json", OSError(errno.EIO, "Input/output error")):
        remembered, problem = saved_state.load(tmp_path / "state.json")
    assert problem
    assert "\n" not in problem
    assert remembered == {}


def test_a_picture_that_can_not_be_read(tmp_path: Path) -> None:
    Image.fromarray(np.eye(6, dtype=np.uint8) * 200).save(tmp_path / "six.png")
    broken = OSError(errno.EIO, "Input/output error")
    with unreadable(tmp_path / "six.png", broken), pytest.raises(TxvizError, match=r"six\.png"):
        txviz.trace("digits", str(tmp_path / "six.png"))


def test_too_little_memory_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with patch("txviz.cli.terminal.describe", side_effect=MemoryError):
        assert main(["show", "sentence-guide", "The cat sat."]) == 2
    assert capsys.readouterr().err.startswith("txviz: there is not enough memory")
