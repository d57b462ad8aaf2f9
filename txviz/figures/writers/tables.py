"""The numbers of a step as tables, for programs (CSV, npy) and for texts (Markdown, LaTeX).

For programs all numbers are written, and in full: whoever reads them back has the same bits. For texts it is the matrix
that the stage shows at a place of the leading axes (a head), with the same few decimals.
"""

from __future__ import annotations

import csv as comma_separated
import re
from io import BytesIO, StringIO

import numpy as np

from txviz.figures.job import Export
from txviz.figures.numerals import written
from txviz.figures.tensors import result_at
from txviz.figures.writers.tex import MATHS, SPECIAL
from txviz.ops import Index
from txviz.trace import Step


def csv(step: Step) -> str:
    """One line for each row of the last axis; before its numbers the labels of the axes before, a column for each.

    A matrix looks as it does on the page; of heads, one stands below the other. The first line names the columns.
    −∞ is ``-inf``. A single number stands alone, below the name of the step.
    """
    value, labels = step.value, step.labels
    text = StringIO()
    lines = comma_separated.writer(text, lineterminator="\n")
    lines.writerow([*step.axes[:-1], *map(_as_text, labels[-1])] if value.ndim else [step.name])
    for place in np.ndindex(*value.shape[:-1]):
        before = [_as_text(labels[axis][i]) for axis, i in enumerate(place)]
        lines.writerow([*before, *map(repr, np.atleast_1d(value[place]).tolist())])
    return text.getvalue()


def _as_text(label: str) -> str:
    """A label that a spreadsheet would take for a formula gets an apostrophe, which it takes for "this is text"."""
    return f"'{label}" if label[:1] in tuple("=+-@\t\r") and len(label) > 1 else label


def npy(step: Step) -> bytes:
    """The array in NumPy's own format."""
    buffer = BytesIO()
    np.save(buffer, step.value, allow_pickle=False)
    return buffer.getvalue()


def markdown(step: Step, place: Index = ()) -> str:
    """A table with labels, the numbers to the right."""
    head, *body = _table(step, place)
    lines = [head, [":--"] + ["--:"] * (len(head) - 1), *body]
    return "".join(f"| {' | '.join(map(_in_markdown, line))} |\n" for line in lines)


def latex(step: Step, place: Index = ()) -> str:
    r"""A ``tabular`` with the rules of the package booktabs."""
    (corner, *names), *body = _table(step, place)
    lines = [_latex_row([_in_latex(corner), *map(_in_latex, names)])]
    lines += [r"\midrule", *(_latex_row([_in_latex(label), *map(_number, row)]) for label, *row in body)]
    return "\n".join(
        [
            rf"% {step.name}; needs \usepackage{{booktabs}}",
            rf"\begin{{tabular}}{{l{'r' * len(names)}}}",
            r"\toprule",
            *lines,
            r"\bottomrule",
            r"\end{tabular}",
            "",
        ]
    )


def formula(step: Step) -> str:
    """The step's formula in LaTeX, on a line of its own."""
    return f"\\[ {step.formula} \\]\n"


def write_csv(wanted: Export) -> bytes:
    return csv(*wanted.steps).encode()


def write_npy(wanted: Export) -> bytes:
    return npy(*wanted.steps)


def write_markdown(wanted: Export) -> bytes:
    (step,) = wanted.steps
    told = wanted.trace.edited_text
    return (markdown(step, wanted.place) + (f"\n{_in_markdown(told)}\n" if told else "")).encode()


def write_latex(wanted: Export) -> bytes:
    (step,) = wanted.steps
    told = f"% {' '.join(wanted.trace.edited_text.split())}\n" if wanted.trace.edited_text else ""
    return (told + formula(step) + latex(step, wanted.place)).encode()


def _table(step: Step, place: Index) -> list[list[str]]:
    """The labels of the columns, then each row behind its label."""
    grid = result_at(step, place)
    texts = np.array(written(grid.values), dtype=object).reshape(grid.values.shape)
    rows = [[label, *row] for label, row in zip(grid.row_labels, texts.tolist(), strict=True)]
    return [["", *grid.column_labels], *rows]


def _in_markdown(text: str) -> str:
    """With a backslash before whatever would be taken for a sign of Markdown."""
    escaped = re.sub(r"([\\`*_\[\]<>|~$#])", r"\\\1", text).replace("&", "&amp;")
    return " ".join(escaped.split())


def _in_latex(text: str) -> str:
    plain = " ".join("".join(SPECIAL.get(sign) or _IN_TABLES.get(sign, sign) for sign in text).split())
    return f"{{{plain}}}" if plain.startswith("[") else plain


_IN_TABLES = {sign: f"${MATHS[sign]}$" for sign in "−∞"}
"""Other letters stay as they are: whoever copies a table into a paper has them there already."""


def _latex_row(cells: list[str]) -> str:
    return " & ".join(cells) + r" \\"


def _number(text: str) -> str:
    r"""As mathematics has it: −0.5 is ``$-0.5$``, 1.2e−05 is ``$1.2 \times 10^{-5}$``."""
    if text == "NaN":
        return text
    digits, _, power = text.replace("−", "-").replace("∞", r"\infty").partition("e")
    return f"${digits} \\times 10^{{{int(power)}}}$" if power else f"${digits}$"
