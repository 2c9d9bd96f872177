"""Prints what Python's own ast finds in the files named on standard input: one line per definition, decorator and import."""
import ast
import io
import sys
import tokenize


# The compared length of a decorator; fumi keeps more.
DECORATOR = 100


def visit(node, path, owner, source, out):
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names = path + [child.name]
            is_class = isinstance(child, ast.ClassDef)
            kind = "class" if is_class else "method" if owner == "class" else "function"
            start = min([child.lineno] + [d.lineno for d in child.decorator_list])
            out.append((kind, ".".join(names), start, child.end_lineno))
            for decorator in child.decorator_list:
                text = " ".join((ast.get_source_segment(source, decorator) or "").split())[:DECORATOR]
                out.append(("decorator", ".".join(names) + " " + text, start, child.end_lineno))
            visit(child, names, "class" if is_class else "function", source, out)
        else:
            if isinstance(child, ast.Import):
                names = ",".join(alias.name + (">" + alias.asname if alias.asname else "") for alias in child.names)
                out.append(("import", names, child.lineno, child.end_lineno))
            elif isinstance(child, ast.ImportFrom):
                names = ",".join(alias.name + (">" + alias.asname if alias.asname else "") for alias in child.names)
                module = "." * child.level + (child.module or "")
                out.append(("import", module + ":" + names, child.lineno, child.end_lineno))
            visit(child, path, owner, source, out)


sys.setrecursionlimit(20_000)
for line in sys.stdin:
    path = line.rstrip("\n")
    with open(path, "rb") as file:
        raw = file.read()
    try:
        tree = ast.parse(raw)
        source = str(raw, tokenize.detect_encoding(io.BytesIO(raw).readline)[0])
    except (SyntaxError, ValueError):
        print(path, "refused", sep="\t")
        continue
    out = []
    visit(tree, [], "", source, out)
    print(path, "read", sep="\t")
    for kind, name, start, end in out:
        print(path, kind, name, start, end, sep="\t")
