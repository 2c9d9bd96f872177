"""The command-line clients of three vendors, each led by a scripted model, against the real server: they connect as
described in docs/clients.md, pass on results, errors and pictures, and continue after the server is killed between two
calls and during one.

Not a part of ./test: the clients are large, and maintained by others. `./bench clients` installs them, and measures what
they pass on.

python3 tests/clients/vendors.py PATH_OF_FUMI ~/.cache/fumi/clients/node_modules ["Claude Code" | Codex | "Gemini CLI"]...
"""

import json
import os
import shutil
import sys
import tempfile
import threading
import time

import command_line
import pages
import scripted_model

FIXTURE = os.path.join(os.path.dirname(__file__), "..", "fixtures", "project")
# The maximum time until a client continues after its server was killed during a call, in seconds.
BACK = 3


def texts(result):
    return "\n".join(result["texts"]) if result else ""


def whole(client, server, web):
    """A result, an error, a picture, and a call after the server was killed between two calls."""
    calls = [
        ("search_content", {"query": "def main", "roots": ["src"]}),
        ("check_code_scale", {"file_path": "no/such/file.py"}),
        ("browser_navigate", {"url": web.url}),
        ("browser_take_screenshot", {"type": "jpeg"}),
        server.restart,
        ("list_files", {"roots": ["src"], "count_only": True}),
    ]
    # In a script Codex shows each part of a result, pictures too.
    show = "for (const part of r.content ?? []) part.type === 'image' ? image(part) : text(part);\nif (r.structuredContent) text(r.structuredContent)"
    with scripted_model.Model(calls, show=show) as model:
        printed = client.run(server.url + "/all", model)
        results = {result["tool"]: result for result in model.results()}
    wanted = {
        "search_content": lambda result: "main.py" in texts(result),
        "check_code_scale": lambda result: "FILE_NOT_FOUND" in texts(result),
        "browser_navigate": lambda result: "Everything" in texts(result),
        "browser_take_screenshot": lambda result: result and result["images"],
        "list_files": lambda result: result and texts(result) and "error" not in texts(result).lower(),
    }
    for tool, is_right in wanted.items():
        if not is_right(results.get(tool)):
            yield f"{tool}: {json.dumps(results.get(tool), ensure_ascii=False)[:700]}"
    if len(results) < len(wanted):
        yield f"printed: {printed[:700]} … {printed[-700:]}"


def killed(client, server, web):
    """The server is killed during a call and started again: the client must continue soon, with an error."""
    opening = ("browser_navigate", {"url": web.url})
    slow = ("browser_wait_for", {"time": 25})
    last = ("list_files", {"roots": ["src"], "count_only": True})
    began = threading.Event()
    freed = []

    def kill_in_the_middle():
        began.wait(100)
        time.sleep(1)
        server.restart()
        freed.append(time.monotonic())

    killer = threading.Thread(target=kill_in_the_middle)
    killer.start()
    ends = []
    with scripted_model.Model([opening, began.set, slow, lambda: ends.append(time.monotonic()), last]) as model:
        printed = client.run(server.url + "/all", model)
        results = model.results()
    began.set()
    killer.join()
    if len(results) < 3 or not freed:
        yield f"killed in a call: {len(results)} results; printed: {printed[:700]} … {printed[-700:]}"
    elif ends[0] - freed[0] > BACK:
        yield f"killed in a call: went on after {ends[0] - freed[0]:.1f} s"
    else:
        print(f"  {client.name}: went on {ends[0] - freed[0]:.1f} s after the restart: {texts(results[1])[:100]!r}")


def main():
    program, modules = map(os.path.abspath, sys.argv[1:3])
    wanted = sys.argv[3:]
    failed = False
    for kind in command_line.CLIENTS:
        if wanted and kind.name not in wanted:
            continue
        with tempfile.TemporaryDirectory() as folder:
            folder = os.path.realpath(folder)
            root, home = os.path.join(folder, "project"), os.path.join(folder, "home")
            shutil.copytree(FIXTURE, root)
            os.makedirs(home)
            server = command_line.Server(program, root, os.path.join(folder, "state"))
            try:
                with pages.Pages() as web:
                    client = kind(modules, home, root)
                    faults = [*whole(client, server, web), *killed(client, server, web)]
            finally:
                server.kill()
        for fault in faults:
            print(f"✗ {kind.name}: {fault}", file=sys.stderr)
        print(f"  {kind.name}: {'failed' if faults else 'passed'}")
        failed |= bool(faults)
    sys.exit(failed)


main()
