"""A fumi under test: a real process on a free port, with a memory limit, whose /livez is polled all the time."""

import http.client
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
import time
from urllib.parse import urlsplit

# The memory of the container in Compose and the Deployment, browser and parsers included (deploy/).
MEMORY = 2 << 30
# The maximum time of any call, in seconds: the longest time limit of a tool is 120.
PATIENCE = 180


class Cgroup:
    """A cgroup (version 1 or 2) for a server and all its children, with a limit. Needs the right to make one: root, or delegation."""

    def __init__(self, controller, limit):
        one = f"/sys/fs/cgroup/{controller}"
        self.version = 1 if os.path.isdir(one) else 2
        parent = one if self.version == 1 else "/sys/fs/cgroup" + open("/proc/self/cgroup").read().split("::")[-1].strip()
        self.folder = os.path.join(parent, f"fumi-endurance-{os.getpid()}-{time.time_ns()}")
        self.limited = "memory.limit_in_bytes" if (controller, self.version) == ("memory", 1) else f"{controller}.max"
        try:
            os.mkdir(self.folder)
            self.limit(limit)
        except OSError as error:
            sys.exit(
                f"no cgroup for {controller} can be made ({error}). Run as root, or: "
                "systemd-run --user --scope -p Delegate=yes -p MemoryAccounting=yes -p TasksAccounting=yes ./test"
            )

    def limit(self, value):
        self.write(self.limited, value)

    def write(self, name, value):
        with open(os.path.join(self.folder, name), "w") as file:
            file.write(str(value))

    def read(self, name):
        with open(os.path.join(self.folder, name)) as file:
            return file.read()

    def enter(self):
        self.write("cgroup.procs", os.getpid())

    def peak(self):
        """Returns the peak of memory in bytes, including the file cache; 0 if the kernel does not report it."""
        try:
            return int(self.read("memory.max_usage_in_bytes" if self.version == 1 else "memory.peak"))
        except OSError:
            return 0

    def killed(self):
        """Returns how many processes the kernel killed for lack of memory."""
        events = self.read("memory.oom_control" if self.version == 1 else "memory.events")
        return sum(int(line.split()[1]) for line in events.splitlines() if line.startswith("oom_kill "))

    def end(self):
        for _ in range(100):
            try:
                return os.rmdir(self.folder)
            except OSError:
                for process in self.read("cgroup.procs").split():
                    try:
                        os.kill(int(process), signal.SIGKILL)
                    except ProcessLookupError:
                        pass
                time.sleep(0.05)


class Server:
    """Starts when created. As a context it ends with SIGTERM; if it died or panicked before, this program ends."""

    def __init__(self, program, root, *, cgroup=None, state=None, environment=None, listen="127.0.0.1:0", store=None):
        self.program = program
        self.cgroup = cgroup
        self.log = tempfile.TemporaryFile("w+")
        command = [program, "--listen", listen, "--root", root]
        if state:
            command += ["--state", state]
        if store or not state:
            command += ["--store", store or "memory"]
        self.process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=self.log,
            text=True,
            env={**os.environ, **(environment or {})},
            preexec_fn=cgroup.enter if cgroup else None,
        )
        ready = self.process.stdout.readline()
        if not ready.startswith("fumi listening on "):
            sys.exit(f"no ready line but {ready!r}: {self.said()}")
        self.address = urlsplit(ready.removeprefix("fumi listening on ").strip()).netloc

    def said(self):
        self.log.seek(0)
        return self.log.read()

    def cpu(self):
        """Returns the processor seconds of the process, without its children."""
        with open(f"/proc/{self.process.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def send(self, signal_):
        self.process.send_signal(signal_)

    def died(self):
        return self.process.poll() is not None

    def post(self, path, body, headers=None, patience=PATIENCE):
        """Returns status and JSON of a POST on a connection of its own."""
        connection = http.client.HTTPConnection(self.address, timeout=patience)
        try:
            connection.request("POST", path, body, {"Content-Type": "application/json", **(headers or {})})
            reply = connection.getresponse()
            return reply.status, json.loads(reply.read() or b"null")
        finally:
            connection.close()

    def call(self, tool, arguments, patience=PATIENCE):
        """Makes a call over REST; returns the status, and the result or the object with `error`."""
        return self.post(f"/v1/tools/{tool}", json.dumps(arguments), patience=patience)

    def mcp(self, method, params, session=None):
        """Makes a request of the session era; returns its result, and the id of the session that it began."""
        connection = http.client.HTTPConnection(self.address, timeout=PATIENCE)
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        if not method.startswith("notifications/"):
            message["id"] = 1
        connection.request("POST", "/mcp/all", json.dumps(message), mcp_headers(session))
        reply = connection.getresponse()
        body, began = reply.read().decode(), reply.getheader("Mcp-Session-Id")
        connection.close()
        if reply.status >= 300:
            raise RuntimeError(f"{method}: {reply.status} {body[:300]}")
        data = [line.removeprefix("data:") for line in body.splitlines() if line.startswith("data:")]
        messages = [json.loads(text) for text in data or [body] if text.strip()]
        return next((message["result"] for message in messages if "result" in message), None), began

    def session(self):
        """Begins a session; returns its id."""
        client = {"name": "endurance", "version": "1"}
        _, session = self.mcp("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client})
        self.mcp("notifications/initialized", {}, session)
        return session

    def tools(self):
        """Returns every tool: its name, its `inputSchema` and an example."""
        said = subprocess.run([self.program, "tools", "--json"], capture_output=True, text=True, check=True).stdout
        examples = {tool["name"]: tool["example"] for tool in json.loads(said)}
        session, tools, cursor = self.session(), [], None
        while True:
            page, _ = self.mcp("tools/list", {"cursor": cursor} if cursor else {}, session)
            tools += [{**tool, "example": examples[tool["name"]]} for tool in page["tools"] if tool["name"] in examples]
            if not (cursor := page.get("nextCursor")):
                return tools

    def kill(self):
        self.process.kill()
        self.end()

    def end(self):
        """Waits for its end and removes its files; returns the exit code."""
        code = self.process.wait(60)
        self.process.stdout.close()
        self.log.close()
        if self.cgroup:
            self.cgroup.end()
        return code

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        died = self.died()
        if not died:
            self.process.terminate()
            self.process.wait(60)
        log = self.said()
        code = self.end()
        if "panicked" in log:
            log = log[max(0, log.index("panicked") - 200) :][:3000]
        if died or "panicked" in log or (code and kind is None):
            sys.exit(f"the server ended with {code}{' by itself' if died else ''}:\n{log[-3000:]}")


def mcp_headers(session=None):
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    if session:
        headers |= {"Mcp-Session-Id": session, "MCP-Protocol-Version": "2025-11-25"}
    return headers


def _ask(address, every, stop, told):
    """Polls /livez until stopped, in a separate process, so that the work of this program is not measured."""
    waits, failures, connection = [], [], None
    while not stop.is_set():
        began = time.monotonic()
        try:
            connection = connection or http.client.HTTPConnection(address, timeout=30)
            connection.request("GET", "/livez")
            reply = connection.getresponse()
            reply.read()
            if reply.status != 200:
                failures.append(f"status {reply.status}")
        except (OSError, http.client.HTTPException) as error:
            failures.append(f"{type(error).__name__}: {error}")
            connection = None
        waits.append(time.monotonic() - began)
        time.sleep(max(0.0, every - (time.monotonic() - began)))
    told.put((waits, failures))


class Livez:
    """Polls /livez every 20 ms while the context lasts. Afterwards: `waits` in seconds, `failures` in words."""

    def __init__(self, server, every=0.02):
        self.stop, self.told = multiprocessing.Event(), multiprocessing.Queue()
        self.process = multiprocessing.Process(target=_ask, args=(server.address, every, self.stop, self.told), daemon=True)

    def __enter__(self):
        self.process.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        self.waits, self.failures = self.told.get(timeout=60)
        self.process.join()

    def at(self, share):
        """Returns the wait in milliseconds that this share of the requests did not exceed."""
        ordered = sorted(self.waits)
        return 1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))]
