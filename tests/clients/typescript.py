"""Both lines of the official TypeScript SDK list and call every tool, in each era that they speak: every example must
be answered, and every wrong call must return fumi's error, not a complaint of the SDK about its form."""

import json
import os
import subprocess
import sys

import real

SCRIPT = os.path.join(os.path.dirname(__file__), "typescript.mjs")


class Client:
    """A process of Node with one client."""

    def __init__(self, node, modules, url, *kind):
        command = [node, SCRIPT, modules, url, *kind]
        self.name = " ".join(kind)
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.listed = self.read()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(60)

    def read(self):
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"{self.name}: the client ended with {self.process.wait(60)}")
        return json.loads(line)

    def call(self, tool, arguments):
        self.process.stdin.write(json.dumps({"tool": tool, "arguments": arguments}) + "\n")
        self.process.stdin.flush()
        return self.read()


class Judge:
    """Counts the results of one client's calls."""

    def __init__(self, client):
        self.client, self.failures, self.calls = client, [], 0

    def answered(self, tool, arguments):
        """Makes a right call. Returns the structure of its result."""
        told = self.client.call(tool, arguments)
        self.calls += 1
        result = told.get("result", {})
        structure = result.get("structuredContent")
        if result.get("isError") or not structure or not result.get("content"):
            self.failures.append(f"{tool} {json.dumps(arguments)[:300]}\n    {json.dumps(told)[:600]}")
        return structure or {}

    def refused(self, tool, arguments, must_fail):
        """Makes a wrong call."""
        told = self.client.call(tool, arguments)
        self.calls += 1
        result = told.get("result", {})
        error = (result.get("structuredContent") or {}).get("error", {})
        is_error = result.get("isError") and error.get("code") and result["content"][0]["text"].startswith(error["code"])
        if "thrown" in told or (must_fail and not is_error):
            self.failures.append(f"{tool} {json.dumps(arguments)[:300]}\n    {json.dumps(told)[:600]}")


def main():
    program, node, modules = sys.argv[1:]
    failed = False
    for kind in (("sdk",), ("client", "legacy"), ("client", "2026-07-28")):
        with real.Samples(program) as samples, Client(node, modules, samples.url, *kind) as client:
            assert client.listed == samples.names, client.listed
            judge = Judge(client)
            for tool, arguments in samples.right():
                samples.heard(judge.answered(tool, arguments))
            for tool, arguments in real.per_root(samples.root):
                judge.answered(tool, arguments)
            for tool, arguments, must_fail in samples.wrong():
                judge.refused(tool, arguments, must_fail)
        for failure in judge.failures[:20]:
            print(f"✗ {client.name}: {failure}", file=sys.stderr)
        print(f"  {client.name}: {judge.calls} calls of {len(samples.names)} tools, {len(judge.failures)} failures")
        failed |= bool(judge.failures)
    sys.exit(failed)


main()
