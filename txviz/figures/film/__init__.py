"""Steps and levels as a film: takes of marks that move, for whatever paints them one frame after the other."""

from txviz.figures.film.shots import film
from txviz.figures.film.subtitles import subtitles
from txviz.figures.film.takes import Shot, Take

__all__ = ["Shot", "Take", "film", "subtitles"]
