"""The documentation as a book, and whether its links lead somewhere: in the documents themselves, and in the pages that mdBook makes."""

from __future__ import annotations

import posixpath
import re
import shutil
import tempfile
from html import unescape
from pathlib import Path
from urllib.parse import unquote

from . import project
from .archive import Entry, tar, zipped
from .project import ROOT, Failed, call

BOOK = ROOT / "extra/packaging/book"


def chapters() -> list[str]:
    """The documents of the book, in its order."""
    return re.findall(r"\]\(([^)]+)\)", (BOOK / "SUMMARY.md").read_text())


def prose(text: str) -> str:
    """A document without its blocks of code, in which brackets mean something else."""
    return re.sub(r"^(```+).*?^\1", "", text, flags=re.M | re.S)


def links(text: str) -> list[str]:
    """Where a document leads to, within the repository."""
    plain = re.sub(r"`[^`\n]*`", "", prose(text))
    return [t for t in re.findall(r"\]\(([^)\s]+)\)", plain) if "://" not in t and not t.startswith("mailto:")]


def anchors(text: str) -> set[str]:
    """What headings are called in a link, as GitHub and mdBook make it."""
    found: set[str] = set()
    for heading in re.findall(r"^#+ +(.+?) *#*$", prose(text), re.M):
        words = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").lower()
        slug = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        number = 1
        unique = slug
        while unique in found:
            unique, number = f"{slug}-{number}", number + 1
        found.add(unique)
    return found


def target_of(name: str, link: str) -> tuple[str, str]:
    """The file that a link in a document leads to, and the place in it."""
    path, _, place = link.partition("#")
    return (posixpath.normpath(posixpath.join(posixpath.dirname(name), unquote(path))) if path else name), place


def complaints() -> list[str]:
    """Links of documents that lead nowhere, and documents that are not in the book."""
    names = [n for n in project.sources() if n.endswith(".md") and not n.startswith((".github/", "extra/packaging/book/"))]
    found = []
    for name in names:
        for link in links((ROOT / name).read_text()):
            to, place = target_of(name, link)
            if not (ROOT / to).exists():
                found.append(f"{name}: {link}: there is no {to}")
            elif place and to.endswith(".md") and place not in anchors((ROOT / to).read_text()):
                found.append(f"{name}: {link}: {to} has no heading of that name")
    listed = chapters()
    found += [f"extra/packaging/book/SUMMARY.md: there is no {c}" for c in listed if not (ROOT / c).is_file()]
    found += [f"extra/packaging/book/SUMMARY.md: {n} is not in the book" for n in names if n.startswith("docs/") and n not in listed]
    found += [f"extra/packaging/book/SUMMARY.md: {n} is there twice" for n in sorted(set(listed)) if listed.count(n) > 1]
    return found


def put_together(into: Path) -> None:
    """The book's sources: chapters where the repository has them, and whatever files they lead to."""
    source = into / "src"
    source.mkdir(parents=True)
    shutil.copyfile(BOOK / "book.toml", into / "book.toml")
    shutil.copyfile(BOOK / "SUMMARY.md", source / "SUMMARY.md")
    wanted = set(chapters())
    for chapter in chapters():
        wanted |= {target_of(chapter, link)[0] for link in links((ROOT / chapter).read_text())}
    for name in sorted(wanted):
        if (ROOT / name).is_file():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, source / name)


def page_complaints(folder: Path) -> list[str]:
    """Links of the pages that lead nowhere, within the folder."""
    pages = {p.relative_to(folder).as_posix(): p.read_text() for p in folder.rglob("*.html")}
    places = {n: set(map(unescape, re.findall(r'\bid="([^"]+)"', text))) for n, text in pages.items()}
    found = []
    for name, text in pages.items():
        main = text.partition("<main>")[2].partition("</main>")[0]
        for link in map(unescape, re.findall(r'\b(?:href|src)="([^"]+)"', main)):
            if "://" in link or link.startswith(("mailto:", "data:")):
                continue
            to, place = target_of(name, link)
            if (folder / to).is_dir():
                to += "/index.html"
            if not (folder / to).is_file():
                found.append(f"{name}: {link}: the book has no {to}")
            elif place and to in places and unquote(place) not in places[to]:
                found.append(f"{name}: {link}: {to} has no such place")
    return found


def write(out: Path) -> Path:
    with tempfile.TemporaryDirectory(prefix="taintsim-book-") as folder:
        whole = Path(folder) / "book"
        put_together(whole)
        call(["mdbook", "build", "--dest-dir", str(Path(folder) / "pages"), str(whole)], stderr=-1)
        pages = Path(folder) / "pages"
        wrong = page_complaints(pages)
        if wrong:
            raise Failed("links of the book that lead nowhere:\n  " + "\n  ".join(wrong))
        files = {p.relative_to(pages).as_posix(): Entry(p.read_bytes()) for p in sorted(pages.rglob("*")) if p.is_file()}
        place = out / f"taintsim-v{project.version()}-book.tar.gz"
        place.write_bytes(zipped(tar({f"taintsim-book/{name}": entry for name, entry in files.items()})))
        return place
