"""Work that must be done before there is a window: off the GUI thread, and a small window tells how far it is."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtWidgets import QProgressDialog

from txviz.errors import TxvizError
from txviz.gui.background import Background, Work
from txviz.gui.busy import DELAY, INTERVAL, PARTS
from txviz.models.options import read_options
from txviz.models.progress import Teller
from txviz.models.registry import SHIPPED, find, title
from txviz.models.request import Request, compute
from txviz.trace import Trace


class CancelledOpeningError(TxvizError):
    """Somebody did not want to wait."""


def computed(request: Request) -> Trace:
    """The run of a request. What ships is there at once; a model from elsewhere may take its time."""
    if request.model in SHIPPED:
        return compute(request)
    made: Trace = _waited(request, lambda watch: compute(request, watch))
    return made


def read_model(request: Request) -> None:
    """The files of a model are read, so that whoever asks for them next need not wait."""
    if request.model not in SHIPPED:
        _waited(request, lambda _: _tokens(request))


def _tokens(request: Request) -> object:
    """Those of the input: the largest files of many models are about words."""
    model = find(request.model)
    return model.tokens(request.source, read_options(model.name, model.options, request.options))


def _waited(request: Request, work: Work) -> Any:
    waiting = _Waiting(request)
    waiting.background.submit(work)
    waiting.loop.exec()
    waiting.dialog.deleteLater()  # and its timer with it
    waiting.dialog.hide()
    if not waiting.ends:
        raise CancelledOpeningError(f"opening {title(request.model)} was cancelled")
    if isinstance(waiting.ends[0], Exception):
        raise waiting.ends[0]
    return waiting.ends[0]


class _Waiting:
    """An event loop that ends with the work, and a dialog that shows once it takes longer than one notices."""

    def __init__(self, request: Request) -> None:
        self.background, self.loop, self.ends = Background(), QEventLoop(), list[Any]()
        self._teller = Teller(request.model, request.options)
        self.dialog = QProgressDialog(self._teller.progress(None, 0).text, "Cancel", 0, 0)
        self.dialog.setWindowTitle(f"txviz — opening {title(request.model)}")
        self.dialog.setMinimumWidth(420)
        self.dialog.setMinimumDuration(DELAY)
        for ended in (self.dialog.canceled, self.dialog.rejected):
            ended.connect(self.background.cancel)
        self.background.finished.connect(self.ends.append)
        self.background.failed.connect(self.ends.append)
        self._again = QTimer(self.dialog, interval=INTERVAL)  # a step that takes long tells nothing by itself
        self._again.timeout.connect(self._show)
        self._again.start()
        self.background.busy_changed.connect(lambda busy: None if busy else self.loop.quit())

    def _show(self) -> None:
        far = self._teller.progress(*self.background.latest)
        if not self.dialog.wasCanceled():
            self.dialog.setLabelText(far.text)
            if far.share is not None:
                self.dialog.setMaximum(PARTS)
                self.dialog.setValue(min(round(PARTS * far.share), PARTS - 1))
