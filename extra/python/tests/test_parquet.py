"""Tables as Parquet, read by what people read them with: DuckDB, pandas and Polars; and as CSV, to hold them to it."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path
from typing import Any, Callable, Iterator

import pytest

import taintsim

SCENARIO = """(
    version: 1,
    kubernetes: "1.34",
    timing: Ideal,
    horizon: "15m",
    nodes: [(names: "a-{0..3}", zone: "a"), (names: "b-{0..3}", zone: "b")],
    pods: [(name: "bare", count: 8, on: Spread(All))],
    workloads: [Deployment(name: "web", replicas: 16, placement: Spread(All))],
    timeline: [(at: "1m", name: "cut b", do: Partition(nodes: Zone("b"), duration: "10m"))],
)"""

#: What a run has; `runs` is of a sweep.
TABLES = ["records", "evictions", "curves"]

Row = dict[str, Any]


def by_duckdb(file: Path) -> list[Row]:
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed (pip install duckdb)")
    found = duckdb.sql(f"SELECT * FROM read_parquet('{file}')")
    return [dict(zip(found.columns, row)) for row in found.fetchall()]


def by_pandas(file: Path) -> list[Row]:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed (pip install pandas pyarrow)")
    pytest.importorskip("pyarrow", reason="pandas reads Parquet with pyarrow (pip install pyarrow)")
    frame = pandas.read_parquet(file, dtype_backend="pyarrow")
    return [{name: None if _is_missing(value) else value for name, value in row.items()} for row in frame.to_dict("records")]


def _is_missing(value: Any) -> bool:
    import pandas

    return pandas.api.types.is_scalar(value) and bool(pandas.isna(value))


def by_polars(file: Path) -> list[Row]:
    polars = pytest.importorskip("polars", reason="Polars is not installed (pip install polars)")
    return list(polars.read_parquet(file).iter_rows(named=True))


READERS: list[Callable[[Path], list[Row]]] = [by_duckdb, by_pandas, by_polars]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run and a sweep, with every table in both forms."""
    place = tmp_path_factory.mktemp("parquet")
    scenario = place / "s.ron"
    scenario.write_text(SCENARIO, encoding="utf-8")
    out = ["--quiet", "--records", "csv,parquet", "--out", str(place)]
    taintsim.call(["run", str(scenario), *out])
    tolerates = "pods.bare.tolerations[unreachable].tolerationSeconds=60,300"
    taintsim.call(["sweep", str(scenario), *out, "--seeds", "3", "--set", tolerates, "--set", "timing=ideal,typical"])
    return place


def place_of(folder: Path, table: str) -> Path:
    return folder / ("s-sweep" if table == "runs" else "s") / f"{table}.parquet"


def lines(file: Path) -> Iterator[Row]:
    with open(file, newline="", encoding="utf-8") as text:
        yield from csv.DictReader(text)


def same(found: Any, said: str) -> bool:
    """Whether a value is what CSV says; it has six digits behind the point."""
    if found is None:
        return said == ""
    if isinstance(found, bool):
        return said == str(found).lower()
    if isinstance(found, (int, float)):
        return abs(found - float(said)) < 1e-6
    if isinstance(found, str):
        return said in (found, f"'{found}")
    return list(found) == json.loads(said)


@pytest.mark.parametrize("reader", READERS, ids=lambda r: r.__name__)
@pytest.mark.parametrize("table", [*TABLES, "runs"])
def test_what_is_read_is_what_csv_says(folder: Path, table: str, reader: Callable[[Path], list[Row]]) -> None:
    file = place_of(folder, table)
    rows, said = reader(file), list(lines(file.with_suffix(".csv")))
    assert len(rows) == len(said) > 0
    for number, (row, line) in enumerate(zip(rows, said)):
        assert list(row) == list(line)
        for name, found in row.items():
            assert same(found, line[name]), f"row {number}, {name}: {found!r} and {line[name]!r}"


@pytest.mark.parametrize("reader", READERS, ids=lambda r: r.__name__)
def test_the_evictions_are_those_of_the_arithmetic(folder: Path, reader: Callable[[Path], list[Row]]) -> None:
    # Zone b is dark from 60 s to 660 s and has half of the 24 pods; who tolerates its taint for 300 s is evicted before it is back.
    rows = reader(place_of(folder, "evictions"))
    assert len(rows) == 12
    assert {row["node"] for row in rows} == {"b-0", "b-1", "b-2", "b-3"}
    assert all(row["toleration_seconds"] == 300 and 360 < row["time_s"] < 660 for row in rows)
    assert all(row["fault"] == "cut b" and row["namespace"] == "default" for row in rows)


def test_kinds_are_those_of_the_page(folder: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed (pip install pyarrow)")
    schema = parquet.read_schema(place_of(folder, "records"))
    kinds = {name: str(schema.field(name).type) for name in ["id", "t_ns", "what", "value", "added"]}
    assert kinds == {"id": "int64", "t_ns": "uint64", "what": "string", "value": "bool", "added": "list<element: string not null>"}
    runs = parquet.read_schema(place_of(folder, "runs"))
    tolerates = "pods.bare.tolerations[unreachable].tolerationSeconds"
    assert [str(runs.field(name).type) for name in [tolerates, "timing", "seed"]] == ["double", "string", "uint64"]
    said = parquet.read_metadata(place_of(folder, "curves")).metadata
    assert said[b"taintsim.table"] == b"curves" and said[b"taintsim.schema"] == b"1" and said[b"taintsim.seed"] == b"1"


def test_duckdb_asks_questions(folder: Path) -> None:
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed (pip install duckdb)")
    place = folder / "s"
    worst = f"SELECT max(value) FROM '{place}/curves.parquet' WHERE workload = 'Deployment/default/web' AND figure = 'dead_endpoints'"
    # Half of the sixteen, until their nodes are found to be silent.
    assert duckdb.sql(worst).fetchall() == [(8,)]
    added = f"SELECT count(DISTINCT node) FROM '{place}/records.parquet' WHERE list_contains(added, 'node.kubernetes.io/unreachable:NoExecute')"
    assert duckdb.sql(added).fetchall() == [(4,)]


def test_packed_files_are_read_as_they_are(folder: Path, tmp_path: Path) -> None:
    taintsim.call(["run", str(folder / "s.ron"), "--quiet", "--records", "gzip", "--out", str(tmp_path)])
    packed = tmp_path / "s"
    with gzip.open(packed / "events.jsonl.gz", "rb") as text:
        assert text.read() == (folder / "s" / "events.jsonl").read_bytes()
    plain = (folder / "s" / "evictions.csv").read_text(encoding="utf-8").splitlines()
    for name, count in [("duckdb", _count_by_duckdb), ("pandas", _count_by_pandas), ("polars", _count_by_polars)]:
        pytest.importorskip(name, reason=f"{name} is not installed")
        assert count(packed / "evictions.csv.gz") == len(plain) - 1


def _count_by_duckdb(file: Path) -> int:
    import duckdb

    return len(duckdb.sql(f"SELECT * FROM read_csv('{file}')").fetchall())


def _count_by_pandas(file: Path) -> int:
    import pandas

    return len(pandas.read_csv(file))


def _count_by_polars(file: Path) -> int:
    import polars

    return len(polars.read_csv(file))
