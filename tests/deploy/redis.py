"""Starts a Redis server with the commands and the configuration of deploy/, and asks it for what fumi relies on.

The commands are used unchanged, except for the name of the program, the folders, and a port of this machine.

    python tests/deploy/redis.py ROOT REDIS_SERVER
"""

import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager, suppress
from pathlib import Path

from report import ROOT, check, documents, end, text

SERVER = sys.argv[2] if len(sys.argv) > 2 else ""
CONFIGURATION = "deploy/k8s/overlays/replicas/redis.conf"
PASSWORD = "canary0123456789"
# The time for a start or an end.
PATIENCE = 20


def of_kubernetes():
    (template,) = [d["spec"]["template"] for d in documents(text("deploy/k8s/overlays/replicas/redis.yaml")) if d["kind"] == "StatefulSet"]
    container = template["spec"]["containers"][0]
    (variable,) = [v["name"] for v in container["env"] if "secretKeyRef" in v.get("valueFrom", {})]
    return container["command"], variable


def of_compose():
    redis = documents(text("deploy/compose.replicas.yaml"))[0]["services"]["redis"]
    # As Compose passes it on.
    return [word.replace("$$", "$") for word in redis["command"]], *redis["environment"]


def ask(port, *commands):
    """Returns the answers to commands; None if the server does not listen."""
    try:
        with socket.create_connection(("127.0.0.1", port), PATIENCE) as connection:
            connection.sendall("".join(f"{command}\r\n" for command in [*commands, "QUIT"]).encode())
            return connection.makefile().read()
    except ConnectionError:
        return None


@contextmanager
def started(command, variable, data, port):
    placed = [
        word.replace("valkey-server", SERVER)
        .replace("/etc/redis/redis.conf", f"{data}/redis.conf --port {port} --bind 127.0.0.1")
        for word in command
    ]
    Path(data, "redis.conf").write_text(re.sub(r"^dir /data$", f"dir {data}", text(CONFIGURATION), flags=re.MULTILINE), encoding="utf-8")
    environment = {"PATH": os.environ["PATH"], variable: PASSWORD}
    with open(f"{data}/log", "w", encoding="utf-8") as log:
        process = subprocess.Popen(placed, env=environment, stdout=log, stderr=log, start_new_session=True)
        began = time.monotonic()
        while process.poll() is None and ask(port) is None and time.monotonic() - began < PATIENCE:
            time.sleep(0.02)
        if process.poll() is not None:
            check(False, f"Redis ends with {process.returncode}: {Path(data, 'log').read_text(encoding='utf-8')[-300:]}")
        try:
            yield
        finally:
            process.terminate()
            # The process of the shell became the server's: the signal reaches it.
            check(process.wait(PATIENCE) == 0, f"Redis ends with {process.returncode} after SIGTERM")
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


check(SERVER, "usage: redis.py ROOT REDIS_SERVER")
for where, (command, variable) in (("Kubernetes", of_kubernetes()), ("compose", of_compose())):
    with tempfile.TemporaryDirectory() as data, socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        probe.close()
        with started(command, variable, data, port):
            check("NOAUTH" in (ask(port, "PING") or ""), f"{where}: Redis needs no password")
            said = ask(port, f"AUTH {PASSWORD}", "SET kept 17", "CONFIG GET maxmemory-policy", "CONFIG GET maxmemory", "CONFIG GET appendonly") or ""
            for wanted in ("noeviction", str(256 << 20), "yes"):
                check(f"\n{wanted}\n" in said, f"{where}: Redis is not configured with {wanted}: {said!r}")
        with started(command, variable, data, port):
            check("\n17\n" in (ask(port, f"AUTH {PASSWORD}", "GET kept") or ""), f"{where}: Redis forgets at a restart")
end("Redis", 14)
