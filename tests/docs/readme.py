#!/usr/bin/env python3
"""Tests the statements of README.md, README.ja.md, docs/clients.md, docs/novel.md and docs/novel-checks.md in both
languages.

Every JSON and TOML block parses, and fumi accepts those that are its own configuration; `fumi novel new` is run; every
URL in them and in the text answers when fumi runs as the README says; a block that starts fumi over standard input and
output does so; each `curl` prints the block that follows it, byte for byte apart from `fumi/elapsed_ms`, `fumi/index`
and the random names of streams; every link has a target, also to a heading; every file of the code map exists;
docs/regenerate and docs/tour change no file; the pages that it makes besides, which git ignores, have every tool, check, error, key and
requirement; and the book has every page of docs/ and of those, and builds, and its links lead somewhere.

    FUMI_BIN=target/release/fumi tests/docs/readme.py

Standard library only (Python 3.11). It needs port 8640, because that is the port that the documents name.
"""

import json
import os
import re
import shlex
import socket
import subprocess
import sys
import tempfile
import tomllib
import urllib.error
import urllib.request
from contextlib import contextmanager
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

ROOT = Path(__file__).resolve().parent.parent.parent
PAGES = [
    "README.md",
    "README.ja.md",
    "docs/clients.md",
    "docs/novel.md",
    "docs/novel.ja.md",
    "docs/novel-checks.md",
    "docs/novel-checks.ja.md",
]
# The folder in which docs/regenerate makes the pages that are not committed.
GENERATED = "docs/generated"
BOOKS = ("docs/SUMMARY.md", "docs/SUMMARY.ja.md")
ADDRESS = "127.0.0.1:8640"
READY = f"fumi listening on http://{ADDRESS}/mcp"
MODERN = "2026-07-28"
META = {"io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {}}
# The parts that differ from run to run: milliseconds, how much of the index there is, and the random name of a stream in
# the ids of its events.
VARYING = re.compile(r'("fumi/elapsed_ms":)\d+|("fumi/index":")\w+|(?m:^(id: \d+/))[0-9a-f]{16}(?=/)')

failures = []
done = {}


def check(holds, what, kind):
    done[kind] = done.get(kind, 0) + 1
    if not holds:
        failures.append(what)


def binary():
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    path = Path(os.environ.get("FUMI_BIN", target / "release/fumi")).resolve()
    if not path.is_file():
        sys.exit(f"{path} does not exist; build it with cargo build --release, or set FUMI_BIN")
    return str(path)


# The user's own state is not touched.
STATE = tempfile.TemporaryDirectory()


def environment():
    own = {name: value for name, value in os.environ.items() if not name.startswith(("FUMI_", "PROJECT_ROOT"))}
    return own | {"XDG_STATE_HOME": STATE.name}


@contextmanager
def server():
    """fumi in this repository, started as the README says: without an argument."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", 8640))
        except OSError as error:
            sys.exit(f"port 8640 is taken ({error}); end what listens there: the documents are checked on that port")
    running = subprocess.Popen(
        [binary()], cwd=ROOT, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        ready = running.stdout.readline().rstrip("\n")
        if ready != READY:
            sys.exit(f"fumi printed {ready!r}, not {READY!r}")
        yield
    finally:
        running.terminate()
        code = running.wait(60)
        check(code == 0, f"after SIGTERM fumi exited {code}, not 0", "server")


def blocks(text):
    """The fenced blocks of a page: language, line and content."""
    found = re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [(match[1], text.count("\n", 0, match.start()) + 1, match[2]) for match in found]


def inline_configurations(text):
    """The JSON objects in the cells of a page's tables of clients."""
    return re.findall(r'^\| .* \| `(\{"(?:mcpServers|servers)".*\})` \|$', text, re.MULTILINE)


def parsed(language, content):
    return json.loads(content) if language == "json" else tomllib.loads(content)


def tables(value):
    """Returns every object inside a parsed block."""
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else []:
        yield from tables(inner)


def discovers(url):
    """True if fumi answers at an MCP address."""
    body = {"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": META}}
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": MODERN,
        "Mcp-Method": "server/discover",
    }
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=30) as answer:
        events = [line[5:] for line in answer.read().decode().splitlines() if line.startswith("data:")]
    return MODERN in json.loads(events[-1])["result"]["supportedVersions"]


def answers(url):
    try:
        if re.search(r"/mcp(/|$)", url.split("?")[0]):
            return discovers(url)
        with urllib.request.urlopen(url, timeout=30) as answer:
            return answer.status == 200
    except (urllib.error.URLError, ValueError, LookupError) as error:
        print(f"  {url}: {error}", file=sys.stderr)
        return False


def starts(table, folder):
    """True if a block that names a command serves over standard input and output."""
    arguments = [folder if str(argument).startswith("/") else argument for argument in table.get("args", [])]
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "readme", "version": "1"},
        },
    }
    ran = subprocess.run(
        [binary(), *arguments],
        input=json.dumps(hello) + "\n",
        env={**environment(), **table.get("env", {})},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
    )
    lines = ran.stdout.splitlines()
    return bool(lines) and json.loads(lines[0])["result"]["serverInfo"]["name"] == "fumi"


def check_configurations(page, text, folder):
    inline = [("json", text.count("\n", 0, text.index(cell)) + 1, cell) for cell in inline_configurations(text)]
    for language, line, content in [*blocks(text), *inline]:
        if language not in ("json", "toml"):
            continue
        where = f"{page}:{line}"
        try:
            value = parsed(language, content)
        except ValueError as error:
            check(False, f"{where}: the {language} block does not parse: {error}", "configurations")
            continue
        check(True, where, "configurations")
        if "novel" in value:
            check(takes(content, value, folder), f"{where}: fumi does not take it", "configurations")
        for table in tables(value):
            if "url" in table:
                check(answers(table["url"]), f"{where}: {table['url']} does not answer", "configurations")
            if "command" in table:
                check(starts(table, folder), f"{where}: {table['command']} does not serve", "configurations")


def takes(content, table, folder):
    """True if fumi accepts a block as its configuration. A key that it reads from the environment is set."""
    file = Path(folder) / "fumi.toml"
    file.write_text(content, encoding="utf-8")
    names = [value for inner in tables(table) for name, value in inner.items() if name == "api_key_env"]
    ran = subprocess.run(
        [binary(), "check-config", str(file)],
        env={**environment(), **dict.fromkeys(names, "key")},
        capture_output=True,
        text=True,
        timeout=60,
    )
    if ran.returncode:
        print(ran.stderr, file=sys.stderr)
    return ran.returncode == 0


def check_new_novels(page, text, folder):
    """Checks that every `fumi novel new` makes a novel, in another folder."""
    for language, line, content in blocks(text):
        for command in re.findall(r"^fumi (novel new .*)$", content, re.MULTILINE) if language == "sh" else []:
            arguments = shlex.split(command)
            arguments[2] = f"{folder}/novel-{page.replace('/', '-')}-{line}"
            ran = subprocess.run(
                [binary(), *arguments], env=environment(), capture_output=True, text=True, timeout=60
            )
            check(ran.returncode == 0, f"{page}:{line}: fumi {command}: {ran.stderr}", "new novels")


def check_urls(page, text):
    for url in sorted(set(re.findall(r"https?://(?:127\.0\.0\.1|localhost)[^\s'\"`)<>]*", text))):
        check(answers(url), f"{page}: {url} does not answer", "URLs")


def anchors(text):
    """Returns the targets of links into a page: its headings, as GitHub names them, and its anchors."""
    prose = re.sub(r"^ *```.*?^ *```$", "", text, flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.+)$", prose, re.MULTILINE)
    named = {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings}
    return named | set(re.findall(r'<a id="([^"]+)">', text))


def check_links(page, text, generated=None):
    """Checks the links of a page, which may lead to a heading. Pages of GENERATED are in another folder."""
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" in target:
            continue
        path, _, anchor = target.partition("#")
        file = Path(os.path.normpath((ROOT / page).parent / path if path else ROOT / page))
        if generated and file.is_relative_to(ROOT / GENERATED):
            file = generated / file.relative_to(ROOT / GENERATED)
        leads = file.exists()
        if leads and anchor and file.suffix == ".md":
            leads = anchor in anchors(file.read_text(encoding="utf-8"))
        check(leads, f"{page}: the link {target} leads nowhere", "links")


def documents():
    """Returns every committed page of docs/."""
    pages = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md"))
    return [page for page in pages if not page.startswith(f"{GENERATED}/")]


def keys(table, *above):
    """Returns the keys of a configuration, as the variables that set them."""
    for name, value in table.items():
        if isinstance(value, dict):
            yield from keys(value, *above, name.upper())
        else:
            yield "__".join(["FUMI", *above, name.upper()])


def wanted_in_generated():
    """Returns the required content of the pages that git ignores, from its sources: the page, and words of it."""
    sources = {file: tomllib.loads(file.read_text(encoding="utf-8")) for file in sorted((ROOT / "src").rglob("*.toml"))}
    for file, source in sources.items():
        if file.parent == ROOT / "src/novel/checks/rules":
            page, anchor = source["group"], file.stem
        elif file.parent.parent == ROOT / "src/novel/checks/items":
            page, anchor = file.parent.name, source["id"].lower()
        else:
            # Error catalogues are recognised by their form.
            errors = {name: entry for name, entry in source.items() if isinstance(entry, dict) and "next_en" in entry}
            for name, entry in errors.items():
                yield "errors.md", f"## {entry.get('code', name)}\n"
                if "code" in entry:
                    yield "errors.md", f"`details.kind` `{name}`"
            continue
        for end in (".md", ".ja.md"):
            yield f"checks/{page}{end}", f'<a id="{anchor}"></a>'
            yield f"checks/index{end}", f"({page}{end}#{anchor})"
    for tool in json.loads((ROOT / "openapi/tools.json").read_text(encoding="utf-8")):
        for end in (".md", ".ja.md"):
            yield f"tools{end}", f"| `{tool['name']}` |"
    for file, source in sources.items():
        if file.name == "language.toml":
            for end in (".md", ".ja.md"):
                yield f"languages{end}", f"| {source['title']} |"
    for key in keys(tomllib.loads((ROOT / "config/default.toml").read_text(encoding="utf-8"))):
        yield "configuration.md", f"`{key}`"
    for requirement in tomllib.loads((ROOT / "docs/requirements.toml").read_text(encoding="utf-8"))["requirement"]:
        yield "traceability.md", f"| {requirement['id']} |"


def check_sections():
    """Checks that docs/configuration.md has a line for every section; the keys are elsewhere."""
    page = (ROOT / "docs/configuration.md").read_text(encoding="utf-8")
    for section in tomllib.loads((ROOT / "config/default.toml").read_text(encoding="utf-8")):
        check(f"`[{section}]`" in page, f"docs/configuration.md: no [{section}]", "generated pages")


def check_generated():
    """Checks that the pages that git ignores can be made, and have their required content."""
    with tempfile.TemporaryDirectory() as folder:
        made = regenerate("--pages", folder)
        check(made.returncode == 0, f"docs/regenerate --pages: {made.stdout}{made.stderr}", "generated pages")
        folder = Path(folder).resolve()
        pages = {file.relative_to(folder).as_posix(): file.read_text(encoding="utf-8") for file in folder.rglob("*.md")}
        for page, words in wanted_in_generated():
            check(words in pages.get(page, ""), f"docs/regenerate --pages: {page} lacks {words!r}", "generated pages")
        for page, text in pages.items():
            check_links(f"{GENERATED}/{page}", text, folder)
        check_contents([f"{GENERATED}/{page}" for page in pages], folder)


def check_contents(generated, folder):
    """Checks that the tables of contents of the book have every page, and no other."""
    listed = []
    for contents in BOOKS:
        text = (ROOT / contents).read_text(encoding="utf-8")
        check_links(contents, text, folder)
        listed += [os.path.normpath(f"docs/{target}") for target in re.findall(r"\]\(([^)\s]+)\)", text)]
    # docs/book adds the pages beside the index of the checks.
    beside = [page for page in generated if page.startswith(f"{GENERATED}/checks/")]
    for page in [*documents(), *generated]:
        in_book = page in listed or page in beside or page in BOOKS
        check(in_book, f"{page}: is in neither {' nor '.join(BOOKS)}", "pages of the book")
    for page in listed:
        check(listed.count(page) == 1, f"{page}: is twice in the book", "pages of the book")


class Html(HTMLParser):
    """The links of a page, and what links can lead to in it."""

    def __init__(self, text):
        super().__init__()
        self.links, self.names = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("href", "src") and value and not re.match(r"[a-z]+:|//", value):
                self.links.append(unquote(value))
            if name in ("id", "name") and value:
                self.names.add(value)


def check_book():
    """Builds the book, and checks each of its links, as a browser follows them."""
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder).resolve()
        made = script("docs/book", folder)
        check(made.returncode == 0, f"docs/book: {made.stdout}{made.stderr}", "links of the book")
        pages = {file: Html(file.read_text(encoding="utf-8")) for file in folder.rglob("*.html")}
        for file, page in pages.items():
            for link in page.links:
                path, _, anchor = link.partition("#")
                target = Path(os.path.normpath(file.parent / path)) if path else file
                leads = target.is_file() and (not anchor or target not in pages or anchor in pages[target].names)
                check(leads, f"docs/book: {file.relative_to(folder)}: {link} leads nowhere", "links of the book")


def regenerate(*arguments):
    return script("docs/regenerate", *arguments)


def script(path, *arguments):
    return subprocess.run(
        [ROOT / path, *arguments],
        env={**os.environ, "FUMI_BIN": binary()},
        capture_output=True,
        text=True,
        timeout=300,
    )


def check_code_map(text):
    """Every file and folder in ARCHITECTURE.md's code map must exist; names may be relative to the folder above."""
    map_of = text.split("## Code map")[1].split("```")[1]
    folder = ROOT
    for line in map_of.splitlines()[1:]:
        names = re.findall(r"(?<![\w./-])[\w.][\w./-]*(?:\.rs|\.toml|\.json|/)(?![\w.])", line)
        if not line.startswith(" ") and names and names[0].endswith("/"):
            folder = ROOT / names[0]
        for name in names:
            there = (folder / name).exists() or (ROOT / name).exists()
            check(there, f"ARCHITECTURE.md: the code map names {name}", "code map")


def curls(page, text):
    """Every block of curl commands, with the block of text that follows it."""
    all_blocks = blocks(text)
    for at, (language, line, content) in enumerate(all_blocks):
        if language == "sh" and re.search(r"\bcurl\b", content):
            following = all_blocks[at + 1] if at + 1 < len(all_blocks) else ("", 0, "")
            yield f"{page}:{line}", content, following[2] if following[0] == "text" else None


def check_curl(where, command, said):
    if said is None:
        check(False, f"{where}: no text block with its output follows", "curl")
        return
    # A new server each, because the reply to a repeated call would be marked as cached.
    with server():
        ran = subprocess.run(["bash", "-euo", "pipefail", "-c", command], capture_output=True, text=True, timeout=60)
    printed = ran.stdout
    same = VARYING.sub(r"\g<1>\g<2>\g<3>N", printed) == VARYING.sub(r"\g<1>\g<2>\g<3>N", said)
    check(same, f"{where}: prints\n{printed}\nnot\n{said}\n{ran.stderr}", "curl")


def check_examples():
    """The calls of the examples, on a real page in a real Chromium."""
    with server():
        ran = subprocess.run(
            [sys.executable, ROOT / "examples/token-optimization/run.py"], capture_output=True, text=True, timeout=120
        )
    calls = [line for line in ran.stdout.splitlines() if line.startswith("  ")]
    done["examples"] = len(calls)
    check(ran.returncode == 0, f"examples/token-optimization/run.py:\n{ran.stdout}{ran.stderr}", "examples")


def main():
    texts = {page: (ROOT / page).read_text(encoding="utf-8") for page in PAGES}
    with tempfile.TemporaryDirectory() as folder, server():
        for page, text in texts.items():
            check_configurations(page, text, folder)
            check_new_novels(page, text, folder)
            check_urls(page, text)
            check_links(page, text)
    for page, text in texts.items():
        for where, command, said in curls(page, text):
            check_curl(where, command, said)
    check_examples()
    for readme in ("README.md", "README.ja.md"):
        check(any(READY + "\n" == block for _, _, block in blocks(texts[readme])), f"{readme}: no ready line", "server")
    for page in ["ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", *(page for page in documents() if page not in BOOKS)]:
        check_links(page, (ROOT / page).read_text(encoding="utf-8"))

    check_code_map((ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8"))

    check_sections()
    check_generated()
    check_book()
    toured = script("docs/tour", "--check")
    check(toured.returncode == 0, f"{toured.stdout}{toured.stderr}", "generated files")
    current = regenerate("--check")
    check(current.returncode == 0, f"{current.stdout}{current.stderr}", "generated files")

    # A document without a block of a kind would pass without being checked.
    for kind, least in {"configurations": 20, "URLs": 4, "curl": 4, "links": 10, "examples": 10, "new novels": 4, "server": 5, "code map": 40, "generated files": 2, "generated pages": 800, "pages of the book": 60, "links of the book": 1000}.items():
        if done.get(kind, 0) < least:
            failures.append(f"only {done.get(kind, 0)} of {kind} were checked; at least {least} are expected")
    for failure in failures:
        print(f"✗ {failure}", file=sys.stderr)
    if failures:
        sys.exit(1)
    print("documents: " + ", ".join(f"{count} {kind}" for kind, count in done.items()))


main()
