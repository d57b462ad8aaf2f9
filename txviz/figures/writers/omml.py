"""Formulas as Office writes them (OMML), so that an equation on a slide can be edited: from LaTeX, by way of MathML."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from xml.etree import ElementTree
from xml.etree.ElementTree import Element
from xml.sax.saxutils import escape

SPACES = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'

_ACCENTS = {"^": "\u0302", "ˆ": "\u0302", "~": "\u0303", "˜": "\u0303", "→": "\u20d7", "˙": "\u0307"}
"""What stands above a letter, and the character by which Office knows it."""

_BARS = "¯‾_――̅"
_NEIGHBOURS = re.compile(
    r'(<m:r>(?:<m:rPr>(?:(?!</m:rPr>).)*</m:rPr>)?\0<m:t xml:space="preserve">)([^<]*)</m:t></m:r>\1'
)
"""Two runs of one style: "softmax" comes letter by letter."""

_THIN, _WIDE = "\u2009", "\u2003"


def omml(latex: str, look: str = "") -> str:
    """The inside of an ``m:oMath``; ``look`` is the ``a:rPr`` that each run of a slide has."""
    return _marked(latex).replace("\0", look)


@lru_cache(maxsize=500)
def _marked(latex: str) -> str:
    """With a zero byte where the look of a run goes: the same formula comes in many sizes and colours."""
    from latex2mathml.converter import convert  # takes a while

    (row,) = ElementTree.fromstring(convert(latex))
    made, count = _children(row), 1
    while count:
        made, count = _NEIGHBOURS.subn(r"\1\2", made)
    return made


def _children(element: Element) -> str:
    return _row(list(element))


def _row(children: Sequence[Element]) -> str:
    """One after the other; what stands between brackets that grow with it is one thing."""
    made = ""
    place = 0
    while place < len(children):
        child = children[place]
        if _fence(child) == "prefix":
            end = _closing(children, place)
            inside = children[place + 1 : end]
            right = _text(children[end]) if end < len(children) else ""
            made += _bracketed(_text(child), _row(inside), right)
            place = end + 1
        else:
            made += _written(child)
            place += 1
    return made


def _fence(element: Element) -> str:
    """Whether it opens or closes a bracket: "prefix" or "postfix"."""
    return element.get("form", "") if _tag(element) == "mo" and element.get("fence") == "true" else ""


def _closing(children: Sequence[Element], opening: int) -> int:
    """Where the bracket ends that opens here; behind all where it does not."""
    depth = 0
    for place in range(opening, len(children)):
        depth += {"prefix": 1, "postfix": -1}.get(_fence(children[place]), 0)
        if not depth:
            return place
    return len(children)


def _written(element: Element) -> str:
    tag, parts = _tag(element), list(element)
    if tag in ("mi", "mn", "mo", "mtext"):
        upright = tag != "mi" or element.get("mathvariant") == "normal" or len(_text(element)) > 1
        return _run(_text(element), upright=upright)
    if tag == "mspace":
        return _run(_WIDE if element.get("width", "").startswith("1") else _THIN, upright=True)
    if tag == "mover":
        return _over(*parts)
    if tag == "mtable":
        return _table(parts)
    if tag in _BUILT:
        kind, names, before = _BUILT[tag]
        inside = "".join(_slot(name, _written(part)) for name, part in zip(names, parts, strict=True))
        return f"<m:{kind}>{before}{inside}</m:{kind}>"
    if tag == "msqrt":
        return f'<m:rad><m:radPr><m:degHide m:val="1"/></m:radPr><m:deg/>{_slot("e", _children(element))}</m:rad>'
    return _children(element)


_BUILT: dict[str, tuple[str, tuple[str, ...], str]] = {
    "msub": ("sSub", ("e", "sub"), ""),
    "msup": ("sSup", ("e", "sup"), ""),
    "msubsup": ("sSubSup", ("e", "sub", "sup"), ""),
    "mfrac": ("f", ("num", "den"), ""),
    "munder": ("limLow", ("e", "lim"), ""),
}
"""By the name in MathML: the name here, and those of its parts, in their order."""


def _over(base: Element, above: Element) -> str:
    sign = _text(above)
    if sign in _BARS:
        return f'<m:bar><m:barPr><m:pos m:val="top"/></m:barPr>{_slot("e", _written(base))}</m:bar>'
    return f'<m:acc><m:accPr><m:chr m:val="{_ACCENTS.get(sign, sign)}"/></m:accPr>{_slot("e", _written(base))}</m:acc>'


def _table(rows: Iterable[Element]) -> str:
    """Left-aligned, as the cases of a definition are."""
    cells = [[_slot("e", _children(cell)) for cell in row] for row in rows]
    made = "".join(f"<m:mr>{''.join(row)}</m:mr>" for row in cells)
    columns = max(map(len, cells), default=1)
    aligned = f'<m:mcPr><m:count m:val="{columns}"/><m:mcJc m:val="left"/></m:mcPr>'
    return f"<m:m><m:mPr><m:mcs><m:mc>{aligned}</m:mc></m:mcs></m:mPr>{made}</m:m>"


def _bracketed(left: str, inside: str, right: str) -> str:
    ends = f'<m:begChr m:val="{escape(left)}"/><m:endChr m:val="{escape(right)}"/>'
    return f"<m:d><m:dPr>{ends}</m:dPr>{_slot('e', inside)}</m:d>"


def _slot(name: str, inside: str) -> str:
    return f"<m:{name}>{inside}</m:{name}>"


def _run(text: str, *, upright: bool) -> str:
    style = '<m:rPr><m:sty m:val="p"/></m:rPr>' if upright else ""
    return f'<m:r>{style}\0<m:t xml:space="preserve">{escape(text)}</m:t></m:r>'


def _tag(element: Element) -> str:
    return element.tag.rpartition("}")[2]


def _text(element: Element) -> str:
    return element.text or ""
