"""A container image from nothing: the program and its licences, for every platform that was built, in one archive of the OCI's layout.
It is written here, so that no daemon and no tool is needed: `skopeo copy oci-archive:FILE docker://…`, `podman load`, `docker load`."""

from __future__ import annotations

import hashlib
import json
from datetime import datetime, timezone
from pathlib import Path

from . import project
from .archive import Entry, Tree, tar, zipped

# Nobody: the user that Kubernetes' manifests of `taintsim shard --for kubernetes` name.
USER = 65532
LAYOUT = "application/vnd.oci.image."


def name() -> str:
    return f"taintsim-v{project.version()}-image.tar"


def said(document: dict) -> bytes:
    return json.dumps(document, sort_keys=True, separators=(",", ":")).encode()


def content(files: Tree) -> bytes:
    """The one layer. /work is where a person mounts a folder; /tmp is there for whoever mounts one."""
    tree: Tree = {"usr/bin/taintsim": files["taintsim"]}
    for name in ("LICENSE-MIT", "LICENSE-APACHE", "THIRD-PARTY.txt"):
        tree["usr/share/doc/taintsim/" + name] = files[name]
    return tar(tree, modes={"tmp": 0o1777, "work": 0o777})


def labels() -> dict[str, str]:
    found = {
        "org.opencontainers.image.title": "taintsim",
        "org.opencontainers.image.description": project.package()["description"],
        "org.opencontainers.image.version": project.version(),
        "org.opencontainers.image.licenses": project.package()["license"],
    }
    return found | ({"org.opencontainers.image.source": project.home()} if project.home() else {})


class Layout:
    """Blobs by their digests."""

    def __init__(self) -> None:
        self.files: Tree = {"oci-layout": Entry(said({"imageLayoutVersion": "1.0.0"}))}

    def add(self, kind: str, blob: bytes) -> dict:
        digest = hashlib.sha256(blob).hexdigest()
        self.files["blobs/sha256/" + digest] = Entry(blob)
        return {"mediaType": LAYOUT + kind, "digest": "sha256:" + digest, "size": len(blob)}


def manifest(layout: Layout, target: str, files: Tree) -> dict:
    """One platform's image; what an index says of it."""
    layer = content(files)
    platform = {"architecture": project.TARGETS[target][1], "os": "linux"}
    created = datetime.fromtimestamp(project.epoch(), timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    config = {
        "created": created,
        **platform,
        "config": {
            "User": f"{USER}:{USER}",
            "Env": ["PATH=/usr/bin"],
            "Entrypoint": ["taintsim"],
            "Cmd": ["--help"],
            "WorkingDir": "/work",
            "Labels": labels(),
        },
        "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(layer).hexdigest()]},
        "history": [{"created": created, "created_by": "extra/release", "comment": project.name(target)}],
    }
    whole = {
        "schemaVersion": 2,
        "mediaType": LAYOUT + "manifest.v1+json",
        "config": layout.add("config.v1+json", said(config)),
        "layers": [layout.add("layer.v1.tar+gzip", zipped(layer))],
        "annotations": labels(),
    }
    return layout.add("manifest.v1+json", said(whole)) | {"platform": platform}


def write(trees: dict[str, Tree], out: Path) -> Path | None:
    trees = {t: files for t, files in trees.items() if project.TARGETS[t][1]}
    if not trees:
        return None
    layout = Layout()
    manifests = [manifest(layout, target, files) for target, files in trees.items()]
    index = {"schemaVersion": 2, "mediaType": LAYOUT + "index.v1+json", "manifests": manifests}
    names = {"org.opencontainers.image.ref.name": project.version(), "io.containerd.image.name": f"taintsim:{project.version()}"}
    whole = {"schemaVersion": 2, "manifests": [layout.add("index.v1+json", said(index)) | {"annotations": names}]}
    layout.files["index.json"] = Entry(said(whole))
    place = out / name()
    place.write_bytes(tar(layout.files))
    return place
