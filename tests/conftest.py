"""Shared by all tests: hypothesis without deadlines (machines differ), and one trace of each model's example."""

from __future__ import annotations

import pytest
from hypothesis import settings
from threadpoolctl import threadpool_limits

import txviz
from txviz.models import find

settings.register_profile("txviz", deadline=None, derandomize=True, print_blob=False)
settings.load_profile("txviz")

threadpool_limits(1)  # small matrices are quicker on one thread, and the tests don't fight over the cores


@pytest.fixture(scope="session", params=txviz.models())
def example(request: pytest.FixtureRequest) -> txviz.Trace:
    """The trace of each shipped model's example."""
    return txviz.trace(request.param, find(request.param).example)
