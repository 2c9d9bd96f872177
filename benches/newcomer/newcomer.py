#!/usr/bin/env python3
"""Times a newcomer's path in a fresh home and clone, and the page of the server in Chromium.

    newcomer.py PROGRAM PYTHON            with a built program, then built in the clone as the README says; and the page
    newcomer.py PROGRAM PYTHON prebuilt   with a built program alone, and the page

PYTHON is an interpreter with fastmcp, which is the client: it reads the file that `fumi connect` wrote. Downloads of cargo are
used again. Standard library only (Python 3.11).
"""
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
URL = "http://127.0.0.1:8640/mcp"
# The bars of time with a built program and of the first paint, in seconds and milliseconds, and of the page in bytes.
SECONDS, PAINT, BYTES = 30, 200, 100_000
LOADS = 9

# The client: it connects as the file says, and calls a tool.
CLIENT = """
import asyncio, json, sys
from fastmcp import Client
async def main():
    async with Client(json.load(open(sys.argv[1]))) as client:
        for name, arguments in json.loads(sys.argv[2]):
            answer = await client.call_tool(name, arguments)
            print(json.dumps(answer.structured_content))
asyncio.run(main())
"""
QUESTION = [["extract_code_section", {"file_path": "src/code/size.rs", "element": "SizeFilter"}]]
# The time from the navigation to the first paint, in milliseconds.
PAINTED = """() => new Promise(done => new PerformanceObserver(seen => {
    for (const paint of seen.getEntriesByName('first-contentful-paint')) done(paint.startTime);
}).observe({type: 'paint', buffered: true}))"""


def fresh_environment(home):
    """Returns the environment of a person who has Rust and nothing of fumi."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("FUMI", "XDG_", "CARGO_TARGET"))}
    rust = {name: os.environ.get(name, str(Path.home() / folder)) for name, folder in (("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup"))}
    return kept | rust | {"HOME": str(home)}


def walk(command, python, clone, home):
    """Walks the path with a command that serves the clone. Returns the steps with their seconds, and the page's figures."""
    environment, steps = fresh_environment(home), []

    def timed(step, work):
        began = time.monotonic()
        result = work()
        steps.append((step, time.monotonic() - began))
        return result

    def run(*arguments):
        done = subprocess.run(arguments, cwd=clone, env=environment, capture_output=True, text=True, timeout=120)
        if done.returncode != 0:
            sys.exit(f"{' '.join(map(str, arguments))} failed:\n{done.stdout}{done.stderr}")
        return done.stdout

    with open(home / "server.log", "w") as log:
        server = subprocess.Popen(command, cwd=clone, env=environment, stdout=subprocess.PIPE, stderr=log, text=True, start_new_session=True)
    try:
        ready = timed(" ".join(Path(part).name for part in command), server.stdout.readline)
        if ready.strip() != f"fumi listening on {URL}":
            sys.exit(f"the server is not ready: {ready!r}\n{(home / 'server.log').read_text()[-2000:]}")
        program = command[0] if command[0] != "cargo" else str(clone / "target/release/fumi")
        timed("fumi connect claude-code --project", lambda: run(program, "connect", "claude-code", "--project"))
        answer = timed("first answer", lambda: run(python, "-c", CLIENT, clone / ".mcp.json", json.dumps(QUESTION)))
        if "AtLeast(u64)" not in answer:
            sys.exit(f"not the source that was asked for: {answer}")
        timed("fumi doctor", lambda: run(program, "doctor"))
        load = ["browser_batch_execute", {"steps": [
            {"tool": "browser_navigate", "arguments": {"url": "http://127.0.0.1:8640/"}},
            {"tool": "browser_evaluate", "arguments": {"function": PAINTED}},
        ]}]
        answers = run(python, "-c", CLIENT, clone / ".mcp.json", json.dumps([load] * LOADS)).splitlines()
        paints = sorted(json.loads(answer)["steps"][1]["result"]["result"] for answer in answers)
        size = len(subprocess.run(["curl", "-sS", "http://127.0.0.1:8640/"], capture_output=True, check=True).stdout)
        return steps, paints, size
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait(30)


def show(title, steps):
    print(f"{title}: {sum(seconds for _, seconds in steps):.2f} s")
    for step, seconds in steps:
        print(f"  {seconds:7.2f} s  {step}")


def main():
    program, python, *only = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        clone, home, bin_folder = folder / "clone", folder / "home", folder / "bin"
        home.mkdir()
        bin_folder.mkdir()
        subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
        steps, paints, size = walk([shutil.copy(program, bin_folder)], python, clone, home)
        show(f"With a built program (bar {SECONDS} s)", steps)
        print(f"First paint of {LOADS} loads: median {statistics.median(paints):.0f} ms, longest {paints[-1]:.0f} ms (bar {PAINT} ms)")
        print(f"Size of the page: {size:,} bytes (bar {BYTES:,})")
        if only != ["prebuilt"]:
            (clone / ".mcp.json").unlink()
            shutil.rmtree(home)
            home.mkdir()
            steps, _, _ = walk(["cargo", "run", "--quiet", "--release"], python, clone, home)
            show("From the sources", steps)


main()
