"""Above the figure of a step: what it is in plain words, and small beside it where in the model it stands."""

from __future__ import annotations

import pytest

import txviz
from tests.figures import shipped
from tests.figures.views.checks import extent
from txviz.figures import fonts
from txviz.figures.heading import title_marks
from txviz.figures.marks import Group, Text
from txviz.figures.stage import stage
from txviz.figures.style import MARGIN, Style
from txviz.nets import declare_all
from txviz.trace import Step
from txviz.trace.leaves import declared

LONGEST = 60


@pytest.mark.parametrize("kind", shipped.KINDS)
def test_every_step_of_every_model_has_one(kind: str) -> None:
    for step in shipped.trace(kind):
        assert step.heading != step.title, step.name
        assert len(step.heading) <= LONGEST or step.site.pass_ == "backward", step.heading


def test_whatever_has_a_sentence_has_a_heading() -> None:
    """Those of nets that no shipped model uses, too; only parameters have neither."""
    declare_all()
    without = [f"{home} {name}" for (home, name), leaf in declared().items() if leaf.text and not leaf.heading]
    assert without == []


def test_they_say_what_it_is_then_what_it_tells() -> None:
    """A short name, which stays where there is no room for more; no sentence, and nothing twice for one block."""
    headings = {key: leaf.heading for key, leaf in declared().items() if leaf.heading}
    for (home, leaf), text in headings.items():
        name, colon, rest = text.partition(": ")
        assert colon, f"{home}.{leaf}: {text}"
        assert not text.endswith("."), text
        assert name[0].isupper() or name[0] == "[", text
        assert rest, text


def test_gradients_and_updates_have_headings_too() -> None:
    trace = shipped.trace("a training step of digits")
    step = trace["backward.encoder.0.attention.scores"]
    assert step.heading == "Gradient of attention scores: how the loss would change"
    assert trace["update.head.weight"].heading == "Updated parameter: after this step of training"


def heading(step: Step, width: float, height: float, style: Style | None = None) -> list[Text]:
    (found,) = [m for m in stage(step, (), width, height, style).figure.marks if isinstance(m, Group)][:1]
    assert found.name == "heading"
    return [mark for mark in found.marks if isinstance(mark, Text)]


def test_the_figure_says_both() -> None:
    step = txviz.trace("sentence-guide", "The cat sat.")["encoder.0.attention.scores"]
    title, where = heading(step, 900, 520)
    assert (title.text, title.bold) == ("Attention scores: who fits whom", True)
    assert (where.text, where.bold) == ("encoder 0 · attention · scores", False)
    assert where.size < title.size
    assert where.y == title.y


@pytest.mark.parametrize("width", [240.0, 320.0, 420.0, 640.0, 1280.0])
def test_they_fit_beside_each_other(width: float) -> None:
    for kind in ("translator", "a training step of digits", "a beam"):
        for step in shipped.trace(kind):
            title, where = title_marks(step.heading, step.title, 40, width - 2 * MARGIN, 12, Style())
            assert isinstance(title, Text)
            assert isinstance(where, Text)
            assert title.text
            assert extent(title).right < where.x, step.name
            assert where.x + fonts.width(where.text, where.size) <= width - MARGIN + 0.01, step.name


def test_a_title_that_was_made_to_fit_is_not_cut() -> None:
    """By a hair, which is rounding: of pages of all widths one in forty lost the end of its title so."""
    said = "Attention weights: where the target looks in the source"
    place = "time 3 · decoder 1 · cross-attention · weights"
    for room in range(300, 1300):
        title = title_marks(said, place, 40, room, 12, Style())[0]
        assert isinstance(title, Text)
        assert title.text in (said, "Attention weights"), room


def test_where_there_is_little_room_the_name_stays() -> None:
    step = txviz.trace("sentence-guide", "The cat sat.")["encoder.0.attention.scores"]
    title, where = heading(step, 380, 300)
    assert title.text == "Attention scores"
    assert where.text == "encoder 0 · attention · scores"


def test_the_name_and_the_title_of_a_step_are_as_they_were() -> None:
    step = txviz.trace("sentence-guide", "The cat sat.")["encoder.0.attention.scores"]
    assert (step.name, step.title) == ("encoder.0.attention.scores", "encoder 0 · attention · scores")


def test_a_title_that_can_not_be_seen_is_no_reason_to_stop() -> None:
    step = shipped.trace("sentence-guide")["encoder.0.attention.weights"]
    assert txviz.figure(step, view="values", title="\0").marks.marks
