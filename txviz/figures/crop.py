"""Which part of large tensors is shown: all of it, as much as can be read, so many rows and columns, or these."""

from __future__ import annotations

import re
from dataclasses import dataclass

from txviz.errors import TxvizError

Part = int | tuple[int, int] | None
"""Of an axis: so many entries at most, those from the first number to before the second, or all."""


@dataclass(frozen=True)
class Crop:
    fits: bool = False
    """Only as much as can be read in the size that the page's text has."""

    rows: Part = None
    columns: Part = None
    """Of the result; what was read is cut to match. A number of them goes for all tensors."""

    def __bool__(self) -> bool:
        return self != WHOLE

    @property
    def chosen(self) -> bool:
        """Whether somebody said which part it is, whatever the page."""
        return self.rows is not None or self.columns is not None


END = 10**9
"""More entries than any axis has."""

WHOLE, READABLE = Crop(), Crop(fits=True)
NAMES = {"none": WHOLE, "auto": READABLE}


def parse_crop(text: str) -> Crop:
    """
    >>> parse_crop("auto").fits, parse_crop("6,8").rows, parse_crop("0:8,0:16").columns, parse_crop(",4").rows
    (True, 6, (0, 16), None)
    """
    if text in NAMES:
        return NAMES[text]
    parts = text.split(",")
    if len(parts) != 2:
        raise _wrong(text)
    return Crop(False, *(_part(part.strip(), text) for part in parts))


def crop_name(crop: Crop) -> str:
    """What would be read as this one.

    >>> crop_name(READABLE), crop_name(parse_crop("6,")), crop_name(parse_crop("2:8,:16"))
    ('auto', '6,', '2:8,0:16')
    """
    names = (name for name, each in NAMES.items() if each == crop)
    return next(names, f"{_written(crop.rows)},{_written(crop.columns)}")


def _written(part: Part) -> str:
    if isinstance(part, tuple):
        return f"{part[0]}:{'' if part[1] == END else part[1]}"
    return "" if part is None else str(part)


def _part(part: str, text: str) -> Part:
    found = re.fullmatch(r"([0-9]{0,9})(:?)([0-9]{0,9})", part)
    if found is None:
        raise _wrong(text)
    first, colon, last = found.groups()
    if not colon:
        if first and not int(first):
            raise _wrong(text)
        return int(first) if first else None
    part_of = int(first or 0), int(last or END)
    if part_of[0] >= part_of[1]:
        raise _wrong(text)
    return part_of


def _wrong(text: str) -> TxvizError:
    return TxvizError(
        f'the crop is "{text}"; it must be auto, none, how many rows and columns, such as 6,8, '
        "or which ones, such as 0:8,0:16"
    )
