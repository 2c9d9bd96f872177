"""Idle: sessions with a silent event stream each, some of them subscribed to a file, without other calls."""

import http.client
import tempfile
import time

from server import Server, mcp_headers

STREAMS, SUBSCRIPTIONS = 100, 20
# The share of one core that idle sessions may use.
BAR = 0.01
# The default of keep_alive_seconds (config/): faults of old streams appear after it.
SETTLE = 80


def run(program, seconds, _seed):
    settle = min(SETTLE, seconds)
    with tempfile.TemporaryDirectory() as root:
        with open(f"{root}/README.md", "w") as file:
            file.write("# Silent\n")
        with Server(program, root) as server:
            kept = []
            for n in range(STREAMS):
                session = server.session()
                if n < SUBSCRIPTIONS:
                    server.mcp("resources/subscribe", {"uri": "code://file/README.md"}, session)
                stream = http.client.HTTPConnection(server.address)
                stream.request("GET", "/mcp/all", headers=mcp_headers(session))
                reply = stream.getresponse()
                assert reply.status == 200, reply.status
                kept.append((stream, reply))
            time.sleep(settle)
            used, began = server.cpu(), time.monotonic()
            time.sleep(seconds)
            share = (server.cpu() - used) / (time.monotonic() - began)
    faults = [] if share < BAR else [f"silence costs {share:.2%} of a core"]
    return [("streams, subscriptions", f"{STREAMS}, {SUBSCRIPTIONS}"), ("processor", f"{share:.3%} of a core")], faults
