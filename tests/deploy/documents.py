"""Checks docs/deployment.md and its Japanese summary: configurations, flags, paths, metrics, alerts.

    python tests/deploy/documents.py ROOT BINARY
"""

import re

from report import FUMI, ROOT, accepts, check, documents, end, flags_exist, text

ENGLISH, JAPANESE = "docs/deployment.md", "docs/deployment.ja.md"
HASH = "0" * 64


def blocks(page, language):
    """The fenced blocks of one language, without the indentation of a list."""
    found = re.finditer(rf"^( *)```{language}\n(.*?)^\1```$", text(page), re.MULTILINE | re.DOTALL)
    return [re.sub(rf"^{match[1]}", "", match[2], flags=re.MULTILINE) for match in found]


def commands(page):
    """The command lines of a page; a backslash continues one."""
    return [line for block in blocks(page, "sh") for line in block.replace("\\\n", " ").splitlines() if line]


def configurations(page):
    for content in blocks(page, "toml"):
        environment = {} if "[auth]" in content else {"FUMI_TOKEN_SHA256": HASH}
        # A key that fumi reads from the environment must be set.
        environment |= dict.fromkeys(re.findall(r'api_key_env = "(\w+)"', content), "key")
        accepts(content, environment, f"{page}: {content.split()[0]}")


def fumi_lines(page):
    """Returns the arguments of fumi, on its own and inside `docker run`."""
    for line in commands(page):
        found = re.search(r"(?:^|\s)fumi ((?:serve|stdio|call|tools|check-config)\b.*)", line)
        if found:
            flags_exist(found[1].split(), page)


def named(page):
    content = text(page)
    for path in set(re.findall(r"\bdeploy/[\w./-]*[\w]", content)):
        check((ROOT / path).exists(), f"{page}: {path} does not exist")
    for line in commands(page):
        for folder in re.findall(r"apply -k (\S+)", line):
            check((ROOT / folder / "kustomization.yaml").is_file(), f"{page}: {folder} cannot be applied")
    (rules,) = documents(text("deploy/prometheus/alerts.yml"))
    alerts = {rule["alert"] for group in rules["groups"] for rule in group["rules"]}
    told = set(re.findall(r"`(Fumi\w+)`", content))
    check(told == alerts, f"{page}: alerts that are not described, or do not exist: {told ^ alerts}")
    stages = re.findall(r"^FROM \S+ AS (\w+)$", text("Dockerfile"), re.MULTILINE)
    for target in re.findall(r"--target (\w+)", content):
        check(target in stages, f"{page}: the Dockerfile has no target {target}")


check(FUMI, "usage: documents.py ROOT BINARY")
for page in (ENGLISH, JAPANESE):
    configurations(page)
    fumi_lines(page)
    named(page)
    check(commands(page), f"{page}: no commands")
other = [line for line in commands(JAPANESE) if line not in commands(ENGLISH)]
check(not other, f"{JAPANESE} has commands that {ENGLISH} lacks: {other}")
# The line that names the image, the same everywhere.
line = 'docker run --rm -p 127.0.0.1:8640:8640 -u "$(id -u):$(id -g)" -v "$PWD:/workspace" -e FUMI_TOKEN_SHA256=... fumi'
for page in (ENGLISH, JAPANESE, "README.md", "README.ja.md", "Dockerfile"):
    check(line in text(page), f"{page} starts the image otherwise")
end("docs/deployment", 30)
