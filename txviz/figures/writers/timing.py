"""What happens on a slide when it comes and at each click: the XML that follows its shapes.

PowerPoint turns one slide into the next (Morph): shapes of the same name that begins with ``!!`` move. Where a program
does not know that, slides fade. Each click fades in some groups; printed, all of them are there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count

FADE = 500
"""Milliseconds that a shape takes to come."""

MORPH = 1500
"""The same of a slide."""

TRANSITION = (
    '<mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">'
    '<mc:Choice xmlns:p159="http://schemas.microsoft.com/office/powerpoint/2015/09/main" Requires="p159">'
    '<p:transition spd="slow" xmlns:p14="http://schemas.microsoft.com/office/powerpoint/2010/main"'
    f' p14:dur="{MORPH}"><p159:morph option="byObject"/></p:transition></mc:Choice>'
    '<mc:Fallback><p:transition spd="slow"><p:fade/></p:transition></mc:Fallback></mc:AlternateContent>'
)
"""From the slide before."""

_AT_ONCE = '<p:stCondLst><p:cond delay="0"/></p:stCondLst>'
_ON_CLICK = '<p:stCondLst><p:cond delay="indefinite"/></p:stCondLst>'
_VISIBLE = "<p:attrNameLst><p:attrName>style.visibility</p:attrName></p:attrNameLst>"
_FADING_IN = 'presetID="10" presetClass="entr" presetSubtype="0" fill="hold"'
"""What PowerPoint's own list of effects calls Fade."""


def timing(clicks: Sequence[Sequence[int]]) -> str:
    """The groups of these ids come with the first click, with the second …; nothing where there are no clicks."""
    if not clicks:
        return ""
    ids = count(1)
    root, main = next(ids), next(ids)
    shown = "".join(_click(groups, ids) for groups in clicks)
    return (
        f'<p:timing><p:tnLst><p:par><p:cTn id="{root}" dur="indefinite" restart="never" nodeType="tmRoot">'
        f'<p:childTnLst><p:seq concurrent="1" nextAc="seek"><p:cTn id="{main}" dur="indefinite" nodeType="mainSeq">'
        f"<p:childTnLst>{shown}</p:childTnLst></p:cTn>{_turn('prev', 'onPrev')}{_turn('next', 'onNext')}</p:seq>"
        "</p:childTnLst></p:cTn></p:par></p:tnLst></p:timing>"
    )


def _turn(way: str, event: str) -> str:
    cond = f'<p:cond evt="{event}" delay="0"><p:tgtEl><p:sldTgt/></p:tgtEl></p:cond>'
    return f"<p:{way}CondLst>{cond}</p:{way}CondLst>"


def _click(groups: Sequence[int], ids: Iterator[int]) -> str:
    """A click is two nested spans of time, as PowerPoint writes them; the second holds the effects."""
    outer, inner = next(ids), next(ids)
    kinds = ("clickEffect", *("withEffect" for _ in groups[1:]))
    effects = "".join(_effect(group, kind, ids) for group, kind in zip(groups, kinds, strict=True))
    within = f'<p:par><p:cTn id="{inner}" fill="hold">{_AT_ONCE}<p:childTnLst>{effects}</p:childTnLst></p:cTn></p:par>'
    return f'<p:par><p:cTn id="{outer}" fill="hold">{_ON_CLICK}<p:childTnLst>{within}</p:childTnLst></p:cTn></p:par>'


def _effect(group: int, kind: str, ids: Iterator[int]) -> str:
    whole, seen, faded = next(ids), next(ids), next(ids)
    target = f'<p:tgtEl><p:spTgt spid="{group}"/></p:tgtEl>'
    return (
        f'<p:par><p:cTn id="{whole}" {_FADING_IN} nodeType="{kind}">{_AT_ONCE}<p:childTnLst>'
        f'<p:set><p:cBhvr><p:cTn id="{seen}" dur="1" fill="hold">{_AT_ONCE}</p:cTn>{target}{_VISIBLE}</p:cBhvr>'
        '<p:to><p:strVal val="visible"/></p:to></p:set>'
        f'<p:animEffect transition="in" filter="fade"><p:cBhvr><p:cTn id="{faded}" dur="{FADE}"/>{target}</p:cBhvr>'
        "</p:animEffect></p:childTnLst></p:cTn></p:par>"
    )
