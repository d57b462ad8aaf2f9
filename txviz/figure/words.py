from __future__ import annotations

from typing import NamedTuple

from txviz.ops import Index
from txviz.trace import Step


class Print(NamedTuple):
    agrees: bool
    text: str


def sentences(step: Step, place: Index = ()) -> list[str]:
    return [step.text]


def shape_arithmetic(step: Step) -> str:
    return step.dimensions


def prints(step: Step) -> list[Print]:
    return []
