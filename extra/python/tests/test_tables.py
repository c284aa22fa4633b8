"""Tables, as the libraries that people use take them."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

import taintsim
from scenarios import ONE_NODE, SHIPPED

FILE = SHIPPED / "half-a-zone.ron"


@pytest.fixture(scope="module")
def run() -> taintsim.Run:
    return taintsim.run(FILE)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, str]]:
    """The evictions that the program writes as CSV."""
    out = tmp_path_factory.mktemp("out")
    taintsim.call(["run", FILE, "--quiet", "--out", out])
    with (out / "half-a-zone" / "evictions.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_evictions_are_those_of_the_program(run: taintsim.Run, written: list[dict[str, str]]) -> None:
    rows = run.evictions.rows()
    assert run.evictions.column_names == list(written[0])
    assert len(rows) == len(written) > 0
    for row, line in zip(rows, written):
        for name, text in line.items():
            cell = row[name]
            if isinstance(cell, float):
                # CSV has nine digits behind the point.
                assert cell == pytest.approx(float(text), abs=1e-9)
            else:
                assert ("" if cell is None else str(cell)) == text


def test_pandas_takes_them(run: taintsim.Run, written: list[dict[str, str]]) -> None:
    pandas = pytest.importorskip("pandas", minversion="3.0")
    frame = pandas.DataFrame.from_arrow(run.evictions)
    assert list(frame["pod"]) == [line["pod"] for line in written]
    assert frame["time_s"].dtype == "float64"


def test_polars_takes_them(run: taintsim.Run, written: list[dict[str, str]]) -> None:
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(run.evictions)
    assert frame["pod"].to_list() == [line["pod"] for line in written]
    assert frame.schema["toleration_seconds"] == polars.Int64


def test_duckdb_takes_them(run: taintsim.Run, written: list[dict[str, str]]) -> None:
    duckdb = pytest.importorskip("duckdb")
    evictions, records = run.evictions, run.records  # noqa: F841
    query = "select count(*), min(e.time_s) from evictions e join records r on e.record = r.id"
    count, first = duckdb.sql(query).fetchall()[0]
    assert count == len(written)
    assert first == pytest.approx(float(written[0]["time_s"]), abs=1e-9)


def test_pyarrow_takes_them_without_a_copy(run: taintsim.Run) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    tables = [pyarrow.table(run.records) for _ in range(2)]
    places = [[chunk.buffers()[1].address for chunk in t["t_ns"].chunks] for t in tables]
    assert places[0] == places[1]
    assert pyarrow.schema(run.records) == tables[0].schema
    assert tables[0].num_rows == len(run)
    tables[0].validate(full=True)


def test_a_table_outlives_what_it_came_from() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table(taintsim.run(ONE_NODE).evictions)
    assert table["pod"].to_pylist() == ["w"]


def test_curves_are_tidy(run: taintsim.Run) -> None:
    rows = run.curves.rows()
    assert run.curves.column_names == ["time_s", "workload", "figure", "value"]
    evicted = [row["value"] for row in rows if row["workload"] is None and row["figure"] == "evicted"]
    assert evicted[0] == 0 and evicted[-1] == len(run.evictions)
    assert evicted == sorted(evicted)


def test_records_know_their_causes(run: taintsim.Run) -> None:
    rows = run.records.rows()
    assert [row["id"] for row in rows] == list(range(len(rows)))
    assert all(row["cause"] is None or row["cause"] < row["id"] for row in rows)
    for eviction in run.evictions.rows():
        record = rows[eviction["record"]]
        assert record["pod"].endswith(f"/{eviction['pod']}")
        assert record["t_ns"] == round(eviction["time_s"] * 1e9)


def test_a_table_says_what_it_is(run: taintsim.Run) -> None:
    rows = len(run.evictions)
    assert repr(run.evictions).startswith(f"<taintsim.Table evictions: {rows} rows of time_s, pod,")
