#!/usr/bin/env python3
"""From the lines that tests run (LCOV) to docs/coverage.md.

A line counts if the compiler made code of it, once however often it is compiled, and not in test code: under
#[cfg(test)], in files of test modules, or below tests/. The script does not run or judge tests.

    report.py LCOV ROOT PAGE PASSED    writes the page, prints what is not covered; exit 1 below the bar. PASSED is yes or no
    report.py --selftest

Standard library only (Python 3.11).
"""
import re
import sys
from pathlib import Path

CRATE = "src/novel"
BAR = 90.0
WORST = 15


def test_lines(text):
    """The lines under #[cfg(test)], and the names of test modules that are files of their own.

    An item of formatted source ends at its own indentation: with a brace on a line of its own if it opened one, else with its
    first line that ends one.
    """
    inside, files, end, opened = set(), set(), None, False
    lines = text.splitlines()
    for at, line in enumerate(lines):
        marked = re.fullmatch(r"( *)#\[cfg\(test\)\]", line)
        if end is None and marked:
            end, opened = marked[1], False
        if end is None:
            continue
        inside.add(at + 1)
        module = re.fullmatch(end + r"(?:pub(?:\(\w+\))? )?mod (\w+);", line)
        if module:
            files.add(module[1])
        own = line[len(end) :] if line.startswith(end) else " "
        if own in ("}", "};", "},") or (not opened and not own.startswith((" ", "#[")) and own.endswith(("}", ";", ","))):
            end = None
        elif own.endswith("{"):
            opened = True
    if end is not None:
        sys.exit("an item under #[cfg(test)] has no end; is the source formatted?")
    return inside, files


def runs(lines):
    """Returns 3, 4, 5, 9 as '3-5, 9'."""
    parts = []
    for line in sorted(lines):
        if parts and line == parts[-1][1] + 1:
            parts[-1][1] = line
        else:
            parts.append([line, line])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in parts)


def read(lcov, root):
    """Returns for each file of the crate without its tests: all lines that count, and those that did not run."""
    counts, path = {}, None
    for record in lcov.splitlines():
        key, _, value = record.partition(":")
        if key == "SF":
            path = str(Path(value).resolve().relative_to(root)) if Path(value).resolve().is_relative_to(root) else None
        elif key == "DA" and path and path.startswith(f"{CRATE}/") and not path.startswith(f"{CRATE}/tests/"):
            line, times = value.split(",")[:2]
            own = counts.setdefault(path, {})
            own[int(line)] = own.get(int(line), 0) + int(times)
    found, others = {}, set()
    for path, own in counts.items():
        inside, files = test_lines((root / path).read_text())
        home = Path(path).parent if Path(path).name in ("mod.rs", "lib.rs") else Path(path).with_suffix("")
        for file in files:
            others |= {str(home / f"{file}.rs"), str(home / file / "mod.rs")}
        found[path] = ({line for line in own if line not in inside}, {l for l, n in own.items() if n == 0 and l not in inside})
    return {path: both for path, both in sorted(found.items()) if path not in others and both[0]}


def percent(files):
    everything = sum(len(lines) for lines, _ in files)
    missed = sum(len(missed) for _, missed in files)
    return everything - missed, everything, 100.0 * (everything - missed) / everything


def row(name, files):
    covered, everything, share = percent(files)
    # Rounded down, so that a share below the bar does not look as if it held it.
    return f"| {name} | {covered} | {everything} | {int(share * 10) / 10:.1f} % |"


def page(found, passed):
    folders = {}
    for path, both in found.items():
        folders.setdefault(str(Path(path).parent), []).append(both)
    worst = sorted(found, key=lambda path: (-len(found[path][1]), path))[:WORST]
    share = percent(found.values())[2]
    text = [
        "# Coverage\n",
        "Written by `./bench coverage`; do not edit.\n",
        f"Lines of fumi-novel (`{CRATE}`) that its own tests run, unit and integration; no other tests are counted. Test code"
        " does not count, nor do lines of which the compiler makes no code. There is no hash of the sources here: every change of"
        " them changes the figures. Whoever runs it again asserts the bar; a few lines depend on the random texts of a run.\n",
        f"Bar: {BAR:.0f} % of all lines; held: {'yes' if share >= BAR else '**no**'}."
        f"{'' if passed else ' **Some tests failed in this run.**'}\n",
        "| folder, without those in it | lines covered | lines | share |\n| --- | --- | --- | --- |",
        *(row(f"`{folder}`", folders[folder]) for folder in sorted(folders)),
        row("**all**", found.values()),
        f"\n`./bench coverage` prints the {WORST} files with the most lines that no test runs, and these lines.",
    ]
    return "\n".join(text) + "\n", worst, share


def selftest():
    text = "fn a() {\n}\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn b() {\n\"{\n  },\nend;\n\"    }\n}\nfn c() {}\nimpl D {\n    #[cfg(test)]\n    fn e(\n    ) {\n        f();\n    }\n}\n#[cfg(test)]\nmod more;\n"
    inside, files = test_lines(text)
    # `) {` opens; the item ends with its brace.
    assert inside == {*range(3, 12), *range(14, 19), 20, 21}, inside
    assert files == {"more"}, files
    assert runs({5, 3, 4, 9}) == "3-5, 9"
    assert percent([({1, 2}, {2}), ({1, 2}, set())]) == (3, 4, 75.0)
    assert row("a", [(set(range(1000)), set(range(101)))]).endswith("| 89.9 % |")


def main():
    if sys.argv[1:] == ["--selftest"]:
        return selftest()
    root = Path(sys.argv[2]).resolve()
    found = read(Path(sys.argv[1]).read_text(), root)
    if not found:
        sys.exit(f"nothing of {CRATE} was measured")
    text, worst, share = page(found, sys.argv[4] == "yes")
    Path(sys.argv[3]).write_text(text)
    for path in worst:
        if found[path][1]:
            print(f"{path}: {runs(found[path][1])}")
    covered, everything, _ = percent(found.values())
    print(f"{covered} of {everything} lines, {share:.2f} %; bar {BAR:.0f} %")
    sys.exit(0 if share >= BAR else 1)


main()
