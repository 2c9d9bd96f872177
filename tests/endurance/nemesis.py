"""Two servers on one project while they are stopped, killed and their clocks jump: no acknowledged write is lost or doubled.

Callers read files through either server and replace them with `write` and `expected_hash`. The history is checked by `history`.
Their clocks are moved by `clock.c`.
"""

import collections
import hashlib
import http.client
import os
import random
import shutil
import signal
import struct
import subprocess
import tempfile
import threading
import time

from history import DONE, REFUSED, UNKNOWN, Operation, selftest, violations
from server import Server

FILES, CALLERS = 4, 3
# Longer than a lease lasts without being renewed (30 s, src/base/store).
ASLEEP = 35
# In seconds, from the real time.
JUMPS = [0, -40, 40, -3_600, 3_600, -86_400, 86_400]
# Refusals that leave the file unchanged: another caller wrote first, or holds the lease.
NOTHING_WRITTEN = {"HASH_MISMATCH", "R004"}


class Host:
    """One server, its clock, and the faults injected into it. Its address changes when it is restarted."""

    def __init__(self, program, root, home, name, preloaded):
        self.program, self.root, self.name = program, root, name
        self.offset = os.path.join(home, f"{name}.offset")
        self.environment = {"LD_PRELOAD": preloaded, "CLOCK_OFFSET": self.offset}
        self.jump(0)
        self.start()

    def start(self):
        self.server = Server(self.program, self.root, environment=self.environment)

    def jump(self, seconds):
        with open(self.offset, "r+b" if os.path.exists(self.offset) else "wb") as file:
            file.write(struct.pack("=q", seconds))

    def kill(self):
        self.server.kill()

    def sleep(self, seconds):
        self.server.send(signal.SIGSTOP)
        time.sleep(seconds)
        self.server.send(signal.SIGCONT)


class Caller(threading.Thread):
    def __init__(self, name, host, root, rng, over):
        super().__init__(daemon=True)
        self.by, self.host, self.root, self.rng, self.over = name, host, root, rng, over
        self.operations, self.codes = [], collections.Counter()

    def run(self):
        count = 0
        while not self.over.is_set():
            count += 1
            file = f"r{self.rng.randrange(FILES)}.md"
            seen = self.read(file)
            if seen is not None:
                self.write(file, seen, f"{self.by}-{count}")

    def call(self, tool, arguments):
        began = time.monotonic()
        try:
            status, answer = self.host.server.call(tool, arguments, patience=ASLEEP * 3)
            code = answer.get("error", {}).get("code", DONE) if isinstance(answer, dict) else f"status {status}"
        except (OSError, ValueError, http.client.HTTPException) as error:
            code, answer = type(error).__name__, {}
            time.sleep(0.05)
        self.codes[f"{tool} {code}"] += 1
        return began, time.monotonic(), code, answer

    def read(self, file):
        began, ended, code, answer = self.call("extract_code_section", {"file_path": file, "start_line": 1})
        if code != DONE:
            return None
        value = answer["partial_content_result"]["content"].split(":", 1)[1]
        self.operations.append(Operation(file, value, began, ended, by=self.by))
        return value

    def write(self, file, seen, value):
        arguments = {"file_path": file, "content": f"{value}\n", "expected_hash": hashlib.sha256(f"{seen}\n".encode()).hexdigest()}
        began, ended, code, _ = self.call("write", arguments)
        outcome = DONE if code == DONE else REFUSED if code in NOTHING_WRITTEN else UNKNOWN
        self.operations.append(Operation(file, value, began, ended, outcome, seen, self.by))


def trouble(rng, hosts, long):
    """Injects one fault into one of the servers. Returns its description."""
    host, kind = rng.choice(hosts), rng.choice(["stop", "stop", "kill", "clock", "clock", "long stop" if long else "stop"])
    if kind == "clock":
        host.jump(rng.choice(JUMPS))
    elif kind == "kill":
        host.kill()
        time.sleep(rng.uniform(0, 1))
        host.start()
    else:
        host.sleep(ASLEEP if kind == "long stop" else rng.uniform(0.05, 2))
    return kind


def run(program, seconds, seed):
    """Runs for the seconds, and in a run of more than five minutes until 10,000 writes were acknowledged."""
    selftest()
    rng, home, over = random.Random(seed), tempfile.mkdtemp(prefix="fumi-nemesis-"), threading.Event()
    root = os.path.join(home, "project")
    os.mkdir(root)
    for n in range(FILES):
        with open(f"{root}/r{n}.md", "w") as file:
            file.write("first\n")
    preloaded = os.path.join(home, "clock.so")
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "clock.c")
    subprocess.run(["cc", "-O2", "-Wall", "-Werror", "-shared", "-fPIC", "-o", preloaded, source], check=True)
    hosts = [Host(program, root, home, name, preloaded) for name in ("a", "b")]
    callers = [Caller(f"{host.name}{n}", host, root, random.Random(rng.random()), over) for host in hosts for n in range(CALLERS)]
    for caller in callers:
        caller.start()
    happened, long, until = collections.Counter(), seconds > 300, time.monotonic() + seconds

    def acknowledged():
        return sum(o.outcome == DONE and o.replaces is not None for caller in callers for o in list(caller.operations))

    while time.monotonic() < until or (long and acknowledged() < 10_000):
        happened[trouble(rng, hosts, long)] += 1
        time.sleep(rng.uniform(0, 2))
    over.set()
    for caller in callers:
        caller.join()
    faults = []
    for n in range(FILES):
        with open(f"{root}/r{n}.md") as file:
            last = file.read().strip()
        operations = [o for caller in callers for o in caller.operations if o.file == f"r{n}.md"]
        faults += violations(operations, "first", last)
    for host in hosts:
        host.server.__exit__(None)
    stray = [name for name in os.listdir(root) if not (name.startswith(("r", ".")) or name == "90_バックアップ")]
    faults += [f"left behind in the project: {name}" for name in stray]
    writes, codes = acknowledged(), sum((caller.codes for caller in callers), collections.Counter())
    if not writes or not sum(happened.values()):
        faults.append(f"nothing was tried: {writes} writes, {dict(happened)}")
    shutil.rmtree(home)
    return [
        ("acknowledged writes", f"{writes} in {FILES} files"),
        ("happened", ", ".join(f"{count} {kind}" for kind, count in happened.most_common())),
        ("answers", ", ".join(f"{code} {count}" for code, count in codes.most_common(12))),
    ], faults
