"""Exhaustion of file descriptors, processes and threads: replies meanwhile are right or errors, and right
afterwards."""

import os
import random
import resource
import shutil
import tempfile
import threading
import time

from disk import Disk, projects
from server import Cgroup, Server

# More calls at once than the limits leave room for.
CALLERS = 6
PLENTY = 4096


def at_once(disk, when):
    callers = [threading.Thread(target=disk.reads, args=(when, True)) for _ in range(CALLERS)]
    callers += [threading.Thread(target=disk.write, args=(when, True))]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()


def descriptors(server, more):
    """Leaves the server this many file descriptors beyond the open ones."""
    pid = server.process.pid
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (len(os.listdir(f"/proc/{pid}/fd")) + more, PLENTY))


def run(program, seconds, seed):
    rng, root = random.Random(seed), tempfile.mkdtemp(prefix="fumi-exhaustion-")
    projects(root)
    with Server(program, root, cgroup=Cgroup("pids", PLENTY)) as server:
        disk, until, rounds = Disk(server, root, rng), time.monotonic() + seconds, 0
        while not rounds or time.monotonic() < until:
            rounds += 1
            disk.fresh()
            descriptors(server, more=rng.randint(CALLERS + 1, 24))
            at_once(disk, "without descriptors")
            descriptors(server, more=PLENTY // 2)
            disk.reads("after being without descriptors", False)
            disk.fresh()
            server.cgroup.limit(int(server.cgroup.read("pids.current")) + rng.randint(0, 3))
            at_once(disk, "without processes")
            server.call("browser_navigate", {"url": "about:blank"})
            server.cgroup.limit(PLENTY)
            disk.reads("after being without processes", False)
            disk.write("after being without processes", False)
        status, answer = server.call("browser_navigate", {"url": "about:blank"})
        if status != 200:
            disk.faults.append(f"no browser starts afterwards: {answer}")
        disk.left()
    shutil.rmtree(root)
    answers = ", ".join(f"{code} {count}" for code, count in disk.codes.most_common())
    return [("rounds", str(rounds)), ("answers meanwhile", answers)], disk.faults
