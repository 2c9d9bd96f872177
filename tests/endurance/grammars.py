"""Files that are expensive to parse: mutated fixtures of every language, with one opener a thousand times in front.

On such files tree-sitter and its scanners may recurse or allocate without end (14 of 1,333 of this form did).
"""

import glob
import os

LARGEST = 1_000_000
# Opening tokens of several grammars; tokens of the fixture itself are used too.
OPENERS = """( [ { < ' " ` ''' \""" /* // # -- <!-- <? <% <<A <<~A $( ${ #{ {{ %w( %b( %q{ r#" f"{ f'{ $"{ @" [[ [=[ :: -> => ?: ! ~ & *
    | @ \\ if\u00a0 for\u00a0 do\u00a0 begin\u00a0 case\u00a0 match\u00a0 fn( func( def\u00a0 class\u00a0A{ struct{ lambda: async\u00a0 new\u00a0
    return\u00a0 (( [{ {[ <a> <a\u00a0b=" </a> &lt; ``` ~~~ >\u00a0 -\u00a0 *\u00a0 #\u00a0 1. 1e 0x .. ... , ; : a: a:\u00a0- &a *a ? !! @media{ @import\u00a0 :not( SELECT( CASE\u00a0WHEN\u00a0 WITH\u00a0a\u00a0AS(
    template< operator() typeof\u00a0 as\u00a0 is\u00a0 => ?. ?? #if\u00a0 #define\u00a0A( """.split()
OPENERS = [opener.replace("\u00a0", " ") for opener in OPENERS] + ["\n ", "\n\t", "\n- ", "\n  - ", "\\\n"]

TOOLS = [
    lambda path: ("analyze_code_structure", {"file_path": path}),
    lambda path: ("analyze_code_structure", {"file_path": path, "format_type": "signatures"}),
    lambda path: ("check_code_scale", {"file_path": path, "include_details": True}),
    lambda path: ("query_code", {"file_path": path, "query_key": "functions"}),
    lambda path: ("extract_code_section", {"file_path": path, "element": "A"}),
    lambda path: ("search_content", {"roots": ["hostile"], "query": "class function", "ranked": True}),
    lambda path: ("query_code", {"roots": ["hostile"], "query_key": "functions"}),
    lambda path: ("query_code", {"roots": ["hostile"], "pattern": "f($$$A)"}),
]


def fixtures():
    here = os.path.dirname(os.path.abspath(__file__))
    paths = sorted(glob.glob(os.path.join(here, "../../src/code/languages/*/fixture.*")))
    assert len(paths) >= 20, "the fixtures of the languages have moved"
    return [(os.path.splitext(path)[1], open(path, encoding="utf-8", newline="").read()) for path in paths]


def piece(rng, text, longest):
    at = rng.randrange(len(text))
    return text[at : at + rng.randint(1, longest)]


def mutated(rng, text, other):
    """Returns the text with some parts removed, doubled, moved, or from another language."""
    for _ in range(rng.randint(0, 8)):
        at = rng.randrange(len(text) + 1)
        text = rng.choice(
            [
                lambda: text[:at] + text[at + rng.randint(1, 40) :],
                lambda: text[:at] + piece(rng, text, 40) * rng.randint(1, 20) + text[at:],
                lambda: text[:at] + piece(rng, other, 200) + text[at:],
                lambda: text[:at] + rng.choice(OPENERS) + text[at:],
                lambda: text[:at],
            ]
        )() or other
    return text


def file(rng, known):
    """Returns the extension and the text of one hostile file, at most 1 MB."""
    (ending, text), (_, other) = rng.choice(known), rng.choice(known)
    opener = rng.choice(OPENERS) if rng.random() < 0.7 else piece(rng, text, 8)
    if rng.random() < 0.2:
        opener += rng.choice(OPENERS)
    times = rng.choice([1_000, 5_000, 24_000, 100_000])
    before = piece(rng, text, 200) if rng.random() < 0.5 else ""
    return ending, (before + opener * times + mutated(rng, text, other))[:LARGEST]


def attacks(rng, root):
    """Endless: a file, and a call that reads it. The last few files stay, so that a call may read several."""
    known, folder, kept = fixtures(), os.path.join(root, "hostile"), []
    os.makedirs(folder, exist_ok=True)
    while True:
        ending, text = file(rng, known)
        name = f"f{rng.randrange(1 << 32):08x}{ending}"
        with open(os.path.join(folder, name), "w", encoding="utf-8", newline="") as out:
            out.write(text)
        kept.append(name)
        if len(kept) > 4:
            os.remove(os.path.join(folder, kept.pop(0)))
        yield rng.choice(TOOLS)(f"hostile/{name}")
