"""The writers use Qt's fonts and painter: one application for all tests, the kind that the window's tests need, too."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication


@pytest.fixture(scope="session", autouse=True)
def application(qapp: QApplication) -> QApplication:
    return qapp
