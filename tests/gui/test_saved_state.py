"""Whatever became of the saved state or of a model's files, the window starts and says what is lost."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from txviz.figures.colour_scale import Span
from txviz.gui import saved_state
from txviz.gui.app import make_window, style_application
from txviz.gui.window import Window
from txviz.models import find
from txviz.models.request import Request

DIGIT = Request("digits", find("digits").example)
DEEP = 100_000
ODD: tuple[Any, ...] = (
    None, True, 0, -1, 0.5, 10**400, -(10**400), 2**31, 2**63, 1e308, float("nan"), float("inf"), "", "x", "\ud800",
    "a\udfffb", "\x00", "9" * 5000, "encoder." * 5000, ":", "00000000:", "00000000:AAAA", [], [0], [[]], ["\ud800"],
    [None, 1], [10**400, 10**400], [-1, -1], [True, False], {}, {"model": 0}, {"model": "digits"}, {"\ud800": 1},
    [[[[[[1]]]]]], {"a": {"b": {"c": {"d": {}}}}},
)  # fmt: skip


@pytest.fixture
def write(state_path: Path) -> Callable[[bytes | str], None]:
    state_path.parent.mkdir(parents=True)

    def write(content: bytes | str) -> None:
        state_path.write_bytes(content.encode() if isinstance(content, str) else content)

    return write


@pytest.fixture
def good(start: Callable[..., Window], state_path: Path) -> dict[str, Any]:
    """What a window saves that was changed in every way."""
    window = start()
    window.session.go_to("encoder.0.attention.scores")
    window.docks["Plots"].hide()
    window.choose_theme("dark")
    window.timeline.speed.setCurrentText("5 steps/s")
    window.stage_bar.set_scale(Span(-2.5, 2.5))
    window.files.add_recent(Path("/tmp/naïve.safetensors"))
    window.close()
    content: dict[str, Any] = json.loads(state_path.read_text("utf-8"))
    return content


def message(window: Window) -> str:
    return window.notice.text.text()


# --- one field ---


WRONG: list[tuple[str, Any]] = [
    ("recent", 0), ("recent", ["\ud800"]), ("speed", []), ("speed", {}), ("text_size", 10**400),
    ("text_size", True), ("colours", 10**400), ("colours", "fixed:-inf,inf"), ("sizes", [10**400, 1, 1, 1]),
    ("sizes", [-5, 2**31]), ("folded", ["Steps"]), ("place", [10**400]), ("theme", "pink"), ("theme", []),
    ("plot", "\ud800"),     ("step", "\ud800"), ("step", "x" * 5000), ("export", {"width": 10**400}),
    ("export", {"pattern": "\ud800"}), ("export", {"width": float("inf")}), ("request", [[[[[1]]]]]),
    ("layout", "AAAA"), ("geometry", 5),
    ("request", {"model": "sentence-guide", "source": "\ud800", "options": {}}),
    ("request", {"model": "writer", "source": "a", "options": {"seed": 10**400}}),
]  # fmt: skip


def test_a_wrong_field_costs_that_field(good: dict[str, Any], state_path: Path) -> None:
    whole, _ = saved_state.load(state_path)
    for field, value in WRONG:
        state_path.write_text(json.dumps({**good, field: value}))
        remembered, problem = saved_state.load(state_path)
        assert remembered == {name: whole[name] for name in whole if name != field}
        assert problem == f"Some of what txviz remembered can't be read and starts afresh: {field}."


@pytest.mark.parametrize(("field", "value"), [("recent", 0), ("speed", []), ("layout", "AAAA")])
def test_the_other_fields_are_restored(
    good: dict[str, Any], start: Callable[..., Window], state_path: Path, field: str, value: object
) -> None:
    state_path.write_text(json.dumps({**good, field: value}))
    window = start()
    kept = saved_state.describe(window)
    assert message(window).endswith(f"starts afresh: {field}.")
    assert all(kept[name] == good[name] for name in ("theme", "speed", "colours", "step") if name != field)
    assert window.docks["Plots"].isHidden() == (field != "layout")


def test_a_state_from_before_the_checksum_loses_its_layout_only(
    good: dict[str, Any], start: Callable[..., Window], state_path: Path
) -> None:
    before = {name: good[name].partition(":")[2] for name in ("geometry", "layout")}
    state_path.write_text(json.dumps({**good, **before}))
    window = start()
    assert window.docks["Plots"].isVisible()
    assert window.theme.name == "dark"


def test_every_saved_field_is_checked(good: dict[str, Any]) -> None:
    assert {*good} == {"version", *saved_state._SOUND}
    assert all(is_sound(good[name]) for name, is_sound in saved_state._SOUND.items())


# --- the whole file ---


@pytest.mark.parametrize(
    "content",
    [
        b"[" * DEEP, b'{"version": 1, "request": ' + b"[" * DEEP + b"]" * DEEP + b"}",
        b'{"version": 1, "text_size": ' + b"9" * 5000 + b"}", b" " * (saved_state.LARGEST_FILE + 1), b"\xef\xbb\xbf{}",
        b'{"version": 1, "step": "\xed\xa0\x80"}',
    ],
    ids=["open", "deep", "long number", "large", "byte order mark", "surrogate"],
)  # fmt: skip
def test_a_file_that_cannot_be_read_is_set_aside(
    start: Callable[..., Window], state_path: Path, write: Callable[[bytes], None], content: bytes
) -> None:
    write(content)
    window = start()
    assert window.windowTitle() == "txviz — tokens (1/21)"
    assert "starts afresh" in message(window)
    assert state_path.with_suffix(".broken.json").read_bytes() == content
    window.close()
    assert message(start()) == "", "it is told once"


def test_a_folder_in_its_place_is_set_aside(start: Callable[..., Window], state_path: Path) -> None:
    state_path.mkdir(parents=True)
    assert "starts afresh" in message(start())
    assert state_path.with_suffix(".broken.json").is_dir()


def test_a_file_name_that_is_no_text_does_not_stop_saving(window: Window, state_path: Path) -> None:
    window.files.add_recent(Path("/tmp/caf\udce9.safetensors"))
    window.save_state()
    remembered, problem = saved_state.load(state_path)
    assert (remembered["recent"], problem) == (["/tmp/caf?.safetensors"], "")


# --- the layout ---


def test_a_layout_with_a_flipped_bit_never_reaches_qt(good: dict[str, Any]) -> None:
    """Qt crashes on one flip in fifty, so only what is handed on is looked at."""
    for field in ("geometry", "layout"):
        whole = saved_state._unsealed(good[field])
        for place in range(len(good[field])):
            for bit in range(7):
                flipped = _flip(good[field].encode(), place * 8 + bit).decode()
                handed_on = saved_state._unsealed(flipped) if saved_state._SOUND[field](flipped) else whole
                assert handed_on == whole


def test_whatever_is_changed_in_the_file_the_window_starts(
    good: dict[str, Any], state_path: Path, qapp: QApplication
) -> None:
    style_application(qapp)
    layouts = {name: saved_state._unsealed(good[name]) for name in ("geometry", "layout")}
    started: list[dict[str, Any]] = []
    for content in _damaged(good, random.Random(10)):
        state_path.write_bytes(content)
        remembered, _ = saved_state.load(state_path)
        assert all(saved_state._unsealed(remembered[name]) == layouts[name] for name in layouts if name in remembered)
        if remembered in started:
            continue
        started.append(remembered)
        state_path.write_bytes(content)
        window = make_window(state_path)
        assert window.windowTitle().startswith("txviz — ")
        window.close()
        window.deleteLater()
        qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete)  # else each start restyles all windows before it


def _damaged(good: dict[str, Any], chance: random.Random) -> Iterator[bytes]:
    """Bits flipped and fields changed, 150 of each."""
    whole = json.dumps(good, ensure_ascii=False, indent=1).encode()
    short = json.dumps({name: good[name] for name in good if name not in ("geometry", "layout")}).encode()
    for turn in range(150):
        start_from = short if turn % 3 else whole
        yield _flip(start_from, chance.randrange(len(start_from) * 8))
    for _ in range(150):
        changed = json.loads(whole)
        for _ in range(chance.choice((1, 1, 2, 5))):
            place = chance.choice((changed, changed, changed["request"], changed["export"]))
            if isinstance(place, dict) and place:
                place[chance.choice(list(place))] = deepcopy(chance.choice(ODD))
        yield json.dumps({**changed, "version": 1}).encode()


def _flip(content: bytes, bit: int) -> bytes:
    flipped = bytearray(content)
    flipped[bit // 8] ^= 1 << bit % 8
    return bytes(flipped)


# --- the model ---


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def flip_the_header(path: Path) -> None:
    path.write_bytes(_flip(path.read_bytes(), 8 * 8 + 1))


def flip_a_number(path: Path) -> None:
    path.write_bytes(_flip(path.read_bytes(), 8 * path.stat().st_size - 800))


def empty(path: Path) -> None:
    path.write_text("{}")


@pytest.mark.parametrize(
    ("file", "damage"),
    [
        ("weights.safetensors", cut), ("weights.safetensors", flip_the_header), ("weights.safetensors", Path.unlink),
        ("weights.safetensors", flip_a_number),
        ("config.json", cut), ("config.json", empty), ("config.json", Path.unlink), ("examples.json", cut),
    ],
)  # fmt: skip
def test_a_damaged_model_is_named_and_another_shown(
    start: Callable[..., Window], shipped: Path, write: Callable[[str], None], file: str, damage: Callable[[Path], None]
) -> None:
    write(json.dumps({"version": 1, "request": DIGIT.as_json()}))
    damage(shipped / "digits" / file)
    window = start()
    assert message(window).startswith("The model digits is damaged, so sentence-guide is shown instead: ")
    assert window.windowTitle() == "txviz — tokens (1/21)"
    assert window.input.request() == Request("sentence-guide", "The cat sat.")


def ink(window: Window, name: str) -> int:
    """How many columns of pixels the title of a model takes in the open list."""
    view = window.input.models.view()
    row = view.grab(view.visualRect(view.model().index(window.input.models.findData(name), 0))).toImage()
    columns = [tuple(row.pixel(x, y) for y in range(row.height() // 2)) for x in range(row.width())]
    inked = [x for x, column in enumerate(columns) if column != columns[-1]]
    return inked[-1] - inked[0]


def heard(window: Window, name: str) -> str:
    """What a screen reader says of a model in the list."""
    models = window.input.models
    found = QAccessible.queryAccessibleInterface(models.view()).child(models.findData(name))
    return found.text(QAccessible.Text.Name)


def test_the_list_of_models_marks_what_is_damaged(start: Callable[..., Window], shipped: Path) -> None:
    window = start()
    models, file = window.input.models, shipped / "digits" / "weights.safetensors"
    models.resize(400, models.height())
    models.showPopup()
    whole, other = ink(window, "digits"), ink(window, "writer")
    assert heard(window, "digits").startswith("Digits: draw one and have it read: a vision")
    models.hidePopup()
    flip_a_number(file)
    models.showPopup()
    assert ink(window, "digits") > 1.1 * whole
    assert ink(window, "writer") == other
    assert "weights.safetensors is damaged" in heard(window, "digits")
    told = models.itemData(models.findData("digits"), Qt.ItemDataRole.ToolTipRole)
    assert f"{file} is damaged (its checksum is " in told
    models.hidePopup()


@pytest.mark.parametrize(
    ("used", "shown", "model", "file", "damage"),
    [
        ([], "sentence-guide", "vit-guide-3x2", "guide.json", cut),
        ([], "sentence", "digits", "weights.safetensors", flip_a_number),
        (["digits"], "sentence", "digits", "weights.safetensors", flip_a_number),
    ],
)
def test_a_damaged_model_that_is_chosen_is_refused_in_a_sentence(
    start: Callable[..., Window],
    shipped: Path,
    qtbot: QtBot,
    compute: Callable[..., None],
    used: list[str],
    shown: str,
    model: str,
    file: str,
    damage: Callable[[Path], None],
) -> None:
    """Also where it is in memory since it was used before."""
    window = start()
    for name in (*used, shown):
        compute(window, name, find(name).example)
    before, request = window.windowTitle(), window.input.request()
    damage(shipped / model / file)
    window.activateWindow()
    window.input.models.setFocus()
    qtbot.keyClick(window.input.models, Qt.Key.Key_Down)
    qtbot.waitUntil(window.notice.isVisible)
    assert message(window).startswith(f"The model {model} can't be run: {shipped / model / file} is damaged (")
    assert (window.windowTitle(), window.input.request()) == (before, request)
    assert window.input.models.name == shown


def test_the_model_of_the_first_start_may_be_damaged(
    start: Callable[..., Window], shipped: Path, write: Callable[[str], None]
) -> None:
    write(json.dumps({"version": 1}))
    cut(shipped / "sentence-guide" / "guide.json")
    window = start()
    assert message(window).startswith("The model sentence-guide is damaged, so vit-guide-3x2 is shown instead: ")
    assert window.input.models.name == "vit-guide-3x2"


def test_every_damaged_model_that_was_tried_is_named(
    start: Callable[..., Window], shipped: Path, write: Callable[[str], None]
) -> None:
    write(json.dumps({"version": 1, "request": DIGIT.as_json()}))
    cut(shipped / "digits" / "weights.safetensors")
    cut(shipped / "sentence-guide" / "guide.json")
    assert "The models digits, sentence-guide are damaged, so vit-guide-3x2 is shown" in message(start())


def test_an_input_that_fails_is_not_blamed_on_the_model(
    start: Callable[..., Window], write: Callable[[str], None]
) -> None:
    write(json.dumps({"version": 1, "request": {**DIGIT.as_json(), "source": "0 1; 1 0"}}))
    window = start()
    assert message(window).startswith("The last input can't be shown again: ")
    assert window.input.request() == DIGIT
