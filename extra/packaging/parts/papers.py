"""What lies beside the program in its packages: pages of the manual, completions, licences; and the archive of all of it."""

from __future__ import annotations

import re
from pathlib import Path

from . import inside, playground, program, project
from .archive import Entry, Tree, tar, zip_file, zipped
from .project import ROOT, Failed, call

# Shells, with the name that each expects.
SHELLS = {"bash": "taintsim.bash", "zsh": "_taintsim", "fish": "taintsim.fish", "powershell": "_taintsim.ps1", "elvish": "taintsim.elv"}


def commands(words: list[str]) -> list[str]:
    """The program's commands, from its help."""
    listed = call([*words, "--help"]).split("Commands:\n")[1].split("\n\n")[0]
    return [c for c in re.findall(r"^  ([a-z]+)(?: |$)", listed, re.M) if c != "help"]


def manual(words: list[str]) -> dict[str, bytes]:
    """A page for the program and one for each command."""
    pages = {"taintsim.1": call([*words, "man"]).encode()}
    for command in commands(words):
        pages[f"taintsim-{command}.1"] = call([*words, "man", command]).encode()
    return pages


def completions(words: list[str]) -> dict[str, bytes]:
    return {name: call([*words, "completions", shell]).encode() for shell, name in SHELLS.items()}


def words_for(target: str, built: dict[str, Path]) -> list[str]:
    """How to run the program for a target, or any other that was built with it: they all print the same pages."""
    for other in (target, *built):
        words = program.runs_here(built[other]) if other in built else None
        if words:
            return words
    raise Failed(f"the program for {target} does not run here, and no other was built: give one that does, too (--target {project.host()})")


def read_me() -> bytes:
    """The README of the sources, with what somebody has to know who has not got them."""
    text = (ROOT / "README.md").read_text()
    heading, rest = text.split("\n", 1)
    note = (
        f"> Here are the program, its manual and its completions: `taintsim init first.ron` writes a first scenario, `taintsim run first.ron` runs it, and\n"
        f"> nothing has to be built. The pages and scenarios that are named below are in the sources; the pages also in the same release's\n"
        f"> `taintsim-v{project.version()}-book.tar.gz`.\n"
    )
    return f"{heading}\n\n{note}{rest}".encode()


def tree(target: str, built: dict[str, Path], module: bytes | None) -> Tree:
    """What a person unpacks; with the simulation for a browser, where it was built. Files and no links: krew unpacks nothing else."""
    words = words_for(target, built)
    own = built[target]
    files: Tree = {own.name: Entry(own.read_bytes(), 0o755)}
    if module:
        files[playground.FILE] = Entry(module)
    for place in ("CHANGELOG.md", "docs/SECURITY.md", "LICENSE-MIT", "LICENSE-APACHE"):
        files[place.rpartition("/")[2]] = Entry((ROOT / place).read_bytes())
    files["README.md"] = Entry(read_me())
    files["THIRD-PARTY.txt"] = Entry(inside.licences(target))
    files |= {f"man/{name}": Entry(page) for name, page in manual(words).items()}
    files |= {f"completions/{name}": Entry(text) for name, text in completions(words).items()}
    return files


def write(target: str, files: Tree, out: Path) -> list[Path]:
    """The archive, and beside it what is inside of the program."""
    place = out / project.archive_name(target)
    folder = project.name(target) + "/"
    if "windows" in target:
        place.write_bytes(zip_file({folder + name: entry for name, entry in files.items()}))
    else:
        place.write_bytes(zipped(tar({folder + name: entry for name, entry in files.items()})))
    bill = out / f"{project.name(target)}.cdx.json"
    bill.write_bytes(inside.bom(target))
    return [place, bill]
