"""Films as data: what is on the page at which moment, against the figures and the trace."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import txviz
from tests.figures import shipped
from txviz.figures import fonts
from txviz.figures.export import Export
from txviz.figures.film import Shot, film, subtitles
from txviz.figures.film.motion import between, eased, faded
from txviz.figures.marks import Box, Figure, Heat, Mark, Text
from txviz.figures.naming import cell_name
from txviz.figures.presets import SLIDE
from txviz.figures.stage_cells import only
from txviz.figures.style import MARGIN
from txviz.figures.theme import rgb
from txviz.figures.worked import LEFT_OUT

PREFIX = "encoder.0.attention."


def shots(kind: str, *names: str, **how: Any) -> list[Shot]:
    trace = shipped.trace(kind)
    return list(film(Export(trace, [trace[name] for name in names], "mp4", **how)))


def flat(*marks: Mark) -> list[Mark]:
    return list(Figure(1, 1, "#ffffff", marks).flat())


def heats(marks: list[Mark]) -> list[Heat]:
    return [mark for mark in marks if isinstance(mark, Heat)]


def test_a_step_comes_in_works_and_stays() -> None:
    (shot,) = shots("sentence-guide", f"{PREFIX}scores")
    enter, work, hold, last = shot.takes
    assert [take.seconds for take in shot.takes] == [1, 2, 1, 2]
    assert enter.moving(0.0) == ()
    assert flat(*enter.moving(1.0)) == list(work.still.flat()), "all that it reads is there when it begins to work"
    assert hold.still == last.still == shot.end
    assert {*work.still.flat()} < {*shot.end.flat()}


def test_a_chosen_cell_is_worked_out_at_the_end() -> None:
    """Below the room for the arithmetic of the cells that fill in; the caption is there from the beginning."""
    (shot,) = shots("sentence-guide", f"{PREFIX}scores", cell=(0, 2, 4), caption="Below")
    worked = "scores[head 0, cat, .] = 0.8×0.1 + 0.3×0.1 + (−0.5)×0.2 = 0.01"
    first, last = ([mark.text for mark in take.still.flat() if isinstance(mark, Text)] for take in shot.takes[1:3])
    assert "Below" in first
    assert worked not in first
    assert {worked, "Below"} <= {*last}
    assert (shot.end.width, shot.end.height) == (SLIDE.width, SLIDE.height)
    lines = [mark for mark in flat(*shot.takes[1].moving(0.5)) if isinstance(mark, Text)]
    below = [
        mark.y - mark.size for mark in shot.end.flat() if isinstance(mark, Text) and mark.text in (worked, "Below")
    ]
    assert max(mark.y for mark in lines) < min(below)


def test_the_row_meets_the_column_and_the_cell_fills_in() -> None:
    trace = shipped.trace("sentence-guide")
    step = trace[f"{PREFIX}scores"]
    (shot,) = shots("sentence-guide", step.name)
    (whole,) = (mark for mark in heats(list(shot.end.flat())) if mark not in heats(list(shot.takes[1].still.flat())))
    for share, done in ((0.0, 0), (0.13, 1), (0.5, 4), (0.75, 9), (1.0, 25)):
        marks = flat(*shot.takes[1].moving(share))
        (cells,) = heats(marks)
        assert [bool(text) for text in cells.texts] == [n < done for n in range(25)]
        assert cells.colours[: 3 * done] == whole.colours[: 3 * done]
        assert set(cells.colours[3 * done :]) <= {255}, "what is not there yet is as the page is"
        lines = [mark.text for mark in marks if isinstance(mark, Text)]
        index = (0, *divmod(done - 1, 5))
        assert lines == ([f"{cell_name(step, index)} = {step.explain(index).text}"] if done else [])
        assert len([mark for mark in marks if isinstance(mark, Box)]) == (3 if done else 0), "row, column and cell"


def test_a_long_line_says_what_it_comes_to() -> None:
    """As below a figure: something in the middle of a sum can be missed, but not its end."""
    step = shipped.trace("translator")["encoder.0.attention.query_projection"]
    (shot,) = shots("translator", step.name)
    (line,) = (mark for mark in flat(*shot.takes[1].moving(0.13)) if isinstance(mark, Text))
    start, _, end = line.text.partition(LEFT_OUT)
    assert start.startswith(f"{cell_name(step, (0, 0))} =")
    assert step.explain((0, 0)).text.endswith(f" {end}")
    assert "≈" in end
    assert line.x - fonts.width(line.text, line.size, mono=line.mono) / 2 >= MARGIN


def test_the_chosen_cell_is_among_those_that_are_shown() -> None:
    """Of tensors that are cropped."""
    step = shipped.trace("translator")["encoder.0.norm_1"]
    (shot,) = shots("translator", step.name, cell=(3, 40))
    (panel,) = (panel for panel in shot.panels if panel.grid.output)
    assert len(panel.grid.column_ids) < 64
    assert panel.grid.find((3, 40)) is not None


def test_what_a_step_made_moves_to_where_the_next_one_reads_it() -> None:
    before, after = shots("sentence-guide", "embed.positions", "embed.sum")
    enter = after.takes[0]

    tensors = [mark for mark in heats(list(before.end.flat())) if (mark.rows, mark.columns) == (5, 3)]
    made = max(tensors, key=lambda mark: mark.x)
    read = next(mark for mark in heats(list(after.end.flat())) if mark.texts == made.texts)

    def moved(share: float) -> Heat:
        """The last, since what goes is drawn before what moves."""
        return [mark for mark in heats(flat(*enter.moving(share))) if mark.texts == made.texts][-1]

    assert ((moved(0.0).x, moved(0.0).y), moved(0.0).colours) == ((made.x, made.y), made.colours)
    assert moved(1.0) == read
    assert min(made.x, read.x) < moved(0.5).x < max(made.x, read.x)
    assert made.colours != moved(0.5).colours != read.colours, "positions are paler beside tokens"


def test_bars_of_a_softmax_rise_to_their_share() -> None:
    step = shipped.trace("sentence-guide")[f"{PREFIX}weights"]
    (shot,) = shots("sentence-guide", step.name)
    bars = [mark for mark in shot.takes[1].moving(0.6) if isinstance(mark, Box)]
    tallest = max(bar.height for bar in bars)
    expected = (step.value[0] / step.value.max()).ravel()
    assert np.allclose([bar.height / tallest for bar in bars], expected)
    lower = [mark for mark in shot.takes[1].moving(0.3) if isinstance(mark, Box)]
    assert all(a.height < b.height for a, b in zip(lower, bars, strict=True))
    assert all(abs(a.y + a.height - b.y - b.height) < 1e-9 for a, b in zip(lower, bars, strict=True)), "from the floor"


def test_the_mask_falls_on_what_it_hides() -> None:
    trace = shipped.trace("writer")
    step = trace["time.1.decoder.0.self_attention.masked"]
    (shot,) = shots("writer", step.name)
    panel = next(panel for panel in shot.panels if panel.grid.output)
    hidden = int(np.isneginf(step.value[0][np.ix_(panel.grid.row_ids, panel.grid.column_ids)]).sum())
    assert hidden
    fallen = [mark for mark in shot.takes[1].moving(1.0) if isinstance(mark, Box)]
    falling = [mark for mark in shot.takes[1].moving(0.5) if isinstance(mark, Box)]
    assert len(fallen) == hidden
    assert all(box.hatch for box in fallen)
    assert all(a.y <= b.y for a, b in zip(falling, fallen, strict=False))
    (stay,) = heats(flat(*shot.takes[1].moving(1.0)))
    assert stay.hatched == (), "the hidden cells are those that fell"


def test_a_level_lights_up_as_it_is_computed() -> None:
    trace = shipped.trace("sentence-guide")
    wanted = Export(trace, [trace.outline], "mp4")
    (shot,) = film(wanted)
    pictures = [tuple(shot.takes[1].moving(share)) for share in np.linspace(0, 1, 30)]
    assert len(set(map(id, pictures))) > 5
    assert shot.end == wanted.figure(trace.outline)
    assert str(trace.outline.why).replace("\n", " ") in subtitles(replace(wanted, seconds=60.0))


def test_nothing_in_a_film_asks_for_a_click() -> None:
    """A map has no signs that open its boxes, and none that go away when all is computed."""
    trace = shipped.trace("translator")
    (shot,) = film(Export(trace, [trace.outline], "mp4"))
    for share in (0.0, 0.3, 0.6, 1.0):
        said = {mark.text for mark in flat(*shot.takes[1].moving(share)) if isinstance(mark, Text)}
        assert "mask" in said
        assert not {"▸", "▾"} & said


@pytest.mark.parametrize("kind", shipped.KINDS)
def test_every_step_can_be_filmed(kind: str) -> None:
    """At its start, in its middle and at its end; of many steps some."""
    trace = shipped.trace(kind)
    for shot in film(Export(trace, list(trace)[::23], "mp4")):
        for take in shot.takes:
            for share in (0.0, 0.5, 0.99):
                for mark in heats(flat(*take.moving(share))):
                    assert -1 < mark.x <= mark.x + mark.width < take.still.width + 1
                    assert -1 < mark.y <= mark.y + mark.height < take.still.height + 1


def test_a_plot_stands_still() -> None:
    (shot,) = shots("sentence-guide", f"{PREFIX}weights", view="softmax")
    assert [take.seconds for take in shot.takes] == [1, 3, 2]


def test_motion() -> None:
    assert [eased(share) for share in (-1, 0, 0.5, 1, 2)] == [0, 0, 0.5, 1, 1]
    text = Text(0, 0, "a", 10, "#000000")
    assert faded([text], 0, "#ffffff") == ()
    assert faded([text], 1, "#ffffff") == (text,)
    (half,) = faded([text], 0.5, "#ffffff")
    assert isinstance(half, Text)
    assert rgb(half.colour) == (128, 128, 128)
    cells = Heat(0, 0, 10, 10, 1, 2, bytes((0, 0, 0, 200, 0, 0)), infinite=b"\0\1", texts=("1", "2"), inks=b"\1\0")
    (pale,) = faded([cells], 0.5, "#ffffff")
    assert isinstance(pale, Heat)
    assert pale.colours == bytes((128, 128, 128, 228, 128, 128))
    left = only(cells, np.array([True, False]), "#ffffff")
    assert (left.colours, left.texts, left.hatched) == (bytes((0, 0, 0, 255, 255, 255)), ("1", ""), ())
    there = Heat(100, 50, 20, 30, 1, 2, cells.colours)
    way = between(cells, there, 0.25)
    assert (way.x, way.y, way.cell_width, way.cell_height) == (25, 12.5, 12.5, 15)


def test_subtitles_say_what_can_be_read_in_time() -> None:
    trace = txviz.trace("sentence-guide", "The cat sat.")
    wanted = Export(trace, [trace["embed.sum"], trace[f"{PREFIX}weights"]], "mp4")
    text = subtitles(wanted)
    first, second = text.strip().split("\n\n")
    assert first.splitlines()[:2] == ["1", "00:00:00,000 --> 00:00:04,000"]
    assert second.splitlines()[:2] == ["2", "00:00:04,000 --> 00:00:10,000"], "the last one stays"
    assert first.splitlines()[2] == "What the first layer reads: the meaning of each token plus its position."
    assert len(second.splitlines()[2]) <= max(15 * 6, second.splitlines()[2].index(".") + 1)


def test_the_same_again_is_cut_to_and_does_not_come_about_once_more() -> None:
    """Between two pictures that are nearly alike nothing is to flicker."""
    step = shipped.trace("sentence-guide")[f"{PREFIX}scores"]
    first, second = shots("sentence-guide", step.name, step.name)
    assert len(first.takes) == 3
    assert [take.still for take in second.takes] == [second.end, second.end]
