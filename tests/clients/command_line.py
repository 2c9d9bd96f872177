"""The command-line clients of three vendors, and a server for them.

Every client has a home folder of its own and asks a scripted model (scripted_model.py), so it needs no account. Its
environment is not this one's: variables that would configure a client do not reach it. What the clients do is not judged
here.
"""

import json
import os
import signal
import subprocess


class Server:
    """A server on one port and one state folder, to be killed and started again."""

    def __init__(self, program, root, state, **settings):
        self.command = [program, "serve", "--root", root, "--state", state, "--listen"]
        self.environment = {**os.environ, **settings}
        self.address = "127.0.0.1:0"
        self.process = None
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [*self.command, self.address],
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        url = self.process.stdout.readline().removeprefix("fumi listening on ").strip()
        self.address = url.removeprefix("http://").removesuffix("/mcp")
        self.url = url

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
            "HOME": self.home,
            "PATH": f"{os.path.join(self.modules, '.bin')}:{os.environ['PATH']}",
            "LANG": "C.UTF-8",
            "NO_COLOR": "1",
        }

    def run(self, url, model, seconds=120):
        """Answers one question to its end, with the server at this URL; returns the client's output."""
        self.configure(url, model)
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
    package = "@anthropic-ai/claude-code"

    def configure(self, url, model):
        config = {"mcpServers": {"fumi": {"type": "http", "url": url}}}
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
    package = "@openai/codex"
    # Codex gives tools to a model by what it knows of it; to one that it does not know, all tools with their schemas.
    model = "gpt-5"

    def configure(self, url, model):
        folder = os.path.join(self.home, ".codex")
        os.makedirs(folder, exist_ok=True)
        chosen = f'model = "{self.model}"' if self.model else ""
        with open(os.path.join(folder, "config.toml"), "w", encoding="utf-8") as file:
            file.write(
                f"""{chosen}
model_provider = "scripted"
[model_providers.scripted]
name = "scripted"
base_url = "{model.url}/v1"
wire_api = "responses"
[mcp_servers.fumi]
url = "{url}"
default_tools_approval_mode = "approve"
"""
            )

    def command(self, model):
        return ["codex", "exec", "--skip-git-repo-check", "--sandbox", "read-only", "Go on."]


class Gemini(Client):
    name = "Gemini CLI"
    package = "@google/gemini-cli"

    def configure(self, url, model):
        folder = os.path.join(self.home, ".gemini")
        os.makedirs(folder, exist_ok=True)
        settings = {
            "mcpServers": {"fumi": {"httpUrl": url, "trust": True}},
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


CLIENTS = (Claude, Codex, Gemini)
