"""What was chosen in the export dialog, to be remembered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from txviz.figures.formats import FORMATS, VIEWS
from txviz.figures.presets import PRESETS, THEMES, Preset

SHOWN = {**VIEWS, "plot": "the plot beside the stage, as it is now"}

SCOPES = ("step", "stage", "all", "pattern")


@dataclass(frozen=True)
class ExportSettings:
    scope: str = "step"
    pattern: str = "*.weights"
    view: str = "stage"
    format: str = "png"
    preset: str = "slide"
    theme: str = "light"
    width: float = PRESETS["slide"].width
    height: float = PRESETS["slide"].height
    text_size: float = PRESETS["slide"].style.size
    title: bool = True
    formula: bool = True
    numbers: bool = True
    labels: bool = True
    resolution: float = 2.0
    transparent: bool = False
    seconds: float = 1.0
    loop: bool = True

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, content: object) -> ExportSettings:
        """Whatever of it makes sense; the defaults for the rest."""
        known = content if isinstance(content, Mapping) else {}
        default = cls()
        kept = {
            each.name: known[each.name]
            for each in fields(cls)
            if type(known.get(each.name)) in _kinds(getattr(default, each.name))
        }
        found = replace(default, **kept)
        sound = (
            found.view in SHOWN
            and found.scope in SCOPES
            and found.format in FORMATS
            and found.preset in PRESETS
            and found.theme in THEMES
        ) and min(found.width, found.height, found.text_size, found.resolution, found.seconds) > 0
        return found if sound else default

    def page(self) -> Preset:
        """The preset with all that was chosen."""
        preset = PRESETS[self.preset]
        preset = preset if preset.style.theme.name == self.theme else preset.themed(THEMES[self.theme])
        style = replace(
            preset.style,
            size=self.text_size,
            title=self.title,
            formula=self.formula,
            numbers=self.numbers,
            labels=self.labels,
        )
        return replace(preset, width=self.width, height=self.height, style=style)


def _kinds(value: object) -> tuple[type, ...]:
    return (int, float) if type(value) in (int, float) else (type(value),)
