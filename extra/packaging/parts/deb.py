"""A package for Debian and Ubuntu, from the files of the archive; written here, so that no tool of Debian's is needed."""

from __future__ import annotations

import hashlib
import re
import textwrap
from pathlib import Path

from . import playground, project
from .archive import Entry, Tree, ar, tar, zipped

# Where Debian looks for the completions of a shell.
COMPLETIONS = {
    "taintsim.bash": "usr/share/bash-completion/completions/taintsim",
    "_taintsim": "usr/share/zsh/vendor-completions/_taintsim",
    "taintsim.fish": "usr/share/fish/vendor_completions.d/taintsim.fish",
}

DESCRIPTION = """taintsim tells which pods a failing node, zone or control plane costs, when, and why: the node lifecycle controller,
taint-based eviction, the scheduler and the controllers of workloads, in virtual time. It needs no cluster. It is a plugin of kubectl, too."""


def version() -> str:
    """Debian's way of saying that 1.0.0-rc.1 comes before 1.0.0."""
    return re.sub("-", "~", project.version(), count=1)


def name(target: str) -> str:
    return f"taintsim_{version()}_{project.TARGETS[target][0]}.deb"


def installed(files: Tree) -> Tree:
    """The files where Debian has them."""
    tree: Tree = {}
    doc = "usr/share/doc/taintsim/"
    for name, entry in files.items():
        folder, _, base = name.rpartition("/")
        if name == "taintsim":
            tree["usr/bin/taintsim"] = entry
            tree["usr/bin/kubectl-taintsim"] = Entry(link="taintsim")
        elif name == playground.FILE:
            tree["usr/share/taintsim/" + name] = entry
        elif folder == "man":
            tree[f"usr/share/man/man1/{base}.gz"] = Entry(zipped(entry.content))
        elif folder == "completions" and base in COMPLETIONS:
            tree[COMPLETIONS[base]] = entry
        elif name == "CHANGELOG.md":
            tree[doc + "changelog.gz"] = Entry(zipped(entry.content))
        elif name == "THIRD-PARTY.txt":
            tree[doc + name + ".gz"] = Entry(zipped(entry.content))
        elif name in ("README.md", "SECURITY.md"):
            tree[doc + name] = entry
    ours = "taintsim is licensed under either of Apache-2.0 (/usr/share/common-licenses/Apache-2.0) or MIT, at your option:\n\n"
    others = "\nWhat else is inside, with its licences, is in THIRD-PARTY.txt.gz beside this file.\n"
    tree[doc + "copyright"] = Entry(ours.encode() + files["LICENSE-MIT"].content + others.encode())
    return tree


def control(target: str, tree: Tree) -> Tree:
    sizes = sum((len(e.content) + 1023) // 1024 for e in tree.values())
    lines = {
        "Package": "taintsim",
        "Version": version(),
        "Architecture": project.TARGETS[target][0],
        "Maintainer": ", ".join(project.package()["authors"]) or "The contributors of taintsim",
        "Installed-Size": str(sizes),
        "Section": "utils",
        "Priority": "optional",
        "Homepage": project.home(),
        "Description": project.package()["description"],
    }
    text = "".join(f"{key}: {value}\n" for key, value in lines.items() if value)
    text += textwrap.fill(DESCRIPTION, 78, initial_indent=" ", subsequent_indent=" ") + "\n"
    sums = [f"{hashlib.md5(e.content).hexdigest()}  {name}\n" for name, e in sorted(tree.items()) if e.link is None]
    return {"control": Entry(text.encode()), "md5sums": Entry("".join(sums).encode())}


def write(target: str, files: Tree, out: Path) -> Path | None:
    if not project.TARGETS[target][0]:
        return None
    tree = installed(files)
    members = [
        ("debian-binary", b"2.0\n"),
        ("control.tar.gz", zipped(tar(control(target, tree), "./"))),
        ("data.tar.gz", zipped(tar(tree, "./"))),
    ]
    place = out / name(target)
    place.write_bytes(ar(members))
    return place
