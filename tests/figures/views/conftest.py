"""Traces to draw."""

from __future__ import annotations

import pytest

import txviz
from tests.figures import shipped
from txviz import Trace


@pytest.fixture(params=txviz.models())
def trace(request: pytest.FixtureRequest) -> Trace:
    return shipped.trace(request.param)


@pytest.fixture
def cat() -> Trace:
    return shipped.trace("sentence-guide")


@pytest.fixture
def masked() -> Trace:
    return shipped.trace("masked-attention-guide")


@pytest.fixture
def digits() -> Trace:
    return shipped.vit_with_cls()


@pytest.fixture
def translator() -> Trace:
    return shipped.trace("translator")
