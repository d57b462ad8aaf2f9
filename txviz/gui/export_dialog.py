"""The export dialog: what is exported, in which format, how it looks, with a preview that is the figure itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QPointF, QRectF, QSignalBlocker, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from txviz.errors import TxvizError
from txviz.figures.crop import crop_name
from txviz.figures.export import Export, check
from txviz.figures.followed import number_of
from txviz.figures.formats import DEPTHS, FORMATS
from txviz.figures.job import Shown
from txviz.figures.marks import Figure
from txviz.figures.painter import paint
from txviz.figures.presets import PRESETS, THEMES
from txviz.figures.style import Style
from txviz.gui.export_settings import SCOPES, SHOWN, ExportSettings
from txviz.gui.guard import guarded
from txviz.gui.notice import sentence
from txviz.gui.numbers import NumberBox
from txviz.gui.plain import plain_label
from txviz.gui.scale_field import ScaleField
from txviz.gui.session import Session
from txviz.trace import Step, cursor

PlotFigure = Callable[[float, float, Style], Figure | None]


class Preview(QWidget):
    """The figure, made smaller to fit; the page is what will be in the file."""

    def __init__(self) -> None:
        super().__init__()
        self.figure: Figure | None = None
        self.setMinimumSize(QSize(420, 260))
        self.setAccessibleName("Preview")

    def show_figure(self, figure: Figure) -> None:
        self.figure = figure
        self.update()

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        if self.figure is None:
            return
        scale = min(self.width() / self.figure.width, self.height() / self.figure.height, 1.0)
        size = self.figure.width * scale, self.figure.height * scale
        with QPainter(self) as painter:
            painter.translate(QPointF((self.width() - size[0]) / 2, (self.height() - size[1]) / 2))
            painter.fillRect(QRectF(0, 0, *size), QColor(self.figure.background))
            painter.setClipRect(QRectF(0, 0, *size))
            painter.scale(scale, scale)
            paint(painter, self.figure.marks)


class ExportDialog(QDialog):
    """``plot`` draws the plot beside the stage on a page of some size, or nothing where it has nothing to show."""

    def __init__(
        self, session: Session, settings: ExportSettings, plot: PlotFigure, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Export")
        self._session, self._plot = session, plot
        self.view, self.scope, self.pattern = QComboBox(), QComboBox(), QLineEdit()
        self.format, self.preset, self.theme = QComboBox(), QComboBox(), QComboBox()
        self.width_box, self.height_box = _number(100, 8000, 10), _number(100, 8000, 10)
        self.text_size, self.resolution, self.seconds = _number(6, 60, 1), _number(0.5, 10, 0.5), _number(0.05, 60, 0.5)
        self.frames, self.worksheet, self.scale = _number(0, 60, 1), QComboBox(), ScaleField()
        self.crop = QComboBox()
        self.parts = {name: QCheckBox(name.capitalize()) for name in ("title", "formula", "numbers", "labels")}
        self.transparent, self.loop = QCheckBox("Transparent background"), QCheckBox("Play for ever")
        self.title_text, self.caption, self.text = QLineEdit(), QLineEdit(), QComboBox()
        self.provenance, self.separate = QCheckBox("Where the numbers are from"), QCheckBox("A file for each step")
        self.builds, self.cover = QCheckBox("Build up on click, and morph"), QCheckBox("Title slide")
        self.matches, self.preview = plain_label(), Preview()
        self._fill()
        self._arrange()
        self.show_settings(settings)
        self._wire()
        self._changed()

    @property
    def settings(self) -> ExportSettings:
        return ExportSettings(
            view=self.view.currentData(),
            scope=self.scope.currentData(),
            pattern=self.pattern.text(),
            format=self.format.currentData(),
            preset=self.preset.currentData(),
            theme=self.theme.currentData(),
            width=self.width_box.value(),
            height=self.height_box.value(),
            text_size=self.text_size.value(),
            crop=str(self.crop.currentData()),
            scale=self.scale.text,
            title=(self.title_text.text().strip() or True) if self.parts["title"].isChecked() else False,
            **{name: box.isChecked() for name, box in self.parts.items() if name != "title"},
            caption=self.caption.text().strip(),
            provenance=self.provenance.isChecked(),
            text=self.text.currentData(),
            separate=self.separate.isChecked() and "separate" in FORMATS[self.format.currentData()].options,
            resolution=self.resolution.value(),
            transparent=self.transparent.isChecked(),
            seconds=self.seconds.value(),
            frames=self.frames.value(),
            worksheet=self.worksheet.currentData() if "worksheet" in FORMATS[self.format.currentData()].options else "",
            loop=self.loop.isChecked(),
            builds=self.builds.isChecked(),
            cover=self.cover.isChecked(),
        )

    @property
    def _options(self) -> dict[str, QWidget]:
        """The fields that matter for some formats only, by the name of the setting."""
        return {
            "preset": self.preset, "theme": self.theme, "width": self.width_box, "height": self.height_box,
            "text_size": self.text_size, "scale": self.scale,
            "resolution": self.resolution, "transparent": self.transparent,
            "seconds": self.seconds, "frames": self.frames, "loop": self.loop, "worksheet": self.worksheet,
            "caption": self.caption, "provenance": self.provenance, "text": self.text, "separate": self.separate,
            "builds": self.builds, "cover": self.cover, "crop": self.crop,
            **self.parts,
        }  # fmt: skip

    def steps(self) -> list[Step]:
        """The steps that were chosen."""
        session, scope = self._session, self.scope.currentData()
        if scope == "step" or self.view.currentData() == "plot":
            return [session.step]
        if scope == "pattern":
            return session.trace.find(self.pattern.text().strip())
        return list(session.trace if scope == "all" else _stage_of(session))

    def shown(self) -> list[Shown]:
        """What was chosen: the level that the window shows, or steps."""
        return [self._session.node] if self._of_level else list(self.steps())

    @property
    def _of_level(self) -> bool:
        """Whether it is the picture of a level, as in the window; it has no other views."""
        return self.scope.currentData() == "step" and not self._session.shows_step

    def wanted(self) -> Export:
        """What was chosen; raises a TxvizError where the plot beside the stage has nothing to show."""
        chosen, session, ready = self.settings, self._session, None
        page = chosen.page()
        if chosen.view == "plot" and not self._of_level:
            below = Export.chosen(chosen, session.trace, [session.step], cell=session.cell).foot(session.step)
            ready = self._plot(page.width, below.room(page.height), page.style)
            if ready is None:
                raise TxvizError("the plot beside the stage has nothing to show here; choose another step or view")
        more: dict[str, Any] = {"view": "stage"} if ready else {}
        if self._of_level:
            more = {"view": session.picture, "beside": session.beside}
        shown, place = self.shown(), session.shown_place if self._of_level else session.place
        cell = session.cell if shown == [session.step] else None  # a cell is one of the step that is open
        more |= {} if ready else {"other": session.compared.trace, "sides": session.compared.sides}
        token = number_of(session.node, session.followed) if self._of_level and session.picture == "lens" else None
        return Export.chosen(chosen, session.trace, shown, place=place, cell=cell, token=token, ready=ready, **more)

    def show_settings(self, settings: ExportSettings) -> None:
        settings = settings.full()
        for box, value in (
            (self.view, settings.view),
            (self.scope, settings.scope),
            (self.format, settings.format),
            (self.preset, settings.preset),
            (self.theme, settings.theme),
            (self.worksheet, settings.worksheet),
            (self.crop, settings.crop),
            (self.text, settings.text),
        ):
            box.setCurrentIndex(box.findData(value))
        self._own = FORMATS[settings.format]
        self.scale.show_text(settings.scale)
        self.pattern.setText(settings.pattern)
        for number, amount in (
            (self.width_box, settings.width),
            (self.height_box, settings.height),
            (self.text_size, settings.text_size),
            (self.resolution, settings.resolution),
            (self.seconds, settings.seconds),
            (self.frames, settings.frames),
        ):
            number.setValue(amount or 0.0)
        for name, part in self.parts.items():
            part.setChecked(bool(getattr(settings, name)))
        self.title_text.setText(settings.title if isinstance(settings.title, str) else "")
        self.caption.setText(settings.caption)
        self.provenance.setChecked(settings.provenance)
        self.separate.setChecked(settings.separate)
        self.transparent.setChecked(settings.transparent)
        self.loop.setChecked(settings.loop)
        self.builds.setChecked(settings.builds)
        self.cover.setChecked(settings.cover)

    def _fill(self) -> None:
        for view, about in SHOWN.items():
            self.view.addItem(about[0].upper() + about[1:], view)
        for scope in SCOPES:
            self.scope.addItem("", scope)
        self._name_scopes()
        for name, kind in FORMATS.items():
            self.format.addItem(kind.about, name)
        for name in PRESETS:
            self.preset.addItem(name.replace("-", " ").capitalize(), name)
        for name in THEMES:
            self.theme.addItem(name.capitalize(), name)
        for crop, about in (("auto", "As much as can be read"), ("none", "All cells, however small")):
            self.crop.addItem(about, crop)
        self.worksheet.addItem("None: all numbers are there", "")
        for depth, about in DEPTHS.items():
            self.worksheet.addItem(f"Leave out {about}", depth)
        self.text.addItem("Text, to search and edit", "text")
        self.text.addItem("Outlines, which need no font", "outlines")
        self.title_text.setPlaceholderText("The step’s own")
        for line in (self.title_text, self.caption):
            line.setToolTip("{title}, {name} and {number} stand for those of the step")
        self.pattern.setToolTip("* stands for anything: *.attention.weights")

    def _name_scopes(self) -> None:
        session = self._session
        texts = {
            "step": f"This step: {session.step.title}" if session.shows_step else f"This picture: {session.title}",
            "stage": f"This stage: {len(_stage_of(session))} steps",
            "all": f"All {len(session.trace):,} steps",
            "pattern": "Steps whose name matches…",
        }
        for place, scope in enumerate(SCOPES):
            self.scope.setItemText(place, texts[scope])

    def _arrange(self) -> None:
        self.form = QFormLayout()
        rows = (
            ("Show", self.view), ("Steps", self.scope), ("Pattern", self.pattern), ("", self.matches),
            ("Format", self.format), ("Made for", self.preset), ("Theme", self.theme), ("Width", self.width_box),
            ("Height", self.height_box), ("Text size", self.text_size), ("Large tensors", self.crop),
            ("Colours", self.scale), ("Resolution", self.resolution), ("", self.transparent),
            ("Seconds a step", self.seconds), ("Frames a second", self.frames),
            ("", self.loop), ("Worksheet", self.worksheet), ("", self.builds), ("", self.cover),
            ("Letters", self.text), ("", self.separate), ("Title", self.title_text), ("Caption", self.caption),
            ("", self.provenance),
        )  # fmt: skip
        for name, widget in rows:
            self.form.addRow(name, widget)
            if name:
                widget.setAccessibleName(name)
        for part in self.parts.values():
            self.form.addRow("", part)
        self.matches.setWordWrap(True)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.go = self.buttons.addButton("Export…", QDialogButtonBox.ButtonRole.AcceptRole)
        self.go.setDefault(True)
        left = QVBoxLayout()
        left.addLayout(self.form)
        left.addStretch(1)
        row = QHBoxLayout()
        row.addLayout(left)
        row.addWidget(self.preview, 1)
        column = QVBoxLayout(self)
        column.addLayout(row)
        column.addWidget(self.buttons)
        self.resize(980, 600)

    def _wire(self) -> None:
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        self.preset.currentIndexChanged.connect(self._take_preset)
        self.format.currentIndexChanged.connect(self._take_format)
        for box in (self.view, self.scope, self.theme, self.worksheet, self.text, self.crop):
            box.currentIndexChanged.connect(self._changed)
        for line in (self.pattern, self.title_text, self.caption):
            line.textChanged.connect(self._changed)
        self.scale.changed.connect(self._changed)
        for number in (self.width_box, self.height_box, self.text_size, self.resolution, self.seconds, self.frames):
            number.valueChanged.connect(self._changed)
        switches = self.transparent, self.loop, self.builds, self.cover, self.provenance, self.separate
        for switch in (*self.parts.values(), *switches):
            switch.toggled.connect(self._changed)
        session = self._session
        moves = session.step_changed, session.node_changed, session.place_changed, session.cell_changed
        for moved in (*moves, session.compared.changed):
            moved.connect(self._follow)

    def _take_preset(self) -> None:
        """The sizes and colours that a preset has are taken over; they can be changed afterwards."""
        preset = PRESETS[self.preset.currentData()]
        boxes = (self.width_box, self.height_box, self.text_size, self.theme, self.crop)
        blocked = [QSignalBlocker(box) for box in boxes]
        self.width_box.setValue(preset.width)
        self.height_box.setValue(preset.height)
        self.text_size.setValue(preset.style.size)
        self.theme.setCurrentIndex(self.theme.findData(preset.style.theme.name))
        self.crop.setCurrentIndex(self.crop.findData(crop_name(preset.style.crop)))
        del blocked
        self._changed()

    def _take_format(self) -> None:
        """What was as the format before has it is as the new one has it: a film is no GIF."""
        before, self._own = self._own, FORMATS[self.format.currentData()]
        for box, name in ((self.resolution, "resolution"), (self.seconds, "seconds"), (self.frames, "frames")):
            if box.value() == getattr(before, name):
                blocked = QSignalBlocker(box)
                box.setValue(getattr(self._own, name))
                del blocked
        self._changed()

    def _follow(self) -> None:
        """The steps may go on playing behind the dialog; what it shows is what it exports."""
        self._name_scopes()
        self._changed()

    def _changed(self) -> None:
        """Shows what matters for the format, and the figure as it would be."""
        chosen, shown = self.settings, self.shown()
        self.form.setRowVisible(self.pattern, chosen.scope == "pattern")
        self.form.setRowVisible(self.view, not self._of_level)
        options = FORMATS[chosen.format].options
        for name, widget in self._options.items():
            self.form.setRowVisible(widget, name in options)
        self.form.setRowVisible(self.title_text, "title" in options and self.parts["title"].isChecked())
        try:
            wanted = self.wanted()
            check(wanted)
            first = self._session.step if self._session.step in shown else shown[0]
            self.preview.show_figure(_first_page(wanted.only(first), first))
            self.matches.setText(_count(shown, chosen))
            self.go.setEnabled(True)
        except TxvizError as error:
            self.matches.setText(sentence(error))
            self.go.setEnabled(False)


def _first_page(wanted: Export, shown: Shown) -> Figure:
    if not wanted.worksheet:
        return wanted.figure(shown)
    from txviz.figures.worksheet import first_page  # few want one

    return first_page(wanted)


def _stage_of(session: Session) -> tuple[Step, ...]:
    here = session.position
    _, start, size = next(stage for stage in cursor.stages(session.trace.steps) if here < stage.start + stage.size)
    return session.trace[start : start + size]


def _count(shown: list[Shown], chosen: ExportSettings) -> str:
    if len(shown) == 1:
        return "One step, one file." if isinstance(shown[0], Step) else "One picture, one file."
    many = f"{len(shown):,} steps"
    together = FORMATS[chosen.format].one_file and not chosen.separate
    return f"{many} in one file." if together else f"{many}, a file for each, in one folder."


def _number(lowest: float, highest: float, step: float) -> NumberBox:
    box = NumberBox(lowest, highest, step=step, decimals=0 if step >= 1 else 2)
    box.setAlignment(Qt.AlignmentFlag.AlignRight)
    return box
