"""Photographs as a checkpoint's preprocessor makes them ready: resized, cut to size, and standardised."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from txviz.errors import TxvizError
from txviz.files import check_file, is_file
from txviz.models.checkpoints.config import Config, read_json
from txviz.models.colour_text import is_colours, read_colours
from txviz.models.images import opened_picture
from txviz.ops import Array

FILE = "preprocessor_config.json"
COLOURS = 3
_LARGEST = 4096


class Preprocessor(NamedTuple):
    """What is done to a photograph before the model sees it."""

    resize: tuple[int, int] | int | None
    """Height and width; one number is for the shorter side; None leaves it as it is."""

    resample: int
    """How, by Pillow's number: 2 is bilinear, 3 bicubic."""

    crop: tuple[int, int] | None
    mean: tuple[float, ...]
    spread: tuple[float, ...]

    def pixels(self, source: object, size: tuple[int, int]) -> Array:  # -> (rows,columns,3)
        """A photograph, or an array of its pixels, as 8-bit colours at the size that the model reads."""
        found = self._cropped(self._resized(_picture(source)))
        if found.shape[:2] != size:
            high, wide = found.shape[:2]
            raise TxvizError(f"the picture becomes {wide}×{high} pixels; this model reads {size[1]}×{size[0]}")
        return found

    def keeps(self, size: tuple[int, int]) -> bool:
        """Whether a picture of this size stays as it is, so that it can be drawn pixel by pixel."""
        return self.resize in (None, size, min(size)) and self.crop in (None, size)

    def _resized(self, picture: Any) -> Any:
        if self.resize is None:
            return picture
        wide, high = picture.size
        if isinstance(self.resize, tuple):
            rows, columns = self.resize
        else:
            factor = self.resize / min(wide, high)
            rows, columns = (self.resize if side == min(wide, high) else int(side * factor) for side in (high, wide))
        if max(rows, columns) > _LARGEST:
            raise TxvizError(f"the picture is too long and narrow: it would become {columns}×{rows} pixels")
        return picture.resize((columns, rows), resample=self.resample)

    def _cropped(self, picture: Any) -> Array:  # -> (rows,columns,3)
        pixels = np.asarray(picture)
        if self.crop is None:
            return pixels
        top, left = ((have - want) // 2 for have, want in zip(pixels.shape, self.crop, strict=False))
        if min(top, left) < 0:
            raise TxvizError(
                f"the picture is smaller than the {self.crop[1]}×{self.crop[0]} pixels that are cut out of it"
            )
        return pixels[top : top + self.crop[0], left : left + self.crop[1]]


def _picture(source: object) -> Any:
    """A file, colours as text, or an array of 8-bit colours, as Pillow has it."""
    drawn = isinstance(source, str) and is_colours(source) and not is_file(Path(source))
    if isinstance(source, str | Path) and not drawn:
        check_file(Path(source))
        return opened_picture(Path(source))
    from PIL import Image

    pixels = read_colours(str(source)) if drawn else np.asarray(source)
    if pixels.dtype != np.uint8 or pixels.ndim != 3 or pixels.shape[2] != COLOURS:
        raise TxvizError("this model reads a picture: a file, or an array of rows × columns × 3 whole numbers to 255")
    return Image.fromarray(pixels)


def open_preprocessor(folder: Path, size: tuple[int, int], colours: int = COLOURS) -> Preprocessor:
    config = Config(folder, FILE, read_json(folder / FILE))
    config.must_be("do_rescale", True)
    config.must_be("do_normalize", True)
    if abs(config.number("rescale_factor", 1 / 255) - 1 / 255) > 1e-9:
        raise config.wrong("rescale_factor", "1/255")
    resample = config.whole("resample", 2, lowest=0, highest=5)
    _check_nothing_else(config)
    mean, spread = (tuple(config.numbers(name, colours)) for name in ("image_mean", "image_std"))
    if min(spread) <= 0:
        raise config.wrong("image_std", f"{colours} numbers above 0")
    resize = _size(config, "size", size) if config.flag("do_resize", True) else None
    crop = _size(config, "crop_size", size) if config.flag("do_center_crop", False) else None
    return Preprocessor(resize, resample, crop if isinstance(crop, tuple) else None, mean, spread)


_KNOWN = ("do_resize", "do_center_crop", "do_rescale", "do_normalize", "do_convert_rgb")


def _check_nothing_else(config: Config) -> None:
    """What is switched on and not done here would change the picture."""
    told = config.content if isinstance(config.content, dict) else {}
    others = [name for name, on in told.items() if on is True and name.startswith("do_") and name not in _KNOWN]
    if others or told.get("crop_pct") is not None:
        name = (*others, "crop_pct")[0]
        raise TxvizError(f"{config.folder / FILE} asks for {name[:60]}; what can be done is {', '.join(_KNOWN)}")


def _size(config: Config, name: str, usual: tuple[int, int]) -> tuple[int, int] | int:
    """Height and width, the shorter side, or one number for both; what the model reads where nothing is said."""
    told = config.get(name)
    if told is None:
        return usual
    if not isinstance(told, dict):
        return config.pair(name)
    inner = config.inner(name)
    if "shortest_edge" in told:
        return inner.whole("shortest_edge", highest=_LARGEST)
    return inner.whole("height", highest=_LARGEST), inner.whole("width", highest=_LARGEST)
