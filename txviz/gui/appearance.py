"""A theme as Qt wants it: palette and style sheet, and the icons that are drawn in its colours."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPalette, QPen, QPixmap, QPolygonF
from PySide6.QtWidgets import QApplication

from txviz import resources
from txviz.figures.painter import text_font
from txviz.figures.theme import DARK, LIGHT, Theme

THEME_CHOICES = ("system", "light", "dark")
DEFAULT_TEXT_SIZE = 12.0


def chosen_theme(choice: str) -> Theme:
    """Light or dark; "system" follows the desktop."""
    if choice == "system":
        dark = QApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark
        return DARK if dark else LIGHT
    return DARK if choice == "dark" else LIGHT


def apply_theme(app: QApplication, theme: Theme) -> None:
    """Gives the whole application the theme's colours."""
    palette, boxes, sliders = (_palette(theme) for _ in range(3))
    app.setPalette(palette)
    sliders.setColor(QPalette.ColorRole.Button, QColor(theme.muted))  # its outline alone is too pale
    if QColor(theme.window).lightness() < 128:  # where the outline of a box is too dark to be seen
        boxes.setColor(QPalette.ColorRole.Base, QColor(theme.line))
    for kind, colours in (("QCheckBox", boxes), ("QSlider", sliders)):
        app.setPalette(colours, kind)  # type: ignore[arg-type]  # it takes a str, and no bytes as it says
    app.setStyleSheet(_sheet(theme))


def apply_text_size(size: float) -> None:
    """Gives the whole application text that goes with figures whose labels have this size."""
    app, font = QApplication.instance(), text_font()
    assert isinstance(app, QApplication)
    font.setPointSizeF(font.pointSizeF() * size / DEFAULT_TEXT_SIZE)
    if font != app.font():
        sheet = app.styleSheet()
        app.setStyleSheet("")  # under a style sheet, widgets that are there already keep the font that they have
        app.setFont(font)
        app.setStyleSheet(sheet)


def _palette(theme: Theme) -> QPalette:
    palette = QPalette()
    role = QPalette.ColorRole
    pairs = {
        role.Window: theme.window, role.WindowText: theme.text, role.Base: theme.panel, role.Text: theme.text,
        role.AlternateBase: theme.window, role.Button: theme.panel, role.ButtonText: theme.text,
        role.ToolTipBase: theme.panel, role.ToolTipText: theme.text, role.PlaceholderText: theme.muted,
        role.Highlight: theme.accent, role.HighlightedText: theme.panel, role.Link: theme.accent,
        role.BrightText: theme.bad, role.Mid: theme.line, role.Dark: theme.line, role.Light: theme.panel,
    }  # fmt: skip
    for key, colour in pairs.items():
        palette.setColor(key, QColor(colour))
    for key in (role.WindowText, role.Text, role.ButtonText):
        faint = QColor(theme.muted)
        faint.setAlpha(140)
        palette.setColor(QPalette.ColorGroup.Disabled, key, faint)
    return palette


def _sheet(theme: Theme) -> str:
    return f"""
        QMainWindow::separator {{ background: {theme.line}; width: 1px; height: 1px; }}
        QDockWidget {{ color: {theme.muted}; }}
        QDockWidget::title {{ background: {theme.window}; padding: 5px 10px; }}
        #sentence {{ border: 1px solid {theme.line}; border-radius: 4px; background: {theme.panel}; }}
        #sentence:focus {{ border-color: {theme.accent}; }}
        QTreeView {{ border: 1px solid {theme.line}; border-radius: 4px; background: {theme.panel}; }}
        QToolTip {{ color: {theme.text}; background: {theme.panel}; border: 1px solid {theme.line}; padding: 4px; }}
        QSplitter::handle {{ background: {theme.line}; }}
    """


def app_icon() -> QIcon:
    return QIcon(str(resources.path("icons", "txviz.svg")))


def icon(kind: str, theme: Theme) -> QIcon:
    """Simple signs in the theme's colour: first, previous, next, last, play, pause."""
    pixmap = QPixmap(40, 40)
    pixmap.fill(Qt.GlobalColor.transparent)
    with QPainter(pixmap) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(theme.text), 0))
        painter.setBrush(QColor(theme.text))
        _SIGNS[kind](painter)
    pixmap.setDevicePixelRatio(2)
    return QIcon(pixmap)


def _triangle(painter: QPainter, left: float, right: float) -> None:
    """From a base at ``left`` to a point at ``right``."""
    painter.drawPolygon(QPolygonF([QPointF(left, 8), QPointF(right, 20), QPointF(left, 32)]))


def _bar(painter: QPainter, x: float, width: float = 4) -> None:
    painter.drawRect(QRectF(x, 8, width, 24))


def _first(painter: QPainter) -> None:
    _bar(painter, 8)
    _triangle(painter, 32, 14)


def _last(painter: QPainter) -> None:
    _bar(painter, 28)
    _triangle(painter, 8, 26)


def _pause(painter: QPainter) -> None:
    _bar(painter, 10, 7)
    _bar(painter, 23, 7)


_SIGNS = {
    "first": _first,
    "previous": lambda painter: _triangle(painter, 28, 10),
    "next": lambda painter: _triangle(painter, 12, 30),
    "last": _last,
    "play": lambda painter: _triangle(painter, 11, 32),
    "pause": _pause,
}
