"""taintsim, the simulator of how Kubernetes handles failing nodes, for Python.

``run`` simulates a scenario, ``sweep``, ``survey``, ``plan`` and ``forecast`` are the commands of
that name. What they return holds tables for pandas, Polars, DuckDB and pyarrow, and shows itself in a
notebook. ``language`` has the scenario language as Python's types, ``distributed`` does large pieces
of work on a cluster of Dask.
"""

from ._commands import forecast, plan, run, survey, sweep
from ._errors import InputError, Problem
from ._program import Finished, ProgramError, call, program
from ._results import Forecast, Found, Plan, Run, Survey, Sweep
from ._taintsim import Table

__all__ = [
    "Finished",
    "Forecast",
    "Found",
    "InputError",
    "Plan",
    "Problem",
    "ProgramError",
    "Run",
    "Survey",
    "Sweep",
    "Table",
    "call",
    "forecast",
    "plan",
    "program",
    "run",
    "survey",
    "sweep",
]
