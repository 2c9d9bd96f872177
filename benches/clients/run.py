#!/usr/bin/env python3
"""Runs the command-line clients of three vendors against fumi, each with a scripted model that makes the same calls, and
prints as JSON what fumi sent and what the model got.

    run.py FUMI NODE_MODULES [PART OF A CLIENT'S NAME]

What fumi sent is read from the connection (proxy.py), what the model got from the model's requests. Nothing is judged
here, and no text of a client is expected: a result was passed on if it stands in what the model got. Standard library
only (Python 3.11).
"""

import json
import os
import re
import sys
import tempfile

# No compiled files are written into the folders whose hash is in the page.
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "clients"))

import command_line  # noqa: E402
import proxy  # noqa: E402
import scripted_model  # noqa: E402

# A script of Codex prints the whole result, or its picture.
SHOW = "const picture = (r.content ?? []).find(part => part.type === 'image');\npicture ? image(picture) : text(r)"

BATCH = [
    {"tool": "list_files", "arguments": {"roots": ["src"], "extensions": ["py"]}},
    {"tool": "check_code_scale", "arguments": {"file_path": "src/part_01.py"}},
]
CALLS = {
    "many": ("search_content", {"query": "ordinary", "files": ["long/english.txt"], "max_count": 100}),
    "search": ("search_content", {"query": r"position\(", "roots": ["src"]}),
    "page": ("search_content", {"query": "ordinary", "files": ["long/english.txt"]}),
    "structure": ("analyze_code_structure", {"file_path": "src/part_00.py"}),
    "section": ("extract_code_section", {"file_path": "src/part_00.py", "start_line": 1, "end_line": 12}),
    "error": ("check_code_scale", {"file_path": "no/such/file.py"}),
    "batch": ("batch_execute", {"steps": BATCH}),
}
PICTURES = {
    "navigate": ("browser_navigate", {"url": "data:text/html,<title>Page</title><h1>Heading</h1>"}),
    "picture": ("browser_take_screenshot", {"type": "jpeg"}),
}
FORMS = {"own": "", "both": "?result=both", "structured": "?result=structured", "text": "?result=text"}
CHROMIUM = ("/usr/lib/chromium/chromium-headless-shell", "/usr/bin/chromium")

FILES, MATCHES_OF_FILE = 24, 9
MATCHES = f"{FILES * MATCHES_OF_FILE} matches in {FILES} files"

# Lines of the long files are this many characters, so that a size leads to a line and a column.
WIDTH = 200
LINES = 2000
# The calls of one session while a limit is sought.
PROBES = 7
# A result whose first characters reach the model is passed on in part.
BEGIN = 60


class ClaudeWithSearch(command_line.Claude):
    variant = "tool search"

    def environment(self, model):
        return {**super().environment(model), "ENABLE_TOOL_SEARCH": "true"}


class CodexInScripts(command_line.Codex):
    variant = "scripts"
    model = None


class CodexWithSearch(command_line.Codex):
    variant = "tool search"
    model = "gpt-5.5"


class CodexWithAll(command_line.Codex):
    variant = "all tools"


class ClaudeWithAll(command_line.Claude):
    variant = "all tools"


class GeminiWithAll(command_line.Gemini):
    variant = "all tools"


CLIENTS = (ClaudeWithSearch, ClaudeWithAll, CodexInScripts, CodexWithSearch, CodexWithAll, GeminiWithAll)


def write_project(root):
    """Files with the matches of the search, and two long texts whose characters have one and three bytes."""
    for number in range(FILES):
        steps = [
            f"def step_{number:02}_{step}(order, total):\n"
            '    """Adds one position to the order."""\n'
            f"    total += order.position({step}).price\n"
            "    return total\n"
            for step in range(MATCHES_OF_FILE)
        ]
        write(os.path.join(root, "src", f"part_{number:02}.py"), "\n\n".join(steps))
    words, sentence = "a plain text of ordinary words goes on, ", "普通の言葉で書かれた文章が続く。"
    for name, text in (("english", words), ("japanese", sentence)):
        lines = [f"{line:05} {text * WIDTH}"[: WIDTH - 1] for line in range(LINES)]
        write(os.path.join(root, "long", f"{name}.txt"), "\n".join(lines) + "\n")


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def steady(text):
    """Without the times that a client or fumi measured, which differ from run to run."""
    text = re.sub(r"(Wall time:? )[\d.]+", r"\g<1>0", text)
    return re.sub(r'(elapsed_ms\\*"?:)\d+', r"\g<1>0", text)


class Bench:
    """fumi's program, the installed clients, and a folder for one session after the other."""

    def __init__(self, program, modules):
        self.program, self.modules = program, modules

    def session(self, kind, url_end, calls, **settings):
        """One run of a client: the model's view, and the messages between client and fumi."""
        with tempfile.TemporaryDirectory() as folder:
            folder = os.path.realpath(folder)
            root, home = os.path.join(folder, "project"), os.path.join(folder, "home")
            write_project(root)
            os.makedirs(home)
            server = command_line.Server(self.program, root, os.path.join(folder, "state"), **settings)
            try:
                with proxy.Proxy(server.address) as wire, scripted_model.Model(calls, show=SHOW) as model:
                    printed = kind(self.modules, home, root).run(wire.url + url_end, model)
            finally:
                server.kill()
        if len(model.results()) != len(calls):
            sys.exit(f"{kind.name}, {kind.variant}, {url_end}: {len(model.results())} of {len(calls)} results\n{printed}")
        return model, wire

    def version(self, kind):
        with open(os.path.join(self.modules, kind.package, "package.json"), encoding="utf-8") as file:
            return json.load(file)["version"]


def sent(wire):
    """The texts and the structure of each result, as fumi sent them."""
    for _, result in wire.results("tools/call"):
        texts = [part["text"] for part in result["content"] if part["type"] == "text"]
        structure = result.get("structuredContent")
        yield "\n".join(texts), structure


def json_values(text):
    """Every JSON object or list in a text, with the place where it ends."""
    decoder, at = json.JSONDecoder(), 0
    while found := re.compile(r"[\[{]").search(text, at):
        try:
            value, at = decoder.raw_decode(text, found.start())
            yield found.start(), at, value
        except ValueError:
            at = found.end()


def leaves(value, structure):
    """The texts in a value outside of the structure, and the structure itself where it stands."""
    if value == structure:
        yield value
    elif isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from leaves(inner, structure)


def passed_on(text, structure, received):
    """What of a result is in what the model got: text, structure, both, part or nothing."""
    rest, parts = received, []
    # From the end, so that what is taken out of the rest moves nothing before it.
    for begin, end, value in reversed(list(json_values(received))):
        found = list(leaves(value, structure))
        parts += found
        if structure and structure in found:
            rest = rest[:begin] + rest[end:]
    has_text = bool(text) and any(text in part for part in [rest, *parts] if isinstance(part, str))
    has_structure = bool(structure) and structure in parts
    if has_text or has_structure:
        return "both" if has_text and has_structure else "text" if has_text else "structure"
    begins = [whole[:BEGIN] for whole in (text, compact(structure)) if whole]
    begins += [json.dumps(begin, ensure_ascii=False)[1:-1] for begin in begins]
    return "part" if any(begin in received for begin in begins) else "nothing"


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")) if value else ""


def results(model, wire, names):
    """Each call by its name: what fumi sent, what the model got."""
    shown = {}
    for name, got, (text, structure) in zip(names, model.results(), sent(wire), strict=True):
        received = steady("\n".join(got["texts"]))
        structure = json.loads(steady(compact(structure))) if structure else None
        shown[name] = {
            "sent": "both" if text and structure else "text" if text else "structure",
            "passed": passed_on(text, structure, received),
            "received": received,
            "is_error": bool(got["error"]),
            "pictures": len(got["images"]),
        }
    return shown


def tools_at_once(model, wire):
    """fumi's tools that the model was given without a search, as they were sent."""
    served = {tool["name"] for _, result in wire.results("tools/list") for tool in result["tools"]}
    found = json.dumps([result["raw"] for result in model.results("find_")])
    offered = model.tools(last=True)
    named = [tool["raw"] for name in sorted(served) if (tool := scripted_model.named(offered, name)) and "fumi" in tool["name"]]
    given = [tool for tool in named if f'"{tool["name"]}"' not in found]
    return {"served": len(served), "given": len(given), "json": compact(given)}


def seek_limit(bench, kind, name):
    """The longest text that a client passes on whole, to the character, and what it shows of a longer one."""
    whole, cut = None, None
    low, high = 0, WIDTH * LINES
    while high - low > 1:
        sizes = {low + (high - low) * probe // (PROBES + 1) for probe in range(1, PROBES + 1)} - {low}
        for size, view in probe_sizes(bench, kind, name, sorted(sizes)):
            if view["is_whole"]:
                low, whole = size, view
            else:
                high, cut = size, view
                break
    return {"whole": whole, "cut": cut}


def probe_sizes(bench, kind, name, sizes):
    """What a client makes of texts of these sizes, with a server that does not limit its replies before."""
    limits = {"FUMI__LIMITS__REPLY_BYTES": "8000000", "FUMI__LIMITS__REPLY_TOKENS": "4000000"}
    model, wire = bench.session(kind, "", [section(name, size) for size in sizes], **limits)
    for size, got, (text, _) in zip(sizes, model.results(), sent(wire), strict=True):
        received = "\n".join(got["texts"])
        is_whole = passed_on(text, None, received) == "text"
        yield size, {"sent": measure(text), "received": measure(received), "is_whole": is_whole}


def section(name, size):
    """The call that reads the first characters of a long file, this many."""
    place = {"end_line": size // WIDTH + 1, "end_column": size % WIDTH + 1}
    return "extract_code_section", {"file_path": f"long/{name}.txt", "start_line": 1, **place}


def model_name(model):
    """The model that the conversation is with: in the request, or in its path."""
    request = model.talk()[0]
    return request["body"].get("model") or re.search(r"models/([^:]+):", request["path"])[1]


def measure(text):
    return {"characters": len(text), "bytes": len(text.encode())}


def run(bench, kind):
    forms = {}
    for form, url_end in FORMS.items():
        model, wire = bench.session(kind, url_end, list(CALLS.values()))
        forms[form] = results(model, wire, CALLS)
        if not any(MATCHES in text for text, _ in sent(wire)) and form != "structured":
            sys.exit(f"fumi did not find {MATCHES}")
        if form == "own":
            tools = tools_at_once(model, wire)
            (name,) = {parameters["clientInfo"]["name"] for parameters, _ in wire.results("initialize")}
            used = model_name(model)
        if any(map(os.path.exists, CHROMIUM)):
            model, wire = bench.session(kind, "/browser" + url_end, list(PICTURES.values()))
            forms[form] |= results(model, wire, PICTURES)
        print(f"{kind.name}, {kind.variant}, {form}", file=sys.stderr)
    return {
        "client": kind.name,
        "variant": kind.variant,
        "version": bench.version(kind),
        "model": used,
        "name": name,
        "matches": MATCHES,
        "tools": tools,
        "forms": forms,
        "limits": {text: seek_limit(bench, kind, text) for text in ("english", "japanese")},
    }


def main():
    program, modules = map(os.path.abspath, sys.argv[1:3])
    wanted = [kind for kind in CLIENTS if all(word in f"{kind.name}, {kind.variant}" for word in sys.argv[3:])]
    json.dump([run(Bench(program, modules), kind) for kind in wanted], sys.stdout, ensure_ascii=False)


main()
