"""The program ``taintsim``: where it is, and a call of it."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from typing import Sequence


class ProgramError(RuntimeError):
    """The program is not there, or found something wrong; the text is its own."""


@dataclass(frozen=True)
class Finished:
    """A call that is over."""

    #: 0, or 1 where an expectation or a limit is not met.
    code: int
    stdout: str
    stderr: str


def program() -> str:
    """Where the program is: ``TAINTSIM`` in the environment, or in the path."""
    found = os.environ.get("TAINTSIM") or shutil.which("taintsim")
    if not found:
        raise ProgramError("there is no program `taintsim` in the path; TAINTSIM says where it is")
    return found


def call(arguments: Sequence[str | os.PathLike[str]], allowed: Sequence[int] = (0, 1)) -> Finished:
    """Calls the program. Raises ProgramError for any exit code that is not allowed."""
    words = [program(), *(os.fspath(a) for a in arguments)]
    ended = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8")
    if ended.returncode not in allowed:
        raise ProgramError(ended.stderr.strip() or f"{words[0]} ended with {ended.returncode}")
    return Finished(ended.returncode, ended.stdout, ended.stderr)
