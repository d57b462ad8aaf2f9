"""Text from data, shown letter for letter: Qt takes what looks like HTML for HTML, and & for a sign before a key."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import Qt
from PySide6.QtGui import Qt as QtText
from PySide6.QtWidgets import QLabel


def plain_label(text: str = "") -> QLabel:
    """A label that never takes its text for HTML."""
    return QLabel(text, textFormat=Qt.TextFormat.PlainText)


def tip(text: str) -> str:
    """For a tooltip, which can't be told that its text is plain."""
    return f"<qt>{escape(text)}</qt>" if QtText.mightBeRichText(text) else text


def without_keys(text: str) -> str:
    """For a button, a menu, or a label that belongs to a field."""
    return text.replace("&", "&&")
