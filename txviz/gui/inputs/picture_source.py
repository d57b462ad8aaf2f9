"""An input that is the name of a picture's file, or what stands for a picture that came from none."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from PySide6.QtGui import QImage

from txviz.errors import TxvizError
from txviz.gui.inputs.picture_taker import PictureTaker
from txviz.ops import Array


class Read(NamedTuple):
    """A picture that was read."""

    source: str
    colours: Array | None  # (H,W,3); None where the file can't be read
    asked: bool
    """Whether the model is to look at it, which it does already where a request is shown."""


class PictureSource(PictureTaker):
    """Keeps the text of the picture that is shown, and shows pictures when they are read."""

    _source = ""

    def source(self) -> str:
        return self._source

    def show_source(self, text: str) -> None:
        if text == self._source:  # another one may just be read, and is not to be forgotten
            return
        self._source, colours = text, self._at_once(text)
        self._show(text, colours)
        if colours is None:
            self._reading.submit(lambda _: Read(text, self._seen(text), asked=False))

    def _at_once(self, text: str) -> Array | None:  # -> (H,W,3)
        """The colours that the text itself says."""
        return None

    def _colours(self, picture: QImage | Path | str) -> Array:  # -> (H,W,3)
        raise NotImplementedError

    def _text(self, colours: Array) -> str:  # (H,W,3) ->
        """For a picture that came from no file."""
        raise NotImplementedError

    def _show(self, source: str, colours: Array | None) -> None:
        raise NotImplementedError

    def _seen(self, text: str) -> Array | None:  # -> (H,W,3)
        """None where there is no such picture: who runs the model on it says why."""
        try:
            return self._colours(text)
        except TxvizError:
            return None

    def _look_at(self, picture: QImage | Path) -> Read:
        colours = self._colours(picture)
        return Read(str(picture) if isinstance(picture, Path) else self._text(colours), colours, asked=True)

    def _take_read(self, read: object) -> None:
        assert isinstance(read, Read)
        if self.isHidden() if read.asked else read.source != self._source:  # by now another one is shown
            return
        self._source = read.source
        self._show(read.source, read.colours)
        if read.asked:
            self.source_requested.emit(read.source)
