"""What is said of the project in one place: its version, where it is published, what goes into it."""

from __future__ import annotations

import json
import os
import re
import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]

# The earliest time that every format of archive can say: 1980-01-01.
EARLIEST = 315532800

# What is released, and how each platform calls itself: Debian's architecture, and that of a container image. Where these are None, the
# platform has no such package.
TARGETS = {
    "x86_64-unknown-linux-musl": ("amd64", "amd64"),
    "aarch64-unknown-linux-musl": ("arm64", "arm64"),
    "x86_64-apple-darwin": (None, None),
    "aarch64-apple-darwin": (None, None),
    "x86_64-pc-windows-msvc": (None, None),
}


class Failed(Exception):
    """Something that a person has to put right: what, where, and what to do."""


def call(words: list[str], **more) -> str:
    """What a program prints; that it fails is an error with what it said."""
    done = subprocess.run(words, stdout=subprocess.PIPE, text=True, **more)
    if done.returncode != 0:
        raise Failed(f"`{' '.join(map(str, words))}` ended with {done.returncode}\n{done.stdout}{done.stderr or ''}".rstrip())
    return done.stdout


METADATA = ["cargo", "metadata", "--locked", "--quiet", "--format-version", "1"]


@cache
def metadata(target: str, folder: str = "") -> dict:
    """What Cargo knows of a package of ours and of what it is built from for a platform, by its lock file; `folder` is where it lies."""
    return json.loads(call([*METADATA, "--filter-platform", target], cwd=ROOT / folder))


@cache
def package() -> dict:
    """Our own package."""
    found = json.loads(call([*METADATA, "--no-deps"], cwd=ROOT))["packages"]
    return next(p for p in found if p["name"] == "taintsim")


def version() -> str:
    return package()["version"]


def home() -> str | None:
    """Where the project is published: TAINTSIM_HOME_URL, otherwise `repository` in Cargo.toml; None before it is published."""
    url = os.environ.get("TAINTSIM_HOME_URL") or package()["repository"]
    if not url:
        return None
    if not re.fullmatch(r"https://[^\s/]+/\S+", url):
        raise Failed(f"TAINTSIM_HOME_URL, or `repository` in Cargo.toml, is {url!r}: it has to be like https://HOST/PATH")
    return url.removesuffix("/").removesuffix(".git")


@cache
def epoch() -> int:
    """The time that files in packages have: SOURCE_DATE_EPOCH, otherwise that of the last commit."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if given:
        if not given.isdigit() or int(given) < EARLIEST:
            raise Failed(f"SOURCE_DATE_EPOCH is {given!r}: it has to be seconds since 1970, from {EARLIEST} on")
        return int(given)
    done = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=ROOT, capture_output=True, text=True)
    return int(done.stdout) if done.returncode == 0 and done.stdout.strip() else EARLIEST


def sources() -> list[str]:
    """The files that are the project, as git knows them."""
    names = call(["git", "ls-files", "-z"], cwd=ROOT).split("\0")
    return [n for n in names if n and (ROOT / n).is_file()]


@cache
def host() -> str:
    """The platform of this machine."""
    said = call(["rustc", "-vV"])
    return next(line.split(": ")[1] for line in said.splitlines() if line.startswith("host: "))


def usual_targets() -> list[str]:
    """What this machine makes where nobody says: on Linux the static programs, elsewhere what the system takes."""
    if "linux" in host():
        return [t for t in TARGETS if "linux" in t]
    return [t for t in TARGETS if t.split("-", 1)[1] == host().split("-", 1)[1]]


def name(target: str) -> str:
    """What an archive is called, without its ending. action.yml, extra/packaging/fetch and the manifest of krew know it."""
    return f"taintsim-v{version()}-{target}"


def playground_name() -> str:
    return f"taintsim-v{version()}-playground.tar.gz"


def archive_name(target: str) -> str:
    return name(target) + (".zip" if "windows" in target else ".tar.gz")
