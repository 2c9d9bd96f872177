"""Runs the commands of the documents as on a terminal, in a folder with the sample files of the repository.

Addresses, paths of this machine and random names are replaced in what they print, so that equal runs print the same.
"""

import functools
import http.server
import os
import pty
import re
import shutil
import socket
import subprocess
import tempfile
import threading
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SAMPLES = ("examples", "src/code/size.rs")
# The addresses in the documents, for which free ports are taken: of fumi, and of the sample pages.
FUMI, PAGES = "127.0.0.1:8640", "127.0.0.1:8000"
COLUMNS = 100
ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
VARYING = [
    (re.compile(r"\bb_[a-z2-7]{16}\b"), "b_7f3kq2m5x4na6wce"),
    (re.compile(r"\b(check|session)_\d{8}_\d{6}_[0-9a-f]{8}\b"), r"\1_20260131_100000_0a1b2c3d"),
]


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files without a log."""

    def log_message(self, *_):
        pass


class Terminal:
    """A terminal in a folder with the sample files."""

    def __init__(self, program, home, pages, language):
        self.folder, self.home, self.server = home / "fumi", home, None
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            address = f"127.0.0.1:{free.getsockname()[1]}"
        self.shown = {pages: PAGES, address: FUMI}
        for sample in SAMPLES:
            source, copy = ROOT / sample, self.folder / sample
            copy.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                # Without what tools wrote beside the originals.
                shutil.copytree(source, copy, ignore=shutil.ignore_patterns(".fumi", ".noveler", "90_*"))
            else:
                shutil.copy2(source, copy)
        (home / "bin").mkdir()
        (home / "bin/fumi").symlink_to(program)
        own = {name: value for name, value in os.environ.items() if not name.startswith(("FUMI", "XDG_", "PROJECT_ROOT"))}
        self.environment = own | {
            "HOME": str(home),
            "PATH": f"{home / 'bin'}:{os.environ['PATH']}",
            "LANG": {"en": "C.UTF-8", "ja": "ja_JP.UTF-8"}[language],
            "TERM": "xterm",
            "FUMI__SERVER__LISTEN": address,
        }

    def run(self, command):
        """Returns what a command prints on a terminal. Standard error, where progress and the log are, is shown if it fails."""
        for real, shown in self.shown.items():
            command = command.replace(shown, real)
        main, side = pty.openpty()
        # The size of the terminal is set before the command asks for it.
        shell = f"stty cols {COLUMNS} rows 50 -echo -onlcr; {command}"
        errors = tempfile.TemporaryFile()
        running = subprocess.Popen(
            ["bash", "-c", shell], cwd=self.folder, env=self.environment, stdin=side, stdout=side, stderr=errors
        )
        os.close(side)
        printed = b""
        while True:
            try:
                chunk = os.read(main, 65536)
            except OSError:
                break
            if not chunk:
                break
            printed += chunk
        os.close(main)
        if running.wait(60) != 0:
            errors.seek(0)
            raise SystemExit(f"{command} failed:\n{printed.decode()}{errors.read().decode()}")
        return self.steady(printed.decode())

    def serve(self):
        """Starts a server, and returns its ready line."""
        self.server = subprocess.Popen(
            [self.home / "bin/fumi", "serve"], cwd=self.folder, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )  # fmt: skip
        return self.steady(self.server.stdout.readline())

    def steady(self, text):
        text = ESCAPE.sub("", text).replace("\r", "").replace(str(self.home), "~")
        for real, shown in self.shown.items():
            text = text.replace(real, shown)
        for varying, steady in VARYING:
            text = varying.sub(steady, text)
        return text


@contextmanager
def terminal(program, language="en"):
    """A terminal in a new folder with the sample files, in a language; the sample pages are served meanwhile."""
    handler = functools.partial(Quiet, directory=ROOT / "examples/token-optimization/pages")
    pages = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=pages.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as home:
        opened = Terminal(program, Path(home).resolve(), f"127.0.0.1:{pages.server_port}", language)
        try:
            yield opened
        finally:
            if opened.server:
                opened.server.terminate()
                opened.server.wait(60)
            pages.shutdown()
