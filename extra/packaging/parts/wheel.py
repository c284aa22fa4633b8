"""The wheel for Python, by maturin in extra/python/; with the licences of what is inside and its bill of materials, where a wheel has them."""

from __future__ import annotations

import base64
import hashlib
import io
import shutil
import subprocess
import tempfile
import time
import tomllib
import zipfile
from pathlib import Path

from . import inside, program, project
from .project import ROOT, Failed, call

PACKAGE = "extra/python"


def why_not() -> str | None:
    """What is missing, if anything is."""
    if not (ROOT / PACKAGE / "Cargo.toml").is_file():
        return "extra/python/ is no package that maturin builds"
    if not shutil.which("maturin"):
        return "maturin is not installed (pip install maturin)"
    return None


def sources_name() -> str:
    """What maturin calls the sources."""
    return f"taintsim-{project.version()}.tar.gz"


def backend() -> str:
    """What builds it, as pip asks for it."""
    (asked,) = tomllib.loads((ROOT / PACKAGE / "pyproject.toml").read_text())["build-system"]["requires"]
    return asked


def added(dist_info: str) -> dict[str, bytes]:
    """What belongs into every wheel: our licences and those of others, and the bill of materials."""
    files = {name: (ROOT / name).read_bytes() for name in ("LICENSE-MIT", "LICENSE-APACHE")}
    files["THIRD-PARTY.txt"] = inside.licences(project.host(), PACKAGE)
    found = {f"{dist_info}/licenses/{name}": content for name, content in files.items()}
    return found | {f"{dist_info}/sboms/taintsim.cdx.json": inside.bom(project.host(), PACKAGE)}


def record(files: dict[str, bytes], own: str) -> bytes:
    """The list of a wheel's files with their checksums; of the list itself there is none."""
    lines = []
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(content)}\n")
    return "".join([*lines, f"{own},,\n"]).encode()


def finished(made: bytes) -> bytes:
    """A wheel of maturin's with what it lacks. Its own bill of materials names folders of this machine."""
    with zipfile.ZipFile(io.BytesIO(made)) as packed:
        modes = {one.filename: one.external_attr for one in packed.infolist()}
        files = {name: packed.read(name) for name in modes}
    (listed,) = (name for name in files if name.endswith(".dist-info/RECORD"))
    dist_info = listed.removesuffix("/RECORD")
    files = {name: content for name, content in files.items() if name != listed and not name.startswith(f"{dist_info}/sboms/")}
    for name, content in files.items():
        if name.endswith((".so", ".pyd")):
            program.keeps_to_itself(content)
    more = added(dist_info)
    licences = [name.rpartition("/")[2] for name in more if "/licenses/" in name]
    metadata = files[f"{dist_info}/METADATA"].decode()
    after = f"License-Expression: {project.package()['license']}\n"
    if metadata.count(after) != 1 or "License-File:" in metadata:
        raise Failed(f"the wheel's METADATA is not as expected: one line {after!r}, and no License-File")
    lines = "".join(f"License-File: {name}\n" for name in licences)
    files[f"{dist_info}/METADATA"] = metadata.replace(after, after + lines).encode()
    files |= more
    files[listed] = record(files, listed)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as into:
        for name, content in files.items():
            info = zipfile.ZipInfo(name, max(time.gmtime(project.epoch())[:6], (1980, 1, 1, 0, 0, 0)))
            info.external_attr = modes.get(name, 0o644 << 16)
            info.compress_type = zipfile.ZIP_DEFLATED
            into.writestr(info, content)
    return out.getvalue()


def write(profile: str, out: Path) -> list[Path]:
    env = program.environment(project.host(), ROOT)
    words = ["maturin", "build", "--quiet", "--locked", "--profile", profile, "--target-dir", str(ROOT / "target/packages/wheel")]
    with tempfile.TemporaryDirectory(prefix="taintsim-wheel-") as folder:
        call([*words, "--out", folder], cwd=ROOT / PACKAGE, env=env)
        places = []
        for made in sorted(Path(folder).glob("*.whl")):
            places.append(out / made.name)
            places[-1].write_bytes(finished(made.read_bytes()))
        # The sources, for platforms without a wheel: pip builds them where Rust is.
        call(["maturin", "sdist", "--out", folder], cwd=ROOT / PACKAGE, env=env, stderr=subprocess.DEVNULL)
        for made in sorted(Path(folder).glob("*.tar.gz")):
            places.append(out / made.name)
            shutil.copyfile(made, places[-1])
    return places
