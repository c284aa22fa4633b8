"""What one asks of taintsim from Python. Options mean what they mean on the command line."""

from __future__ import annotations

import json
import os
from typing import Any, Iterable, Mapping, Sequence, Union

from . import _taintsim
from ._results import Forecast, Plan, Run, Survey, Sweep
from ._written import Document

#: A scenario: its text, where its file is, or one that was built.
Scenario = Union[str, "os.PathLike[str]", Document]
#: What a setting is set to.
Setting = Union[str, int, float, bool, None]
#: One or several.
OneOrMany = Union[str, Iterable[str]]

#: What a text begins with, and no path does.
_BEGINNINGS = ("(", "Scenario", "//", "/*", "#![", "{", "[", "apiVersion:")


def _source(given: Any, name: str = "<scenario>") -> tuple[str, bytes | None]:
    """The name of a scenario or an export, and its text where it is one."""
    if isinstance(given, Document):
        return (name, given.text().encode())
    if isinstance(given, Mapping):
        return (name, json.dumps(given).encode())
    if isinstance(given, bytes):
        return (name, given)
    if isinstance(given, str) and ("\n" in given or given.lstrip("\ufeff \t").startswith(_BEGINNINGS)):
        return (name, given.encode())
    if not isinstance(given, (str, os.PathLike)):
        kind = type(given).__name__
        raise TypeError(f"expected a text, a path, a document or what taintsim.language builds, not {kind}: {given!r:.80}")
    return (os.fspath(given), None)


def _sources(given: Any, name: str) -> list[tuple[str, bytes | None]]:
    if isinstance(given, (str, bytes, Mapping, Document, os.PathLike)):
        return [_source(given, f"<{name}>")]
    return [_source(one, f"<{name}-{i}>") for i, one in enumerate(given, 1)]


def _value(value: Setting) -> str:
    if isinstance(value, str):
        return value
    # By its text, as NumPy has a bool of its own.
    return {"None": "none", "True": "true", "False": "false"}.get(str(value), str(value))


def _each(value: Setting | Iterable[Setting]) -> list[Setting]:
    # NumPy's numbers are neither int nor float.
    return list(value) if isinstance(value, Iterable) and not isinstance(value, str) else [value]


def _listed(values: OneOrMany | None) -> list[str]:
    return [values] if isinstance(values, str) else list(values or ())


class _Words:
    """The words of a command."""

    def __init__(self, command: str) -> None:
        self._words = [command]
        self._texts: dict[str, bytes] = {}

    def option(self, name: str, value: Any) -> None:
        """An option, where it is given; one of several values is given as often."""
        if value is True:
            self._words.append(f"--{name}")
        elif isinstance(value, (list, tuple)):
            self._words += [f"--{name}={one}" for one in value]
        elif value is not None and value is not False:
            self._words.append(f"--{name}={value}")

    def settings(self, name: str, settings: Mapping[str, Any] | None) -> None:
        for path, value in (settings or {}).items():
            self.option(name, f"{path}={','.join(map(_value, _each(value)))}")

    def change(
        self,
        set: Mapping[str, Any] | None,
        kubernetes: str | None,
        timing: str | None,
        seed: int | None,
        jobs: int | None,
    ) -> None:
        """What every command can change."""
        self.settings("set", set)
        self.option("kubernetes", kubernetes)
        self.option("timing", timing)
        self.option("seed", seed)
        self.option("jobs", jobs)

    def ask(self, sources: Sequence[tuple[str, bytes | None]]) -> _taintsim.Found:
        self._words += ["--", *(name for name, _ in sources)]
        texts = {name: text for name, text in sources if text is not None}
        return _taintsim.ask(self._words, texts)


def run(
    scenario: Scenario,
    *,
    seed: int | None = None,
    set: Mapping[str, Setting] | None = None,
    kubernetes: str | None = None,
    timing: str | None = None,
    needless_within: str = "5m",
) -> Run:
    """Simulates a scenario.

    ``set`` gives settings other values: ``{"workloads.web.replicas": 20}``. An eviction was needless
    if its node was back within ``needless_within``. Raises InputError for whatever is wrong.
    """
    name, text = _source(scenario)
    sets = [f"{path}={_value(value)}" for path, value in (set or {}).items()]
    return Run(_taintsim.run(name, text, kubernetes, timing, seed, sets, needless_within))


def sweep(
    scenario: Scenario | Sequence[Scenario],
    set: Mapping[str, Setting | Iterable[Setting]],
    *,
    seeds: int = 10,
    zip: bool = False,
    show: OneOrMany | None = None,
    against: str | None = None,
    seed: int | None = None,
    kubernetes: str | None = None,
    timing: str | None = None,
    needless_within: str | None = None,
    jobs: int | None = None,
) -> Sweep:
    """Simulates a scenario, or several, with several values of settings, each over the same seeds.

    Every combination of values is tried, or with ``zip`` the first of each, the second of each, and
    so on. ``show`` names figures of single workloads: ``"web:all"``.
    """
    words = _Words("sweep")
    words.option("seeds", seeds)
    words.option("zip", zip)
    words.option("show", _listed(show))
    words.option("against", against)
    words.option("needless-within", needless_within)
    words.change(set, kubernetes, timing, seed, jobs)
    return Sweep(words.ask(_sources(scenario, "scenario")))


def survey(
    cluster: Scenario | Mapping[str, Any],
    *,
    lose: OneOrMany | None = None,
    pairs: OneOrMany | None = None,
    only: OneOrMany | None = None,
    lasts: str = "10m",
    by: str = "machine",
    fail_on: OneOrMany | None = None,
    set: Mapping[str, Setting] | None = None,
    seed: int | None = None,
    kubernetes: str | None = None,
    timing: str | None = None,
    needless_within: str | None = None,
    jobs: int | None = None,
) -> Survey:
    """Loses every node, zone and rack of a cluster, one after the other.

    ``cluster`` is a scenario, or what ``kubectl get … -o json`` printed: its text, its file, or the
    document itself. ``lose`` says what is lost, as ``["zone", "label=rack"]``, for how long ``lasts``,
    and how ``by``: machine, network, api-server, drain.
    """
    words = _Words("survey")
    words.option("lose", _listed(lose))
    words.option("pairs", _listed(pairs))
    words.option("only", _listed(only))
    words.option("for", lasts)
    words.option("by", by)
    words.option("fail-on", _listed(fail_on))
    words.option("needless-within", needless_within)
    words.change(set, kubernetes, timing, seed, jobs)
    return Survey(words.ask([_source(cluster)]))


def plan(
    cluster: Scenario | Mapping[str, Any],
    choose: Mapping[str, Setting | Iterable[Setting]],
    *,
    preset: str | None = None,
    price: Mapping[str, str] | None = None,
    currency: str | None = None,
    within: OneOrMany | None = None,
    precision: float | str | None = None,
    confidence: float | str | None = None,
    budget: str | None = None,
    managed: str | None = None,
    count: str | None = None,
    set: Mapping[str, Setting] | None = None,
    seed: int | None = None,
    kubernetes: str | None = None,
    timing: str | None = None,
    needless_within: str | None = None,
    jobs: int | None = None,
) -> Plan:
    """Says which value of a setting costs least, given how things fail.

    ``choose`` has the settings with the values to choose from, a list or a range, ``"0..600"``. How
    things fail is in the scenario, or is that of a ``preset``. ``price`` says what an eviction and
    the like are worth, ``{"evicted": "5m"}``, and ``within`` what a year must not come to,
    ``"needless<=20/y"``. It ends after ``budget`` by the clock on the wall, a minute where nothing is
    said.
    """
    words = _Words("plan")
    each = {path: _each(values) for path, values in choose.items()}
    words.settings("choose", each)
    words.option("preset", preset)
    words.option("price", [f"{figure}={value}" for figure, value in (price or {}).items()])
    words.option("currency", currency)
    words.option("within", _listed(within))
    words.option("precision", precision)
    words.option("confidence", confidence)
    words.option("budget", budget)
    words.option("managed", managed)
    words.option("count", count)
    words.option("needless-within", needless_within)
    words.change(set, kubernetes, timing, seed, jobs)
    given = {path: {_value(value): value for value in values} for path, values in each.items()}
    return Plan(words.ask([_source(cluster)]), given)


def forecast(
    export: Any,
    *,
    heal_after: str | None = None,
    dies: OneOrMany | None = None,
    what_if: OneOrMany | None = None,
    horizon: str | None = None,
    seeds: int | None = None,
    set: Mapping[str, Setting] | None = None,
    seed: int | None = None,
    kubernetes: str | None = None,
    timing: str | None = None,
    jobs: int | None = None,
) -> Forecast:
    """Says what comes of an outage that is under way, from what ``kubectl get … -o json`` printed.

    ``export`` is that text, its file, the document itself, or several of them that make one cluster.
    ``what_if`` are other courses to put beside the first, such as
    ``"kube-controller-manager restart"``.
    """
    words = _Words("forecast")
    words.option("heal-after", heal_after)
    words.option("dies", _listed(dies))
    words.option("what-if", _listed(what_if))
    words.option("horizon", horizon)
    words.option("seeds", seeds)
    words.change(set, kubernetes, timing, seed, jobs)
    return Forecast(words.ask(_sources(export, "export")))
