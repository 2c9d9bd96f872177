"""The MCP Inspector's command line lists and calls every tool, in both eras, without an error or a complaint about
schemas.

Every call is a process of its own, so each tool gets its one example, on the committed sample project.
"""

import json
import os
import subprocess
import sys
import tempfile

import real


class Inspector:
    """The Inspector before one server. Its own files go into a temporary folder."""

    def __init__(self, command, url, era, home):
        self.command, self.url, self.era = command, url, era
        self.environment = {**os.environ, "HOME": home}

    def run(self, *arguments):
        command = [*self.command, "--cli", "--server-url", self.url, "--transport", "http", "--protocol-era", self.era]
        return subprocess.run([*command, *arguments], capture_output=True, text=True, env=self.environment, timeout=60)

    def ask(self, *arguments):
        done = self.run(*arguments)
        if done.returncode != 0:
            sys.exit(f"{self.era}: {' '.join(arguments)}\n{done.stdout}{done.stderr}")
        # Complaints go to standard error, with exit 0 if the Inspector does not treat them as errors.
        if done.stderr.strip():
            sys.exit(f"{self.era}: {' '.join(arguments)} says\n{done.stderr}")
        return json.loads(done.stdout)


def called(inspector, tool, arguments):
    """Makes one call, which must not fail, and returns the structure of its reply."""
    call = ("--method", "tools/call", "--tool-name", tool, "--tool-args-json", arguments)
    result = inspector.ask(*call, "--format", "json")
    result = result.get("result", result)
    if result.get("isError") or not result.get("structuredContent") or not result.get("content"):
        sys.exit(f"{inspector.era}: {tool} {arguments}\n{json.dumps(result)[:2000]}")
    return result["structuredContent"]


def refused(inspector, tool, arguments):
    """Makes one wrong call: fumi's error must appear, not the Inspector's own about its form."""
    call = ("--method", "tools/call", "--tool-name", tool, "--tool-args-json", json.dumps(arguments))
    done = inspector.run(*call, "--format", "json")
    if '"INVALID_ARGUMENTS' not in done.stdout or "output schema" in done.stdout + done.stderr:
        sys.exit(f"{inspector.era}: {tool} {arguments}, a wrong call\n{done.stdout[:2000]}{done.stderr}")


def main():
    program, command = sys.argv[1], sys.argv[2:]
    for era in ("legacy", "modern"):
        with real.Samples(program) as samples, tempfile.TemporaryDirectory() as home:
            inspector = Inspector(command, samples.url, era, home)
            listed = inspector.ask("--method", "tools/list", "--strict", "--format", "json")
            listed = listed.get("result", listed)["tools"]
            assert [tool["name"] for tool in listed] == samples.names, listed
            for tool, arguments in samples.right():
                samples.heard(called(inspector, tool, json.dumps(arguments)))
            # A process for each call takes long: of the three wrong calls of a tool, two in one era and one in the
            # other.
            for at, tool in enumerate(samples.tools):
                wrong = [arguments for arguments, must_fail in real.wrong(samples.example(tool)) if must_fail]
                for arguments in wrong[:2] if (era == "modern") == (at % 2) else wrong[2:]:
                    refused(inspector, tool["name"], arguments)
        print(f"  Inspector, {era} era: {len(samples.names)} tools listed and called")


main()
