"""What can be said of the packages from the sources alone, in seconds: `extra/release --check`, which .ci/run calls."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from typing import Callable

from . import book, inside, krew, project
from .project import ROOT, TARGETS, Failed

WORKFLOWS = [".github/workflows/checks.yml", ".github/workflows/release.yml"]


def plugin() -> list[str]:
    """The manifest of the plugin, for every platform, with an address and archives that stand in."""
    text = krew.manifest("https://example.com/project/taintsim", {t: t.encode() for t in TARGETS})
    found = krew.complaints(text)
    # That the rules see a mistake at all.
    for right, wrong in (("version: v", "version: "), ("sha256: ", "sha256: Z"), ("arch: arm64", "arch: amd64"), ("name: taintsim", "name: a b")):
        if not krew.complaints(text.replace(right, wrong)):
            found.append(f"the rules take a manifest with {wrong!r}")
    return [f"extra/packaging/krew/taintsim.yaml: {c}" for c in found]


def bills() -> list[str]:
    """What is inside, by platform, against the lock file."""
    found = []
    # The program for each platform; the package for Python, which has more inside, for that of the most.
    for target, folder in [*((t, "") for t in TARGETS), ("x86_64-unknown-linux-musl", "extra/python")]:
        document = json.loads(inside.bom(target, folder))
        inside.licences(target, folder)
        sums = inside.checksums(folder)
        refs = {c["bom-ref"] for c in document["components"]} | {document["metadata"]["component"]["bom-ref"]}
        if len(refs) != len(document["components"]) + 1:
            found.append(f"{target}: the bill of materials names a component twice")
        for component in document["components"]:
            known = sums.get((component["name"], component["version"]))
            if "hashes" in component and component["hashes"][0]["content"] != known:
                found.append(f"{target}: {component['name']} has another checksum than in Cargo.lock")
        for one in document["dependencies"]:
            found += [f"{target}: {one['ref']} needs {d}, which is not listed" for d in one["dependsOn"] if d not in refs]
        for own in ("proptest", "criterion", "insta"):
            if any(c["name"] == own for c in document["components"]):
                found.append(f"{target}: {own}, which only tests need, is listed")
    return found


def places() -> list[str]:
    """Names and versions that several files have to agree on, and that nobody is invented."""
    found = []
    for name in project.sources():
        path = ROOT / name
        if path.suffix in (".md", ".yml", ".yaml", ".toml") or name in ("extra/release", "extra/packaging/fetch"):
            text = path.read_text(errors="replace")
            if re.search(r"\bOWNER/", text):
                found.append(f"{name}: `OWNER/`: where the project is published is TAINTSIM_HOME_URL")
            if name.startswith(("docs/", "extra/packaging/", ".github/")) or name == "action.yml":
                said = set(re.findall(r"(?:taintsim-|VERSION: |rev: |branch )(v\d+\.\d+\.\d+)", text))
                found += [f"{name}: {v}, where Cargo.toml has {project.version()}" for v in said if v != "v" + project.version()]
    fetch = (ROOT / "extra/packaging/fetch").read_text()
    workflow = (ROOT / ".github/workflows/release.yml").read_text()
    for target in TARGETS:
        found += [f"{name}: {target} is missing" for name, text in (("extra/packaging/fetch", fetch), ("release.yml", workflow)) if target not in text]
    for one in WORKFLOWS:
        for used in re.findall(r"^\s*-?\s*uses: (\S+)", (ROOT / one).read_text(), re.M):
            if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", used):
                found.append(f"{one}: {used} is not pinned to a commit")
    changelog = (ROOT / "CHANGELOG.md").read_text()
    if not re.search(r"^## Unreleased$", changelog, re.M) and f"## {project.version()} " not in changelog:
        found.append(f"CHANGELOG.md: neither `## Unreleased` nor `## {project.version()} (DATE)`")
    return found


def linters(note: Callable[[str], None]) -> list[str]:
    """What others' tools say of scripts and workflows, where they are there."""
    found = []
    scripts = ["extra/packaging/fetch", "extra/packaging/pre-commit", "extra/packaging/slurm/try", "extra/packaging/kubernetes/try", ".ci/run"]
    for tool, words in (("shellcheck", scripts), ("actionlint", WORKFLOWS)):
        if not shutil.which(tool):
            note(f"skipped  {tool}: it is not installed")
            continue
        done = subprocess.run([tool, *words], cwd=ROOT, capture_output=True, text=True)
        if done.returncode != 0:
            found.append(f"{tool}:\n{done.stdout}{done.stderr}")
    return found


def everything(note: Callable[[str], None]) -> None:
    project.home()
    found = []
    for what, complaints in (
        ("links of the documents and the book", book.complaints),
        ("the manifest of the kubectl plugin", plugin),
        ("what is inside, by the lock file", bills),
        ("names, versions, pins", places),
        ("scripts and workflows", lambda: linters(note)),
    ):
        wrong = complaints()
        note(f"{'wrong' if wrong else 'right':<8} {what}")
        found += wrong
    if found:
        raise Failed("\n  ".join(["the packages would not be right:", *found]))
