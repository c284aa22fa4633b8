"""The program for each platform: static on Linux, and the same bytes wherever it is built."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from . import project
from .project import ROOT, Failed, call


def environment(target: str, root: Path) -> dict[str, str]:
    """How Cargo is called: no path of this machine gets into the program, and no file of the person's settings decides."""
    cargo_home = os.environ.get("CARGO_HOME") or str(Path.home() / ".cargo")
    flags = [f"--remap-path-prefix={root}=/taintsim", f"--remap-path-prefix={cargo_home}=/cargo"]
    if "windows" in target:
        # It needs no run-time library to be installed, and has no time of its own in it.
        flags += ["-Ctarget-feature=+crt-static", "-Clink-arg=/Brepro"]
    env = {k: v for k, v in os.environ.items() if k not in ("RUSTFLAGS", "CARGO_TARGET_DIR", "CARGO_BUILD_TARGET")}
    # Separated by a character that is in no path.
    env["CARGO_ENCODED_RUSTFLAGS"] = "\x1f".join(flags)
    env["CARGO_INCREMENTAL"] = "0"
    env["SOURCE_DATE_EPOCH"] = str(project.epoch())
    if "musl" in target:
        # Rust's own linker, with the parts of musl that come with the target: no C compiler, and none whose version shows.
        env[f"CARGO_TARGET_{target.upper().replace('-', '_')}_LINKER"] = "rust-lld"
    return env


def build(target: str, profile: str, root: Path = ROOT, into: Path | None = None) -> Path:
    """Builds the program; where it is then."""
    into = into or ROOT / "target" / "packages"
    if shutil.which("rustup"):
        installed = call(["rustup", "target", "list", "--installed"]).split()
        if target not in installed:
            raise Failed(f"Rust cannot build for {target} here: rustup target add {target}")
    words = ["cargo", "build", "--locked", "--bin", "taintsim", "--profile", profile, "--target", target]
    jobs = os.environ.get("CARGO_BUILD_JOBS")
    words += ["--jobs", jobs] if jobs else []
    call([*words, "--target-dir", str(into)], cwd=root, env=environment(target, root))
    folder = "debug" if profile == "dev" else profile
    return into / target / folder / ("taintsim.exe" if "windows" in target else "taintsim")


def keeps_to_itself(program: bytes, root: Path = ROOT) -> None:
    """No path of the machine that built it is in the program."""
    for path in (root, Path.home() / ".cargo", os.environ.get("CARGO_HOME")):
        if path and f"{path}{os.sep}".encode() in program:
            raise Failed(f"the program has a path of this machine in it: {path}")


def built_again(target: str, profile: str) -> bytes:
    """The program, built once more from a copy of the sources in another folder, with nothing of the first build."""
    with tempfile.TemporaryDirectory(prefix="taintsim-again-") as folder:
        copy = Path(folder) / "a folder elsewhere"
        for name in project.sources():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, copy / name)
        return build(target, profile, copy, Path(folder) / "built").read_bytes()


def runs_here(program: Path) -> list[str] | None:
    """The words that run a program on this machine, if any do: directly, or by QEMU where it is of another processor."""
    emulator = shutil.which("qemu-aarch64-static") if "aarch64" in str(program) else None
    for words in ([str(program)], [emulator, str(program)] if emulator else []):
        try:
            if words and subprocess.run([*words, "--version"], capture_output=True).returncode == 0:
                return words
        except OSError:
            # Another format of program.
            continue
    return None
