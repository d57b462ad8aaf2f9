"""Below the picture: the arithmetic of the cell that is looked at, and what is shown in plain words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape

from PySide6.QtCore import QUrl, Signal
from PySide6.QtWidgets import QTextBrowser, QWidget

from txviz.figures import fonts
from txviz.figures.looks import shape_arithmetic
from txviz.figures.naming import counted
from txviz.figures.prints import Print, prints
from txviz.figures.sentences import of_patches, of_row, sentences
from txviz.figures.theme import Theme
from txviz.gui.replays import Replays
from txviz.gui.session import Session
from txviz.gui.soon import Later
from txviz.trace import Step
from txviz.trace.why import Page

HOW_TO_CHANGE = "drag up or down, or type, to change it"
HINT = "Point at a cell, or press Ctrl and an arrow key, for its arithmetic; right-click changes it."
WHY = "why"
GUIDE = "guide:"
"""How the links begin that put the guide's numbers in; the name of a step follows."""

Offers = Callable[[Sequence[Step]], list[tuple[str, str]]]
"""From some steps to those that a guide has numbers for, by name, and what these are called."""

LEVEL_HINT = "Click a box to go there. Backspace goes out one level, Enter goes in, M is the map."


class ExplanationView(QTextBrowser):
    """One page, at a size to read, written anew for each step and each cell."""

    guide_requested = Signal(str)
    """The guide's numbers are to be put into the step of this name."""

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._theme = theme
        self._step_text = ""
        self._pointed = ""
        self._why_open = False
        self._guide: Offers = lambda _: []
        self.replays = Replays(session, self)
        self.setOpenLinks(False)
        self.anchorClicked.connect(self._follow)
        self.setFrameShape(QTextBrowser.Shape.NoFrame)
        self.setAccessibleName("The step in words, and the arithmetic of the cell")
        self.setMinimumHeight(60)
        self.document().setDocumentMargin(10)
        self.replays.found.connect(self._show_step)
        self._later = Later(self, session, lambda: self._show_step())
        session.step_changed.connect(self._later.ask)
        session.node_changed.connect(self._show_step)
        session.place_changed.connect(self._show_step)
        session.cell_changed.connect(self._show)
        session.compared.changed.connect(self._show_step)
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.setStyleSheet(f"QTextBrowser {{ background: {theme.window}; color: {theme.text}; }}")
        self._show_step()

    def show_pointed(self, text: str) -> None:
        """What is under the pointer, where that is no cell of the result: a cell that it was made from."""
        if text != self._pointed:
            self._pointed = text
            self._show()

    def offer_guide(self, offers: Offers) -> None:
        """Says for which of some steps a guide has other numbers, and what these are called."""
        self._guide = offers
        self._show_step()

    def _follow(self, link: QUrl) -> None:
        step = link.toString().removeprefix(GUIDE)
        if step == link.toString():
            self.toggle_why()
        else:
            self.guide_requested.emit(step)

    def toggle_why(self) -> None:
        """Opens the page "Why is this here?" and brings it into sight, or closes it again; it stays so from step to
        step."""
        self._why_open = not self._why_open
        self._show_step()
        if self._why_open:
            self.scrollToAnchor(WHY)

    def copy_selection(self) -> bool:
        """Whether some of the words were marked, and are on the clipboard now."""
        marked = self.textCursor().hasSelection()
        if marked:
            self.copy()
        return marked

    def _show_step(self) -> None:
        shown = self._step_in_words() if self._session.shows_step else self._level_in_words()
        notes = self._session.compared.notes(self._session.step) if self._session.shows_step else []
        shown = "".join(_paragraph(escape(note)) for note in notes) + shown
        self._step_text = shown + (_page(self._session.node.why) if self._why_open else "")
        self._show()

    def _step_in_words(self) -> str:
        step, colours = self._session.step, self._theme
        said = of_patches(self._session.trace, step, self._session.place)
        text = escape(" ".join([*sentences(step, self._session.place), *said]))
        printed = "".join(_paragraph(_printed(entry, colours)) for entry in prints(step))
        shape = f'<span style="color:{colours.muted}">{escape(shape_arithmetic(step))}</span>'
        mark = _replayed(step, self.replays, colours)
        return (
            self._offers([step])
            + _paragraph(text)
            + printed
            + _paragraph(f"{shape} &nbsp;·&nbsp; {mark} &nbsp;·&nbsp; {self._link}")
        )

    def _level_in_words(self) -> str:
        """Of a block, a layer or the map: how many steps it has, and which of them is open."""
        node, step = self._session.node, self._session.step
        number = node.steps.index(step) + 1
        where = f"{counted(len(node.steps), 'step')}; open is step {number:,}, {step.title}: {step.what}"
        return self._offers(node.steps) + _paragraph(escape(where)) + _paragraph(self._link)

    def _offers(self, steps: Sequence[Step]) -> str:
        """Links that put the guide's numbers in, into one step or one of several."""
        found = self._guide(steps)
        if len(found) == 1:
            return _paragraph(self._linked(GUIDE + found[0][0], f"Use the guide’s {found[0][1]}"))
        links = [self._linked(GUIDE + name, said) for name, said in found]
        return _paragraph(f"Use the guide’s {' · '.join(links)}") if links else ""

    @property
    def _link(self) -> str:
        return f'<a name="{WHY}"></a>' + self._linked(WHY, f"Why is this here? {'▾' if self._why_open else '▸'}")

    def _linked(self, target: str, text: str) -> str:
        look = f"color:{self._theme.accent}; text-decoration:none"
        return f'<a href="{escape(target)}" style="{look}">{escape(text)}</a>'

    def _show(self) -> None:
        session, colours = self._session, self._theme
        if session.cell is None or not session.shows_step:
            said = self._pointed or (HINT if session.shows_step else LEVEL_HINT)
            first = f'<span style="color:{colours.muted}">{escape(said)}</span>'
        else:
            note = escape(f"{session.pin_note} · {HOW_TO_CHANGE}") if session.cell == session.pinned else ""
            pinned = f' <span style="color:{colours.highlight}">{note}</span>'
            first = f"<span style=\"font-family:'{fonts.MONO}'\">{_lines(session.arithmetic)}</span>{pinned}"
        self.setHtml(f'<div style="font-size:large">{_paragraph(first)}{self._row}{self._step_text}</div>')

    @property
    def _row(self) -> str:
        """Of the token that is followed: the pointer alone says nothing here, or the words below it would jump."""
        session = self._session
        pinned = session.pinned if session.shows_step else None
        said = [] if pinned is None else of_row(session.step, pinned)
        return _paragraph(escape(" ".join(said))) if said else ""


def _lines(text: str) -> str:
    return escape(text).replace("\n", "<br>")


def _paragraph(html: str) -> str:
    return f'<p style="margin:0 0 6px 0">{html}</p>'


def _page(page: Page) -> str:
    """Why a node is there: reasons, what is so in this run, and where such a thing is used."""
    reasons = "".join(f"<li>{escape(reason)}</li>" for reason in page.reasons)
    told = [escape(page.text), f'<ul style="margin:0">{reasons}</ul>' if reasons else ""]
    told += [f"<b>Here:</b> {escape(' '.join(page.here))}" if page.here else ""]
    told += [f"<b>At large:</b> {escape(page.at_large)}" if page.at_large else ""]
    return "".join(map(_paragraph, filter(None, told)))


def _printed(entry: Print, theme: Theme) -> str:
    return f'<span style="color:{theme.good if entry.agrees else theme.bad}">{entry.mark}</span> {escape(entry.text)}'


def _replayed(step: Step, replays: Replays, theme: Theme) -> str:
    """Whether the operation, run again on the recorded inputs, gives the recorded numbers."""
    if not replays.known(step):
        return f'<span style="color:{theme.muted}">replaying …</span>'
    wrong, rounded = replays.of(step)
    if wrong:
        return f'<span style="color:{theme.bad}">✗ replayed: {escape(wrong)}</span>'
    told = f' &nbsp;·&nbsp; <span style="color:{theme.muted}">{escape(rounded)}</span>' if rounded else ""
    return f'<span style="color:{theme.good}">✓ replayed</span>{told}'
