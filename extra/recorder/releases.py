"""Releases as they are written here, v1.37.1 and v1.38.0-alpha.0, in the order in which they come."""
import os, re

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "versions")
FORM = re.compile(r"v?1\.(\d+)\.(\d+)(?:-(alpha|beta|rc)\.(\d+))?")


def order(version):
    """What releases, whole or by their first numbers, are sorted by. A pre-release comes before its release, and the words for its stages
    follow one another in the alphabet."""
    release, _, stage = version.removeprefix("v").partition("-")
    word, _, number = stage.partition(".")
    return [int(n) for n in release.split(".")], word or "~", int(number or 0)


def meant(text):
    """Those of them that a text means, oldest first: v1.34.4, or all patches of 1.34, or all alphas of 1.38-alpha."""
    wanted = "v" + text.removeprefix("v")
    names = lambda v: (v, re.sub(r"\.0-", "-", v))
    return [v for v in known() if any(name == wanted or name.startswith(wanted + ".") for name in names(v))]


def known():
    """The releases that there is a folder of, oldest first."""
    return sorted(os.listdir(FOLDER), key=order)
