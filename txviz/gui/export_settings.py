"""What was chosen in the export dialog, to be remembered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from txviz.errors import TxvizError
from txviz.figures.colour_scale import read_scale
from txviz.figures.crop import NAMES as CROPS
from txviz.figures.formats import DEPTHS, FORMATS, TEXTS
from txviz.figures.presets import PRESETS, THEMES, Preset, check_number
from txviz.figures.settings import Settings
from txviz.figures.views import VIEWS

SHOWN = {**{name: view.about for name, view in VIEWS.items()}, "plot": "the plot beside the stage, as it is now"}

SCOPES = ("step", "stage", "all", "pattern")


@dataclass(frozen=True)
class ExportSettings(Settings):
    scope: str = "step"
    pattern: str = "*.weights"

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, content: object) -> ExportSettings:
        """Whatever of it makes sense; the defaults for the rest."""
        known = content if isinstance(content, Mapping) else {}
        default = cls()
        kinds = {each.name: _kinds(getattr(default.full(), each.name)) for each in fields(cls)}
        kinds["title"] = bool, str
        kept = {name: known[name] for name, kind in kinds.items() if type(known.get(name)) in kind}
        found = replace(default, **kept)
        sound = (
            found.view in SHOWN
            and found.scope in SCOPES
            and found.format in FORMATS
            and found.preset in PRESETS
            and found.theme in (None, *THEMES)
            and found.worksheet in ("", *DEPTHS)
            and found.crop in (None, *CROPS)
            and found.text in TEXTS
        )
        return found if sound and found._within_limits() else default

    def _within_limits(self) -> bool:
        sizes = {"width": self.width, "height": self.height, "text size": self.text_size}
        sizes |= {"resolution": self.resolution, "number of seconds": self.seconds}
        sizes |= {"number of frames a second": self.frames or None}
        try:
            for name, size in sizes.items():
                check_number(name, size)
            read_scale(self.scale)
        except TxvizError:
            return False
        return True

    def page(self) -> Preset:
        """The preset's own theme was not chosen: it is what the dialog began with."""
        own = PRESETS[self.preset].style.theme.name
        return Settings.page(replace(self, theme=None) if self.theme == own else self)


def _kinds(value: object) -> tuple[type, ...]:
    return (int, float) if type(value) in (int, float) else (type(value),)
