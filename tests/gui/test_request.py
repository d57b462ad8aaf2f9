"""A request can be kept as JSON."""

from __future__ import annotations

import json

import pytest

from txviz import TxvizError
from txviz.gui.request import Request


def test_a_request_survives_json() -> None:
    request = Request("writer", "the keys", {"strategy": "sample", "temperature": 0.5, "seed": 3, "cache": True})
    assert Request.from_json(json.loads(json.dumps(request.as_json()))) == request


@pytest.mark.parametrize(
    "content",
    [
        None,
        "writer",
        [],
        {},
        {"model": "writer"},
        {"model": 1, "source": "a", "options": {}},
        {"model": "writer", "source": ["a"], "options": {}},
        {"model": "writer", "source": "a", "options": []},
        {"model": "writer", "source": "a", "options": {"seed": [1]}},
        {"model": "writer", "source": "a", "options": {}, "more": 1},
    ],
)
def test_nonsense_is_refused(content: object) -> None:
    with pytest.raises(TxvizError, match="no input that txviz has kept"):
        Request.from_json(content)
