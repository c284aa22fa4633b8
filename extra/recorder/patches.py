"""A pull request's change, a unified diff with paths of kubernetes/kubernetes, put into the modules that a release is built from.

A file of staging/src/k8s.io/X is one of the module k8s.io/X, vendor/ has copies of modules, all else is of k8s.io/kubernetes. What the recorder does not
link, tests and documents and the kubelet's containers, say, is left out. A hunk may have moved, as in the release other lines come before it, but what it
says of the release's lines has to be so, every one of them."""
import hashlib, os, re

HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@")

# What to do where a change is for another release.
INSTEAD = "Take the change as it is for that release, a cherry pick, or try one that it was made for (--kubernetes)"


class Refused(Exception):
    """Why a change cannot be tried; says where, what, and what to do."""


class Hunk:
    """Lines that become others: where the diff has them, and where in the old file."""

    def __init__(self, place, start):
        self.place, self.start, self.old, self.new = place, start, [], []


class File:
    """What a diff does with a file: from which path to which one, None where there is none, and its hunks."""

    def __init__(self, old, new):
        self.old, self.new, self.hunks = old, new, []

    def name(self):
        return self.new or self.old


def parse(text, name):
    """The files of a diff, in its order."""
    lines, files, i = text.removesuffix("\n").split("\n"), [], 0
    header = {}
    while i < len(lines):
        line = lines[i].rstrip("\r")
        i += 1
        if line.startswith("diff --git "):
            header = {"file": None}
        elif line.startswith(("rename from ", "rename to ")):
            _, which, path = line.split(" ", 2)
            header[which] = path
            if which == "to":
                header["file"] = File(header.get("from"), path)
                files.append(header["file"])
        elif line.startswith(("Binary files ", "GIT binary patch")):
            raise_at(name, i, "the change of a binary file cannot be tried; take it out of the diff")
        elif line.startswith("--- ") and i < len(lines) and lines[i].startswith("+++ "):
            old, new = (path_of(side, name, i) for side in (line, lines[i].rstrip("\r")))
            i += 1
            if not header.get("file"):
                header = {"file": File(old, new)}
                files.append(header["file"])
            file = header.pop("file")
            i = hunks(lines, i, file, name)
    if not files:
        raise Refused(f"{name} is no unified diff: no line of it begins with `--- `, with one behind it that begins with `+++ `. `git diff` makes one, and so does the address of a pull request with .diff behind it")
    return files


def path_of(line, name, place):
    """The path of a line of a header, without its first folder (-p1)."""
    whole = line[4:].split("\t")[0].strip()
    if whole == "/dev/null":
        return None
    first, slash, rest = whole.partition("/")
    parts = rest.split("/")
    if not slash or not first or ".." in parts or "" in parts:
        raise_at(name, place, f"the path {whole!r} is not of the form a/pkg/…, as `git diff` in kubernetes/kubernetes writes it")
    return rest


def raise_at(name, place, what):
    raise Refused(f"{name}:{place}: {what}")


def hunks(lines, i, file, name):
    """Reads the hunks of a file; gives the place of the line behind them."""
    while i < len(lines) and (head := HUNK.match(lines[i])):
        i += 1
        hunk = Hunk(i, int(head[1]))
        old, new = (int(n) if n else 1 for n in (head[2], head[3]))
        while len(hunk.old) < old or len(hunk.new) < new:
            line = lines[i].rstrip("\r") if i < len(lines) else "end"
            i += 1
            sign, rest = line[:1] or " ", line[1:]
            if sign == "\\":
                continue
            if sign not in " +-":
                raise_at(name, i, f"the hunk that begins at line {hunk.place} ends too early: it is to have {old} old lines and {new} new ones; make the diff anew, hunks are not to be edited by hand")
            if sign != "+":
                hunk.old.append(rest)
            if sign != "-":
                hunk.new.append(rest)
        file.hunks.append(hunk)
    return i


def of_module(path):
    """The module that a path of kubernetes/kubernetes is in, and the path there; None for copies of modules."""
    if path.startswith("vendor/"):
        return None
    parts = path.split("/")
    if parts[:3] == ["staging", "src", "k8s.io"] and len(parts) > 4:
        return "k8s.io/" + parts[3], "/".join(parts[4:])
    return "k8s.io/kubernetes", path


def changed(old, file, name, release):
    """A file's lines with its hunks."""
    lines, moved, done = list(old), 0, 0
    for hunk in file.hunks:
        # A hunk without old lines comes behind the line that it names.
        meant = hunk.start - (1 if hunk.old else 0) + moved
        fits = [at for at in range(done, len(lines) - len(hunk.old) + 1) if lines[at : at + len(hunk.old)] == hunk.old]
        if old and not hunk.old:
            raise_at(name, hunk.place, "this hunk has no lines of the old file, so that its place is not certain; make the diff with lines around each change (git diff -U3)")
        if not fits:
            raise_at(name, hunk.place, refusal(lines, hunk, meant, file, release))
        at = min(fits, key=lambda at: abs(at - meant))
        lines[at : at + len(hunk.old)] = hunk.new
        done = at + len(hunk.new)
        moved = at - meant + moved + len(hunk.new) - len(hunk.old)
    return lines


def refusal(lines, hunk, meant, file, release):
    """Why a hunk does not apply: what the release has in the first line that is another one, where most lines are the same."""
    same = lambda at: sum(a == b for a, b in zip(lines[at:], hunk.old))
    said = f"this hunk does not apply to {file.old} of {release}"
    if hunk.old and lines:
        at = max(range(len(lines)), key=lambda at: (same(at), -abs(at - meant)))
        n, want = next(((n, want) for n, want in enumerate(hunk.old) if at + n >= len(lines) or lines[at + n] != want), (0, hunk.old[0]))
        has = repr(lines[at + n].strip()) if at + n < len(lines) else "the end of the file"
        said += f": its line {at + n + 1} is to be {want.strip()!r}, and is {has}"
    return f"{said}. {INSTEAD}"


class Change:
    """A diff, and what of it a release has to be built with."""

    def __init__(self, path):
        try:
            with open(path, "rb") as f:
                data = f.read()
            self.files = parse(data.decode(), path)
        except (OSError, UnicodeDecodeError) as error:
            raise Refused(f"{path} cannot be read: {error}")
        self.name = path
        self.digest = hashlib.sha256(data).hexdigest()[:12]
        self.contents, self.new, self.left_out = {}, {}, []

    def prepare(self, linked, release):
        """Makes the new contents of each file of the release. `linked` has the folder of each module, and which files of it the recorder links."""
        for file in self.files:
            was, becomes = (of_module(path) if path else None for path in (file.old, file.new))
            module = (was or becomes or (None,))[0]
            folder, names = linked.get(module, (None, ()))
            is_new = file.old is None and file.name().endswith(".go") and not file.name().endswith("_test.go")
            if not folder or (was[1] not in self.all_of(module, names) if was else not is_new):
                self.left_out.append(file.name())
                continue
            old = self.lines(folder, was or becomes)
            if (old is None) == bool(was):
                raise Refused(f"{self.name}: {release} has {'no' if was else 'already a'} {file.name()}. {INSTEAD}")
            if was:
                self.contents[was] = None
            if becomes:
                if file.old is None:
                    self.new[becomes] = file.new
                self.contents[becomes] = changed(old or [], file, self.name, release)
        if not self.contents:
            raise Refused(f"{self.name} changes nothing that the recorder links of {release}: {', '.join(self.left_out)}. What it links are the controllers, the scheduler and their clients")

    def all_of(self, module, names):
        """The files of a module that are linked, those included that the diff itself has made."""
        return set(names) | {name for of, name in self.contents if of == module}

    def lines(self, folder, where):
        """What a file is so far; a diff of several commits may change it more than once."""
        if where in self.contents:
            return self.contents[where]
        path = os.path.join(folder, where[1])
        if not os.path.exists(path):
            return None
        with open(path) as f:
            return f.read().split("\n")

    def apply(self, module, folder):
        """Writes the files of a module, whose folder is one of hard links."""
        for (of, name), lines in self.contents.items():
            if of != module:
                continue
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            os.chmod(os.path.dirname(path), 0o755)
            if os.path.lexists(path):
                os.remove(path)  # the hard link, not the file that it shares
            if lines is not None:
                with open(path, "w") as f:
                    f.write("\n".join(lines))

    def said(self, linked):
        """What of the diff is in the program, and what is not. `linked` is that of the changed release."""
        unused = [path for (module, name), path in self.new.items() if name not in linked.get(module, (None, ()))[1]]
        left_out = self.left_out + unused
        return {"applied": [f.name() for f in self.files if f.name() not in left_out], "left_out": left_out}
