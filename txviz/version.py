"""Which txviz this is; files that it writes say so, too."""

from __future__ import annotations

from pathlib import Path

__version__ = "0.2.0"

_PACKAGE = Path(__file__).parent


def release() -> str:
    """The version and the commit that it was made of, for whoever reports something: "0.2.0 (commit 1c9aa58)"."""
    commit = _checked_out() or _packed()
    return f"{__version__} (commit {commit})" if commit else __version__


def _checked_out() -> str:
    import subprocess  # asked for by people, not at every start

    folder = _PACKAGE.parent
    if not (folder / ".git").exists():
        return ""
    command = ["git", "-C", str(folder), "rev-parse", "--short=7", "HEAD"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=5).stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        return ""


def _packed() -> str:
    """What ``make dist`` put beside this file."""
    file = _PACKAGE / "COMMIT"
    return file.read_text("ascii").strip() if file.is_file() else ""
