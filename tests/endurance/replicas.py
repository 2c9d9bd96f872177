"""Three replicas over Redis while they are killed, stopped and delayed: what clients see could have come from one server.

Eight clients send each request to some replica and check the project that a session chose, files that are replaced with and without
`expected_hash`, and that a session exists until it is ended. `registers` and `history` check the histories. Clients avoid a replica
that has not answered for a second, as a balancer does, but not always. A request is sent again only if the connection was refused.
Afterwards the replicas have 15 seconds, on top of the time that is asked for; then everything must succeed at each of them.
"""

import collections
import hashlib
import http.client
import itertools
import json
import math
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field

import history
import registers
from history import DONE, REFUSED, UNKNOWN, Operation
from registers import END, GONE, READ, WRITE, Step
from server import Server, mcp_headers

REPLICAS, CLIENTS, SESSIONS = 3, 8, 12
FOLDERS = [f"p{n}" for n in range(8)]
COUNTERS, TEXTS = ["counter0.md", "counter1.md"], ["text0.md", "text1.md", "text2.md"]
# How often a text contains its value: a file that is half written shows.
LINES = 60
# After so many steps a session is ended, so that its history stays short.
LONGEST = 120
# Longer than the sessions of a silent replica stay where they are (10 s, src/mcp/replicas.rs).
SILENT = 10
REST = 15
# The longest pause of Redis, in seconds: a replica waits for an answer for four (src/base/store/redis/connection.rs).
PAUSE = 3
# The maximum time of an answer, in seconds: a replica is stopped for 14 s at most, and one that forwards to it waits as long.
HANG = 60
# The maximum time of an answer once all replicas run again: several hundred times the usual one, since the machine is shared.
QUICK = 5
# Errors that leave a file unchanged. Any other error leaves it open whether it changed.
NOTHING_WRITTEN = {"HASH_MISMATCH", "R004"}
# What a nemesis does, as often as it is named.
DISTURBANCES = ["kill", "kill", "long stop", "long stop", "stop", "stop", "delay", "shutdown", "pause of Redis"]


class Redis:
    """A Redis server on a port of its own, which stores nothing on disk."""

    def __init__(self, port, folder):
        command = ["redis-server", "--bind", "127.0.0.1", "--port", str(port), "--save", "", "--appendonly", "no"]
        try:
            self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, cwd=folder)
        except FileNotFoundError:
            sys.exit("redis-server is missing; install it: apt-get install redis-server (its service need not run)")
        self.url = f"redis://127.0.0.1:{port}"
        while socket.socket().connect_ex(("127.0.0.1", port)) != 0:
            time.sleep(0.02)

    def pause(self, seconds):
        self.process.send_signal(signal.SIGSTOP)
        time.sleep(seconds)
        self.process.send_signal(signal.SIGCONT)

    def end(self):
        self.process.kill()
        self.process.wait()


class Replica:
    """One process, started again on the same port after it was killed."""

    def __init__(self, program, name, port, root, state, store, faults, logs):
        self.program, self.name, self.port, self.root = program, name, port, root
        self.state, self.store, self.faults, self.logs = state, store, faults, logs
        self.environment = {
            "FUMI__SERVER__STATE_KEY": "0123456789abcdef0123456789abcdef",
            "FUMI__SERVER__REPLICA_URL": f"http://127.0.0.1:{port}",
            "FUMI__AUTH__RATE_PER_MINUTE": "0",
        }
        self.stopped = None
        self.start()

    def start(self):
        listen = f"127.0.0.1:{self.port}"
        while True:
            try:
                self.server = Server(
                    self.program,
                    self.root,
                    state=self.state,
                    store=self.store,
                    environment=self.environment,
                    listen=listen,
                )
                return
            except SystemExit as failed:
                self.faults.append(f"{self.name} does not start: {failed}")
                time.sleep(1)

    def kill(self):
        said = self.check()
        self.logs.append(f"{self.name} is killed after:\n{said}")
        self.server.kill()

    def stop(self, seconds):
        self.stopped = time.monotonic()
        self.server.send(signal.SIGSTOP)
        time.sleep(seconds)
        self.server.send(signal.SIGCONT)
        self.stopped = None

    def is_avoided(self):
        stopped = self.stopped
        return stopped is not None and time.monotonic() > stopped + 1

    def check(self):
        """Finds a fault if the process has died or panicked. Returns its log."""
        said = self.said()
        if self.server.died():
            self.faults.append(f"{self.name} ended by itself with {self.server.process.returncode}: {said[-2000:]}")
        if "panicked" in said:
            self.faults.append(f"{self.name} panicked: {said[max(0, said.index('panicked') - 300):][:2000]}")
        return said

    def said(self):
        # Opened again: a common position would make the process write over what it has written.
        with open(f"/proc/self/fd/{self.server.log.fileno()}") as file:
            return file.read()

    def end(self):
        self.check()
        if not self.server.died():
            self.server.send(signal.SIGTERM)
        self.server.process.wait(60)
        self.logs.append(f"{self.name} has ended after:\n{self.said()}")
        code = self.server.end()
        if code:
            self.faults.append(f"{self.name} ended with {code} after SIGTERM")


@dataclass
class Session:
    id: str
    steps: list = field(default_factory=list)
    is_ending: bool = False
    # Until this time clients only read, so that a lost write is not hidden by a later one.
    calm_until: float = 0.0


@dataclass
class Answer:
    """What a client knows after a request: `code` is `DONE`, a code of an error, or how the answer was lost."""

    code: str
    begin: float
    end: float
    result: dict
    at: str = ""
    session: str = ""

    @property
    def is_open(self):
        """True if the work may have been done, and may still be."""
        return self.code not in (DONE, "refused", "SESSION_NOT_FOUND")


class Cluster:
    """The replicas, and what was seen of them."""

    def __init__(self, program, home, rng, ports):
        # What happened to the replicas, and the answers, each with its times.
        self.events, self.answers, self.logs = [], [], []
        self.faults, self.codes, self.ids = [], collections.Counter(), itertools.count(1)
        self.root, self.files = os.path.join(home, "project"), os.path.join(home, "project", "files")
        for folder in [*FOLDERS, "files"]:
            os.makedirs(os.path.join(self.root, folder))
            with open(f"{self.root}/{folder}/{folder}.txt", "w") as file:
                file.write(f"{folder}\n")
        with open(f"{self.root}/root.txt", "w") as file:
            file.write("root\n")
        for name in COUNTERS:
            with open(f"{self.files}/{name}", "w") as file:
                file.write("0 first\n")
        for name in TEXTS:
            with open(f"{self.files}/{name}", "w") as file:
                file.write("first\n" * LINES)
        self.redis = Redis(ports.pop(), home)
        state, store = os.path.join(home, "state"), self.redis.url
        self.replicas = [
            Replica(program, f"replica {n}", port, self.root, state, store, self.faults, self.logs)
            for n, port in enumerate(ports)
        ]
        self.sessions, self.former = [], []
        self.operations, self.texts = [], {name: [] for name in TEXTS}
        while len(self.sessions) < SESSIONS:
            self.begin_session(rng)

    def ask(self, rng, method, path, body, headers, at=None):
        answer = self.send(rng, method, path, body, headers, at)
        if answer.code.startswith("503") or answer.code == "refused":
            # Less than `Retry-After`, so that more is tried.
            time.sleep(0.2)
        asked = json.dumps(body)[:200] if body else ""
        known = (answer.begin, answer.end, answer.at, answer.code, method, path, asked, headers.get("Mcp-Session-Id"))
        self.answers.append(known)
        return answer

    def send(self, rng, method, path, body, headers, at):
        """Sends a request to one replica, or to another if it refuses the connection. Returns its answer."""
        order = [at] if at else rng.sample(self.replicas, len(self.replicas))
        if not at and rng.random() < 0.9:
            order.sort(key=Replica.is_avoided)
        begin = time.monotonic()
        for replica in order:
            connection = http.client.HTTPConnection("127.0.0.1", replica.port, timeout=HANG)
            try:
                connection.connect()
            except ConnectionRefusedError:
                continue
            except OSError as error:
                return Answer(f"lost: {type(error).__name__}", begin, time.monotonic(), {}, replica.name)
            try:
                connection.request(method, path, json.dumps(body) if body else None, headers)
                reply = connection.getresponse()
                said = reply.read().decode()
            except TimeoutError:
                asked = f"{method} {path} {body}, sent at {begin:.3f}"
                self.faults.append(f"{replica.name} gave no answer within {HANG} s: {asked}")
                return Answer("lost: hang", begin, time.monotonic(), {}, replica.name)
            except (OSError, http.client.HTTPException) as error:
                return Answer(f"lost: {type(error).__name__}", begin, time.monotonic(), {}, replica.name)
            finally:
                connection.close()
            code, result = self.understand(replica, method, path, body, headers.get("Mcp-Session-Id"), reply, said)
            return Answer(code, begin, time.monotonic(), result, replica.name, reply.getheader("Mcp-Session-Id") or "")
        return Answer("refused", begin, time.monotonic(), {})

    def understand(self, replica, method, path, body, session, reply, said):
        """Returns the code and the result of an answer. An answer that is not documented is a fault."""
        def undocumented(why):
            asked = f"{method} {path} {json.dumps(body)[:160] if body else ''} of {session} at {time.monotonic():.3f}"
            request = reply.getheader("x-request-id")
            self.faults.append(f"{replica.name} answered {reply.status} ({why}) to {asked} ({request}): {said[:300]}")

        data = [line.removeprefix("data:") for line in said.splitlines() if line.startswith("data:")]
        try:
            messages = [json.loads(text) for text in data or [said] if text.strip()]
        except ValueError:
            undocumented("no JSON")
            return "lost: no JSON", {}
        message = next((m for m in messages if "result" in m or "error" in m or "success" in m), {})
        error = message.get("error") or {}
        code = (error.get("data") or error).get("code")
        if reply.status == 503:
            if not reply.getheader("Retry-After"):
                undocumented("no Retry-After")
            return f"503 {code}", {}
        if reply.status == 502 and code != "RESULT_LOST" or reply.status in (404, 429) and not code:
            undocumented("code")
        documented = (200, 404, 409, 429, 502) if path.startswith("/v1/") else (200, 202, 204, 404, 429, 502)
        if reply.status not in documented:
            undocumented("status")
            return f"lost: {reply.status} {code}", {}
        if code is not None:
            return str(code), {}
        if reply.status != 200:
            return DONE, {}
        result = message.get("result", message)
        content = result.get("structuredContent", result)
        if result.get("isError"):
            return str((content.get("error") or {}).get("code")), {}
        return (DONE, content) if content else ("lost: no result", {})

    def mcp(self, rng, session, method, params, at=None):
        body = {"jsonrpc": "2.0", "method": method, "params": params}
        if not method.startswith("notifications/"):
            body["id"] = next(self.ids)
        answer = self.ask(rng, "POST", "/mcp", body, mcp_headers(session), at)
        ending = (known.id for known in self.sessions + self.former if known.is_ending)
        if answer.code == "lost: no result" and session in ending:
            # A call that runs when its session is ended has no result.
            answer.code = "lost: ended"
        self.codes[f"{params.get('name', method)} {answer.code}"] += 1
        return answer

    def call(self, rng, session, tool, arguments, at=None):
        """Makes a call within a session, or without one over REST."""
        if session:
            return self.mcp(rng, session, "tools/call", {"name": tool, "arguments": arguments}, at)
        answer = self.ask(rng, "POST", f"/v1/tools/{tool}", arguments, {"Content-Type": "application/json"}, at)
        self.codes[f"{tool} {answer.code}"] += 1
        return answer

    def begin_session(self, rng, at=None):
        client = {"name": "endurance", "version": "1"}
        opening = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}
        answer = self.mcp(rng, None, "initialize", opening, at)
        if answer.code != DONE or not answer.session:
            return None
        session = Session(answer.session)
        while (told := self.mcp(rng, session.id, "notifications/initialized", {}, at)).code != DONE:
            if told.code == "SESSION_NOT_FOUND":
                self.faults.append(f"session {session.id} is 404 right after its initialize, at {told.end:.3f}")
                return None
            time.sleep(0.2)
        self.sessions.append(session)
        return session

    def note(self, session, kind, value, answer, by):
        """Adds what an answer says to the history of a session."""
        if answer.code == "SESSION_NOT_FOUND":
            session.steps.append(Step(READ, GONE, answer.begin, answer.end, by))
        elif answer.code == DONE:
            session.steps.append(Step(kind, value, answer.begin, answer.end, by))
        elif kind != READ and answer.is_open:
            session.steps.append(Step(kind, value, answer.begin, by=by))

    def choose(self, rng, session, by, at=None):
        folder = rng.choice(FOLDERS)
        answer = self.call(rng, session.id, "set_project_path", {"project_path": f"{self.root}/{folder}"}, at)
        self.note(session, WRITE, folder, answer, by)
        return answer

    def look(self, rng, session, by, at=None):
        answer = self.call(rng, session.id, "list_files", {"roots": ["."], "pattern": "*", "glob": True, "depth": 1}, at)
        names = [os.path.basename(row["path"]) for row in answer.result.get("results", [])]
        chosen = "root" if "root.txt" in names else ", ".join(sorted(names)).removesuffix(".txt")
        self.note(session, READ, chosen, answer, by)
        return answer

    def finish(self, rng, session, by, at=None):
        session.is_ending = True
        answer = self.ask(rng, "DELETE", "/mcp", None, mcp_headers(session.id), at)
        self.codes[f"DELETE {answer.code}"] += 1
        self.note(session, END, "", answer, by)
        return answer

    def read(self, rng, session, file, by, at=None):
        """Reads a file; returns its content, or `None`."""
        arguments = {"file_path": file, "start_line": 1, "format": "raw", "project_root": self.files}
        answer = self.call(rng, session, "extract_code_section", arguments, at)
        if answer.code != DONE:
            return None
        content = answer.result["partial_content_result"]["content"]
        if file in COUNTERS:
            self.operations.append(Operation(file, content, answer.begin, answer.end, by=by))
        else:
            self.texts[file].append(Step(READ, self.value_of(file, content), answer.begin, answer.end, by))
        return content

    def value_of(self, file, content):
        lines = content.splitlines()
        if len(lines) != LINES or len(set(lines)) != 1 or not content.endswith("\n"):
            self.faults.append(f"{file} is torn: {len(lines)} lines, {collections.Counter(lines).most_common(3)}")
        return lines[0] if lines else ""

    def count(self, rng, session, file, name, by, at=None):
        """Increments a counter by a read and a write that replaces what was read. Returns the answer to the write."""
        seen = self.read(rng, session, file, by, at)
        if seen is None:
            return None
        value = f"{int(seen.split()[0]) + 1} {name}\n"
        arguments = {"file_path": file, "content": value, "project_root": self.files}
        arguments["expected_hash"] = hashlib.sha256(seen.encode()).hexdigest()
        answer = self.call(rng, session, "write", arguments, at)
        if answer.code not in ("refused", "SESSION_NOT_FOUND"):
            outcome = DONE if answer.code == DONE else REFUSED if answer.code in NOTHING_WRITTEN else UNKNOWN
            self.operations.append(Operation(file, value, answer.begin, answer.end, outcome, seen, by))
        return answer

    def write(self, rng, session, file, name, by, at=None):
        arguments = {"file_path": file, "content": f"{name}\n" * LINES, "overwrite": True, "project_root": self.files}
        answer = self.call(rng, session, "write", arguments, at)
        if answer.code == DONE:
            self.texts[file].append(Step(WRITE, name, answer.begin, answer.end, by))
        elif answer.code not in NOTHING_WRITTEN | {"refused", "SESSION_NOT_FOUND"}:
            self.texts[file].append(Step(WRITE, name, answer.begin, by=by))
        return answer


class Client(threading.Thread):
    def __init__(self, number, cluster, rng, over):
        super().__init__(daemon=True)
        self.by, self.cluster, self.rng, self.over = f"c{number}", cluster, rng, over

    def run(self):
        for count in itertools.count():
            if self.over.is_set():
                return
            try:
                self.step(f"{self.by}-{count}")
            except Exception as error:  # A thread that dies unseen would weaken the test.
                self.cluster.faults.append(f"the test failed: {type(error).__name__}: {error}")
                raise

    def step(self, name):
        cluster, rng = self.cluster, self.rng
        session, kind = rng.choice(cluster.sessions), rng.random()
        lost = sum(step.end == math.inf for step in session.steps)
        if session.is_ending:
            self.replace(session)
        elif session.calm_until > time.monotonic():
            cluster.look(rng, session, self.by)
        elif len(session.steps) > LONGEST or lost > 6 or kind < 0.01:
            cluster.finish(rng, session, self.by)
            self.replace(session)
        elif kind < 0.34:
            cluster.choose(rng, session, self.by)
        elif kind < 0.68:
            cluster.look(rng, session, self.by)
        elif kind < 0.73 and cluster.former:
            self.visit(rng.choice(cluster.former[-8:]))
        else:
            within = session.id if rng.random() < 0.5 else None
            if kind < 0.84:
                cluster.count(rng, within, rng.choice(COUNTERS), name, self.by)
            elif kind < 0.9:
                cluster.write(rng, within, rng.choice(TEXTS), name, self.by)
            else:
                cluster.read(rng, within, rng.choice(TEXTS), self.by)

    def replace(self, session):
        """Begins another session instead of one that is ending, unless another client does."""
        try:
            self.cluster.sessions.remove(session)
        except ValueError:
            return
        self.cluster.former.append(session)
        while not self.cluster.begin_session(self.rng):
            time.sleep(0.2)

    def visit(self, former):
        """Uses a session that was ended: it may exist only if no `DELETE` was acknowledged."""
        if len(former.steps) < 2 * LONGEST:
            act = self.rng.choice([self.cluster.look, self.cluster.look, self.cluster.choose, self.cluster.finish])
            act(self.rng, former, self.by)


class Nemesis(threading.Thread):
    """Disturbs one replica after the other, or Redis. Two of these may disturb two replicas at a time."""

    def __init__(self, cluster, rng, first, over, free):
        super().__init__(daemon=True)
        self.cluster, self.rng, self.first, self.over, self.free = cluster, rng, first, over, free
        self.happened = collections.Counter()

    def run(self):
        while not self.over.is_set():
            replica = self.free.pop(self.rng.randrange(len(self.free)))
            kind = self.first or self.rng.choice(DISTURBANCES)
            self.first = None
            self.happened[kind] += 1
            began = time.monotonic()
            replica.check()
            burst = self.burst(replica) if self.rng.random() < 0.6 else []
            if kind in ("kill", "shutdown"):
                replica.kill() if kind == "kill" else replica.end()
                time.sleep(self.rng.choice([0, self.rng.uniform(0, 3), self.rng.uniform(0, SILENT + 3)]))
                replica.start()
            elif kind == "pause of Redis":
                self.cluster.redis.pause(self.rng.uniform(0.1, PAUSE))
            elif kind == "long stop":
                replica.stop(self.rng.uniform(SILENT + 0.5, SILENT + 4))
            elif kind == "stop":
                # Around the time at which its sessions are taken over, too.
                replica.stop(self.rng.choice([self.rng.uniform(0.05, 2), self.rng.uniform(SILENT - 3, SILENT + 0.5)]))
            else:
                for _ in range(40):
                    replica.stop(self.rng.uniform(0.01, 0.15))
                    time.sleep(self.rng.uniform(0, 0.1))
            for thread in burst:
                thread.join()
            self.cluster.events.append((began, time.monotonic(), kind, replica.name))
            self.free.append(replica)
            self.over.wait(self.rng.uniform(0, 2))


    def burst(self, replica):
        """Sends writes to a replica, each to another session, and returns the waiting threads while it works on them."""
        rng, sessions = self.rng, [session for session in self.cluster.sessions if not session.is_ending]
        threads = []
        for session in rng.sample(sessions, min(8, len(sessions))):
            session.calm_until = time.monotonic() + SILENT + 6
            act, own = self.cluster.finish if rng.random() < 0.2 else self.cluster.choose, random.Random(rng.random())
            threads.append(threading.Thread(target=act, args=(own, session, "nemesis", replica), daemon=True))
        for thread in threads:
            thread.start()
        time.sleep(rng.uniform(0, 0.1))
        return threads


def free_ports(number):
    """Returns free ports that the system gives to no client: a replica must find its port free when it starts again."""
    # Apart from those of another run at the same time.
    first, ports = 21_000 + os.getpid() * 10 % 9_000, []
    while len(ports) < number:
        first += 1
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", first)) != 0:
                ports.append(first)
    return ports


def after_rest(cluster, rng):
    """Everything succeeds at every replica, soon, and is the same at all of them."""
    waits = []

    def expect(what, replica, answer, code=DONE):
        waits.append(answer.end - answer.begin)
        if answer.code != code:
            cluster.faults.append(f"after the rest, {what} at {replica.name} is {answer.code}, not {code}")
        if waits[-1] > QUICK:
            cluster.faults.append(f"after the rest, {what} at {replica.name} took {waits[-1]:.1f} s")

    for n, replica in enumerate(cluster.replicas):
        by, others = f"end{n}", cluster.replicas
        for session in list(cluster.sessions):
            if session.is_ending:
                continue
            for at in others:
                expect(f"list_files in {session.id}", at, cluster.look(rng, session, by, at))
            expect(f"set_project_path in {session.id}", replica, cluster.choose(rng, session, by, replica))
        session = cluster.begin_session(rng, replica)
        if session is None:
            cluster.faults.append(f"after the rest, no session can begin at {replica.name}")
            continue
        for at in others:
            expect("set_project_path", at, cluster.choose(rng, session, by, at))
            expect("list_files", at, cluster.look(rng, session, by, at))
        for within in (None, session.id):
            for file in COUNTERS:
                written = cluster.count(rng, within, file, f"end{n}-{within}", by, replica)
                if written is None or written.code != DONE:
                    why = written.code if written else "it cannot be read"
                    cluster.faults.append(f"after the rest, {file} cannot be incremented at {replica.name}: {why}")
            for file in TEXTS:
                expect("write", replica, cluster.write(rng, within, file, f"end{n}-{within}", by, replica))
                cluster.read(rng, within, file, by, replica)
        expect("DELETE", replica, cluster.finish(rng, session, by, replica))
        cluster.sessions.remove(session)
        cluster.former.append(session)
        for at in others:
            expect("list_files after DELETE", at, cluster.look(rng, session, by, at), "SESSION_NOT_FOUND")
    return waits


def judge(cluster):
    """Returns the faults in the histories, and how many histories are left undecided."""
    faults, undecided = [], 0
    for session in cluster.sessions + cluster.former:
        wrong, steps = registers.violation(session.steps, "root"), session.steps
        if wrong:
            early = min((step.end for step in steps if step.value == GONE), default=math.inf)
            ends = [step.begin for step in steps if step.kind == END]
            why = "404 though nobody ended it: " if early < min(ends, default=math.inf) else ""
            faults.append(f"session {session.id}: {why}{wrong}")
        undecided += registers.is_linearizable(steps, "root") is None
    for name in COUNTERS:
        with open(f"{cluster.files}/{name}") as file:
            last = file.read()
        found = history.violations([o for o in cluster.operations if o.file == name], "0 first\n", last)
        faults += [f"{name}: {fault}" for fault in found[:5]]
    for name, steps in cluster.texts.items():
        with open(f"{cluster.files}/{name}") as file:
            now = time.monotonic()
            steps = [*steps, Step(READ, cluster.value_of(name, file.read()), now, now, "the end")]
        wrong = registers.violation(steps, "first")
        faults += [f"{name}: {wrong}"] if wrong else []
        undecided += registers.is_linearizable(steps, "first") is None
    stray = [name for name in os.listdir(cluster.files) if not re.fullmatch(r"\..*|90_バックアップ|files\.txt", name)]
    faults += [f"left behind in the project: {name}" for name in stray if name not in COUNTERS + TEXTS]
    return faults, undecided


def run(program, seconds, seed):
    history.selftest()
    registers.selftest()
    rng, home = random.Random(seed), tempfile.mkdtemp(prefix="fumi-replicas-")
    cluster = Cluster(program, home, rng, free_ports(REPLICAS + 1))
    over, rested, free = threading.Event(), threading.Event(), list(cluster.replicas)
    clients = [Client(n, cluster, random.Random(rng.random()), rested) for n in range(CLIENTS)]
    nemeses = [Nemesis(cluster, random.Random(rng.random()), first, over, free) for first in ("long stop", "kill")]
    for thread in [*clients, *nemeses]:
        thread.start()
    time.sleep(seconds)
    over.set()
    for nemesis in nemeses:
        nemesis.join()
    rest = time.monotonic()
    # The clients go on for a while: what is wrong now is wrong for good.
    time.sleep(REST / 2)
    rested.set()
    for client in clients:
        client.join()
    time.sleep(REST / 2)
    waits = after_rest(cluster, rng)
    for replica in cluster.replicas:
        replica.end()
    cluster.redis.end()
    found, undecided = judge(cluster)
    faults, codes = cluster.faults + found, cluster.codes
    happened = sum((nemesis.happened for nemesis in nemeses), collections.Counter())
    done = sum(count for code, count in codes.items() if code.endswith(f" {DONE}"))
    if done < 50 or not happened["kill"] or not happened["long stop"]:
        faults.append(f"too little was tried: {done} operations, {dict(happened)}")
    answers = sorted(cluster.answers)
    if folder := os.environ.get("KEEP"):
        # For the explanation of a fault.
        with open(os.path.join(folder, f"replicas-{seed}.log"), "w") as file:
            file.writelines(cluster.logs)
        with open(os.path.join(folder, f"replicas-{seed}.txt"), "w") as file:
            events = [(began, ended, name, kind) for began, ended, kind, name in cluster.events]
            file.writelines(f"{row}\n" for row in sorted([*answers, *events]))
    shutil.rmtree(home)
    slow = max((end - max(begin, rest) for begin, end, *_ in answers if end > rest), default=0)
    return [
        ("operations", f"{sum(codes.values())}, {done} of them acknowledged"),
        ("sessions", f"{len(cluster.sessions) + len(cluster.former)}"),
        ("happened", ", ".join(f"{count} {kind}" for kind, count in happened.most_common())),
        ("answers", ", ".join(f"{code} {count}" for code, count in codes.most_common(40))),
        ("histories left undecided", undecided),
        ("longest answer", f"{max(end - begin for begin, end, *_ in answers):.1f} s"),
        ("longest wait once no replica was disturbed", f"{slow:.1f} s"),
        ("longest answer after the rest", f"{max(waits, default=0):.2f} s"),
    ], faults
