"""Tries every package as a person would who has just downloaded it: `extra/release --try`. What a machine cannot do is skipped, with a line that says so."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import stat
import subprocess
import tempfile
from pathlib import Path
from typing import Callable

from . import crate, deb, image, krew, playground, project, shells, wheel
from .archive import unpack
from .project import ROOT, TARGETS, Failed, call


class Skipped(Exception):
    """Why something cannot be tried here."""


def need(*tools: str) -> None:
    for tool in tools:
        if not shutil.which(tool):
            raise Skipped(f"{tool} is not installed")


def own_target(system: str = "") -> str:
    """The platform whose programs run on this machine; only on that system, where one is named."""
    target = project.host().replace("-gnu", "-musl")
    if target not in TARGETS:
        raise Skipped(f"there are no packages for {project.host()}")
    if system not in target:
        raise Skipped(f"this is of {system}")
    return target


def shell() -> str:
    """The same, where there is a shell as it is on Linux and macOS."""
    target = own_target()
    if "windows" in target:
        raise Skipped("this is tried on Linux and macOS")
    return target


def here(out: Path, name: str) -> Path:
    if not (out / name).is_file():
        raise Skipped(f"{name} was not made")
    return out / name


def same(what: str, found: object, expected: object) -> None:
    if found != expected:
        raise Failed(f"{what}: {found!r}, where {expected!r} was expected")


def says_its_version(words: list[str], **more) -> None:
    same(f"`{' '.join(words)} --version`", call([*words, "--version"], **more), f"taintsim {project.version()}\n")


def example() -> str:
    """What docs/first-run.md shows of the run of scenarios/zone-partition.ron, to the byte."""
    return (ROOT / "docs/first-run.md").read_text().split("```text\n")[1].split("\n```")[0]


def runs_the_example(words: list[str], folder: Path, **more) -> None:
    """The program does what the documents show."""
    # Of the settings of this machine no more than the system itself needs.
    env = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
    said = call([*words, "run", str(ROOT / "scenarios/zone-partition.ron")], cwd=folder, env=env, stderr=subprocess.DEVNULL, **more)
    same("the README's example", said.strip("\n"), example())


def unpacked(out: Path, target: str, folder: Path) -> Path:
    unpack(here(out, project.archive_name(target)), folder)
    return folder / project.name(target)


def is_static(program: Path) -> bool:
    """An ELF file that asks for no loader: none of its segments is PT_INTERP."""
    head = program.read_bytes()[:4096]
    start, size, count = (int.from_bytes(head[a:b], "little") for a, b in ((32, 40), (54, 56), (56, 58)))
    return head[:4] == b"\x7fELF" and all(int.from_bytes(head[start + i * size :][:4], "little") != 3 for i in range(count))


def sums(out: Path, folder: Path) -> str:
    here(out, "SHA256SUMS")
    need("sha256sum")
    return f"{len(call(['sha256sum', '--check', 'SHA256SUMS'], cwd=out).splitlines())} files"


def archive(out: Path, folder: Path) -> str:
    target = own_target()
    root = unpacked(out, target, folder)
    program = root / ("taintsim.exe" if "windows" in target else "taintsim")
    if "linux" in target:
        same("static", is_static(program), True)
    same("links, which krew does not unpack", [p.name for p in root.rglob("*") if p.is_symlink()], [])
    says_its_version([str(program)])
    runs_the_example([str(program)], folder)
    if "`taintsim run first.ron`" not in (root / "README.md").read_text():
        raise Failed("README.md in the archive does not say how to begin without the sources")
    call([str(program), "init", "first.ron"], cwd=folder, stderr=subprocess.DEVNULL)
    call([str(program), "run", "first.ron", "--quiet"], cwd=folder)
    pages = sorted(p.name for p in (root / "man").iterdir())
    if shutil.which("man"):
        for page in pages:
            shown = call(["man", "-l", str(root / "man" / page)], env=os.environ | {"LC_ALL": "C.UTF-8", "MANWIDTH": "100"})
            if page.removesuffix(".1") not in shown.split("SYNOPSIS")[0].split("NAME")[-1]:
                raise Failed(f"man does not show the name of {page}:\n{shown[:500]}")
    return f"{project.archive_name(target)}: {'static, ' if 'linux' in target else ''}the README's example to the byte, {len(pages)} pages of the manual"


def completions(out: Path, folder: Path) -> str:
    root = unpacked(out, shell(), folder)
    typed, missing = shells.complete(root / "completions", folder)
    if not typed:
        raise Skipped("none of bash, zsh and fish is installed")
    more = f"; {' and '.join(missing)} not installed" if missing else ""
    return f"completions in {', '.join(typed)}: a command, a value, an option, files{more}"


def other_processor(out: Path, folder: Path) -> str:
    need("qemu-aarch64-static")
    root = unpacked(out, "aarch64-unknown-linux-musl", folder)
    same("static", is_static(root / "taintsim"), True)
    words = ["qemu-aarch64-static", str(root / "taintsim")]
    says_its_version(words)
    runs_the_example(words, folder)
    return "the arm64 program under QEMU: static, the README's example to the byte"


def debian(out: Path, folder: Path) -> str:
    """Into a root of its own, so that this machine stays as it is."""
    need("dpkg")
    target = own_target("linux")
    package = here(out, deb.name(target))
    root = folder / "root"
    for name in ("var/lib/dpkg/info", "var/lib/dpkg/updates", "var/log"):
        (root / name).mkdir(parents=True)
    (root / "var/lib/dpkg/status").touch()
    words = ["dpkg", f"--root={root}", "--force-not-root", "--force-bad-path", "--log=/dev/null"]
    call([*words, "--install", str(package)], stderr=subprocess.STDOUT)
    same("dpkg's word", call(["dpkg-query", f"--admindir={root}/var/lib/dpkg", "-W", "-f", "${Status}", "taintsim"]), "install ok installed")
    same("dpkg --verify", call([*words, "--verify", "taintsim"]), "")
    says_its_version([str(root / "usr/bin/taintsim")])
    runs_the_example([str(root / "usr/bin/taintsim")], folder)
    if (root / "usr/share/taintsim" / playground.FILE).is_file():
        call([str(root / "usr/bin/taintsim"), "playground", "--out", str(folder / "playground")], stderr=subprocess.PIPE)
    if os.geteuid() == 0:
        says_its_version(["chroot", str(root), "/usr/bin/kubectl-taintsim"])
    call([*words, "--purge", "taintsim"], stderr=subprocess.STDOUT)
    left = [p for p in (root / "usr").rglob("*") if not p.is_dir()] if (root / "usr").exists() else []
    same("what is left after removing", left, [])
    return f"{package.name}: installed, run, removed, nothing left"


def layout(out: Path) -> str:
    return f"oci-archive:{here(out, image.name())}:{project.version()}"


def container_known(out: Path, folder: Path) -> str:
    """What skopeo sees of it, for both processors; and copied to a folder as a registry would have it."""
    need("skopeo")
    processors = [TARGETS[t][1] for t in TARGETS if TARGETS[t][1] and (out / project.archive_name(t)).is_file()]
    for processor in processors:
        said = json.loads(call(["skopeo", "--override-arch", processor, "inspect", "--config", layout(out)]))
        same("the image's processor", said["architecture"], processor)
        same("the image's user", said["config"]["User"], f"{image.USER}:{image.USER}")
    call(["skopeo", "copy", "--quiet", "--all", layout(out), f"dir:{folder}/copied"])
    return f"{image.name()}: skopeo reads and copies it, for {' and '.join(processors)}"


def container(out: Path, folder: Path) -> str:
    """Unpacked by umoci, run by runc: nobody's user, a root that cannot be written to, no network, no rights."""
    need("skopeo", "umoci", "runc")
    own_target("linux")
    call(["skopeo", "copy", "--quiet", layout(out), f"oci:{folder}/image:this"])
    rootless = [] if os.geteuid() == 0 else ["--rootless"]
    call(["umoci", "unpack", *rootless, "--image", f"{folder}/image:this", f"{folder}/bundle"], stderr=subprocess.STDOUT)
    work = folder / "work"
    work.mkdir()
    work.chmod(0o777)
    place = folder / "bundle/config.json"
    config = json.loads(place.read_text())
    same("the user", config["process"]["user"]["uid"], image.USER)
    config["root"]["readonly"] = True
    config["process"]["terminal"] = False
    config["process"]["args"] = ["taintsim", "run", "/scenarios/zone-partition.ron"]
    config["process"]["noNewPrivileges"] = True
    config["process"]["capabilities"] = {}
    config["mounts"] += [
        {"destination": "/scenarios", "type": "bind", "source": str(ROOT / "scenarios"), "options": ["bind", "ro"]},
        {"destination": "/work", "type": "bind", "source": str(work), "options": ["bind", "rw"]},
    ]
    place.write_text(json.dumps(config))
    name = f"taintsim-try-{os.getpid()}"
    words = ["runc", "--root", f"{folder}/state", "run", "--bundle", f"{folder}/bundle", name]
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode != 0 and re.search(r"cgroup|permission denied|operation not permitted|no such device", done.stderr, re.I):
        raise Skipped(f"runc cannot start containers here: {done.stderr.strip().splitlines()[-1][:200]}")
    same("runc's exit code", (done.returncode, done.stderr if done.returncode else ""), (0, ""))
    same("the README's example", done.stdout.strip("\n"), example())
    same("whose the results are", (work / "output/zone-partition").stat().st_uid, image.USER)
    return "the image by runc: user 65532, read-only, without capabilities or network; the README's example to the byte"


def plugin(out: Path, folder: Path) -> str:
    """What krew would do with the manifest: the sum, the files, the name; then `kubectl taintsim`."""
    target = shell()
    text = here(out, "taintsim.krew.yaml").read_text() if (out / "taintsim.krew.yaml").is_file() else None
    said = "from the path"
    if text is None:
        program = unpacked(out, target, folder) / "taintsim"
    else:
        wrong = krew.complaints(text)
        same("complaints about taintsim.krew.yaml", wrong, [])
        part = next(p for p in text.split("    - selector:\n")[1:] if project.archive_name(target) in p)
        (digest,) = re.findall(r"sha256: (\w+)", part)
        same("sha256 of the manifest", digest, hashlib.sha256((out / project.archive_name(target)).read_bytes()).hexdigest())
        unpacked(out, target, folder)
        store = folder / "store"
        store.mkdir()
        for source, to in krew.operations(part):
            if not (folder / source).is_file():
                raise Failed(f"taintsim.krew.yaml: {source} is not in the archive")
            shutil.copy(folder / source, store / to)
        program = store / re.findall(r"bin: (\S+)", part)[0]
        said = "as its manifest has it installed"
    tools = folder / "bin"
    tools.mkdir()
    (tools / "kubectl-taintsim").symlink_to(program)
    path = f"{tools}:{os.environ['PATH']}"
    kubectl = "kubectl"
    if not shutil.which("kubectl"):
        # What kubectl does with a word that it does not know.
        stand_in = tools / "kubectl"
        stand_in.write_text('#!/bin/sh\nplugin="kubectl-$1"\nshift\nexec "$plugin" "$@"\n')
        stand_in.chmod(0o755)
        kubectl = "a stand-in for kubectl"
    env = os.environ | {"PATH": path}
    says_its_version(["kubectl", "taintsim"], env=env)
    done = subprocess.run(["kubectl", "taintsim", "validate", str(ROOT / "scenarios/zone-partition.ron")], env=env, capture_output=True, text=True)
    same("`kubectl taintsim validate`", done.returncode, 0)
    return f"`kubectl taintsim`, {said}, by {kubectl}"


def by_krew(out: Path, folder: Path) -> str:
    """The manifest as krew itself reads it, and each platform as krew itself installs it."""
    need("kubectl", "kubectl-krew")
    shell()
    manifest = here(out, "taintsim.krew.yaml")
    installed = []
    for target, (system, processor) in krew.PLATFORMS.items():
        if not (out / project.archive_name(target)).is_file():
            continue
        store = folder / target
        env = os.environ | {"KREW_ROOT": str(store), "KREW_OS": system, "KREW_ARCH": processor, "KREW_NO_UPGRADE_CHECK": "1"}
        words = ["kubectl", "krew", "install", f"--manifest={manifest}", f"--archive={out / project.archive_name(target)}"]
        call(words, env=env, stderr=subprocess.STDOUT)
        if target == own_target():
            env["PATH"] = f"{store}/bin:{env['PATH']}"
            says_its_version(["kubectl", "taintsim"], env=env)
        installed.append(f"{system}/{processor}")
    return f"{manifest.name}: krew installs {', '.join(installed)}"


def in_a_browser(out: Path, folder: Path) -> str:
    """The folder of the playground is what the program of the archive writes; and it is used as the tests of extra/web/ do, where there is a browser."""
    packed = here(out, project.playground_name())
    root = unpacked(out, own_target(), folder)
    module = here(root, playground.FILE)
    program = root / ("taintsim.exe" if "windows" in own_target() else "taintsim")
    # Without a word where the module is: it is found beside the program.
    call([str(program), "playground", "--out", str(folder / "written")], stderr=subprocess.PIPE)
    unpack(packed, folder)
    known = playground.content(folder / "taintsim-playground")
    known.pop("THIRD-PARTY.txt")
    same("the folder of the playground", sorted(known), sorted(playground.content(folder / "written")))
    same("its content", known == playground.content(folder / "written"), True)
    said = f"{packed.name}: what the program writes"
    browsers = ("chromium", "chromium-browser", "google-chrome")
    if not shutil.which("node") or not (ROOT / "extra/web/node_modules").is_dir() or not any(map(shutil.which, browsers)):
        return f"{said}; not in a browser, for which Node, `npm ci` in extra/web/ and Chromium are missing"
    env = os.environ | {"TAINTSIM": str(program), "TAINTSIM_MODULE": str(module)}
    call(["node", "--test", "tests/playground.test.js"], cwd=ROOT / "extra/web", env=env, stderr=subprocess.STDOUT)
    return f"{said}; used in a browser"


def published(out: Path, folder: Path) -> dict[str, str]:
    """An environment in which the packages are published: a curl that has what lies in the folder under the addresses where it would be."""
    home = project.home() or "https://example.com/project/taintsim"
    tools = folder / "tools"
    tools.mkdir()
    script = f"""#!/bin/sh
while [ $# -gt 0 ]; do
    case $1 in
    -o | -O) out=$2; shift ;;
    {home}/releases/download/v{project.version()}/*) file={out}/${{1##*/}} ;;
    https://*) echo "there is nothing at $1" >&2; exit 22 ;;
    esac
    shift
done
exec cp "$file" "$out"
"""
    for name in ("curl", "wget"):
        (tools / name).write_text(script)
        (tools / name).chmod(0o755)
    return {"PATH": f"{tools}:{os.environ['PATH']}", "TAINTSIM_HOME_URL": home, "HOME": str(folder)}


def scenario(folder: Path) -> Path:
    """A scenario that holds what it expects."""
    place = folder / "outages"
    for name in ("zone-partition.ron", "golden/zone-partition.timeline"):
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "scenarios" / name, place / name)
    return place


def action(out: Path, folder: Path) -> str:
    """The steps of action.yml, with what GitHub gives them."""
    here(out, project.archive_name(shell()))
    env = published(out, folder) | {
        "GITHUB_ACTION_PATH": str(ROOT),
        "RUNNER_TEMP": str(folder / "temp"),
        "GITHUB_PATH": str(folder / "path"),
        "VERSION": "",
        "PATHS": str(scenario(folder)),
        "JUNIT": "taintsim.xml",
        "ARGS": "--quiet",
    }
    text = (ROOT / "action.yml").read_text()
    steps = re.findall(r"^      run: \|\n((?:        .*\n)+)", text, re.M)
    same("steps of action.yml", len(steps), 2)
    for step in steps:
        call(["bash", "-c", re.sub(r"^        ", "", step, flags=re.M)], env=env, cwd=folder, stderr=subprocess.STDOUT)
        if (folder / "path").is_file():
            env["PATH"] = (folder / "path").read_text().strip() + ":" + env["PATH"]
    if "<testsuites" not in (folder / "taintsim.xml").read_text():
        raise Failed("action.yml wrote no JUnit results")
    return "action.yml: downloads, checks, tests"


def gitlab(out: Path, folder: Path) -> str:
    """The lines of the job."""
    here(out, project.archive_name(own_target("linux")))
    text = (ROOT / "extra/packaging/gitlab/taintsim.yml").read_text()
    lines = re.findall(r"^    - (.+)$", text, re.M)
    env = published(out, folder) | {"TAINTSIM_VERSION": f"v{project.version()}", "TAINTSIM_PATHS": str(scenario(folder))}
    call(["sh", "-ec", "\n".join(lines)], env=env, cwd=folder, stderr=subprocess.STDOUT)
    if "<testsuites" not in (folder / "taintsim.xml").read_text():
        raise Failed("extra/packaging/gitlab/taintsim.yml wrote no JUnit results")
    return "the job for GitLab: downloads, checks, tests"


def hooks(out: Path, folder: Path) -> str:
    """The hooks, by what pre-commit calls."""
    here(out, project.archive_name(shell()))
    env = published(out, folder)
    clone = folder / "clone"
    for name in project.sources():
        if name.startswith("extra/packaging/") or name in ("Cargo.toml", ".pre-commit-hooks.yaml"):
            (clone / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, clone / name)
    entries = re.findall(r"^  entry: (\S+) (.+)$", (clone / ".pre-commit-hooks.yaml").read_text(), re.M)
    same("hooks", len(entries), 2)
    work = scenario(folder)
    wrong = work / "wrong.ron"
    wrong.write_text("(version: 1, nodes: [)")
    for program, words in entries:
        call([str(clone / program), *words.split(), str(work / "zone-partition.ron")], env=env, cwd=folder, stderr=subprocess.STDOUT)
        done = subprocess.run([str(clone / program), *words.split(), str(wrong)], env=env, cwd=folder, capture_output=True)
        same(f"`{program} {words}` of a file that is wrong", done.returncode, 2)
    # What is not what the sums say is refused.
    bad = folder / "bad"
    bad.mkdir()
    shutil.copy(out / "SHA256SUMS", bad)
    (bad / project.archive_name(own_target())).write_bytes(b"something else")
    tools = folder / "tools"
    (tools / "curl").write_text((tools / "curl").read_text().replace(f"file={out}/", f"file={bad}/"))
    done = subprocess.run([str(clone / "extra/packaging/fetch"), str(folder / "fetched")], env=env, capture_output=True, text=True)
    same("fetch of an archive with another sum", (done.returncode, "is not what SHA256SUMS says" in done.stderr), (3, True))
    same("what it leaves", (folder / "fetched").exists(), False)
    return "the hooks for pre-commit: download once, validate, test; an archive with another sum is refused"


def from_crate(out: Path, folder: Path) -> str:
    """Built without optimisation, which takes a minute."""
    made = here(out, f"taintsim-{project.version()}.crate")
    os.environ["CARGO_PROFILE_DEV_OPT_LEVEL"] = "0"
    program = crate.installed(made, folder / "installed", "dev", ROOT / "target/packages/crate")
    says_its_version([str(program)])
    return f"`cargo install` from {made.name}"


def python(out: Path, folder: Path) -> str:
    wheels = sorted(out.glob("*.whl"))
    if not wheels:
        raise Skipped("no wheel was made")
    call(["python3", "-m", "venv", str(folder / "venv")])
    call([f"{folder}/venv/bin/pip", "install", "--quiet", "--no-deps", str(wheels[-1])], stderr=subprocess.STDOUT)
    says_its_version([f"{folder}/venv/bin/taintsim"])
    runs_the_example([f"{folder}/venv/bin/taintsim"], folder)
    ask = "import sys, taintsim; print(taintsim.run(sys.argv[1]).summary['evicted'])"
    place = str(ROOT / "scenarios/zone-partition.ron")
    said = call([f"{folder}/venv/bin/python", "-c", ask, place], cwd=folder, stderr=subprocess.STDOUT)
    counted = re.findall(r"^  evicted +(\d+) pods", example(), re.M)
    same("evictions by Python", [said.strip()], counted)
    inside = {p.parent.name + "/" + p.name for p in (folder / "venv").rglob("*.dist-info/*/*") if p.parts[-3].startswith("taintsim-")}
    same("licences and bill of materials", inside, {"licenses/LICENSE-MIT", "licenses/LICENSE-APACHE", "licenses/THIRD-PARTY.txt", "sboms/taintsim.cdx.json"})
    call([f"{folder}/venv/bin/pip", "uninstall", "--quiet", "--yes", "taintsim"], stderr=subprocess.STDOUT)
    same("what is left after removing", list((folder / "venv").rglob("taintsim*")), [])
    return f"{wheels[-1].name}: installed, run by its program and by Python, removed"


def from_sources(out: Path, folder: Path) -> str:
    """What pip does where there is no wheel; without optimisation, which would take a quarter of an hour."""
    made = here(out, wheel.sources_name())
    call(["python3", "-m", "venv", str(folder / "venv")])
    pip = [f"{folder}/venv/bin/pip", "install", "--quiet", "--disable-pip-version-check"]
    if subprocess.run([*pip, wheel.backend()], capture_output=True).returncode != 0:
        raise Skipped("pip cannot fetch maturin")
    # Kept, so that it need not be built from nothing each time; and no toolchain's settings of this machine.
    env = os.environ | {"CARGO_TARGET_DIR": str(ROOT / "target/packages/sdist"), "CARGO_PROFILE_DEV_OPT_LEVEL": "0"}
    env["PATH"] = f"{folder}/venv/bin:{env['PATH']}"
    words = ["--no-build-isolation", "--no-deps", "--config-settings", "build-args=--profile dev", str(made)]
    call([*pip, *words], env=env, stderr=subprocess.STDOUT)
    says_its_version([f"{folder}/venv/bin/taintsim"])
    runs_the_example([f"{folder}/venv/bin/taintsim"], folder)
    return f"{made.name}: built and installed by pip, run"


def everything(out: Path, note: Callable[[str], None]) -> None:
    if not out.is_dir():
        raise Failed(f"there is no folder {out}: extra/release makes it")
    programs = (sums, archive, completions, other_processor, debian, container_known, container, in_a_browser)
    tries = (*programs, plugin, by_krew, action, gitlab, hooks, python, from_sources, from_crate)
    for one in tries:
        with tempfile.TemporaryDirectory(prefix="taintsim-try-", ignore_cleanup_errors=True) as folder:
            try:
                note(f"tried    {one(out, Path(folder))}")
            except Skipped as why:
                note(f"skipped  {one.__name__}: {why}")
            finally:
                writable(Path(folder))


def writable(folder: Path) -> None:
    """So that a folder that was unpacked without write permission can be removed."""
    for path in folder.rglob("*"):
        if path.is_dir() and not path.is_symlink():
            path.chmod(path.stat().st_mode | stat.S_IRWXU)
