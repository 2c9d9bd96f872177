"""Prints the roles of names, literal texts and comments in the Python files named on standard input, by Python's own ast:
one line per sampled occurrence with its path, its first byte in the decoded text, its length in bytes, its role and its text.

The roles are those that src/code/roles.rs defines. Names within type annotations are types, except the qualifier of a dotted
name and what is not part of the annotation itself, such as the arguments of a call.
"""
import ast
import bisect
import io
import keyword
import re
import sys
import token
import tokenize

# One of this many names, literal texts and comments is printed.
EVERY = 7

SOFT_KEYWORDS = {"match", "case", "type", "_"}
WORD = re.compile(r"\w+")
# From Python 3.12 on, the tokens and positions within f-strings are ordinary ones.
HAS_TOKENS_IN_STRINGS = hasattr(token, "FSTRING_START")


class Part:
    """A piece of source text that Python can parse alone: a file, or an expression within an f-string."""

    def __init__(self, text, start, skipped, mode):
        # `skipped` bytes at the beginning of the text are not in the file, which has the rest at the byte `start`.
        self.base = start - skipped
        self.lines = text.split("\n")
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line.encode()) + 1)
        self.tree = ast.parse(text, mode=mode)
        self.tokens = list(tokenize.generate_tokens(io.StringIO(text, newline="").readline))
        self.roles = {}
        self.at = {self.byte(*each.start): at for at, each in enumerate(self.tokens) if each.type == token.NAME}
        self.bytes_of_names = list(self.at)

    def byte(self, line, column):
        """Returns the byte of a token in this part."""
        return self.starts[line - 1] + len(self.lines[line - 1][:column].encode())

    def holds(self, found):
        """Returns true if the text of a token stands at its position: doubled braces are shortened in it."""
        first = self.byte(*found.start)
        return "\n".join(self.lines).encode()[first:].startswith(found.string.encode())

    def first(self, node):
        return self.starts[node.lineno - 1] + node.col_offset

    def end(self, node):
        return self.starts[node.end_lineno - 1] + node.end_col_offset

    def mark(self, byte, name, role):
        found = self.tokens[self.at[byte]]
        assert found.string == name, (found, name)
        self.roles[byte] = role

    def names(self, first, end):
        """Returns the indexes of the name tokens between two bytes."""
        found = self.bytes_of_names[bisect.bisect_left(self.bytes_of_names, first) : bisect.bisect_left(self.bytes_of_names, end)]
        return [self.at[byte] for byte in found]

    def mark_first(self, names, name, role):
        """Marks the first of these tokens that is the name."""
        at = next(at for at in names if self.tokens[at].string == name)
        self.roles[self.byte(*self.tokens[at].start)] = role

    def visit_all(self, nodes, is_type=False):
        for node in nodes:
            if node is not None:
                self.visit(node, is_type)

    def visit(self, node, is_type=False):
        visit = getattr(self, "visit_" + type(node).__name__, None)
        if visit:
            visit(node, is_type)
        else:
            is_type = is_type and isinstance(node, (ast.Subscript, ast.Tuple, ast.List, ast.BinOp, ast.Starred))
            self.visit_all(ast.iter_child_nodes(node), is_type)

    def reference(self, node, is_type):
        if isinstance(node.ctx, (ast.Store, ast.Del)):
            return "write"
        return "type" if is_type else "mention"

    def visit_Name(self, node, is_type):
        self.mark(self.first(node), node.id, self.reference(node, is_type))

    def visit_Attribute(self, node, is_type):
        self.visit(node.value)
        self.mark(self.end(node) - len(node.attr.encode()), node.attr, self.reference(node, is_type))

    def visit_Call(self, node, is_type):
        if isinstance(node.func, ast.Name):
            self.mark(self.first(node.func), node.func.id, "call")
        elif isinstance(node.func, ast.Attribute):
            self.visit(node.func.value)
            self.mark(self.end(node.func) - len(node.func.attr.encode()), node.func.attr, "call")
        else:
            self.visit(node.func)
        self.visit_all(node.args + node.keywords)

    def visit_keyword(self, node, is_type):
        if node.arg is not None:
            self.mark(self.first(node), node.arg, "mention")
        self.visit(node.value, is_type)

    def visit_FunctionDef(self, node, is_type):
        self.mark_first(self.names(self.first(node), self.end(node))[1:], node.name, "definition")
        self.visit_all(node.decorator_list)
        self.visit_all(getattr(node, "type_params", []))
        self.visit(node.args)
        self.visit_all([node.returns], is_type=True)
        self.visit_all(node.body)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ClassDef(self, node, is_type):
        self.mark_first(self.names(self.first(node), self.end(node))[1:], node.name, "definition")
        self.visit_all(node.decorator_list)
        self.visit_all(getattr(node, "type_params", []))
        self.visit_all(node.bases, is_type=True)
        for each in node.keywords:
            self.visit(each, is_type=each.arg == "metaclass")
        self.visit_all(node.body)

    def visit_arg(self, node, is_type):
        self.mark(self.first(node), node.arg, "definition")
        self.visit_all([node.annotation], is_type=True)

    def visit_AnnAssign(self, node, is_type):
        self.visit(node.target)
        self.visit(node.annotation, is_type=True)
        self.visit_all([node.value])

    def visit_TypeVar(self, node, is_type):
        self.mark_first(self.names(self.first(node), self.end(node)), node.name, "definition")
        self.visit_all([getattr(node, "bound", None), getattr(node, "default_value", None)], is_type=True)

    visit_ParamSpec = visit_TypeVar
    visit_TypeVarTuple = visit_TypeVar

    def visit_TypeAlias(self, node, is_type):
        self.mark(self.first(node.name), node.name.id, "definition")
        self.visit_all(node.type_params)
        self.visit(node.value, is_type=True)

    def visit_Import(self, node, is_type):
        for at in self.names(self.first(node), self.end(node)):
            self.roles[self.byte(*self.tokens[at].start)] = "import"

    visit_ImportFrom = visit_Import

    def visit_Global(self, node, is_type):
        for at in self.names(self.first(node), self.end(node)):
            self.roles[self.byte(*self.tokens[at].start)] = "mention"

    visit_Nonlocal = visit_Global

    def visit_ExceptHandler(self, node, is_type):
        self.visit_all([node.type])
        if node.name is not None:
            self.mark_first(self.names(self.end(node.type), self.end(node)), node.name, "write")
        self.visit_all(node.body)

    # The names of patterns are assigned; `_` is a pattern that assigns nothing.
    def visit_MatchAs(self, node, is_type):
        self.visit_all([node.pattern])
        if node.name is not None:
            self.roles[self.byte(*self.tokens[self.names(self.first(node), self.end(node))[-1]].start)] = "write"

    visit_MatchStar = visit_MatchAs

    def visit_MatchMapping(self, node, is_type):
        self.visit_all(node.keys + node.patterns)
        if node.rest is not None:
            self.roles[self.byte(*self.tokens[self.names(self.first(node), self.end(node))[-1]].start)] = "write"

    def visit_MatchClass(self, node, is_type):
        self.visit(node.cls, is_type=True)
        self.visit_all(node.patterns + node.kwd_patterns)
        for name, pattern in zip(node.kwd_attrs, node.kwd_patterns):
            before = self.names(self.end(node.cls), self.first(pattern))
            self.mark_first(before[::-1], name, "mention")

    # Python 3.11 does not know the positions within; the tokens are read instead.
    def visit_JoinedStr(self, node, is_type):
        if HAS_TOKENS_IN_STRINGS:
            self.visit_all(ast.iter_child_nodes(node))


def occurrences(part):
    """Yields the occurrences of a part: the sort, the first byte in the file, the text and the role."""
    part.visit(part.tree)
    for before, each in zip([None, *part.tokens], part.tokens):
        first = part.byte(*each.start) if each.string else 0
        # The letter of a conversion in an f-string, such as `!r`, is not a name.
        if each.type == token.NAME and before and before.string == "!":
            continue
        if each.type == token.NAME and not keyword.iskeyword(each.string):
            role = part.roles.get(first)
            if role is not None:
                yield "name", part.base + first, each.string, role
            elif each.string not in SOFT_KEYWORDS:
                raise ValueError(f"{each.string} in line {each.start[0]} is not in the tree")
        elif each.type == tokenize.COMMENT:
            yield from word("comment", part.base + first, each.string)
        elif each.type == token.STRING:
            yield from string(part.base + first, each.string)
        elif HAS_TOKENS_IN_STRINGS and each.type == token.FSTRING_MIDDLE and part.holds(each):
            yield from word("string", part.base + first, each.string)


def word(role, first, text):
    """Yields the middle one of the words of a text."""
    words = list(WORD.finditer(text))
    if words:
        middle = words[len(words) // 2]
        yield role, first + len(text[: middle.start()].encode()), middle.group(), role


def string(first, text):
    prefix, quote = re.match(r"(\w*)('''|\"\"\"|'|\")", text).groups()
    before = len(prefix) + len(quote)
    body = text[before : -len(quote)]
    if "f" in prefix.lower():
        yield from formatted(first + before, body, is_raw="r" in prefix.lower(), is_spec=False)
    else:
        yield from word("string", first + before, body)


def formatted(first, body, is_raw, is_spec):
    """Yields the occurrences in the body of an f-string, or in the format of one of its values."""
    byte = lambda at: first + len(body[:at].encode())
    at = start = 0
    while at < len(body):
        if not is_spec and body[at : at + 2] in ("{{", "}}"):
            at += 2
        elif not is_raw and body.startswith("\\N{", at):
            at = body.index("}", at) + 1
        elif body[at] == "{":
            yield from word("string", byte(start), body[start:at])
            end = value_end(body, at + 1)
            value = body[at + 1 : end]
            yield from occurrences(Part("(" + value + ")", byte(at + 1), 1, "eval"))
            at = end + re.compile(r"\s*=?\s*(![rsa])?").match(body, end).end() - end
            if body[at] == ":":
                closing, depth = at + 1, 1
                while depth:
                    depth += {"{": 1, "}": -1}.get(body[closing], 0)
                    closing += 1
                yield from formatted(byte(at + 1), body[at + 1 : closing - 1], is_raw, is_spec=True)
                at = closing
            else:
                assert body[at] == "}", body[at:]
                at += 1
            start = at
        else:
            at += 1
    yield from word("string", byte(start), body[start:])


def value_end(body, at):
    """Returns the end of an expression in an f-string."""
    depth, quote = 0, None
    while True:
        rest = body[at:]
        if quote:
            if rest.startswith(quote):
                at += len(quote)
                quote = None
            else:
                at += 1
            continue
        opened = re.match(r"'''|\"\"\"|'|\"", rest)
        if opened:
            quote = opened.group()
            at += len(quote)
        elif rest[0] in "([{":
            depth, at = depth + 1, at + 1
        elif depth and rest[0] in ")]}":
            depth, at = depth - 1, at + 1
        elif rest[:2] in ("!=", "==", "<=", ">="):
            at += 2
        elif not depth and rest[0] in "}:!=":
            return at
        else:
            at += 1


sys.setrecursionlimit(20_000)
seen = {}
for line in sys.stdin:
    path = line.rstrip("\n")
    with open(path, "rb") as file:
        raw = file.read()
    try:
        text = str(raw, tokenize.detect_encoding(io.BytesIO(raw).readline)[0])
        part = Part(text, 0, 0, "exec")
    except (SyntaxError, ValueError, LookupError):
        continue
    try:
        for sort, first, found, role in sorted(occurrences(part), key=lambda each: each[1]):
            seen[sort] = seen.get(sort, 0) + 1
            if seen[sort] % EVERY == 0:
                print(path, first, len(found.encode()), role, found, sep="\t")
    except Exception as error:
        raise SystemExit(f"{path}: {error!r}") from error
