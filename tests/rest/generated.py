"""A client of the REST routes, generated from /openapi.json by openapi-python-client, calls every tool with its example and wrong
calls. The client must expect every reply, and its parsed reply must contain all that was sent.

    python3 tests/rest/generated.py PROGRAM GENERATOR
"""

import importlib
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../clients"))

import real


class Body:
    """Raw arguments: the generated classes for bodies do not accept wrong ones."""

    def __init__(self, arguments):
        self.arguments = arguments

    def to_dict(self):
        return self.arguments


def generated(generator, url, home):
    """Makes the client as a package; returns the module of each tool's route, and the client."""
    document = url.removesuffix("/mcp/all") + "/openapi.json"
    command = [generator, "generate", "--url", document, "--output-path", f"{home}/fumi_client", "--meta", "none"]
    done = subprocess.run(command, capture_output=True, text=True)
    said = done.stdout + done.stderr
    if done.returncode or "unable to" in said.lower() or "failed to" in said.lower():
        sys.exit(f"no client can be generated:\n{said[-4000:]}")
    sys.path.insert(0, home)
    package = importlib.import_module("fumi_client")
    routes = {}
    for folder, _, names in os.walk(f"{home}/fumi_client/api"):
        for name in names:
            tag = os.path.basename(folder)
            routes[name.removesuffix(".py")] = f"fumi_client.api.{tag}.{name.removesuffix('.py')}"
    client = package.Client(base_url=url.removesuffix("/mcp/all"), raise_on_unexpected_status=True, timeout=120)
    return routes, client


def main():
    program, generator = sys.argv[1:]
    failures, calls = [], 0
    with real.Samples(program) as samples, tempfile.TemporaryDirectory() as home:
        routes, client = generated(generator, samples.url, home)

        def call(tool, arguments, may_succeed, must_fail):
            nonlocal calls
            calls += 1
            route = importlib.import_module(routes[tool])
            try:
                reply = route.sync_detailed(client=client, body=Body(arguments))
                sent, read = json.loads(reply.content), reply.parsed.to_dict()
            except Exception as error:
                return failures.append(f"{tool} {json.dumps(arguments)[:300]}: {type(error).__name__}: {str(error)[:500]}")
            if sent != read:
                lost = [name for name in sent if sent[name] != read.get(name)]
                failures.append(f"{tool} {json.dumps(arguments)[:300]}: read otherwise than sent: {lost}")
            elif (reply.status_code == 200) != may_succeed and (may_succeed or must_fail):
                failures.append(f"{tool} {json.dumps(arguments)[:300]}: {reply.status_code} {str(sent)[:300]}")
            return sent

        for tool, arguments in samples.right():
            samples.heard(call(tool, arguments, True, False) or {})
        for tool, arguments, must_fail in samples.wrong():
            call(tool, arguments, False, must_fail)
    for failure in failures[:40]:
        print(f"✗ {failure}", file=sys.stderr)
    print(f"  a generated client: {calls} calls of {len(samples.names)} tools, {len(failures)} failures")
    sys.exit(bool(failures))


main()
