"""Scenarios that are built."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

import taintsim
from scenarios import EVICTED_S, ONE_NODE
from taintsim import _taintsim
from taintsim.language import (
    ConditionKind,
    Effect,
    Entry,
    Expectation,
    NodeGroup,
    NodeSelector,
    Operator,
    Placement,
    PodGroup,
    PodTemplate,
    Quantity,
    Scenario,
    Status,
    Step,
    Toleration,
    Workload,
)

UNREACHABLE = Toleration(
    key="node.kubernetes.io/unreachable", operator=Operator.Exists, effect=Effect.NoExecute, tolerationSeconds=60
)


def one_node() -> Scenario:
    """What ONE_NODE says."""
    return Scenario(
        horizon="10m",
        nodes=[NodeGroup(names="n-{0..2}")],
        pods=[PodGroup(name="w", on=Placement.Node("n-0"), tolerations=[UNREACHABLE])],
        timeline=[Entry(at="1m", do=Step.Partition(node="n-0"))],
    )


def test_what_is_built_runs_as_what_is_written() -> None:
    built, written = taintsim.run(one_node()), taintsim.run(ONE_NODE)
    assert built.records.rows() == written.records.rows()
    assert EVICTED_S[0] <= built.evictions.rows()[0]["time_s"] <= EVICTED_S[1]


def test_it_is_written_as_a_person_would() -> None:
    assert one_node().text() == """\
Scenario(
    version: 1,
    horizon: "10m",
    nodes: [(names: "n-{0..2}")],
    pods: [
        (
            name: "w",
            on: Node("n-0"),
            tolerations: [
                (key: "node.kubernetes.io/unreachable", operator: Exists, effect: NoExecute, tolerationSeconds: 60),
            ],
        ),
    ],
    timeline: [(at: "1m", do: Partition(node: "n-0"))],
)
"""


def test_mistakes_have_their_place_in_its_text() -> None:
    scenario = one_node()
    scenario.timeline = [Entry(at="1m", do=Step.Partition(node="n-7"))]
    with pytest.raises(taintsim.InputError) as caught:
        scenario.check()
    (problem,) = caught.value.problems
    assert problem.line is not None and "n-7" in scenario.text().splitlines()[problem.line - 1]
    with pytest.raises(taintsim.InputError, match="horizon"):
        Scenario(nodes=[NodeGroup(name="n")]).check()
    one_node().check()


def test_every_kind_of_value() -> None:
    scenario = Scenario(
        doc='quotes ", backslashes \\, lines\nand tabs\t.',
        horizon="1h",
        nodes=[NodeGroup(names=["a-{0..3}"], zone="a", labels={"rack": "r1"}, capacity={"cpu": 4, "memory": "8Gi"})],
        workloads=[
            Workload.Deployment(
                name="web", replicas=4, template=PodTemplate(requests={"cpu": "500m"}, tolerations=[UNREACHABLE])
            )
        ],
        timeline=[
            Entry(at="5m", name="cut", do=Step.Partition(nodes=NodeSelector.Share(of=NodeSelector.All, fraction=0.25), duration="20m"))
        ],
        expect=[
            Expectation.Condition(type=ConditionKind.Ready, status=Status.Unknown, between=("cut", "cut + 2m")),
            Expectation.AtMost(of=Quantity.missing("web"), is_=4),
        ],
    )
    scenario.check()
    assert taintsim.run(scenario).document["run"]["doc"] == scenario.doc
    assert repr(Placement.PerNode(count=2, nodes=NodeSelector.Zone("b"))) == 'Placement.PerNode(count: 2, nodes: Zone("b"))'
    assert Placement.Node("a") == Placement.Node("a") != Placement.Node("b")
    with pytest.raises(TypeError, match="cannot hold"):
        Scenario(horizon=object()).text()  # type: ignore[arg-type]


def test_the_schema_takes_the_durations_that_the_program_takes() -> None:
    pattern = json.loads(_taintsim.schema())["$defs"]["DurationText"]["pattern"]
    for text in ["5m", "1h30m", "1.5h", ".5s", "1.s", "200ms", "3us", "3µs"]:
        assert re.search(pattern, text), text
        Scenario(horizon="1h", controllers_start=text).check()
    for text in ["", "5", "30 minutes", "1d", "5m ", "1..5s", "s", "--5m"]:
        assert not re.search(pattern, text), text
        with pytest.raises(taintsim.InputError):
            Scenario(horizon="1h", controllers_start=text).check()


def test_the_builders_are_those_of_the_language() -> None:
    sys.path.insert(0, str(Path(__file__).parent.parent))
    import generate_language

    written = Path(taintsim.language.__file__).read_text(encoding="utf-8")
    assert written == generate_language.written(json.loads(_taintsim.schema())), "taintsim schema | python extra/python/generate_language.py"
