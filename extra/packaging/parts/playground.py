"""The playground: the simulation as a module for a browser, which lies beside the program, and the folder for a web server as an asset of its own."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

from . import inside, program, project
from .archive import Entry, tar, zipped
from .project import ROOT, Failed, call

TARGET = "wasm32-unknown-unknown"
# What the program looks for beside itself.
FILE = "taintsim-playground.wasm"
PACKAGE = "extra/web/playground"


def why_not() -> str | None:
    """What is missing, if anything is."""
    if shutil.which("rustup") and TARGET not in call(["rustup", "target", "list", "--installed"]).split():
        return f"Rust cannot build for {TARGET} here: rustup target add {TARGET}"
    return None


def module(profile: str) -> bytes:
    """Builds the module."""
    into = ROOT / "target/packages/playground"
    words = ["cargo", "build", "--locked", "--profile", profile, "--target", TARGET, "--target-dir", str(into)]
    call(words, cwd=ROOT / PACKAGE, env=program.environment(TARGET, ROOT))
    built = (into / TARGET / ("debug" if profile == "dev" else profile) / "taintsim_playground.wasm").read_bytes()
    if profile != "dev":
        program.keeps_to_itself(built)
    # What is inside is said of the program, whose lock file has the same packages.
    odd = sorted(set(inside.checksums(PACKAGE)) - set(inside.checksums()))
    if odd:
        raise Failed(f"{PACKAGE}/Cargo.lock has packages that Cargo.lock does not have: {odd}")
    return built


def written(words: list[str], place: Path, into: Path) -> Path:
    """The folder that a program writes with the module at that place."""
    call([*words, "playground", "--module", str(place), "--out", str(into / "playground")], stderr=subprocess.PIPE)
    return into / "playground"


def content(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def write(words: list[str], built: bytes, target: str, out: Path) -> Path:
    """The folder that the program writes, packed; with the licences of what is inside of the module."""
    with tempfile.TemporaryDirectory(prefix="taintsim-playground-") as folder:
        (Path(folder) / FILE).write_bytes(built)
        files = content(written(words, Path(folder) / FILE, Path(folder)))
    files["THIRD-PARTY.txt"] = inside.licences(target)
    place = out / project.playground_name()
    place.write_bytes(zipped(tar({f"taintsim-playground/{name}": Entry(one) for name, one in files.items()})))
    return place
