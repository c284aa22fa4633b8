"""What a process of Python keeps while something runs: its other threads, and Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import taintsim
from scenarios import LONG, ONE_NODE, SECONDS

WAITING = """
import sys, time
import taintsim
from scenarios import LONG
print("begun", flush=True)
try:
    while True:
        {call}
except KeyboardInterrupt:
    print("heard", flush=True)
    # And it is forgotten.
    from scenarios import ONE_NODE
    print(len(taintsim.run(ONE_NODE).evictions), flush=True)
"""


@pytest.mark.skipif(os.name == "nt", reason="signals as Unix has them")
@pytest.mark.parametrize(
    "call",
    ["taintsim.run(LONG)", "taintsim.sweep(LONG, {}, seeds=100)", "taintsim.survey(LONG, lasts='1h')"],
)
def test_ctrl_c_is_heard(call: str) -> None:
    words = [sys.executable, "-c", WAITING.format(call=call)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parent) as process:
        assert process.stdout is not None and process.stdout.readline() == "begun\n"
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        pressed = time.monotonic()
        assert process.stdout.readline() == "heard\n"
        # At once, as a rule: an unoptimised build on a busy machine takes a while to make the runs ready.
        assert time.monotonic() - pressed < 20
        assert process.stdout.readline() == "1\n"
        assert process.wait(10) == 0


def test_other_threads_go_on() -> None:
    counted, over = 0, threading.Event()

    def count() -> None:
        nonlocal counted
        while not over.is_set():
            counted += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    begun = time.monotonic()
    while time.monotonic() - begun < 0.5:
        taintsim.run(LONG, set={"horizon": "6h"})
    lasted = time.monotonic() - begun
    over.set()
    thread.join()
    # Were they held up, it would be a handful.
    assert counted > 10 and counted > lasted * 20


def test_several_threads_run_at_once() -> None:
    found: dict[int, int] = {}

    def one(seed: int) -> None:
        found[seed] = len(taintsim.sweep(ONE_NODE, {SECONDS: [60, 120]}, seeds=3, seed=seed, jobs=1).runs)

    threads = [threading.Thread(target=one, args=(seed,)) for seed in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {seed: 6 for seed in range(1, 9)}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_run_does_not_cross_a_fork() -> None:
    # In a process of its own: this one has threads of other libraries.
    script = """
import os, taintsim
from scenarios import ONE_NODE
run = taintsim.run(ONE_NODE)
child = os.fork()
if child == 0:
    try:
        run.text()
    except RuntimeError as error:
        print(error, flush=True)
    print(len(taintsim.run(ONE_NODE).evictions), flush=True)
    os._exit(0)
os.waitpid(child, 0)
"""
    words = [sys.executable, "-W", "ignore", "-c", script]
    ended = subprocess.run(words, cwd=Path(__file__).parent, capture_output=True, text=True, timeout=60)
    assert ended.stdout == "a run stays in the process that made it: run the scenario again in this one\n1\n"
