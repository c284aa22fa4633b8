"""Scenarios that several tests run."""

from pathlib import Path

#: Those that ship with the program.
SHIPPED = Path(__file__).parents[3] / "scenarios"

#: Node n-0 is cut off at 60 s, for good; its pod tolerates that for a minute.
ONE_NODE = """(
    version: 1,
    horizon: "10m",
    nodes: [(names: "n-{0..2}")],
    pods: [(name: "w", on: Node("n-0"), tolerations: [
        (key: "node.kubernetes.io/unreachable", operator: Exists, effect: NoExecute, tolerationSeconds: 60)])],
    timeline: [(at: "1m", do: Partition(node: "n-0"))],
)"""

#: When that pod is evicted: the node is given up 39.6 s to 57 s after the cut (up to 10.4 s since the
#: last renewal of the lease, 50 s of grace, two passes of 5 s), is tainted within 0.1 s, or with the
#: next turn 10 s later, and then 60 s go by.
EVICTED_S = (60 + 39.6 + 60, 60 + 57 + 10.1 + 60)

#: The setting that decides it.
SECONDS = "pods.w.tolerations[unreachable].tolerationSeconds"

#: Some work: a hundred seeds of it are minutes.
LONG = """(
    version: 1,
    horizon: "720h",
    nodes: [(names: "a-{00..19}", zone: "a"), (names: "b-{00..19}", zone: "b")],
    pods: [(name: "w", count: 400, on: Spread(All))],
    timeline: [(at: "1m", do: Flap(nodes: Nodes(["b-{01..04}"]), down: "90s", up: "2m", times: 2000))],
)"""
