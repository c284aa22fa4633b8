"""Archives that are the same bytes for the same content: names in order, one time, nobody's user."""

from __future__ import annotations

import gzip
import io
import tarfile
import time
import zipfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from .project import epoch


@dataclass(frozen=True)
class Entry:
    """A file in a package; with `link` a symbolic link to that name."""

    content: bytes = b""
    mode: int = 0o644
    link: str | None = None


Tree = dict[str, Entry]


def folders(tree: Tree) -> list[str]:
    """All folders that the files of a tree are in."""
    found = {str(p) for name in tree for p in PurePosixPath(name).parents}
    return sorted(found - {"."})


def tar(tree: Tree, prefix: str = "", modes: dict[str, int] | None = None) -> bytes:
    """A tar archive; `modes` are folders of their own with their modes."""
    modes = dict.fromkeys(folders(tree), 0o755) | (modes or {})
    out = io.BytesIO()
    # The plainest form that takes our names; PAX headers would have times with fractions.
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as into:
        for name in sorted([*tree, *modes]):
            info = tarfile.TarInfo(prefix + name)
            info.mtime = epoch()
            entry = tree.get(name)
            if entry is None:
                info.type, info.mode = tarfile.DIRTYPE, modes[name]
            elif entry.link is not None:
                info.type, info.mode, info.linkname = tarfile.SYMTYPE, 0o777, entry.link
            else:
                info.mode, info.size = entry.mode, len(entry.content)
            into.addfile(info, io.BytesIO(entry.content) if entry else None)
    return out.getvalue()


def zipped(content: bytes) -> bytes:
    """gzip without a name and without a time of its own."""
    return gzip.compress(content, 9, mtime=0)


def zip_file(tree: Tree) -> bytes:
    """A zip archive, for Windows; links are left out, as they are not for everybody there."""
    when = max(time.gmtime(epoch())[:6], (1980, 1, 1, 0, 0, 0))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as into:
        for name, entry in sorted(tree.items()):
            if entry.link is None:
                info = zipfile.ZipInfo(name, when)
                info.external_attr = entry.mode << 16
                info.compress_type = zipfile.ZIP_DEFLATED
                into.writestr(info, entry.content)
    return out.getvalue()


def ar(members: list[tuple[str, bytes]]) -> bytes:
    """An ar archive, in the form that Debian's packages have."""
    out = b"!<arch>\n"
    for name, content in members:
        out += f"{name:<16}{epoch():<12}{0:<6}{0:<6}{'100644':<8}{len(content):<10}`\n".encode() + content
        out += b"\n" * (len(content) % 2)
    return out


def unpack(place: Path, into: Path) -> None:
    """What a person does with an archive of ours."""
    if place.suffix == ".zip":
        with zipfile.ZipFile(place) as packed:
            packed.extractall(into)
        return
    with tarfile.open(place) as packed:
        # Older Pythons have no filters; newer ones warn where none is given.
        packed.extractall(into, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
