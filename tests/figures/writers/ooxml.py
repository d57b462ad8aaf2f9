"""What the format (ECMA-376) demands of the parts of a slide that are written: which elements, and in which order.

PowerPoint offers to repair a file that has them otherwise; other programs, python-pptx among them, do not mind.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

SPACES = {
    "http://schemas.openxmlformats.org/drawingml/2006/main": "a",
    "http://schemas.openxmlformats.org/presentationml/2006/main": "p",
    "http://schemas.openxmlformats.org/markup-compatibility/2006": "mc",
    "http://schemas.microsoft.com/office/powerpoint/2015/09/main": "p159",
    "http://schemas.microsoft.com/office/drawing/2010/main": "a14",
    "http://schemas.openxmlformats.org/officeDocument/2006/math": "m",
}
FILL = "a:noFill a:solidFill a:gradFill a:blipFill a:pattFill"
SHAPES = "p:sp p:grpSp p:graphicFrame p:cxnSp p:pic mc:AlternateContent"

SEQUENCES = {
    "p:sld": "p:cSld | p:clrMapOvr | p:transition mc:AlternateContent | p:timing | p:extLst",
    "p:cSld": "p:bg | p:spTree | p:extLst",
    "p:bg": "p:bgPr",
    "p:bgPr": f"{FILL} | a:effectLst",
    "p:clrMapOvr": "a:masterClrMapping a:overrideClrMapping",
    "p:spTree": f"p:nvGrpSpPr | p:grpSpPr | {SHAPES}",
    "p:grpSp": f"p:nvGrpSpPr | p:grpSpPr | {SHAPES}",
    "p:nvGrpSpPr": "p:cNvPr | p:cNvGrpSpPr | p:nvPr",
    "p:grpSpPr": f"a:xfrm | {FILL}",
    "p:sp": "p:nvSpPr | p:spPr | p:style | p:txBody",
    "p:nvSpPr": "p:cNvPr | p:cNvSpPr | p:nvPr",
    "p:cxnSp": "p:nvCxnSpPr | p:spPr | p:style",
    "p:nvCxnSpPr": "p:cNvPr | p:cNvCxnSpPr | p:nvPr",
    "p:cNvCxnSpPr": "a:cxnSpLocks | a:stCxn | a:endCxn",
    "p:pic": "p:nvPicPr | p:blipFill | p:spPr | p:style",
    "p:nvPicPr": "p:cNvPr | p:cNvPicPr | p:nvPr",
    "p:blipFill": "a:blip | a:srcRect | a:tile a:stretch",
    "p:spPr": f"a:xfrm | a:custGeom a:prstGeom | {FILL} | a:ln | a:effectLst",
    "p:txBody": "a:bodyPr | a:lstStyle | a:p",
    "p:transition": "p:fade p159:morph",
    "p:timing": "p:tnLst | p:bldLst",
    "p:tnLst": "p:par p:seq",
    "p:childTnLst": "p:par p:seq p:set p:animEffect",
    "p:par": "p:cTn",
    "p:seq": "p:cTn | p:prevCondLst | p:nextCondLst",
    "p:cTn": "p:stCondLst | p:endCondLst | p:childTnLst",
    "p:stCondLst": "p:cond",
    "p:prevCondLst": "p:cond",
    "p:nextCondLst": "p:cond",
    "p:cond": "p:tgtEl",
    "p:tgtEl": "p:spTgt p:sldTgt",
    "p:set": "p:cBhvr | p:to",
    "p:animEffect": "p:cBhvr | p:progress",
    "p:cBhvr": "p:cTn | p:tgtEl | p:attrNameLst",
    "p:attrNameLst": "p:attrName",
    "p:to": "p:strVal",
    "a:xfrm": "a:off | a:ext | a:chOff | a:chExt",
    "a:custGeom": "a:avLst | a:gdLst | a:ahLst | a:cxnLst | a:rect | a:pathLst",
    "a:pathLst": "a:path",
    "a:path": "a:close a:moveTo a:lnTo a:quadBezTo a:cubicBezTo",
    "a:prstGeom": "a:avLst",
    "a:ln": f"{FILL} | a:prstDash | a:round a:bevel a:miter | a:headEnd | a:tailEnd",
    "a:pattFill": "a:fgClr | a:bgClr",
    "a:bodyPr": "a:prstTxWarp | a:noAutofit a:normAutofit",
    "a:p": "a:pPr | a:r a14:m | a:endParaRPr",
    "a:r": "a:rPr | a:t",
    "a:rPr": f"a:ln | {FILL} | a:latin | a:ea | a:cs",
    "mc:AlternateContent": "mc:Choice | mc:Fallback",
}
"""The children of an element: places in their order with a bar between them, and what may stand at each."""

REQUIRED = {
    "p:cNvPr": ("id", "name"),
    "p:spTgt": ("spid",),
    "p:attrName": (),
    "mc:Choice": ("Requires",),
    "p:animEffect": ("transition", "filter"),
    "a:off": ("x", "y"),
    "a:ext": ("cx", "cy"),
    "a:prstGeom": ("prst",),
    "a:srgbClr": ("val",),
}


def faults(root: Any) -> Iterator[str]:
    """Sentences about what is not as the format wants it, in the tree of a slide."""
    for element in root.iter():
        name = short(element)
        if name in SEQUENCES:
            yield from _disorder(name, [short(child) for child in element])
        missing = [key for key in REQUIRED.get(name, ()) if element.get(key) is None]
        if missing:
            yield f"{name} has no {missing[0]}"
        if name == "mc:Choice":
            unknown = [prefix for prefix in element.get("Requires").split() if prefix not in element.nsmap]
            yield from (f"{prefix} is not declared" for prefix in unknown)


def _disorder(name: str, children: list[str]) -> Iterator[str]:
    places = [place.split() for place in SEQUENCES[name].split(" | ")]
    reached = 0
    for child in children:
        found = next((i for i, place in enumerate(places) if child in place), None)
        if found is None:
            yield f"{name} has a {child}"
        elif found < reached:
            yield f"{name} has {child} too late"
        else:
            reached = found


def short(element: Any) -> str:
    space, _, name = element.tag[1:].partition("}")
    return f"{SPACES.get(space, space)}:{name}"
