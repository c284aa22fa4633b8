"""The manifest of the kubectl plugin, and the rules that krew's own validation has for one."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from . import project
from .project import ROOT, TARGETS

# What krew selects a platform by.
PLATFORMS = {
    "x86_64-unknown-linux-musl": ("linux", "amd64"),
    "aarch64-unknown-linux-musl": ("linux", "arm64"),
    "x86_64-apple-darwin": ("darwin", "amd64"),
    "aarch64-apple-darwin": ("darwin", "arm64"),
    "x86_64-pc-windows-msvc": ("windows", "amd64"),
}


# What a file of a licence may be called in krew-index, whatever the case of its letters.
LICENCES = {"license", "license.txt", "license.md", "licenses", "licenses.txt", "licenses.md", "copying", "copying.txt"}


def operations(part: str) -> list[tuple[str, str]]:
    """The files of a platform of the manifest: where each is in the archive, and what it is called when it is installed."""
    pairs = re.findall(r"^        - from: (\S+)\n          to: (\S+)$", part, re.M)
    return [(source, source.rpartition("/")[2] if to == "." else to) for source, to in pairs]


def platform(target: str, home: str, archive: bytes) -> str:
    system, processor = PLATFORMS[target]
    program = "taintsim.exe" if system == "windows" else "taintsim"
    folder = project.name(target)
    return f"""    - selector:
        matchLabels:
          os: {system}
          arch: {processor}
      uri: {home}/releases/download/v{project.version()}/{project.archive_name(target)}
      sha256: {hashlib.sha256(archive).hexdigest()}
      files:
        - from: {folder}/{program}
          to: .
        - from: {folder}/LICENSE-MIT
          to: LICENSE
        - from: {folder}/LICENSE-APACHE
          to: .
        - from: {folder}/THIRD-PARTY.txt
          to: .
      bin: {program}
"""


def manifest(home: str, archives: dict[str, bytes]) -> str:
    head = (ROOT / "extra/packaging/krew/taintsim.yaml").read_text().split("apiVersion:", 1)[1]
    head = "apiVersion:" + head.replace("{version}", project.version()).replace("{home}", home)
    return head + "".join(platform(target, home, archives[target]) for target in TARGETS if target in archives)


def complaints(text: str) -> list[str]:
    """What krew's validation would say (internal/index/validation and cmd/validate-krew-manifest of krew): our manifest is of one form, so that lines can be read for it."""
    found = []

    def one(form: str, what: str) -> str:
        lines = re.findall(form, text, re.M)
        if len(lines) != 1:
            found.append(f"{what}: there has to be one, and there are {len(lines)}")
            return ""
        return lines[0]

    one(r"^apiVersion: (krew\.googlecontainertools\.github\.com/v1alpha2)$", "apiVersion")
    one(r"^kind: (Plugin)$", "kind")
    name = one(r"^  name: (\S+)$", "metadata.name")
    if not re.fullmatch(r"[\w-]+", name) or name.startswith("kube"):
        found.append(f"metadata.name {name!r} is not taken by krew")
    version = one(r"^  version: (\S+)$", "spec.version")
    if not re.fullmatch(r"v\d+\.\d+\.\d+(-[\w.]+)?", version):
        found.append(f"spec.version {version!r} is not a semantic version with a v before it")
    short = one(r"^  shortDescription: (.+)$", "spec.shortDescription")
    if len(short) > 50 or short.endswith("."):
        found.append("spec.shortDescription: krew-index asks for at most 50 characters, and no full stop")
    one(r"^  homepage: (https://\S+)$", "spec.homepage")
    platforms = text.partition("\n  platforms:\n")[2].split("    - selector:\n")[1:]
    if not platforms:
        found.append("spec.platforms: there is none")
    selected = [tuple(re.findall(r"^          (?:os|arch): (\w+)$", p, re.M)) for p in platforms]
    if len(set(selected)) != len(selected) or not set(selected) <= set(PLATFORMS.values()):
        found.append(f"selectors are not of one platform each: {selected}")
    for chosen, p in zip(selected, platforms):
        where = "/".join(chosen)
        if len(re.findall(r"^      sha256: [0-9a-f]{64}$", p, re.M)) != 1:
            found.append(f"{where}: sha256 is not 64 digits in lower case")
        if len(re.findall(r"^      uri: https://\S+\.(?:tar\.gz|zip)$", p, re.M)) != 1:
            found.append(f"{where}: uri is no archive")
        files = operations(p)
        if not files or any(".." in f or f.startswith("/") for pair in files for f in pair):
            found.append(f"{where}: files are none, or lead out of the archive")
        if not any(to.lower() in LICENCES for _, to in files):
            found.append(f"{where}: no file is called as krew-index wants a licence to be: {', '.join(sorted(LICENCES))}")
        program = re.findall(r"^      bin: (\S+)$", p, re.M)
        if len(program) != 1 or program[0] not in [to for _, to in files]:
            found.append(f"{where}: bin is not among the files")
    return found


def write(out: Path) -> Path | None:
    """The manifest for the archives that are in the folder; None where nobody knows where they will be."""
    home = project.home()
    archives = {t: (out / project.archive_name(t)).read_bytes() for t in TARGETS if (out / project.archive_name(t)).is_file()}
    if not home or not archives:
        return None
    place = out / "taintsim.krew.yaml"
    place.write_text(manifest(home, archives))
    return place
