"""Numbers as people type and paste them."""

from __future__ import annotations

import numpy as np
import pytest

import txviz
from txviz.errors import TxvizError
from txviz.figures.selection import Selection, Target, selections
from txviz.figures.tensors import grids
from txviz.gui.scrubbing import dragged_value
from txviz.gui.typed_numbers import pasted_edit, scale_edit, set_edit

TRACE = txviz.trace("sentence-guide", "The cat sat.")
SCORES = TRACE["encoder.0.attention.scores"]
KEYS = TRACE["encoder.0.attention.key"]


def key_target() -> Target:
    """Of keys as they are drawn beside the queries: turned."""
    grid = next(grid for grid in grids(SCORES, ())[0] if grid.turned)
    return Target(KEYS, grid, (0, 3, 1))


def cell(target: Target, kind: str = "cell") -> Selection:
    return next(part for part in selections(target) if part.kind == kind)


def test_a_matrix_that_is_drawn_turned_is_pasted_as_it_is_seen() -> None:
    target = key_target()
    seen = np.arange(15.0).reshape(target.grid.values.shape)
    edit = pasted_edit(target, "\n".join("\t".join(map(str, row)) for row in seen.tolist()))
    trace = txviz.trace("sentence-guide", "The cat sat.", edits=[edit])
    assert np.array_equal(trace[KEYS.name].value[0], seen.T)


def test_rows_and_columns_of_a_spreadsheet() -> None:
    target = key_target()
    assert pasted_edit(target, "1\t2\t3\t4\t5") == f"{KEYS.name}[0,:,1]=1,2,3,4,5"
    assert pasted_edit(target, "1\n2\n3\n") == f"{KEYS.name}[0,3]=1,2,3"
    assert pasted_edit(target, "0,5;0,25;−1") == f"{KEYS.name}[0,3]=0.5,0.25,-1"
    assert pasted_edit(target, " 7 ") == f"{KEYS.name}[0,3,1]=7"


@pytest.mark.parametrize("text", ["", "  \n", "\t\t"])
def test_an_empty_clipboard(text: str) -> None:
    with pytest.raises(TxvizError, match=r"^there are no numbers on the clipboard$"):
        pasted_edit(key_target(), text)


def test_words_on_the_clipboard() -> None:
    with pytest.raises(TxvizError, match=r'^"cat" is no number'):
        pasted_edit(key_target(), "cat")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", '"" is no number'),
        ("guide", '"guide" is no number'),
        ("@1", '"@1" is no number'),
        ("1=2", '"1=2" is no number'),
        ("1 2", "2 values for 1 cells"),
    ],
)
def test_what_is_no_number_is_told_without_the_name_of_the_edit(text: str, why: str) -> None:
    with pytest.raises(TxvizError) as error:
        set_edit(cell(key_target()), text)
    assert str(error.value).startswith(why)


def test_factors() -> None:
    assert scale_edit(cell(key_target(), "column"), "−0.5") == f"{KEYS.name}[0,3]*=-0.5"
    for text in ("", "x", "inf", "nan"):
        with pytest.raises(TxvizError, match=r"0\.5 halves"):
            scale_edit(cell(key_target()), text)


def test_a_word_can_be_typed_where_one_is_chosen() -> None:
    trace = txviz.trace("translator", "I love you")
    token = trace["time.1.choice.token"]
    part = cell(Target(token, grids(token, ())[1][0], ()))
    assert set_edit(part, "la") == "time.1.choice.token=la"
    with pytest.raises(TxvizError, match=r'^"lla" is no word that can be chosen; did you mean'):
        set_edit(part, "lla")
    words = trace["time.1.choice.token"].sources[0]
    assert dragged_value(part, -1e6, False) == words.labels[-1][0]  # type: ignore[union-attr]
    assert dragged_value(part, 1e6, False) == words.labels[-1][-1]  # type: ignore[union-attr]


def test_a_drag_of_a_hundred_pixels_is_about_the_largest_number() -> None:
    part = cell(Target(SCORES, grids(SCORES, ())[1][0], (0, 2, 2)))
    start, largest = float(part.values), float(np.abs(SCORES.value).max())
    moved = float(dragged_value(part, 100, False)) - start
    assert largest / 4 < moved < largest * 4
    assert float(dragged_value(part, -100, True)) - start == pytest.approx(-moved / 10, abs=moved / 100)
    assert len(dragged_value(part, 33, False)) < 6, "no more decimals than a pixel is worth"


def test_a_cell_that_is_minus_infinity_can_be_dragged_back() -> None:
    trace = txviz.trace("masked-attention-guide", "YOUR CAT IS")
    masked = next(step for step in trace if np.isneginf(step.value).any())
    hidden = tuple(int(i) for i in np.argwhere(np.isneginf(masked.value))[0])
    part = cell(Target(masked, grids(masked, ())[1][0], hidden))
    assert np.isfinite(float(dragged_value(part, 10, False)))
