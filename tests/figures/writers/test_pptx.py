"""Slides, read back by the library that the writer goes round, and drawn by LibreOffice where it is installed."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from io import BytesIO
from math import cos, radians, sin
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
import pytest
from pptx import Presentation
from PySide6.QtCore import QBuffer
from PySide6.QtGui import QColor, QImage, QImageWriter, QPainter

import txviz
from tests.figures.kinds import all_of
from txviz import ops
from txviz.figures import theme
from txviz.figures.export import Export, content
from txviz.figures.marks import Box, Figure, Group, Heat, Line, Shape, Text
from txviz.figures.painter import paint
from txviz.figures.patches import find_drawing
from txviz.figures.presets import PAPER_COLUMN, SLIDE
from txviz.figures.sentences import sentences
from txviz.figures.views.page import wrapped
from txviz.figures.writers.pptx import MOST_CELLS, Cover, Slide, pptx
from txviz.figures.writers.slides import cell_to_explain, level_slide, notes, slide, step_slide
from txviz.figures.writers.template import COVER_LINES, COVER_POINTS
from txviz.models import find
from txviz.trace import Run, Trace

A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
P14 = "{http://schemas.microsoft.com/office/powerpoint/2010/main}"
MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"

pytestmark = pytest.mark.usefixtures("qapp")


def drawn(figure: Figure) -> bytes:
    """A figure as PNG."""
    image = QImage(round(figure.width), round(figure.height), QImage.Format.Format_RGB32)
    image.fill(QColor(figure.background))
    painter = QPainter(image)
    paint(painter, figure.marks)
    painter.end()
    buffer = QBuffer()
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    QImageWriter(buffer, b"PNG").write(image)
    return bytes(buffer.data().data())


@cache
def traced(model: str) -> Trace:
    return txviz.trace(model, find(model).example)


def slides(model: str, glob: str = "*") -> list[Slide]:
    trace = traced(model)
    return [slide(step, SLIDE, drawing=find_drawing(trace)) for step in trace.find(glob)]


def read(made: list[Slide]) -> Any:
    return Presentation(BytesIO(pptx(made, drawn)))


def page(*marks: Any, title: str = "title", said: str = "", background: str = "#ffffff") -> Slide:
    return Slide(title, Figure(1240, 620, background, marks), said)


def texts(shape: Any) -> list[str]:
    """All texts of a slide or group but its title, in order."""
    return [t.text for t in shape._element.iter(A + "t")]


def grid(rows: int, columns: int, size: float = 40, numbers: bool = True, **more: Any) -> Heat:
    cells = rows * columns
    written = tuple(f"{i / 100:.2f}" for i in range(cells)) if numbers else ()
    colours = bytes(np.arange(cells * 3, dtype=np.uint8))
    return Heat(20, 20, size, size / 2, rows, columns, colours, texts=written, inks=bytes(cells), text_size=12, **more)


def test_one_slide_for_each_step_with_its_title_and_its_notes() -> None:
    trace = traced("sentence-guide")
    talk = read(slides("sentence-guide"))
    assert (talk.slide_width, talk.slide_height) == (12192000, 6858000)
    assert [page.shapes.title.text_frame.text for page in talk.slides] == [step.heading for step in trace]
    assert {page.slide_layout.name for page in talk.slides} == {"Title Only"}
    for step, page in zip(trace, talk.slides, strict=True):
        said = page.notes_slide.notes_text_frame.text
        assert said.splitlines() == notes(step).splitlines()
        assert all(sentence in said for sentence in sentences(step))


@pytest.mark.parametrize(
    ("model", "glob"), [("sentence-guide", "*"), ("masked-attention-guide", "*"), ("digits", "*attention.weights")]
)
def test_all_texts_and_numbers_are_text_in_groups_with_their_names(model: str, glob: str) -> None:
    made = slides(model, glob)
    for wanted, page in zip(made, read(made).slides, strict=True):
        groups = [mark for mark in wanted.figure.marks if isinstance(mark, Group) and mark.marks]
        shown = [shape for shape in page.shapes if shape.shape_type == 6]
        assert [shape.name for shape in shown] == [group.name for group in groups]
        for group, shape in zip(groups, shown, strict=True):
            assert texts(shape) == list(written(group.marks))


def written(marks: Any) -> Iterator[str]:
    for mark in marks:
        if isinstance(mark, Text):
            yield mark.text
        elif isinstance(mark, Heat):
            yield from mark.texts


def test_every_number_has_its_cell_with_its_colour() -> None:
    heat = grid(3, 4, infinite=bytes((*[0] * 5, 1, *[0] * 6)), hatch="#5a6473")
    (shown,) = read([page(Group("scores", (heat,)))]).slides
    cells = list(shown.shapes[1].shapes)
    assert [cell.text_frame.text for cell in cells] == list(heat.texts)
    assert [cell.name for cell in cells][:5] == ["cell 0,0", "cell 0,1", "cell 0,2", "cell 0,3", "cell 1,0"]
    for i, cell in enumerate(cells):
        if i == 5:
            assert cell.fill.type == 2  # patterned
            assert str(cell.fill.fore_color.rgb) == "5A6473"
        else:
            assert str(cell.fill.fore_color.rgb).lower() == heat.colours[3 * i : 3 * i + 3].hex()
        assert cell.text_frame.word_wrap is False
    assert cells[1].left == cells[0].left + cells[0].width  # no gap


def test_large_heat_maps_are_pictures_and_their_labels_stay_text() -> None:
    small, large, tiny = grid(10, 10), grid(30, 21), grid(1, 61, size=4, numbers=False)
    assert large.rows * large.columns > MOST_CELLS
    label = Text(20, 20, "caption", 20, "#000000")
    for heat, expected in ((small, 0), (large, 1), (tiny, 1), (grid(5, 5, size=60, numbers=False), 0)):
        (shown,) = read([page(Group("one", (label, heat)))]).slides
        images = [shape for shape in shown.shapes[1].shapes if shape.shape_type == 13]
        assert len(images) == expected
        assert texts(shown.shapes[1])[0] == "caption"
    asked: list[Figure] = []

    def picture(figure: Figure) -> bytes:
        asked.append(figure)
        return drawn(figure)

    file = pptx([page(large, tiny), page(large, replace(tiny, x=300)), page(small, large)], picture)
    heats = all_of(Heat, (mark for figure in asked for mark in figure.marks))
    assert [heat.rows for heat in heats] == [30, 1]  # each is drawn and kept once
    assert [name for name in ZipFile(BytesIO(file)).namelist() if "media" in name] == [
        "ppt/media/image1.png",
        "ppt/media/image2.png",
    ]
    last = list(Presentation(BytesIO(file)).slides)[-1]
    assert last.shapes[-1].image.blob == drawn(asked[0])
    assert "30 × 21" in last.shapes[-1]._element.xpath("p:nvPicPr/p:cNvPr/@descr")[0]


def test_lines_boxes_turned_labels_and_formulas() -> None:
    outline = (
        *(("M", (0.0, 0.0)), ("L", (10.0, 0.0)), ("Q", (12.0, 5.0, 10.0, 10.0)), ("L", (0.0, 10.0)), ("Z", ())),
        *(("M", (2.0, 2.0)), ("L", (2.0, 8.0)), ("C", (4.0, 8.0, 6.0, 8.0, 8.0, 8.0)), ("L", (8.0, 2.0)), ("Z", ())),
        *(("M", (9.0, 0.0)), ("L", (20.0, 0.0)), ("L", (20.0, 3.0)), ("L", (9.0, 3.0)), ("Z", ())),
    )
    marks = (
        Line(100, 50, 40, 80, "#ff0000", 2),
        Box(10, 10, 100, 50, stroke="#00ff00", stroke_width=2, radius=10),
        Box(10, 10, 100, 50, fill="#ffffff", hatch="#0000ff"),
        Text(200, 200, "turned", 20, "#000000", turn=60),
        Text(400, 200, "right", 20, "#000000", "end", bold=True, mono=True),
        Shape(300, 100, 2, outline, "#123456"),
    )
    (shown,) = read([page(*marks)]).slides
    line, rounded, hatched, turned, right, formula = list(shown.shapes)[1:]
    scale = 12192000 / 1280
    assert (line.begin_x - line.end_x, line.begin_y - line.end_y) == (60 * scale, -30 * scale)
    assert round(rounded.adjustments[0], 3) == 0.2
    assert hatched.fill.type == 2
    assert turned.rotation == 300
    left, width = turned.left + turned.width / 2, turned.width / 2
    start = left - width * cos(radians(60)), turned.top + turned.height / 2 + width * sin(radians(60))
    assert start[0] - 7 * sin(radians(60)) * -scale == pytest.approx((20 + 200) * scale, abs=2 * scale)
    assert start[1] + 7 * cos(radians(60)) * scale == pytest.approx((76 + 200) * scale, abs=2 * scale)
    assert right.left + right.width == pytest.approx((20 + 400) * scale, abs=2)
    assert right.text_frame.paragraphs[0].runs[0].font.bold
    assert (formula.left, formula.width) == ((20 + 300) * scale, 40 * scale)
    paths = list(formula._element.iter(A + "path"))
    assert [len(path) for path in paths] == [10, 5]  # the hole goes with its glyph, the bar that overlaps it doesn't


def test_nothing_is_outside_the_slide() -> None:
    for model in txviz.models():
        trace = traced(model)
        steps = list(trace)[:: max(len(trace) // 6, 1)]
        made = [slide(step, SLIDE, drawing=find_drawing(trace)) for step in steps]
        for step, shown in zip(steps, read(made).slides, strict=True):
            for frame in shown._element.iter(A + "xfrm"):
                left, top, right, bottom = extent(frame)
                assert left >= 0, step.name
                assert top >= 0, step.name
                assert right <= 12192000, step.name
                assert bottom <= 6858000, step.name


def extent(frame: Any) -> tuple[float, float, float, float]:
    """Of a shape as it is seen: turned about its middle."""
    x, y = (int(frame.find(A + "off").get(side)) for side in "xy")
    wide, tall = (int(frame.find(A + "ext").get(side)) for side in ("cx", "cy"))
    turn = radians(int(frame.get("rot", 0)) / 60_000)
    s, c = abs(sin(turn)), abs(cos(turn))
    dx, dy = (wide * c + tall * s) / 2, (wide * s + tall * c) / 2
    return x + wide / 2 - dx, y + tall / 2 - dy, x + wide / 2 + dx, y + tall / 2 + dy


def test_the_same_slides_give_the_same_bytes() -> None:
    made = slides("masked-attention-guide")
    file = pptx(made, drawn)
    assert file == pptx(iter(made), drawn)
    entries = ZipFile(BytesIO(file)).infolist()
    assert [entry.filename for entry in entries] == sorted(entry.filename for entry in entries)
    assert {entry.date_time for entry in entries} == {(2020, 1, 1, 0, 0, 0)}
    said = Presentation(BytesIO(file)).core_properties
    assert (said.author, said.created.year) == ("txviz", 2020)


ODD = ("<b>&", "\"quoted'", "👩\u200d🔬", "القطة", "two\nlines\ttabbed", "bell\x07nul\x00", "lone \ud800", "\ufffe")


@pytest.mark.parametrize("label", ODD)
def test_odd_labels_give_a_file_that_can_be_read(label: str) -> None:
    mark = Group(label, (Text(20, 20, label, 12, "#000000"),))
    (shown,) = read([page(mark, title=label, said=f"{label}\nsecond")]).slides
    kept = re.sub("[\n\t\x00-\x1f\ud800\ufffe]", " ", label)
    assert shown.shapes.title.text_frame.text == kept
    assert shown.shapes[1].name == kept
    assert texts(shown.shapes[1]) == [kept]
    assert shown.notes_slide.notes_text_frame.text.endswith("\nsecond")


def test_ids_are_unique_and_the_title_is_read_first() -> None:
    for shown in read(slides("sentence-guide", "*attention.s*")).slides:
        drawn = {each for other in shown._element.iter(MC + "Fallback") for each in other.iter(P + "cNvPr")}
        ids = [int(each.get("id")) for each in shown._element.iter(P + "cNvPr") if each not in drawn]
        assert len(ids) == len(set(ids))
        assert {int(each.get("id")) for each in drawn} < set(ids), "of two ways to show a formula only one is there"
        assert shown.shapes[0].is_placeholder


def test_a_formula_can_be_edited_and_is_drawn_where_it_can_not() -> None:
    (shown,) = read(slides("sentence-guide", "*attention.weights")).slides
    (either,) = shown._element.iter(MC + "AlternateContent")
    native, drawn = either
    assert native.get("Requires") == "a14 p159"
    (maths,) = native.iter(M + "oMath")
    assert "".join(maths.itertext()) == "Aj=softmax(S)j=eSj∑keSk"
    assert [each.tag for each in maths.iter(M + "f")] == [M + "f"]
    assert {run.get("sz") for run in maths.iter(A + "rPr")} == {next(maths.iter(A + "rPr")).get("sz")}
    assert next(drawn.iter(A + "custGeom")) is not None
    for named in either.iter(P + "cNvPr"):
        assert named.get("descr") == traced("sentence-guide")["encoder.0.attention.weights"].formula


def test_a_dark_slide_has_a_dark_ground_and_a_light_title() -> None:
    dark = slide(traced("sentence-guide")[3], SLIDE.themed(theme.DARK))
    light = slides("sentence-guide")[3]
    shown, other = read([dark, light]).slides
    assert str(shown.background.fill.fore_color.rgb).lower() == theme.DARK.panel[1:]
    assert shown._element.xpath("p:clrMapOvr/a:overrideClrMapping/@tx1") == ["lt1"]
    assert other.follow_master_background
    assert not other._element.xpath("p:clrMapOvr/a:overrideClrMapping")


def test_a_title_too_long_for_its_line_is_smaller() -> None:
    short, long = read([page(title="scores"), page(title="scores · " * 20)]).slides
    assert short.shapes.title.text_frame.paragraphs[0].runs[0].font.size is None
    assert long.shapes.title.text_frame.paragraphs[0].runs[0].font.size.pt < 28


def test_a_talk_may_be_empty_and_a_figure_of_any_shape() -> None:
    assert len(read([]).slides) == 0
    tall = Slide("tall", Figure(100, 1000, "#ffffff", (Box(0, 0, 100, 1000, fill="#000000"),)), "")
    wide = Slide("wide", Figure(4000, 100, "#ffffff", (Box(0, 0, 4000, 100, fill="#000000"),)), "")
    nothing = page(Heat(20, 20, 5, 5, 0, 3, b""))
    *both, empty = read([tall, wide, nothing]).slides
    assert len(empty.shapes) == 1
    for shown in both:
        left, top, right, bottom = extent(shown.shapes[1]._element.spPr.find(A + "xfrm"))
        assert left >= 0
        assert right <= 12192000
        assert 0 <= top < bottom <= 6858000


def test_slide_of_a_pinned_cell_outlines_it_and_works_it_out() -> None:
    step = traced("sentence-guide")["encoder.0.attention.scores"]
    wanted = Export(traced("sentence-guide"), [step], "pptx", SLIDE, cell=(0, 2, 4), builds=False)
    made = step_slide(step, wanted)
    assert "scores[head 0, cat, .] = 0.8×0.1 + 0.3×0.1 + (−0.5)×0.2 = 0.01" in made.notes
    worked, reads, cell = all_of(Group, made.figure.marks[-3:])
    assert [group.name for group in (worked, reads, cell)] == ["worked", "reads", "cell"]
    assert len(reads.marks) == 2  # its row of the queries and its column of the keys
    assert list(written(cell.marks)) == ["0.01"]
    assert list(written(worked.marks)) == ["scores[head 0, cat, .] = 0.8×0.1 + 0.3×0.1 + (−0.5)×0.2 = 0.01"]
    assert made.clicks == ()
    assert not any(isinstance(mark, Text) and mark.text == step.title for mark in made.figure.flat())


def test_notes_work_out_the_largest_number_where_no_cell_is_chosen() -> None:
    step = traced("sentence-guide")["encoder.0.attention.scores"]
    assert cell_to_explain(step) == (0, 2, 2)
    assert "Shapes: 1 head: (5×3)(3×5) → 5×5" in notes(step)
    assert "= 0.98" in notes(step)
    empty = Run({}).given("nothing", np.zeros((0, 3)), axes="token feature")
    assert cell_to_explain(empty) is None
    masked = Run({}).given("masked", np.full((2, 2), -np.inf), axes="query key")
    assert cell_to_explain(masked) == (0, 0)


def test_a_token_that_sees_only_itself_is_not_what_is_worked_out() -> None:
    step = traced("masked-attention-guide")["decoder.0.self_attention.weights"]
    index = cell_to_explain(step)
    assert index is not None
    assert step.value.max() == 1
    assert step.value[index] == step.value[step.value < 1].max()
    alone = Run({})(
        ops.softmax, "weights", Run({}).given("scores", np.zeros((1, 1)), axes="query key"), axes="query key"
    )
    assert cell_to_explain(alone) == (0, 0)


def test_other_presets_fill_the_slide_too() -> None:
    made = slide(traced("sentence-guide")[3], PAPER_COLUMN)
    assert made.figure.width / made.figure.height == pytest.approx(2)
    read([made])


@pytest.mark.skipif(
    not shutil.which("loimpress") or not shutil.which("pdftotext"), reason="no LibreOffice or pdftotext"
)
def test_libreoffice_shows_every_slide_with_its_texts(tmp_path: Path) -> None:
    made = [*slides("masked-attention-guide", "*masked"), *slides("sentence-guide", "*weights")]
    (tmp_path / "talk.pptx").write_bytes(pptx(made, drawn))
    profile = f"-env:UserInstallation=file://{tmp_path}/profile"
    command = ["soffice", profile, "--headless", "--convert-to", "pdf", "--outdir", str(tmp_path), "talk.pptx"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, timeout=300)
    text = subprocess.run(["pdftotext", "talk.pdf", "-"], cwd=tmp_path, check=True, capture_output=True).stdout.decode()
    pages = text.split("\f")[:-1]
    assert len(pages) == len(made)
    for wanted, shown in zip(made, pages, strict=True):
        words = set(shown.split())
        assert set(wanted.title.split()) <= words
        assert all(set(text.split()) <= words for text in written(wanted.figure.flat()))


def test_what_is_long_ends_on_the_cover() -> None:
    """It ran out at the bottom of the slide."""
    words = " ".join(["the old house stands near the big river"] * 30)
    below = f"“{words}”\nanswer: {words}"
    (cover,) = Presentation(BytesIO(pptx([], drawn, Cover("A model", below, "#ffffff")))).slides
    paragraphs = [each.text for each in cover.placeholders[1].text_frame.paragraphs]
    assert paragraphs[0].startswith("“the old house")
    assert paragraphs[0].endswith("…”")
    assert paragraphs[1].endswith("…")
    room = cover.slide_layout.placeholders[1].width / 9525
    lines = [len(wrapped(text, COVER_POINTS / 0.75, room)) for text in paragraphs]
    assert lines == [COVER_LINES // 2] * 2, "as much as there is room for, and no more"


def test_a_deck_has_a_cover_sections_and_a_name() -> None:
    trace = traced("vit-guide-2x2")
    file = content(Export(trace, [trace.outline, *trace.find("*")], "pptx", SLIDE))
    talk = Presentation(BytesIO(file))
    assert talk.core_properties.title == trace.about["title"]
    cover, first, *_ = talk.slides
    assert cover.slide_layout.name == "Title Slide"
    assert cover.shapes.title.text_frame.text == first.shapes.title.text_frame.text == trace.about["title"]
    assert "bird 59" in cover.placeholders[1].text_frame.text, "what the model says"
    sections = [
        (section.get("name"), [int(each.get("id")) for each in section.iter(P14 + "sldId")])
        for section in talk.part._element.iter(P14 + "section")
    ]
    names = ["Opening", "image", "patches", "embed", "encoder · layer 0", "pool", "head"]
    assert [name for name, _ in sections] == names
    slides_of_all = [int(each.get("id")) for each in talk.part._element.iter(P + "sldId")]
    assert [number for _, numbers in sections for number in numbers] == slides_of_all
    inside = {f"{step.heading} ({step.title})" for step in trace.find("encoder.0.*")}
    in_order = dict(zip(slides_of_all, talk.slides, strict=True))
    assert {in_order[n].shapes.title.text_frame.text for n in dict(sections)["encoder · layer 0"]} == inside


def test_one_slide_is_no_deck() -> None:
    trace = traced("sentence-guide")
    talk = Presentation(BytesIO(content(Export(trace, [trace[3]], "pptx", SLIDE))))
    assert [page.shapes.title.text_frame.text for page in talk.slides] == [f"{trace[3].heading} (embed · sum)"]
    assert not list(talk.part._element.iter(P14 + "section"))


def test_groups_say_what_is_in_them() -> None:
    (shown,) = read(slides("sentence-guide", "*attention.scores")).slides
    said = {shape.name: shape._element.nvGrpSpPr.cNvPr.get("descr") for shape in shown.shapes if shape.shape_type == 6}
    assert said["encoder.0.attention.query.head-0"] == "query, 5×3 · query × feature"
    assert said["encoder.0.attention.scores.head-0"] == "scores, 5×5 · query × key"
    assert said["colours"] == "scores, −0.98, 0, 0.98, query ±0.8 · key ±0.8"
    (odd,) = read([page(Group("g", (Text(0, 0, '<&" ' * 200, 10, "#000000"),)))]).slides
    assert odd.shapes[1]._element.nvGrpSpPr.cNvPr.get("descr").startswith('<&" <&" ')


@pytest.mark.parametrize(
    ("node", "view", "options", "title"),
    [
        ("time", "decoding", {}, "Decoding: one token after the other"),
        ("time", "beams", {"strategy": "beam", "beam_width": 4}, "Beam search: the 4 best are kept"),
        ("time.1", "parts", {}, "Who brought the score of “ti”? · time 1"),
        ("", "map", {}, "Translator: English to Italian and French: “i love you”"),
    ],
)
def test_a_picture_of_a_level_has_its_own_heading_as_title(
    node: str, view: str, options: dict[str, Any], title: str
) -> None:
    trace = txviz.trace("translator", "i love you", **options)
    shown = trace.outline.get(node) or trace.outline
    wanted = Export(trace, [shown], "pptx", SLIDE, view=view, cover=False)
    assert level_slide(shown, wanted).title == title
    asked = replace(wanted, preset=replace(SLIDE, style=replace(SLIDE.style, title="My own")))
    assert level_slide(shown, asked).title.startswith("My own")
