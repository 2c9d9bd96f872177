"""Questions made of changelog entries: which files changed between two releases, asked in the files of the earlier."""

import re

from python_sources import question

# A release that changed more of its sources than this part gives no questions: almost any file would be right.
MOST_RIGHT = 1 / 3


def entries(text, version):
    """The entries of a version in a changelog of reStructuredText, without references to issues, as plain words."""
    section = re.search(rf"^Version {re.escape(version)}\n-+\n(.*?)(?=^Version |\Z)", text, re.M | re.S)
    for entry in re.findall(r"^-   (.*?)(?=^-   |\Z)", section[1], re.M | re.S):
        entry = re.sub(r":(?:issue|pr|ghsa):`[^`]*`", "", entry)
        entry = re.sub(r":[a-z:]+:`([^`]*)`", r"\1", entry)
        yield " ".join(re.findall(r"[A-Za-z0-9_'.-]*[A-Za-z0-9_]", " ".join(entry.split())))


def sources(root):
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in sorted((root / "src").rglob("*.py"))}


def questions(tree, later, release):
    """The right files are the sources that differ; tests, documents and the changelog are no answer."""
    before, after = sources(tree), sources(later)
    right = [{"file": file, "name": "", "line": 0} for file in before if after.get(file) != before[file]]
    if len(right) > MOST_RIGHT * len(before):
        return []
    text = (later / "CHANGES.rst").read_text(encoding="utf-8")
    return [
        question("changelog entries, by file", tree.name, entry, right, entry)
        for entry in entries(text, release.split("==")[1])
    ]
