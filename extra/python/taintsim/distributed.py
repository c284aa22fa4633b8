"""Work plans on a cluster of Dask.

A task does one shard and leaves its result file in the folder of the plan. It returns nothing worth
keeping, so that the death of a worker costs no more than what it was doing: Dask does those shards
again elsewhere, and the ones that have left their file are passed over in a moment.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

from ._program import Finished, call

if TYPE_CHECKING:
    from distributed import Client

#: The exit code of ``taintsim gather`` while shards are to be done.
UNFINISHED = 5

#: How often the same shards may be missing after they were done.
TRIES = 3


def plan(folder: str | os.PathLike[str], shards: int, *arguments: str) -> None:
    """Writes a work plan: ``plan("work", 64, "sweep", "zone.ron", "--seeds", "1000")``."""
    call([*arguments, "--plan-shards", str(shards), "--out", folder])


def shard(folder: str, number: int, jobs: int = 1) -> int:
    """Does one shard of a work plan, unless it is done; its number."""
    call(["shard", folder, str(number), "--jobs", str(jobs)])
    return number


def shards(folder: str | os.PathLike[str]) -> int:
    """How many shards a work plan has."""
    document = json.loads((Path(folder) / "manifest.json").read_text(encoding="utf-8"))
    return int(document["work"]["shards"])


def run(
    folder: str | os.PathLike[str],
    client: Client,
    *,
    out: str | os.PathLike[str] | None = None,
    jobs: int = 1,
) -> Finished:
    """Does all shards of a work plan on a cluster, round by round, and puts them together.

    ``out`` is the folder for results, as ``--out`` of the command itself; ``jobs`` is how many runs
    a task makes at once. Returns what one machine would have printed. Raises ProgramError with the
    program's own words, and KilledWorker where Dask has given a shard up.
    """
    place = os.path.abspath(folder)
    numbers = range(shards(place))
    gather = ["gather", place, *([] if out is None else ["--out", os.fspath(out)])]
    before, tries = "", 0
    while True:
        ended = call(gather, allowed=(0, 1, UNFINISHED))
        if ended.code != UNFINISHED:
            return ended
        # The same shards are missing again and again: their files do not come here.
        tries = tries + 1 if ended.stderr == before else 0
        if tries == TRIES:
            raise RuntimeError(f"shards are done, and their files are not in {place}: {ended.stderr.strip()}")
        before = ended.stderr
        # Not pure: a task of an earlier round is another one.
        client.gather(client.map(shard, [place] * len(numbers), numbers, jobs=jobs, pure=False))
