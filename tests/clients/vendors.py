"""The command-line clients of three vendors, each led by a scripted model, against the real server: they connect as
described in docs/clients.md, pass on results, errors and pictures, and continue after the server is killed between two
calls and during one.

Not a part of ./test: the clients are large, and maintained by others.

npm install --prefix FOLDER @anthropic-ai/claude-code@2.1.197 @openai/codex@0.169.0 @google/gemini-cli@0.61.0
python3 tests/clients/vendors.py PATH_OF_FUMI FOLDER/node_modules ["Claude Code" | Codex | "Gemini CLI"]...
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import pages
import scripted_model

FIXTURE = os.path.join(os.path.dirname(__file__), "..", "fixtures", "project")
# The maximum time until a client continues after its server was killed during a call, in seconds.
BACK = 3


class Server:
    """A server on one port and one state folder, to be killed and started again."""

    def __init__(self, program, root, state):
        self.command = [program, "serve", "--root", root, "--state", state, "--listen"]
        self.address = "127.0.0.1:0"
        self.process = None
        self.start()

    def start(self):
        self.process = subprocess.Popen([*self.command, self.address], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        url = self.process.stdout.readline().removeprefix("fumi listening on ").strip()
        self.address = url.removeprefix("http://").removesuffix("/mcp")
        self.url = url + "/all"

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def restart(self):
        self.kill()
        self.start()


class Client:
    """One vendor's client in a home folder of its own."""

    def __init__(self, modules, home, root):
        self.modules, self.home, self.root = modules, home, root

    def environment(self, model):
        return {
            **{name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")},
            "HOME": self.home,
            "PATH": f"{os.path.join(self.modules, '.bin')}:{os.environ['PATH']}",
            "NO_COLOR": "1",
        }

    def run(self, server, model, seconds=120):
        """Answers one question to its end; returns the client's output."""
        self.configure(server, model)
        command, environment = self.command(model), self.environment(model)
        try:
            done = subprocess.run(
                command, env=environment, cwd=self.root, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=seconds
            )
        except subprocess.TimeoutExpired as late:
            return f"not done after {seconds} s: {late.stdout} {late.stderr}"
        return done.stdout + done.stderr


class Claude(Client):
    name = "Claude Code"

    def configure(self, server, model):
        config = {"mcpServers": {"fumi": {"type": "http", "url": server.url}}}
        with open(os.path.join(self.home, "mcp.json"), "w", encoding="utf-8") as file:
            json.dump(config, file)

    def command(self, model):
        config = os.path.join(self.home, "mcp.json")
        return ["claude", "-p", "Go on.", "--mcp-config", config, "--strict-mcp-config", "--allowedTools", "mcp__fumi"]

    def environment(self, model):
        own = {"ANTHROPIC_BASE_URL": model.url, "ANTHROPIC_API_KEY": "none", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
        return {**super().environment(model), **own, "DISABLE_TELEMETRY": "1", "DISABLE_AUTOUPDATER": "1"}


class Codex(Client):
    name = "Codex"

    def configure(self, server, model):
        folder = os.path.join(self.home, ".codex")
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "config.toml"), "w", encoding="utf-8") as file:
            file.write(
                f"""model = "gpt-5"
model_provider = "scripted"
[model_providers.scripted]
name = "scripted"
base_url = "{model.url}/v1"
wire_api = "responses"
[mcp_servers.fumi]
url = "{server.url}"
default_tools_approval_mode = "approve"
"""
            )

    def command(self, model):
        return ["codex", "exec", "--skip-git-repo-check", "--sandbox", "read-only", "Go on."]


class Gemini(Client):
    name = "Gemini CLI"

    def configure(self, server, model):
        folder = os.path.join(self.home, ".gemini")
        os.makedirs(folder, exist_ok=True)
        settings = {
            "mcpServers": {"fumi": {"httpUrl": server.url, "trust": True}},
            "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
            "privacy": {"usageStatisticsEnabled": False},
        }
        with open(os.path.join(folder, "settings.json"), "w", encoding="utf-8") as file:
            json.dump(settings, file)

    def command(self, model):
        return ["gemini", "--prompt", "Go on.", "--approval-mode", "yolo", "--skip-trust"]

    def environment(self, model):
        own = {"GOOGLE_GEMINI_BASE_URL": model.url, "GEMINI_API_KEY": "none", "GEMINI_TELEMETRY_ENABLED": "false"}
        return {**super().environment(model), **own}


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
        printed = client.run(server, model)
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
        printed = client.run(server, model)
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
    for kind in (Claude, Codex, Gemini):
        if wanted and kind.name not in wanted:
            continue
        with tempfile.TemporaryDirectory() as folder:
            folder = os.path.realpath(folder)
            root, home = os.path.join(folder, "project"), os.path.join(folder, "home")
            shutil.copytree(FIXTURE, root)
            os.makedirs(home)
            server = Server(program, root, os.path.join(folder, "state"))
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
