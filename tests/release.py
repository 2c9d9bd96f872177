#!/usr/bin/env python3
"""Tests the script `release` on a small repository of its own, with one crate from a registry in a folder.

Each fault is made in a copy of it and must be named by `./release check`; then `./release build` makes the files twice,
whose content must be right and the same.

    python3 tests/release.py

Standard library only (Python 3.11), with git and cargo; no network.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

RELEASE = Path(__file__).resolve().parent.parent / "release"
FILES = {
    "Cargo.toml": """[workspace]
[workspace.package]
version = "1.2.3"
[package]
name = "fumi"
version.workspace = true
edition = "2024"
license = "MIT"
[dependencies]
lent = "1"
[dev-dependencies]
only-in-tests = "1"
[profile.dist]
inherits = "release"
""",
    "src/main.rs": """fn main() {
    let mut arguments = std::env::args().skip(1);
    match (arguments.next().unwrap().as_str(), arguments.next().unwrap()) {
        ("man", folder) => std::fs::write(folder + "/fumi.1", "the page").unwrap(),
        (_, shell) => println!("# for {shell}"),
    }
}
""",
    "LICENSE": "MIT License\n\nCopyright (c) us\n\nPermission is hereby granted, freely\n",
    "CHANGELOG.md": "# Changelog\n\n## [Unreleased]\n\n## [1.2.3] - 2026-01-31\n\n- A change.\n\n## [1.2.2] - 2026-01-01\n\n- An older one.\n",
    "README.md": "read me",
    "README.ja.md": "読む",
    "server.json": '{"version": "1.2.3", "packages": [{"registryType": "oci", "identifier": "registry.example.com/fumi:1.2.3"}]}',
    "openapi/openapi.json": '{"info": {"version": "1.2.3"}}',
    "deploy/k8s/base/kustomization.yaml": "images:\n  - newTag: 1.2.3\n",
    ".gitignore": "/target\n",
    ".cargo/config.toml": '[source.crates-io]\nreplace-with = "folder"\n[source.folder]\ndirectory = "vendor"\n',
    **{
        f"vendor/{name}/{file}": content
        for name in ("lent", "only-in-tests")
        for file, content in {
            "Cargo.toml": f'[package]\nname = "{name}"\nversion = "1.0.0"\nlicense = "MIT/Apache-2.0"\nauthors = ["Ann"]\n',
            "src/lib.rs": "/* Redistribution in binary form is allowed by Bob. */\n",
            "LICENSE-MIT": "the licence of lent\n",
            ".cargo-checksum.json": json.dumps({"files": {}, "package": "0" * 64}),
        }.items()
    },
}
FAULTS = [
    ("CHANGELOG.md", " - 2026-01-31", "", "no date"),
    ("CHANGELOG.md", "[1.2.3]", "[1.2.4]", "no entries for 1.2.3"),
    ("CHANGELOG.md", "- A change.\n", "", "no entries for 1.2.3"),
    ("CHANGELOG.md", "## [Unreleased]\n", "## [Unreleased]\n\n- Another.\n", "entries under Unreleased"),
    ("server.json", '"version": "1.2.3"', '"version": "1.2.2"', "server.json says 1.2.2"),
    ("server.json", "fumi:1.2.3", "fumi:1.2.2", "server.json (oci) says 1.2.2"),
    ("openapi/openapi.json", "1.2.3", "1.2.2", "openapi.json says 1.2.2"),
    ("deploy/k8s/base/kustomization.yaml", "1.2.3", "1.2.2", "kustomization.yaml says 1.2.2"),
    ("Cargo.lock", "1.2.3", "1.2.2", "Cargo.lock (fumi) says 1.2.2"),
    ("README.md", "read me", "read it", "not committed"),
]


def main():
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        repository, out = root / "repository", root / "out"
        environment = {"CARGO_TARGET_DIR": str(root / "target"), "CARGO_NET_OFFLINE": "true", "GIT_CONFIG_GLOBAL": os.devnull}

        def run(*command):
            return subprocess.run(command, cwd=repository, env=os.environ | environment, capture_output=True, text=True)

        def expect(ran, code, *parts):
            said = ran.stdout + ran.stderr
            if ran.returncode != code or not all(part in said for part in parts):
                sys.exit(f"{ran.args}: exit code {ran.returncode}, not {code} with {parts}:\n{said}")

        for path, content in FILES.items():
            (repository / path).parent.mkdir(parents=True, exist_ok=True)
            (repository / path).write_text(content, encoding="utf-8")
        shutil.copy(RELEASE, repository)
        expect(run("cargo", "generate-lockfile"), 0)
        for words in "init", "add .", "-c user.name=Ann -c user.email=ann@example.com commit -m first":
            expect(run("git", *words.split()), 0)
        expect(run("./release", "check"), 0, "git push origin v1.2.3")
        for path, old, new, message in FAULTS:
            text = (repository / path).read_text(encoding="utf-8")
            (repository / path).write_text(text.replace(old, new, 1), encoding="utf-8")
            expect(run("./release", "check"), 1, "✗ ", message)
            (repository / path).write_text(text, encoding="utf-8")

        expect(run("./release", "build", str(out)), 0, "git push origin v1.2.3")
        made = {file.name: file.read_bytes() for file in out.iterdir()}
        for line in made["SHA256SUMS"].decode().splitlines():
            checksum, name = line.split("  ")
            assert hashlib.sha256(made[name]).hexdigest() == checksum, name
        assert len(made) == 3 and made["SHA256SUMS"].count(b"\n") == 2, list(made)
        with tarfile.open(next(out.glob("fumi-1.2.3-*.tar.gz"))) as tar:
            packed = {entry.name.partition("/")[2]: tar.extractfile(entry).read().decode(errors="replace") for entry in tar}
        assert packed["man/man1/fumi.1"] == "the page" and packed["completions/_fumi"] == "# for zsh\n", packed.keys()
        licences = packed["licenses/third-party.txt"]
        for part in ("lent 1.0.0  MIT OR Apache-2.0", "the licence of lent", "allowed by Bob"):
            assert part in licences, licences
        assert "only-in-tests" not in licences, licences
        materials = json.loads(next(out.glob("*.cdx.json")).read_text(encoding="utf-8"))
        assert [component["purl"] for component in materials["components"]] == ["pkg:cargo/lent@1.0.0"], materials
        assert {"ref": "pkg:cargo/fumi@1.2.3", "dependsOn": ["pkg:cargo/lent@1.0.0"]} in materials["dependencies"], materials
        expect(run("./release", "build", str(out)), 0)
        assert made == {file.name: file.read_bytes() for file in out.iterdir()}, "the second build differs"

        # Without a text in the crate, that of the declared licence is used if it is known.
        (repository / "vendor/lent/LICENSE-MIT").unlink()
        (repository / "vendor/lent/src/lib.rs").write_text("", encoding="utf-8")
        expect(run("./release", "build", str(out)), 1, "not committed")
        with tarfile.open(next(out.glob("*.tar.gz"))) as tar:
            licences = tar.extractfile(next(entry for entry in tar if entry.name.endswith("third-party.txt"))).read().decode()
        assert "Copyright (c) Ann\n\nPermission is hereby granted, freely" in licences, licences
        manifest = repository / "vendor/lent/Cargo.toml"
        manifest.write_text(manifest.read_text(encoding="utf-8").replace("MIT/Apache-2.0", "Zlib"), encoding="utf-8")
        expect(run("./release", "check"), 1, "lent 1.0.0: Zlib, without a text in the crate")
        expect(run("./release", "tag"), 1, "./release check")
        # A tag would be made twice.
        expect(run("git", "checkout", "."), 0)
        expect(run("git", "tag", "v1.2.3"), 0)
        expect(run("./release", "check"), 1, "the tag v1.2.3 exists")
    print(f"the release script names {len(FAULTS) + 3} faults and builds the same files twice")


main()
