"""Every test here has Qt's application, since the window's tests in the same run need one with widgets."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication


@pytest.fixture(autouse=True)
def _application(qapp: QApplication) -> None: ...
