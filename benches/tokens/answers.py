#!/usr/bin/env python3
"""The right answers of the tasks, from readers that are not fumi's: Python's own ast and tomllib, and plain scanning. Those
about sources in Java and Go are in Answers.java and answers.go.

    answers.py KIND ARGUMENT...        in the folder of the tree

Prints one line for each thing that must have been seen; `re:` begins a regular expression.
"""

import ast
import re
import sys
import tomllib
from pathlib import Path


def parsed(path):
    return ast.parse(Path(path).read_text(encoding="utf-8"))


def definitions(node, prefix=""):
    """Every class and function with its dotted name."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            name = f"{prefix}{child.name}"
            yield name, child
            yield from definitions(child, f"{name}.")
        else:
            yield from definitions(child, prefix)


def find(path, name):
    return next(node for found, node in definitions(parsed(path)) if found == name)


def source(path, name, *more):
    """All lines of definitions, given as pairs of file and name."""
    node = find(path, name)
    yield from Path(path).read_text(encoding="utf-8").splitlines()[node.lineno - 1 : node.end_lineno]
    if more:
        yield from source(*more)


def signature(path, *names):
    """The first lines of definitions."""
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    return [lines[find(path, name).lineno - 1] for name in names]


def methods(path, name):
    """The names of a class's methods, as they are defined or listed."""
    found = [node.name for node in find(path, name).body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    return [rf"re:\b{re.escape(method)}\b" for method in dict.fromkeys(found)]


def complex_one(path):
    """The callable with the most decisions; its lead must be so large that the way of counting does not matter."""
    decisions = (ast.If, ast.For, ast.While, ast.ExceptHandler, ast.BoolOp, ast.IfExp, ast.comprehension)
    counted = sorted(
        (sum(isinstance(inner, decisions) for inner in ast.walk(node)), name)
        for name, node in definitions(parsed(path))
        if not isinstance(node, ast.ClassDef)
    )
    assert counted[-1][0] > 1.25 * counted[-2][0], counted[-2:]
    # A client that read the function has seen its first line; one that got its name in a list has seen its name.
    return [rf"re:\b{re.escape(counted[-1][1].rsplit('.', 1)[-1])}\b"]


def callers(folder, name):
    """The functions that call something of this name: each with its file."""
    for path in sorted(Path(folder).rglob("*.py")):
        tree, seen = parsed(path), set()
        for call in ast.walk(tree):
            if isinstance(call, ast.Call) and name in (getattr(call.func, "id", ""), getattr(call.func, "attr", "")):
                around = [
                    (node.lineno, dotted)
                    for dotted, node in definitions(tree)
                    if not isinstance(node, ast.ClassDef) and node.lineno <= call.lineno <= node.end_lineno
                ]
                # The innermost one.
                seen.update(dotted.rsplit(".", 1)[-1] for _, dotted in sorted(around)[-1:])
        for caller in sorted(seen):
            yield str(path)
            # Its definition, or its name in a list of elements.
            yield rf"re:(def |function |method |\.|\"){re.escape(caller)}\b"


def listed(path, count=None):
    """A file in a list: its whole path, or its name below the line of its folder; with its count, if one is given."""
    whole, name = re.escape(str(path)), re.escape(path.name)
    below = rf"{re.escape(str(path.parent))}/ (?:[^ /]+ (?:\(\d+\) )?)*{name}(?: |$)"
    if count is None:
        return rf"re:(?:{whole}|{below})"
    return rf're:(?:{whole}(?:"?: ?{count}\b| \({count}\))|{below}\({count}\))'


def counts(word, folder, suffix):
    """The number of lines with a word in each file."""
    for path in sorted(Path(folder).rglob(f"*{suffix}")):
        lines = sum(word in line for line in path.read_text(encoding="utf-8-sig").splitlines())
        if lines:
            yield listed(path, lines)


def importers(module, folder):
    """The files that import a module."""
    for path in sorted(Path(folder).rglob("*.py")):
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.Import) and any(alias.name.split(".")[0] == module for alias in node.names):
                yield listed(path)
                break
            if isinstance(node, ast.ImportFrom) and node.level == 0 and (node.module or "").split(".")[0] == module:
                yield listed(path)
                break


def heading(path, title):
    """The lines of a Markdown section, to the next heading."""
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    start = next(at for at, line in enumerate(lines) if re.fullmatch(rf"#+ `?{re.escape(title)}`?", line))
    end = next(at for at in range(start + 1, len(lines)) if lines[at].startswith("#"))
    return lines[start:end]


def rule(path, selector):
    """A CSS rule without nested braces, in a style sheet or a page."""
    text = Path(path).read_text(encoding="utf-8")
    return re.search(rf"^{re.escape(selector)} \{{.*?\}}", text, re.MULTILINE | re.DOTALL)[0].splitlines()


def toml_list(path, *keys):
    """The items of a list in a TOML file."""
    value = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    for key in keys:
        value = value[key]
    return [f'"{item}"' for item in value]


def braces(path, first):
    """From a first line to the brace that closes it: a function in a language with braces, formatted as usual."""
    lines = Path(path).read_text(encoding="utf-8-sig").splitlines()
    start = next(at for at, line in enumerate(lines) if line.startswith(first))
    indent = re.match(r"\s*", lines[start])[0]
    end = next(at for at in range(start + 1, len(lines)) if re.match(rf"{indent}\}}", lines[at]))
    return lines[start : end + 1]


def code_of(path):
    """A C# file without its comments and strings, which may contain words and braces like code."""
    skipped = r"""//[^\n]*|/\*.*?\*/|@"(?:[^"]|"")*"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])'"""
    return re.sub(skipped, " ", Path(path).read_text(encoding="utf-8-sig"), flags=re.DOTALL)


def implementers(interface, folder):
    """The C# types that name an interface after their colon: each with its file."""
    header = re.compile(r"\b(?:class|struct)\s+(\w+)\s*(?:<[^{:]*>)?\s*:([^{]*)\{")
    for path in sorted(Path(folder).rglob("*.cs")):
        # Without constraints, and without the arguments of generic types.
        types = [(name, re.sub(r"<[^<>]*>", "", bases.split(" where ")[0])) for name, bases in header.findall(code_of(path))]
        found = [name for name, bases in types if interface in re.split(r"[\s,]+", bases)]
        if found:
            yield str(path)
        for name in found:
            # Its definition, or its name in a list of elements.
            yield rf"re:(class |struct |\.){name}\b"


KINDS = {
    "source": source,
    "signature": signature,
    "methods": methods,
    "complex": complex_one,
    "callers": callers,
    "counts": counts,
    "implementers": implementers,
    "importers": importers,
    "heading": heading,
    "rule": rule,
    "toml": toml_list,
    "braces": braces,
}

for line in KINDS[sys.argv[1]](*sys.argv[2:]):
    print(line)
