"""The files inside a PPTX, which is an archive: slides, their notes and pictures, and how they refer to each other.

They are written as text: the library would read each slide into a tree, and would walk through all files for each one
that it adds, which takes longer than all the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from txviz.figures.writers.drawingml import legal, one_line
from txviz.figures.writers.template import LAYOUT, MADE, empty_presentation

_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_OPEN = "http://schemas.openxmlformats.org"
_RELATIONS = f"{_OPEN}/officeDocument/2006/relationships"
_SPACES = f'xmlns:a="{_OPEN}/drawingml/2006/main" xmlns:p="{_OPEN}/presentationml/2006/main" xmlns:r="{_RELATIONS}"'
_KIND = "application/vnd.openxmlformats-officedocument.presentationml"
_TREE = (
    '<p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr><a:xfrm>'
    '<a:off x="0" y="0"/><a:ext cx="0" cy="0"/><a:chOff x="0" y="0"/><a:chExt cx="0" cy="0"/></a:xfrm></p:grpSpPr>'
)
_SAME_COLOURS = "<a:masterClrMapping/>"
_LIGHT_ON_DARK = (
    '<a:overrideClrMapping bg1="dk1" tx1="lt1" bg2="dk2" tx2="lt2" accent1="accent1" accent2="accent2"'
    ' accent3="accent3" accent4="accent4" accent5="accent5" accent6="accent6" hlink="hlink" folHlink="folHlink"/>'
)
_SECTIONS = (
    '<p:extLst><p:ext uri="{{521415D9-36F7-43E2-AB2F-B90AF26B5E84}}"><p14:sectionLst'
    ' xmlns:p14="http://schemas.microsoft.com/office/powerpoint/2010/main">{}</p14:sectionLst></p:ext></p:extLst>'
)
OPENING = "Opening"
"""The section of what comes before the first one that has a name."""

CORE = "docProps/core.xml"

_FIRST_SLIDE = 256
"""The smallest id that the format allows."""


class PptxFile:
    """Slides are added one by one; at the end all is packed."""

    def __init__(self, title: str, said: str = "") -> None:
        """``said`` is what the file says about itself, of any length; the library takes short texts alone."""
        self._files = empty_presentation(one_line(title))
        self._files[CORE] = self._with(CORE, "</dc:description>", legal(said))
        self._slides = 0
        self._pictures = 0
        self._sections: list[tuple[str, list[int]]] = []
        """Their names, and the numbers of their slides."""

    def add_picture(self, png: bytes) -> str:
        """Gives the name by which slides refer to it."""
        self._pictures += 1
        name = f"image{self._pictures}.png"
        self._files[f"ppt/media/{name}"] = png
        return name

    def add_slide(
        self,
        shapes: str,
        notes: str,
        pictures: Sequence[str],
        background: str,
        dark: bool,
        *,
        layout: str = LAYOUT,
        section: str = "",
        moving: str = "",
    ) -> None:
        """``shapes``, ``background`` and ``moving`` are XML; the pictures are called ``picture_id(0)`` and so on there.

        What is moving is how the slide comes, and what happens at a click.
        """
        self._slides += 1
        n = self._slides
        if not self._sections or section not in ("", self._sections[-1][0]):
            self._sections.append((section or OPENING, []))
        self._sections[-1][1].append(n)
        kept = [("slideLayout", f"../slideLayouts/{layout}"), ("notesSlide", f"../notesSlides/notesSlide{n}.xml")]
        self._write("slides", f"slide{n}.xml", _sheet("sld", background, shapes, dark, moving))
        self._write(
            "slides/_rels", f"slide{n}.xml.rels", _related([*kept, *(("image", f"../media/{p}") for p in pictures)])
        )
        back = [("notesMaster", "../notesMasters/notesMaster1.xml"), ("slide", f"../slides/slide{n}.xml")]
        self._write("notesSlides", f"notesSlide{n}.xml", _sheet("notes", "", _notes(notes), False))
        self._write("notesSlides/_rels", f"notesSlide{n}.xml.rels", _related(back))

    def _write(self, folder: str, name: str, text: str) -> None:
        self._files[f"ppt/{folder}/{name}"] = (_HEAD + text).encode()

    def packed(self) -> bytes:
        """The archive, in a fixed order and with a fixed date."""
        files = self._files | self._lists()
        made = BytesIO()
        with ZipFile(made, "w") as archive:
            for name in sorted(files):
                entry = ZipInfo(name, MADE.timetuple()[:6])
                entry.compress_type = ZIP_STORED if name.endswith(".png") else ZIP_DEFLATED
                entry.create_system = 0
                archive.writestr(entry, files[name])
        return made.getvalue()

    def _lists(self) -> dict[str, bytes]:
        """The template's lists of all files and of all slides, with those that were added."""
        numbers = range(1, self._slides + 1)
        kinds = '<Default Extension="png" ContentType="image/png"/>' + "".join(
            f'<Override PartName="/ppt/{kind}s/{kind}{n}.xml" ContentType="{_KIND}.{kind}+xml"/>'
            for kind in ("slide", "notesSlide")
            for n in numbers
        )
        related = (
            f'<Relationship Id="slide{n}" Type="{_RELATIONS}/slide" Target="slides/slide{n}.xml"/>' for n in numbers
        )
        ids = (f'<p:sldId id="{_FIRST_SLIDE + n - 1}" r:id="slide{n}"/>' for n in numbers)
        return {
            "[Content_Types].xml": self._with("[Content_Types].xml", "</Types>", kinds),
            "ppt/_rels/presentation.xml.rels": self._with(
                "ppt/_rels/presentation.xml.rels", "</Relationships>", "".join(related)
            ),
            "ppt/presentation.xml": self._with(
                "ppt/presentation.xml", "<p:sldSz", f"<p:sldIdLst>{''.join(ids)}</p:sldIdLst>"
            ).replace(b"</p:presentation>", f"{self._in_sections()}</p:presentation>".encode()),
        }

    def _in_sections(self) -> str:
        """Which slides belong together, as the list beside them shows it; nothing where there is one section."""
        if len(self._sections) < 2:
            return ""
        made = (
            f'<p14:section name="{legal(name)}" id="{_guid(place)}"><p14:sldIdLst>'
            + "".join(f'<p14:sldId id="{_FIRST_SLIDE + n - 1}"/>' for n in numbers)
            + "</p14:sldIdLst></p14:section>"
            for place, (name, numbers) in enumerate(self._sections)
        )
        return _SECTIONS.format("".join(made))

    def _with(self, name: str, before: str, added: str) -> bytes:
        return self._files[name].replace(before.encode(), (added + before).encode())


def _guid(place: int) -> str:
    """An id that the format wants: the same in every file, since a file is compared with itself alone."""
    return f"{{00000000-0000-4000-8000-{place + 1:012X}}}"


def picture_id(place: int) -> str:
    """What the XML of a slide calls its first picture (0), its second …"""
    return f"rId{place + 3}"


def _related(targets: Iterable[tuple[str, str]]) -> str:
    """Each with its kind, counted from ``rId1``."""
    entries = (
        f'<Relationship Id="rId{i}" Type="{_RELATIONS}/{kind}" Target="{target}"/>'
        for i, (kind, target) in enumerate(targets, start=1)
    )
    return f'<Relationships xmlns="{_OPEN}/package/2006/relationships">{"".join(entries)}</Relationships>'


def _sheet(kind: str, background: str, shapes: str, dark: bool, moving: str = "") -> str:
    colours = _LIGHT_ON_DARK if dark else _SAME_COLOURS
    return (
        f"<p:{kind} {_SPACES}><p:cSld>{background}<p:spTree>{_TREE}{shapes}</p:spTree></p:cSld>"
        f"<p:clrMapOvr>{colours}</p:clrMapOvr>{moving}</p:{kind}>"
    )


def _notes(text: str) -> str:
    """A picture of the slide, and below it the text with a paragraph for each of its lines."""
    lines = (
        f'<a:p><a:r><a:rPr lang="en-US"/><a:t>{legal(line)}</a:t></a:r></a:p>' for line in text.splitlines() or [""]
    )
    body = f"<p:txBody><a:bodyPr/><a:lstStyle/>{''.join(lines)}</p:txBody>"
    return placeholder(2, "Slide", 'type="sldImg" idx="2"', "") + placeholder(
        3, "Notes", 'type="body" idx="3" sz="quarter"', body
    )


def placeholder(number: int, name: str, kind: str, body: str) -> str:
    """A shape that takes its place and its looks from the layout."""
    return (
        f'<p:sp><p:nvSpPr><p:cNvPr id="{number}" name="{name}"/><p:cNvSpPr><a:spLocks noGrp="1"/></p:cNvSpPr>'
        f"<p:nvPr><p:ph {kind}/></p:nvPr></p:nvSpPr><p:spPr/>{body}</p:sp>"
    )
