"""What README.md shows, run from top to bottom."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

README = Path(__file__).parent.parent / "README.md"


def test_what_it_shows_runs() -> None:
    for library in ("duckdb", "pandas", "polars", "pyarrow"):
        pytest.importorskip(library)
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) == 4
    names: dict[str, Any] = {}
    for block in blocks:
        exec(compile(block, README.name, "exec"), names)
    assert names["run"].evictions.rows() and names["plan"].best.keys() == {names["path"]}
