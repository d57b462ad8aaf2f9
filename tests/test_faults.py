"""Whatever goes wrong while something is written or read: one sentence, the old files as they were, and no others."""

from __future__ import annotations

import errno
import io
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, redirect_stderr, redirect_stdout
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
from txviz.errors import NO_MEMORY
from txviz.figures.export import Export, export
from txviz.figures.formats import FORMATS
from txviz.gui import saved_state
from txviz.gui.inputs.pictures import keep_picture
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

BROKEN = OSError(errno.EIO, "Input/output error")
CLOSED = PermissionError(errno.EACCES, "Permission denied")

SENTENCES = ("The cat sat.", "A dog sleeps.")


def write_format(ending: str, folder: Path, version: int) -> None:
    trace = txviz.trace("sentence-guide", SENTENCES[version])
    short: dict[str, Any] = {"seconds": 0.2, "frames": 2.0} if FORMATS[ending].frames else {}
    export(Export(trace, trace.find("*.scores"), ending, **short), folder / f"it.{ending}")


def write_desktop(folder: Path, version: int) -> None:
    """For another program each time."""
    said = io.StringIO()
    elsewhere = patch.dict(os.environ, XDG_DATA_HOME=str(folder), PATH="")
    with elsewhere, patch("sys.executable", f"python{version}"), redirect_stdout(said), redirect_stderr(said):
        code = main(["install-desktop"])
    if code:
        told = said.getvalue().removeprefix("txviz: ").strip()
        raise MemoryError if told == NO_MEMORY else TxvizError(told)


def write_pasted(folder: Path, version: int) -> None:
    with patch.dict(os.environ, XDG_CACHE_HOME=str(folder)):
        keep_picture(np.full((6, 6, 3), version, np.uint8))


WRITERS: dict[str, Callable[[Path, int], object]] = {
    **{f"format {ending}": partial(write_format, ending) for ending in FORMATS},
    **{name: target.write for name, target in TARGETS.items() if name != "model"},
    "desktop": write_desktop,
    "pasted": write_pasted,
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


def test_a_model_that_has_been_trained(tmp_path: Path) -> None:
    TARGETS["model"].write(tmp_path, 0)
    for fault in FAULTS:
        refused(TARGETS["model"].write, tmp_path, 1, fault)


def no_memory(*_: object) -> Any:
    raise MemoryError


@pytest.mark.parametrize("name", ["many", "worksheet", "lecture", "model"])
def test_where_no_folder_can_be_made(name: str, tmp_path: Path) -> None:
    with patch("os.mkdir", side_effect=CLOSED), pytest.raises(TxvizError, match="new: Permission denied"):
        TARGETS[name].write(tmp_path / "new", 0)
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize("name", ["many", "worksheet", "lecture"])
def test_what_there_is_no_memory_to_draw(name: str, tmp_path: Path) -> None:
    """Then there is no folder for it either."""
    with patch("txviz.figures.job.Export.watched", no_memory), pytest.raises(MemoryError):
        TARGETS[name].write(tmp_path / "new", 0)
    assert [*tmp_path.iterdir()] == []


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


def can_not_be_read(file: Path, read: Callable[[], object]) -> None:
    """What the system says is told; where there is no memory, the file is not to blame."""
    for error in (BROKEN, CLOSED):
        with unreadable(file, error), pytest.raises(TxvizError) as caught:
            read()
        assert str(caught.value) == f"can't read {file}: {error.strerror}"
    with unreadable(file, MemoryError()), pytest.raises(MemoryError):
        read()


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
    can_not_be_read(folder / file, lambda: read_checkpoint(name, folder))
    read_checkpoint(name, folder)


def test_the_words_of_an_older_checkpoint_that_can_not_be_read(tmp_path: Path) -> None:
    folder = copied("bert-masked", tmp_path)
    (folder / "tokenizer.json").unlink()
    can_not_be_read(folder / "vocab.txt", lambda: read_checkpoint("bert-masked", folder))


@contextmanager
def failing_disk(file: Path) -> Iterator[None]:
    """Whoever reads it is told of an error by the system itself, in Python or in C."""
    kept = file.rename(file.with_name("kept"))
    file.symlink_to("/proc/self/mem")
    yield
    file.unlink()
    kept.rename(file)


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="a file that can't be read, of Linux")
@pytest.mark.parametrize(
    ("name", "file"),
    [
        *((name, "tokenizer.json") for name in ALL if (FOLDER / name / "tokenizer.json").exists()),
        ("gpt2", "merges.txt"),
        ("gpt2", "vocab.json"),
        ("llama", "model-00002-of-00003.safetensors"),
        ("vit", "preprocessor_config.json"),
    ],
)
def test_a_file_on_a_disk_that_fails(name: str, file: str, tmp_path: Path) -> None:
    """Also one that a library in C reads."""
    folder = copied(name, tmp_path)
    if file in ("merges.txt", "vocab.json"):
        (folder / "tokenizer.json").unlink()
    with failing_disk(folder / file), pytest.raises(TxvizError, match="Input/output error"):
        read_checkpoint(name, folder)
    read_checkpoint(name, folder)


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="a file that can't be read, of Linux")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # Pillow leaves such a file open
def test_a_trace_or_a_picture_on_a_disk_that_fails(tmp_path: Path) -> None:
    for compact in (False, True):
        txviz.trace("sentence-guide", "The cat sat.").save(tmp_path / "it.safetensors", compact=compact)
        with failing_disk(tmp_path / "it.safetensors"), pytest.raises(TxvizError, match=r"it\.safetensors"):
            txviz.load(tmp_path / "it.safetensors")
    Image.fromarray(np.eye(6, dtype=np.uint8) * 200).save(tmp_path / "six.png")
    with failing_disk(tmp_path / "six.png"), pytest.raises(TxvizError, match=r"can't read .*six\.png: Input/output"):
        txviz.trace("digits", str(tmp_path / "six.png"))


def test_a_trace_that_there_is_no_memory_for(tmp_path: Path) -> None:
    """It is neither damaged nor does it replay to other numbers."""
    made = txviz.trace("sentence-guide", "The cat sat.")
    made.save(tmp_path / "it.safetensors")
    with patch("txviz.ops.softmax.compute", no_memory), pytest.raises(MemoryError):
        txviz.load(tmp_path / "it.safetensors")
    with patch("txviz.ops.softmax.compute", no_memory), pytest.raises(MemoryError):
        made.verify()


def test_a_folder_of_hugging_face_that_can_not_be_read(tmp_path: Path) -> None:
    """Which snapshot was loaded last is said by a file beside them."""
    hub = tmp_path / "models--x--gpt2"
    copied("gpt2", hub / "snapshots")
    (hub / "refs").mkdir()
    (hub / "refs" / "main").write_bytes(b"\xff\xfe")
    read_checkpoint("gpt2", hub)
    with unreadable(hub / "refs" / "main", BROKEN), pytest.raises(TxvizError, match=r"can't read .*gpt2: Input/output"):
        read_checkpoint("gpt2", hub)


@pytest.mark.parametrize("file", ["config.json", "weights.safetensors", "examples.json"])
def test_a_file_of_a_trained_model_that_can_not_be_read(file: str, shipped: Path) -> None:
    registry.forget()
    failing_file = unreadable(shipped / "digits" / file, OSError(errno.EIO, "Input/output error"))
    with failing_file, pytest.raises(TxvizError, match=r"is damaged \(Input/output error\)"):
        txviz.trace("digits", find("digits").example)
    registry.forget()
    with unreadable(shipped / "digits" / file, MemoryError()), pytest.raises(MemoryError):
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
    can_not_be_read(tmp_path / "six.png", lambda: txviz.trace("digits", str(tmp_path / "six.png")))


def test_too_little_memory_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with patch("txviz.cli.terminal.describe", side_effect=MemoryError):
        assert main(["show", "sentence-guide", "The cat sat."]) == 2
    assert capsys.readouterr().err.startswith("txviz: there is not enough memory")
