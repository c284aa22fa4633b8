"""The wheel for Python, by maturin in python/."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from . import project
from .project import ROOT, call


def why_not() -> str | None:
    """What is missing, if anything is."""
    if not (ROOT / "python/Cargo.toml").is_file():
        return "python/ is no package that maturin builds"
    if not shutil.which("maturin"):
        return "maturin is not installed (pip install maturin)"
    return None


def write(profile: str, out: Path) -> list[Path]:
    before = set(out.glob("*.whl"))
    env = os.environ | {"SOURCE_DATE_EPOCH": str(project.epoch())}
    call(["maturin", "build", "--locked", "--profile", profile, "--out", str(out)], cwd=ROOT / "python", env=env)
    return sorted(set(out.glob("*.whl")) - before) or sorted(out.glob("*.whl"))
