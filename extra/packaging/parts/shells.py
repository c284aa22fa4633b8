"""Tries the completions of the packages in the shells themselves: a command, a value of an option, and a file, as a person types them."""

from __future__ import annotations

import os
import re
import select
import shutil
import subprocess
from pathlib import Path

from .papers import SHELLS
from .project import Failed

# What is typed before the tabulator, and what the line is then.
TYPED = {
    "swe": "sweep",
    "run --records parq": "run --records parquet",
    "run --out=sub --kub": "run --out=sub --kubernetes",
    "run zone-part": "run zone-partition.ron",
    # Nothing begun: the only file that is there.
    "run ": "run zone-partition.ron",
}
FILE = "zone-partition.ron"

# How each shell takes them, and does nothing but print what it would call.
BEGIN = {
    "bash": "source {place}; taintsim() {{ echo \"<$*>\"; }}",
    "zsh": "fpath=({folder} $fpath); autoload -Uz compinit; compinit -u -D; taintsim() {{ print -r -- \"<$*>\" }}",
}
WORDS = {"bash": ["bash", "--norc", "--noprofile", "-i"], "zsh": ["zsh", "-f", "-i"]}

# After so long a shell that has not printed is taken to hang.
SECONDS_MAX = 60


def typed(shell: str, lines: list[str], folder: Path) -> str:
    """What a shell on a terminal of its own prints when that is typed."""
    # Not on Windows.
    import pty

    child, terminal = pty.fork()
    if child == 0:
        os.chdir(folder)
        os.execvpe(WORDS[shell][0], WORDS[shell], os.environ | {"TERM": "dumb", "HOME": str(folder), "HISTFILE": "/dev/null"})
    said = b""
    try:
        for line in [*lines, "exit"]:
            os.write(terminal, f"{line}\n".encode())
        while select.select([terminal], [], [], SECONDS_MAX)[0]:
            read = os.read(terminal, 1 << 16)
            said += read
            if not read:
                break
    except OSError:
        # The other end is closed: it has ended.
        pass
    finally:
        os.close(terminal)
        os.waitpid(child, 0)
    return said.decode(errors="replace")


def by_typing(shell: str, place: Path, folder: Path) -> list[str]:
    begin = BEGIN[shell].format(place=place, folder=place.parent)
    said = typed(shell, [begin, *(f"taintsim {start}\t" for start in TYPED)], folder)
    return re.findall(r"^<(.*?) ?>\r?$", said, re.M)


def by_fish(place: Path, folder: Path) -> list[str]:
    """Fish says itself what it would complete: the last word, and behind a tabulator what it means."""
    found = []
    for start in TYPED:
        ask = f"source {place}; complete -C 'taintsim {start}'"
        done = subprocess.run(["fish", "--no-config", "-c", ask], cwd=folder, capture_output=True, text=True, env=os.environ | {"HOME": str(folder)})
        ends = [line.split("\t")[0] for line in done.stdout.splitlines()]
        found.append(f"{start.rpartition(' ')[0]} {ends[0]}".strip() if len(ends) == 1 else f"{start}: {ends}{done.stderr}")
    return found


def complete(completions: Path, folder: Path) -> tuple[list[str], list[str]]:
    """The shells that complete as they ought to, and those that are not installed."""
    work = folder / "work"
    work.mkdir()
    (work / FILE).touch()
    tried, missing = [], []
    for shell in ("bash", "zsh", "fish"):
        if not shutil.which(shell):
            missing.append(shell)
            continue
        place = completions / SHELLS[shell]
        found = by_fish(place, work) if shell == "fish" else by_typing(shell, place, work)
        if found != list(TYPED.values()):
            raise Failed(f"completions of {shell}: {found}, where {list(TYPED.values())} was expected")
        tried.append(shell)
    return tried, missing
