"""Tokens in 2D: each token's vector on its way through the layers, seen in the plane where they differ most."""

from __future__ import annotations

from typing import Any

import numpy as np

from txviz.analysis.streams import Stream, whole
from txviz.figures.marks import Figure
from txviz.figures.style import Style
from txviz.figures.theme import LIGHT, Theme
from txviz.figures.views import nearest
from txviz.figures.views.page import Area
from txviz.figures.views.plane import Plane
from txviz.figures.views.tokens import (
    FAINT,
    LARGE,
    MANY,
    SMALL,
    axis_names,
    colour_of,
    label_sides,
    plane_of,
    ranges,
    token_of,
    tokens,
)
from txviz.gui.plots import charts
from txviz.gui.plots.controls import caption, stack
from txviz.gui.plots.plot import Plot
from txviz.ops import Array, Index
from txviz.trace import Step, Trace

HINT = "Point at a dot for its step, click to go there."


class Tokens(Plot):
    """The components are fitted on all layers together, so that a path is a path."""

    title = "Tokens"
    comes = "with the first vectors of the tokens."

    def __init__(self) -> None:
        super().__init__()
        self.chart = charts.chart("Tokens in two dimensions, layer by layer")
        self.heading, self.reading = caption("Which layer is large"), caption("The dot under the pointer")
        self.points = charts.points()
        self.labels: list[Any] = []
        self.stream: Stream = ()
        self.plane = Plane(np.zeros((0, 2)), (0.0, 0.0))
        self.layer = 0
        self._paths: list[Any] = []
        self._trace: Trace | None = None
        self._step: Step | None = None
        self._words: tuple[str, ...] = ()
        self._theme = LIGHT
        self._token: int | None = None
        self._build()

    @classmethod
    def steps(cls, trace: Trace, step: Step) -> tuple[Step, ...]:
        return nearest.stream(trace, step)

    def show_step(self, trace: Trace, step: Step, place: Index, theme: Theme) -> None:
        shown = self.steps(trace, step)
        stream, layer = whole(trace, shown), len(shown) - 1
        fresh = stream is not self.stream or theme is not self._theme
        if theme is not self._theme or not self.stream:
            charts.apply_theme(self.chart, theme)
        self._trace, self._step, self._theme = trace, step, theme
        if fresh:
            self._show_stream(stream)
        if fresh or layer != self.layer:
            self._show_layer(layer)

    def forget(self) -> None:
        self._trace = self._step = self._token = None
        self.stream = ()

    def show_cell(self, index: Index | None) -> None:
        """Brings the token of the cell forward."""
        token = None if self._step is None else token_of(self._step, index, self._words)
        if token != self._token:
            self._token = token
            self._draw_paths()
            self._place_labels()

    def figure(self, width: float, height: float, style: Style) -> Figure | None:
        if self._trace is None or self._step is None:
            return None
        return tokens(self._trace, self._step, width, height, style, token=self._token)

    @property
    def _count(self) -> int:
        return self.stream[0].value.shape[0] if self.stream else 0

    def _build(self) -> None:
        self.reading.setText(HINT)
        self._paths = [charts.curve() for _ in (*self._theme.stages, "the token that is brought forward")]
        for item in (*self._paths, self.points):
            self.chart.addItem(item)
        self.chart.getPlotItem().vb.sigResized.connect(lambda _: self._place_labels())
        self.points.sigHovered.connect(self._point)
        self.points.sigClicked.connect(self._click)
        stack(self, self.heading, self.chart, self.reading, grows=1)

    def _show_stream(self, stream: Stream) -> None:
        self.stream, self.layer, self._token = stream, 0, None
        self._words = stream[0].labels[0]
        self.plane = plane_of(stream)
        charts.name_axes(self.chart, *axis_names(self.plane), self._theme)
        self._make_labels()

    def _show_layer(self, layer: int) -> None:
        """What is computed by then; the plane is that of all layers, so that it does not turn on the way."""
        self.layer = layer
        charts.set_ranges(self.chart, *ranges(self._places()))
        self.heading.setText(f"After {self.stream[layer].title} (the large dots)")
        self._draw_paths()
        self._place_labels()

    def _draw_paths(self) -> None:
        """One curve for each colour: the paths of every token that has it."""
        places, colours = self._places(), len(self._theme.stages)
        pairs = np.stack([places[:-1], places[1:]], axis=2)  # (layers-1,tokens,2 ends,2)
        shown = pairs[:, :0] if self._count > MANY else pairs
        for c, curve in enumerate(self._paths[:-1]):
            mine = shown[:, c::colours].reshape(-1, 2)
            opacity = 0.5 if self._token is None else FAINT / 2
            curve.setData(mine[:, 0], mine[:, 1], pen=charts.pen(colour_of(c, self._theme), 1.5, opacity))
        own = pairs[:, [] if self._token is None else [self._token]].reshape(-1, 2)
        self._paths[-1].setData(own[:, 0], own[:, 1], pen=charts.pen(colour_of(self._token or 0, self._theme), 3))
        self._draw_points()

    def _places(self) -> Array:  # -> (layers,tokens,2)
        return self.plane.places.reshape(len(self.stream), self._count, 2)[: self.layer + 1]

    def _draw_points(self) -> None:
        """Every token after every layer; those of the current layer are large."""
        tokens = self._count
        shown = [self.layer] if tokens > MANY else list(range(self.layer + 1))
        places = self._places()[shown].reshape(-1, 2)
        colours = self._brushes()
        self.points.setData(
            x=places[:, 0],
            y=places[:, 1],
            size=np.repeat([LARGE if layer == self.layer else SMALL for layer in shown], tokens),
            brush=colours * len(shown),
            pen=charts.pen(self._theme.panel),
            data=[(layer, token) for layer in shown for token in range(tokens)],
        )

    def _brushes(self) -> list[Any]:
        """One for each token. Tokens share them: the chart renders each brush it meets only once."""
        stages = self._theme.stages
        faint = [charts.brush(colour, FAINT) for colour in stages]
        full = [charts.brush(colour) for colour in stages]
        others = full if self._token is None else faint
        return [(full if t == self._token else others)[t % len(stages)] for t in range(self._count)]

    def _make_labels(self) -> None:
        for old in self.labels:
            self.chart.removeItem(old)
        self.labels = [charts.label(word, self._theme.text) for word in self._words[:MANY]]
        for item in self.labels:
            self.chart.addItem(item, ignoreBounds=True)

    def _place_labels(self) -> None:
        """Beside the large dots; hidden where there is no room."""
        if not self.stream:
            return
        places, box = self._places()[self.layer][: len(self.labels)], self.chart.getPlotItem().vb
        dots = [(dot.x(), dot.y()) for dot in (box.mapViewToScene(charts.point(*place)) for place in places)]
        room = box.sceneBoundingRect()
        inside = Area(room.x(), room.y(), room.width(), room.height())
        sides = label_sides(dots, self._words, charts.text_size(), inside, self._token)
        for item, place, side in zip(self.labels, places, sides, strict=True):
            item.setAnchor(side or (0, 0.5))
            item.setPos(*place)
            item.setVisible(side is not None)

    def _point(self, item: Any, points: Any, event: Any) -> None:
        if not len(points):
            self.reading.setText(HINT)
            return
        layer, token = points[0].data()
        self.reading.setText(f"“{self._words[token]}” after {self.stream[layer].title}")

    def _click(self, item: Any, points: Any, event: Any) -> None:
        layer, _ = points[0].data()
        self.step_requested.emit(self.stream[layer].name)
