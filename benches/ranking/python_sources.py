"""Questions about Python sources with answers by Python's own ast: names, and first sentences of docstrings."""

import ast
import hashlib
import re
import tokenize
import warnings
from collections import defaultdict

DEFINITIONS = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
NAMES = 100
SENTENCES = 140
# A sentence must say something, and a function must do something.
CONTENT_WORDS = 5
CODE_LINES = 5
EMPTY_WORDS = set(
    "a an and are as at be been but by can could do does for from has have if in into is it its may must no not of on "
    "one or should so such than that the their them then there these this those to up was were when which while will "
    "with would you your all any e g i e s t".split()
)


def draw(seed, key):
    """A number for a key, the same on every machine: questions are drawn in its order."""
    return hashlib.sha256(f"{seed}:{key}".encode()).hexdigest()


def decoded(path):
    with tokenize.open(path) as file:
        return file.read()


def parsed(path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(path.read_text(encoding="utf-8"))


def definitions(node):
    for child in ast.iter_child_nodes(node):
        if isinstance(child, DEFINITIONS):
            yield child
        yield from definitions(child)


def first_line(node):
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def place(file, node):
    return {"file": file, "name": node.name, "line": node.lineno}


def docstring_of(node):
    """The expression of the docstring, if there is one."""
    first = node.body[0] if getattr(node, "body", None) else None
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
        return first
    return None


def without_docstrings(source, into):
    """Copies a tree with every docstring replaced by `...`, on as many lines, so that no line moves."""
    for path in sorted(source.rglob("*.py")):
        target = into / path.relative_to(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(bare(path), encoding="utf-8")


def bare(path):
    text = path.read_text(encoding="utf-8")
    lines = text.encode("utf-8").splitlines(keepends=True)
    module = parsed(path)
    for node in [module, *definitions(module)]:
        found = docstring_of(node)
        if found is None:
            continue
        first, last = found.lineno - 1, found.end_lineno - 1
        end = lines[last][found.end_col_offset :]
        lines[first] = lines[first][: found.col_offset] + b"..." + (end if first == last else b"\n")
        for at in range(first + 1, last + 1):
            lines[at] = b"\n" if at < last else (end if end.strip() else b"\n")
    return b"".join(lines).decode("utf-8")


def words_of(text):
    """Words in lower case, identifiers split at case and underscores."""
    spaced = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", text)
    return [word.lower() for word in re.findall(r"[A-Za-z]+|[0-9]+", spaced)]


def root(word):
    """A word without its ending, to compare a function's name with a sentence."""
    for ending in ("ing", "ed", "es", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def sentence_of(doc, name):
    """The first sentence of a documentation without the words of the name, or None if too little is left."""
    paragraph = re.split(r"\n\s*\n", doc.strip(), maxsplit=1)[0]
    sentence = re.split(r"(?<=[.!?])\s", " ".join(paragraph.split()), maxsplit=1)[0]
    taken = {root(word) for word in words_of(name)}
    kept = [
        word
        for word in re.findall(r"[A-Za-z0-9_'-]+", sentence)
        if not taken.intersection(root(part) for part in words_of(word))
    ]
    content = {word.lower() for word in kept if word.lower() not in EMPTY_WORDS and len(word) > 1}
    return " ".join(kept) if len(content) >= CONTENT_WORDS and len(kept) <= 40 else None


def code_lines(node, lines):
    found = docstring_of(node)
    first = found.end_lineno + 1 if found else node.body[0].lineno
    return sum(1 for line in lines[first - 1 : node.end_lineno] if line.strip())


def elements(tree):
    """Every class and function of a tree with its lines: the documents of the plain ranking."""
    for path in sorted(tree.rglob("*.py")):
        file = path.relative_to(tree).as_posix()
        try:
            found = list(definitions(parsed(path)))
        except SyntaxError:
            continue
        for node in found:
            yield {"file": file, "name": node.name, "first": first_line(node), "last": node.end_lineno}


def question(kind, tree, text, right, key):
    half = "tune" if int(draw("half", key), 16) % 2 else "test"
    return {"set": kind, "tree": tree, "query": text, "right": right, "half": half}


def questions(trees):
    names, sentences = defaultdict(list), defaultdict(list)
    public = set()
    for path in sorted((trees / "python").rglob("*.py")):
        file = path.relative_to(trees / "python").as_posix()
        module = parsed(path)
        lines = path.read_text(encoding="utf-8").splitlines()
        for node in definitions(module):
            names[node.name].append(place(file, node))
            if not node.name.startswith("_"):
                public.add(node.name)
            doc = ast.get_docstring(node) if isinstance(node, FUNCTIONS) else None
            sentence = sentence_of(doc, node.name) if doc and code_lines(node, lines) >= CODE_LINES else None
            if sentence:
                sentences[sentence].append(place(file, node))
    drawn = sorted(public, key=lambda name: draw("name", name))[:NAMES]
    asked = [question("names, Python", "python", name, names[name], name) for name in drawn]
    drawn = sorted(sentences, key=lambda sentence: draw("sentence", sentence))[:SENTENCES]
    for tree, kind in (("python", "sentences, Python"), ("python-bare", "sentences, Python, documentation removed")):
        asked += [question(kind, tree, sentence, sentences[sentence], sentence) for sentence in drawn]
    return asked
