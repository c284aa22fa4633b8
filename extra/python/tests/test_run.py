"""Runs, and what is wrong with scenarios."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest

import taintsim
from scenarios import EVICTED_S, ONE_NODE, SECONDS, SHIPPED


def test_a_run_is_what_arithmetic_says() -> None:
    run = taintsim.run(ONE_NODE)
    (row,) = run.evictions.rows()
    assert row["pod"] == "w" and row["node"] == "n-0" and row["toleration_seconds"] == 60
    assert EVICTED_S[0] <= row["time_s"] <= EVICTED_S[1]
    assert run.summary["evicted"] == 1
    assert len(run) == len(run.records) == run.document["run"]["records"]


def test_a_run_is_what_the_program_says(tmp_path: Path) -> None:
    file = SHIPPED / "half-a-zone.ron"
    ended = taintsim.call(["run", file, "--quiet", "--format", "json", "--out", tmp_path])
    told = json.loads(ended.stdout)
    del told["files"]
    run = taintsim.run(file)
    assert run.document == told
    assert run.name == "half-a-zone" and repr(run).startswith("<taintsim.Run of half-a-zone, seed 1:")
    assert run.text().splitlines()[0] == str(run).splitlines()[0]


def test_settings_and_seeds_are_heeded() -> None:
    for_ever = taintsim.run(ONE_NODE, set={SECONDS: None})
    assert len(for_ever.evictions) == 0
    other = taintsim.run(ONE_NODE, seed=7, set={SECONDS: 120}, kubernetes="1.30", timing="ideal")
    (row,) = other.evictions.rows()
    assert (other.seed, row["toleration_seconds"]) == (7, 120)
    assert other.document["run"]["kubernetes"].startswith("1.30.")
    assert other.document["run"]["timing"] == "Ideal"


def test_the_same_seed_gives_the_same_records() -> None:
    once, again = taintsim.run(ONE_NODE, seed=3), taintsim.run(ONE_NODE, seed=3)
    assert once.records.rows() == again.records.rows()


def test_a_mistake_has_its_place_and_what_may_help() -> None:
    text = ONE_NODE.replace("tolerationSeconds", "tolerationSecond")
    with pytest.raises(taintsim.InputError) as caught:
        taintsim.run(text)
    (problem,) = caught.value.problems
    assert (problem.file, problem.line) == ("<scenario>", 6)
    assert text.splitlines()[5][problem.column - 1 :].startswith("tolerationSecond")
    assert "tolerationSecond" in problem.message and "tolerationSeconds" in (problem.help or "")
    assert isinstance(caught.value, ValueError)
    # Dask sends it from process to process.
    assert pickle.loads(pickle.dumps(caught.value)).problems == caught.value.problems


def test_mistakes_are_said_in_the_programs_own_words(tmp_path: Path) -> None:
    file = tmp_path / "s.ron"
    file.write_text(ONE_NODE.replace('"n-0"', '"n-9"').replace('"10m"', '"10 minutes"'), encoding="utf-8")
    with pytest.raises(taintsim.ProgramError) as told:
        taintsim.call(["validate", file])
    with pytest.raises(taintsim.InputError) as caught:
        taintsim.run(file)
    assert len(caught.value.problems) == 3
    assert str(caught.value) in str(told.value)


def test_what_is_not_there_and_what_is_no_option() -> None:
    with pytest.raises(taintsim.InputError, match="cannot read nowhere.ron: there is no such file"):
        taintsim.run("nowhere.ron")
    with pytest.raises(taintsim.InputError, match="there is no pod group"):
        taintsim.run(ONE_NODE, set={"pods.nobody.count": 1})
    with pytest.raises(taintsim.InputError, match="needless_within"):
        taintsim.run(ONE_NODE, needless_within="soon")


def test_it_shows_itself_in_a_notebook() -> None:
    shown = taintsim.run(ONE_NODE)._repr_html_()
    assert shown.startswith('<iframe srcdoc="&lt;!doctype html&gt;') and 'sandbox="allow-scripts"' in shown


def test_what_is_no_scenario_is_refused() -> None:
    with pytest.raises(TypeError, match="a text, a path, a document or what taintsim.language builds, not int: 3"):
        taintsim.run(3)  # type: ignore[arg-type]
