"""A trace is written piece by piece; the library that others read it with finds what it expects."""

from __future__ import annotations

import numpy as np
import pytest
from safetensors.numpy import load

from txviz import TxvizError
from txviz.ops import Array
from txviz.trace import pieces


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6.0).reshape(2, 3),
        np.array(2.5),
        np.zeros((3, 0, 2)),
        np.arange(12).reshape(3, 4).T,
        np.array([True, False, True]),
        np.arange(5, dtype=np.float32)[::2],
        np.arange(4, dtype=">f8"),
    ],
    ids=["plain", "one number", "none", "transposed", "switches", "every second", "big end first"],
)
def test_pieces_are_what_the_library_reads(array: Array, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "PIECE", 5)
    arrays = {"b": array, "a": np.arange(3)}
    count, found = pieces.pieces(arrays, {"x": "1", "é": "\n"})
    parts = list(found)
    assert len(parts) == count
    read = load(b"".join(parts))
    assert set(read) == {"a", "b"}
    assert np.array_equal(read["b"], array)
    assert read["b"].shape == array.shape


def test_a_type_that_no_file_has_is_a_sentence() -> None:
    with pytest.raises(TxvizError, match="x has numbers of the type complex128, which can't be saved"):
        pieces.pieces({"x": np.zeros(2, dtype=complex)}, {})
