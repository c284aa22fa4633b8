"""The program ``taintsim``: where it is, and a call of it."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn, Sequence

from . import _taintsim


class ProgramError(RuntimeError):
    """The program is not there, or found something wrong; the text is its own."""


@dataclass(frozen=True)
class Finished:
    """A call that is over."""

    #: 0, or 1 where an expectation or a limit is not met.
    code: int
    stdout: str
    stderr: str


def main() -> NoReturn:
    """The command ``taintsim`` that comes with the package: the program, in this process."""
    sys.exit(_taintsim.main(["taintsim", *sys.argv[1:]]))


def program() -> list[str]:
    """What begins a call of the program: that of ``TAINTSIM`` in the environment, or else the one
    that comes with this package, so that both are of one version."""
    named = os.environ.get("TAINTSIM")
    if named:
        return [named]
    script = Path(sysconfig.get_path("scripts")) / ("taintsim.exe" if os.name == "nt" else "taintsim")
    return [str(script)] if script.exists() else [sys.executable, "-m", "taintsim"]


def call(arguments: Sequence[str | os.PathLike[str]], allowed: Sequence[int] = (0, 1)) -> Finished:
    """Calls the program. Raises ProgramError for any exit code that is not allowed."""
    words = [*program(), *(os.fspath(a) for a in arguments)]
    try:
        ended = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8")
    except OSError as error:
        raise ProgramError(f"cannot run {words[0]}: {error}") from error
    if ended.returncode not in allowed:
        raise ProgramError(ended.stderr.strip() or f"{words[0]} ended with {ended.returncode}")
    return Finished(ended.returncode, ended.stdout, ended.stderr)
