"""Python tells of every socket, name and address before it asks for it: here it is noted, and refused."""

from __future__ import annotations

import socket
import sys

ASKS = ("socket.", "urllib.", "http.", "ftplib.", "smtplib.", "webbrowser.")
"""How the events begin."""


def watch() -> list[str]:
    """From now on, for good: a list that grows. The two ends of a pipe (AF_UNIX, without a name) are no network."""
    asked: list[str] = []

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        pipe = event == "socket.__new__" and arguments[1] == socket.AF_UNIX
        if event.startswith(ASKS) and not pipe:
            asked.append(f"{event} {arguments[1:]}")
            raise PermissionError(f"offline: {asked[-1]}")

    sys.addaudithook(hook)
    return asked
