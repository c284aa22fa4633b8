"""The cells of the notebook that is documentation, one after the other."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

NOTEBOOK = Path(__file__).parent.parent / "first-look.ipynb"


def value_of(source: str, names: dict[str, Any]) -> Any:
    """Runs a cell; what its last line comes to, as a notebook would show it."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, NOTEBOOK.name, "exec"), names)
    return None if last is None else eval(compile(ast.Expression(last.value), NOTEBOOK.name, "eval"), names)


def test_every_cell_runs_and_shows_something(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("polars")
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    assert notebook["nbformat"] == 4
    cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert all(not cell.get("outputs") for cell in notebook["cells"]), "results are not kept"
    names: dict[str, Any] = {}
    for source in cells:
        shown = value_of(source, names)
        printed = capsys.readouterr().out
        if shown is not None:
            assert len(shown._repr_html_()) > 100, source
        elif "print" in source:
            assert printed.strip(), source
    # b-0 has one of the twelve pods: given up within 57 s, a minute waited, and back after six.
    assert len(names["evictions"]) == 1
    assert names["sweep"].runs.column_names[:2] == [names["path"], "seed"]
