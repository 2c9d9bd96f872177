"""Calls fumi through deploy/nginx.conf, over HTTPS: both eras, open streams, and requests that must not pass. Then two fumi,
which share a store, through deploy/nginx.replicas.conf: the same, and one of the two is shut down and one killed.

The files are used unchanged, except for the ports, the certificate and fumi's addresses. The test causes an event while the
stream is open and waits for it: a proxy that buffers would delay it until the stream ends.

    python tests/deploy/proxy.py NGINX BINARY

Standard library only.
"""

import hashlib
import http.client
import json
import os
import re
import secrets
import socket
import ssl
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
NAME = "fumi.example.com"
TOKEN = secrets.token_urlsafe(32)
URI = "code://file/changing.py"
MODERN = "2026-07-28"
SESSION = "2025-11-25"
META = {"io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {}}
# The timeout of a test that would otherwise hang.
PATIENCE = 30


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def running(command, **options):
    """A process that is ended by its own id, and must end with 0."""
    process = subprocess.Popen(command, **options)
    try:
        yield process
    finally:
        process.terminate()
        code = process.wait(60)
    assert code == 0, f"{command[0]} exits {code}"


def variables():
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("FUMI_", "PROJECT_ROOT"))}
    environment |= {
        "FUMI_TOKEN_SHA256": hashlib.sha256(TOKEN.encode()).hexdigest(),
        "FUMI__SERVER__ALLOWED_HOSTS": json.dumps([NAME]),
    }
    return environment


@contextmanager
def fumi(binary, project):
    command = [binary, "serve", "--listen", "127.0.0.1:0", "--root", project, "--store", "memory"]
    with running(command, env=variables(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        ready = re.fullmatch(r"fumi listening on http://127\.0\.0\.1:(\d+)/mcp\n", process.stdout.readline())
        assert ready, "no ready line"
        yield int(ready[1])


def replica(binary, project, state, port):
    """Starts one of several fumi, and waits until it listens."""
    environment = variables() | {
        "FUMI__SERVER__STATE_KEY": TOKEN,
        "FUMI__SERVER__REPLICA_URL": f"http://127.0.0.1:{port}",
        "FUMI__CODE__INDEX__ENABLED": "false",
    }
    command = [binary, "serve", "--listen", f"127.0.0.1:{port}", "--root", project, "--state", state, "--store", "fs"]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not listens(port):
        assert process.poll() is None, "a replica does not start"
        time.sleep(0.01)
    return process


def behind_tls(configuration, folder, backend, tls, plain):
    return placed(configuration, (
        ("server 127.0.0.1:8640;", 1, f"server 127.0.0.1:{backend};"),
        ("listen 443 ssl;", 1, f"listen 127.0.0.1:{tls} ssl;"),
        ("listen 80;", 1, f"listen 127.0.0.1:{plain};"),
        ("/etc/ssl/fumi/fullchain.pem", 1, f"{folder}/certificate.pem"),
        ("/etc/ssl/fumi/privkey.pem", 1, f"{folder}/key.pem"),
    ))


def placed(configuration, replacements):
    """Returns the configuration with this machine's ports and paths; each must occur as often as given."""
    for wanted, times, new in replacements:
        assert configuration.count(wanted) == times, f"{wanted!r} occurs {configuration.count(wanted)} times"
        configuration = configuration.replace(wanted, new)
    return configuration


@contextmanager
def nginx(program, folder, configuration, port):
    temporary = "".join(
        f"    {kind}_temp_path {folder}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    Path(folder, "site.conf").write_text(configuration, encoding="utf-8")
    Path(folder, "nginx.conf").write_text(
        # The worker of an nginx that root starts is another user, who could not read this folder.
        ("user root root;\n" if os.getuid() == 0 else "")
        + f"daemon off;\nworker_processes 1;\npid {folder}/pid;\nerror_log {folder}/error.log;\nevents {{}}\n"
        + f"http {{\n    access_log off;\n{temporary}    include {folder}/site.conf;\n}}\n",
        encoding="utf-8",
    )
    command = [program, "-p", folder, "-c", f"{folder}/nginx.conf", "-e", f"{folder}/error.log"]
    tried = subprocess.run([*command, "-t"], capture_output=True, text=True)
    assert tried.returncode == 0, f"nginx refuses the configuration: {tried.stderr}"
    with running(command) as process:
        while not listens(port):
            assert process.poll() is None, Path(folder, "error.log").read_text(encoding="utf-8")
            time.sleep(0.01)
        yield


def listens(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


class Through:
    """Requests through the proxy, each on a connection of its own."""

    def __init__(self, port, certificate=None):
        self.port, self.context = port, certificate and ssl.create_default_context(cafile=certificate)

    def send(self, method, path, body=None, headers=None, token=TOKEN, host=NAME):
        plain = socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)
        connection = http.client.HTTPConnection(NAME)
        connection.sock = self.context.wrap_socket(plain, server_hostname=NAME) if self.context else plain
        sent = {"Host": host, "Accept": "application/json, text/event-stream", **(headers or {})}
        if token:
            sent["Authorization"] = f"Bearer {token}"
        if body is not None:
            sent["Content-Type"] = "application/json"
            body = json.dumps(body)
        connection.request(method, path, body, sent)
        return connection.getresponse()

    def session(self, message, session=None):
        headers = {"Mcp-Session-Id": session, "MCP-Protocol-Version": SESSION} if session else {}
        return self.send("POST", "/mcp", {"jsonrpc": "2.0", **message}, headers)

    def modern(self, method, name, parameters):
        headers = {"MCP-Protocol-Version": MODERN, "Mcp-Method": method} | ({"Mcp-Name": name} if name else {})
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**parameters, "_meta": META}}
        return self.send("POST", "/mcp", message, headers)


def events(answer):
    """The messages of an event stream, as they come. Comments and empty events only keep it alive, and are skipped."""
    assert answer.status == 200, f"{answer.status}: {answer.read()[:300]}"
    if answer.headers["Content-Type"] == "application/json":
        yield json.load(answer)
        return
    for line in iter(answer.readline, b""):
        if line.startswith(b"data:") and line[5:].strip():
            yield json.loads(line[5:])


def result(answer):
    return next(message["result"] for message in events(answer) if "result" in message)


def change(project, text):
    Path(project, "changing.py").write_text(text, encoding="utf-8")


CALL = {"name": "search_content", "arguments": {"query": "one", "files": ["changing.py"], "total_only": True}}


def opened(proxy):
    """Begins a session."""
    hello = {"protocolVersion": SESSION, "capabilities": {}, "clientInfo": {"name": "proxy", "version": "1"}}
    answer = proxy.session({"id": 1, "method": "initialize", "params": hello})
    session = answer.headers["Mcp-Session-Id"]
    assert session, f"{answer.status} and no session for initialize: {answer.read()[:300]}"
    assert result(answer)["serverInfo"]["name"] == "fumi"
    proxy.session({"method": "notifications/initialized"}, session).read()
    return session


def session_era(proxy, project):
    change(project, "one = 1\n")
    session = opened(proxy)
    found = result(proxy.session({"id": 2, "method": "tools/call", "params": CALL}, session))
    assert found["structuredContent"] == {"total_matches": 1}, found
    result(proxy.session({"id": 3, "method": "resources/subscribe", "params": {"uri": URI}}, session))
    stream = proxy.send("GET", "/mcp", headers={"Mcp-Session-Id": session, "MCP-Protocol-Version": SESSION, "Accept": "text/event-stream"})
    heard = events(stream)
    for text in ("two = 2\n", "three = 3\n"):
        change(project, text)
        message = next(heard)
        assert message["method"] == "notifications/resources/updated", message
        assert message["params"]["uri"] == URI, message
    ended = proxy.send("DELETE", "/mcp", headers={"Mcp-Session-Id": session, "MCP-Protocol-Version": SESSION})
    assert 200 <= ended.status < 300, ended.status
    gone = proxy.session({"id": 4, "method": "tools/list"}, session)
    assert gone.status == 404, f"{gone.status} for a session that has ended"


def stateless_era(proxy, project):
    change(project, "one = 1\n")
    found = result(proxy.modern("tools/call", CALL["name"], CALL))
    assert found["structuredContent"] == {"total_matches": 1}, found
    heard = events(proxy.modern("subscriptions/listen", None, {"notifications": {"resourceSubscriptions": [URI]}}))
    confirmed = next(heard)
    assert confirmed["method"] == "notifications/subscriptions/acknowledged", confirmed
    change(project, "four = 4\n")
    message = next(heard)
    assert message["method"] == "notifications/resources/updated", message


def refused(proxy):
    """Requests that must not pass, and the component that refuses them."""
    for token in (None, TOKEN + "x"):
        answer = proxy.send("POST", "/mcp", {}, token=token)
        assert answer.status == 401 and answer.headers["WWW-Authenticate"], f"{answer.status} without the token"
    foreign = proxy.send("GET", "/livez", host="evil.example.com")
    assert foreign.status == 403, f"{foreign.status} for a name that fumi does not know"
    metrics = proxy.send("GET", "/metrics")
    assert metrics.status == 404, f"{metrics.status} for /metrics"
    # More than nginx takes by default, less than fumi does: fumi must be the one to answer.
    large = {**CALL, "arguments": {**CALL["arguments"], "query": "x" * 3_000_000}}
    answer = proxy.modern("tools/call", CALL["name"], large)
    assert answer.status != 413, "nginx refuses a body that fumi takes"


def redirected(plain):
    connection = http.client.HTTPConnection("127.0.0.1", plain, timeout=PATIENCE)
    connection.request("POST", "/mcp", "{}", {"Host": NAME})
    answer = connection.getresponse()
    assert (answer.status, answer.headers["Location"]) == (308, f"https://{NAME}/mcp"), answer.status


def idle(configuration):
    """Streams may be silent for an hour and more. Waiting for that would take as long, so the file is read instead."""
    for timeout in ("proxy_read_timeout", "proxy_send_timeout"):
        hours = re.search(rf"^\s*{timeout} (\d+)h;$", configuration, re.MULTILINE)
        assert hours and int(hours[1]) >= 1, f"{timeout} cuts idle streams"


def single(program, binary, project, folder):
    configuration = (ROOT / "deploy/nginx.conf").read_text(encoding="utf-8")
    idle(configuration)
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", f"/CN={NAME}"]
        + ["-addext", f"subjectAltName=DNS:{NAME}", "-keyout", f"{folder}/key.pem", "-out", f"{folder}/certificate.pem"],
        check=True,
        capture_output=True,
    )
    tls, plain = free_port(), free_port()
    with fumi(binary, project) as backend:
        with nginx(program, folder, behind_tls(configuration, folder, backend, tls, plain), tls):
            proxy = Through(tls, f"{folder}/certificate.pem")
            session_era(proxy, project)
            stateless_era(proxy, project)
            refused(proxy)
            redirected(plain)


def replicas(program, binary, project, folder):
    """Sessions through two replicas, of which nginx sends each request to the next; then without one of them."""
    configuration = (ROOT / "deploy/nginx.replicas.conf").read_text(encoding="utf-8")
    idle(configuration)
    port, ports = free_port(), [free_port(), free_port()]
    configuration = placed(configuration, (
        ("listen 8640;", 1, f"listen 127.0.0.1:{port};"),
        # An older nginx does not know `resolve`.
        ("server fumi-1:8640 resolve ", 1, f"server 127.0.0.1:{ports[0]} "),
        ("server fumi-2:8640 resolve ", 1, f"server 127.0.0.1:{ports[1]} "),
    ))
    state = f"{folder}/state"
    os.mkdir(state)
    started = [replica(binary, project, state, number) for number in ports]
    try:
        with nginx(program, folder, configuration, port):
            proxy = Through(port)
            session_era(proxy, project)
            stateless_era(proxy, project)
            refused(proxy)
            sessions = []
            for _ in range(4):
                sessions.append(opened(proxy))
                # `opened` sends two requests: without a third all sessions would begin in the same replica.
                proxy.send("GET", "/livez").read()
            assert all(sessions_of(number) > 0 for number in ports), "one replica has all sessions"
            change(project, "one = 1\n")
            # Both ways to end: on SIGTERM nothing is lost and nothing waits; a killed one is missed after ten seconds.
            started[0].terminate()
            assert started[0].wait(60) == 0, "a replica does not end"
            continued(proxy, sessions)
            started[0] = replica(binary, project, state, ports[0])
            started[1].kill()
            started[1].wait()
            continued(proxy, sessions)
    finally:
        for process in started:
            process.kill()
            process.wait()


def sessions_of(port):
    """Returns the number of sessions that live in a replica."""
    metrics = Through(port).send("GET", "/metrics", host="127.0.0.1").read().decode()
    return sum(float(line.split()[-1]) for line in metrics.splitlines() if re.match(r"fumi_sessions[ {]", line))


def continued(proxy, sessions):
    for number in range(2):
        for session in sessions:
            found = result(proxy.session({"id": 10 + number, "method": "tools/call", "params": CALL}, session))
            assert found["structuredContent"] == {"total_matches": 1}, found


def main():
    program, binary = sys.argv[1:3]
    for test in (single, replicas):
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as project:
            change(project, "one = 1\n")
            test(program, binary, project, folder)
    print("  nginx: both eras, two streams, and what must not pass; the same with two replicas, and without one of them")


main()
