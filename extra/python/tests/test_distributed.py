"""Work plans on a real cluster of Dask: three processes, one of which is killed."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import pytest

import taintsim
from taintsim import distributed as shared

distributed = pytest.importorskip("distributed")

SCENARIO = """(
    version: 1,
    horizon: "6h",
    nodes: [(names: "a-{00..19}", zone: "a"), (names: "b-{00..19}", zone: "b")],
    pods: [(name: "web", count: 200, on: Spread(All), tolerations: [
        (key: "node.kubernetes.io/unreachable", operator: Exists, effect: NoExecute, tolerationSeconds: 60)])],
    timeline: [(at: "1m", do: Flap(node: "b-01", down: "90s", up: "2m", times: 80))],
)"""

SHARDS = 36

SWEEP = [
    "sweep",
    "s.ron",
    "--quiet",
    "--seeds",
    "36",
    "--set",
    "pods.web.tolerations[unreachable].tolerationSeconds=30,60",
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    # A worker of Dask starts in another folder.
    if named := os.environ.get("TAINTSIM"):
        monkeypatch.setenv("TAINTSIM", os.path.abspath(named))
    (tmp_path / "s.ron").write_text(SCENARIO, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def files(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def kill_one_after(folder: Path, pids: list[int], done: int) -> None:
    """Kills a worker, -9, once so many shards are done."""
    while len(list(folder.glob("*.result"))) < done:
        time.sleep(0.01)
    os.kill(pids[0], signal.SIGKILL)


def test_three_processes_one_of_them_killed_come_to_what_one_machine_writes(folder: Path) -> None:
    one = taintsim.call([*SWEEP, "--out", "results-1"])
    shared.plan("work", SHARDS, *SWEEP)
    assert shared.shards("work") == SHARDS
    with distributed.LocalCluster(n_workers=3, threads_per_worker=1, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            client.wait_for_workers(3)
            pids = list(client.run(os.getpid).values())
            killer = threading.Thread(target=kill_one_after, args=(folder / "work", pids, 9))
            killer.start()
            many = shared.run("work", client, out="results-2")
            killer.join()
    assert many.code == one.code
    assert many.stdout.replace("results-2", "results-1") == one.stdout
    assert files(folder / "results-2") == files(folder / "results-1")
    assert len(list((folder / "work").glob("*.result"))) == SHARDS


def test_what_is_wrong_is_said_in_the_programs_own_words(folder: Path) -> None:
    with pytest.raises(taintsim.ProgramError, match="there is no pod group"):
        shared.plan("work", 2, "sweep", "s.ron", "--set", "pods.nobody.count=1,2")
    with pytest.raises(taintsim.ProgramError, match="has no shard 7: it has 2"):
        shared.plan("work", 2, *SWEEP)
        shared.shard("work", 7)
