"""A film of what one does: every step, level, head and cell that one looks at becomes a scene, as long as one stays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QFileDialog, QMessageBox, QToolButton

from txviz.figures.followed import number_of
from txviz.figures.formats import FORMATS
from txviz.figures.naming import counted
from txviz.figures.settings import Settings
from txviz.gui.keys import leave_keys
from txviz.gui.session import Session

if TYPE_CHECKING:
    from txviz.figures.export import Export
    from txviz.gui.window import Window

BRIEF, SHORTEST, LONGEST = 0.4, 1.0, 10.0
"""Seconds: what was shown for less is skipped when only its numbers changed; how short and how long a scene can be."""

MOST, LARGEST = 400, 500_000_000
"""Scenes of a film, and bytes of the runs that they keep; what several of them share counts once."""

FILMS = ("mp4", "webm", "webp", "gif")
FRAMES = 10.0
"""A second, in a GIF: with more it is larger, and plays no faster."""


class Recording(QObject):
    """The scenes so far. It watches the session from the moment that it is made."""

    changed = Signal()
    filled = Signal()
    """Once: what is looked at from now on does not come into the film."""

    def __init__(
        self, session: Session, parent: QObject, clock: Callable[[], float] = monotonic, largest: int = LARGEST
    ) -> None:
        super().__init__(parent)
        self._session, self._clock, self._since = session, clock, 0.0
        self._largest, self.full = largest, False
        self._scenes: list[Export] = []
        moves = session.step_changed, session.node_changed, session.place_changed, session.cell_changed
        for moved in (*moves, session.compared.changed):
            moved.connect(self._look)
        self._look()

    def __len__(self) -> int:
        return len(self._scenes)

    def scenes(self) -> list[Export]:
        """Each with its time; the last one has lasted until now."""
        return list(self._scenes) if self.full else [*self._scenes[:-1], self._timed(self._scenes[-1])]

    def _look(self) -> None:
        if self.full:
            return
        seen = _scene(self._session)
        if self._scenes and _same(seen, self._scenes[-1]):
            return
        if self._scenes:
            last = self._scenes.pop()
            if not _renumbered(last, seen) or self._clock() - self._since >= BRIEF:
                self._scenes.append(self._timed(last))
        self._since = self._clock()
        if self._scenes and (len(self._scenes) == MOST or self._is_too_large(seen)):
            self.full = True
            self.filled.emit()
        else:
            self._scenes.append(seen)
        self.changed.emit()

    def _is_too_large(self, seen: Export) -> bool:
        """All runs are looked at only when another one comes: whoever steps through one need not wait for that."""
        last = self._scenes[-1]
        same = seen.trace is last.trace and seen.other is last.other
        return not same and _bytes([*self._scenes, seen]) > self._largest

    def _timed(self, scene: Export) -> Export:
        return replace(scene, seconds=min(max(self._clock() - self._since, SHORTEST), LONGEST))


def _scene(session: Session) -> Export:
    """What is on the stage now."""
    from txviz.figures.export import Export  # few record, and the window need not wait for it

    compared = session.compared
    run, place = session.trace, session.shown_place
    if session.shows_step:
        shown = Export(run, [session.step], "mp4", place=place, cell=session.pinned)
    else:
        view, beside = session.picture, session.beside
        token = number_of(session.node, session.followed) if view == "lens" else None
        shown = Export(run, [session.node], "mp4", view=view, place=place, token=token, beside=beside, at=session.step)
    return replace(shown, other=compared.trace, sides=compared.sides)


def _bytes(scenes: list[Export]) -> int:
    """Of all runs that the scenes keep, and of weights that the model had while it learnt and has no more. Runs of one
    input share the steps before an edit."""
    runs = {id(run): run for scene in scenes for run in (scene.trace, scene.other) if run is not None}
    values = {id(step.value): step.value.nbytes for run in runs.values() for step in run}
    weights = {id(each): each.nbytes for run in runs.values() for each in run.parameters.values()}
    now = {id(each) for each in scenes[-1].trace.parameters.values()}
    return sum(values.values()) + sum(size for which, size in weights.items() if which not in now)


def _same(a: Export, b: Export) -> bool:
    shown = ((each.shown, each.view, each.place, each.cell, each.sides, each.at) for each in (a, b))
    return a.trace is b.trace and a.other is b.other and next(shown) == next(shown)


def _renumbered(a: Export, b: Export) -> bool:
    """Whether the same is shown with the numbers of another run, as while one types."""
    return a.trace is not b.trace and a.shown[0].name == b.shown[0].name


class Recorder(QObject):
    """The command that begins and ends a recording, and the button that is there meanwhile."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._window, self._action = window, window.actions_by_key["record"]
        self.recording: Recording | None = None
        self._saving = False
        window.exporter.ended.connect(self._saved)
        self.button = QToolButton(autoRaise=True)
        self.button.hide()
        self.button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        self.button.setDefaultAction(self._action)
        window.timeline.add(self.button)
        leave_keys(self.button)

    def toggle(self) -> None:
        if self.recording is None:
            self._begin()
        else:
            self.end()

    def _begin(self) -> None:
        self.recording = Recording(self._window.session, self)
        self.recording.changed.connect(self._show)
        self.recording.filled.connect(self._tell_full)
        self._show()
        as_gif = "" if _can_encode() else " It will be a GIF; an MP4 needs: pip install 'txviz[video]'."
        told = f"Recording: what you look at from now on becomes a film. Ctrl+Shift+R ends it.{as_gif}"
        self._window.toast.show_message(told, 6000)

    def _tell_full(self) -> None:
        told = "The recording is full: nothing more comes into the film. Ctrl+Shift+R saves it."
        self._window.toast.show_message(told, 6000)

    def end(self) -> None:
        """Asks where to. Until the film is written, or nobody wants it, it goes on."""
        assert self.recording is not None
        self._show()
        if self._saving:
            return
        scenes, path = self.recording.scenes(), self._ask_where()
        if path is None:
            self.forget() if self._is_unwanted(len(scenes)) else self._window.toast.show_message("Still recording.")
            return
        self._saving = True
        self._window.exporter.start(self._film(scenes, path), path)

    def _saved(self, there: bool) -> None:
        """A recording can't be made again, so that it is kept until its file is there."""
        if not self._saving:
            return
        self._saving = False
        if there:
            self.forget()
        else:
            told = "The film was not saved, and the recording goes on. Ctrl+Shift+R saves it."
            self._window.toast.show_message(told, 6000)

    def forget(self) -> None:
        """Ends it without a film."""
        if self.recording is not None:
            self.recording.deleteLater()
            self.recording = None
            self._show()

    def _is_unwanted(self, scenes: int) -> bool:
        """It may have begun by mistake; but what is thrown away is gone."""
        asking = QMessageBox(self._window)
        asking.setWindowTitle("Recording")
        asking.setText("The film is not saved. Go on recording, or throw the recording away?")
        asking.setInformativeText(f"It has {counted(scenes, 'scene')}, and can't be made again.")
        going_on = asking.addButton("Go on", QMessageBox.ButtonRole.RejectRole)
        away = asking.addButton("Throw away", QMessageBox.ButtonRole.DestructiveRole)
        asking.setDefaultButton(going_on)
        asking.setEscapeButton(going_on)
        asking.exec()
        return asking.clickedButton() is away

    def _ask_where(self) -> Path | None:
        kinds = FILMS if _can_encode() else ("gif",)
        filters = {f"{FORMATS[kind].about} (*.{kind})": kind for kind in kinds}
        suggested = str(Path.home() / f"{self._window.session.trace.about.get('model', 'film')}.{kinds[0]}")
        path, chosen = QFileDialog.getSaveFileName(self._window, "Save the film", suggested, ";;".join(filters))
        if not path:
            return None
        return Path(path) if Path(path).suffix[1:] in kinds else Path(f"{path}.{filters.get(chosen, kinds[0])}")

    def _film(self, scenes: list[Export], path: Path) -> Export:
        """In the window's theme, on a page of 16 to 9."""
        from txviz.figures.export import Export

        kind = path.suffix[1:]
        page = Settings(theme=self._window.theme.name).page()
        frames = FRAMES if kind == "gif" else None
        recorded = tuple(replace(scene, format=kind, preset=page) for scene in scenes)
        shown = [scene.shown[0] for scene in scenes]
        return Export(scenes[-1].trace, shown, kind, page, frames=frames, recorded=recorded)

    def _show(self) -> None:
        count = 0 if self.recording is None else len(self.recording)
        self._action.setChecked(bool(count))
        self._action.setText("End the &recording…" if count else "&Record a film…")
        full = " (full)" if self.recording is not None and self.recording.full else ""
        self._action.setIconText(f"● {count}{full} · Stop" if count else "Record")
        self._action.setToolTip("End the recording and save the film (Ctrl+Shift+R)")
        self.button.setVisible(bool(count))
        colours = self.button.palette()
        colours.setColor(QPalette.ColorRole.ButtonText, QColor(self._window.theme.bad))
        self.button.setPalette(colours)


def _can_encode() -> bool:
    return find_spec("av") is not None
