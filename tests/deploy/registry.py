"""Checks server.json, the entry of fumi for the registry of MCP servers: its schema, and that its content is correct.

The schema comes from a package that carries the registry's published ones, so that no network is needed.

    python tests/deploy/registry.py ROOT BINARY
"""

import json
import re
from importlib import resources

import jsonschema

from report import FUMI, check, end, failures, flags_exist, text, version

RELEASE = "2025-12-11"
# Names that cannot be registered: a copy that was published unchanged would be refused.
PLACEHOLDERS = ("com.example/", "registry.example.com/", "fumi.example.com")


def inputs(value):
    """Returns every object that describes an input, with the variables that its value names."""
    if isinstance(value, dict):
        if "value" in value or "url" in value:
            yield value, set(re.findall(r"\{(\w+)\}", value.get("value", value.get("url", ""))))
        for inner in value.values():
            yield from inputs(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from inputs(inner)


check(FUMI, "usage: registry.py ROOT BINARY")
server = json.loads(text("server.json"))
folder = resources.files("skillsaw.schemas.mcp_registry") / f"v{RELEASE.replace('-', '_')}"
schema = json.loads((folder / "server.schema.json").read_text(encoding="utf-8"))
check(server["$schema"] == schema["$id"], f"it names the schema {server['$schema']}, not {schema['$id']}")
for error in jsonschema.Draft7Validator(schema, format_checker=jsonschema.FormatChecker()).iter_errors(server):
    check(False, f"server.json {'.'.join(map(str, error.path))}: {error.message[:300]}")
if failures:
    # The checks below rely on the form.
    end("server.json", 0)

check(server["version"] == version(), f"it says {server['version']}, Cargo.toml says {version()}")
label = re.search(r'io\.modelcontextprotocol\.server\.name="([^"]+)"', text("Dockerfile"))
check(label and label[1] == server["name"], "the image's label is another name: the registry would refuse it")
for value, named in inputs(server):
    check(named <= set(value.get("variables", {})), f"{value.get('name', value.get('url'))}: no variable {named}")
    check(set(value.get("variables", {})) <= named, f"{value.get('name', value.get('url'))}: a variable is not used")
types = {remote["type"] for remote in server["remotes"]}
check(types == {"streamable-http"}, f"fumi has no {types}")
for remote in server["remotes"]:
    check(remote["url"].startswith("https://") and remote["url"].endswith("/mcp"), f"{remote['url']} is not where fumi answers")
    for header in remote["headers"]:
        check(header.get("isSecret"), f"{header['name']} is not kept secret")
for package in server["packages"]:
    check(package["registryType"] == "oci", f"fumi is not published as {package['registryType']}")
    # Since 2025-10 the tag is part of the name of an image, and the fields are refused.
    check(not {"version", "registryBaseUrl", "fileSha256"} & set(package), "an image's version is its tag")
    check(package["identifier"].endswith(f":{version()}"), f"{package['identifier']} is another version")
    words = [argument.get("name", argument.get("value")) for argument in package["packageArguments"]]
    check(words[0] == package["transport"]["type"] == "stdio", f"the image is started with {words}")
    flags_exist(words, "server.json")
    mounts = {argument["value"].split(":")[1] for argument in package["runtimeArguments"] if "value" in argument}
    paths = {a["value"] for a in package["packageArguments"] if a.get("value", "").startswith("/")}
    check(paths <= mounts, f"{paths} is not among the mounts {mounts}")
content = text("server.json")
for placeholder in PLACEHOLDERS:
    check(placeholder in content, f"{placeholder} is gone: if that is a real name now, take it out of PLACEHOLDERS")
end("server.json", 25)
