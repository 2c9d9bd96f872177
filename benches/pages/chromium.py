"""A Chromium without windows, driven over the two pipes of its DevTools protocol. Standard library only."""

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import sys
import time

NAMES = ("chromium-headless-shell", "chromium", "google-chrome")
# No answer takes longer, in seconds.
PATIENCE = 60
# Gives the two pipes the numbers of the protocol, then becomes Chromium.
START = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.dup2(int(sys.argv[2]), 4)
os.execvp(sys.argv[3], sys.argv[3:])
"""


def executable():
    """Returns the path of the Chromium that fumi is configured with, else of an installed one."""
    configured = os.environ.get("FUMI__BROWSER__EXECUTABLE")
    found = next(filter(None, map(shutil.which, [configured] if configured else NAMES)), None)
    return found or sys.exit("no Chromium; install it: apt-get install chromium-headless-shell, or set FUMI__BROWSER__EXECUTABLE")


class Chromium:
    """One process with one page of a fixed size."""

    def __init__(self, profile, width, height):
        (its_input, self.output), (self.input, its_output) = os.pipe(), os.pipe()
        # Other numbers than those that START gives them.
        its_pipes = [fcntl.fcntl(pipe, fcntl.F_DUPFD, 10) for pipe in (its_input, its_output)]
        command = [executable(), "--headless=new", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe", f"--user-data-dir={profile}"]
        if os.geteuid() == 0:
            command.append("--no-sandbox")
        self.process = subprocess.Popen(
            [sys.executable, "-c", START, *map(str, its_pipes), *command, "about:blank"],
            pass_fds=its_pipes, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        for pipe in (its_input, its_output, *its_pipes):
            os.close(pipe)
        self.rest, self.calls, self.session = b"", 0, None
        page = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        self.call("Page.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def message(self):
        """Returns the next message."""
        until = time.monotonic() + PATIENCE
        while b"\0" not in self.rest:
            ready, _, _ = select.select([self.input], [], [], max(0, until - time.monotonic()))
            read = os.read(self.input, 1 << 20) if ready else b""
            if not read:
                sys.exit("Chromium ended" if ready else f"Chromium did not answer within {PATIENCE} s")
            self.rest += read
        message, _, self.rest = self.rest.partition(b"\0")
        return json.loads(message)

    def call(self, method, **parameters):
        """Calls a method, and returns its result."""
        self.calls += 1
        request = {"id": self.calls, "method": method, "params": parameters} | ({"sessionId": self.session} if self.session else {})
        sent = json.dumps(request).encode() + b"\0"
        while sent:
            sent = sent[os.write(self.output, sent):]
        while (answer := self.message()).get("id") != self.calls:
            pass
        if "error" in answer:
            sys.exit(f"Chromium refused {method}: {answer['error']['message']}")
        return answer["result"]

    def open(self, address):
        """Loads a page with everything in it."""
        went = self.call("Page.navigate", url=address)
        if "errorText" in went:
            sys.exit(f"Chromium cannot open {address}: {went['errorText']}")
        while self.message().get("method") != "Page.loadEventFired":
            pass

    def evaluate(self, expression):
        """Returns the value of an expression, or of its promise."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            sys.exit(f"a script failed in the page: {answer['exceptionDetails'].get('exception', answer['exceptionDetails'])}")
        return answer["result"].get("value")

    def picture(self):
        """Returns what the page shows, as a PNG."""
        return base64.b64decode(self.call("Page.captureScreenshot", format="png", optimizeForSpeed=True)["data"])

    def close(self):
        # Chromium ends with its pipe.
        os.close(self.output)
        self.process.wait(PATIENCE)
        os.close(self.input)
