"""What is inside a program, by the lock file: packages with their licences, as texts for people and as CycloneDX for machines."""

from __future__ import annotations

import json
import re
import uuid
from datetime import datetime, timezone
from pathlib import Path

from . import project
from .project import ROOT, Failed

LICENCE_FILES = ("LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE", "COPYRIGHT")

# Packages that come without the text of their licence, MIT, and where it is: by the authors that they name.
WITHOUT_TEXT = dict.fromkeys(("block2", "dispatch2", "objc2", "objc2-encode"), "extra/packaging/licences/objc2.txt")


def licence(said: str) -> str:
    """An expression of SPDX; older packages write a slash where it has OR."""
    return said.replace("/", " OR ")


def crates(target: str, folder: str = "") -> tuple[list[dict], dict[str, list[str]], set[str]]:
    """All packages that the package in a folder is built from, what each of them needs, and those of which nothing is left in what is built:
    macros, and what only builds."""
    found = project.metadata(target, folder)
    packages = {p["id"]: p for p in found["packages"]}
    nodes = {n["id"]: n for n in found["resolve"]["nodes"]}
    root = found["resolve"]["root"]
    is_macro = {i: any("proc-macro" in t["kind"] for t in p["targets"]) for i, p in packages.items()}

    def reached(kinds: tuple, macros: bool) -> set[str]:
        seen: set[str] = set()
        ahead = [root]
        while ahead:
            one = ahead.pop()
            if one in seen or (is_macro[one] and not macros):
                continue
            seen.add(one)
            ahead += [d["pkg"] for d in nodes[one]["deps"] if any(k["kind"] in kinds for k in d["dep_kinds"])]
        return seen

    everything = reached((None, "build"), True)
    left = reached((None,), False)
    needs = {
        i: sorted(d["pkg"] for d in nodes[i]["deps"] if d["pkg"] in everything and any(k["kind"] != "dev" for k in d["dep_kinds"]))
        for i in everything
    }
    in_order = sorted((packages[i] for i in everything), key=lambda p: (p["name"], p["version"]))
    return in_order, needs, everything - left


def checksums(folder: str = "") -> dict[tuple[str, str], str]:
    """The checksum of each package's file, from the lock file."""
    text = (ROOT / folder / "Cargo.lock").read_text()
    form = r'name = "(.+)"\nversion = "(.+)"\nsource = ".+"\nchecksum = "([0-9a-f]{64})"'
    return {(n, v): c for n, v, c in re.findall(form, text)}


def vendored() -> list[dict]:
    """The packages of npm whose files are in `extra/web/vendor`, of the releases that `extra/web/package-lock.json` names; a test of extra/web/ holds the files to them."""
    packages = json.loads((ROOT / "extra/web/package-lock.json").read_text())["packages"]
    # A folder of ours, by the package: `@codemirror/view` is in `codemirror-view`.
    known = {place.removeprefix("node_modules/"): one for place, one in packages.items()}
    folders = {"uplot": "uplot"} | {n.removeprefix("@marijn/").lstrip("@").replace("/", "-"): n for n in known}
    found = []
    for place in sorted([ROOT / "extra/web/vendor/uplot", *(ROOT / "extra/web/vendor/codemirror").iterdir()]):
        name = folders.get(place.name)
        if not name:
            raise Failed(f"{place.relative_to(ROOT)}: extra/web/package-lock.json has no package of that name")
        own = {"name": name, "version": known[name]["version"], "licence": known[name]["license"]}
        own["purl"] = f"pkg:npm/{name.replace('@', '%40')}@{own['version']}"
        found.append(own | {"text": str((place / "LICENSE").relative_to(ROOT))})
    return found


def others(target: str) -> list[dict]:
    """What is inside and is no package of Cargo's."""
    rust = next(line.split(": ")[1] for line in project.call(["rustc", "-vV"]).splitlines() if line.startswith("release: "))
    found = [
        *vendored(),
        {
            "name": "DejaVu Sans (subset)",
            "version": "2.37",
            "licence": "Bitstream-Vera",
            "purl": None,
            "text": "src/report/font/LICENSE-DejaVu.txt",
        },
        {
            "name": "rust-std",
            "version": rust,
            "licence": "MIT OR Apache-2.0",
            "purl": f"pkg:generic/rust-std@{rust}",
            "text": "extra/packaging/licences/rust-std.txt",
        },
    ]
    if "musl" in target:
        musl = musl_version(target)
        found.append({"name": "musl", "version": musl, "licence": "MIT", "purl": f"pkg:generic/musl@{musl}", "text": "extra/packaging/licences/musl.txt"})
    return found


def musl_version(target: str) -> str:
    """The release of musl that comes with Rust's target, as its library says itself."""
    library = Path(project.call(["rustc", "--print", "sysroot"]).strip(), "lib/rustlib", target, "lib/self-contained/libc.a")
    said = re.findall(rb"\0(1\.\d+\.\d+)\0", library.read_bytes()) if library.is_file() else []
    return said[0].decode() if said else "of Rust's target"


def bom(target: str, folder: str = "") -> bytes:
    """The software bill of materials, CycloneDX 1.5, of what the package in a folder is built into."""
    packages, needs, only_building = crates(target, folder)
    sums = checksums(folder)
    refs = {p["id"]: f"pkg:cargo/{p['name']}@{p['version']}" for p in packages}
    root_id = project.metadata(target, folder)["resolve"]["root"]
    own = next(p for p in packages if p["id"] == root_id)
    components = []
    for one in packages:
        if one is own:
            continue
        component = {
            "type": "library",
            "bom-ref": refs[one["id"]],
            "name": one["name"],
            "version": one["version"],
            "scope": "excluded" if one["id"] in only_building else "required",
            "licenses": [{"expression": licence(one["license"])}],
            "purl": refs[one["id"]],
        }
        # Our own core within the package for Python comes from no registry.
        if one["source"]:
            component["hashes"] = [{"alg": "SHA-256", "content": sums[one["name"], one["version"]]}]
        components.append(component)
    for one in others(target):
        component = {
            "type": "library",
            "bom-ref": one["purl"] or one["name"],
            "name": one["name"],
            "version": one["version"],
            "scope": "required",
            "licenses": [{"license": {"id": one["licence"]}} if " " not in one["licence"] else {"expression": one["licence"]}],
        }
        components.append(component | ({"purl": one["purl"]} if one["purl"] else {}))
    root = {"type": "application", "bom-ref": refs[own["id"]], "name": own["name"], "version": own["version"], "purl": refs[own["id"]]}
    root["licenses"] = [{"expression": licence(own["license"])}]
    depends = [{"ref": refs[i], "dependsOn": [refs[n] for n in needed]} for i, needed in sorted(needs.items(), key=lambda x: refs[x[0]])]
    own_entry = next(d for d in depends if d["ref"] == refs[own["id"]])
    own_entry["dependsOn"] += [one["purl"] or one["name"] for one in others(target)]
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": uuid.uuid5(uuid.NAMESPACE_URL, project.name(target) + (ROOT / folder / "Cargo.lock").read_text()).urn,
        "version": 1,
        "metadata": {
            "timestamp": datetime.fromtimestamp(project.epoch(), timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": root,
            "properties": [{"name": "taintsim:target", "value": target}],
        },
        "components": components,
        "dependencies": depends,
    }
    return (json.dumps(document, indent=1, ensure_ascii=False) + "\n").encode()


def texts_of(folder: Path) -> list[str]:
    """The texts of the licence in a package's folder."""
    found = sorted(f for f in folder.iterdir() if f.is_file() and f.name.upper().startswith(LICENCE_FILES))
    return [f.read_text(errors="replace").replace("\r\n", "\n").strip("\n") for f in found]


def licences(target: str, folder: str = "") -> bytes:
    """What the licences of everything inside ask to be passed on: each text once, with what it is of."""
    packages, _, only_building = crates(target, folder)
    of: dict[str, list[str]] = {}
    for one in packages:
        if one["source"] is None or one["id"] in only_building:
            continue
        name = f"{one['name']} {one['version']} ({licence(one['license'])})"
        texts = texts_of(Path(one["manifest_path"]).parent)
        if not texts and one["name"] in WITHOUT_TEXT:
            texts = [(ROOT / WITHOUT_TEXT[one["name"]]).read_text().strip("\n")]
        if not texts:
            raise Failed(f"the package of {name} has no text of its licence: add one to extra/packaging/licences, and to WITHOUT_TEXT in inside.py")
        for text in texts:
            of.setdefault(text, []).append(name)
    for one in others(target):
        text = (ROOT / one["text"]).read_text().strip("\n")
        of.setdefault(text, []).append(f"{one['name']} {one['version']} ({one['licence']})")
    rule = "=" * 80
    out = [
        f"What is inside of taintsim {project.version()} for {target} besides its own code, and the licences of it. Where a package gives a choice of",
        "licences, all of their texts follow.",
    ]
    for text, names in sorted(of.items(), key=lambda x: (x[1], x[0])):
        out += ["", rule, *names, rule, "", text]
    return ("\n".join(out) + "\n").encode()
