#!/usr/bin/env python3
"""Makes the trees that are searched and the questions about them, from pinned packages and Python's standard library.

    prepare.py HOME        HOME/packages keeps what was fetched; HOME/trees and HOME/questions.json are made again

The order is fixed and draws are by a hash, so the same packages give the same questions.
"""

import json
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
from pathlib import Path

# The benchmark's folder is hashed: no compiled files in it.
sys.dont_write_bytecode = True

import changes  # noqa: E402
import python_sources  # noqa: E402

HERE = Path(__file__).parent
# Folders without sources, or that not every machine has (Debian's Python comes without its own tests).
NO_SOURCES = {"__pycache__", "site-packages", "dist-packages", "lib-dynload", "test", "tests", "idlelib", "lib2to3"}


def run(*command):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def unpacked(archive, into):
    """Unpacks an archive that has one folder, and moves that folder."""
    part = into.with_name(into.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    with tarfile.open(archive) as tar:
        tar.extractall(part, filter="data")
    (only,) = part.iterdir()
    only.rename(into)
    part.rmdir()
    archive.unlink()


def from_pypi(home, requirement):
    into = home / requirement
    if not into.exists():
        print(f"  fetching {requirement}", file=sys.stderr)
        download = home / "download"
        shutil.rmtree(download, ignore_errors=True)
        pip = (sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check")
        run(*pip, "--no-deps", "--no-binary", ":all:", "--dest", str(download), requirement)
        unpacked(next(download.glob("*.tar.gz")), into)
    return into


def from_npm(home, package):
    into = home / package.replace("/", "+")
    if not into.exists():
        print(f"  fetching {package}", file=sys.stderr)
        download = home / "download"
        shutil.rmtree(download, ignore_errors=True)
        download.mkdir()
        run("npm", "pack", "--silent", "--pack-destination", str(download), package)
        unpacked(next(download.glob("*.tgz")), into)
    return into


def copy(source, into):
    """Copies the files that are text, without compiled ones and links."""
    for path in sorted(source.rglob("*")):
        relative = path.relative_to(source)
        if not path.is_file() or path.is_symlink() or "__pycache__" in relative.parts:
            continue
        try:
            path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        target = into / relative
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)


def standard_library(into):
    source = Path(sysconfig.get_paths()["stdlib"])
    for path in sorted(source.rglob("*.py")):
        relative = path.relative_to(source)
        if NO_SOURCES.isdisjoint(relative.parts) and not relative.parts[0].startswith("config-"):
            target = into / relative
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(python_sources.decoded(path), encoding="utf-8")


def main():
    home = Path(sys.argv[1])
    pinned = tomllib.loads((HERE / "packages.toml").read_text(encoding="utf-8"))
    packages, trees = home / "packages", home / "trees"
    packages.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(trees, ignore_errors=True)
    standard_library(trees / "python")
    python_sources.without_docstrings(trees / "python", trees / "python-bare")
    for package, folder in pinned["npm"].items():
        home_of = from_npm(packages, package)
        if folder:
            copy(home_of / folder, trees / "typescript" / package.split("@")[0])
    for project in pinned["projects"]:
        copy(from_pypi(packages, project), trees / project.split("==")[0])
    sets = python_sources.questions(trees)
    for before, after in pinned["releases"]:
        tree = trees / before.replace("==", "-")
        copy(from_pypi(packages, before), tree)
        sets += changes.questions(tree, from_pypi(packages, after), after)
    compiler = next(iter(pinned["npm"])).replace("/", "+")
    names = subprocess.run(
        ["node", str(HERE / "names.js"), str(packages / compiler), str(trees / "typescript")],
        check=True,
        capture_output=True,
        text=True,
    )
    typescript = json.loads(names.stdout)
    elements = {tree.name: list(python_sources.elements(tree)) for tree in sorted(trees.iterdir())}
    elements["typescript"] = typescript["elements"]
    made = {"questions": sets + typescript["questions"], "elements": elements}
    (home / "python.txt").write_text(f"Python {sys.version.split()[0]}\n", encoding="utf-8")
    (home / "questions.json").write_text(json.dumps(made, ensure_ascii=False, indent=1), encoding="utf-8")


main()
