"""The forms of results (docs/clients.md): what lists and results contain in each. Structures are checked by the clients
themselves, against the schemas that they have listed.

Tools and results are dictionaries, as in the JSON of the protocol.
"""

import json
import re
import sys

import real

# The ends of the server's URL that choose a form.
FORMS = {"both": "", "text": "?result=text", "structured": "?result=structured"}


def plain(model):
    """Returns what the server sent of a tool, a result or a block of content, from the type of a Python client."""
    return model.model_dump(mode="json", by_alias=True, exclude_unset=True)


def texts_of(result):
    return [block["text"] for block in result["content"] if block["type"] == "text"]


def is_json(text):
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def complaints(form, result, must_fail):
    """Yields what is wrong with a result. `must_fail` is `None` if the call may fail and may succeed."""
    structure = result.get("structuredContent")
    texts = texts_of(result)
    failed = result.get("isError", False)
    if must_fail not in (None, failed):
        yield "it fails" if failed else "it does not fail"
    if form == "text" and "structuredContent" in result:
        yield "there is a structure"
    if form != "text" and not structure:
        yield "there is no structure"
    if form == "structured" and not failed:
        if texts:
            yield "there is a text"
    elif not texts or not texts[0]:
        yield "there is no text"
    if form == "text" and any(map(is_json, texts)):
        yield "a text is JSON by itself"
    if failed:
        code = structure["error"]["code"] if structure else "[A-Z][A-Z0-9_]*"
        if not texts or not re.match(f"{code}: ", texts[0]):
            yield "the text does not begin with the code of the error"


def calls(samples):
    """Yields calls of every tool, and whether each must fail."""
    for tool, arguments in samples.right():
        yield tool, arguments, False
    for tool, arguments in real.per_root(samples.root):
        yield tool, arguments, False
    for tool, arguments in real.per_file("src/main.py", real.lines_of(samples.root, "src/main.py")):
        yield tool, arguments, False
    for tool, arguments, must_fail in samples.wrong():
        yield tool, arguments, must_fail or None


def browser_session(result):
    """Returns the part of a result that names its browser session: the structure, or a line of the text."""
    if "structuredContent" in result:
        return result["structuredContent"]
    return dict(re.findall(r"^(browser_session): (\S+)$", "\n".join(texts_of(result)), re.MULTILINE))


def check_list(form, tools, names):
    """Checks that every tool is listed, with the schema of its structure if results have one."""
    assert [tool["name"] for tool in tools] == names, tools
    for tool in tools:
        assert ("outputSchema" in tool) == (form != "text"), f"{form}: {tool}"


async def check(client, samples, form, tools, call):
    """Checks a list and calls of every tool. Returns True if a result is not as documented, or if the client refuses it.

    `client` is the name to print. `call` makes one call and returns its result.
    """
    check_list(form, tools, samples.names)
    failures, count = [], 0
    for tool, arguments, must_fail in calls(samples):
        count += 1
        shown = f"{tool} {json.dumps(arguments, ensure_ascii=False)[:300]}"
        try:
            result = await call(tool, arguments)
        except Exception as error:
            failures.append(f"{shown}\n    {type(error).__name__}: {str(error)[:600]}")
            continue
        found = list(complaints(form, result, must_fail))
        if found:
            failures.append(f"{shown}\n    {', '.join(found)}: {json.dumps(result, ensure_ascii=False)[:600]}")
        samples.heard(browser_session(result))
    for failure in failures[:20]:
        print(f"✗ {client}, {form}: {failure}", file=sys.stderr)
    print(f"  {client}, {form}: {count} calls of {len(tools)} tools, {len(failures)} failures")
    return bool(failures)
