"""Nothing speaks to a network: not the window, not what trains, not what is exported."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from zipfile import ZipFile, is_zipfile

import pytest

from txviz.figures.formats import FORMATS

ROOT = Path(__file__).parents[1]
KERNEL = ["strace", "-f", "-qq", "-e", "trace=connect,bind,sendto,socket", "-e", "signal=none"]
"""What the kernel is asked for, of all processes; slow, and not allowed everywhere."""

ELSEWHERE = re.compile(rb"""(?:src|href|poster|data|action|srcset)\s*=\s*["']?\s*(?:https?:|ftp:|//)[^"'>\s]*""", re.I)
FETCHED = re.compile(rb"""(?:url\(|@import|fetch\(|XMLHttpRequest|WebSocket|import\()\s*["']?\s*(?:https?:)?//""", re.I)


def can_trace() -> bool:
    if not shutil.which("strace"):
        return False
    return subprocess.run([*KERNEL, "true"], capture_output=True, check=False).returncode == 0


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("offline")


@pytest.fixture(scope="module")
def walked(folder: Path) -> dict[str, Any]:
    """By a process of its own, watched by Python, and by the kernel where that can be."""
    home = folder / "home"
    home.mkdir()
    known = os.environ | {"QT_QPA_PLATFORM": "offscreen", "HOME": str(home)}
    kernel = [*KERNEL, "-o", str(folder / "kernel.txt")] if can_trace() else []
    command = [*kernel, sys.executable, "-m", "tests.offline", str(folder)]
    done = subprocess.run(command, cwd=ROOT, env=known, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return told


def test_python_asks_nobody(walked: dict[str, Any]) -> None:
    assert walked["asked"] == []
    assert {f"the format {name}" for name in FORMATS} | {"a step of training", "a lecture"} <= {*walked["done"]}


@pytest.mark.skipif(not can_trace(), reason="needs strace (apt-get install strace), and to be allowed to use it")
def test_the_kernel_is_asked_for_no_address(walked: dict[str, Any], folder: Path) -> None:
    """Qt may ask for the screen's and the desktop's own sockets (AF_UNIX)."""
    asked = (folder / "kernel.txt").read_text().splitlines()
    assert [line for line in asked if re.search(r"AF_INET6?|AF_NETLINK|AF_PACKET", line)] == []


@pytest.mark.parametrize("script", ["import urllib.request as u; u.urlopen('http://127.0.0.1:9')",
                                    "import socket; socket.create_connection(('127.0.0.1', 9))"])  # fmt: skip
def test_who_asks_is_caught(script: str) -> None:
    code = f"from tests.offline.hook import watch; asked = watch()\ntry:\n {script}\nexcept Exception: print(asked)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert re.search(r"urllib\.Request|socket\.\w+", done.stdout)


def parts(path: Path) -> dict[str, bytes]:
    """What is inside a file: most documents are folders that are packed into one."""
    if not is_zipfile(path):
        return {path.name: path.read_bytes()}
    with ZipFile(path) as packed:
        return {f"{path.name}/{name}": packed.read(name) for name in packed.namelist()}


def test_what_is_exported_needs_nothing_from_elsewhere(walked: dict[str, Any], folder: Path) -> None:
    """Names of namespaces and licences are texts, and nobody follows them."""
    files = [each for each in folder.rglob("*") if each.is_file() and folder / "home" not in each.parents]
    read = {name: content for file in files for name, content in parts(file).items()}
    assert {".html", ".svg", ".pptx"} <= {each.suffix for each in files}
    found = {name: [*ELSEWHERE.findall(text), *FETCHED.findall(text)] for name, text in read.items()}
    assert {name: each for name, each in found.items() if each} == {}
    linked = [name for name, text in read.items() if name.endswith(".rels") and b'TargetMode="External"' in text]
    assert linked == []
