"""What Qt does not write into a PDF: bookmarks, and what it was made by. Added at its end, as the format allows.

A PDF can be changed without moving a byte of it: new objects, and new ones in place of old ones, follow what is there,
then a table of where they are and a trailer that points to the table before.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from txviz.errors import TxvizError


def with_bookmarks(file: bytes, titles: Sequence[str], said: str) -> bytes:
    """A bookmark for each page, where there are several, and ``said`` as the document's subject."""
    update = _Update(file)
    subject = f"/Subject {_text(said)}\n" if said else ""
    update.change(update.reference("Info"), lambda info: info.replace("/Trapped", f"{subject}/Trapped"))
    if len(titles) > 1:
        first = update.size
        known = f"/Type /Catalog\n/Outlines {first} 0 R\n/PageMode /UseOutlines"
        update.change(update.reference("Root"), lambda root: root.replace("/Type /Catalog", known))
        for entry in _outline(titles, update.pages, first):
            update.add(entry)
    return update.written()


def _outline(titles: Sequence[str], pages: Sequence[int], first: int) -> list[str]:
    """The list as a whole, then an entry for each page; they know their neighbours by their numbers."""
    count = len(titles)
    entries = [f"<< /Type /Outlines /First {first + 1} 0 R /Last {first + count} 0 R /Count {count} >>"]
    for place, (title, page) in enumerate(zip(titles, pages, strict=True), first + 1):
        before = f" /Prev {place - 1} 0 R" if place > first + 1 else ""
        after = f" /Next {place + 1} 0 R" if place < first + count else ""
        entries.append(f"<< /Title {_text(title)} /Parent {first} 0 R{before}{after} /Dest [{page} 0 R /Fit] >>")
    return entries


def _text(text: str) -> str:
    """In UTF-16, as hexadecimal: any letter, and nothing to escape."""
    return f"<feff{text.encode('utf-16-be', 'replace').hex()}>"


class _Update:
    def __init__(self, file: bytes) -> None:
        self._file = file
        start = file.rindex(b"startxref")
        self._table = int(file[start + len("startxref") :].split()[0])
        self._trailer = file[file.rindex(b"trailer") : start].decode("latin-1")
        self._objects: dict[int, str] = {}
        self.size = self._number(r"/Size (\d+)", self._trailer)

    def reference(self, name: str) -> int:
        """Of an object that the trailer names."""
        return self._number(rf"/{name} (\d+) 0 R", self._trailer)

    @property
    def pages(self) -> list[int]:
        """The numbers of the pages, in order."""
        tree = self._content(self._number(r"/Pages (\d+) 0 R", self._content(self.reference("Root"))))
        kids = re.search(r"/Kids\s*\[([^]]*)\]", tree)
        return [int(number) for number in re.findall(r"(\d+) 0 R", kids[1])] if kids else []

    def change(self, number: int, changed: Callable[[str], str]) -> None:
        self._objects[number] = changed(self._content(number))

    def add(self, content: str) -> None:
        self._objects[self.size] = content
        self.size += 1

    def written(self) -> bytes:
        made = bytearray(self._file)
        places: dict[int, int] = {}
        for number, content in sorted(self._objects.items()):
            places[number] = len(made)
            made += f"{number} 0 obj\n{content}\nendobj\n".encode("latin-1")
        table = len(made)
        rows = "".join(f"{number} 1\n{place:010d} 00000 n \n" for number, place in places.items())
        trailer = re.sub(r"/Size \d+", f"/Size {self.size} /Prev {self._table}", self._trailer)
        return bytes(made) + f"xref\n{rows}{trailer}startxref\n{table} \n%%EOF\n".encode("latin-1")

    def _content(self, number: int) -> str:
        """Of an object that is a dictionary."""
        start = re.search(rb"(?:^|\n)%d 0 obj\n" % number, self._file)
        if start is None:
            raise TxvizError("this version of Qt writes PDF in another way, which txviz does not know yet")
        end = self._file.index(b"endobj", start.end())
        return self._file[start.end() : end].decode("latin-1").rstrip()

    @staticmethod
    def _number(pattern: str, text: str) -> int:
        found = re.search(pattern, text)
        if found is None:
            raise TxvizError("this version of Qt writes PDF in another way, which txviz does not know yet")
        return int(found[1])
