"""The shared part of the checks of deploy/: the tree that they read, and how they end.

A check without facts is a failure, not a success: `end` requires a minimum number of checked facts.
"""

import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

import yaml

# The checkout, or a copy of it in which broken.py broke something.
ROOT = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent.parent
# The binary of the image's build stage, which checks configurations itself.
FUMI = sys.argv[2] if len(sys.argv) > 2 else ""

failures = []
looked = 0


def check(holds, what):
    """Checks a fact; the failed ones are reported at the end, all at once."""
    global looked
    looked += 1
    if not holds:
        failures.append(what)
    return bool(holds)


def ran(*command, **options):
    """Returns the standard output of a program that must succeed, or None."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, **options)
    said = f"{done.stdout}{done.stderr}".strip().splitlines()
    if check(done.returncode == 0, f"{' '.join(map(str, command))}: exit {done.returncode}: {' '.join(said[-4:])}"):
        return done.stdout
    return None


def text(path):
    return (ROOT / path).read_text(encoding="utf-8")


def documents(content):
    """Returns all YAML documents of a text. A duplicate key is a failure: YAML would use the last one."""
    return [document for document in yaml.load_all(content, Loader=Unique) if document is not None]


class Unique(yaml.SafeLoader):
    """Refuses a mapping with a duplicate key."""


def unique(loader, node, deep=False):
    keys = [loader.construct_object(key, deep=True) for key, _ in node.value if key.tag != "tag:yaml.org,2002:merge"]
    for key in keys:
        if keys.count(key) > 1:
            raise yaml.constructor.ConstructorError(None, None, f"{key} is a duplicate key", node.start_mark)
    return yaml.SafeLoader.construct_mapping(loader, node, deep)


Unique.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, unique)


def defaults():
    """Returns every configuration key with its default."""
    return tomllib.loads(text("config/default.toml"))


def is_setting(variable):
    """True if `FUMI__SECTION__KEY` sets a key of config/default.toml."""
    at = defaults()
    for part in variable.lower().split("__")[1:]:
        if not isinstance(at, dict) or part not in at:
            return False
        at = at[part]
    return not isinstance(at, dict)


def version():
    return tomllib.loads(text("Cargo.toml"))["workspace"]["package"]["version"]


def flags_exist(words, where):
    """Checks that every `--flag` of a command line for fumi exists."""
    command = [word for word in words[:1] if not word.startswith("-")]
    known = ran(FUMI, *command, "--help")
    for word in words:
        if known and word.startswith("--"):
            check(f"{word} " in known or f"{word}\n" in known, f"{where}: fumi has no {word}")


def accepts(config, environment, where):
    """True if fumi itself accepts a configuration with these variables in the environment."""
    with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
        file.write(config)
        file.flush()
        said = ran(FUMI, "check-config", file.name, env={name: str(value) for name, value in environment.items()})
    if said is not None:
        check(said == "ok\n", f"{where}: fumi says {said!r}")


def end(subject, least):
    if looked < least:
        failures.append(f"only {looked} facts about {subject} were checked; at least {least} are expected")
    for failure in failures:
        print(f"✗ {failure}", file=sys.stderr)
    if failures:
        sys.exit(1)
    print(f"  {subject}: {looked} facts hold")
