"""What runs and commands come to."""

from __future__ import annotations

import html
import json
from functools import cached_property
from typing import Any

from . import _taintsim
from ._taintsim import Table

#: How wide what the program prints is.
WIDTH = 100

#: Pages up to this size are shown in a notebook, which keeps every byte of them in its file.
PAGE_BYTES_MAX = 16 << 20


def _frame(page: str, text: str) -> str:
    """A page within a notebook. It asks nobody for anything, and cannot touch the notebook."""
    if len(page) > PAGE_BYTES_MAX:
        size = f"The page has {len(page) >> 20} MB; write it to a file: `.html()`."
        return f"<pre>{html.escape(text)}\n{size}</pre>"
    return (
        f'<iframe srcdoc="{html.escape(page)}" sandbox="allow-scripts" '
        'style="width: 100%; height: 720px; border: 0"></iframe>'
    )


class Run:
    """A run that is over. Tables are made when they are asked for first, and kept."""

    def __init__(self, run: _taintsim.Run) -> None:
        self._run = run

    @property
    def seed(self) -> int:
        """The seed of the run."""
        return self._run.seed

    @cached_property
    def document(self) -> dict[str, Any]:
        """What ``taintsim run -o json`` prints: ``run``, ``timeline``, ``summary``, ``workloads``."""
        document: dict[str, Any] = json.loads(self._run.document())
        return document

    @property
    def name(self) -> str:
        """The scenario's name."""
        return str(self.document["run"]["scenario"])

    @property
    def summary(self) -> dict[str, Any]:
        """The figures of the run."""
        summary: dict[str, Any] = self.document["summary"]
        return summary

    @property
    def timeline(self) -> list[dict[str, Any]]:
        """What happened, in some rows for people."""
        timeline: list[dict[str, Any]] = self.document["timeline"]
        return timeline

    @property
    def workloads(self) -> Any:
        """What became of each workload, and what it cost."""
        return self.document["workloads"]

    @cached_property
    def records(self) -> Table:
        """Everything that happened, with its causes: a row for each record."""
        return self._run.records()

    @cached_property
    def evictions(self) -> Table:
        """A row for each eviction."""
        return self._run.evictions()

    @cached_property
    def curves(self) -> Table:
        """Availability and the like: ``time_s``, ``workload``, ``figure``, ``value``, which holds
        from then on. Where there is no workload it is the whole cluster's."""
        return self._run.curves()

    def text(self, width: int = WIDTH) -> str:
        """What ``taintsim run`` prints."""
        return self._run.text(width)

    def html(self) -> str:
        """The page that shows the run in a browser, one file."""
        return self._run.html()

    def __len__(self) -> int:
        return len(self._run)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<taintsim.Run of {self.name}, seed {self.seed}: {len(self)} records>"

    def _repr_html_(self) -> str:
        return _frame(self.html(), self.text())


class Found:
    """What a command found: its rows are a table, and it can be taken for one."""

    def __init__(self, found: _taintsim.Found) -> None:
        self._found = found

    @cached_property
    def document(self) -> dict[str, Any]:
        """What the command prints as JSON."""
        document: dict[str, Any] = json.loads(self._found.document())
        return document

    @cached_property
    def rows(self) -> Table:
        """Its rows."""
        return self._found.table("rows")

    @property
    def is_kept(self) -> bool:
        """Whether every limit was kept that was named."""
        return self._found.is_kept

    def text(self) -> str:
        """What the command prints."""
        return self._found.text()

    def html(self) -> str:
        """The page that shows it in a browser, one file."""
        return self._found.html()

    def __arrow_c_schema__(self) -> object:
        return self.rows.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.rows.__arrow_c_stream__(requested_schema)

    def __len__(self) -> int:
        return len(self.rows)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<taintsim.{type(self).__name__}: {len(self)} rows>"

    def _repr_html_(self) -> str:
        return _frame(self.html(), self.text())


class Sweep(Found):
    """Several values of a setting over many seeds. ``rows`` has, for each combination of values and
    each figure, what it comes to over the seeds."""


    @cached_property
    def runs(self) -> Table:
        """Every run: the values, the seed, and a column for each figure."""
        return self._found.table("runs")


class Survey(Found):
    """Every single loss of a cluster, worst first."""


    @cached_property
    def workloads(self) -> Table:
        """The workloads that each loss touches."""
        return self._found.table("workloads")

    @property
    def findings(self) -> list[dict[str, Any]]:
        """What to know of it, in sentences."""
        findings: list[dict[str, Any]] = self.document["findings"]
        return findings


class Plan(Found):
    """Which value of a setting costs least."""


    def __init__(self, found: _taintsim.Found, given: dict[str, dict[str, Any]]) -> None:
        super().__init__(found)
        self._given = given

    @property
    def best(self) -> dict[str, Any] | None:
        """The settings that cost least, of those that keep the limits: each value as it was given,
        and as a text where it comes from a range or is what is set now; None where none keeps them."""
        # Of settings that were chosen each for itself there is a plan of each.
        plans = self.document.get("plans", [self.document])
        if any(plan["best"] is None for plan in plans):
            return None
        best = {path: value for plan in plans for path, value in zip(plan["paths"], plan["best"])}
        return {path: self._given.get(path, {}).get(value, value) for path, value in best.items()}


class Forecast(Found):
    """What comes of an outage that is under way: who is evicted, and when."""

