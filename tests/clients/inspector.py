"""inspector.py legacy|modern PROGRAM COMMAND...: the MCP Inspector's command line lists every tool in one era and calls half
of them, without an error or a complaint about schemas. The two eras together call every tool.

Every call is a process of its own and takes a second: each tool gets its one example, on the committed sample project, every
eighth a wrong call, and the other two forms of results get a few tools.
"""

import json
import os
import subprocess
import sys
import tempfile

import forms
import real

# The tools that are called in the forms `text` and `structured`; one returns a picture.
FEW = ("search_content", "status", "browser_take_screenshot", "batch_execute")


class Inspector:
    """The Inspector before one server. Its own files go into a temporary folder."""

    def __init__(self, command, url, era, form, home):
        self.command, self.url, self.era, self.form = command, url, era, form
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
    """Makes one call, which must not fail, and returns its result."""
    call = ("--method", "tools/call", "--tool-name", tool, "--tool-args-json", json.dumps(arguments))
    result = inspector.ask(*call, "--format", "json")["result"]
    if found := list(forms.complaints(inspector.form, result, False)):
        sys.exit(f"{inspector.era}, {inspector.form}: {tool} {arguments}\n{found} {json.dumps(result)[:2000]}")
    return result


def refused(inspector, tool, arguments):
    """Makes one wrong call: fumi's error must appear, not the Inspector's own about its form."""
    call = ("--method", "tools/call", "--tool-name", tool, "--tool-args-json", json.dumps(arguments))
    done = inspector.run(*call, "--format", "json")
    is_ours = '"INVALID_ARGUMENTS' in done.stdout and "output schema" not in done.stdout + done.stderr
    if not is_ours or any(forms.complaints(inspector.form, json.loads(done.stdout)["result"], True)):
        sys.exit(f"{inspector.era}, {inspector.form}: {tool} {arguments}, a wrong call\n{done.stdout[:2000]}{done.stderr}")


def call_half(inspector, samples):
    """Calls every second tool, and all tools of the browser: they go on with the page of the call before."""
    half = 0 if inspector.era == "legacy" else 1
    count = 0
    for at, (tool, arguments) in enumerate(samples.right()):
        if at % 2 == half or tool.startswith("browser_"):
            samples.heard(forms.browser_session(called(inspector, tool, arguments)))
            count += 1
    for tool in samples.tools[half::8]:
        wrong = [arguments for arguments, must_fail in real.wrong(tool, samples.example(tool)) if must_fail]
        refused(inspector, tool["name"], wrong[0])
    return count


def call_few(inspector, samples):
    for tool in samples.tools:
        if tool["name"] in FEW:
            called(inspector, tool["name"], samples.example(tool))
    refused(inspector, FEW[0], {"no_such_argument": 1})
    return len(FEW)


def main():
    era, program, command = sys.argv[1], sys.argv[2], sys.argv[3:]
    with real.Samples(program) as samples, tempfile.TemporaryDirectory() as home:
        for form, query in forms.FORMS.items():
            inspector = Inspector(command, samples.url + query, era, form, home)
            listed = inspector.ask("--method", "tools/list", "--strict", "--format", "json")["result"]["tools"]
            forms.check_list(form, listed, samples.names)
            count = (call_half if form == "both" else call_few)(inspector, samples)
            print(f"  Inspector, {era} era, {form}: {len(listed)} tools listed, {count} called")


main()
