"""The crate as it is published, with the addresses of where the project is, and that it builds as a person would install it."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from . import project
from .archive import unpack
from .project import ROOT, call


def write(out: Path) -> Path:
    """Packages a copy of the sources; `repository` and `homepage` are filled in where it is known by now."""
    with tempfile.TemporaryDirectory(prefix="taintsim-crate-") as folder:
        copy = Path(folder) / "taintsim"
        for name in project.sources():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, copy / name)
        manifest = copy / "Cargo.toml"
        text = manifest.read_text()
        if project.home() and not project.package()["repository"]:
            lines = f'repository = "{project.home()}"\nhomepage = "{project.home()}"\n'
            manifest.write_text(text.replace("documentation = ", lines + "documentation = ", 1))
        call(["cargo", "package", "--locked", "--no-verify", "--allow-dirty", "--quiet", "--target-dir", f"{folder}/target"], cwd=copy)
        (made,) = Path(folder).glob("target/package/*.crate")
        place = out / made.name
        shutil.copyfile(made, place)
        return place


def installed(crate: Path, into: Path, profile: str, target_dir: Path) -> Path:
    """Installs the program from the unpacked package, as `cargo install taintsim` does."""
    with tempfile.TemporaryDirectory(prefix="taintsim-install-") as folder:
        unpack(crate, Path(folder))
        (unpacked,) = Path(folder).iterdir()
        env = {k: v for k, v in os.environ.items() if k != "RUSTFLAGS"}
        words = ["cargo", "install", "--locked", "--quiet", "--profile", profile, "--path", str(unpacked), "--root", str(into)]
        call([*words, "--target-dir", str(target_dir)], env=env)
    return into / "bin" / "taintsim"
