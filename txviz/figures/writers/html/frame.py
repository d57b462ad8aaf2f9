"""The page around the steps: its frame, its colours in both themes, its fonts, and the rule that nothing is fetched."""

from __future__ import annotations

import json
import zlib
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from hashlib import sha256
from html import escape
from string import Template
from typing import Any, TypeAlias

import numpy as np

from txviz import resources
from txviz.figures import fonts
from txviz.figures.job import Export, Shown
from txviz.figures.marks import HATCH_STEP, HATCH_WIDTH, TEXT_DROP
from txviz.figures.provenance import provenance
from txviz.figures.theme import (
    DARK,
    DARK_INK,
    LEVELS,
    LIGHT,
    LIGHT_INK,
    Theme,
    greys,
    is_dark,
    scale_table,
    stage_colour,
)
from txviz.figures.writers.html.compact import PLAIN, ROLES
from txviz.figures.writers.html.level import Links
from txviz.figures.writers.html.picture import Pictures, Piece
from txviz.ops import Array
from txviz.trace import Step, Trace, cursor
from txviz.trace.outline import Node

_STEPS = "<!-- steps -->"
"""Where in the frame the steps go."""

FACES = (
    ("IBMPlexSans-Regular.ttf", fonts.SANS, "400"),
    ("IBMPlexSans-SemiBold.ttf", fonts.SANS, "600"),
    ("IBMPlexMono-Regular.ttf", fonts.MONO, "400"),
)
"""File, family and weight."""

SCRIPTS = (
    "unpack.js",
    "drawing.js",
    "cells.js",
    "cover.js",
    "showing.js",
    "address.js",
    "list.js",
    "printing.js",
    "embedding.js",
    "keys.js",
    "start.js",
)
"""What the page can do, a module each."""

LONG = 500
"""Letters, or entries of a list."""


def frame(wanted: Export, links: Links, made_by: str) -> tuple[str, str]:
    """What stands before the steps in the file, and what stands after them.

    The page is always light and dark; where the theme was chosen, it opens in that one.
    """
    script, preset = _script(), wanted.preset
    by_day = LIGHT if preset.style.theme is DARK else preset.style.theme
    style = "\n".join([_colours(":root", by_day), _by_night(), _resource("page.css")])
    page = Template(_resource("page.html")).substitute(
        theme=f' data-theme="{_scheme(preset.style.theme)}"' if preset.theme_chosen else "",
        title=escape(_title(wanted.trace)),
        command=escape(made_by),
        policy=f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}",
        style=style,
        index=_packable(_index(wanted, links)).decode().replace("<", "\\u003c"),
        fonts="\n".join(_fonts()),
        script=script,
    )
    before, _, after = _encoded(page).decode().partition(_STEPS)
    return before, after


PACKED = 4
"""How hard, from 1 to 9: a twentieth larger than with the usual 6, in half of the time."""


def block(kind: str, content: bytes) -> str:
    """Bytes inside the page, packed: text for the browser, which only the page's script reads."""
    packed = b64encode(zlib.compress(content, PACKED)).decode()
    return f'<script type="text/plain" class="{kind}">{packed}</script>\n'


Block: TypeAlias = tuple[str, bytes]
"""What it is, and what is in it."""


def packed(steps: Iterable[list[Block]]) -> Iterator[str]:
    """The blocks of each step as text. A step is packed in a thread of its own while the next one is made."""
    with ThreadPoolExecutor(1) as packing:
        waiting: list[Future[str]] = []
        for blocks in steps:
            waiting.append(packing.submit(_packed, blocks))
            if len(waiting) > 1:
                yield waiting.pop(0).result()
        yield from (each.result() for each in waiting)


def _packed(blocks: list[Block]) -> str:
    return "".join(block(kind, content) for kind, content in blocks)


class Blocks:
    """The steps of a page, to be packed. What is long and shared, such as a weight that every time step reads, stands
    there once.

    It is a piece of its own, before the first step that needs it; the steps have its number. So have other pictures of
    the step, which are unpacked only when somebody wants to see them.
    """

    def __init__(self) -> None:
        self._numbers: dict[bytes, int] = {}
        self._pictures = 0

    def of(self, step: dict[str, Any], pictures: Sequence[Pictures]) -> list[Block]:
        """The step, after its other pictures and those long texts that are new in it."""
        new: list[Block] = []
        views = [[name, title, [self._picture(each, new) for each in made]] for name, title, made in pictures]
        last = self._block("step", step | {"views": views}, new)
        return [*new, last]

    def _picture(self, drawn: Piece, new: list[Block]) -> int:
        new.append(self._block("view", drawn, new))
        self._pictures += 1
        return self._pictures - 1

    def _block(self, kind: str, content: dict[str, Any], new: list[Block]) -> Block:
        shared = [self._number(text, new) if len(text) > LONG else text for text in content["shared"]]
        return kind, _packable(content | {"shared": shared})

    def _number(self, text: str | tuple[str, ...], new: list[Block]) -> int:
        content = _packable(text)
        key = sha256(content).digest()
        if key not in self._numbers:
            self._numbers[key] = len(self._numbers)
            new.append(("long", content))
        return self._numbers[key]


def _packable(content: Any) -> bytes:
    """Without a look for circles, which there are none of."""
    return _encoded(json.dumps(content, ensure_ascii=False, check_circular=False, separators=(",", ":")))


def _encoded(text: str) -> bytes:
    """Halves of characters, which no file can hold, become "?": they come from text that was not UTF-8."""
    return text.encode("utf-8", "replace")


def _script() -> str:
    """The modules of the page one after the other, in a scope of their own."""
    return '"use strict";\n(() => {\n' + "\n".join(map(_resource, SCRIPTS)) + "\nstart();\n})();\n"


def _resource(name: str) -> str:
    return resources.path("html", name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """Only this very script or style is let in."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _fonts() -> list[str]:
    """The text faces; what they lack comes from the reader's system."""
    return [block("font", resources.path("fonts", file).read_bytes()) for file, _, _ in FACES]


def _title(trace: Trace) -> str:
    return " · ".join(filter(None, (trace.outline.title, _given(trace), "txviz")))


def _given(trace: Trace) -> str:
    """The sentence that the model was given; nothing for a drawing."""
    given = trace.about.get("input")
    return given if isinstance(given, str) and all(step.name != "image" for step in trace) else ""


def _index(wanted: Export, links: Links) -> dict[str, Any]:
    """What the page knows of all its steps and pictures before any is opened."""
    trace, shown = wanted.trace, wanted.shown
    step = trace.output_step
    said = str(trace.output) if step is None else f"{step.title}, {'×'.join(map(str, step.value.shape))}"
    return {
        "model": trace.outline.title,
        "input": " · ".join(filter(None, (_given(trace), trace.edited_text))),
        "output": said,
        "names": [each.name or "map" for each in shown],
        "titles": [_called(wanted, each) for each in shown],
        "texts": [each.text if isinstance(each, Step) else each.why.text for each in shown],
        "numbers": _numbers(shown),
        "captions": [wanted.filled(wanted.caption, each) for each in shown] if wanted.caption else [],
        "provenance": provenance(trace, wanted.other) if wanted.provenance else "",
        "cell": ",".join(map(str, wanted.outlined or ())),
        "stages": _stages(shown),
        "above": [links.above(each.name) for each in shown],
        "key": [int(isinstance(each, Node) or each in trace.key_steps) for each in shown],
        "faces": [[family, weight] for _, family, weight in FACES],
        "hatch": [HATCH_STEP, HATCH_WIDTH],
        "text_drop": TEXT_DROP,
        "dark_greys": int(is_dark(greys(np.arange(256) / 255)).sum()),
    }


def _called(wanted: Export, shown: Shown) -> str:
    """A block is called as its steps are, so that the list can shorten its name."""
    if isinstance(shown, Node) and shown.level == "block":
        return shown.first.site._replace(leaf="").title
    return wanted.title(shown)


def _numbers(shown: Sequence[Shown]) -> list[int]:
    """Of each step, counted from 1; of a picture, 0."""
    count, found = 0, []
    for each in shown:
        count += isinstance(each, Step)
        found.append(count if isinstance(each, Step) else 0)
    return found


def _stages(shown: Sequence[Shown]) -> list[list[Any]]:
    """Title, start, size and colour of each; the picture of a block stands with its steps, the map by itself."""
    maps = 0 if not shown or shown[0].name else 1
    firsts = [each if isinstance(each, Step) else each.first for each in shown[maps:]]
    found: list[list[Any]] = [["map", 0, 1, "muted"]] if maps else []
    return found + [
        [stage.title, stage.start + maps, stage.size, stage_colour(ROLES, stage.site)]
        for stage in cursor.stages(firsts)
    ]


def _by_night() -> str:
    """On the screen only: paper is light."""
    return f"@media screen {{\n{_colours(':root[data-theme=dark]', DARK)}\n}}"


def _colours(selector: str, theme: Theme) -> str:
    """Every role's colour: of each level of the scale, --c0 behind the number and --i0 of the number itself."""
    table = scale_table(theme)
    inks = ["var(--light-ink)" if dark else "var(--dark-ink)" for dark in is_dark(table).tolist()]
    plain = [f"--{name}:{getattr(theme, name)}" for name in PLAIN]
    plain += [f"--light-ink:{LIGHT_INK}", f"--dark-ink:{DARK_INK}"]
    stages = [f"--stage-{i}:{colour}" for i, colour in enumerate(theme.stages)]
    cells = [f"--c{i}:{_hex(table[i])};--i{i}:{inks[i]}" for i in range(LEVELS)]
    return f"{selector} {{ {'; '.join([f'color-scheme:{_scheme(theme)}', *plain, *stages, *cells])} }}"


def _hex(colour: Array) -> str:
    return "#" + bytes(colour.tolist()).hex()


def _scheme(theme: Theme) -> str:
    return "dark" if theme is DARK else "light"
