"""What keys do with the cell that is chosen on the stage."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from txviz.gui.window import Window


def cell_commands(window: Window) -> dict[str, Callable[[], object]]:
    """By the names that the table of commands has for them."""
    stage = window.stage
    return {
        "cell_up": lambda: window.area.shown.move_chosen(-1, 0),
        "cell_down": lambda: window.area.shown.move_chosen(1, 0),
        "cell_left": lambda: window.area.shown.move_chosen(0, -1),
        "cell_right": lambda: window.area.shown.move_chosen(0, 1),
        "next_tensor": stage.next_tensor,
        "edit_cell": lambda: window.cells.edit_chosen(),
        "cell_menu": stage.ask_menu,
        "paste": lambda: window.cells.paste(),
        "matter": lambda: window.cells.go_where_it_matters(),
        "in": lambda: _go_in(window),
    }


def _go_in(window: Window) -> None:
    """One level in, or to what the keys have chosen in a picture. From a step there is none: its cell is opened."""
    if not window.session.shows_step:
        picture = window.area.picture
        window.session.go_in() if picture.chosen is None else picture.take_chosen()
    elif window.stage.target is not None:
        window.cells.edit_chosen()
