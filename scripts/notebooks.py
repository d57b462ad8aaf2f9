"""Runs the notebooks of docs/ and keeps what their cells showed, with no Jupyter. Started by: make guide."""

from __future__ import annotations

import ast
import io
import json
import os
from base64 import b64encode
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

NOTEBOOKS = sorted((Path(__file__).parents[1] / "docs" / "notebooks").glob("*.ipynb"))


def run(notebook: Path) -> dict[str, Any]:
    """The notebook with what each cell prints and what its last line is."""
    content: dict[str, Any] = json.loads(notebook.read_text("utf-8"))
    code = [cell for cell in content["cells"] if cell["cell_type"] == "code"]
    names: dict[str, Any] = {}
    os.chdir(notebook.parent)
    for count, cell in enumerate(code, 1):
        printed = io.StringIO()
        with redirect_stdout(printed):
            value = _value("".join(cell["source"]), f"{notebook.name}, cell {count}", names)
        cell["execution_count"] = count
        cell["outputs"] = [*_printed(printed.getvalue()), *_shown(value, count)]
    return content


def _value(source: str, name: str, names: dict[str, Any]) -> object:
    """Of the last line, where that is an expression."""
    tree = ast.parse(source, name)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, name, "exec"), names)
    return eval(compile(ast.Expression(last.value), name, "eval"), names) if isinstance(last, ast.Expr) else None


def _printed(text: str) -> list[dict[str, Any]]:
    return [{"name": "stdout", "output_type": "stream", "text": text.splitlines(keepends=True)}] if text else []


def _shown(value: object, count: int) -> list[dict[str, Any]]:
    if value is None:
        return []
    data: dict[str, str] = {"text/plain": repr(value)}
    if hasattr(value, "_repr_png_"):
        data = {"image/png": b64encode(value._repr_png_()).decode(), "text/plain": "a figure"}
    return [{"data": data, "execution_count": count, "metadata": {}, "output_type": "execute_result"}]


def keep(notebook: Path) -> None:
    content = run(notebook)
    notebook.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    for each in NOTEBOOKS:
        keep(each)
