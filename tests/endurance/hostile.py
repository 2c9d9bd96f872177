"""Hostile files, calls and pages at the same time, on a server and a browser that have 2 GiB of memory together.

Every call must be answered, and not as a fault of the server; the kernel may kill only processes of parsers and pages;
and /livez is answered within 100 ms at the 99th percentile. That last bar holds in runs of five minutes or more: a
short one is a step of ./test, where no time is asserted.
"""

import collections
import http.client
import os
import random
import shutil
import tempfile
import threading
import time

import calls
import grammars
import pages
from server import MEMORY, Cgroup, Livez, Server

BAR_MS, TIMED_FROM = 100, 300
# Errors that say that fumi itself failed (src/kernel/errors.toml, src/http/errors.toml).
OWN_FAULTS = {"INTERNAL_ERROR", "CALL_FAILED", "SERVER_FAILED"}


class Attacker(threading.Thread):
    """Makes one kind of calls, one after the other, until stopped. A browser call uses the session that it began."""

    def __init__(self, name, server, attacks, until):
        super().__init__(daemon=True)
        self.kind, self.server, self.attacks, self.until = name, server, attacks, until
        self.codes, self.faults, self.slowest, self.browser = collections.Counter(), [], 0.0, None

    def run(self):
        while time.monotonic() < self.until and not self.server.died():
            tool, arguments = next(self.attacks)
            if self.kind == "pages" and self.browser:
                arguments = {**arguments, "browser_session": self.browser}
            self.one(tool, arguments)
            if tool == "browser_close":
                self.browser = None

    def one(self, tool, arguments):
        began = time.monotonic()
        try:
            status, answer = self.server.call(tool, arguments)
        except (OSError, ValueError, http.client.HTTPException) as error:
            return self.fault(tool, arguments, f"{type(error).__name__}: {error}")
        self.slowest = max(self.slowest, time.monotonic() - began)
        if not isinstance(answer, dict):
            return self.fault(tool, arguments, f"{status} {str(answer)[:300]}")
        self.browser = answer.get("browser_session", self.browser)
        code = (answer.get("error") or {}).get("code", "ok" if status == 200 else f"status {status}")
        self.codes[code] += 1
        if status == 500 or code in OWN_FAULTS:
            self.fault(tool, arguments, f"{status} {str(answer)[:500]}")
        return None

    def fault(self, tool, arguments, what):
        self.faults.append(f"{tool} {str(arguments)[:300]}: {what}")


def project():
    """Makes a copy of the fixture project, with a novel beside it."""
    here, root = os.path.dirname(os.path.abspath(__file__)), tempfile.mkdtemp(prefix="fumi-endurance-")
    shutil.copytree(os.path.join(here, "../fixtures/project"), root, dirs_exist_ok=True)
    shutil.copytree(os.path.join(here, "../../examples/novel"), root, dirs_exist_ok=True)
    return root


def run(program, seconds, seed):
    root = project()
    with Server(program, root, cgroup=Cgroup("memory", MEMORY)) as server:
        tools = server.tools()
        until = time.monotonic() + seconds
        kinds = [
            ("files", grammars.attacks(random.Random(seed), root)),
            ("calls", calls.attacks(random.Random(seed + 1), tools)),
            ("pages", pages.attacks(random.Random(seed + 2), pages.site())),
        ]
        attackers = [Attacker(name, server, attacks, until) for name, attacks in kinds]
        with Livez(server) as livez:
            for attacker in attackers:
                attacker.start()
            for attacker in attackers:
                attacker.join()
        peak, killed = server.cgroup.peak(), server.cgroup.killed()
    shutil.rmtree(root, ignore_errors=True)
    figures = [
        ("/livez p50, p99, worst", f"{livez.at(0.5):.1f}, {livez.at(0.99):.1f}, {livez.at(1):.1f} ms of {len(livez.waits)}"),
        ("memory", f"{peak / 2**20:.0f} MiB, {killed} processes killed by the kernel"),
    ]
    faults = [f"/livez: {failure}" for failure in livez.failures]
    if seconds >= TIMED_FROM and livez.at(0.99) > BAR_MS:
        faults.append(f"/livez takes {livez.at(0.99):.0f} ms at the 99th percentile")
    for attacker in attackers:
        codes = ", ".join(f"{code} {count}" for code, count in attacker.codes.most_common(8))
        figures.append((attacker.kind, f"{sum(attacker.codes.values())} calls, slowest {attacker.slowest:.0f} s ({codes})"))
        faults += attacker.faults
    return figures, faults
