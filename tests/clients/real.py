"""Real source from outside fumi, with calls of every tool for it; and a project that changes.

The programs on the machine report the paths of the sources; fixed paths are not used. A listed tool without a call here
fails the clients: a new tool needs calls on real source.
"""

import contextlib
import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import urllib.request

import pages

LANGUAGES = {".py", ".js", ".mjs", ".ts", ".tsx", ".java", ".html", ".css", ".md"}
FILES_PER_LANGUAGE = 12
LARGEST = 2_000_000


def said(*command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return done.stdout.strip()


def roots():
    """The folders of real source on this machine: pip, npm, the Rust toolchain."""
    found = {
        "pip": said("python3", "-c", "import pip, os; print(os.path.dirname(pip.__file__))"),
        "npm": said("npm", "root", "-g"),
        "toolchain": said("rustc", "--print", "sysroot"),
    }
    found = {name: os.path.realpath(path) for name, path in found.items() if os.path.isdir(path)}
    if "pip" not in found:
        sys.exit("no real source: python3 has no pip")
    return found


def sample(root):
    """Returns some files of each language below a root, the same ones each time."""
    by_language = {}
    for folder, folders, names in os.walk(root):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(folder, name)
            language = os.path.splitext(name)[1]
            if language in LANGUAGES and not os.path.islink(path) and 0 < os.path.getsize(path) < LARGEST:
                by_language.setdefault(language, []).append(path)
    chosen = []
    for language in sorted(by_language):
        paths = by_language[language]
        largest = sorted(paths, key=os.path.getsize)[-3:]
        others = random.Random(language).sample(paths, min(len(paths), FILES_PER_LANGUAGE - 3))
        chosen += sorted(set(largest + others))
    return [os.path.relpath(path, root) for path in chosen]


def per_root(root):
    everywhere = {"roots": ["."], "hidden": True, "no_ignore": True}
    yield "set_project_path", {"project_path": root}
    yield "list_files", {**everywhere, "count_only": True}
    yield "list_files", {**everywhere, "types": ["f"], "sort": "size", "limit": 50, "absolute": False}
    yield "list_files", {"roots": ["."], "pattern": "*.py", "glob": True}
    yield "search_content", {"roots": ["."], "query": "read a file", "include_globs": ["*.py"], "ranked": True}
    for shape in ({}, {"summary_only": True}, {"group_by_file": True}, {"count_only_matches": True}, {"total_only": True}, {"optimize_paths": True}):
        yield "search_content", {**everywhere, "query": r"\berror\b", **shape}
        yield "find_and_grep", {**everywhere, "pattern": r"\.(py|js|md)$", "query": "import", **shape}
    yield "search_content", {"roots": ["."], "query": "--version", "context_before": 1, "context_after": 1}


def per_file(path, lines):
    yield "check_code_scale", {"file_path": path, "include_details": True}
    markup = path.endswith((".html", ".css"))
    for form in ("full", "compact", "csv", "json", "signatures") + (("html",) if markup else ()):
        yield "analyze_code_structure", {"file_path": path, "format_type": form}
    yield "extract_code_section", {"file_path": path, "start_line": 1, "end_line": min(lines, 40)}
    yield "query_code", {"file_path": path, "query_key": "comments"}


def truth(tool, arguments, structured, root):
    """Checks a reply without fumi. Returns a complaint, or nothing."""
    if tool == "list_files" and arguments.get("count_only"):
        count = sum(len(folders) + len(names) for _, folders, names in os.walk(root))
        own = sum(len(folders) + len(names) + 1 for _, folders, names in os.walk(os.path.join(root, ".fumi")))
        if structured["total_count"] not in (count, count - own):
            return f"counts {structured['total_count']}, os.walk {count}"
    return None


class Report:
    """Counts calls and failures; exits 1 if there was one."""

    def __init__(self, client):
        self.client, self.calls, self.failures, self.tools = client, 0, [], set()

    def add(self, tool, arguments, failed, text, structured, root):
        self.calls += 1
        self.tools.add(tool)
        shown = f"{tool} {json.dumps(arguments, ensure_ascii=False)} in {root}"
        if failed:
            self.failures.append(f"{shown}\n    {text[:400]}")
        elif not text or structured is None:
            self.failures.append(f"{shown}\n    no text or no structure")
        elif complaint := truth(tool, arguments, structured, root):
            self.failures.append(f"{shown}\n    {complaint}")

    def refused(self, tool, arguments, failed, text, structured, must_fail):
        """A wrong call: the error must arrive as fumi wrote it."""
        self.calls += 1
        code = (structured or {}).get("error", {}).get("code", "?")
        if must_fail and not (failed and text.startswith(f"{code}: ")):
            self.failures.append(f"{tool} {json.dumps(arguments, ensure_ascii=False)}, a wrong call\n    {text[:400]}")

    def error(self, tool, arguments, error, root):
        self.calls += 1
        self.failures.append(f"{tool} {json.dumps(arguments)} in {root}\n    {type(error).__name__}: {str(error)[:600]}")

    def end(self, listed):
        for name in sorted(set(listed) - self.tools):
            self.failures.append(f"{name} is listed but was never called: add it to tests/clients/real.py")
        for failure in self.failures[:40]:
            print(f"✗ {failure}", file=sys.stderr)
        print(f"  {self.client}: {self.calls} calls of {len(self.tools)} tools, {len(self.failures)} failures")
        if self.failures:
            sys.exit(1)


class Server:
    """The program under test over the real sources, on a free port; SIGTERM must end it with 0."""

    def __init__(self, program, folders):
        command = [program, "--listen", "127.0.0.1:0", "--store", "memory"]
        for folder in folders:
            command += ["--root", folder]
        self.log = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self.log, text=True)
        ready = self.process.stdout.readline()
        if not ready.startswith("fumi listening on "):
            self.log.seek(0)
            sys.exit(f"no ready line but {ready!r}: {self.log.read()}")
        # Every tool is listed there.
        self.url = ready.removeprefix("fumi listening on ").strip() + "/all"

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        self.process.terminate()
        code = self.process.wait(60)
        self.log.seek(0)
        log = self.log.read()
        self.log.close()
        self.process.stdout.close()
        if "panicked" in log:
            sys.exit(f"the server panicked:\n{log[-3000:]}")
        if code != 0 and kind is None:
            sys.exit(f"the server ended with {code}:\n{log[-3000:]}")


NOVEL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "novel")
# The session, the review and the file's hash that the tools' examples refer to.
SESSION, HASH = "session_20260131_100000_0a1b2c3d", "ba7816bf8f01"
REVIEW = "check_20260131_100000_0a1b2c3d"


class Novel:
    """A copy of the sample novel, whose first episode a host has written through all stages."""

    def __init__(self, home):
        self.root = os.path.join(os.path.realpath(home), "novel")
        shutil.copytree(NOVEL, self.root)
        with open(os.path.join(self.root, "README.md"), "rb") as file:
            self.hash = hashlib.sha256(file.read()).hexdigest()[:12]
        folder = os.path.join(self.root, "40_原稿")
        first = next(name for name in sorted(os.listdir(folder)) if name.startswith("第001話"))
        with open(os.path.join(folder, first), encoding="utf-8") as file:
            self.lines = file.read().splitlines(keepends=True)[2:]
        self.session = None
        self.review = None

    def acts(self):
        """Returns the manuscript in a quarter, a half and a quarter of its characters."""
        whole, written, acts = sum(map(len, self.lines)), 0, ["", "", ""]
        for line in self.lines:
            acts[0 if written * 4 < whole else 1 if written * 4 < whole * 3 else 2] += line
            written += len(line)
        return acts

    def answer(self, asked):
        """Returns a valid text: keys by the requested form, the manuscript by its acts."""
        form = asked["response_schema"]
        if form["type"] == "object":
            values = {"string": "梶みちるが帆待島の検潮所に着き、十二のこぶを見つけるまで。", "array": "[梶みちる, 穂刈一平, 穂刈徳次, 鯨井ふさ]"}
            return "".join(
                f"{key}: {'[]' if 'items' in value else values[value['type']]}\n" for key, value in form["properties"].items()
            )
        acts = self.acts()
        stage, turn = asked["step"].split(":")
        return acts[int(turn) - 1] if stage == "write_manuscript_draft" else "".join(acts)

    def write(self, url):
        """Writes the episode as a host does that has only the questions."""
        tool, arguments = "noveler_write", {"episode": 1, "project_root": self.root}
        while True:
            asked = self.call(url, tool, arguments)
            if asked.get("status") != "needs_text":
                assert asked["final_manuscript_path"].startswith("40_原稿/第001話"), asked
                self.session = asked["session_id"]
                begun = self.call(url, "get_check_tasks", {"episode": 1, "project_root": self.root})
                self.review = begun["session_id"]
                return
            tool = asked["submit"]["tool"]
            arguments = {**asked["submit"]["arguments"], asked["submit"]["answer"]: self.answer(asked)}

    def call(self, url, tool, arguments):
        """One call over REST."""
        request = urllib.request.Request(
            url.removesuffix("/mcp/all") + f"/v1/tools/{tool}",
            json.dumps(arguments).encode(),
            {"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=60) as reply:
            return json.load(reply)

    def example(self, tool):
        """Returns the example of a novel tool, for this novel; `None` for other tools."""
        if not tool["toolset"].startswith("novel"):
            return None
        example = json.dumps(tool["example"], ensure_ascii=False)
        for meant, own in ((SESSION, self.session), (REVIEW, self.review), (HASH, self.hash)):
            example = example.replace(meant, own)
        return {**json.loads(example), "project_root": self.root}

    def per_tool(self, program):
        for tool in json.loads(said(program, "tools", "--json")):
            if (example := self.example(tool)) is not None:
                yield tool["name"], example
        yield from self.commands()

    def commands(self):
        """Returns calls that stand for calls of other tools, whose results they return."""
        for command in ("status", "check 1", "plot 2", "write 2"):
            yield "noveler", {"command": command, "project_root": self.root}


FIXTURE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fixtures", "project")
# The placeholder for the folder of a project in the tools' examples.
ROOT = "/absolute/path/of/an/allowed/project"


class Samples:
    """The sample project, a written novel and pages for the browser, before one server of their own."""

    def __init__(self, program):
        self.program = program
        self.tools = json.loads(said(program, "tools", "--json"))
        self.names = [tool["name"] for tool in self.tools]

    def __enter__(self):
        with contextlib.ExitStack() as opened:
            home = os.path.realpath(opened.enter_context(tempfile.TemporaryDirectory()))
            self.root = os.path.join(home, "project")
            shutil.copytree(FIXTURE, self.root)
            self.novel = Novel(home)
            self.url = opened.enter_context(Server(self.program, [self.root, self.novel.root])).url
            self.web = opened.enter_context(pages.Pages())
            self.novel.write(self.url)
            self.opened = opened.pop_all()
        return self

    def __exit__(self, *failed):
        return self.opened.__exit__(*failed)

    def example(self, tool):
        return self.novel.example(tool) or json.loads(json.dumps(tool["example"]).replace(ROOT, self.root))

    def right(self):
        """A call of every tool and command that must succeed. `heard` gets each reply before the next call is made."""
        yield from self.web.calls()
        for tool in self.tools:
            if tool["toolset"] != "browser":
                yield tool["name"], self.example(tool)
        yield from self.novel.commands()

    def heard(self, structured):
        self.web.heard(structured)

    def wrong(self):
        """Wrong calls of every tool, and whether each must fail."""
        for tool in self.tools:
            for arguments, must_fail in wrong(tool, self.example(tool)):
                yield tool["name"], arguments, must_fail


def wrong(tool, example):
    """Wrong calls of a tool, made from its example, and whether each must fail: the last may be valid by chance."""
    # The last waits for a text that does not appear.
    short = {"time": 0.1} if tool["name"] == "browser_wait_for" else {}
    yield {**example, "no_such_argument": 1}, True
    yield {**example, "expectation": "short"}, True
    yield {**{name: {"of": "another type"} for name in example}, "no_such_argument": 1}, True
    changed = {name: "no such thing" if isinstance(value, str) else value for name, value in example.items()}
    yield {**changed, **short}, False


async def refuse(report, program, novel, call):
    """Makes wrong calls of every tool from its example; files of code need not be there for that. `call` returns whether one failed, its
    text and its structure."""
    for tool in json.loads(said(program, "tools", "--json")):
        name = tool["name"]
        for arguments, must_fail in wrong(tool, novel.example(tool) or tool["example"]):
            try:
                failed, text, structured = await call(name, arguments)
            except Exception as error:
                report.error(name, arguments, error, novel.root)
                continue
            report.refused(name, arguments, failed, text, structured, must_fail)


def lines_of(root, path):
    with open(os.path.join(root, path), "rb") as file:
        return max(1, file.read().count(b"\n"))


CHANGING = "code://file/changing.py"


def changing():
    """Makes a separate project, since no test changes real source. It is deleted when the returned value is."""
    folder = tempfile.TemporaryDirectory()
    change(folder, "one = 1\n")
    return folder


def change(folder, text):
    """Writes a temporary file and renames it over the other, as editors do."""
    path = os.path.join(folder.name, "changing.py")
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.write(text)
    os.rename(path + ".new", path)
