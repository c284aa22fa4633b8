"""Sweeps, surveys, plans and forecasts."""

from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

import taintsim
from scenarios import ONE_NODE, SECONDS, SHIPPED

FAULTS = """(
    version: 1,
    horizon: "1h",
    nodes: [(names: "n-{0..5}", zone: "a")],
    workloads: [Deployment(name: "web", replicas: 6)],
    faults: (models: [(name: "crash", nodes: All, do: Crash, rate: PerNodeYear(12), lasts: Fixed("10m"))]),
)"""


def test_a_sweep_has_its_runs_and_what_they_come_to() -> None:
    sweep = taintsim.sweep(ONE_NODE, {SECONDS: [60, 120, None]}, seeds=3)
    runs = sweep.runs.rows()
    assert [(r[SECONDS], r["seed"]) for r in runs] == [(v, s) for v in ("60", "120", "none") for s in (1, 2, 3)]
    # Who tolerates for ever is not evicted.
    assert [r["evicted"] for r in runs] == [1, 1, 1, 1, 1, 1, 0, 0, 0]
    mean = {(r[SECONDS], r["figure"]): r["mean"] for r in sweep.rows.rows()}
    waits = {v: mean[(v, "eviction_s")] for v in ("60", "120", "none")}
    # The draws of a seed are the same, so that a minute more is a minute more.
    assert waits["120"] - waits["60"] == pytest.approx(60, abs=1e-6)
    assert waits["none"] is None


def test_releases_are_no_numbers() -> None:
    sweep = taintsim.sweep(ONE_NODE, {"kubernetes": ["1.30", "1.34"]}, seeds=1)
    assert [r["kubernetes"] for r in sweep.runs.rows()] == ["1.30", "1.34"]
    assert {r["kubernetes"] for r in sweep.rows.rows()} == {"1.30", "1.34"}


def test_a_number_of_numpy_is_one_value() -> None:
    numpy = pytest.importorskip("numpy")
    one = taintsim.sweep(ONE_NODE, {SECONDS: numpy.int64(60)}, seeds=1)
    assert one.document == taintsim.sweep(ONE_NODE, {SECONDS: 60}, seeds=1).document


def test_a_sweep_is_the_programs(tmp_path: Path) -> None:
    file = tmp_path / "s.ron"
    file.write_text(ONE_NODE, encoding="utf-8")
    words = ["sweep", file, "--set", f"{SECONDS}=60,120", "--seeds", "4", "--quiet", "--format", "json"]
    told = json.loads(taintsim.call([*words, "--out", tmp_path / "out"]).stdout)
    assert taintsim.sweep(file, {SECONDS: [60, 120]}, seeds=4).document == told


def test_several_scenarios_have_rows_of_their_own() -> None:
    files = [SHIPPED / "one-node-lost.ron", SHIPPED / "half-a-zone.ron"]
    sweep = taintsim.sweep(files, {}, seeds=1)
    assert [r["scenario"] for r in sweep.runs.rows()] == ["one-node-lost", "half-a-zone"]
    texts = taintsim.sweep([ONE_NODE, ONE_NODE], {}, seeds=1)
    assert [r["scenario"] for r in texts.runs.rows()] == ["scenario-1", "scenario-2"]


def test_a_survey_is_worst_first_and_holds_limits() -> None:
    survey = taintsim.survey(ONE_NODE, lose="node", fail_on="evicted>0")
    first = survey.rows.rows()[0]
    # One of the three nodes has the pod, which nobody makes anew.
    assert (first["lost"], first["evicted"], first["pods"]) == ("node/n-0", 1, 1)
    assert not survey.is_kept
    hits = survey.workloads.rows()
    assert hits[0]["lost"] == "node/n-0" and hits[0]["desired"] == 1
    assert taintsim.survey(ONE_NODE, only="node/n-1", fail_on="evicted>0").is_kept
    assert survey.findings == survey.document["findings"]


def test_a_plan_names_what_costs_least() -> None:
    path = "workloads.web.template.tolerations[unreachable].tolerationSeconds"
    plan = taintsim.plan(FAULTS, {path: [0, 300, 3600]}, price={"evicted": "1m"}, precision="20%", budget="20s")
    rows = plan.rows.rows()
    # 300 s is what there is now, so that no row of its own stands for it.
    assert [r[path] for r in rows] == [0, 300, 3600]
    least = min(rows, key=lambda r: r["cost"])
    assert all(r["cost_low"] <= r["cost"] <= r["cost_high"] for r in rows)
    assert plan.best == {path: int(least[path])} and isinstance(plan.best[path], int)
    other = taintsim.plan(FAULTS, {path: [0, 3600]}, price={"evicted": "1m"}, precision="20%", budget="20s")
    assert [r[path] for r in other.rows.rows()] == ["as it is", "0", "3600"]


def test_settings_that_are_chosen_each_for_itself_have_rows_and_a_best_value() -> None:
    two = FAULTS.replace('replicas: 6)]', 'replicas: 3), Deployment(name: "db", replicas: 3)]')
    paths = [f"workloads.{name}.template.tolerations[unreachable].tolerationSeconds" for name in ("web", "db")]
    plan = taintsim.plan(two, {path: [0, 300] for path in paths}, price={"evicted": "1m"}, precision="30%", budget="20s")
    assert len(plan.document["plans"]) == 2
    rows = plan.rows.rows()
    assert [tuple(r[path] for path in paths) for r in rows] == [(0, None), (300, None), (None, 0), (None, 300)]
    assert {r["unit"] for r in rows} == {"replica-minutes"} and [r["now"] for r in rows] == [False, True] * 2
    best = {path: r[path] for r in rows if r["best"] for path in paths if r[path] is not None}
    assert plan.best == best and len(best) == 2


def test_tables_are_those_that_the_program_prints(tmp_path: Path) -> None:
    file = tmp_path / "s.ron"
    file.write_text(ONE_NODE, encoding="utf-8")
    survey = taintsim.survey(file, lose="node")
    for name, table in [("losses", survey.rows), ("workloads", survey.workloads)]:
        printed = taintsim.call(["survey", file, "--lose", "node", "--quiet", "-o", "csv", "--table", name]).stdout
        lines = printed.splitlines()
        assert lines[0].split(",") == table.column_names and len(lines) == len(table) + 1


def test_a_forecast_tells_the_time() -> None:
    zero = datetime(2026, 1, 1, tzinfo=timezone.utc)

    def at(seconds: float) -> str:
        return (zero + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")

    def node(name: str, ready: str, since: float, taints: list[dict[str, str]]) -> dict[str, object]:
        condition = {"type": "Ready", "status": ready, "lastHeartbeatTime": at(-60), "lastTransitionTime": at(since)}
        meta = {"name": name}
        return {"kind": "Node", "apiVersion": "v1", "metadata": meta, "spec": {"taints": taints}, "status": {"conditions": [condition]}}

    taint = {"key": "node.kubernetes.io/unreachable", "effect": "NoExecute", "timeAdded": at(-30)}
    lease = {
        "kind": "Lease", "apiVersion": "coordination.k8s.io/v1", "metadata": {"name": "n-1", "namespace": "kube-node-lease"},
        "spec": {"leaseDurationSeconds": 40, "renewTime": at(0).replace("Z", ".000000Z")},
    }
    pod = {
        "kind": "Pod", "apiVersion": "v1", "metadata": {"name": "w", "namespace": "default"},
        "spec": {"nodeName": "n-0", "tolerations": [
            {"key": taint["key"], "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}]},
        "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "False", "lastTransitionTime": at(-30)}]},
    }
    items = [node("n-0", "Unknown", -30, [taint]), node("n-1", "True", -600, []), lease, pod]
    forecast = taintsim.forecast({"kind": "List", "apiVersion": "v1", "items": items}, seeds=5, what_if="kube-controller-manager restart")
    deleted = {r["course"]: r for r in forecast.rows.rows() if r["object"] == "default/w" and "delet" in r["what"]}
    # The timer runs for 300 s from when the controller saw the taint, and starts over with a restart.
    expected = zero + timedelta(seconds=270)
    assert abs(deleted["as it is"]["median"] - expected) < timedelta(seconds=3)
    assert deleted["kube-controller-manager restart"]["low"] > expected + timedelta(seconds=20)
    assert (deleted["as it is"]["node"], deleted["as it is"]["workload"], deleted["as it is"]["at"]) == ("n-0", None, zero)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"seeds": 0}, "0 is not in 1..=1000000"),
        ({"against": "#9"}, "there is no row `#9`"),
        ({"show": "nobody:all"}, "nobody"),
        ({"seed": -1}, "a whole number is wanted"),
    ],
)
def test_options_are_refused_as_on_the_command_line(words: dict[str, object], said: str) -> None:
    with pytest.raises(taintsim.InputError, match=said.replace(".", r"\.").replace("`", "`")):
        taintsim.sweep(ONE_NODE, {SECONDS: [60, 120]}, **words)  # type: ignore[arg-type]


def test_a_file_whose_name_looks_like_an_option_is_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("--out.ron").write_text(ONE_NODE, encoding="utf-8")
    assert len(taintsim.sweep("--out.ron", {}, seeds=1).runs) == 1


def test_what_is_found_is_a_table_and_shows_itself() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    sweep = taintsim.sweep(ONE_NODE, {SECONDS: [60, 120]}, seeds=2)
    table = pyarrow.table(sweep)
    assert table.num_rows == len(sweep) == len(sweep.rows)
    assert sweep._repr_html_().startswith('<iframe srcdoc="&lt;!doctype html&gt;')
    assert "tolerationSeconds" in str(sweep)
