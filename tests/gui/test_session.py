from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pytestqt.qtbot import QtBot

import txviz
from txviz.figures.theme import LIGHT
from txviz.gui.explanation import ExplanationView
from txviz.gui.history import MOST_UNDONE
from txviz.gui.session import Session
from txviz.gui.stage_view import StageView
from txviz.models import find
from txviz.models.request import Request, compute
from txviz.ops import Array, Index
from txviz.ops.base import Worked
from txviz.ops.elementwise import Add
from txviz.trace import Run, Trace

CAT = Request("sentence-guide", "The cat sat.")


@pytest.fixture
def session(qapp: object) -> Session:
    return Session(txviz.trace("translator", "The house is big"))


def test_moving_stays_inside(session: Session) -> None:
    session.move(-1)
    assert session.position == 0
    session.go_to(10_000)
    assert session.position == len(session.trace) - 1


def test_going_where_one_is_says_nothing(session: Session, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(session.step_changed):
        session.go_to(0)
    session.go_to("encoder.0.attention.weights")
    session.choose_place((2,))
    with qtbot.assertNotEmitted(session.place_changed):
        session.choose_place((2,))


def test_stages(session: Session) -> None:
    visited = []
    for _ in range(6):
        session.move_stage(1)
        visited.append(session.step.name)
    assert visited[:4] == ["embed.tokens", "encoder.0.norm_1", "encoder.1.norm_1", "encoder.norm"]
    session.move(1)
    session.move_stage(-1)
    assert session.step.name == visited[5]


def test_a_new_trace_keeps_the_step_and_the_head(session: Session) -> None:
    session.go_to("time.2.decoder.1.cross_attention.weights")
    session.choose_place((3,))
    session.show_trace(txviz.trace("translator", "The cat is big"), None)
    assert session.step.name == "time.2.decoder.1.cross_attention.weights"
    assert session.place == (3,)
    assert session.step is session.trace[session.position]


def test_a_step_that_is_gone_becomes_its_nearest(session: Session) -> None:
    session.go_to("time.5.head.probabilities")
    session.show_trace(txviz.trace("translator", "I love you very much"), None)
    assert session.step.name == "time.4.head.probabilities"
    session.show_trace(txviz.trace("sentence-guide", "The cat sat."), None)
    assert session.position == 0


def test_the_place_fits_every_step(session: Session) -> None:
    session.go_to("encoder.0.attention.weights")
    session.choose_place((3,))
    session.go_to("encoder.0.norm_1")
    flat = session.place
    assert flat == ()
    session.go_to("encoder.1.attention.weights")
    assert session.place == (3,)
    session.move_place(1)
    assert session.place == (3,)
    session.move_place(-2)
    assert session.place == (1,)


def test_a_pinned_cell_shows_again_when_the_pointer_leaves(session: Session) -> None:
    session.go_to("embed.sum")
    session.pin((0, 1))
    session.hover((2, 3))
    assert session.cell == (2, 3)
    session.hover(None)
    assert session.cell == (0, 1)


class CountingAdd(Add):
    """Adds, and counts how often a cell is explained."""

    def __init__(self) -> None:
        self.explained: list[Index] = []

    def worked(self, index: Index, *terms: Array) -> Worked:
        self.explained.append(index)
        return super().worked(index, *terms)


def small_trace(add: Add) -> Trace:
    """Two tables and their sum."""
    run, axes = Run({}), "token feature"
    with run.at(part="embed"):
        terms = [run.given(name, np.arange(6.0).reshape(2, 3), axes) for name in ("tokens", "positions")]
        run(add, "sum", *terms, axes=axes)
    return Trace(run.steps, {}, "")


def test_a_cell_is_explained_once_however_often_it_is_painted(qtbot: QtBot) -> None:
    add = CountingAdd()
    session = Session(small_trace(add))
    stage, text = StageView(session, LIGHT), ExplanationView(session, LIGHT)
    qtbot.addWidget(stage)
    qtbot.addWidget(text)
    session.go_to("embed.sum")
    session.pin((1, 2))
    for _ in range(10):
        stage.viewport().grab()
    stage.figure_shown()
    assert text.toPlainText().startswith("sum[1, 2] = 5 + 5 = 10")
    assert add.explained == [(1, 2)]
    session.hover((0, 1))
    stage.viewport().grab()
    assert add.explained == [(1, 2), (0, 1)]


def test_the_explanation_belongs_to_trace_step_and_cell(qapp: object) -> None:
    session = Session(txviz.trace("sentence-guide", "The cat sat."))
    assert session.explanation is None
    assert session.arithmetic == ""
    session.go_to("embed.sum")
    session.pin((1, 0))
    for sentence in ("The cat sat.", "A dog sat."):
        session.show_trace(txviz.trace("sentence-guide", sentence), None)
        assert session.explanation == session.step.explain((1, 0))
    session.go_to("embed.tokens")
    session.pin((1, 0))
    assert session.explanation == session.trace["embed.tokens"].explain((1, 0))


def test_a_pinned_cells_token_is_followed(qapp: object) -> None:
    """Through steps and heads; a key stays, too, wherever there are keys. Letting go lets go of all of it."""
    session, seen = Session(txviz.trace("digits", find("digits").example)), []

    def at(name: str, head: int = 0) -> None:
        session.go_to(name)
        session.choose_place((head,))
        seen.append(session.pinned)

    session.go_to("encoder.0.attention.weights")
    session.pin((0, 2, 4))
    at("encoder.0.attention.weights", 1)
    at("encoder.0.attention.context", 1)
    at("encoder.0.residual_1")
    at("encoder.1.attention.scores", 3)
    at("pool.mean")
    at("encoder.0.attention.weights", 0)
    assert seen == [(1, 2, 4), (1, 2, 0), (2, 0), (3, 2, 4), None, (0, 2, 4)]
    session.pin((0, 3, 3))
    seen.clear()
    at("encoder.1.norm_1")
    session.pin(None)
    at("encoder.1.norm_1")
    at("encoder.0.attention.weights")
    assert seen == [(3, 0), None, None]


def test_letting_go_needs_no_row(qapp: object, qtbot: QtBot) -> None:
    session = Session(txviz.trace("sentence-guide", "The cat sat."))
    session.go_to("embed.sum")
    session.pin((2, 1))
    session.go_to("pool.mean")
    assert session.pinned is None
    with qtbot.waitSignal(session.cell_changed):
        session.pin(None)
    session.go_to("embed.sum")
    assert session.pinned is None


def test_a_cell_without_a_token_is_found_again(qapp: object) -> None:
    session = Session(txviz.trace("sentence-guide", "The cat sat."))
    session.go_to("pool.mean")
    session.pin((1,))
    session.move(-1)
    assert session.pinned is None
    session.move(1)
    assert session.pinned == (1,)


def test_a_head_beside_others_is_pinned_where_it_was_clicked(qapp: object) -> None:
    session = Session(txviz.trace("digits", find("digits").example))
    session.go_to("encoder.0.attention.query")
    session.pin((3, 2, 1))
    assert session.pinned == (3, 2, 1)


def test_pins_stay_where_they_fit_and_go_with_the_model(qapp: object) -> None:
    session = Session(txviz.trace("sentence-guide", "The cat sat."))
    session.go_to("encoder.0.attention.scores")
    session.pin((0, 4, 4))
    for sentence, pinned in (("A cat sat.", (0, 4, 4)), ("A cat", None), ("A cat sat.", (0, 4, 4))):
        session.show_trace(txviz.trace("sentence-guide", sentence), None)
        assert session.pinned == pinned
    session.show_trace(txviz.trace("digits", find("digits").example), None)
    session.show_trace(txviz.trace("sentence-guide", "The cat sat."), None)
    assert (session.step.name, session.pinned) == ("encoder.0.attention.scores", None)


def test_a_second_run_stays_beside_the_first(session: Session, qtbot: QtBot) -> None:
    cat, compared = txviz.trace("translator", "The cat is big"), session.compared
    request = Request("translator", "The cat is big")
    assert (compared.trace, compared.pair) == (None, None)
    with qtbot.waitSignal(compared.changed):
        compared.keep(cat, request)
    with qtbot.assertNotEmitted(compared.changed):
        compared.keep(cat, request)
    before = compared.pair
    assert before is not None
    assert compared.pair is before, "as long as nothing changes"
    with qtbot.assertNotEmitted(compared.changed):
        session.show_trace(txviz.trace("translator", "The house is small"), None)
    assert (compared.trace, compared.request) == (cat, request)
    session.go_to("encoder.0.attention.weights")
    after = compared.pair
    assert after is not None
    assert after.b is session.trace
    assert after.of_a(session.step) is cat["encoder.0.attention.weights"]
    with qtbot.waitSignal(compared.changed):
        compared.keep(None)
    assert (compared.trace, compared.request) == (None, None)
    assert session.compared.pair is None


def test_a_step_that_the_other_run_has_not(session: Session) -> None:
    session.compared.keep(txviz.trace("sentence-guide", "The cat sat."))
    session.go_to("time.1.head.logits")
    (note,) = session.compared.notes(session.step)
    assert note.startswith("A has no step time.1.head.logits; the nearest one there is ")


def test_undo_and_redo(qapp: object) -> None:
    session = Session(txviz.trace("sentence-guide", "The cat sat."), CAT)
    dog, digits = Request("sentence-guide", "The dog"), Request("digits", find("digits").example)
    for request in (dog, digits):
        session.show_trace(txviz.trace(request.model, request.source), request)
        session.end_burst()
    assert session.undo() == dog
    assert session.undo() == CAT
    assert session.undo() is None
    shown = [session.request]
    assert session.redo() == dog
    session.show_trace(txviz.trace(dog.model, dog.source), dog, remember=False)
    shown.append(session.request)
    assert shown == [digits, dog], "the history moves when there is something to show"
    assert (session.can_undo, session.can_redo) == (True, True)
    session.show_trace(txviz.trace("sentence-guide", "A cat"), Request("sentence-guide", "A cat"))
    assert (session.can_undo, session.can_redo) == (True, False)
    assert session.undo() == dog


INPUTS = [
    Request("sentence-guide", source, options, edits)
    for source in ("The cat sat.", "A dog")
    for options in ({}, {"pooling": "cls"})
    for edits in ((), ("encoder.0.norm_2[0]=1",), ("encoder.0.norm_2[0]=1", "encoder.0.ffn.hidden.bias*=-2"))
]


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(asked=st.lists(st.one_of(st.sampled_from(INPUTS), st.sampled_from(["undo", "redo"])), max_size=20))
def test_undo_and_redo_end_where_they_began(qapp: object, asked: list[Request | str]) -> None:
    """Whatever inputs, options and edits come one after the other: as a list in which one goes back and forth."""
    session = Session(compute(CAT), CAT)
    wanted, here = [CAT], 0

    def show(request: Request | None, remember: bool) -> None:
        if request is not None:
            session.end_burst()
            session.show_trace(compute(request, known=session.trace), request, remember=remember)

    for each in asked:
        if isinstance(each, Request):
            show(each, remember=True)
            if each != wanted[here]:
                wanted, here = [*wanted[: here + 1], each], here + 1
        else:
            show(session.undo() if each == "undo" else session.redo(), remember=False)
            here = max(0, here - 1) if each == "undo" else min(len(wanted) - 1, here + 1)
        assert session.request == wanted[here]
        assert (session.can_undo, session.can_redo) == (here > 0, here < len(wanted) - 1)
    for go, end in ((session.undo, wanted[0]), (session.redo, wanted[-1])):
        while (request := go()) is not None:
            show(request, remember=False)
        assert session.request == end
        assert session.trace.diff(compute(end)) == []
        assert session.trace.edited_text == compute(end).edited_text


def test_the_history_stays_where_nothing_comes_of_an_undo(qapp: object) -> None:
    session = Session(txviz.trace("sentence-guide", "The cat sat."), CAT)
    dog = Request("sentence-guide", "The dog")
    session.show_trace(txviz.trace(dog.model, dog.source), dog)
    assert session.undo() == CAT
    assert session.stay() == dog
    assert session.stay() is None
    assert session.request == dog
    assert session.can_undo
    assert not session.can_redo


def test_the_history_is_bounded(qapp: object) -> None:
    session, trace = Session(txviz.trace("sentence-guide", "The cat sat."), CAT), txviz.trace("sentence-guide", "A")
    for i in range(3 * MOST_UNDONE):
        session.show_trace(trace, Request("sentence-guide", str(i)))
        session.end_burst()
    undone = 0
    while session.undo():
        undone += 1
    assert undone == MOST_UNDONE - 1


def test_a_burst_of_typing_is_one_undo(qapp: object) -> None:
    session = Session(txviz.trace("sentence-guide", "The cat sat."), CAT)
    for text in ("T", "Th", "The", "The d"):
        session.show_trace(txviz.trace("sentence-guide", text), Request("sentence-guide", text))
    assert session.undo() == CAT


def test_an_input_after_a_trace_from_a_file_begins_the_history_anew(qapp: object) -> None:
    session = Session(txviz.trace("sentence-guide", "The cat sat."), CAT)
    session.show_trace(txviz.trace("sentence-guide", "The cat sat."), None)
    session.show_trace(txviz.trace("sentence-guide", "The cat sat."), CAT)
    assert session.request == CAT
    assert not session.can_undo
