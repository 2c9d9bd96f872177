"""Both lines of the official TypeScript SDK list and call every tool, in each era that they speak and in each form of
results: every example must be answered, and every wrong call must return fumi's error, not a complaint of the SDK about
its form."""

import asyncio
import json
import os
import subprocess
import sys

import forms
import real

SCRIPT = os.path.join(os.path.dirname(__file__), "typescript.mjs")


class Client:
    """A process of Node with one client."""

    def __init__(self, node, modules, url, *kind):
        command = [node, SCRIPT, modules, url, *kind]
        self.name = " ".join(kind)
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.tools = self.read()

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

    async def call(self, tool, arguments):
        """Makes one call and returns its result. It raises what the SDK throws."""
        self.process.stdin.write(json.dumps({"tool": tool, "arguments": arguments}) + "\n")
        self.process.stdin.flush()
        told = self.read()
        if "thrown" in told:
            raise RuntimeError(told["thrown"])
        return told["result"]


async def main():
    program, node, modules = sys.argv[1:]
    failed = False
    for kind in (("sdk",), ("client", "legacy"), ("client", "2026-07-28")):
        with real.Samples(program) as samples:
            for form, query in forms.FORMS.items():
                with Client(node, modules, samples.url + query, *kind) as client:
                    failed |= await forms.check(client.name, samples, form, client.tools, client.call)
    return failed


sys.exit(asyncio.run(main()))
