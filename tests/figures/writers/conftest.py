"""Every test here has Qt's application, since the window's tests in the same run need one with widgets."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication

from tests.figures.writers.chromium import PROGRAM, Browser


@pytest.fixture(autouse=True)
def _application(qapp: QApplication) -> None: ...


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    if PROGRAM is None:
        pytest.skip("Chromium is not installed")
    browser = Browser(tmp_path_factory.mktemp("chromium"))
    yield browser
    browser.close()
