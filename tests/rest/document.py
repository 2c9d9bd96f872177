"""Checks the OpenAPI document against the running server: Schemathesis makes valid and invalid calls and compares.

    python tests/rest/document.py PROGRAM

PROGRAM runs on a copy of the sample project, without credentials (OPEN) and with tokens (TOKENS). schemathesis.toml has
the shared settings of the runs, judge.py the rules that Schemathesis cannot derive. Between the two the document is
made wrong in several ways, each of which must be found (FAULTS): otherwise a run without findings would prove nothing.
At the end the program must exit with 0 and leave only files that callers asked for. The seed is fixed, so that a
finding can be repeated.
"""

import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
SAMPLE = HERE.parent / "fixtures/project"
# Not resolved: the environment is where the link is.
SCHEMATHESIS = str(Path(sys.executable).parent / "st")
# Seconds after which a run hangs. The longest takes about 90 on two cores that do nothing else.
PATIENCE = 900

failures = []


@dataclass
class Run:
    """One run of Schemathesis."""

    name: str
    phases: str
    examples: int = 0
    arguments: list = field(default_factory=list)
    # The minimum number of cases that it must have made.
    least: int = 0
    # The token: "" means no token, None means that the server needs none.
    token: str | None = None


# The status of a stream is sent before the result is known: wrong arguments are an event, which judge.py checks.
EVENTS = ["-H", "Accept: text/event-stream", "-m", "positive"]

OPEN = [
    Run("without credentials", "examples,coverage,fuzzing,stateful", 40, least=2_000),
    Run("as text", "examples,fuzzing", 15, ["-H", "Accept: text/plain"], least=100),
    Run("as events", "examples,fuzzing", 15, EVENTS, least=100),
]
# Without the tools that would open random URLs; those have a run of their own.
SAFE = "code,novel,novel-data,novel-steps,novel-review"
PAGES = Run("of web pages, without a browser", "examples,fuzzing", 8, least=150)
TOKENS = [
    Run("with a token", "examples,fuzzing,stateful", 15, least=200, token="full"),
    Run("with one that may only read", "examples,fuzzing", 15, least=100, token="reader"),
    Run("with one that may call once a minute", "examples,fuzzing", 5, least=50, token="rare"),
    Run("with none", "examples,fuzzing", 5, least=50, token=""),
]


def environment(home, temporary):
    """Returns the environment without the user's configuration of fumi, with separate folders."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("FUMI_", "PROJECT_ROOT"))}
    return {**kept, "HOME": str(home), "TMPDIR": str(temporary)}


@contextmanager
def server(program, folder, *arguments):
    """Starts the program on a free port; SIGTERM must end it with 0."""
    with open(folder / "log", "w+", encoding="utf-8") as log:
        running = subprocess.Popen(
            [program, "serve", "--listen", "127.0.0.1:0", "--store", "memory", "--root", folder / "project", *arguments],
            cwd=folder / "home",
            env=environment(folder / "home", folder / "tmp"),
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
        try:
            ready = running.stdout.readline()
            if not ready.startswith("fumi listening on "):
                sys.exit(f"no ready line but {ready!r}: {(folder / 'log').read_text()}")
            yield ready.removeprefix("fumi listening on ").strip().removesuffix("/mcp")
        finally:
            running.send_signal(signal.SIGTERM)
            code = running.wait(60)
            running.stdout.close()
        said = (folder / "log").read_text(encoding="utf-8")
        if code != 0 or "panicked" in said or " ERROR " in said:
            failures.append(f"the server ended with {code}; of its log:\n{said[-3_000:]}")


def schemathesis(run, document, base, folder):
    """Returns exit code and output of one run."""
    token = (folder / f"{run.token}.token").read_text() if run.token else None
    arguments = [
        SCHEMATHESIS, f"--config-file={HERE / 'schemathesis.toml'}", "run", document, f"--url={base}", "--checks=all",
        f"--phases={run.phases}", "--no-color", *run.arguments,
    ]  # fmt: skip
    if run.examples:
        arguments.append(f"--max-examples={run.examples}")
    own = {"SCHEMATHESIS_HOOKS": str(HERE / "judge.py"), "PYTHONDONTWRITEBYTECODE": "1"}
    own["FUMI_SAMPLE"] = str(folder / "project")
    told = folder / "told.json"
    told.unlink(missing_ok=True)
    own["FUMI_TOLD"] = str(told)
    if token:
        arguments += ["-H", f"Authorization: Bearer {token}"]
        own["FUMI_AUTHORIZATION"] = f"Bearer {token}"
    if run.token == "":
        own["FUMI_STRANGER"] = "yes"
    try:
        ran = subprocess.run(
            arguments, cwd=folder / "st", env={**environment(folder / "st", folder / "st"), **own},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return None, f"it took longer than {PATIENCE} s"
    return ran.returncode, ran.stdout


def tried(run, document, base, folder):
    """Makes a run that must find nothing, prints its figures, and returns how often each status came."""
    began = time.monotonic()
    code, said = schemathesis(run, document, base, folder)
    file = folder / "told.json"
    told = json.loads(file.read_text()) if file.exists() else {"statuses": {}, "excused": {}}
    counted = re.search(r"^  (\d+) generated", said, re.MULTILINE)
    tested = re.search(r"Selected: (\d+)/(\d+)\n  Tested: (\d+)", said)
    count = int(counted[1]) if counted else 0
    if code != 0:
        failures.append(f"{run.name}: Schemathesis found something (exit {code})\n{said[-20_000:]}")
    elif not tested or len(set(tested.groups())) != 1:
        failures.append(f"{run.name}: not every operation was tested\n{said[-3_000:]}")
    elif count < run.least:
        failures.append(f"{run.name}: only {count} cases, at least {run.least} are expected\n{said[-3_000:]}")
    statuses, excused = (
        ", ".join(f"{name} {times}" for name, times in sorted(told[kind].items())) for kind in ("statuses", "excused")
    )
    took = f"{time.monotonic() - began:.0f} s"
    print(f"  {run.name}: {count} cases in {took} ({statuses}); excused: {excused or 'nothing'}", flush=True)
    return told["statuses"]


def call(document, tool):
    return document["paths"][f"/v1/tools/{tool}"]["post"]


def own_schema(document, content):
    """Replaces the schema of a body by a copy that can be made wrong, and returns it. Other operations may refer to the
    component, and would become wrong too."""
    schema = content["application/json"]["schema"]
    while "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].removeprefix("#/components/schemas/")]
    content["application/json"]["schema"] = deepcopy(schema)
    return content["application/json"]["schema"]


def no_status(document):
    del call(document, "set_project_path")["responses"]["400"]


def other_answer(document):
    answer = own_schema(document, call(document, "check_code_scale")["responses"]["200"]["content"])
    answer.setdefault("required", []).append("nothing_of_this_name")


def other_header(document):
    headers = call(document, "analyze_code_structure")["responses"]["200"]["headers"]
    headers["X-Fumi-Tokens"] = {"schema": {"type": "boolean"}}


def method_left_out(document):
    del document["paths"]["/v1/tools/analyze_code_structure"]["get"]


def looser_argument(document):
    body = own_schema(document, call(document, "check_code_scale")["requestBody"]["content"])
    body["properties"]["timeout_ms"] = {"type": "string"}


def stricter_parameter(document):
    document["components"]["parameters"]["lang"]["schema"]["enum"] = ["en", "ja"]


def other_kind(document):
    document["paths"]["/v1/errors"]["get"]["responses"]["200"]["content"] = {"application/xml": {}}


def closed_to_strangers(document):
    document["paths"]["/v1/tools"]["get"]["security"] = [{"bearer": []}]


@dataclass
class Fault:
    """A change that makes the document wrong, the expected message, and its operation."""

    spoil: Callable
    called: str
    operation: str


FAULTS = [
    Fault(no_status, "Undocumented status code", "POST /v1/tools/set_project_path"),
    Fault(other_answer, "Response violates schema", "POST /v1/tools/check_code_scale"),
    Fault(other_header, "Response header does not conform", "POST /v1/tools/analyze_code_structure"),
    Fault(method_left_out, "Allow header mismatch", "OPTIONS /v1/tools/analyze_code_structure"),
    Fault(looser_argument, "Schema-valid request rejected", "POST /v1/tools/check_code_scale"),
    Fault(stricter_parameter, "Schema-violating request accepted", "GET /v1/tools/check_code_scale"),
    Fault(other_kind, "Undocumented Content-Type", "GET /v1/errors"),
    Fault(closed_to_strangers, "API accepts invalid authentication", "GET /v1/tools"),
]
EVENT = Fault(other_answer, "the event result does not match its schema", "POST /v1/tools/check_code_scale")
# Only the caller is wrong, and expects to be refused.
STRANGER = Fault(lambda document: None, "without a token 200", "GET /v1/errors")


def broken(faults, run, document, base, folder):
    """Checks that every fault in the document is found, at its place."""
    wrong = deepcopy(document)
    for fault in faults:
        fault.spoil(wrong)
    file = folder / "broken.json"
    file.write_text(json.dumps(wrong), encoding="utf-8")
    run.arguments += [f"--include-path={path}" for path in sorted({fault.operation.split()[1] for fault in faults})]
    code, said = schemathesis(run, str(file), base, folder)
    pieces = re.split(r"^_{3,} (\S+ \S+) _{3,}$", said, flags=re.MULTILINE)
    found = dict(zip(pieces[1::2], pieces[2::2]))
    for fault in faults:
        if code != 1 or fault.called not in found.get(fault.operation, ""):
            what = f"{fault.operation} {run.name}: not {fault.called!r} (exit {code})"
            failures.append(f"a fault was not found: {what}\n{found.get(fault.operation, said[-3_000:])}")
    print(f"  {run.name}: {len(faults)} to be found", flush=True)


def fetched(base, token=None):
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    with urllib.request.urlopen(urllib.request.Request(f"{base}/openapi.json", headers=headers), timeout=30) as answer:
        return json.load(answer)


def state(folder):
    """Returns every file below a folder, with its content."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def unchanged(folder, before, what, may_write=True):
    """Checks that callers without write access changed no file. Changes of the others, also to existing files as
    `write` makes them with consent, are undone for the next run."""
    project = folder / "project"
    after = state(project)
    lost = sorted(path for path, content in before.items() if after.get(path) != content)
    made = sorted(set(after) - set(before))
    if lost and not may_write:
        failures.append(f"{what}: files of the project changed: {lost[:20]}")
    if made and not may_write:
        failures.append(f"{what}: files were made: {made[:20]}")
    for path in made:
        (project / path).unlink()
    for path in lost:
        (project / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(SAMPLE / path, project / path)
    for path in sorted(project.rglob("*"), reverse=True):
        if path.is_dir() and not any(path.iterdir()):
            path.rmdir()
    for place in ("home", "tmp"):
        left = [str(path.relative_to(folder)) for path in (folder / place).rglob("*")]
        if left:
            failures.append(f"{what}: left behind: {left[:20]}")


def tokens(program, folder):
    """Makes a token for each bound, as the operator does, and the configuration that contains them."""
    bounds = {
        "full": "rate_per_minute = 0",
        "reader": "rate_per_minute = 0\nreadonly = true",
        "rare": "rate_per_minute = 1",
    }
    entries = ['[auth]\nmode = "tokens"\n']
    for name, bound in bounds.items():
        made = subprocess.run(
            [program, "token", "new", "--name", name],
            env=environment(folder / "home", folder / "tmp"),
            capture_output=True,
            text=True,
            check=True,
        )
        token, entry = made.stdout.split("\n", 1)
        (folder / f"{name}.token").write_text(token.strip())
        entries.append(f"{entry.strip()}\n{bound}\n")
    (folder / "fumi.toml").write_text("\n".join(entries), encoding="utf-8")
    return folder / "fumi.toml"


def main():
    program = str(Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary).resolve()
        for name in ("home", "tmp", "st"):
            (folder / name).mkdir()
        shutil.copytree(SAMPLE, folder / "project")
        before = state(folder / "project")

        with server(program, folder, "--toolsets", SAFE) as base:
            for run in OPEN:
                tried(run, f"{base}/openapi.json", base, folder)
            document = fetched(base)
            # Adding faults to a document that has some already would prove nothing.
            if not failures:
                broken(FAULTS, Run("faults", "examples,coverage"), document, base, folder)
                broken([EVENT], Run("faults in events", "examples", arguments=[*EVENTS]), document, base, folder)
                broken([STRANGER], Run("without the token", "fuzzing", 1, token=""), document, base, folder)
        unchanged(folder, before, "without credentials")

        # Arguments are checked before a browser is used, and none is installed: no page is opened.
        (folder / "none.toml").write_text('[browser]\nexecutable = "/nonexistent/chromium"\n', encoding="utf-8")
        with server(program, folder, "--toolsets", "browser", "--config", folder / "none.toml") as base:
            tried(PAGES, f"{base}/openapi.json", base, folder)
        unchanged(folder, before, PAGES.name)

        with server(program, folder, "--toolsets", SAFE, "--config", tokens(program, folder)) as base:
            file = folder / "document.json"
            file.write_text(json.dumps(fetched(base, (folder / "full.token").read_text())), encoding="utf-8")
            for run in TOKENS:
                statuses = tried(run, str(file), base, folder)
                if run.token == "rare" and "429" not in statuses:
                    failures.append(f"{run.name}: no call was too much")
                unchanged(folder, before, run.name, may_write=run.token not in ("reader", ""))

    for failure in failures:
        print(f"✗ {failure}", file=sys.stderr)
    sys.exit(bool(failures))


main()
