"""Prints what Python's own json and tomllib find in the files named on standard input: one line per key that holds no
other keys, with its path and type."""
import datetime
import json
import sys
import tomllib


class Pairs(list):
    """A mapping with its keys as written, doubled ones too."""


def holds(value):
    """Whether a mapping stands somewhere in a list."""
    if isinstance(value, list) and not isinstance(value, Pairs):
        return any(holds(item) for item in value)
    return isinstance(value, (dict, Pairs))


def kind(value):
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float)):
        return "number"
    if isinstance(value, (datetime.date, datetime.time)):
        return "date"
    return "list" if isinstance(value, list) else "string"


def visit(value, path, out):
    if isinstance(value, (dict, Pairs)):
        for key, inner in value.items() if isinstance(value, dict) else value:
            name = " ".join(key.split()) or '""'
            here = [*path, name]
            # TOML has no key for an array of tables itself, only for its tables.
            is_tables = IS_TOML and isinstance(inner, list) and any(isinstance(item, (dict, list)) for item in inner)
            if not isinstance(inner, (dict, Pairs)) and not is_tables:
                out.append((".".join(here), kind(inner)))
            visit(inner, here, out)
    elif isinstance(value, list):
        for at, item in enumerate(value):
            here = [*path, f"[{at}]"]
            if isinstance(item, list) and not isinstance(item, Pairs) and holds(item):
                out.append((".".join(here), "list"))
            visit(item, here, out)


sys.setrecursionlimit(20_000)
for line in sys.stdin:
    path = line.rstrip("\n")
    try:
        with open(path, "rb") as file:
            raw = file.read()
        if path.endswith(".toml"):
            value = tomllib.loads(raw.decode())
        else:
            value = json.loads(raw, object_pairs_hook=Pairs)
    except ValueError:
        print(path, "refused", sep="\t")
        continue
    IS_TOML = path.endswith(".toml")
    out = []
    visit(value, [], out)
    print(path, "read", sep="\t")
    for name, type_name in out:
        print(path, name, type_name, sep="\t")
