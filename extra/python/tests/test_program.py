"""The program that comes with the package, and what the package says of itself."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys
from pathlib import Path

import pytest

import taintsim
from scenarios import ONE_NODE

HERE = Path(__file__).parent


@pytest.fixture(autouse=True)
def own_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TAINTSIM", raising=False)


def test_the_program_is_of_the_packages_version() -> None:
    version = importlib.metadata.version("taintsim")
    assert taintsim.call(["--version"]).stdout == f"taintsim {version}\n"
    started = subprocess.run([sys.executable, "-m", "taintsim", "--version"], capture_output=True, text=True, check=True)
    assert started.stdout == f"taintsim {version}\n"


def test_exit_codes_and_files_are_the_programs(tmp_path: Path) -> None:
    file = tmp_path / "s.ron"
    file.write_text(ONE_NODE.replace("timeline:", 'expect: [Evicted(pod: "w", count: 2)], timeline:'), encoding="utf-8")
    assert taintsim.call(["test", file]).code == 1
    taintsim.call(["run", file, "--quiet", "--out", tmp_path / "out"])
    assert (tmp_path / "out" / "s" / "events.jsonl").exists()
    with pytest.raises(taintsim.ProgramError, match="--nonsense"):
        taintsim.call(["run", "--nonsense"])


def test_a_closed_pipe_is_no_error() -> None:
    words = [*taintsim.program(), "schema"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        assert process.wait(30) == 0 and process.stderr.read() == b""


def test_another_program_may_be_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAINTSIM", "/nowhere/taintsim")
    with pytest.raises(taintsim.ProgramError, match="cannot run /nowhere/taintsim"):
        taintsim.call(["--version"])


@pytest.mark.parametrize("words", [["mypy", "taintsim"], ["mypy.stubtest", "taintsim._taintsim"]])
def test_types_are_what_they_are(words: list[str]) -> None:
    pytest.importorskip("mypy")
    # The types of the source, which has what mypy is told; of the extension, as it is installed.
    place = HERE if "mypy.stubtest" in words else HERE.parent
    ended = subprocess.run([sys.executable, "-m", *words], cwd=place, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr
