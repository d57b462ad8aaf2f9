"""``txviz install-desktop``: the desktop finds txviz, starts it, and opens traces with it."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from txviz.cli import main
from txviz.cli_desktop import ENTRY, ICON, KINDS, quoted

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="is for the desktops of Linux")


@pytest.fixture
def share(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    return tmp_path / "share"


def lines(share: Path) -> dict[str, str]:
    text = (share / ENTRY).read_text("utf-8")
    return dict(line.split("=", 1) for line in text.splitlines() if "=" in line)


def test_the_entry_starts_this_very_program(share: Path) -> None:
    assert main(["install-desktop"]) == 0
    command = shlex.split(lines(share)["Exec"].replace("open %f", "--version"))
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert said.startswith("txviz ")
    assert Path(lines(share)["TryExec"]).is_file()


@pytest.mark.skipif(not shutil.which("desktop-file-validate"), reason="needs desktop-file-utils")
def test_the_entry_keeps_to_the_standard(share: Path) -> None:
    main(["install-desktop"])
    done = subprocess.run(["desktop-file-validate", str(share / ENTRY)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.skipif(not shutil.which("update-mime-database"), reason="needs shared-mime-info")
def test_traces_are_a_kind_of_file_that_it_opens(share: Path) -> None:
    main(["install-desktop"])
    globs = (share / "mime" / "globs2").read_text("utf-8")
    assert "application/x-safetensors:*.safetensors" in globs
    assert "application/x-safetensors" in lines(share)["MimeType"].split(";")


def test_all_of_it_is_taken_away_again(share: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["install-desktop"])
    assert all((share / name).is_file() for name in (ENTRY, ICON, KINDS))
    assert main(["install-desktop", "--remove"]) == 0
    assert not any((share / name).exists() for name in (ENTRY, ICON, KINDS))
    capsys.readouterr()
    assert main(["install-desktop", "--remove"]) == 0
    assert capsys.readouterr().out == "there was nothing to remove\n"


def test_where_nothing_can_be_written_one_sentence_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "file"))
    assert main(["install-desktop"]) == 2
    assert "can't write" in capsys.readouterr().err


@pytest.mark.parametrize("word", ["/opt/txviz", "/opt/my tools/txviz", '/a"b', "/a$b`c", "/a\\b", "/100%/x"])
def test_any_path_can_be_started(word: str) -> None:
    """Read as freedesktop.org says: the escapes of a string first, then the quotes, then the field codes."""
    command = f"printf %s {quoted(word)}".replace("\\\\", "\\")  # a shell quotes as an entry does
    read = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True).stdout
    assert read == word.replace("%", "%%")
