"""Workbooks with live formulas, recalculated by LibreOffice: every cell comes to the number in the trace."""

from __future__ import annotations

import re
import subprocess
import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import txviz
from tests.figures.writers.tools import needs, pdftotext
from tests.ops.test_laws import CASES
from txviz import ops
from txviz.cli import main
from txviz.figures.export import Export, content
from txviz.figures.writers import workbook
from txviz.figures.writers.formulas import FORMULAS
from txviz.figures.writers.sheets import Table, here
from txviz.models import find
from txviz.ops import BY_NAME, Index
from txviz.trace import Run, Trace

libreoffice = needs("localc", "libreoffice-calc")

Cells = dict[str, dict[str, str]]
"""What stands in the cells of each sheet."""

_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_LINK = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"


def written(trace: Trace, glob: str = "*") -> bytes:
    return content(Export(trace, trace.find(glob), "xlsx"))


def read(file: bytes, what: str = "v") -> Cells:
    """The numbers and texts of all cells, or (``f``) their formulas."""
    with zipfile.ZipFile(BytesIO(file)) as parts:
        links = {each.get("Id"): each.get("Target") for each in _xml(parts, "xl/_rels/workbook.xml.rels")}
        texts = ["".join(each.itertext()) for each in _xml(parts, "xl/sharedStrings.xml")]
        sheets = _xml(parts, "xl/workbook.xml").find(f"{_MAIN}sheets")
        assert sheets is not None
        paths = {str(each.get("name")): f"xl/{links[each.get(_LINK)]}" for each in sheets}
        return {name: dict(_cells(_xml(parts, path), texts, what)) for name, path in paths.items()}


def _xml(parts: zipfile.ZipFile, name: str) -> ElementTree.Element:
    return ElementTree.fromstring(parts.read(name))


def _cells(sheet: ElementTree.Element, texts: list[str], what: str) -> Any:
    for cell in sheet.iter(f"{_MAIN}c"):
        found = cell.find(f"{_MAIN}{what}")
        if found is not None and found.text is not None:
            yield cell.get("r"), texts[int(found.text)] if what == "v" and cell.get("t") == "s" else found.text


def recalculated(file: bytes, folder: Path) -> Cells:
    """As LibreOffice computes it: all numbers that formulas come to are taken out before."""
    (folder / "in").mkdir()
    with zipfile.ZipFile(BytesIO(file)) as parts, zipfile.ZipFile(folder / "in" / "book.xlsx", "w") as bare:
        for name in parts.namelist():
            text = parts.read(name)
            if name.startswith("xl/worksheets/sheet"):
                text = re.sub(rb"(</f>)<v>[^<]*</v>", rb"\1", text)
            bare.writestr(name, text)
    convert(folder / "in" / "book.xlsx", "xlsx", folder / "out")
    return read((folder / "out" / "book.xlsx").read_bytes())


def convert(path: Path, to: str, folder: Path) -> None:
    command = ["soffice", f"-env:UserInstallation=file://{folder}/profile", "--headless", "--convert-to", to]
    subprocess.run([*command, "--outdir", str(folder), str(path)], check=True, capture_output=True, timeout=500)


def tables(trace: Trace) -> dict[str, Table]:
    """Where the steps, and what they read, stand."""
    book = workbook.Book(trace, list(trace))
    for step in book.steps:
        book.add(step)
    return {each.name: book.tables[id(each)] for step in book.steps for each in (step, *step.sources)}


def numbers(cells: Cells, table: Table) -> np.ndarray:
    found = np.full(table.shape, np.nan)
    for index in np.ndindex(*table.shape):
        found[index] = float(cells[table.sheet].get(here(*table.place(index)), "nan"))
    return np.where(found <= -1e299, -np.inf, found)


def differences(cells: Cells, trace: Trace, where: dict[str, Table]) -> dict[str, float]:
    """The steps with a cell that is not the trace's to 1e-9, and by how much."""
    found = {}
    for step in trace:
        same, value = numbers(cells, where[step.name]), step.value.astype(float)
        if not np.allclose(same, value, rtol=1e-9, atol=1e-9, equal_nan=True):
            found[step.name] = float(np.max(np.abs(np.where(np.isinf(value), 0, same - value))))
    return found


def test_every_operation_has_a_formula_or_a_reason_why_not() -> None:
    assert set(FORMULAS) == set(BY_NAME)
    assert {name for name, row in FORMULAS.items() if isinstance(row, str)} == {"given", "draw", "best"}


@pytest.fixture(scope="module")
def every_operation() -> Trace:
    """All cases of the laws as one run."""
    run = Run({})
    for i, (op, inputs, params) in enumerate(CASES):
        with run.at(part=op.name, layer=i):
            sources = [run.given(f"input_{j}", value, axes="") for j, value in enumerate(inputs)]
            if op is not ops.given:
                run(op, "result", *sources, axes="", **params)
    return Trace(run.steps, {"model": "laws", "input": "="}, run.steps[-1])


@libreoffice
def test_all_operations_come_to_the_same_in_libreoffice(every_operation: Trace, tmp_path: Path) -> None:
    file, where = written(every_operation), tables(every_operation)
    assert differences(recalculated(file, tmp_path), every_operation, where) == {}
    formulas = read(file, "f")
    assert not [text for sheet in formulas.values() for text in sheet.values() if re.search(r"\de[-+]?\d", text)]
    for step in every_operation:
        if callable(FORMULAS[step.op]):
            table = where[step.name]
            assert all(here(*table.place(i)) in formulas[table.sheet] for i in np.ndindex(*table.shape)), step.name


@libreoffice
def test_a_whole_run_comes_to_the_same_in_libreoffice(tmp_path: Path) -> None:
    trace = txviz.trace("digits", find("digits").example)
    assert differences(recalculated(written(trace), tmp_path), trace, tables(trace)) == {}


@libreoffice
def test_a_changed_weight_moves_all_that_follows(tmp_path: Path) -> None:
    """A student types another weight and another pixel into yellow cells; txviz runs with the same edits."""
    source, uniform = find("vit-guide-2x2").example, "encoder.0.attention.weights[0,1]=0.1"
    trace = txviz.trace("vit-guide-2x2", source, edits=[uniform])
    changed = txviz.trace("vit-guide-2x2", source, edits=[uniform, "image[2,3]=0.75", "head.weight[0,2]=2.5"])
    assert not np.allclose(changed["head.probabilities"].value, trace["head.probabilities"].value)
    where = tables(trace)
    file = with_number(written(trace), where["image"], (2, 3), 0.75)
    cells = recalculated(with_number(file, where["head.weight"], (0, 2), 2.5), tmp_path)
    assert differences(cells, changed, where) == {}


@libreoffice
def test_what_is_shown(tmp_path: Path) -> None:
    """Signs are kept, and −∞ is shown as such; the number that stands for it is not."""
    trace = txviz.trace("masked-attention-guide", find("masked-attention-guide").example)
    (tmp_path / "in.xlsx").write_bytes(written(trace))
    as_shown = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,true,false,false,-1"
    convert(tmp_path / "in.xlsx", as_shown, tmp_path)
    lines = (tmp_path / "in-decoder.0.self_attention.csv").read_text("utf-8").splitlines()
    start = lines.index("decoder.0.self_attention.masked,,,,,,")
    assert lines[start + 2] == "head 0,YOUR,CAT,IS,A,LOVELY,CAT"
    assert lines[start + 4] == "CAT,-2.087,-1.280,−∞,−∞,−∞,−∞"


@libreoffice
@needs("pdftotext", "poppler-utils")
def test_the_first_sheet_is_printed_on_one_page(tmp_path: Path) -> None:
    (tmp_path / "in.xlsx").write_bytes(written(txviz.trace("sentence-guide", "The cat sat.")))
    convert(tmp_path / "in.xlsx", "pdf", tmp_path)
    first = pdftotext((tmp_path / "in.pdf").read_bytes()).split("\f")[0]
    assert {"input", "The cat sat.", "encoder.0.attention"} <= set(first.splitlines())


def test_what_was_changed_by_hand_is_told_and_stays_as_it_is() -> None:
    trace = txviz.trace("sentence-guide", "The cat sat.", edits=["encoder.0.attention.weights[0,1]=0.2"])
    file, table = written(trace), tables(trace)["encoder.0.attention.weights"]
    assert "edited: encoder.0.attention.weights[0,1]=0.2" in read(file)["start here"].values()
    formulas = read(file, "f")[table.sheet]
    kept = [row for row in range(5) if here(*table.place((0, row, 0))) not in formulas]
    assert kept == [1]


def with_number(file: bytes, table: Table, index: Index, number: float) -> bytes:
    """The file after somebody has typed a number into a cell."""
    result, cell = BytesIO(), here(*table.place(index))
    sheet = list(read(file)).index(table.sheet) + 1
    with zipfile.ZipFile(BytesIO(file)) as parts, zipfile.ZipFile(result, "w") as changed:
        for name in parts.namelist():
            text = parts.read(name).decode() if name.endswith(".xml") else ""
            if name == f"xl/worksheets/sheet{sheet}.xml":
                text, times = re.subn(rf'(<c r="{cell}"[^>]*><v>)[^<]*', rf"\g<1>{number}", text)
                assert times == 1
            changed.writestr(name, text or parts.read(name))
    return result.getvalue()


def test_a_block_stands_alone_and_what_it_reads_may_be_changed() -> None:
    trace = txviz.trace("translator", find("translator").example)
    file = written(trace, "encoder.0.attention.*")
    sheets, formulas = read(file), read(file, "f")
    assert list(sheets) == ["start here", "encoder.0.attention"]
    texts = set(sheets["encoder.0.attention"].values())
    assert {"encoder.0.norm_1", "computed before; here it may be changed", "encoder.0.attention.query.weight"} <= texts
    weights = formulas["encoder.0.attention"]
    assert any("EXP(" in formula and "MAX(" in formula for formula in weights.values())
    assert all("!" not in formula for formula in weights.values()), "nothing is read from another sheet"


def test_blocks_read_each_other() -> None:
    file = written(txviz.trace("sentence-guide", "The cat sat."))
    formulas = read(file, "f")
    assert any("'embed'!" in formula for formula in formulas["encoder.0.attention"].values())
    assert "formulas" in " ".join(read(file)["start here"].values())


def test_text_is_text_and_never_a_formula() -> None:
    trace = txviz.trace("sentence-guide", "=1+1 +2 @sat -3 {=4}")
    file = written(trace)
    cells, formulas = read(file), read(file, "f")
    assert "=1+1 +2 @sat -3 {=4}" in cells["start here"].values()
    for sheet, each in formulas.items():
        assert all(re.fullmatch(r"[A-Z0-9('\-].*", text) for text in each.values()), sheet
        assert not [text for text in each.values() if "sat" in text or "1+1" in text]


def test_no_word_of_a_file_gets_into_a_formula() -> None:
    run = Run({})
    tokens = run.given("tokens", np.array([1, 2]), axes="token")
    run(ops.padding_mask, "mask", tokens, axes="head query key", padding='0),WEBSERVICE("x")')
    formulas = read(written(Trace(run.steps, {"model": "x"}, run.steps[-1])), "f")
    assert [text for sheet in formulas.values() for text in sheet.values()] == []


def test_names_of_sheets_are_such_as_a_spreadsheet_takes() -> None:
    names = {f"{'a' * 40}{i}": f"[{i}]:*?/\\'{'x' * 50}" for i in range(12)}
    run = Run({})
    for i, part in enumerate([*names.values(), "history", "Start here", "A", "a"]):
        with run.at(part=part):
            run.given(f"leaf_{i}", np.zeros(2), axes="")
    sheets = list(read(written(Trace(run.steps, {"model": "x"}, run.steps[-1]))))
    assert len({name.lower() for name in sheets}) == len(sheets) == 17
    assert all(len(name) <= 31 and not set(name) & set("[]:*?/\\'") for name in sheets)
    assert "history" not in map(str.lower, sheets)


def test_the_same_bytes_each_time() -> None:
    first, second = (written(txviz.trace("sentence-guide", "The cat sat.")) for _ in range(2))
    assert first == second


def test_infinity_and_not_a_number(tmp_path: Path) -> None:
    run = Run({})
    given = run.given("given", np.array([[-np.inf, np.nan, np.inf, 1.0]]), axes="row column")
    run(ops.relu, "result", given, axes="row column")
    cells = read(written(Trace(run.steps, {"model": "x"}, run.steps[-1])))["input"]
    assert [cells[f"{column}4"] for column in "BCDE"] == ["-1E+300", "NaN", "1E+300", "1"]


def test_too_much_is_said_before_any_work(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "all.xlsx"
    assert main(["export", "writer", find("writer").example, "-o", str(path)]) == 2
    assert "choose those of a block: time.1.decoder.0.self_attention.*" in capsys.readouterr().err
    assert not path.exists()
    assert main(["export", "digits", find("digits").example, "--steps", "encoder.0.*", "-o", str(path)]) == 0
    assert list(read(path.read_bytes()))[1:] == ["encoder.0", "encoder.0.attention", "encoder.0.ffn"]


def test_a_level_has_all_its_steps() -> None:
    trace = txviz.trace("sentence-guide", "The cat sat.")
    block = trace.outline.find("encoder.0.attention")
    file = content(Export(trace, [block], "xlsx"))
    assert list(read(file)) == ["start here", "encoder.0.attention"]
    assert {step.name for step in block.steps} <= set(read(file)["encoder.0.attention"].values())
    assert read(content(Export(trace, [trace.outline], "xlsx"))) == read(written(trace))


@pytest.mark.parametrize(("model", "without"), [("sentence-guide", 4), ("digits", 0)])
def test_a_bias_is_told_where_there_is_one(model: str, without: int) -> None:
    trace = txviz.trace(model, find(model).example)
    cells = read(written(trace, "encoder.0.*"))
    told = [text for sheet in cells.values() for text in sheet.values() if text.startswith("A learned layer: ")]
    biased = [len(step.sources) == 3 for step in trace.find("encoder.0.*") if step.op == "linear"]
    assert sorted(text.endswith(", plus a bias.") for text in told) == sorted(biased)
    assert biased.count(False) == without
