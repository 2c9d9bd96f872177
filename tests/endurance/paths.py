"""A folder and a link that leads out of the root are exchanged as fast as possible, while every tool reads and writes
through both names.

The oracle is a canary outside: its text is in no reply, and files beside it are neither created nor changed.
"""

import collections
import ctypes
import json
import multiprocessing
import os
import random
import shutil
import tempfile
import time

from server import Server

RENAMEAT2, AT_FDCWD, EXCHANGE = {"x86_64": 316, "aarch64": 276}[os.uname().machine], -100, 2
CANARY = "the-canary-that-nobody-may-read"
# Arguments that name a file or a folder, whatever the tool.
PLACES = {"project_root", "project_path", "file_path", "output_file", "roots", "files", "paths", "path", "output_path", "filename"}


def exchange(root, stop):
    """Exchanges the two names until stopped, in a separate process, so that it never waits for the callers."""
    syscall = ctypes.CDLL(None, use_errno=True).syscall
    one, two = os.fsencode(f"{root}/d"), os.fsencode(f"{root}/l")
    while not stop.is_set():
        syscall(RENAMEAT2, AT_FDCWD, one, AT_FDCWD, two, EXCHANGE)


def place(rng, root, argument, schema):
    """Returns a path through the folder or the link, absolute or not."""
    if argument.startswith("project_"):
        return f"{root}/{rng.choice(['d', 'l'])}{rng.choice(['', '/deep'])}"
    name = rng.choice(["d", "l"]) + rng.choice(["", "/a.py", "/deep", "/deep/a.py", f"/new{rng.randrange(1000)}.md"])
    name = rng.choice([name, f"{root}/{name}", f"{root}/{rng.choice(['d', 'l'])}"])
    return [name] if schema.get("type") == "array" else name


def attacks(rng, root, tools):
    """Endless: the example of a tool, with one or two of its paths exchanged for such names."""
    told = [(tool, sorted(PLACES & set(tool["inputSchema"].get("properties", {})))) for tool in tools]
    told = [(tool, places) for tool, places in told if places and not tool["name"].startswith("browser")]
    while True:
        tool, places = rng.choice(told)
        properties, arguments = tool["inputSchema"]["properties"], dict(tool["example"])
        for name in rng.sample(places, min(len(places), rng.randint(1, 2))):
            arguments[name] = place(rng, root, name, properties[name])
        if tool["name"] == "search_content":
            arguments |= {"query": "canary"}
        yield tool["name"], arguments


def inside(folder):
    """Returns every path below, with its content."""
    found = {}
    for at, _, names in os.walk(folder):
        found[at] = None
        for name in names:
            with open(os.path.join(at, name), "rb") as file:
                found[os.path.join(at, name)] = file.read()
    return found


def run(program, seconds, seed):
    rng, home = random.Random(seed), tempfile.mkdtemp(prefix="fumi-paths-")
    root, outside = f"{home}/root", f"{home}/outside"
    for folder in (f"{root}/d", outside):
        os.makedirs(f"{folder}/deep")
        for name in ("a.py", "deep/a.py"):
            with open(f"{folder}/{name}", "w") as file:
                file.write(f"canary = '{CANARY if folder == outside else 'harmless'}'\n")
    os.symlink("../outside", f"{root}/l")
    before, codes, faults, stop = inside(outside), collections.Counter(), [], multiprocessing.Event()
    with Server(program, root) as server:
        todo, until = attacks(rng, root, server.tools()), time.monotonic() + seconds
        exchanging = multiprocessing.Process(target=exchange, args=(root, stop), daemon=True)
        exchanging.start()
        while time.monotonic() < until:
            tool, arguments = next(todo)
            _, answer = server.call(tool, arguments)
            codes[(answer.get("error") or {}).get("code", "ok")] += 1
            if CANARY in json.dumps(answer, ensure_ascii=False):
                faults.append(f"{tool} {arguments} read the canary")
        stop.set()
        exchanging.join()
    after = inside(outside)
    faults += [f"made or changed outside: {path}" for path in sorted(set(before) ^ set(after))]
    faults += [f"changed outside: {path}" for path in before if path in after and before[path] != after[path]]
    shutil.rmtree(home)
    said = ", ".join(f"{code} {count}" for code, count in codes.most_common(6))
    return [("calls", f"{sum(codes.values())} ({said})")], faults
