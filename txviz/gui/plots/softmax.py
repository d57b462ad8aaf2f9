"""A softmax opened up: one row of scores on its way to probabilities, at any temperature."""

from __future__ import annotations

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout

from txviz.figures.marks import Figure
from txviz.figures.naming import asked, quoted
from txviz.figures.place import full_place
from txviz.figures.style import Style
from txviz.figures.theme import LIGHT, Theme
from txviz.figures.views import nearest
from txviz.figures.views.heads import NOTHING, Pair, pair_of
from txviz.figures.views.softmax import MOST, Row, heading, in_words, row_of, softmax
from txviz.gui.plots.bars import BarTable
from txviz.gui.plots.controls import caption, stack
from txviz.gui.plots.plot import Plot
from txviz.gui.plots.temperature import TemperatureSlider
from txviz.gui.plots.word_field import WordField
from txviz.ops import Index
from txviz.trace import Step, Trace
from txviz.trace.standing import WordList, standing


class Softmax(Plot):
    title = "Softmax"
    comes = "with the first softmax."

    def __init__(self) -> None:
        super().__init__()
        self.heading, self.note, self.rows = caption("What is shown"), caption("How it is made"), QComboBox()
        self.words = WordField()
        self.temperature, self.bars = TemperatureSlider(), BarTable("Scores, exponentials and probabilities of a row")
        self._trace: Trace | None = None
        self._model = ""
        self._step: Step | None = None
        self._softmax: Step | None = None
        self._theme = LIGHT
        self._place: Index = ()
        self._list = WordList(())
        self._found: tuple[int, ...] | None = None
        """What the word that is looked for is found in, the best first; None while none is."""

        self._chosen = 0
        """Which of them."""

        self._build()
        self.rows.activated.connect(self._show_row)
        self.temperature.changed.connect(self._show_row)
        self.bars.pointed.connect(self._point)
        self.bars.row_chosen.connect(self._choose)
        self.words.textChanged.connect(self._find)
        self.words.moved.connect(self._move)
        self.words.returnPressed.connect(lambda: self._choose(self._chosen))

    @classmethod
    def steps(cls, trace: Trace, step: Step) -> tuple[Step, ...]:
        return nearest.softmax(trace, step)

    def show_step(self, trace: Trace, step: Step, place: Index, theme: Theme) -> None:
        (found,) = self.steps(trace, step)
        fresh = found is not self._softmax
        before, self._model = self._model, str(trace.about.get("model", ""))
        if self._model != before:
            self.temperature.start_anew()
        self._trace, self._step, self._softmax, self._theme = trace, step, found, theme
        self._place = full_place(place, found.value.shape[:-2])
        if fresh:
            self._fill_rows(found)
            self.words.setVisible(found.value.shape[-1] > MOST)
            if not self.words.isVisibleTo(self):
                self.words.clear()
        self.heading.setText(heading(found, self._place))
        self._show_row()

    def forget(self) -> None:
        self._trace = self._step = self._softmax = None

    def show_cell(self, index: Index | None) -> None:
        row, entry = self._marked(index)
        if row is not None and row != self.rows.currentIndex():
            self.rows.setCurrentIndex(row)
            self._show_row()
        shown = self.row.order.tolist() if self._softmax is not None else []
        self.bars.mark(shown.index(entry) if entry in shown else self._chosen if self._found else None)

    def _marked(self, index: Index | None) -> Pair:
        """The row and the entry of the softmax that a cell of the step belongs to."""
        if index is None or self._step is None or self._softmax is None:
            return NOTHING
        if self._shares_cells:
            return index[-2] if len(index) > 1 else None, index[-1]
        return pair_of(self._step, index, self._softmax) if self._softmax.value.ndim > 1 else NOTHING

    def figure(self, width: float, height: float, style: Style) -> Figure | None:
        if self._trace is None or self._step is None:
            return None
        entry = self._entry(self.bars.marked)
        place, row, temperature = self._place, self.rows.currentIndex(), self.temperature.temperature
        return softmax(
            self._trace,
            self._step,
            place,
            width,
            height,
            style,
            row=row,
            temperature=temperature,
            entry=entry,
            only=self._found,
        )

    @property
    def row(self) -> Row:
        """What is shown."""
        assert self._softmax is not None
        return row_of(self._softmax, self._at, self.temperature.temperature, min(MOST, self.bars.room), self._found)

    @property
    def _at(self) -> Index:
        """Which row of the step."""
        assert self._softmax is not None
        return (*self._place, self.rows.currentIndex()) if self._softmax.value.ndim > 1 else ()

    @property
    def _shares_cells(self) -> bool:
        """Whether the softmax is the step that is open."""
        return self._step is self._softmax

    def _build(self) -> None:
        self.rows.setAccessibleName("Row")
        self.rows.setMinimumContentsLength(7)
        self.rows.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        top = QHBoxLayout()
        top.addWidget(self.heading, 1)
        top.addWidget(self.rows)
        stack(self, top, self.temperature, self.words, self.bars, self.note, grows=3)

    def _fill_rows(self, found: Step) -> None:
        """The rows to choose from; open is the masked word's, or the last, because it is the newest token's."""
        many = found.value.ndim > 1
        self.rows.clear()
        if many:
            self.rows.addItems(found.labels[-2])
            self.rows.setCurrentIndex(asked(found.labels[-2]))
        self.rows.setVisible(many)

    def _show_row(self) -> None:
        if self._softmax is None:
            return
        self._found = self._look_for(self.words.text())
        row = self.row
        self.bars.show_table(row.table(self._softmax.value[self._at]), self._theme)
        self._chosen = max(0, min(self._chosen, len(row.order) - 1))
        if self._found is not None:
            self.bars.mark(self._chosen if self._found else None)
        self.note.setText(self._told(row))

    def _look_for(self, text: str) -> tuple[int, ...] | None:
        if self._softmax is None or not text.strip():
            return None
        labels = self._softmax.labels_along(-1)
        if self._list.labels is not labels:
            self._list = WordList(labels)
        return tuple(self._list.find(text.rstrip(), self._softmax.value[self._at]))

    def _told(self, row: Row) -> str:
        if self._softmax is None or self._found is None:
            return row.note
        if not self._found:
            return f"None of the {len(row.labels):,} has {quoted(self.words.text())} in it."
        found = standing(self._softmax, (*self._at, self._found[self._chosen]))
        more = f" {len(self._found):,} are found." if len(self._found) > 1 else ""
        return f"{in_words(found, len(row.labels))}{more}"

    def _find(self) -> None:
        self._chosen = 0
        self._show_row()

    def _move(self, by: int) -> None:
        self._chosen += by
        self._show_row()

    def _choose(self, row: int) -> None:
        """Its column on the stage, where its arithmetic is seen."""
        entry = self._entry(row)
        if self._softmax is not None and entry is not None:
            self._chosen = row if self._found is not None else 0
            self.cell_chosen.emit(self._softmax.name, (*self._at, entry))

    def _point(self, row: int | None) -> None:
        self.bars.mark(row if row is not None or not self._found else self._chosen)
        if self._shares_cells:
            entry = self._entry(row)
            self.cell_requested.emit(None if entry is None else (*self._at, entry))

    def _entry(self, row: int | None) -> int | None:
        """What stands in a row that is drawn; a table that got lower has more rows for a moment than there is room."""
        order = self.row.order if self._softmax is not None else ()
        return int(order[row]) if row is not None and row < len(order) else None

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._show_row()
