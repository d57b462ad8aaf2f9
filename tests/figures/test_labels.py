"""Labels among many: they become smaller before any is left out, and what must be named is."""

from __future__ import annotations

from functools import cache

import numpy as np

import txviz
from tests.figures.levels.checks import drawn, texts_of
from txviz.figures.marks import Text
from txviz.figures.stage import Stage, stage
from txviz.figures.style import Style
from txviz.trace import Run, Step, Trace

WORDS = "anna lost her hat in the park and tom found it near the old tree but he kept it all day long ."


@cache
def written() -> Trace:
    return txviz.trace("writer", WORDS, max_steps=1)


def many(rows: int, columns: int, largest: tuple[int, int]) -> Step:
    values = np.full((rows, columns), 0.5)
    values[largest] = 9.0
    names = {"token": tuple(f"r{i}" for i in range(rows)), "word": tuple(f"w{j}" for j in range(columns))}
    return Run({}).given("matrix", values, axes="token word", labels=names)


def labels(shown: Stage, start: str) -> list[Text]:
    found = [mark for mark in shown.figure.flat() if isinstance(mark, Text) and mark.text[:1] == start]
    return [mark for mark in found if mark.text[1:].isdigit()]


def test_rows_are_named_in_smaller_type_before_some_are_left_out() -> None:
    few, more, most = (labels(stage(many(n, 4, (3, 1)), (), 900, 520, Style()), "r") for n in (20, 36, 90))
    assert len(few) == 20
    assert len(more) == 36, "all of them, smaller"
    assert more[0].size < 12
    assert most[0].size == 12
    assert len(most) < 90


def test_the_ends_and_the_largest_keep_their_names() -> None:
    shown = stage(many(200, 400, (87, 211)), (), 900, 520, Style())
    rows, columns = ({mark.text for mark in labels(shown, start)} for start in "rw")
    assert {"r0", "r87", "r199"} <= rows
    assert {"w0", "w211", "w399"} <= columns


def test_the_chosen_cell_keeps_its_names() -> None:
    step = many(200, 400, (87, 211))
    for cell in ((133, 333), (134, 334)):
        shown = stage(step, (), 900, 520, Style(), cell=cell)
        assert f"r{cell[0]}" in {mark.text for mark in labels(shown, "r")}
        assert f"w{cell[1]}" in {mark.text for mark in labels(shown, "w")}


def test_the_table_of_many_words_has_all_their_numbers() -> None:
    trace = written()
    ids = next(step for step in trace if step.site.leaf == "tokens" and step.value.dtype.kind == "i")
    node = next(node for node in trace.outline if "embedding" in node.pictures)
    assert len(ids.value) > 20
    for page in ((1280, 720), (960, 600)):
        picture = drawn(trace, node, page)
        assert texts_of(picture, f"numbers of {ids.name}") == list(map(str, ids.value))
        assert len(texts_of(picture, ids.name)) == len(ids.value)


def test_the_ends_keep_their_names_beside_the_largest() -> None:
    """The cosine at place 1 is as large as any number of the positions, and took the label of place 0."""
    shown = stage(many(200, 400, (1, 398)), (), 900, 520, Style())
    rows, columns = ({mark.text for mark in labels(shown, start)} for start in "rw")
    assert {"r0", "r199"} <= rows
    assert {"w0", "w399"} <= columns
    assert "r1" not in rows
