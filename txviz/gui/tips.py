"""Texts under the pointer."""

from __future__ import annotations

from html import escape


def tip(text: str) -> str:
    """Words and names as they are: Qt takes a tool tip with a < in it for HTML, and would load what it asks for."""
    return f"<p>{escape(text)}</p>" if text else ""
