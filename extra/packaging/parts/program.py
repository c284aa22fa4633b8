"""The program for each platform: static on Linux, and the same bytes wherever it is built."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from . import project
from .project import ROOT, Failed, call


# What people do with the program, for the compiler to count: what ships, a search, a plan, and what an export may lose.
WORK = [
    *(["run", f"scenarios/{name}.ron", "-q"] for name in ("zone-partition", "hundred-dead-nodes", "disk-stuck", "drain-with-budget", "preemption-after-loss")),
    ["explore", "scenarios/rapid.ron", "--depth", "2", "--jobs", "1"],
    ["plan", "scenarios/hundred-dead-nodes.ron", "--preset", "on-prem", "--precision", "60%", "--budget", "1h", "--jobs", "1", "-q",
     "--choose", "workloads.*.template.tolerations[unreachable].tolerationSeconds=0,300"],
    ["survey", "tests/exports/one-claim.json", "--jobs", "1", "-q"],
]


def environment(target: str, root: Path, more: list[str]) -> dict[str, str]:
    """How Cargo is called: no path of this machine gets into the program, and no file of the person's settings decides."""
    cargo_home = os.environ.get("CARGO_HOME") or str(Path.home() / ".cargo")
    flags = [*more, f"--remap-path-prefix={root}=/taintsim", f"--remap-path-prefix={cargo_home}=/cargo"]
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


def counted(target: str, profile: str) -> Path | str:
    """How often the program does what, which the compiler goes by: built with counters, it does what people do with it. Or why that cannot be."""
    tool = Path(call(["rustc", "--print", "sysroot"]).strip()) / "lib" / "rustlib" / project.host() / "bin" / "llvm-profdata"
    if not shutil.which(tool):
        return "rustup component add llvm-tools"
    into = ROOT / "target" / "packages" / "counters"
    counting = build(target, profile, into=into, flags=[f"-Cprofile-generate={into}"])
    if runs_here(counting) != [str(counting)]:
        return f"nothing of {target} runs here"
    merged = into / f"{target}.profdata"
    with tempfile.TemporaryDirectory(prefix="taintsim-counts-") as folder:
        # All processes add to one file, in this order.
        counts = Path(folder) / "%m.profraw"
        for words in WORK:
            words = [str(ROOT / w) if w.startswith(("scenarios/", "tests/")) else w for w in words]
            done = subprocess.run([counting, *words], cwd=folder, env={**os.environ, "LLVM_PROFILE_FILE": str(counts)}, capture_output=True, text=True)
            # A search that finds something says so by its exit code.
            if done.returncode not in (0, 1):
                raise Failed(f"`taintsim {' '.join(words)}` ended with {done.returncode}, so that nothing can be counted\n{done.stderr}")
        call([str(tool), "merge", "-o", str(merged), *map(str, Path(folder).glob("*.profraw"))])
    return merged


def build(target: str, profile: str, root: Path = ROOT, into: Path | None = None, flags: list[str] | None = None) -> Path:
    """Builds the program; where it is then."""
    into = into or ROOT / "target" / "packages"
    if shutil.which("rustup"):
        installed = call(["rustup", "target", "list", "--installed"]).split()
        if target not in installed:
            raise Failed(f"Rust cannot build for {target} here: rustup target add {target}")
    words = ["cargo", "build", "--locked", "--bin", "taintsim", "--profile", profile, "--target", target]
    jobs = os.environ.get("CARGO_BUILD_JOBS")
    words += ["--jobs", jobs] if jobs else []
    call([*words, "--target-dir", str(into)], cwd=root, env=environment(target, root, flags or []))
    folder = "debug" if profile == "dev" else profile
    return into / target / folder / ("taintsim.exe" if "windows" in target else "taintsim")


def keeps_to_itself(program: bytes, root: Path = ROOT) -> None:
    """No path of the machine that built it is in the program."""
    for path in (root, Path.home() / ".cargo", os.environ.get("CARGO_HOME")):
        if path and f"{path}{os.sep}".encode() in program:
            raise Failed(f"the program has a path of this machine in it: {path}")


def built_again(target: str, profile: str, flags: list[str]) -> bytes:
    """The program, built once more from a copy of the sources in another folder, with nothing of the first build but its counts."""
    with tempfile.TemporaryDirectory(prefix="taintsim-again-") as folder:
        copy = Path(folder) / "a folder elsewhere"
        for name in project.sources():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, copy / name)
        return build(target, profile, copy, Path(folder) / "built", flags).read_bytes()


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
