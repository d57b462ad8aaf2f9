"""Changing cells on the stage: by the menu of a cell, by typing, dragging and pasting; and the list of all edits."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QObject, QPoint
from PySide6.QtGui import QGuiApplication

from txviz.errors import TxvizError
from txviz.figures.edit_words import step_of
from txviz.figures.first_matter import first_matter
from txviz.figures.selection import Selection, Target, numbers, selections
from txviz.gui.cell_editor import CellEditor
from txviz.gui.cell_menu import CellActions, cell_menu
from txviz.gui.editing import Editing
from txviz.gui.edits_list import EditsList
from txviz.gui.explanation import ExplanationView
from txviz.gui.guide_offers import GuideOffers
from txviz.gui.notice import sentence
from txviz.gui.scrubbing import Scrubbing
from txviz.gui.stage_area import StageArea
from txviz.gui.typed_numbers import pasted_edit, scale_edit, set_edit
from txviz.trace import Step
from txviz.trace.ancestors import ancestors
from txviz.trace.edits import read_edit
from txviz.trace.step import cells_at

NOTHING_CHOSEN = "Choose a cell first: click on one, or press Ctrl and an arrow key."


class CellEditing(QObject):
    def __init__(self, editing: Editing, area: StageArea, explanation: ExplanationView) -> None:
        super().__init__(editing)
        self._editing, self._area, self._stage = editing, area, area.stage
        self._session, self._panel = editing.session, editing.panel
        self.field = CellEditor(self._stage)
        self.scrubbing = Scrubbing(editing.session, editing.panel, editing.computing)
        self.guide = GuideOffers(editing.session)
        self.list: EditsList | None = None
        stage = self._stage
        stage.menu_requested.connect(self.open_menu)
        stage.number_typed.connect(self._type_into)
        stage.drag_started.connect(self._drag)
        stage.dragged.connect(self.scrubbing.move)
        stage.drag_ended.connect(self.scrubbing.end)
        editing.session.step_changed.connect(self.field.close_field)
        editing.session.node_changed.connect(self.field.close_field)
        editing.panel.edits_opened.connect(self.open_list)
        explanation.offer_guide(self.guide.among)
        explanation.guide_requested.connect(lambda name: editing.put(f"{name}=guide"))

    # --- menu ---

    def open_menu(self, target: Target, at: QPoint) -> None:
        menu = cell_menu(target, self._actions(), self._stage)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(at)

    def _actions(self) -> CellActions:
        return CellActions(
            set=self._set,
            put=self._editing.put,
            scale=self._scale,
            reset=lambda part: self._panel.page.edits.remove(*self._inside(part)),
            matter=self.go_where_it_matters,
            can_freeze=self._can_freeze,
            guide=self.guide.label,
            can_reset=lambda part: bool(self._inside(part)),
            any_edits=bool(self._panel.page.edits.edits),
        )

    def _inside(self, part: Selection) -> list[str]:
        """The edits of cells that are all in this part."""
        shape = part.source.value.shape
        here = cells_at([part.place], shape)
        own = [edit for edit in map(read_edit, self._panel.page.edits.edits) if edit.name == part.source.name]
        return [edit.text for edit in own if not (cells_at([edit.place], shape) & ~here).any()]

    def _can_freeze(self, part: Selection) -> bool:
        """Where something was changed that it is made from."""
        if not isinstance(part.source, Step):
            return False
        made_from = ancestors(part.source)[:-1]
        return any(each.edited or any(source.edited for source in each.sources) for each in made_from) or any(
            source.edited for source in part.source.sources
        )

    # --- typing ---

    def edit_chosen(self) -> None:
        """Opens the field over the chosen cell."""
        target = self._stage.target
        if target is None:
            self._editing.toast.show_message(NOTHING_CHOSEN)
        else:
            self._set(selections(target)[0])

    def _type_into(self, target: Target, text: str) -> None:
        self._open(target, selections(target)[0], text, typed=True)

    def _set(self, part: Selection) -> None:
        self._open(self._target_of(part), part, self._text_of(part))

    def _open(self, target: Target | None, part: Selection, text: str, *, typed: bool = False) -> None:
        place = self._stage.rect_of(target)
        if place is not None and self._editing.can_change():
            title = part.words if part.size == 1 else f"{part.words}: 1 number, or {part.size} with commas"
            self.field.open(place, title, text, lambda said: self._editing.put(set_edit(part, said)), typed=typed)

    def _scale(self, part: Selection) -> None:
        place = self._stage.rect_of(self._target_of(part))
        if place is not None and self._editing.can_change():
            title = f"{part.words}: times"
            self.field.open(place, title, "0.5", lambda said: self._editing.put(scale_edit(part, said)))

    def _target_of(self, part: Selection) -> Target | None:
        """Its first cell that is shown."""
        chosen = cells_at([part.place], part.source.value.shape)
        for panel in self._stage.stage.panels:
            if panel.grid.name == part.source.name and panel.grid.output == (part.source is self._session.step):
                rows, columns = np.nonzero(panel.grid.same_cells(chosen))
                if len(rows):
                    return Target(part.source, panel.grid, panel.grid.index(int(rows[0]), int(columns[0])))
        return None

    def _text_of(self, part: Selection) -> str:
        source = part.source
        return source.chosen if isinstance(source, Step) and source.chosen is not None else numbers(part.values)

    # --- dragging and pasting ---

    def _drag(self, target: Target) -> None:
        if self._editing.can_change():
            self.scrubbing.start(target)

    def paste(self) -> None:
        target = self._stage.target
        if target is None:
            self._editing.toast.show_message(NOTHING_CHOSEN)
            return
        try:
            self._editing.put(pasted_edit(target, QGuiApplication.clipboard().text()))
        except TxvizError as error:
            self._editing.toast.show_message(sentence(error))

    # --- all edits ---

    def open_list(self) -> None:
        button = self._panel.page.edits
        if self.list is None or self.list.parent() is not button:
            self.list = EditsList(self._session, button)
            self.list.go_requested.connect(self._go_to)
            self.list.matter_requested.connect(self.go_where_it_matters)
        self.list.open()

    def _go_to(self, edit: str) -> None:
        step = step_of(edit, self._session.trace)
        if step is not None:
            self._session.show_node(step.name)

    def go_where_it_matters(self, edit: str = "") -> None:
        """To the first step that changes; from there, to the first that says another thing."""
        session, toast, edits = self._session, self._editing.toast, self._panel.page.edits.edits
        if not edits:
            toast.show_message("Nothing is changed by hand.")
        elif session.changes.untouched is None:
            toast.show_message("The run without edits is still being computed.")
        else:
            found = first_matter(session.changes.untouched, session.trace, (edit,) if edit else edits)
            step = found.answer if session.step is found.changed and found.answer is not None else found.changed
            if step is None:
                toast.show_message("No later step changes.")
                return
            session.show_node(step.name)
            toast.show_message(_said(step, found.answer))


def _said(step: Step, answer: Step | None) -> str:
    """Of an answer that is chosen, a word or a class, and of one that is made of numbers."""
    if answer is None:
        return f"The first step that changes is {step.title}. The answer stays the same."
    changes = "first changes" if answer.chosen is not None else "changes"
    if step is answer:
        said = f": {step.chosen}" if step.chosen is not None else ""
        return f"Here the answer {changes}{said}."
    later = f"The answer {changes} at {answer.title}: ask once more to go there."
    return f"The first step that changes is {step.title}. {later}"
