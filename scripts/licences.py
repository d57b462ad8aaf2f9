"""Prints the licences of all that the app ships, in full: txviz, what it needs, Python, fonts, data, system libraries.

``python scripts/licences.py PACKAGE… FOLDER``, with the Python whose packages are shipped in that folder.
"""

from __future__ import annotations

import re
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

ROOT = Path(__file__).parents[1]

NOT_SHIPPED = {"huggingface-hub", "altgraph", "pyinstaller-hooks-contrib", "setuptools", "packaging"}
"""What reaches the network, which txviz never does, and what only packs; with all that they need in turn."""

COMMON = Path("/usr/share/common-licenses")
"""Where Debian keeps the texts that packages only name."""

TEXTS = {"Apache": ("Apache-2.0",), "LGPL": ("LGPL-3", "GPL-3")}
"""LGPL 3 is GPL 3 with more permissions: whoever reads it needs both."""


def main(wanted: list[str], folder: Path) -> None:
    found = {each.name.lower(): each for one in wanted for each in closure(one)}
    for name in sorted(found):
        show(f"{found[name].name} {found[name].version}", licence(found[name]))
    show(f"Python {sys.version.split()[0]}", of_python())
    for file in sorted(ROOT.glob("resources/**/*LICENSE*")):
        show(f"Fonts: {file.name.partition('-')[0]}", file.read_text("utf-8"))
    show("Data: UCI handwritten digits", "CC BY 4.0, https://creativecommons.org/licenses/by/4.0/")
    for package in of_system(folder):
        show(f"Of the system: {package}", Path("/usr/share/doc", package, "copyright").read_text("utf-8"))


def show(title: str, text: str) -> None:
    print(f"{'=' * 78}\n{title}\n{'=' * 78}\n\n{text.strip()}\n\n")


def closure(wanted: str, seen: set[str] | None = None) -> Iterator[Distribution]:
    """A package and all that it needs here, with the extras that stand in brackets."""
    seen = set(NOT_SHIPPED) if seen is None else seen
    name, _, extras = wanted.rstrip("]").partition("[")
    if name.lower() in seen:
        return
    seen.add(name.lower())
    try:
        found = distribution(name)
    except PackageNotFoundError:  # for another system, or another version of Python
        return
    yield found
    for line in found.requires or []:
        extra = re.search(r"extra == ['\"]([\w-]+)", line)
        if not extra or extra[1] in extras.split(","):
            yield from closure(re.split(r"[^\w.-]", line, maxsplit=1)[0], seen)


def licence(package: Distribution) -> str:
    files = [path for path in package.files or [] if re.search(r"licen[cs]e|copying|notice", path.name, re.IGNORECASE)]
    texts = [path.read_text("utf-8") for path in files if path.suffix not in (".py", ".pyc")]
    return "\n\n".join(texts) or named(package)


def named(package: Distribution) -> str:
    """Of a package that brings no text: the licence that it names, in full."""
    about = package.metadata
    name = about["License-Expression"] or about["License"] or ", ".join(about.get_all("Classifier") or [])
    for word, files in TEXTS.items():
        if word in name:
            return "\n\n".join([name, *((COMMON / file).read_text("utf-8") for file in files)])
    if "MIT" not in name:
        raise SystemExit(f"{package.name} brings no licence, and names {name!r}, which is not in TEXTS")
    author = about["Author"] or about["Author-email"]
    return re.sub(r"Copyright .*", f"Copyright (c) {author}", (ROOT / "LICENSE").read_text("utf-8"), count=1)


def of_python() -> str:
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    places = (Path(sysconfig.get_path("stdlib"), "LICENSE.txt"), Path("/usr/share/doc", version, "copyright"))
    return next(place for place in places if place.is_file()).read_text("utf-8")


def of_system(folder: Path) -> list[str]:
    """Debian's packages whose libraries are in the folder: those that lie there and in the system under one name."""
    names = {path.name for path in folder.glob("_internal/lib*.so*") if not path.is_symlink()}
    listed = subprocess.run(
        ["dpkg", "-S", *(f"*/{name}" for name in names)], capture_output=True, text=True, check=False
    )
    owners = {line.partition(":")[0] for line in listed.stdout.splitlines() if re.search(r"/lib\S*$", line)}
    return sorted(owner for owner in owners if Path("/usr/share/doc", owner, "copyright").is_file())


if __name__ == "__main__":
    main(sys.argv[1:-1], Path(sys.argv[-1]))
